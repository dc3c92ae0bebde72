"""Documents that the disk has altered, or that a kill has interrupted: noticed, finished, and no trouble for others."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from dragoman.editor.document_repair import repair_documents
from dragoman.editor.document_store import DocumentStore
from dragoman.editor.edited_project import EditedProject
from dragoman.editor.messages import SegmentChange
from dragoman.editor.segment_edits import Author, change_segment
from dragoman.engine import Engine
from dragoman.errors import BadInputError, DamagedFileError, DragomanError
from tests.server.support import make_projects, running

SOURCES = ["Press the green button.", "Close the lid."]


def opened(path: Path) -> EditedProject:
    return EditedProject("manual", path, Engine.open(path))


@pytest.fixture
def project(tmp_path: Path) -> Path:
    Engine.create(tmp_path / "manual", source="en", target="es").close()
    return tmp_path / "manual"


def confirm(project: EditedProject, document: int, number: int, target: str) -> None:
    change = SegmentChange(target=target, state="confirmed")
    change_segment(project, document, number, change, Author("ana"))


def test_a_segment_that_was_altered_on_disk_is_not_served(tmp_path: Path) -> None:
    with closing(DocumentStore(tmp_path / "documents.db")) as store:
        number = store.add("page", [(str(n), source, "", "new") for n, source in enumerate(SOURCES)])
        assert [each.source for each in store.segments(number)] == SOURCES
    file = tmp_path / "documents.db"
    file.write_bytes(file.read_bytes().replace(b"Close the lid.", b"Close the lit."))
    with closing(DocumentStore(file)) as store:
        assert store.segment(number, 1).source == SOURCES[0]
        with pytest.raises(DamagedFileError, match="segment 2 of document 1"):
            store.segments(number)


def test_a_file_of_an_earlier_version_gets_its_sums(tmp_path: Path) -> None:
    with closing(DocumentStore(tmp_path / "documents.db")) as store:
        number = store.add("page", [("1", SOURCES[0], "", "new")])
    with closing(sqlite3.connect(tmp_path / "documents.db")) as connection:
        connection.executescript(
            "DROP TRIGGER segment_summed; DROP TRIGGER segment_summed_again; DELETE FROM sums;"
            "UPDATE segments SET target = 'Pulse.'"
        )
    with closing(DocumentStore(tmp_path / "documents.db")) as store:
        assert store.segment(number, 1).target == "Pulse."


def documents_of(path: Path) -> None:
    with closing(DocumentStore(path / "documents.db")) as store:
        store.add("page", [(str(n), f"Press {n}.", f"Pulse {n}.", "confirmed") for n in range(200)])


def saved_targets(path: Path, new: Path) -> tuple[int, set[str]]:
    """How much is lost, and what is saved."""
    new.mkdir()
    lost = list(repair_documents(path, new, {}))
    with closing(DocumentStore(new / "documents.db")) as store:
        return len(lost), {each.target for each in store.segments(1)}


def test_a_byte_that_is_not_utf_8_costs_one_segment(tmp_path: Path) -> None:
    documents_of(tmp_path)
    file = tmp_path / "documents.db"
    file.write_bytes(file.read_bytes().replace(b"Pulse 7.", b"Pulse\xff7."))
    assert saved_targets(tmp_path, tmp_path / "new") == (1, {f"Pulse {n}." for n in range(200) if n != 7} | {""})


def test_an_altered_segment_is_not_saved_as_if_whole_where_sums_cannot_be_read(tmp_path: Path) -> None:
    documents_of(tmp_path)
    file = tmp_path / "documents.db"
    with closing(sqlite3.connect(file)) as connection:
        (root,) = connection.execute("SELECT rootpage FROM sqlite_master WHERE name = 'sums'").fetchone()
    data = bytearray(file.read_bytes().replace(b"Pulse 7.", b"Pulsa 7."))
    data[(root - 1) * 4096] ^= 0xFF
    file.write_bytes(data)
    lost, targets = saved_targets(tmp_path, tmp_path / "new")
    assert lost >= 1
    assert "Pulsa 7." not in targets


def test_what_was_interrupted_while_confirming_again_is_finished_at_opening(
    project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    editing = opened(project)
    number = editing.documents.add("page", [(str(n), source, "", "new") for n, source in enumerate(SOURCES)])
    confirm(editing, number, 1, "Pulse el botón verde.")
    with monkeypatch.context() as patch:
        patch.setattr(DocumentStore, "redirect", lambda *_: (_ for _ in ()).throw(DragomanError("killed")))
        with pytest.raises(DragomanError, match="killed"):
            confirm(editing, number, 1, "Pulsa el botón verde.")
    editing.close()
    again = opened(project)
    segment = again.documents.segment(number, 1)
    assert (segment.target, segment.state) == ("Pulsa el botón verde.", "confirmed")
    assert again.engine.correction(segment.correction or 0).target == segment.target
    assert again.documents.intents() == []
    again.close()


def test_an_intent_that_led_to_nothing_is_dropped_at_opening(project: Path) -> None:
    editing = opened(project)
    number = editing.documents.add("page", [("1", SOURCES[0], "", "new")])
    editing.documents.intend(editing.documents.segment(number, 1), "Pulse.", editing.revision)
    editing.close()
    again = opened(project)
    assert (again.documents.segment(number, 1).target, again.documents.intents()) == ("", [])
    again.close()


@pytest.mark.parametrize("damage", ["truncated", "overwritten"])
def test_translating_goes_on_without_documents_that_cannot_be_read(tmp_path: Path, damage: str) -> None:
    make_projects(tmp_path)
    file = tmp_path / "manual" / "documents.db"
    with closing(DocumentStore(file)) as store:
        store.add("page", [(str(n), f"Press button {n}.", "", "new") for n in range(500)])
    data = file.read_bytes()
    file.write_bytes(data[: len(data) // 3] if damage == "truncated" else b"x" * 5000)
    with running(tmp_path) as server, server.client() as client:
        place = "/api/v1/projects/manual"
        answer = client.post(f"{place}/translations", json={"texts": ["Close the lid."]}).json()
        assert answer["translations"][0]["text"] == "Cierre la tapa."
        assert client.get(f"{place}/documents").status_code == 503
        assert client.get("/ready").json()["projects"] == ["manual"]


@pytest.mark.kernels
def test_a_deleted_project_is_no_problem_any_more(tmp_path: Path) -> None:
    make_projects(tmp_path)
    with running(tmp_path) as server, server.client() as client:
        server.app.state.context.problems = {"manual": BadInputError("was held by another process")}
        assert client.delete("/api/v1/projects/manual").status_code == 204
        assert client.get("/ready").json() == {"state": "ready", "problems": 0, "projects": []}
