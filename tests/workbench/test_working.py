"""Translating in the browser: from opening a document to its file, in both modes, and what can go wrong."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import httpx
import pytest

from dragoman.engine import Engine
from dragoman.server.config import Settings
from dragoman.server.process import configure, in_background
from tests.workbench.support import KNOWN, TASKS, Bench, make_project, patient_page

Visit = Callable[..., Bench]


def test_ten_segments_interactively_and_the_eleventh_knows_the_term(visit: Visit, tmp_path: Path) -> None:
    bench = visit("")
    bench.page.get_by_role("link", name="tasks.tsv").click()
    for number, (_, target) in enumerate(TASKS[:10], start=1):
        bench.translate(number, target)
    bench.at(11)
    bench.shows(TASKS[10][1])  # learned a moment ago, in the segment before
    saved = bench.page.get_by_label("Effort", exact=True)
    saved.get_by_text("effort saved").wait_for()
    saved.get_by_text("in 10 segments").wait_for()
    times = sorted(bench.page.evaluate("performance.getEntriesByName('key to ghost').map((entry) => entry.duration)"))
    assert times
    print(f"key → ghost text: p95 {times[int(0.95 * len(times))]:.0f} ms of {len(times)} keys")  # a figure, no test

    bench.page.get_by_role("button", name=f"Undo: {TASKS[9][1]}").click()
    bench.wait_for("() => !document.querySelector('.ghost')?.innerText.includes('bandeja')")
    assert bench.segment(10)["state"] == "translated"

    with bench.page.expect_download() as coming:
        bench.deliver()
    coming.value.save_as(tmp_path / "got.tsv")
    lines = (tmp_path / "got.tsv").read_text(encoding="utf-8").splitlines()
    assert lines[:9] == [f"{source}\t{target}" for source, target in TASKS[:9]]
    assert lines[10].startswith(TASKS[10][0])


def test_ten_segments_by_post_editing(visit: Visit) -> None:
    bench = visit()
    bench.at(1)
    bench.settled()
    bench.press("F2")
    for number, (_, target) in enumerate(TASKS[:10], start=1):
        bench.at(number)
        bench.wait_for("() => document.querySelector('.cm-line').innerText.trim()")
        bench.settled()
        assert not bench.ghost.count()
        if bench.typed() != target:
            bench.press("Control+a")
            bench.page.keyboard.insert_text(target)
        bench.press("Control+Enter")
    bench.at(11)
    bench.shows(TASKS[10][1])
    assert [bench.segment(n)["target"] for n in range(1, 11)] == [target for _, target in TASKS[:10]]


def test_what_is_typed_is_never_changed_by_a_completion(visit: Visit) -> None:
    bench = visit()
    bench.at(1)
    bench.ghost.wait_for()
    typed = "Pulse xyzzy ñandú 👍🏽 el"
    for n, character in enumerate(typed, start=1):
        bench.page.keyboard.insert_text(character)
        assert bench.typed() == typed[:n]
    bench.settled()
    assert bench.typed() == typed
    bench.press("Escape", "Escape")
    assert bench.page.evaluate("document.activeElement.getAttribute('aria-current')") == "true"


def test_other_completions_and_hiding_them(visit: Visit) -> None:
    bench = visit()
    bench.at(1)
    bench.ghost.wait_for()
    first = bench.ghost.inner_text()
    bench.press("Alt+ArrowDown")
    bench.wait_for("first => document.querySelector('.ghost').innerText !== first", first)
    bench.press("Alt+ArrowUp")
    assert bench.ghost.inner_text() == first
    bench.press("Escape")
    assert not bench.ghost.count()
    bench.page.keyboard.type(first[0])
    bench.ghost.wait_for()
    bench.press("Control+ArrowRight")
    assert bench.typed() == first.split()[0] + " "


def test_an_input_method_composes_without_completions(visit: Visit) -> None:
    bench = visit()
    bench.at(1)
    bench.ghost.wait_for()
    method = bench.page.context.new_cdp_session(bench.page)
    for text in ("p", "pu", "pul"):
        method.send("Input.imeSetComposition", {"text": text, "selectionStart": len(text), "selectionEnd": len(text)})
        assert bench.typed() == text
        assert not bench.ghost.is_visible()
    method.send("Input.insertText", {"text": "Puló"})
    bench.ghost.wait_for()
    bench.settled()
    assert bench.typed() == "Puló"
    bench.press("Enter")
    bench.at(2)
    bench.until(lambda: bench.segment(1)["target"] == "Puló")


def test_completions_end_before_a_word_that_is_not_sure_if_so_chosen(visit: Visit) -> None:
    bench = visit("#/manual/1/10")
    bench.at(10)
    shows_unknown = "() => document.querySelector('.ghost')?.innerText.includes('drip')"
    bench.wait_for(shows_unknown)  # all words, unless something else was chosen
    choice = bench.page.get_by_label("How sure the words of a completion must be")
    choice.select_option("≥ 20 %")
    ends = "() => /^Limpie(?!.*drip)/.test(document.querySelector('.ghost')?.innerText)"
    bench.wait_for(ends)
    bench.page.reload()
    bench.at(10)
    bench.wait_for(ends)
    assert choice.input_value() == "0.2"
    choice.select_option("any")
    bench.wait_for(shows_unknown)


def test_a_reload_in_the_middle_of_a_segment_loses_nothing(visit: Visit) -> None:
    bench = visit("#/manual/1/2")
    bench.at(2)
    bench.settled()
    bench.page.keyboard.type("Abra esa tapa ")
    bench.page.reload()
    bench.at(2)
    bench.settled()
    assert bench.typed() == "Abra esa tapa "
    bench.press("Control+ArrowDown")
    bench.at(3)
    bench.state(2, "translated")
    assert bench.segment(2)["target"] == "Abra esa tapa "


def test_two_windows_on_one_document(visit: Visit) -> None:
    one, other = visit("#/manual/1/1"), visit("#/manual/1/2")
    one.at(1)
    other.at(2)
    one.page.bring_to_front()
    one.translate(1, TASKS[0][1])
    one.at(2)
    other.state(1, "confirmed")
    one.settled()
    one.page.keyboard.type("Abra una")
    other.page.bring_to_front()
    other.translate(2, TASKS[1][1])
    other.at(3)
    one.page.bring_to_front()
    one.page.get_by_text("was changed in another window").wait_for()
    assert one.typed() == "Abra una"
    one.page.get_by_role("button", name="Use theirs").click()
    one.shows(TASKS[1][1])
    assert [one.segment(n)["target"] for n in (1, 2)] == [target for _, target in TASKS[:2]]


def test_what_a_server_has_not_acknowledged_is_sent_again(visit: Visit) -> None:
    bench = visit("#/manual/1/4")
    bench.at(4)
    bench.shows(TASKS[3][1])
    bench.page.context.set_offline(True)
    bench.press("Alt+Enter")
    bench.at(5)
    bench.page.get_by_role("status").get_by_text(re.compile("1 change")).wait_for()
    assert bench.segment(4)["state"] == "new"
    bench.page.context.set_offline(False)
    bench.state(4, "confirmed")
    assert bench.segment(4)["target"] == TASKS[3][1]
    bench.wrong[:] = [each for each in bench.wrong if "ERR_INTERNET_DISCONNECTED" not in each]


def test_an_answer_that_was_overtaken_does_not_undo_what_is_shown(visit: Visit) -> None:
    bench = visit("#/manual/1/4")
    bench.at(4)
    bench.shows(TASKS[3][1])
    held: list[Any] = []
    bench.page.route("**/documents/1/segments?*", lambda route: held.append((route, route.fetch())))
    bench.page.evaluate("new BroadcastChannel('dragoman:manual').postMessage({ document: 1 })")  # as other windows do
    bench.until(lambda: bool(held))  # what the server said before the segment was confirmed
    bench.press("Alt+Enter")
    bench.at(5)
    bench.state(4, "confirmed")
    with bench.page.expect_response("**/glossary"):  # requested once that answer has been looked at
        route, answer = held[0]
        route.fulfill(response=answer)
    assert bench.page.locator(".segments li").nth(3).get_attribute("data-state") == "confirmed"


def test_tags_are_chips_that_cannot_be_broken(visit: Visit) -> None:
    bench = visit("#/manual/1/7")
    bench.at(7)
    bench.settled()
    assert bench.page.locator(".source .chip").all_inner_texts() == ["b", "/b"]
    assert bench.page.locator(".ghost .chip").all_inner_texts() == ["b", "/b"]
    bench.page.keyboard.type("Pulse ")
    bench.press("Alt+t")
    bench.page.keyboard.type("el botón")
    bench.settled()
    assert bench.typed() == "Pulse <b>el botón"
    bench.press(*["ArrowLeft"] * len("el botón"))
    bench.page.keyboard.type("x")
    assert bench.typed() == "Pulse <b>xel botón"
    bench.press("Backspace", "Backspace")
    assert bench.typed() == "Pulse el botón"
    assert bench.page.locator("div.lacking .chip").count()
    bench.press("Control+z")
    assert "<b>" in bench.typed()


def test_what_looks_like_a_mistake_is_asked_about(visit: Visit) -> None:
    bench = visit("#/manual/1/1")
    bench.at(1)
    bench.settled()
    bench.page.keyboard.insert_text(TASKS[0][0])
    bench.settled()
    if bench.ghost.count():
        bench.press("Escape")
    with bench.page.expect_response(lambda response: response.status == 409):
        bench.press("Enter")
    bench.open(1)  # a slow server answers when the next one is open already
    bench.page.get_by_role("alert").get_by_text("copy of the source").wait_for()
    bench.at(1)
    assert bench.segment(1)["state"] != "confirmed"
    bench.allow("409")
    bench.page.get_by_role("button", name="Confirm anyway").click()
    bench.at(2)
    bench.until(lambda: bench.segment(1)["state"] == "confirmed")


def test_what_cannot_be_learned_is_confirmed_and_taken_back(visit: Visit, address: str) -> None:
    segments = [{"source": each} for each in ("  ", "lid " * 600, "Close the lid.")]
    place = f"{address}/api/v1/projects/manual/documents"
    httpx.post(place, json={"name": "page", "segments": segments}, trust_env=False)

    def states() -> list[str]:
        listed = httpx.get(f"{place}/2/segments", trust_env=False).json()["segments"]
        return [each["state"] for each in listed]

    bench = visit("#/manual/2/1")
    bench.at(1)
    bench.settled()
    bench.press("Enter")
    bench.page.get_by_text("Segment 1 was confirmed but not learned: the source has 0 words.").wait_for()
    bench.at(2)
    bench.settled()
    bench.press("Alt+Enter")
    bench.page.get_by_text("Segment 2 was confirmed but not learned: the source has 600 words.").wait_for()
    bench.at(3)
    assert states() == ["confirmed", "confirmed", "new"]
    bench.press("Alt+z")
    bench.state(2, "new")
    bench.page.get_by_label("Notices").get_by_role("button", name="Undo").first.click()
    bench.state(1, "new")
    assert states() == ["new", "new", "new"]
    assert bench.page.get_by_role("button", name=f"Undo: {KNOWN[-1][1]}").count()  # what was learned is still there


def test_beside_the_text(visit: Visit) -> None:
    bench = visit("#/manual/1/4")
    bench.at(4)
    bench.shows(TASKS[3][1])
    beside: Any = bench.page.get_by_label("Translation aids")
    beside.get_by_text("Press the green button.").first.wait_for()  # a near match
    bench.wait_for("() => document.querySelectorAll('.source [data-n]').length")
    bench.page.locator(".source [data-n]", has_text="green").hover()
    bench.page.locator(".ghost .pointed", has_text="verde").wait_for()
    bench.page.locator(".ghost span", has_text="verde").click()
    beside.get_by_text("learned from correction").first.wait_for()
    bench.press("Control+k")
    bench.page.keyboard.type("lid")
    bench.press("Enter")
    beside.locator("mark", has_text="lid").first.wait_for()
    beside.get_by_label("Term", exact=True).fill("green button")
    beside.get_by_label("Translation of the term").fill("pulsador verde")
    beside.get_by_role("button", name="Add term").click()
    bench.wait_for("() => document.querySelector('.ghost')?.innerText.includes('pulsador')")
    bench.press("Alt+s")
    bench.page.locator(".ghost [class*=sure-]").first.wait_for()


def test_a_server_that_restarts_is_found_again(browser: Any, tmp_path: Path) -> None:
    def serving(port: int) -> Any:
        return in_background(configure(Settings(paths=(tmp_path,), port=port)))

    make_project(tmp_path)
    page = patient_page(browser)
    with serving(0) as address:
        bench = Bench(page, address, [])
        page.goto(f"{address}/#/manual/1/4")
        bench.shows(TASKS[3][1])
    page.get_by_text("Server unavailable").wait_for()
    bench.page.keyboard.type("Limpie ")
    bench.press("Control+End", "Enter")
    bench.at(5)
    with serving(int(address.rpartition(":")[2])):
        page.get_by_text("Connected again").wait_for()
        bench.state(4, "confirmed")
        assert bench.segment(4)["target"] == TASKS[3][1]
        bench.ghost.wait_for()
    page.close()


def test_a_project_that_cannot_be_opened_says_so(browser: Any, tmp_path: Path) -> None:
    make_project(tmp_path)
    Engine.create(tmp_path / "other", source="en", target="fr").close()
    page = patient_page(browser)
    config = configure(Settings(paths=(tmp_path,), port=0))
    with Engine.open(tmp_path / "other"), in_background(config) as address:
        page.goto(address)
        page.get_by_role("link", name="tasks.tsv").wait_for()
        page.get_by_label("other").get_by_text("Cannot open this project: ").wait_for()
    page.close()


XLIFF = """<?xml version="1.0" encoding="utf-8"?>
<xliff version="1.2" xmlns="urn:oasis:names:tc:xliff:document:1.2">
 <file original="a" source-language="en" target-language="es" datatype="plaintext"><body>
  <trans-unit id="1"><source>Press the <g id="1">green</g> button.</source></trans-unit>
  <trans-unit id="2"><source>Tighten the screw.</source><target state="final">Apriete el tornillo.</target></trans-unit>
 </body></file>
