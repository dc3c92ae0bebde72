"""Large documents: the desk opens at once, loads what is in sight, and every segment can be found."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from dragoman.editor.document_store import DocumentStore
from tests.server.support import running
from tests.workbench.support import Bench, make_project

if TYPE_CHECKING:
    from playwright.sync_api import Route

Visit = Callable[..., Bench]
SIZE = 20_000


@pytest.fixture
def address(tmp_path: Path) -> Iterator[str]:
    """A server with a large document besides the usual one."""
    make_project(tmp_path)
    documents = DocumentStore(tmp_path / "manual" / "documents.db")
    rows = [(str(n), f"Open lid {n}.", "", "new") for n in range(1, SIZE + 1)]
    documents.add("large.txt", rows)
    documents.close()
    with running(tmp_path) as server:
        yield server.url


def test_a_large_document_opens_with_what_is_in_sight_only(visit: Visit) -> None:
    bench = visit("#/manual/2/15000")
    bench.at(15_000)
    bench.page.locator(".segments li", has_text="Open lid 15000.").wait_for()
    assert bench.page.locator(".segments li").count() < 100
    bench.page.get_by_text(f"0 of {SIZE:,} confirmed").wait_for()
    bench.settled()
    bench.replace("Abra la tapa 15000.")
    bench.press("Enter")
    bench.at(15_001)
    bench.state(15_000, "confirmed")
    bench.page.get_by_text(f"1 of {SIZE:,} confirmed").wait_for()


def test_a_segment_of_a_large_document_is_reached_by_number_by_text_and_by_scrolling(visit: Visit) -> None:
    bench = visit("#/manual/2/1")
    bench.at(1)
    bench.settled()
    bench.press("Control+g")
    bench.page.keyboard.type("19000")
    bench.press("Enter")
    bench.at(19_000)
    bench.settled()
    bench.page.get_by_label("Search segments").fill("lid 7777.")
    bench.page.locator(".segments li", has_text="Open lid 7777.").click()
    bench.at(7777)
    bench.page.get_by_label("Search segments").fill("")
    bench.wait_for("() => document.querySelectorAll('.segments li').length > 20")
    bench.page.evaluate("document.querySelector('.segments .scroll').scrollTop = 1e9")
    bench.page.locator(".segments li", has_text=f"Open lid {SIZE}.").click()
    bench.at(SIZE)


def test_keys_before_a_document_is_loaded_do_no_harm(visit: Visit) -> None:
    bench = visit("")
    bench.page.locator(".project").first.wait_for()

    def slow(route: Route) -> None:
        bench.press("Control+ArrowDown", "F2")
        route.continue_()

    bench.page.route("**/documents/2/overview", slow)
    bench.page.goto(f"{bench.address}/#/manual/2")
    bench.at(1)
    bench.page.evaluate("localStorage.removeItem('dragoman:mode')")


def test_every_row_of_a_search_is_loaded_and_the_page_itself_does_not_scroll(visit: Visit) -> None:
    bench = visit("#/manual/2/1")
    bench.at(1)
    bench.settled()
    bench.page.get_by_label("Search segments").fill("77.")  # one in a hundred
    bench.page.locator(".segments li", has_text="Open lid 177.").wait_for()
    full = "() => [...document.querySelectorAll('.segments .of')].every((each) => each.textContent !== '…')"
    bench.wait_for(full)
    bench.page.locator(".segments .scroll").evaluate("list => { list.scrollTop = 0.45 * list.scrollHeight }")
    bench.page.locator(".segments li", has_text="Open lid 9077.").wait_for()
    bench.wait_for(full)
    assert bench.page.evaluate("document.documentElement.scrollHeight <= innerHeight")
