"""A journal that has lost rows it had acknowledged is refused, with what to do; a kill is no loss."""

from __future__ import annotations

import json
import shutil
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from dragoman.engine import Engine
from dragoman.errors import DamagedFileError
from dragoman.project.repair import repair
from dragoman.store.answers import AnswerEntry
from dragoman.store.deliveries import Delivery
from dragoman.store.head import Head, head_of, read_head, write_head
from dragoman.store.integrity import check_store
from dragoman.store.journal import Journal
from dragoman.store.journal_file import JournalFile
from dragoman.store.lock import TakenError

REMEDY = r"acknowledged rows are gone: row 10 .*a backup \(`dragoman project restore`\) or a replica"


@pytest.fixture
def killed(tmp_path: Path) -> Path:
    """A journal as it is when its process is killed after ten rows, most of them in SQLite's log."""
    with Journal.create(tmp_path / "journal.db") as journal:
        for _ in range(10):
            journal.append_learn("source", "target", contribution=bytes(2000))
        shutil.copytree(tmp_path, tmp_path / "copy")
    return tmp_path / "copy" / "journal.db"


def lose(file: Path, how: str) -> None:
    """Take acknowledged rows away, as a disk or a person might."""
    log = file.with_name("journal.db-wal")
    if how == "log cut":
        log.write_bytes(log.read_bytes()[:-9000])
    elif how == "bit flipped":
        data = bytearray(log.read_bytes())
        data[len(data) // 2] ^= 1
        log.write_bytes(data)
    else:
        with closing(sqlite3.connect(file)) as connection:
            connection.execute("DELETE FROM journal WHERE id > 6")
            connection.commit()


@pytest.mark.parametrize("how", ["log cut", "bit flipped", "rows deleted"])
def test_acknowledged_rows_that_are_gone_are_noticed_and_the_remedy_is_told(how: str, killed: Path) -> None:
    lose(killed, how)
    for opening in (Journal, JournalFile, lambda file: Journal(file, write=True)):
        with pytest.raises(DamagedFileError, match=REMEDY):
            opening(killed)
    head_of(killed).unlink()  # whoever wants to go on without them
    with Journal(killed, write=True) as journal:
        assert journal.append_learn("source", "target") <= 11
    with Journal(killed) as journal:
        assert read_head(killed) == Head(journal.last_id, journal.digest(journal.last_id))


def test_another_journal_in_its_place_is_noticed(killed: Path, tmp_path: Path) -> None:
    (tmp_path / "other").mkdir()
    with Journal.create(tmp_path / "other" / "journal.db") as journal:
        for _ in range(12):
            journal.append_learn("another", "journal")
    shutil.copy(tmp_path / "other" / "journal.db", killed)
    killed.with_name("journal.db-wal").unlink()
    with pytest.raises(DamagedFileError, match="row 10 is not the one that was acknowledged"):
        JournalFile(killed)


@pytest.mark.parametrize("behind", [0, 1, 9, 10])
def test_a_kill_between_a_row_and_its_head_is_no_loss(behind: int, killed: Path) -> None:
    with closing(JournalFile(killed)) as journal:
        row = 10 - behind
        head_of(killed).unlink()
        if row:
            write_head(killed, Head(row, journal.digest(row)))
    with Journal(killed, write=True) as journal:
        assert journal.append_learn("source", "target") == 11
    assert read_head(killed) is not None


@pytest.mark.parametrize("left", [b"", b"0" * 20, bytes(95), b"\xff" * 95])
def test_a_head_that_is_half_written_is_not_relied_on(left: bytes, killed: Path) -> None:
    head_of(killed).write_bytes(left)
    with Journal(killed, write=True) as journal:
        assert journal.last_id == 10
        journal.append_learn("source", "target")
    assert read_head(killed).id == 11  # type: ignore[union-attr]


def test_a_journal_without_a_head_opens_and_gets_one(killed: Path) -> None:
    head_of(killed).unlink()
    with Journal(killed, write=True) as journal:
        journal.append_forget(3)
        assert read_head(killed) == Head(11, journal.digest(11))


def test_a_project_that_is_thrown_away_keeps_no_head(tmp_path: Path) -> None:
    with Journal.create(tmp_path / "journal.db") as journal:
        journal.append_learn("source", "target")
        journal.sync_lazily()
        journal.append_learn("source", "target")
    assert not head_of(tmp_path / "journal.db").exists()


@pytest.mark.kernels
def test_check_names_what_is_gone_and_repair_saves_the_rest(tmp_path: Path) -> None:
    path = tmp_path / "manual"
    with Engine.create(path, source="en", target="es") as engine:
        for n in range(10):
            engine.learn(f"Press button {n}.", f"Pulse el botón {n}.")
    lose(path / "journal.db", "rows deleted")
    gone = "journal.db: acknowledged rows are gone: row 10 was the last, and is not here"
    assert [str(each) for each in check_store(path)] == [gone]
    with pytest.raises(DamagedFileError, match="acknowledged rows are gone"):
        Engine.open(path)
    saved = repair(Engine, path, tmp_path / "new")
    assert (len(saved.learned), saved.lost) == (6, [gone])
    with Engine.open(tmp_path / "new") as engine:
        assert engine.correction_count == 6


@pytest.mark.kernels
def test_repair_takes_answers_deliveries_and_a_base_along(tmp_path: Path) -> None:
    old, new = tmp_path / "old", tmp_path / "new"
    with Engine.create(old, source="en", target="es") as engine:
        engine.train([("Lift the lid.", "Levante la tapa."), ("Close the lid.", "Cierre la tapa.")])
        gone = engine.learn("Lift the lid.", "Levante la tapa.", delivery=Delivery("a", "lid", 1))
        engine.learn("Close the lid.", "Cierre la tapa.", delivery=Delivery("b", "lid", 2))
        engine.forget(gone)
        engine.opened.store.answers.keep("ct2:nmt", "1", [AnswerEntry("Open it.", "", json.dumps(["Abra."]))])
        engine.opened.store.answers.spend("ct2:nmt", 3, 40)
        with pytest.raises(TakenError, match="is open for writing"):
            repair(Engine, old, new)
    with Engine.open(old, write=False) as engine:
        engine.opened.store.answers.keep("ct2:nmt", "2", [AnswerEntry("Shut it.", "", json.dumps(["Cierre."]))])
    repair(Engine, old, new)
    shutil.rmtree(old)
    with Engine.open(new) as engine:
        answers = engine.opened.store.answers
        assert [each.answer for each in answers.entries("ct2:nmt")] == ['["Abra."]', '["Cierre."]']
        assert answers.spent("ct2:nmt") == (3, 40)
        assert engine.learn("Close the lid.", "Cierre la tapa.", delivery=Delivery("b", "lid", 2)) == 1
        assert (new / "base").is_dir()


@pytest.mark.kernels
def test_a_damaged_base_is_named_with_what_to_give_instead(tmp_path: Path) -> None:
    old, new = tmp_path / "old", tmp_path / "new"
    with Engine.create(old, source="en", target="es") as engine:
        engine.train([("Lift the lid.", "Levante la tapa."), ("Close the lid.", "Cierre la tapa.")])
        engine.learn("Press button 1.", "Pulse el botón 1.")
    shutil.copytree(old / "base", tmp_path / "whole")
    largest = max((old / "base").glob("*.npy"), key=lambda file: file.stat().st_size)
    data = bytearray(largest.read_bytes())
    data[len(data) // 2] ^= 1
    largest.write_bytes(data)
    with pytest.raises(DamagedFileError, match=r"old/base: the base is damaged: .*; give a whole one with `--base`"):
        repair(Engine, old, new)
    assert repair(Engine, old, new, base=tmp_path / "whole").learned == {1: 1}
