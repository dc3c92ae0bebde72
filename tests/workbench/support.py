"""What the tests of the workbench do in it, and what they do it with."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import httpx

from dragoman.engine import Engine
from dragoman.server.document_store import DocumentStore

if TYPE_CHECKING:
    from playwright.sync_api import Locator, Page

KNOWN = [
    ("Press the green button.", "Pulse el botón verde."),
    ("Press the red button.", "Pulse el botón rojo."),
    ("Clean the red button.", "Limpie el botón rojo."),
    ("Close the lid.", "Cierre la tapa."),
    ("Open the lid.", "Abra la tapa."),
    ("Clean the lid.", "Limpie la tapa."),
    ("The green light is on.", "La luz verde está encendida."),
]
# What is to be translated, and how; the eleventh has the term that the tenth is the first to have.
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

    def shows(self, text: str) -> None:
        """Wait until the editor shows a text: what was typed, and the completion behind it."""
        self.wait_for("text => document.querySelector('.cm-line')?.innerText.trim() === text", text)

    def settled(self) -> None:
        """Wait until no completion is on its way."""
        self.wait_for("() => document.querySelector('.desk')?.dataset.busy === 'no'")

    def translate(self, segment: int, target: str) -> None:
        """Translate a segment as people do: take over words that are right, type what is not, confirm."""
        self.at(segment)
        self.settled()
        while (done := self.typed()) != target:
            rest = self.ghost.inner_text() if self.ghost.count() else ""
            wanted = target[len(done) :]
            if rest and wanted == rest:
                break
            if rest and wanted.split()[0] == rest.split()[0]:
                self.press("Tab")
            else:
                self.page.keyboard.type(wanted.split()[0] + " " if " " in wanted else wanted)
            self.settled()
        if self.ghost.count() and self.typed() == target:
            self.press("Escape")
        self.press("Enter")

    def segment(self, number: int) -> dict[str, Any]:
        """A segment as the server has it."""
        place = f"{self.address}/api/v1/projects/manual/documents/1/segments/{number}"
        found: dict[str, Any] = httpx.get(place, trust_env=False).json()
        return found
