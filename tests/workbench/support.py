"""What the tests of the workbench work with: a project, and a page with the things people do on it."""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import httpx

from dragoman.editor.document_store import DocumentStore
from dragoman.engine import Engine

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Locator, Page

PATIENCE = int(os.environ.get("DRAGOMAN_PATIENCE", "120000"))  # milliseconds: late is not wrong
KNOWN = [
    ("Press the green button.", "Pulse el botón verde."),
    ("Press the red button.", "Pulse el botón rojo."),
    ("Clean the red button.", "Limpie el botón rojo."),
    ("Close the lid.", "Cierre la tapa."),
    ("Open the lid.", "Abra la tapa."),
    ("Clean the lid.", "Limpie la tapa."),
    ("The green light is on.", "La luz verde está encendida."),
]
# What is to be translated, and how; the eleventh repeats a term that is new in the tenth.
TASKS = [
    ("Press the red lid.", "Pulse la tapa roja."),
    ("Open the green lid.", "Abra la tapa verde."),
    ("Close the red lid.", "Cierre la tapa roja."),
    ("Clean the green button.", "Limpie el botón verde."),
    ("The red light is on.", "La luz roja está encendida."),
    ("Clean the red light.", "Limpie la luz roja."),
    ("Press <b>the green button</b>.", "Pulse <b>el botón verde</b>."),
    ("Open the red lid.", "Abra la tapa roja."),
    ("Close the green lid.", "Cierre la tapa verde."),
    ("Clean the drip tray.", "Limpie la bandeja recogegotas."),
    ("Press the drip tray.", "Pulse la bandeja recogegotas."),
    ("Open the drip tray.", "Abra la bandeja recogegotas."),
]

TYPED = """() => {
    const line = document.querySelector(".cm-line").cloneNode(true);
    line.querySelectorAll(".ghost").forEach((each) => each.remove());
    line.querySelectorAll(".chip").forEach((each) => each.replaceWith(each.title));
    return line.textContent;
}"""


def make_project(folder: Path) -> None:
    """A project that has learned a little, and a document to be translated."""
    with Engine.create(folder / "manual", source="en", target="es") as engine:
        for source, target in KNOWN:
            engine.learn(source, target)
    documents = DocumentStore(folder / "manual" / "documents.db")
    rows = [(str(n), source, "", "new") for n, (source, _) in enumerate(TASKS, start=1)]
    documents.add("tasks.tsv", rows, "".join(f"{source}\t\n" for source, _ in TASKS).encode())
    documents.close()


def patient_page(browser: Browser) -> Page:
    """A new page that waits as long as the others do."""
    page = browser.new_page()
    page.set_default_timeout(PATIENCE)
    return page


class Bench:
    """The page, and what people do on it."""

    def __init__(self, page: Page, address: str, wrong: list[str]) -> None:
        self.page, self.address, self.wrong = page, address, wrong

    def press(self, *keys: str) -> None:
        for key in keys:
            self.page.keyboard.press(key)

    def at(self, segment: int) -> None:
        """Wait until a segment is open."""
        self.page.get_by_role("heading", name=f"Segment {segment}", exact=True).wait_for()

    @property
    def editor(self) -> Locator:
        return self.page.locator(".cm-content")

    @property
    def ghost(self) -> Locator:
        return self.page.locator(".ghost")

    def typed(self) -> str:
        """The text in the editor, without the completion."""
        return str(self.page.evaluate(TYPED))

    def wait_for(self, condition: str, argument: Any = None) -> Any:
        return self.page.wait_for_function(condition, arg=argument)

    def until(self, condition: Callable[[], bool], seconds: float = PATIENCE / 1000) -> None:
        """Wait for something that is true outside the page; meanwhile its events are handled."""
        end = time.monotonic() + seconds
        while not condition():
            assert time.monotonic() < end, "waited in vain"
            self.page.wait_for_timeout(10)

    def shows(self, text: str) -> None:
        """Wait until the editor shows a text: what was typed, and the completion behind it."""
        self.wait_for("text => document.querySelector('.cm-line')?.innerText.trim() === text", text)

    def settled(self) -> None:
        """Wait until no completion is on its way."""
        self.wait_for("() => document.querySelector('.workspace')?.dataset.busy === 'no'")

    def still(self) -> None:
        """Wait until nothing is animated: colours change gradually."""
        self.wait_for("() => document.getAnimations().length === 0")

    def state(self, segment: int, state: str) -> None:
        """Wait until the list shows a segment in a state."""
        argument = {"row": segment, "state": state}
        self.wait_for(
            "({row, state}) => document.querySelector(`.segments li[data-n='${row}']`)?.dataset.state === state",
            argument,
        )

    def row(self, segment: int) -> Locator:
        """The row of a segment in the list."""
        return self.page.locator(f".segments li[data-n='{segment}']")

    def open(self, segment: int) -> None:
        """Open a segment by its address, as a link does."""
        self.page.evaluate("number => location.hash = location.hash.replace(/\\d+$/, number)", segment)
        self.at(segment)
        self.settled()

    def replace(self, text: str) -> None:
        """Put a text in the place of what is in the editor; no completion is left behind it."""
        self.press("Control+a", "Backspace")
        self.page.keyboard.insert_text(text)
        self.settled()
        if self.ghost.count():
            self.press("Escape")
        self.editor.focus()  # Escape leaves it if the completion has gone by itself meanwhile

    def allow(self, *problems: str) -> None:
        """Forget errors in the browser's console that belong to the test, such as an answer 409."""
        self.wrong[:] = [each for each in self.wrong if not any(problem in each for problem in problems)]

    def translate(self, segment: int, target: str) -> None:
        """Translate a segment as people do: accept words that are right, type the others, confirm."""
        self.at(segment)
        self.settled()
        while (done := self.typed()) != target:
            rest = self.ghost.inner_text() if self.ghost.count() else ""
            wanted = target[len(done) :]
            if rest and wanted == rest:
                self.press("Control+End")
            elif rest and wanted.split()[0] == rest.split()[0]:
                self.press("Tab")
            else:
                self.page.keyboard.type(wanted.split()[0] + " " if " " in wanted else wanted)
            self.settled()
        self.press("Enter")

    def deliver(self) -> None:
        """Download the document, whatever the report says."""
        self.page.get_by_role("button", name="Download", exact=True).click()
        self.page.get_by_role("button", name="Download anyway").click()

    def segment(self, number: int) -> dict[str, Any]:
        """A segment as the server has it."""
        place = f"{self.address}/api/v1/projects/manual/documents/1/segments/{number}"
        found: dict[str, Any] = httpx.get(place, trust_env=False).json()
        return found
