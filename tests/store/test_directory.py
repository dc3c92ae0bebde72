"""The project directory: made whole, written by one at a time, of a known format, with snapshots that belong to it."""

from __future__ import annotations

import json
import os
import shutil
import socket
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from dragoman.errors import BadInputError, DamagedFileError, StorageError
from dragoman.files import write_arrays
from dragoman.store import Project, description

if TYPE_CHECKING:
    from tests.store.postgresql import Server


def create(path: Path, **options: Any) -> Project:
    return Project.create(path, {"order": 5}, source="en", target="es", **options)


def make_base(path: Path, number: int = 1) -> Path:
    write_arrays(path, {"counts": np.arange(number)}, {"kind": "base"})
    return path


def test_what_was_created_is_opened(tmp_path: Path) -> None:
    with create(tmp_path / "new" / "project") as made:
        made.journal.append_learn("a", "b")
    with Project.open(str(tmp_path / "new" / "project")) as found:
        assert (found.source, found.target, found.settings, found.find_base()) == ("en", "es", {"order": 5}, None)
        assert found.journal.last_id == 1
        with pytest.raises(BadInputError, match="for reading only"):
            found.journal.append_learn("a", "b")
        with pytest.raises(BadInputError, match="for reading only"):
            found.set_base(make_base(tmp_path / "base"))
    names = {path.name for path in (tmp_path / "new" / "project").iterdir()}
    assert names == {"project.json", "project.json.copy", "journal.db", "journal.db.head", "snapshots", "lock"}


def test_a_project_can_be_moved(tmp_path: Path) -> None:
    with create(tmp_path / "one") as made:
        made.journal.append_learn("a", "b")
        made.save_snapshot(1, {"a": np.arange(3)}, {})
    shutil.move(tmp_path / "one", tmp_path / "two")
    with Project.open(tmp_path / "two", write=True) as found:
        assert found.journal.append_learn("a", "b") == 2
        assert found.newest_snapshot()[1] == []


def test_an_empty_directory_is_filled_and_any_other_refused(tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    create(tmp_path / "empty").close()
    before = sorted(path.name for path in (tmp_path / "empty").iterdir())
    (tmp_path / "file").write_text("something")
    for path in (tmp_path / "empty", tmp_path / "file"):
        with pytest.raises(BadInputError, match="is not an empty directory"):
            create(path)
    assert sorted(path.name for path in (tmp_path / "empty").iterdir()) == before
    assert sorted(path.name for path in tmp_path.iterdir()) == ["empty", "file"]


@pytest.mark.parametrize("failure", ["settings", "journal", "rename", "base", "place"])
def test_nothing_is_left_of_one_that_could_not_be_created(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, failure: str
) -> None:
    options: dict[str, Any] = {}
    settings: dict[str, Any] = {}
    path = tmp_path / "new" / "project"
    if failure == "settings":
        settings = {"function": print}
    elif failure == "journal":
        options["journal"] = f"postgresql://ana@/x?host={tmp_path}"
    elif failure == "base":
        options["base"] = tmp_path / "base"
    elif failure == "place":
        (tmp_path / "file").write_text("in the way")
        path = tmp_path / "file" / "project"
    else:
        monkeypatch.setattr(Path, "rename", lambda *_: os.rename("", ""))  # noqa: PTH104 (Path.rename is what fails)
    before = sorted(tmp_path.rglob("*"))
    with pytest.raises((BadInputError, StorageError)):
        Project.create(path, settings, source="en", target="es", **options)
    assert sorted(tmp_path.rglob("*")) == before


def test_what_is_no_project_is_refused_and_left_alone(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("something")
    for path in (tmp_path, tmp_path / "nowhere", tmp_path / "file"):
        with pytest.raises(BadInputError, match="is not a dragoman project"):
            Project.open(path, write=True)
    assert [path.name for path in tmp_path.iterdir()] == ["file"]


@pytest.mark.parametrize(
    "text", ["{", "[]", "{}", '{"format": "x"}', '{"format": 1}', '{"format": true}', '{"format": 0}', "[" * 200_000]
)
def test_a_damaged_description_is_named(tmp_path: Path, text: str) -> None:
    create(tmp_path / "p").close()
    (tmp_path / "p" / "project.json").write_text(text)
    with pytest.raises(DamagedFileError, match=r"project\.json: .*restore it from a copy"):
        Project.open(tmp_path / "p")


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("source", None),
        ("target", "not a language"),
        ("settings", []),
        ("journal", 5),
        ("base", "base"),
        ("base", {"path": 1, "checksum": "x"}),
    ],
)
def test_an_odd_value_in_the_description_is_named(tmp_path: Path, field: str, value: object) -> None:
    create(tmp_path / "p").close()
    file = tmp_path / "p" / "project.json"
    file.write_text(json.dumps(json.loads(file.read_text()) | {field: value}))
    for write in (False, True):
        with pytest.raises(DamagedFileError, match=rf"project\.json: has an invalid {field}; restore"):
            Project.open(tmp_path / "p", write=write)


