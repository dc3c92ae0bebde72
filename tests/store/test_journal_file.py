"""Reading the journal in an SQLite file without SQLAlchemy gives what reading it with SQLAlchemy gives."""

from __future__ import annotations

import sqlite3
import subprocess
import sys
from contextlib import closing
from pathlib import Path

import pytest

from dragoman.errors import BadInputError, DamagedFileError
from dragoman.store import Journal, Project, UnfinishedError
from dragoman.store.journal_file import JournalFile
from dragoman.store.row_reader import CHUNK


def write_journal(file: Path) -> None:
    with Journal.create(file) as journal:
        first = journal.append_learn("green\0button", "botón \ufdd0 verde", contribution=b"123", user="Ana\0")
        journal.append_flagged("no", "sí", reason="too short")
        journal.append_settings({"limit": 5})
        journal.append_revise(first, "el botón verde", contribution=b"4")
        for number in range(CHUNK):
            journal.append_learn(f"line {number}", f"línea {number}")


def test_the_rows_are_the_same(tmp_path: Path) -> None:
    file = tmp_path / "journal.db"
    write_journal(file)
    with Journal(file) as journal:
        reader = JournalFile(file)
        assert list(reader.rows()) == list(journal.rows())
        assert list(reader.rows(after=7)) == list(journal.rows(after=7))
        assert reader.get(4) == journal.get(4)
        assert reader.last_id == journal.last_id
        assert [reader.digest(number) for number in (0, 3)] == [journal.digest(number) for number in (0, 3)]


def test_the_marks_of_an_older_journal_are_believed(tmp_path: Path) -> None:
    file = tmp_path / "journal.db"
    write_journal(file)
    with closing(sqlite3.connect(file)) as connection:
        connection.execute("DROP INDEX journal_forgets")
        connection.commit()
    with Journal(file) as journal:
        assert JournalFile(file).get(1) == journal.get(1)
        assert JournalFile(file).get(1).forgotten_by == 4


def test_a_row_appended_meanwhile_is_read(tmp_path: Path) -> None:
    with Journal.create(tmp_path / "journal.db") as journal:
        reader = JournalFile(tmp_path / "journal.db")
        assert (reader.last_id, list(reader.rows())) == (0, [])
        journal.append_learn("one", "uno")
        assert [row.target for row in reader.rows()] == ["uno"]


def test_an_altered_row_is_refused(tmp_path: Path) -> None:
    file = tmp_path / "journal.db"
    write_journal(file)
    with closing(sqlite3.connect(file)) as connection:
        connection.execute("UPDATE journal SET target = 'other' WHERE id = 1")
        connection.commit()
    with pytest.raises(DamagedFileError, match="row 1 of the journal"):
        list(JournalFile(file).rows())


def test_an_unfinished_journal_is_refused(tmp_path: Path) -> None:
    Journal.create(tmp_path / "journal.db", unfinished=True).close()
    with pytest.raises(UnfinishedError):
        JournalFile(tmp_path / "journal.db")


def test_a_missing_journal_is_refused(tmp_path: Path) -> None:
    with pytest.raises(DamagedFileError, match="the journal is missing"):
        JournalFile(tmp_path / "journal.db")
    assert not (tmp_path / "journal.db").exists()


def test_a_file_without_a_journal_is_refused(tmp_path: Path) -> None:
    sqlite3.connect(tmp_path / "journal.db").close()
    with pytest.raises(DamagedFileError, match="there is no journal here"):
        JournalFile(tmp_path / "journal.db")


def test_an_id_that_no_row_has_is_refused(tmp_path: Path) -> None:
    Journal.create(tmp_path / "journal.db").close()
    for number in (-1, 0, 1, 2**70):
        with pytest.raises(BadInputError, match="there is no correction"):
            JournalFile(tmp_path / "journal.db").get(number)


def test_a_reader_that_is_asked_for_more_opens_the_journal(tmp_path: Path) -> None:
    with Project.create(tmp_path / "project", {"order": 5}, source="en", target="es") as writer:
        writer.journal.append_learn("one", "uno")
        with Project.open(tmp_path / "project") as reader:
            file: object = reader.reader
            assert isinstance(file, JournalFile)
            assert [row.target for row in reader.journal.history()] == ["uno"]
            assert reader.reader is reader.journal


def test_reading_a_project_does_not_load_sqlalchemy(tmp_path: Path) -> None:
    Project.create(tmp_path / "project", {"order": 5}, source="en", target="es").close()
    program = (
        "import sys\nfrom dragoman.engine import Engine\nfrom dragoman.store import Project\n"
        "with Project.open(sys.argv[1]) as project:\n    list(project.reader.rows())\n"
        "print('sqlalchemy' in sys.modules)"
    )
    found = subprocess.run([sys.executable, "-c", program, tmp_path / "project"], capture_output=True, check=True)
    assert found.stdout.split() == [b"False"]
