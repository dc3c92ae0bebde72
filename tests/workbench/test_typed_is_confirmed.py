"""What was typed is what is confirmed, to the letter, in every format: no word is added, lost or changed."""

from __future__ import annotations

import re
from collections.abc import Callable
from itertools import cycle
from pathlib import Path
from typing import Any

import httpx

from tests.formats.samples import ALL
from tests.formats.test_source_formats import FILES
from tests.server.editor import upload
from tests.workbench.support import Bench

Visit = Callable[..., Bench]
DATA = Path(__file__).parent.parent / "formats" / "data"
EACH = 2  # segments of a file
MARKED = re.compile(r"<[^<>]*>|%\S+|\{+[^{}]*\}+|[$:]\w+|\\.|[A-Z]{2,}")  # what has to stay as it is
WORD = re.compile(r"[^\W\d_]+")
SAMPLES = {
    **ALL,
    **{name: text.encode() for name, (text, _) in FILES.items()},
    **{each.name: each.read_bytes() for each in sorted(DATA.iterdir())},
}
OPENED = "title => document.title === title && document.activeElement?.classList.contains('cm-content')"


def in_other_words(source: str) -> str:
    """A text of one line for a source: its marks, punctuation and spaces, with other words."""
    words = cycle(("ñu", "así", "ya", "él"))
    parts = re.split(f"({MARKED.pattern})", source)
    return "".join(part if n % 2 else WORD.sub(lambda _: next(words), part) for n, part in enumerate(parts))


def chosen(client: httpx.Client, place: str) -> list[dict[str, Any]]:
    """Some segments of a document that can be translated, those with tags first."""
    listed = client.get(f"{place}/segments", params={"limit": 100}).json()["segments"]
    able = [each for each in listed if each["state"] == "new" and "\n" not in each["source"]]
    return sorted(able, key=lambda each: "<" not in each["source"])[:EACH]


def test_what_is_typed_is_confirmed_in_every_format(visit: Visit, address: str) -> None:
    bench = visit("")
    bench.page.get_by_role("link", name="tasks.tsv").wait_for()
    wrong, count = list[str](), 0
    with httpx.Client(base_url=address, trust_env=False, timeout=60) as client:
        for name, data in SAMPLES.items():
            place = upload(client, name, data)
            for segment in chosen(client, place):
                text = in_other_words(segment["source"])
                there = f"{place}/segments/{segment['number']}"
                found = typed_and_confirmed(bench, client, there, name, text)
                if (found["target"], found["state"]) != (text, "confirmed"):
                    wrong.append(f"{name} {segment['number']}: typed {text!r}, {found['state']} {found['target']!r}")
                count += 1
    assert not wrong, "\n".join(wrong)
    assert count >= len(SAMPLES)


def typed_and_confirmed(bench: Bench, client: httpx.Client, there: str, name: str, text: str) -> dict[str, Any]:
    """Open a segment, type a text as fast as a machine does, confirm it; the segment as the server then has it."""
    *_, document, _, number = there.split("/")
    bench.page.evaluate("hash => location.hash = hash", f"#/manual/{document}/{number}")
    bench.wait_for(OPENED, f"{number} · {name} · dragoman")
    bench.page.keyboard.type(text)
    with bench.page.expect_response(lambda answer: answer.request.method == "PUT" and there in answer.url):
        bench.press("Enter")
    found: dict[str, Any] = client.get(there).json()
    return found


def hold(bench: Bench, place: str) -> list[Any]:
    """Keep changes of a segment back, until they are let go by the test."""
    held: list[Any] = []
    bench.page.route(place, lambda route: held.append(route) if route.request.method == "PUT" else route.continue_())
    return held


def repeated(address: str, *sources: str) -> None:
    """A second document."""
    segments = [{"source": each} for each in sources]
    place = f"{address}/api/v1/projects/manual/documents"
    httpx.post(place, json={"name": "page", "segments": segments}, trust_env=False)


