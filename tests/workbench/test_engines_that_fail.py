"""The page over an engine that is dead, slow or talks nonsense: it says so, and work goes on."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from dragoman.editor.document_store import DocumentStore
from dragoman.engine import Engine
from tests.server.support import running
from tests.upstream.support import Reaction, Request, as_json, serving
from tests.workbench.support import Bench

SAID = {"Open the lid.": "Abre la tapadera."}


class Misbehaving:
    """An engine that answers when it may, or says nonsense."""

    def __init__(self) -> None:
        self.may_answer, self.asked = threading.Event(), threading.Event()
        self.nonsense = False

    def react(self, request: Request) -> Reaction:
        self.asked.set()
        if self.nonsense:
            return 200, {"Content-Type": "text/html"}, b"<html>Welcome!</html>"
        self.may_answer.wait(20)
        return as_json({"translatedText": [SAID.get(text, "Nada.") for text in request.json["q"]]})


@pytest.fixture
def engine() -> Misbehaving:
    return Misbehaving()


@pytest.fixture
def address(tmp_path: Path, engine: Misbehaving) -> Iterator[str]:
    """A server with a project over that engine, which has learned a word."""
    folder = tmp_path / "projects"
    folder.mkdir()
    with serving(engine.react) as service:
        name = f"libretranslate:{service.url}"
        with Engine.create(folder / "manual", source="en", target="es", upstream=name) as project:
            project.learn("Close the lid.", "Cierra la tapa.")
        documents = DocumentStore(folder / "manual" / "documents.db")
        documents.add("page.txt", [("1", "Open the lid.", "", "new"), ("2", "Wait.", "", "new")])
        documents.close()
        with running(folder) as server:
            yield server.url
        engine.may_answer.set()


def test_a_slow_engine_is_called_slow_and_its_words_come_later(
    visit: Callable[..., Bench], engine: Misbehaving
) -> None:
    bench = visit()
    bench.at(1)
    bench.page.get_by_text("The engine (LibreTranslate) is slow").wait_for()
    bench.shows("")  # meanwhile only words that are sure, and there are none
    assert not bench.page.get_by_text("The server is slow").is_visible()
    engine.may_answer.set()
    bench.page.locator("details", has_text="Suggestions").get_by_text("Abre la tapadera.").wait_for()


def test_an_engine_that_talks_nonsense_is_named_and_tested(visit: Callable[..., Bench], engine: Misbehaving) -> None:
    engine.nonsense = True
    bench = visit()
    bench.at(1)
    bench.page.get_by_text("Without the engine (LibreTranslate): failed.").wait_for()
    bench.shows("Open la tapa.")
    page = visit("#/manual").page
    page.get_by_text("it gave no answer:").wait_for()
    assert "answered with something other than JSON" in page.locator("form p.problem").inner_text()
    engine.nonsense = False
    engine.may_answer.set()
    page.get_by_role("button", name="Test engine").click()
    page.get_by_text("It translates “Open the file.” as “Nada.”").wait_for()


def test_a_dead_engine_is_tested_when_it_is_set(visit: Callable[..., Bench]) -> None:
    page = visit("#/manual").page
    page.get_by_label("Engine", exact=True).select_option("Apertium")
    page.get_by_label("Address").fill("http://127.0.0.1:9")
    page.get_by_role("button", name="Save engine").click()
    page.get_by_text("No answer to “Open the file.”: ").wait_for()
    assert "cannot be reached: connection refused" in page.locator("form p.problem").inner_text()
