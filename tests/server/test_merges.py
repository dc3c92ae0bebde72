"""Merging and splitting segments of a document: the delivered file, undo, redo, and what others see."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest

from dragoman.editor import merges_and_splits, segment_undo
from dragoman.editor.messages import SegmentChange
from dragoman.editor.refusal import Refusal
from dragoman.editor.segment_edits import Author, change_segment
from dragoman.engine import Engine
from dragoman.server import document_files, file_process
from dragoman.server.registry import ServedProject
from tests.server.editor import upload
from tests.server.support import Running

PAGE = b"<p>Close the lid. Wait for <b>3</b> minutes. Open it.</p><p>Ready.</p>"


@pytest.fixture
def project(tmp_path: Path) -> Iterator[ServedProject]:
    Engine.create(tmp_path / "p", source="en", target="es").close()
    found = ServedProject("p", tmp_path / "p")
    yield found
    found.close()


def added(project: ServedProject, data: bytes = PAGE, name: str = "page.html") -> int:
    return document_files.add_file(project, data, name)


def sources(project: ServedProject, document: int) -> list[tuple[int, str]]:
    return [(one.number, one.source) for one in project.documents.in_order(document)]


def confirm(project: ServedProject, document: int, number: int, target: str, user: str = "ana") -> None:
    change = SegmentChange(target=target, state="confirmed", force=True)
    change_segment(project, document, number, change, Author(user))


def delivered(project: ServedProject, document: int) -> bytes:
    """The file as the process that writes files makes it."""
    documents = project.documents
    rows = ((one.key, one.target, one.state) for one in documents.each(document))
    with TemporaryDirectory() as folder:
        file, targets, out = (Path(folder, name) for name in ("file", "targets", "out"))
        file.write_bytes(documents.data(document) or b"")
        targets.write_text("".join(f"{json.dumps(row)}\n" for row in rows), encoding="utf-8")
        about = {"file": file, "name": documents.document(document).name, "targets": targets, "out": out}
        steps = json.loads(json.dumps(documents.regroupings(document)))
        file_process.write(about | {"source": project.source, "target": project.target, "steps": steps})
        return out.read_bytes()


def test_merged_segments_are_one_and_delivered(project: ServedProject) -> None:
    document = added(project)
    confirm(project, document, 1, "Cierre la tapa.")
    confirm(project, document, 2, "Espere <b>3</b> minutos.")
    done = merges_and_splits.merge(project, document, 1, "ana")
    assert (done.segment.number, done.other) == (1, 2)
    assert done.segment.source == "Close the lid. Wait for <b>3</b> minutes."
    assert (done.segment.target, done.segment.state) == ("Cierre la tapa. Espere <b>3</b> minutos.", "translated")
    assert [number for number, _ in sources(project, document)] == [1, 3, 4]
    about = project.documents.document(document)
    assert (sum(about.states.values()), about.states["confirmed"], about.regrouped) == (3, 0, True)
    confirm(project, document, 1, "Tras cerrar la tapa, espere <b>3</b> minutos.")
    assert b"<p>Tras cerrar la tapa, espere <b>3</b> minutos. Open it.</p>" in delivered(project, document)


def test_the_parts_of_a_split_segment_are_delivered(project: ServedProject) -> None:
    document = added(project)
    done = merges_and_splits.split(project, document, 1, len("Close "), "ana")
    assert sources(project, document)[:3] == [(1, "Close"), (5, "the lid."), (2, "Wait for <b>3</b> minutes.")]
    confirm(project, document, 1, "Cierre")
    confirm(project, document, done.other, "ya la tapa.")
    assert b"<p>Cierre ya la tapa. Wait" in delivered(project, document)
    again = merges_and_splits.split(project, document, 1, 2, "ana")  # the file still knows where
    assert sources(project, document)[:3] == [(1, "Cl"), (again.other, "ose"), (5, "the lid.")]


def test_both_are_still_so_when_the_project_is_opened_again(tmp_path: Path) -> None:
    Engine.create(tmp_path / "p", source="en", target="es").close()
    first = ServedProject("p", tmp_path / "p")
    document = added(first)
    merges_and_splits.split(first, document, 2, len("Wait"), "ana")
    merges_and_splits.merge(first, document, 1, "ana")
    first.close()
    again = ServedProject("p", tmp_path / "p")
    assert sources(again, document) == [
        (1, "Close the lid. Wait"),
        (5, "for <b>3</b> minutes."),
        (3, "Open it."),
        (4, "Ready."),
    ]
    confirm(again, document, 1, "Cierre la tapa. Espere")
    assert b"<p>Cierre la tapa. Espere for <b>3</b>" in delivered(again, document)
    again.close()


def test_undo_and_redo_follow_each_other(project: ServedProject) -> None:
    document = added(project)
    confirm(project, document, 1, "Cierre la tapa.")
    before = [(one.number, one.source, one.target, one.state) for one in project.documents.in_order(document)]
    merges_and_splits.merge(project, document, 1, "ana")
    merged = sources(project, document)
    merges_and_splits.split(project, document, 3, len("Open"), "ana")
    both = sources(project, document)
    assert "splitting" in segment_undo.undo(project, document, "ana").what
    assert sources(project, document) == merged
    undone = segment_undo.undo(project, document, "ana")
    assert "merging" in undone.what
    assert undone.regrouped
    assert [(one.number, one.source, one.target, one.state) for one in project.documents.in_order(document)] == before
    assert project.documents.document(document).states["confirmed"] == 1
    assert not project.documents.document(document).regrouped
    for wanted in (merged, both):
        assert segment_undo.redo(project, document, "ana").regrouped
        assert sources(project, document) == wanted
    for _ in range(3):  # the confirmation before them, too
        segment_undo.undo(project, document, "ana")
    assert project.documents.segment(document, 1).state != "confirmed"
    assert b"Cierre" not in delivered(project, document)


def test_work_on_a_part_is_not_undone_with_the_split(project: ServedProject) -> None:
    document = added(project)
    done = merges_and_splits.split(project, document, 1, len("Close"), "ana")
    confirm(project, document, done.other, "la tapa.", "eva")
    with pytest.raises(Refusal, match="changed since"):
        segment_undo.undo(project, document, "ana")
    assert project.documents.segment(document, done.other).target == "la tapa."


def test_what_cannot_be_merged_is_refused_and_nothing_changes(project: ServedProject) -> None:
    document = added(project)
    before = sources(project, document)
    for number, code in ((3, "not-regrouped"), (4, "not-regrouped")):  # another paragraph; the last one
        with pytest.raises(Refusal) as error:
            merges_and_splits.merge(project, document, number, "ana")
        assert error.value.code == code
    with pytest.raises(Refusal) as conflict:
        merges_and_splits.merge(project, document, 1, "ana", version=7)
    assert conflict.value.code == "conflict"
    strings = added(project, b'{"a": "Close it. Wait."}', "a.json")
    with pytest.raises(Refusal, match="units of the file"):
        merges_and_splits.split(project, strings, 1, 5, "ana")
    assert sources(project, document) == before


def test_over_the_api_numbers_stay_and_the_order_is_told(server: Running) -> None:
    with server.client() as client:
        at = upload(client, "page.html", PAGE)
        done = client.post(f"{at}/segments/2/split", json={"at": 5, "target": "Espere"}).json()
        assert done["other"] == 5
        assert client.get(f"{at}/overview").json()["order"] == [1, 2, 5, 3, 4]
        shown = client.get(f"{at}/preview", params={"segment": 5}).json()
        assert [run["segment"] for run in shown["blocks"][0]["runs"] if run["kind"] == "segment"] == [1, 2, 5, 3]
        assert client.post(f"{at}/segments/3/merge", json={}).json()["error"]["code"] == "not-regrouped"
        texts = {"target": "Cierre.", "next_target": "Espere"}
        assert client.post(f"{at}/segments/1/merge", json=texts).status_code == 200
        assert client.get(f"{at}/segments/1").json()["target"] == "Cierre. Espere"
        assert client.get(f"{at}/segments/2").json()["error"]["code"] == "merged"
        late = client.put(
            f"{at}/segments/2", json={"target": "Espere ya", "state": "translated"}
        )  # from another window
        assert late.status_code == 410
        client.post(f"{at}/segments/2/versions", json={"target": "Espere, por favor"})
        kept = [each["target"] for each in client.get(f"{at}/segments/1/about").json()["history"]]
        assert kept[:2] == ["Espere, por favor", "Espere ya"]
        table = client.get(f"{at}/bilingual.html").text
        assert table.index(">1<") < table.index(">5<") < table.index(">3<")
        assert client.post(f"{at}/undo", json={}).json()["regrouped"] is True
        assert client.get(f"{at}/segments/2").json()["source"] == "Wait"
