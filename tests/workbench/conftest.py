"""A real browser on a real server, for the tests of the workbench."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from tests.server.support import running
from tests.workbench.support import PATIENCE, Bench, make_project

if TYPE_CHECKING:
    from playwright.sync_api import Browser, ConsoleMessage

CHROMIUM = os.environ.get("DRAGOMAN_CHROMIUM") or shutil.which("chromium")
ARGUMENTS = [
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    """Chromium as the system has it; nothing is downloaded."""
    if CHROMIUM is None:
        pytest.skip("there is no Chromium on this machine: apt-get install chromium, or name it in DRAGOMAN_CHROMIUM")
    playwright = pytest.importorskip("playwright.sync_api", reason="Playwright for Python is not installed")
    with playwright.sync_playwright() as drivers:
        found = drivers.chromium.launch(executable_path=CHROMIUM, args=ARGUMENTS)
        yield found
        found.close()


@pytest.fixture
def address(tmp_path: Path) -> Iterator[str]:
    """A server with a project of its own for each test."""
    make_project(tmp_path)
    with running(tmp_path) as server:
        yield server.url


def told(said: ConsoleMessage) -> str:
    """What the page's console shows as an error, with the address that it is about."""
    return f"{said.text} ({said.location.get('url')})"


@pytest.fixture
def visit(browser: Browser, address: str) -> Iterator[Callable[..., Bench]]:
    """Open the page; all that goes wrong in it fails the test, and so does anything that it loads from elsewhere."""
    context = browser.new_context(viewport={"width": 1280, "height": 800}, accept_downloads=True, color_scheme="light")
    context.set_default_timeout(PATIENCE)
    wrong: list[str] = []
    context.on("weberror", lambda error: wrong.append(str(error.error)))
    context.on("console", lambda said: wrong.append(told(said)) if said.type == "error" else None)
    context.on("request", lambda sent: None if sent.url.startswith((address, "blob:")) else wrong.append(sent.url))

    def open_page(place: str = "#/manual/1") -> Bench:
        page = context.new_page()
        page.goto(f"{address}/{place}")
        return Bench(page, address, wrong)

    yield open_page
    context.close()
    assert not wrong
