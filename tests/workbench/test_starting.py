"""The page of a server that has just been started."""

from __future__ import annotations

import threading
from pathlib import Path
from typing import TYPE_CHECKING

from dragoman.server.startup import Tell
from tests.server.support import starting
from tests.workbench.support import PATIENCE, make_project

if TYPE_CHECKING:
    from playwright.sync_api import Browser


def test_the_page_says_how_far_the_server_has_come_and_then_opens_by_itself(browser: Browser, tmp_path: Path) -> None:
    go_on = threading.Event()

    def prepare(tell: Tell) -> None:
        tell(120, 502)
        go_on.wait(PATIENCE / 1000)

    make_project(tmp_path)
    with starting(tmp_path, prepare) as client, browser.new_context() as context:
        context.set_default_timeout(PATIENCE)
        page = context.new_page()
        page.goto(f"{client.base_url}#/manual/1")
        page.get_by_role("heading", name="Getting ready").wait_for()
        page.get_by_text("Learning the sample: 120 of 502 segments.").wait_for()
        go_on.set()
        page.get_by_role("heading", name="Segment 1", exact=True).wait_for()
