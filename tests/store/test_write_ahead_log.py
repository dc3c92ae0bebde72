"""The log that a killed process leaves is read without SQLite: what follows a damaged byte is not lost."""

from __future__ import annotations

import random
import shutil
import sqlite3
import struct
from contextlib import closing
from pathlib import Path

import pytest

from dragoman.editor.document_repair import check_documents, repair_documents
from dragoman.editor.document_store import DocumentStore
from dragoman.engine import Engine
from dragoman.errors import DamagedFileError
from dragoman.project.repair import repair
from dragoman.store.integrity import check_store
from dragoman.store.write_ahead_log import _checksum, find_log_damage, log_of, read_log

PAIRS = [(f"Press button number {n}.", f"Pulse el botón número {n}.") for n in range(1, 21)]


@pytest.fixture(scope="module")
def killed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A project as it is when its process is killed."""
    folder = tmp_path_factory.mktemp("log")
    documents = folder / "open" / "documents.db"
    with Engine.create(folder / "open", source="en", target="es") as engine, closing(DocumentStore(documents)) as store:
        for source, target in PAIRS:
            engine.learn(source, target, user="ana")
            store.add(source, [("1", source, target, "confirmed")])
        shutil.copytree(folder / "open", folder / "killed")
    return folder / "killed"


@pytest.fixture
def project(killed: Path, tmp_path: Path) -> Path:
    shutil.copytree(killed, tmp_path / "manual")
    return tmp_path / "manual"


def flipped(file: Path, at: int, bit: int = 0) -> None:
    data = bytearray(file.read_bytes())
    data[at] ^= 1 << bit
    file.write_bytes(data)


def targets(project: Path) -> set[str]:
    with Engine.open(project, write=False) as engine:
        return {target for _, _, target in engine.memory_texts()}


@pytest.mark.parametrize("order", "<>")
def test_checksums_are_those_of_the_definition(order: str) -> None:
    data, (first, second) = random.Random(2).randbytes(4104), (5, 1 << 31)
    expected = first, second
    for one, other in struct.iter_unpack(f"{order}II", data):
        first = (first + one + second) % (1 << 32)
        second = (second + other + first) % (1 << 32)
    assert _checksum(expected, data, order) == (first, second)


def test_a_whole_log_is_read_as_sqlite_reads_it(project: Path) -> None:
    file = project / "journal.db"
    pages = read_log(file).pages()
    assert not read_log(file).beyond
    with closing(sqlite3.connect(file)) as connection:
        connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    data = file.read_bytes()
    assert pages == {number: data[(number - 1) * 4096 : number * 4096] for number in pages}


@pytest.mark.parametrize("bits", [1, 3])
def test_any_damage_in_a_log_is_found_and_costs_at_most_its_own_row(bits: int, project: Path, tmp_path: Path) -> None:
    log, chance = log_of(project / "journal.db"), random.Random(4)
    whole = log.read_bytes()
    for n, at in enumerate([5, 17, 25, 32, 40, 48, *(chance.randrange(len(whole)) for _ in range(6))]):
        log.write_bytes(whole)
        for bit in range(bits):
            flipped(log, at, bit)
        before = log.read_bytes()
        assert [each.where for each in check_store(project)][:1] == ["journal.db-wal"]
        assert log.read_bytes() == before  # looking at it has not destroyed it
        repair(Engine, project, tmp_path / str(n))
        assert len({target for _, target in PAIRS} - targets(tmp_path / str(n))) <= 1, at


def test_nobody_opens_a_project_whose_log_is_damaged(project: Path) -> None:
    flipped(log_of(project / "journal.db"), 9000)
    for write in (True, False):
        with pytest.raises(DamagedFileError, match=r"SQLite would drop the last \d+ changes; save all that is whole"):
            Engine.open(project, write=write)


def test_a_transaction_that_was_interrupted_is_no_damage(project: Path) -> None:
    log = log_of(project / "journal.db")
    log.write_bytes(log.read_bytes()[:-4000])
    assert find_log_damage(project / "journal.db") is None
    assert len(targets(project)) == len(PAIRS) - 1
    flipped(log_of(project / "documents.db"), -100)  # the last page: perhaps it was only half written
    assert find_log_damage(project / "documents.db") == "is not what was written: SQLite would drop the last change"
    with closing(DocumentStore(project / "documents.db")) as store:
        assert len(store.documents()) == len(PAIRS) - 1


def test_what_is_left_over_from_an_earlier_log_is_no_damage(project: Path) -> None:
    """SQLite begins a log anew in the same file; a process may be killed just after it has written the head."""
    log, chance = log_of(project / "journal.db"), random.Random(6)
    data = log.read_bytes()
    head = data[:16] + chance.randbytes(8)
    head += struct.pack(">II", *_checksum((0, 0), head, ">" if data[3] & 1 else "<"))
    log.write_bytes(head + data[32:])
    assert find_log_damage(project / "journal.db") is None
    assert read_log(project / "journal.db").pages() == {}


def test_documents_are_saved_from_a_damaged_log(project: Path, tmp_path: Path) -> None:
    log = log_of(project / "documents.db")
    flipped(log, len(log.read_bytes()) // 2)
    assert [each.where for each in check_documents(project)] == ["documents.db-wal"]
    with pytest.raises(DamagedFileError, match="SQLite would drop"):
        DocumentStore(project / "documents.db")
    (tmp_path / "new").mkdir()
    assert [each.where for each in repair_documents(project, tmp_path / "new", {})] == ["documents.db-wal"]
    with closing(DocumentStore(tmp_path / "new" / "documents.db")) as store:
        assert [store.segment(each.id, 1).target for each in store.documents()] == [each for _, each in PAIRS]
