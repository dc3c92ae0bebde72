"""Two tabs, or two browsers, on one segment: nobody's text is overwritten, and all of it is among the versions."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

import httpx

from tests.workbench.support import PATIENCE, Bench

if TYPE_CHECKING:
    from playwright.sync_api import Browser

Visit = Callable[..., Bench]
UNSENT = """() => {
  const send = window.fetch;
  window.fetch = (place, ...more) =>
    String(place).endsWith("/versions") ? Promise.reject(new TypeError("the page is closed")) : send(place, ...more);
}"""


def versions(bench: Bench, number: int) -> list[str]:
    """The texts of a segment, newest first."""
    place = f"{bench.address}/api/v1/projects/manual/documents/1/segments/{number}/about"
    return [each["target"] for each in httpx.get(place, trust_env=False).json()["history"]]


def write(bench: Bench, text: str) -> None:
    bench.page.bring_to_front()
    bench.at(2)
    bench.settled()
    bench.editor.focus()
    bench.page.keyboard.type(text)
    bench.settled()


def leave(bench: Bench) -> None:
    bench.page.bring_to_front()
    bench.press("Control+ArrowDown")
    bench.at(3)


def check_that_neither_overwrites(one: Bench, other: Bench) -> None:
    write(one, "Uno")
    write(other, "Dos")
    leave(other)
    other.until(lambda: one.segment(2)["target"] == "Dos")
    one.page.bring_to_front()
    one.page.get_by_text("was changed in another window to “Dos”").wait_for()
    one.page.keyboard.type(" más")  # typing on is no choice
    one.press("Enter")  # and neither is confirming
    one.page.get_by_text("Choose first").wait_for()
    leave(one)
    one.page.reload()
    one.at(3)
    one.open(2)
    assert one.typed() == "Uno más"
    one.page.get_by_role("button", name="Keep mine").wait_for()
    assert one.segment(2)["target"] == "Dos"
    one.until(lambda: {"Uno más", "Dos"} <= set(versions(one, 2)))


def test_two_tabs_on_one_segment_have_a_draft_each(visit: Visit) -> None:
    check_that_neither_overwrites(visit("#/manual/1/2"), visit("#/manual/1/2"))


def test_a_text_that_waits_for_a_choice_is_among_the_versions_though_the_page_was_closed(visit: Visit) -> None:
    one, other = visit("#/manual/1/2"), visit("#/manual/1/2")
    one.page.evaluate(UNSENT)
    write(one, "Uno")
    write(other, "Dos")
    leave(other)
    one.page.bring_to_front()
    one.page.get_by_text("was changed in another window to “Dos”").wait_for()
    one.page.reload()
    one.at(2)
    one.until(lambda: "Uno" in versions(one, 2))


def test_two_browsers_on_one_segment_and_one_keeps_theirs(visit: Visit, browser: Browser) -> None:
    one = visit("#/manual/1/2")
    context = browser.new_context(viewport={"width": 1280, "height": 800})
    context.set_default_timeout(PATIENCE)
    page = context.new_page()
    page.goto(f"{one.address}/#/manual/1/2")
    check_that_neither_overwrites(one, Bench(page, one.address, []))
    one.page.get_by_role("button", name="Keep mine").click()
    one.press("Enter")
    one.until(lambda: one.segment(2)["target"] == "Uno más" and one.segment(2)["state"] == "confirmed")
    context.close()


def test_a_draft_of_a_closed_tab_is_there_in_the_next_one_and_of_an_open_one_is_not(visit: Visit) -> None:
    one = visit("#/manual/1/2")
    write(one, "Uno")
    other = visit("#/manual/1/2")
    other.at(2)
    other.settled()
    assert other.typed() == ""
    one.page.close()
    other.page.reload()
    other.at(2)
    other.settled()
    assert other.typed() == "Uno"


def test_a_text_that_stood_for_a_second_and_was_overwritten_is_among_the_versions(visit: Visit) -> None:
    bench = visit("#/manual/1/2")
    write(bench, "Primera")
    bench.until(lambda: "Primera" in versions(bench, 2))
    bench.press("Control+a")
    bench.page.keyboard.type("Segunda")
    bench.until(lambda: versions(bench, 2)[:2] == ["Segunda", "Primera"])
    assert bench.segment(2)["target"] == ""
    bench.page.locator("summary", has_text="Versions").click()
    bench.page.get_by_label("Translation aids").get_by_text("Primera", exact=True).wait_for()
