"""Documents that are damaged: what is wrong with them, and a new file with all of them that is whole."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator, Mapping
from contextlib import closing, suppress
from pathlib import Path

from dragoman.editor import segment_sums, segment_table
from dragoman.editor.document_connection import open_documents
from dragoman.editor.document_store import DocumentStore
from dragoman.store.integrity import Damage, check_file, copied

FILE = "documents.db"
TABLES = (
    *("documents", "segments", "units", "findings", "accepted", "changes", "comments", "regroupings"),
    *("memories", "memory_entries"),
)


def check_documents(project: Path) -> Iterator[Damage]:
    """What is damaged in the documents of a project."""
    file = project / FILE
    if not file.exists():
        return
    yield from check_file(file)
    try:
        with closing(open_documents(file)) as connection:
            for document, number in segment_sums.find_wrong(connection):
                yield Damage(FILE, f"segment {number} of document {document} is not what was written")
    except (sqlite3.Error, UnicodeDecodeError) as error:
        yield Damage(FILE, str(error))


def repair_documents(old: Path, new: Path, corrections: Mapping[int, int]) -> Iterator[Damage]:
    """Copy the documents of a project, row by row, as far as they are whole; segments refer to the new corrections.

    A segment that was altered is there, but not translated.
    """
    if not (old / FILE).exists():
        return
    with closing(DocumentStore(new / FILE)), closing(open_documents(new / FILE)) as writing:
        with copied(old / FILE, new.parent) as file:
            yield from _copy_all(file, writing)
        _redirect(writing, corrections)


def _copy_all(file: Path, writing: sqlite3.Connection) -> Iterator[Damage]:
    try:
        with closing(open_documents(file)) as reading:
            # What is not UTF-8 any more is not what its sum says
            reading.text_factory = lambda data: data.decode(errors="replace")
            for table in TABLES:
                yield from _copy(reading, writing, table)
            writing.execute("INSERT INTO memory_index (memory_index) VALUES ('rebuild')")
            wrong = list(_find_wrong(reading, writing))
    except sqlite3.Error as error:
        yield Damage(FILE, str(error))
        wrong = list(_find_all(writing))
    for document, number in wrong:
        writing.execute(segment_table.EMPTY, (document, number))
        yield Damage(FILE, f"segment {number} of document {document} is not what was written, and now empty")


def _find_wrong(reading: sqlite3.Connection, writing: sqlite3.Connection) -> Iterator[tuple[int, int]]:
    """The copied segments whose sum, in the file that they come from, is another one or cannot be read."""
    has_sums = reading.execute("SELECT 1 FROM sqlite_master WHERE name = 'sums'").fetchone()
    for document, number, own in writing.execute(segment_sums.ALL).fetchall() if has_sums else ():
        expected = None
        with suppress(sqlite3.Error):
            expected = reading.execute(segment_sums.ONE, (document, number)).fetchone()
        if expected is None or expected[0] != own:
            yield document, number


def _find_all(writing: sqlite3.Connection) -> Iterator[tuple[int, int]]:
    for document, number, _ in writing.execute(segment_sums.ALL).fetchall():
        yield document, number


def _copy(reading: sqlite3.Connection, writing: sqlite3.Connection, table: str) -> Iterator[Damage]:
    known = [row[1] for row in writing.execute(f"PRAGMA table_info({table})")]
    there = {row[1]: row[5] for row in reading.execute(f"PRAGMA table_info({table})")}  # their places in the key
    columns = [name for name in known if name in there]
    if not columns:
        return
    names, marks = ", ".join(f'"{name}"' for name in columns), ", ".join("?" for _ in columns)
    key = sorted((name for name in columns if there[name]), key=lambda name: int(there[name])) or ["rowid"]
    orders = [
        "",
        "ORDER BY " + ", ".join(f'"{name}" DESC' for name in key),
    ]  # up to what cannot be read, from both ends
    writing.execute("BEGIN")
    for order in orders:
        try:
            for row in reading.execute(f"SELECT {names} FROM {table} {order}"):  # noqa: S608
                try:
                    writing.execute(f"INSERT OR REPLACE INTO {table} ({names}) VALUES ({marks})", tuple(row))  # noqa: S608
                except sqlite3.Error as error:
                    yield Damage(FILE, f"a row of {table} cannot be kept ({error})")
            break
        except sqlite3.Error as error:
            if order == "":
                yield Damage(FILE, f"some rows of {table} cannot be read ({error})")
    writing.execute("COMMIT")


def _redirect(writing: sqlite3.Connection, corrections: Mapping[int, int]) -> None:
    """Let segments and units refer to corrections by their new ids; those without one are drafts again."""
    writing.execute("BEGIN")
    writing.execute("CREATE TEMP TABLE renumbered (old INTEGER PRIMARY KEY, new INTEGER)")
    writing.executemany("INSERT INTO renumbered VALUES (?, ?)", corrections.items())
    for statement in segment_table.RENUMBER:
        writing.execute(statement)
    writing.execute("DELETE FROM units WHERE correction NOT IN (SELECT old FROM renumbered)")
    writing.execute("UPDATE units SET correction = (SELECT new FROM renumbered WHERE old = correction)")
    writing.execute("COMMIT")
