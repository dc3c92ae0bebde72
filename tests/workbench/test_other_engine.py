"""The page over another engine: what was changed in its words is shown, explained, and taken back with one click."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import httpx
import pytest

from dragoman.editor.document_store import DocumentStore
from dragoman.engine import Engine
from tests.server.support import running
from tests.workbench.support import Bench

SAID = {"Close the lid.": "Cierra la tapadera.", "Open the lid.": "Abre la tapadera.", "Wait.": "Espera."}


@pytest.fixture
def address(tmp_path: Path) -> Iterator[str]:
    """A server with a project over an engine, one of whose words was corrected."""
    file = tmp_path / "said.tsv"
    file.write_text("".join(f"{source}\t{said}\n" for source, said in SAID.items()), encoding="utf-8")
    folder = tmp_path / "projects"
    folder.mkdir()
    with Engine.create(folder / "manual", source="en", target="es", upstream=f"recorded:{file}") as engine:
        engine.learn("Close the lid.", "Cierra la tapa.")
    documents = DocumentStore(folder / "manual" / "documents.db")
    documents.add("page.txt", [("1", "Open the lid.", "", "new"), ("2", "Wait.", "", "new")])
    documents.close()
    with running(folder) as server:
        yield server.url


def test_what_was_changed_in_the_engines_words_is_explained_and_taken_back(visit: Callable[..., Bench]) -> None:
    bench = visit()
    bench.at(1)
    bench.shows("Abre la tapa.")
    rows = bench.page.locator("details", has_text="Suggestions").locator("ol > li")
    rows.filter(has_text="dragoman").wait_for()
    badges = rows.locator(".badge").all_inner_texts()
    assert (badges[-2:], all(badge.endswith("%") for badge in badges[:-2])) == (["engine", "dragoman"], True)
    assert "Abre la tapadera." in rows.filter(has_text="engine").first.inner_text()
    changed = rows.last.locator("mark").inner_text()
    why = f"correction 2 says “{changed}”."
    assert why in rows.last.inner_text()

    bench.page.locator(".source .word", has_text="lid").click()
    bench.page.locator("details", has_text="Origin").get_by_text(why).wait_for()

    rows.last.get_by_role("button", name="Take back").click()
    bench.wait_for("text => document.querySelector('.cm-line').innerText.startsWith(text)", "Abre la tapadera")
    bench.settled()
    assert bench.typed() == "Abre la tapadera."


def test_a_change_is_refused_for_ever_with_one_click(visit: Callable[..., Bench], address: str) -> None:
    bench = visit()
    bench.at(1)
    bench.shows("Abre la tapa.")
    rows = bench.page.locator("details", has_text="Suggestions").locator("ol > li")
    rows.filter(has_text="dragoman").wait_for()
    assert "Replaced 1 of 1 times" in rows.last.inner_text()
    with bench.page.expect_response("**/settings/refused_changes") as answered:
        rows.last.get_by_role("button", name="Never again").click()
    assert answered.value.json()["settings"]["refused_changes"] == [["tapadera", "tapa"]]
    bench.settled()
    assert bench.typed() == "Abre la tapadera."
    said = httpx.post(f"{address}/api/v1/projects/manual/translations", json={"texts": ["Open the lid."]}).json()
    assert said["translations"][0]["text"] == "Abre la tapadera."


def test_where_nothing_was_changed_the_engines_words_are_shown_once(visit: Callable[..., Bench]) -> None:
    bench = visit("#/manual/1/2")
    bench.at(2)
    bench.shows("Espera.")
    bench.settled()
    bench.page.wait_for_load_state("networkidle")
    assert bench.page.locator("details", has_text="Suggestions").locator(".badge").all_inner_texts() == ["engine"]
