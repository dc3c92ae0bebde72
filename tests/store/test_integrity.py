"""Damage is found wherever it is, and all that is whole is saved; a backup is what the project was."""

from __future__ import annotations

import os
import random
import shutil
import sqlite3
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import closing
from datetime import UTC, datetime, timedelta
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from dragoman.cli import app
from dragoman.editor.document_repair import check_documents, repair_documents
from dragoman.editor.document_store import DocumentStore
from dragoman.engine import Engine
from dragoman.errors import BadInputError, DamagedFileError
from dragoman.project.repair import repair
from dragoman.store import Row, backup
from dragoman.store.backup import make_backup, restore
from dragoman.store.integrity import Damage, check_store, whole_rows

PAIRS = [(f"Press button number {n}.", f"Pulse el botón número {n}.") for n in range(1, 31)]
START = datetime(2026, 5, 1, tzinfo=UTC)


@pytest.fixture(scope="module")
def original(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A project with corrections, one of them forgotten, a change of settings, a snapshot, and a document."""
    path = tmp_path_factory.mktemp("integrity") / "manual"
    with Engine.create(path, source="en", target="es") as engine:
        for n, (source, target) in enumerate(PAIRS):
            engine.learn(source, target, user="ana", time=START + timedelta(hours=n))
        engine.forget(3)
        engine.share = 0.7
    with closing(DocumentStore(path / "documents.db")) as documents:
        number = documents.add("page", [(str(n), *pair, "confirmed") for n, pair in enumerate(PAIRS)])
        for segment in documents.segments(number):
            documents.change(segment, correction=segment.number)
    return path


@pytest.fixture
def project(original: Path, tmp_path: Path) -> Path:
    shutil.copytree(original, tmp_path / "manual")
    return tmp_path / "manual"


def flipped(file: Path, at: int, bit: int = 0) -> None:
    data = bytearray(file.read_bytes())
    data[at] ^= 1 << bit
    file.write_bytes(data)


def damage(project: Path) -> list[Damage]:
    return [*check_store(project), *check_documents(project)]


def rows(project: Path) -> list[Row]:
    return [each for each in whole_rows(project / "journal.db") if isinstance(each, Row)]


def test_a_project_that_is_whole_has_no_damage(project: Path) -> None:
    assert damage(project) == []
    assert len(rows(project)) == len(PAIRS) + 2


def test_one_letter_in_a_row_is_found_and_everything_else_is_saved(project: Path, tmp_path: Path) -> None:
    file = project / "journal.db"
    file.write_bytes(file.read_bytes().replace(PAIRS[13][1].encode(), PAIRS[13][1].replace("Pulse", "Polsa").encode()))
    assert [str(each) for each in damage(project)] == ["journal.db: row 14 is not what was written"]
    saved = repair(Engine, project, tmp_path / "new")
    assert saved.lost == ["journal.db: row 14 is not what was written"]
    with Engine.open(tmp_path / "new", write=False) as engine:
        kept = [(row.source, row.target, row.user, row.time) for row in reversed(engine.history(limit=100))]
        assert engine.share == 0.7
    expected = [(*pair, "ana", START + timedelta(hours=n)) for n, pair in enumerate(PAIRS) if n not in (2, 13)]
    assert kept == expected


def test_a_damaged_checksum_loses_nothing(project: Path, tmp_path: Path) -> None:
    with closing(sqlite3.connect(project / "journal.db")) as connection:
        connection.execute("UPDATE journal SET digest = zeroblob(32) WHERE id = 5")
        connection.commit()
    assert len(rows(project)) == len(PAIRS) + 2
    assert repair(Engine, project, tmp_path / "new").lost == []


@pytest.mark.parametrize(
    ("written", "damaged"), [("{", "["), ('"format": 2', '"format": 3'), ('"checksum"', '"checksun"'), ("en", "eo")]
)
def test_a_damaged_description_costs_no_correction(written: str, damaged: str, project: Path, tmp_path: Path) -> None:
    file = project / "project.json"
    file.write_text(file.read_text(encoding="utf-8").replace(written, damaged, 1), encoding="utf-8")
    at = (project / "journal.db").read_bytes().index(PAIRS[13][1].encode())
    flipped(project / "journal.db", at)
    assert [each.where for each in damage(project)][:2] == ["project.json", "journal.db"]
    saved = repair(Engine, project, tmp_path / "new")
    assert (len(saved.learned), saved.lost) == (len(PAIRS) - 2, ["journal.db: row 14 is not what was written"])
    assert damage(tmp_path / "new") == []


def test_a_damaged_copy_of_the_description_is_named_and_written_again(project: Path) -> None:
    flipped(project / "project.json.copy", 30)
    assert [str(each) for each in damage(project)] == ["project.json.copy: is not what was written"]
    Engine.open(project).close()
    assert damage(project) == []


def test_documents_are_saved_without_segments_that_were_altered(project: Path, tmp_path: Path) -> None:
    file = project / "documents.db"
    file.write_bytes(file.read_bytes().replace(PAIRS[4][1].encode(), PAIRS[4][1].replace("Pulse", "Polsa").encode()))
    assert [str(each) for each in damage(project)] == ["documents.db: segment 5 of document 1 is not what was written"]
    (tmp_path / "new").mkdir()
    lost = list(repair_documents(project, tmp_path / "new", {n: 100 + n for n in range(1, 31) if n != 7}))
    assert len(lost) == 1
    with closing(DocumentStore(tmp_path / "new" / "documents.db")) as documents:
        found = {each.number: (each.target, each.state, each.correction) for each in documents.segments(1)}
    assert (found[1], found[5], found[7]) == (
        (PAIRS[0][1], "confirmed", 101),
        ("", "new", None),
        (PAIRS[6][1], "translated", None),
    )


def restored(path: Path) -> Iterator[tuple[str | None, str | None]]:
    with Engine.open(path, write=False) as engine:
        yield from ((row.source, row.target) for row in reversed(engine.history(limit=100)))


def test_a_backup_of_a_project_in_use_is_restored_as_it_was(project: Path, tmp_path: Path) -> None:
    file = tmp_path / "manual.zip"
    with Engine.open(project) as engine:
        engine.learn("Close the lid.", "Cierre la tapa.")
        made = make_backup(project, file)
        engine.learn("Open the lid.", "Abra la tapa.")
    assert restore(file, tmp_path / "new") == made.revision == len(PAIRS) + 3
    assert list(restored(tmp_path / "new"))[-1] == ("Close the lid.", "Cierre la tapa.")
    assert damage(tmp_path / "new") == []


def test_backing_up_and_restoring_say_how_far_they_are(project: Path, tmp_path: Path) -> None:
    told: list[tuple[str, int, int]] = []
    for work in (
        partial(make_backup, project, tmp_path / "manual.zip"),
        partial(restore, tmp_path / "manual.zip", tmp_path / "new"),
    ):
        told.clear()
        work(progress=lambda *how_far: told.append(how_far))
        assert [done for _, done, _ in told] == sorted(done for _, done, _ in told)
        assert told[-1][1] <= told[-1][2]
        assert told[-1][1] > 0.9 * told[-1][2]  # the manifest of a backup is not counted


def test_a_backup_is_restored_to_a_row(project: Path, tmp_path: Path) -> None:
    make_backup(project, tmp_path / "manual.zip")
    assert restore(tmp_path / "manual.zip", tmp_path / "new", 10) == 10
    assert list(restored(tmp_path / "new")) == PAIRS[:10]  # what was forgotten later is there again


def test_what_was_written_until_a_time_is_restored_whatever_the_corrections_own_times(tmp_path: Path) -> None:
    path, zipped = tmp_path / "manual", tmp_path / "manual.zip"
    with Engine.create(path, source="en", target="es") as engine:
        engine.learn(*PAIRS[0], time=datetime(2199, 1, 1, tzinfo=UTC))
        engine.learn(*PAIRS[1])
        before = datetime.now(UTC)
        engine.learn(*PAIRS[2], time=datetime(1999, 1, 1, tzinfo=UTC))
        engine.learn(*PAIRS[3])
    make_backup(path, zipped)
    assert restore(zipped, tmp_path / "earlier", before) == 2
    assert list(restored(tmp_path / "earlier")) == PAIRS[:2]
    assert restore(zipped, tmp_path / "now", datetime.now(UTC)) == 4
    assert restore(zipped, tmp_path / "new", START) == 0


def test_a_base_elsewhere_is_in_the_backup_and_the_restored_project_opens(tmp_path: Path) -> None:
    with Engine.create(tmp_path / "base", source="en", target="es") as engine:
        engine.train(PAIRS)
    with Engine.create(tmp_path / "manual", source="en", target="es", base=tmp_path / "base" / "base") as engine:
        engine.learn("Close the lid.", "Cierre la tapa.")
        expected = engine.translate(PAIRS[2][0]).text
    make_backup(tmp_path / "manual", tmp_path / "manual.zip")
    shutil.rmtree(tmp_path / "base")
    restore(tmp_path / "manual.zip", tmp_path / "new")
    assert damage(tmp_path / "new") == []
    with Engine.open(tmp_path / "new") as engine:
        assert engine.translate(PAIRS[2][0]).text == expected
        assert engine.translate("Close the lid.").text == "Cierre la tapa."


def test_every_directory_that_a_restore_makes_is_forced_to_disk(
    project: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    synced, sync, target = set(), os.fsync, tmp_path / "a" / "b" / "new"

    def watch(descriptor: int) -> None:
        synced.add(os.fstat(descriptor).st_ino)
        sync(descriptor)

    make_backup(project, tmp_path / "manual.zip")
    monkeypatch.setattr(os, "fsync", watch)
    restore(tmp_path / "manual.zip", target)
    made = [
        tmp_path,
        tmp_path / "a",
        tmp_path / "a" / "b",
        target,
        *(each for each in target.rglob("*") if each.is_dir()),
    ]
    assert [each for each in made if each.stat().st_ino not in synced] == []


def test_a_damaged_backup_is_refused_and_leaves_nothing(project: Path, tmp_path: Path) -> None:
    file = tmp_path / "manual.zip"
    make_backup(project, file)
    size = file.stat().st_size
    for at in (size // 4, size // 2):
        flipped(file, at)
        with pytest.raises(DamagedFileError):
            restore(file, tmp_path / "new")
        flipped(file, at)
    assert not (tmp_path / "new").exists()
    with pytest.raises(BadInputError, match="no row 99"):
        restore(file, tmp_path / "new", 99)


def test_an_interrupted_backup_leaves_the_one_before(
    project: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "manual.zip"
    make_backup(project, file)
    before = file.read_bytes()
    monkeypatch.setattr("dragoman.store.backup._write", lambda *_: (_ for _ in ()).throw(KeyboardInterrupt))
    with pytest.raises(KeyboardInterrupt):
        make_backup(project, file)
    assert file.read_bytes() == before


def test_checking_says_how_far_it_is(project: Path) -> None:
    told: list[tuple[int, int]] = []
    assert list(check_store(project, lambda _, done, total: told.append((done, total)))) == []
    assert told == [(number, len(told)) for number in range(1, len(told) + 1)]
    assert len(told) >= len(PAIRS)


def test_the_commands_check_back_up_restore_and_repair(
    project: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(project.parent)

    def run(*arguments: str) -> int:
        with pytest.raises(SystemExit) as ended:
            app(list(arguments))
        return int(ended.value.code or 0)

    assert [
        run("project", "check", "manual"),
        run("project", "backup", "manual", "m.zip"),
        run("project", "restore", "m.zip", "early", "--at", "2"),
    ] == [0, 0, 0]
    file = project / "journal.db"
    file.write_bytes(file.read_bytes().replace(b"button number 9.", b"button number 6."))
    assert [
        run("project", "check", "manual"),
        run("project", "repair", "manual", "saved"),
        run("project", "check", "saved"),
    ] == [1, 1, 0]
    said = capsys.readouterr()
    assert "early is restored up to row 2" in said.out
    assert "saved has 28 corrections; lost: 1" in said.out
    assert "row 9 is not what was written" in said.err


BACKING_UP = """
import sys
from pathlib import Path
from dragoman.store.backup import make_backup
while True:
    make_backup(Path(sys.argv[1]), Path(sys.argv[2]))
    print("made", flush=True)
"""


def test_a_backup_that_is_killed_leaves_a_whole_one(project: Path, tmp_path: Path) -> None:
    chance, file = random.Random(5), tmp_path / "manual.zip"
    for n in range(3):
        command = [sys.executable, "-c", BACKING_UP, str(project), str(file)]
        with subprocess.Popen(command, stdout=subprocess.PIPE) as process:
            assert process.stdout is not None
            for _ in range(chance.randrange(1, 6)):
                process.stdout.readline()
            threading.Event().wait(chance.random() / 50)  # somewhere in the middle of the next one
            process.kill()
        assert restore(file, tmp_path / str(n)) == len(PAIRS) + 2
        assert damage(tmp_path / str(n)) == []


def test_a_backup_removes_what_a_killed_one_left_and_not_what_another_is_making(
    project: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / ".backup-killed").mkdir()
    (tmp_path / ".backup-link").symlink_to(project)
    (project / "lock").write_text("as it was")
    make = backup._write

    def meanwhile(*given: Any) -> backup.Backup:
        backup.sweep(tmp_path)  # as another `dragoman project backup` into the same directory does
        return make(*given)

    monkeypatch.setattr(backup, "_write", meanwhile)
    make_backup(project, tmp_path / "m.zip")
    assert sorted(each.name for each in tmp_path.iterdir()) == [".backup-link", "m.zip", "manual"]
    assert (project / "lock").read_text() == "as it was"
    assert restore(tmp_path / "m.zip", tmp_path / "new") > 0


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="limits the size of files")
def test_a_backup_that_does_not_fit_ends_in_one_clear_line(project: Path, tmp_path: Path) -> None:
    limited = "import resource, sys; resource.setrlimit(resource.RLIMIT_FSIZE, (20_000, 20_000));"
    program = f"{limited} from dragoman.cli import main; sys.argv[0] = 'dragoman'; main()"
    made = subprocess.run(
        [sys.executable, "-c", program, "project", "backup", "manual", "m.zip"],
        cwd=tmp_path,
        capture_output=True,
        text=True,
    )
    assert (made.returncode, "Traceback" in made.stderr) == (2, False)
    assert ": cannot copy: disk I/O error; check the disk and its free space" in made.stderr
    assert [each.name for each in tmp_path.iterdir()] == [project.name]