def test_a_description_that_cannot_be_read_is_a_clear_error(tmp_path: Path) -> None:
    create(tmp_path / "p").close()
    (tmp_path / "p" / "project.json").unlink()
    (tmp_path / "p" / "project.json").mkdir()
    with pytest.raises(StorageError, match=r"project\.json: cannot read: is a directory"):
        Project.open(tmp_path / "p")


def test_a_second_writer_is_told_who_is_the_first_and_readers_are_welcome(tmp_path: Path) -> None:
    path = tmp_path / "p"
    with create(path) as first:
        with pytest.raises(
            BadInputError, match=f"by process {os.getpid()} on {socket.gethostname()}, which is this one"
        ):
            Project.open(path, write=True)
        with Project.open(path) as reader:
            first.journal.append_learn("a", "b")
            assert reader.journal.last_id == 1
        program = "import sys; from dragoman.store import Project; Project.open(sys.argv[1], write=True)"
        done = subprocess.run([sys.executable, "-c", program, str(path)], capture_output=True, text=True)
        assert f"is open for writing by process {os.getpid()} on" in done.stderr
    with Project.open(path, write=True) as second:
        assert second.journal.last_id == 1


def test_an_opening_that_fails_leaves_no_lock(tmp_path: Path) -> None:
    path = tmp_path / "p"
    create(path).close()
    (path / "journal.db").rename(path / "elsewhere")
    with pytest.raises(DamagedFileError, match="the journal is missing"):
        Project.open(path, write=True)
    (path / "elsewhere").rename(path / "journal.db")
    Project.open(path, write=True).close()


