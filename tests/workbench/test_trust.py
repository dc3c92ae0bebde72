"""Confirmed means delivered: what is asked, shown and saved belongs to its segment, and nothing gets lost."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import httpx
import pytest

from dragoman.server.keys import Keys
from tests.server.support import running
from tests.workbench.support import TASKS, Bench, make_project, patient_page

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

Visit = Callable[..., Bench]


def add_document(bench: Bench, *segments: dict[str, str], project: str = "manual") -> int:
    """Add a document to a project; its number."""
    place = f"{bench.address}/api/v1/projects/{project}/documents"
    made = httpx.post(place, json={"name": "page", "segments": list(segments)}, trust_env=False)
    return int(made.raise_for_status().json()["id"])


def make(bench: Bench, target: str, *segments: dict[str, str]) -> None:
    """Open the first segment of a new project that translates into a language."""
    with httpx.Client(base_url=f"{bench.address}/api/v1", trust_env=False) as client:
        client.post("projects", json={"name": "far", "source": "en", "target": target}).raise_for_status()
    add_document(bench, *segments, project="far")
    bench.page.goto(f"{bench.address}/#/far/1/1")
    bench.at(1)
    bench.settled()


def download(bench: Bench, file: Path) -> list[str]:
    """Download the document; the lines of the file."""
    with bench.page.expect_download() as coming:
        bench.deliver()
    coming.value.save_as(file)
    return file.read_text(encoding="utf-8").splitlines()


# ── Nothing is confirmed but what is black ───────────────────────────────────────────────────────────────────────────


def test_enter_confirms_what_is_typed_and_nothing_of_the_grey_text(visit: Visit) -> None:
    bench = visit("#/manual/1/1")
    bench.at(1)
    bench.settled()
    bench.press("Enter")  # nothing is typed yet
    bench.page.get_by_text("Nothing to confirm yet").wait_for()
    bench.page.keyboard.type("Pulse la")
    bench.ghost.wait_for()
    bench.settled()
    bench.press("Enter")
    bench.state(1, "confirmed")
    assert bench.segment(1)["target"] == "Pulse la"


def test_nothing_grey_stays_behind_a_finished_sentence(visit: Visit) -> None:
    bench = visit("#/manual/1/1")
    bench.at(1)
    for number, (_, target) in enumerate(TASKS[:6], start=1):
        bench.open(number)
        bench.page.keyboard.type(target)
        bench.settled()
        assert not bench.ghost.count()
        bench.press("Enter")
        bench.state(number, "confirmed")
        assert bench.segment(number)["target"] == target


def test_a_draft_that_is_opened_and_confirmed_is_the_draft(visit: Visit) -> None:
    bench = visit("")
    drafts = ["Pulse", "Abra la tapa verde", "Cierre la tapa roja."]
    document = add_document(bench, *({"source": TASKS[n][0], "target": each} for n, each in enumerate(drafts)))
    bench.page.goto(f"{bench.address}/#/manual/{document}/1")
    for number in (1, 2, 3):
        bench.at(number)
        bench.settled()
        bench.press("Enter")
        bench.state(number, "confirmed")
    place = f"{bench.address}/api/v1/projects/manual/documents/{document}/segments"
    found = httpx.get(place, trust_env=False).json()["segments"]
    assert [each["target"] for each in found] == drafts


# ── Questions belong to their segment ────────────────────────────────────────────────────────────────────────────────


def test_confirming_anyway_confirms_the_segment_that_was_asked_about(visit: Visit) -> None:
    bench = visit("#/manual/1/1")
    bench.at(1)
    bench.settled()
    bench.replace(TASKS[0][0])
    with bench.page.expect_response(lambda response: response.status == 409):
        bench.press("Enter")
    question = bench.page.get_by_role("button", name="Confirm anyway")
    bench.open(2)
    assert not question.is_visible()  # it went with its segment
    bench.settled()
    bench.open(1)
    question.click()
    bench.state(1, "confirmed")
    assert bench.segment(2)["state"] == "new"
    bench.allow("409")


def test_a_question_about_a_segment_that_was_left_takes_nobody_away(visit: Visit) -> None:
    bench = visit("#/manual/1/1")
    bench.at(1)
    bench.settled()
    bench.replace(TASKS[0][0])
    held: list[Any] = []
    bench.page.route("**/documents/1/segments/1", lambda route: held.append(route))
    bench.press("Enter")
    bench.at(2)  # the server takes its time, and the next segment is opened
    bench.settled()
    bench.page.keyboard.type("Abra esa")
    held[0].continue_()
    notice = bench.page.get_by_label("Notices").get_by_role("button", name="Open segment 1")
    notice.wait_for()
    bench.settled()
    bench.at(2)
    assert bench.typed() == "Abra esa"
    notice.click()
    bench.at(1)
    bench.page.get_by_role("button", name="Confirm anyway").wait_for()
    bench.allow("409")


# ── What was changed since it was confirmed ──────────────────────────────────────────────────────────────────────────


def test_a_confirmed_segment_that_is_edited_and_left_shows_it_and_can_be_reverted(visit: Visit) -> None:
    bench = visit("#/manual/1/4")
    bench.at(4)
    bench.shows(TASKS[3][1])
    bench.press("Alt+Enter")
    bench.state(4, "confirmed")
    bench.at(5)
    bench.open(4)
    bench.replace("Limpie ese botón verde.")
    bench.page.locator(".head .badge", has_text="changed since").wait_for()
    bench.press("Control+ArrowDown")
    bench.at(5)
    bench.row(4).get_by_text("changed since it was confirmed").wait_for(state="attached")
    bench.page.reload()
    bench.at(5)
    bench.row(4).get_by_text("changed since it was confirmed").wait_for(state="attached")
    bench.open(4)
    assert bench.typed() == "Limpie ese botón verde."
    bench.page.get_by_role("button", name="Revert").click()
    bench.shows(TASKS[3][1])
    bench.page.locator(".head .badge", has_text="confirmed").wait_for()
    assert not bench.row(4).get_by_text("changed since").count()
    assert bench.segment(4)["target"] == TASKS[3][1]


def test_what_was_changed_since_it_was_confirmed_is_asked_about_before_a_download(visit: Visit, tmp_path: Path) -> None:
    bench = visit("#/manual/1/4")
    bench.at(4)
    bench.shows(TASKS[3][1])
    bench.press("Alt+Enter")
    bench.state(4, "confirmed")
    bench.at(5)
    bench.open(4)
    bench.replace("Limpie ese botón verde.")
    bench.press("Control+ArrowDown")
    bench.at(5)
    bench.page.get_by_role("button", name="Download", exact=True).click()
    report = bench.page.get_by_role("dialog")
    report.get_by_text("the file would have the older text").wait_for()
    report.get_by_role("button", name="Segment 4").click()
    bench.at(4)
    bench.press("Enter")
    bench.until(lambda: bench.segment(4)["target"] == "Limpie ese botón verde.")
    bench.at(5)
    assert download(bench, tmp_path / "got.tsv")[3] == f"{TASKS[3][0]}\tLimpie ese botón verde."


# ── The filter ───────────────────────────────────────────────────────────────────────────────────────────────────────


def test_enter_and_arrows_stay_within_the_filter_and_what_is_done_leaves_it(visit: Visit) -> None:
    bench = visit("#/manual/1/1")
    bench.at(1)
    bench.settled()
    bench.page.get_by_label("Filter by state").select_option("To do")
    bench.page.get_by_label("Search segments").fill("green")
    rows = bench.page.locator(".segments li")
    bench.wait_for("() => document.querySelectorAll('.segments li').length === 5")  # 2, 4, 7, 9, and the open one
    rows.nth(2).click()
    bench.at(4)
    bench.settled()
    bench.shows(TASKS[3][1])
    bench.press("Alt+Enter")
    bench.at(7)
    bench.wait_for("() => !document.querySelector(\".segments li[data-n='4']\")")
    bench.press("Control+ArrowDown")
    bench.at(9)
    bench.press("Control+ArrowUp", "Control+ArrowUp")
    bench.at(2)


# ── Accepting words ──────────────────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize(("language", "target"), [("ja", "緑のボタンを押します。"), ("zh", "请按下绿色按钮。")])
def test_tab_takes_a_word_where_words_have_no_spaces(visit: Visit, language: str, target: str) -> None:
    bench = visit("")
    source = "Press the green button."
    with httpx.Client(base_url=f"{bench.address}/api/v1", trust_env=False) as client:
        client.post("projects", json={"name": "far", "source": "en", "target": language})
        client.post("projects/far/corrections", json={"source": source, "target": target})
        client.post("projects/far/documents", json={"name": "page", "segments": [{"source": source}]})
    bench.page.goto(f"{bench.address}/#/far/1/1")
    bench.at(1)
    bench.shows(target)
    bench.press("Tab")
    bench.settled()
    assert 1 <= len(bench.typed()) <= 3


def test_tab_past_the_end_stays_in_the_editor(visit: Visit) -> None:
    bench = visit("#/manual/1/4")
    bench.at(4)
    bench.shows(TASKS[3][1])
    for _ in range(7):
        bench.press("Tab")
        bench.settled()
    assert bench.typed() == TASKS[3][1]
    assert bench.page.evaluate("document.activeElement.className").startswith("cm-content")
    assert bench.segment(4)["state"] == "new"
    bench.press("Escape")
    assert bench.page.evaluate("document.activeElement.getAttribute('aria-current')") == "true"


def test_a_segment_that_was_emptied_is_completed_again(visit: Visit) -> None:
    bench = visit("#/manual/1/4")
    bench.at(4)
    bench.shows(TASKS[3][1])
    bench.press("Escape")
    bench.page.keyboard.type("Lim")
    bench.settled()
    bench.press("Control+a", "Backspace")
    bench.shows(TASKS[3][1])


def test_tags_are_no_longer_missing_or_present_once_the_completion_is_hidden(visit: Visit) -> None:
    bench = visit("#/manual/1/7")
    bench.at(7)
    bench.page.locator(".ghost .chip").first.wait_for()
    bench.settled()
    assert not bench.page.locator("div.lacking .chip").count()
    bench.press("Escape")
    assert bench.page.locator("div.lacking .chip").all_inner_texts() == ["b", "/b"]


def test_tags_stand_around_their_words_in_right_to_left_text(visit: Visit) -> None:
    bench = visit("")
    target = "اضغط <b>Save</b> <i>As</i> الآن"
    make(bench, "ar", {"source": "Press <b>Save</b> <i>As</i> now", "target": target}, {"source": "Wait."})
    order = """place => {
        const at = (each) => each.getBoundingClientRect().x;
        return [...document.querySelectorAll(place)].sort((a, b) => at(b) - at(a)).map((each) => each.textContent);
    }"""
    assert bench.page.evaluate(order, ".cm-line .chip") == ["b", "/b", "i", "/i"]
    assert bench.page.evaluate(order, ".segments li:first-child .to .chip") == ["b", "/b", "i", "/i"]


# ── Keys and roles ───────────────────────────────────────────────────────────────────────────────────────────────────


@pytest.fixture
def keyed(tmp_path: Path) -> Iterator[tuple[str, Keys]]:
    """A server that asks for keys, and its keys."""
    make_project(tmp_path / "projects")
    keys = Keys(tmp_path / "keys.json")
    keys.add("somebody", {"manual": "read"})
    with running(tmp_path / "projects", keys=tmp_path / "keys.json", free_loopback=False) as server:
        yield server.url, keys


def sign_in(page: Page, key: str) -> None:
    page.get_by_label("Key", exact=True).fill(key)
    page.get_by_role("button", name="Sign in").click()


def test_who_may_only_read_gets_no_editor_and_is_told_why(browser: Browser, keyed: tuple[str, Keys]) -> None:
    address, keys = keyed
    page = patient_page(browser)
    page.goto(f"{address}/#/manual/1/4")
    sign_in(page, keys.add("rita", {"manual": "read"}))
    page.get_by_role("heading", name="Segment 4", exact=True).wait_for()
    page.get_by_text("You can read this document but not change it.").wait_for()
    page.keyboard.type("x")
    assert Bench(page, address, []).typed() == ""
    assert not page.get_by_role("button", name="Confirm").is_visible()
    page.get_by_role("heading", name="Glossary").wait_for()
    for name in ("Add term", "Use", "Undo", "Resolve", "Interactive", "Confidence"):
        assert page.get_by_role("button", name=name).count() == 0, name  # each would be refused
    assert not page.get_by_text("unavailable").count()
    page.close()


def test_a_removed_key_is_asked_for_again_and_the_draft_is_kept(browser: Browser, keyed: tuple[str, Keys]) -> None:
    address, keys = keyed
    page = patient_page(browser)
    bench = Bench(page, address, [])
    page.goto(f"{address}/#/manual/1/4")
    sign_in(page, keys.add("ana", {"manual": "learn"}))
    bench.at(4)
    bench.shows(TASKS[3][1])
    page.locator("#person", has_text="ana").wait_for()
    page.keyboard.type("Lavar ")
    bench.settled()
    keys.remove("ana")
    page.keyboard.type("e")
    page.get_by_text("Your key is no longer valid. What you have typed is kept.").wait_for()
    sign_in(page, keys.add("bo", {"manual": "learn"}))
    page.get_by_role("dialog").wait_for(state="detached")
    assert bench.typed() == "Lavar e"
    bench.editor.click()
    bench.ghost.wait_for()
    assert not page.get_by_text("Server unavailable").count()
    page.get_by_role("button", name="Sign out").click()
    page.get_by_label("Key", exact=True).wait_for()
    page.close()
