"""Several people on one document: they see each other, comment, review, and take back only what is theirs."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from dragoman.server.keys import Keys
from tests.server.support import running
from tests.workbench.support import PATIENCE, TASKS, Bench, make_project

if TYPE_CHECKING:
    from playwright.sync_api import Browser

Join = Callable[..., Bench]


@pytest.fixture
def join(browser: Browser, tmp_path: Path) -> Iterator[Join]:
    """Open the document as somebody, each in a browser of their own."""
    make_project(tmp_path / "projects")
    keys = Keys(tmp_path / "keys.json")
    given = {name: keys.add(name, {"manual": role}) for name, role in (("ana", "learn"), ("bo", "review"))}
    pages = []
    with running(tmp_path / "projects", keys=tmp_path / "keys.json", free_loopback=False) as server:

        def enter(name: str, segment: int) -> Bench:
            context = browser.new_context(viewport={"width": 1280, "height": 800})
            context.set_default_timeout(PATIENCE)
            pages.append(context)
            page = context.new_page()
            page.goto(f"{server.url}/#/manual/1/{segment}")
            page.get_by_label("Key", exact=True).fill(given[name])
            page.get_by_role("button", name="Sign in").click()
            bench = Bench(page, server.url, [])
            bench.at(segment)
            bench.settled()
            return bench

        yield enter
        for each in pages:
            each.close()


def test_people_see_each_other_and_what_the_other_confirms(join: Join) -> None:
    ana, bo = join("ana", 4), join("bo", 5)
    ana.page.get_by_text("Also here: bo at segment 5").wait_for()
    ana.row(5).get_by_text("bo here now").wait_for(state="attached")
    ana.shows(TASKS[3][1])
    ana.press("Alt+Enter")
    bo.state(4, "confirmed")
    bo.row(4).get_by_text(TASKS[3][1]).wait_for()
    bo.open(6)
    ana.page.get_by_text("Also here: bo at segment 6").wait_for()


def test_undo_takes_back_only_what_is_ones_own(join: Join) -> None:
    ana, bo = join("ana", 4), join("bo", 5)
    ana.shows(TASKS[3][1])
    ana.press("Alt+Enter")
    ana.state(4, "confirmed")
    bo.state(4, "confirmed")
    bo.press("Alt+z")
    bo.page.get_by_text("Nothing of yours to undo").wait_for()
    assert ana.row(4).get_attribute("data-state") == "confirmed"
    ana.press("Alt+z")
    ana.page.get_by_text("Took back your confirmation of segment 4").wait_for()
    bo.state(4, "new")


def test_a_comment_is_seen_by_others_and_a_segment_approved_after_reading(join: Join) -> None:
    ana, bo = join("ana", 4), join("bo", 4)
    ana.page.get_by_label("Comment", exact=True).fill("Button or knob?")
    ana.page.get_by_role("button", name="Comment", exact=True).click()
    bo.page.get_by_text("Button or knob?").wait_for()
    bo.row(4).get_by_text("1 comment").wait_for(state="attached")
    ana.editor.click()
    ana.shows(TASKS[3][1])
    ana.press("Alt+Enter")
    bo.page.get_by_role("button", name="Approve").click()
    ana.row(4).get_by_text("approved").wait_for(state="attached")
    bo.open(4)
    bo.page.locator("summary", has_text="Versions").click()
    bo.page.get_by_text("ana · confirmed").wait_for()


def test_what_is_assigned_and_approved_is_shown_to_whoever_has_it_open(join: Join) -> None:
    ana, bo = join("ana", 4), join("bo", 5)
    ana.shows(TASKS[3][1])
    ana.press("Alt+Enter")
    ana.at(5)
    ana.open(4)
    bo.page.goto(f"{bo.address}/#/manual")
    bo.page.get_by_role("button", name="Assign: tasks.tsv").click()
    dialog = bo.page.get_by_role("dialog")
    dialog.get_by_label("Person").fill("bo")
    dialog.get_by_label("To segment").fill("2")
    dialog.get_by_role("button", name="Assign").click()
    bo.page.get_by_text("Assigned 2 segments.").wait_for()
    ana.row(2).get_by_text("assigned to bo").wait_for(state="attached")
    assert ana.row(3).get_by_text("assigned to bo").count() == 0
    bo.page.goto(f"{bo.address}/#/manual/1/4")
    bo.page.get_by_role("button", name="Approve").click()
    ana.page.locator(".head .badge", has_text="approved").wait_for()
    assert not ana.page.get_by_role("button", name="Take back approval").is_visible()  # only reviewers approve


def test_a_term_that_somebody_adds_changes_a_suggestion_that_nobody_has_touched(join: Join) -> None:
    ana, bo = join("ana", 4), join("bo", 4)
    ana.shows(TASKS[3][1])
    bo.page.get_by_label("Term", exact=True).fill("green button")
    bo.page.get_by_label("Translation of the term").fill("pulsador verde")
    bo.page.get_by_role("button", name="Add term").click()
    ana.wait_for("() => document.querySelector('.ghost')?.innerText.includes('pulsador')")