def test_an_older_format_is_brought_up_to_date_step_by_step(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "p"
    create(path).close()

    def second(directory: Path, description: dict[str, Any]) -> dict[str, Any]:
        (directory / "second").touch()
        return description | {"settings": description["settings"] | {"second": True}}

    def third(_: Path, description: dict[str, Any]) -> dict[str, Any]:
        if failing:
            raise StorageError("the disk is full")
        return description | {"settings": description["settings"] | {"third": description["settings"]["second"]}}

    file = path / "project.json"
    file.write_text(file.read_text().replace(f'"format": {description.FORMAT}', '"format": 1'))
    monkeypatch.setattr(description, "FORMAT", 3)
    monkeypatch.setattr(description, "MIGRATIONS", {1: second, 2: third})
    with pytest.raises(BadInputError, match=r"has the old format 1; .* open it for writing once"):
        Project.open(path)
    failing = True
    with pytest.raises(StorageError):
        Project.open(path, write=True)
    assert json.loads((path / "project.json").read_text())["format"] == 2
    failing = False
    with Project.open(path, write=True) as found:
        assert found.settings == {"order": 5, "second": True, "third": True}
    with Project.open(path) as found:
        assert found.settings == {"order": 5, "second": True, "third": True}


def test_a_newer_format_is_refused(tmp_path: Path) -> None:
    create(tmp_path / "p").close()
    file = tmp_path / "p" / "project.json"
    file.write_text(file.read_text().replace(f'"format": {description.FORMAT}', '"format": 99'))
    for write in (False, True):
        with pytest.raises(BadInputError, match=r"has format 99.*install a newer dragoman"):
            Project.open(tmp_path / "p", write=write)


def test_a_base_must_stay_the_same(tmp_path: Path) -> None:
    base = make_base(tmp_path / "base")
    create(tmp_path / "p", base=base).close()
    with Project.open(tmp_path / "p", write=True) as found:
        assert found.find_base() == base
        make_base(base, 2)
        with pytest.raises(DamagedFileError, match="is not the base this project was created with"):
            found.find_base()
        shutil.rmtree(base)
        with pytest.raises(BadInputError, match="there is no base here"):
            found.find_base()


def test_a_base_can_be_set_until_there_are_corrections(tmp_path: Path) -> None:
    with create(tmp_path / "p") as found:
        found.journal.append_settings({})
        found.save_snapshot(1, {"a": np.arange(3)}, {})
        found.set_base(make_base(tmp_path / "p" / "base"))
        snapshot, warnings = found.newest_snapshot()
        assert snapshot is None
        assert warnings == ["snapshot 1 skipped: it was made over another base"]
        found.journal.append_learn("a", "b")
        with pytest.raises(BadInputError, match="has corrections made without this base"):
            found.set_base(make_base(tmp_path / "another"))
    shutil.move(tmp_path / "p", tmp_path / "q")
    with Project.open(tmp_path / "q") as found:  # a base inside moves with it
        assert found.find_base() == tmp_path / "q" / "base"


def test_snapshots_of_a_journal_that_was_lost_are_passed_over(tmp_path: Path) -> None:
    path = tmp_path / "p"
    with create(path) as found:
        found.save_snapshot(found.journal.append_learn("a", "b"), {"a": np.arange(1)}, {})
    shutil.copy(path / "journal.db", tmp_path)
    with Project.open(path, write=True) as found:
        for number in (2, 3):
            found.save_snapshot(found.journal.append_learn("lost", "b"), {"a": np.arange(number)}, {})
    shutil.copy(tmp_path / "journal.db", path)  # an old copy is brought back, and life goes on from there
    (path / "journal.db.head").unlink()
    with Project.open(path, write=True) as found:
        found.journal.append_learn("c", "d")
        snapshot, warnings = found.newest_snapshot()
    assert snapshot
    assert snapshot.id == 1
    assert warnings == [
        "snapshot 3 skipped: the journal ends at row 2",
        "snapshot 2 skipped: it was made of another journal",
    ]


def test_a_journal_in_postgresql(postgresql: Server, tmp_path: Path) -> None:
    url = postgresql.schema("project")
    with create(tmp_path / "p", journal=url) as found:
        found.journal.append_learn("a", "b")
        found.save_snapshot(1, {"a": np.arange(3)}, {})
    with Project.open(tmp_path / "p", write=True) as found:
        snapshot, _ = found.newest_snapshot()
        assert snapshot
        assert snapshot.id == 1
        assert found.journal.append_learn("c", "d") == 2
    assert not (tmp_path / "p" / "journal.db").exists()
    with pytest.raises(BadInputError, match="there is already a journal here"):
        create(tmp_path / "q", journal=url)
    assert not (tmp_path / "q").exists()


def test_nothing_is_left_in_postgresql_either(
    postgresql: Server, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    url = postgresql.schema("failure")
    with monkeypatch.context() as patch:
        patch.setattr(Path, "rename", lambda *_: os.rename("", ""))  # noqa: PTH104 (Path.rename is what fails)
        with pytest.raises(StorageError, match="cannot write"):
            create(tmp_path / "p", journal=url)
    create(tmp_path / "p", journal=url).close()


def test_a_project_of_the_first_format_is_read_as_it_is_and_upgraded_when_written(tmp_path: Path) -> None:
    create(tmp_path / "p").close()
    file = tmp_path / "p" / "project.json"
    file.write_text(file.read_text().replace(f'"format": {description.FORMAT}', '"format": 1'))
    Project.open(tmp_path / "p").close()
    assert json.loads(file.read_text())["format"] == 1
    Project.open(tmp_path / "p", write=True).close()
    assert json.loads(file.read_text())["format"] == description.FORMAT