</xliff>
"""


def test_a_file_is_uploaded_and_a_project_begun_from_the_sample(visit: Visit) -> None:
    bench = visit("")
    bench.page.get_by_text("Add file").wait_for()
    upload = bench.page.locator("input[type=file]")
    upload.set_input_files({"name": "page.xlf", "mimeType": "application/xml", "buffer": b"<xliff"})
    bench.page.get_by_text("not well-formed XML").wait_for()
    assert upload.input_value() == ""  # else the browser reports nothing when the same file is chosen again, repaired
    upload.set_input_files({"name": "page.xlf", "mimeType": "application/xml", "buffer": XLIFF.encode()})
    bench.at(1)
    bench.settled()
    assert bench.page.locator(".source .chip").all_inner_texts() == ["g 1", "/g"]
    assert bench.page.locator(".segments li").nth(1).get_attribute("data-state") == "confirmed"
    bench.page.get_by_role("link", name="dragoman").click()
    form = bench.page.get_by_role("form", name="New project")
    form.get_by_label("To", exact=True).fill("Klingonese")
    form.get_by_label("Name").fill("My fresh project")
    form.get_by_role("button", name="Create").click()
    bench.page.get_by_text("“Klingonese” is not a language").wait_for()
    form.get_by_label("To", exact=True).fill("français")
    form.get_by_label("Start with the sample").check()
    form.get_by_role("button", name="Create").click()
    bench.at(1)
    bench.page.get_by_text("0 of 711 confirmed").wait_for()
    bench.page.get_by_text("Nothing learned yet.").wait_for()
    assert bench.page.url.endswith("#/my-fresh-project/1/1")
    assert bench.editor.get_attribute("lang") == "fr"


@pytest.mark.parametrize(
    ("language", "direction"), [("ar", "rtl"), ("he_IL", "rtl"), ("uz-Arab", "rtl"), ("ha", "ltr"), ("ja", "ltr")]
)
def test_the_editor_has_the_direction_of_the_language(
    visit: Visit, address: str, language: str, direction: str
) -> None:
    segments = [{"source": "Press <b>it</b>."}, {"source": "Press it.", "target": "…"}]
    with httpx.Client(base_url=f"{address}/api/v1", trust_env=False) as client:
        client.post("projects", json={"name": "far", "source": "en", "target": language})
        client.post("projects/far/documents", json={"name": "page", "segments": segments})
    bench = visit("#/far/1/1")
    bench.at(1)
    assert bench.editor.get_attribute("dir") == direction
    for place, expected in (
        (".context .of", "ltr"),
        (".context .of + p", direction),
        (".texts .to:not(:empty)", direction),
    ):
        assert bench.page.locator(place).evaluate("each => getComputedStyle(each).direction") == expected
    chip = bench.page.locator(".ghost .chip").nth(1)
    assert chip.evaluate("each => getComputedStyle(each).direction") == "ltr"  # else it would read b/


def test_opening_a_segment_asks_the_server_once(visit: Visit) -> None:
    bench = visit("#/manual/1/5")
    bench.at(5)
    bench.ghost.wait_for()
    sent: list[str] = []
    bench.page.on("request", lambda request: sent.append(request.url))
    bench.press("Control+ArrowUp")
    bench.at(4)
    bench.shows(TASKS[3][1])
    bench.page.get_by_label("Translation aids").get_by_text("Clean the red button.").first.wait_for()  # a match
    assert [url for url in sent if url.endswith("/translations")] == []


def test_a_full_storage_loses_nothing_of_what_is_confirmed(visit: Visit) -> None:
    bench = visit("#/manual/1/4")
    bench.at(4)
    bench.shows(TASKS[3][1])
    bench.page.evaluate(
        "() => { Storage.prototype.setItem = () => { throw new DOMException('full', 'QuotaExceededError') } }"
    )
    bench.press("F2")
    bench.wait_for("text => document.querySelector('.cm-line').innerText.trim() === text", TASKS[3][1])
    bench.press("Control+a")
    bench.page.keyboard.insert_text("Limpie bien el botón verde.")
    bench.press("Enter")
    bench.at(5)
    bench.state(4, "confirmed")
    assert bench.segment(4)["target"] == "Limpie bien el botón verde."
