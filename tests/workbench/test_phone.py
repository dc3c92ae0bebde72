"""Translating on a phone: a narrow page, fingers, and a keyboard without Tab."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tests.workbench.support import PATIENCE, Bench

if TYPE_CHECKING:
    from playwright.sync_api import Browser


def test_a_finger_on_a_grey_word_takes_everything_up_to_it(browser: Browser, address: str) -> None:
    with browser.new_context(viewport={"width": 390, "height": 760}, is_mobile=True, has_touch=True) as context:
        context.set_default_timeout(PATIENCE)
        bench = Bench(context.new_page(), address, [])
        bench.page.goto(f"{address}/#/manual/1/4")
        bench.at(4)
        bench.shows("Limpie el botón verde.")
        bench.page.get_by_text("Tap a grey word").wait_for()
        for word, taken in (("el", "Limpie el"), ("verde", "Limpie el botón verde")):
            bench.page.locator(".ghost .word", has_text=word).tap()
            bench.until(lambda taken=taken: bench.typed().startswith(taken))  # type: ignore[misc]
        assert bench.page.evaluate("document.documentElement.scrollWidth <= innerWidth")
        bench.page.get_by_role("button", name="Confirm").tap()
        bench.until(lambda: bench.segment(4)["state"] == "confirmed")
        assert bench.segment(4)["target"].startswith("Limpie el botón verde")
