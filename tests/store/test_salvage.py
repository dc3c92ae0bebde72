"""Rows are found in the bytes of a damaged journal, all that are whole, and none that was deleted."""

from __future__ import annotations

import random
import shutil
import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest

from dragoman import sample
from dragoman.engine import Engine
from dragoman.errors import DamagedFileError
from dragoman.project.repair import Repaired, repair
from dragoman.store import Row
from dragoman.store.answers import AnswerEntry
from dragoman.store.backup import make_backup, restore
from dragoman.store.deliveries import Delivery
from dragoman.store.integrity import Damage, salvaged_rows, whole_rows
from dragoman.store.journal import Journal
from dragoman.store.lock import TakenError
from dragoman.store.raw_rows import RawRows
from dragoman.store.seal import heal, seal_of

PAGE = 4096
PAIRS = [(f"Press button number {n}.", f"Pulse el botón número {n}.") for n in range(1, 41)]


@pytest.fixture(scope="module")
def original(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("salvage") / "manual"
    with Engine.create(path, source="en", target="es") as engine:
        for source, target in PAIRS:
            engine.learn(source, target, user="ana")
        engine.forget(3)
        engine.share = 0.7
    return path


@pytest.fixture
def project(original: Path, tmp_path: Path) -> Path:
    shutil.copytree(original, tmp_path / "manual")
    return tmp_path / "manual"


def targets(project: Path) -> set[str]:
    with Engine.open(project, write=False) as engine:
        return {target for _, _, target in engine.memory_texts()}


def repaired(project: Path, new: Path) -> tuple[Repaired, set[str]]:
    """What `repair` says, and the targets that it lost."""
    result = repair(Engine, project, new)
    return result, {target for n, (_, target) in enumerate(PAIRS) if n != 2} - targets(new)


def edited(file: Path, edit: Callable[[bytearray], None]) -> None:
    data = bytearray(file.read_bytes())
    edit(data)
    file.write_bytes(data)


def test_the_bytes_hold_what_sqlite_reads(tmp_path: Path) -> None:
    """Random rows, some of many pages, some with the characters that are stored otherwise, revised and forgotten."""
    chance = random.Random(5)
    with closing(Journal.create(tmp_path / "journal.db")) as journal:
        for _ in range(300):
            text = "".join(chance.choice("aé語\0\ufdd0 \U0001f600") for _ in range(chance.choice([0, 3, 200, 9000])))
            numbers = chance.randbytes(chance.choice([0, 1, 500, 3000, 4060, 4061, 4100, 50_000]))
            user = chance.choice([None, "ana"])
            new = journal.append_learn("x" + text, text, contribution=chance.choice([None, numbers]), user=user)
            if chance.random() < 0.2:
                journal.append_revise(new, "y" + text, contribution=numbers)
            elif chance.random() < 0.1:
                journal.append_settings({"share": chance.random()})
        for form in ("in the log", "in the file"):
            with RawRows(tmp_path / "journal.db") as raw, closing(sqlite3.connect(tmp_path / "journal.db")) as reading:
                assert raw.ids() == [number for (number,) in reading.execute("SELECT id FROM journal ORDER BY id")]
            assert list(salvaged_rows(tmp_path / "journal.db")) == list(journal.rows()), form
            with closing(sqlite3.connect(tmp_path / "journal.db")) as writing:
                writing.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        expected = [row.digest for row in journal.rows()]
        edited(tmp_path / "journal.db", lambda data: data.__setitem__(16, 0x20))  # now it says that pages are larger
        assert [each.digest for each in salvaged_rows(tmp_path / "journal.db") if isinstance(each, Row)] == expected


@pytest.mark.parametrize("bits", [1, 3])
def test_a_sealed_file_is_healed_of_a_flipped_bit(bits: int, project: Path) -> None:
    file = project / "journal.db"
    before = file.read_bytes()

    def edit(data: bytearray) -> None:
        for bit in range(bits):
            data[5 * PAGE // 2] ^= 1 << bit

    edited(file, edit)
    assert heal(file) == ([3] if bits == 1 else [])
    assert (file.read_bytes() == before) == (bits == 1)


def test_repair_heals_a_copy_and_leaves_the_file_as_it_is(project: Path, tmp_path: Path) -> None:
    file = project / "journal.db"
    edited(file, lambda data: data.__setitem__(100, data[100] ^ 8))
    before = file.read_bytes()
    result, lost = repaired(project, tmp_path / "new")
    assert (result.lost, result.unchecked, lost) == ([], [], set())
    assert file.read_bytes() == before


@pytest.mark.parametrize("at", [0, 16, 17, 18, 28, 100, 103, 105, 120])
def test_without_a_seal_a_damaged_first_page_costs_nothing(at: int, project: Path, tmp_path: Path) -> None:
    seal_of(project / "journal.db").unlink()
    edited(project / "journal.db", lambda data: data.__setitem__(at, data[at] ^ 0x55))
    result, lost = repaired(project, tmp_path / "new")
    assert (result.lost, result.unchecked, lost) == ([], [], set())
    assert result.settings == 1


def test_any_flip_in_an_unsealed_journal_costs_at_most_its_own_row(project: Path) -> None:
    file, chance = project / "journal.db", random.Random(11)
    seal_of(file).unlink()
    whole = file.read_bytes()
    every = {row.target for row in whole_rows(file) if isinstance(row, Row)}
    for _ in range(400):
        at, bit = chance.randrange(len(whole)), chance.randrange(8)
        file.write_bytes(whole)
        edited(file, lambda data, at=at, bit=bit: data.__setitem__(at, data[at] ^ 1 << bit))  # type: ignore[misc]
        found = [each for each in salvaged_rows(file) if not isinstance(each, Damage)]
        kept = {each.target if isinstance(each, Row) else each.row.target for each in found}
        assert kept <= every, (at, bit)
        assert len(every - kept) <= 1, (at, bit, every - kept)


def test_a_row_that_has_taken_the_number_of_another_costs_neither(project: Path, tmp_path: Path) -> None:
    file = project / "journal.db"
    seal_of(file).unlink()
    with RawRows(file) as raw:
        (cell,) = raw._cells[16]
    edited(file, lambda data: data.__setitem__((cell.page - 1) * PAGE + cell.at - 2, 17))
    result, lost = repaired(project, tmp_path / "new")
    assert (result.lost, lost) == ([], set())


def test_a_page_of_garbage_costs_its_rows_and_names_them(project: Path, tmp_path: Path) -> None:
    file = project / "journal.db"
    seal_of(file).unlink()
    with RawRows(file) as raw:
        page = next(n for n in range(2, 200) if any(cell.page == n for cell in raw._cells[20]))
        theirs = {number for number, cells in raw._cells.items() if any(cell.page == page for cell in cells)}
    edited(file, lambda data: data.__setitem__(slice((page - 1) * PAGE, page * PAGE), random.Random(1).randbytes(PAGE)))
    result, lost = repaired(project, tmp_path / "new")
    assert lost == {PAIRS[number - 1][1] for number in theirs if number <= len(PAIRS)}
    first, last = min(theirs), max(theirs)
    named = f"row {first} is lost" if first == last else f"rows {first} to {last} are lost"
    assert result.lost == [f"journal.db: {named}"]
    assert result.unchecked == [f"row {last + 1} could not be checked: the row before it is not whole"]


def test_a_correction_whose_forgetting_is_lost_stays_forgotten(project: Path, tmp_path: Path) -> None:
    file = project / "journal.db"
    seal_of(file).unlink()
    with RawRows(file) as raw:
        (cell,) = raw._cells[41]
    edited(file, lambda data: data.__setitem__((cell.page - 1) * PAGE + cell.at + 1, 9))
    result, lost = repaired(project, tmp_path / "new")
    assert (result.lost, lost) == (["journal.db: row 41 is lost"], set())
    assert PAIRS[2][1] not in targets(tmp_path / "new")


def test_rows_that_were_cut_off_do_not_come_back(project: Path, tmp_path: Path) -> None:
    make_backup(project, tmp_path / "m.zip")
    early = tmp_path / "early"
    restore(tmp_path / "m.zip", early, at=20)
    with Engine.open(early) as engine:
        engine.learn("Lift the lid.", "Levante la tapa.")
    seal_of(early / "journal.db").unlink()
    edited(early / "journal.db", lambda data: data.__setitem__(100, data[100] ^ 8))
    result = repair(Engine, early, tmp_path / "new")
    assert (result.lost, result.unchecked) == ([], [])
    assert targets(tmp_path / "new") == {target for _, target in PAIRS[:20]} | {"Levante la tapa."}


@pytest.mark.parametrize("left", [0.0, 0.5, 1.0])
def test_rows_that_were_cut_off_by_damage_are_named(left: float, project: Path, tmp_path: Path) -> None:
    file = project / "journal.db"
    seal_of(file).unlink()
    edited(file, lambda data: data.__delitem__(slice(min(int(len(data) * left), len(data) - 1), None)))
    result, lost = repaired(project, tmp_path / "new")
    assert (result.lost != []) == (lost != set())
    if 0 < left < 1:
        assert "to 42 are lost" in result.lost[-1]


def test_a_journal_that_is_gone_is_named(project: Path, tmp_path: Path) -> None:
    (project / "journal.db").unlink()
    result, lost = repaired(project, tmp_path / "new")
    assert "journal.db: unable to open database file" in result.lost
    assert len(lost) == len(PAIRS) - 1


def test_a_page_size_that_was_altered_costs_nothing(project: Path, tmp_path: Path) -> None:
    seal_of(project / "journal.db").unlink()
    edited(project / "journal.db", lambda data: data.__setitem__(16, 0x20))
    result, lost = repaired(project, tmp_path / "new")
    assert (result.lost, lost) == ([], set())


def test_a_row_after_one_whose_digest_is_damaged_too_is_saved_as_it_stands(project: Path, tmp_path: Path) -> None:
    file = project / "journal.db"
    seal_of(file).unlink()
    with RawRows(file) as raw:
        (row,) = raw.get(20)

    def edit(data: bytearray) -> None:
        for part in (row["digest"], row["target"].encode()):
            data[data.index(part) + 9] ^= 1

    edited(file, edit)
    result, lost = repaired(project, tmp_path / "new")
    assert lost == {PAIRS[19][1]}
    assert result.lost == ["journal.db: row 20 is not what was written"]
    assert result.unchecked == ["row 21 could not be checked: the row before it is not whole"]


def test_copies_that_sqlite_left_between_rows_do_not_come_back(project: Path, tmp_path: Path) -> None:
    """Some builds of SQLite overwrite nothing: what was moved within a page is still there."""
    file = project / "journal.db"
    with RawRows(file) as raw:
        (cell,) = raw._cells[40]
        page = raw._page(cell.page)
    copy = page[cell.at - 4 : cell.at + 400]

    def edit(data: bytearray) -> None:
        room = next(at for at in range(PAGE, len(data), PAGE) if data[at] == 13 and not any(data[at + 40 :][:500]))
        data[room + 60 : room + 60 + len(copy)] = copy

    edited(file, edit)
    make_backup(project, tmp_path / "m.zip")
    restore(tmp_path / "m.zip", tmp_path / "early", at=20)
    assert PAIRS[39][1].encode() not in (tmp_path / "early" / "journal.db").read_bytes()


def test_repair_takes_answers_deliveries_and_a_base_along(tmp_path: Path) -> None:
    old, new = tmp_path / "old", tmp_path / "new"
    with Engine.create(old, source="en", target="es") as engine:
        engine.train(sample.pairs()[:50])
        gone = engine.learn("Lift the lid.", "Levante la tapa.", delivery=Delivery("a", "lid", 1))
        engine.learn("Close the lid.", "Cierre la tapa.", delivery=Delivery("b", "lid", 2))
        engine.forget(gone)
        engine.opened.store.answers.keep("ct2:nmt", "1", [AnswerEntry("Open it.", "", '["Abra."]')])
        engine.opened.store.answers.spend("ct2:nmt", 3, 40)
    with Engine.open(old, write=False) as engine:
        engine.opened.store.answers.keep("ct2:nmt", "2", [AnswerEntry("Shut it.", "", '["Cierre."]')])
    repair(Engine, old, new)
    shutil.rmtree(old)
    with Engine.open(new) as engine:
        answers = engine.opened.store.answers
        assert [each.answer for each in answers.entries("ct2:nmt")] == ['["Abra."]', '["Cierre."]']
        assert answers.spent("ct2:nmt") == (3, 40)
        assert engine.learn("Close the lid.", "Cierre la tapa.", delivery=Delivery("b", "lid", 2)) == 1
        assert (new / "base").is_dir()


def test_a_project_that_is_being_written_is_not_repaired(project: Path, tmp_path: Path) -> None:
    with Engine.open(project), pytest.raises(TakenError, match="is open for writing"):
        repair(Engine, project, tmp_path / "new")


def test_a_damaged_base_is_named_with_what_to_give_instead(tmp_path: Path) -> None:
    old, new = tmp_path / "old", tmp_path / "new"
    with Engine.create(old, source="en", target="es") as engine:
        engine.train(sample.pairs()[:20])
        engine.learn(*PAIRS[0])
    shutil.copytree(old / "base", tmp_path / "whole")
    largest = max((old / "base").glob("*.npy"), key=lambda file: file.stat().st_size)
    edited(largest, lambda data: data.__setitem__(len(data) // 2, data[len(data) // 2] ^ 1))
    with pytest.raises(DamagedFileError, match=r"old/base: the base is damaged: .*; give a whole one with `--base`"):
        repair(Engine, old, new)
    assert repair(Engine, old, new, base=tmp_path / "whole").learned == {1: 1}
