"""Documents that are damaged: what is wrong with them, and a new file with all of them that is whole."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator, Mapping
from contextlib import closing
from pathlib import Path

from dragoman.editor import segment_sums, segment_table
from dragoman.editor.document_connection import open_documents
from dragoman.editor.document_store import DocumentStore
from dragoman.store.integrity import Damage, check_file, healed_copy, or_broken_seal

FILE = "documents.db"
TABLES = ("documents", "segments", "units", "findings", "accepted", "changes", "comments", "regroupings")


def check_documents(project: Path) -> Iterator[Damage]:
    """What is damaged in the documents of a project."""
    file = project / FILE
    if not file.exists():
        return
    found = list(check_file(file))
    try:
        with closing(open_documents(file)) as connection:
            for document, number in segment_sums.find_wrong(connection):
                found.append(Damage(FILE, f"segment {number} of document {document} is not what was written"))
    except (sqlite3.Error, UnicodeDecodeError) as error:
        found.append(Damage(FILE, str(error)))
    yield from or_broken_seal(file, found)


def repair_documents(old: Path, new: Path, corrections: Mapping[int, int]) -> Iterator[Damage]:
    """Copy the documents of a project, row by row, as far as they are whole; segments refer to the new corrections.

    A segment that was altered is there, but not translated.
    """
    if not (old / FILE).exists():
        return
    with closing(DocumentStore(new / FILE)), closing(open_documents(new / FILE)) as writing:
        try:
            with healed_copy(old / FILE) as file, closing(open_documents(file)) as reading:
                for table in TABLES:
                    yield from _copy(reading, writing, table)
                wrong = list(segment_sums.find_wrong(reading))
        except (sqlite3.Error, UnicodeDecodeError) as error:
            yield Damage(FILE, str(error))
            wrong = []
        for document, number in wrong:
            writing.execute(segment_table.EMPTY, (document, number))
            yield Damage(FILE, f"segment {number} of document {document} is not what was written, and now empty")
        _redirect(writing, corrections)


def _copy(reading: sqlite3.Connection, writing: sqlite3.Connection, table: str) -> Iterator[Damage]:
    known = [row[1] for row in writing.execute(f"PRAGMA table_info({table})")]
    there = {row[1] for row in reading.execute(f"PRAGMA table_info({table})")}
    names = ", ".join(f'"{name}"' for name in known if name in there)
    marks = ", ".join("?" for name in known if name in there)
    if not names:
        return
    writing.execute("BEGIN")
    try:
        for row in reading.execute(f"SELECT {names} FROM {table}"):  # noqa: S608
            try:
                writing.execute(f"INSERT OR REPLACE INTO {table} ({names}) VALUES ({marks})", tuple(row))  # noqa: S608
            except (sqlite3.Error, UnicodeDecodeError) as error:
                yield Damage(FILE, f"a row of {table} cannot be kept ({error})")
    except (sqlite3.Error, UnicodeDecodeError) as error:
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