def test_what_is_typed_right_after_enter_belongs_to_the_next_segment(visit: Visit) -> None:
    bench = visit("#/manual/1/1")
    bench.at(1)
    bench.settled()
    held = hold(bench, "**/segments/1")
    bench.page.keyboard.type("Pulse la tapa roja.")
    bench.press("Enter")
    bench.page.keyboard.type("Abra")  # a slow server has not answered yet
    bench.at(2)
    bench.page.keyboard.type(" la tapa verde.")
    bench.until(lambda: bool(held))
    held[0].continue_()
    bench.state(1, "confirmed")
    assert bench.typed() == "Abra la tapa verde."
    bench.press("Enter")
    bench.state(2, "confirmed")
    assert [bench.segment(n)["target"] for n in (1, 2)] == ["Pulse la tapa roja.", "Abra la tapa verde."]
    assert bench.page.evaluate("Object.keys(localStorage).filter((name) => name.includes(':draft:'))") == []


def test_a_repetition_that_is_filled_while_it_is_being_typed_is_no_conflict(visit: Visit, address: str) -> None:
    repeated(address, "Close the red lid.", "Close the red lid.", "Open the lid.")
    bench = visit("#/manual/2/1")
    bench.at(1)
    bench.settled()
    held = hold(bench, "**/segments/1")
    bench.page.keyboard.type("Cierre la tapa roja.")
    bench.press("Enter")
    bench.at(2)  # a slow server has not answered yet
    bench.page.keyboard.type("Cierre")
    bench.until(lambda: bool(held))
    held[0].continue_()
    bench.page.get_by_text("Filled 1 other segment").wait_for()
    bench.wait_for(
        "() => document.querySelector('.segments li[data-n=\"2\"]').innerText.includes('Cierre la tapa roja.')"
    )
    bench.page.keyboard.type(" la roja.")
    assert not bench.page.get_by_text("Conflict").is_visible()
    bench.press("Enter")
    bench.at(3)
    bench.state(2, "confirmed")
    place = f"{address}/api/v1/projects/manual/documents/2/segments/2"
    assert httpx.get(place, trust_env=False).json()["target"] == "Cierre la roja."


def test_both_of_two_repetitions_confirmed_before_the_server_has_answered_are_as_they_were_typed(
    visit: Visit, address: str
) -> None:
    repeated(address, "Close the red lid.", "Close the red lid.", "Open the lid.")
    bench = visit("#/manual/2/1")
    bench.at(1)
    bench.settled()
    held = hold(bench, "**/segments/1")
    for number, text in ((1, "Cierre la tapa roja."), (2, "Cierre la roja.")):
        bench.at(number)
        bench.page.keyboard.type(text)
        bench.press("Enter")
    bench.at(3)
    bench.until(lambda: bool(held))
    held[0].continue_()
    bench.state(2, "confirmed")
    place = f"{address}/api/v1/projects/manual/documents/2/segments"
    found = httpx.get(place, trust_env=False).json()["segments"]
    assert [each["target"] for each in found][:2] == ["Cierre la tapa roja.", "Cierre la roja."]


def test_a_link_that_is_followed_while_another_segment_opens_leads_where_it_says(visit: Visit) -> None:
    bench = visit("#/manual/1/1")
    bench.at(1)
    bench.settled()
    bench.page.evaluate(
        "() => { location.hash = '#/manual/1/5'; history.replaceState(null, '', '#/manual/1/2'); }"
    )  # as Enter does when the answer comes
    bench.at(5)
    assert bench.page.url.endswith("#/manual/1/5")


def test_whoever_confirms_and_leaves_at_once_is_not_called_back(visit: Visit) -> None:
    bench = visit("#/manual/1/1")
    bench.at(1)
    bench.settled()
    held = hold(bench, "**/segments/1")
    bench.page.keyboard.type("Pulse la tapa roja.")
    bench.press("Enter")
    bench.page.get_by_role("link", name="manual").click()
    bench.page.get_by_role("heading", name="Documents").wait_for()
    bench.until(lambda: bool(held))
    held[0].continue_()
    bench.until(lambda: bench.segment(1)["state"] == "confirmed")
    bench.wait_for("() => !Object.keys(localStorage).some((name) => name.includes(':unsent:'))")  # it has the answer
    assert bench.page.url.endswith("#/manual")
