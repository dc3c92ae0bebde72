"""A checksum for each segment, so that text which the disk has altered is never taken for what somebody wrote.

The sums stand in a table of their own, which triggers keep; a file of an earlier version gets them when it is opened.
Every connection knows the function `row_sum`.
"""

from __future__ import annotations

import hashlib
import sqlite3
from collections.abc import Iterator
from pathlib import Path

from dragoman.errors import DamagedFileError

SUMMED = ("key", "source", "target", "state", "correction", "version", "context", "note")
_NEW = ", ".join(f"NEW.{name}" for name in SUMMED)
SCHEMA = f"""
CREATE TABLE IF NOT EXISTS sums (
    document INTEGER NOT NULL REFERENCES documents ON DELETE CASCADE, number INTEGER NOT NULL, sum INTEGER NOT NULL,
    PRIMARY KEY (document, number)) WITHOUT ROWID;
CREATE TRIGGER IF NOT EXISTS segment_summed AFTER INSERT ON segments BEGIN
    INSERT OR REPLACE INTO sums VALUES (NEW.document, NEW.number, row_sum({_NEW})); END;
CREATE TRIGGER IF NOT EXISTS segment_summed_again AFTER UPDATE OF {", ".join(SUMMED)} ON segments BEGIN
    INSERT OR REPLACE INTO sums VALUES (NEW.document, NEW.number, row_sum({_NEW})); END;
"""  # noqa: S608
SUM = "(SELECT sum FROM sums WHERE sums.document = segments.document AND sums.number = segments.number)"
FILL = (
    f"INSERT INTO sums SELECT document, number, row_sum({', '.join(SUMMED)}) FROM segments"  # noqa: S608
    " WHERE NOT EXISTS (SELECT 1 FROM sums WHERE sums.document = segments.document AND sums.number = segments.number)"
)
ALL = f"SELECT document, number, row_sum({', '.join(SUMMED)}) FROM segments"  # noqa: S608
ONE = "SELECT sum FROM sums WHERE document = ? AND number = ?"
WRONG = f"SELECT document, number FROM segments WHERE {SUM} IS NOT row_sum({', '.join(SUMMED)}) ORDER BY 1, 2"  # noqa: S608


def row_sum(*values: object) -> int:
    """The checksum of the values of a segment.

    >>> row_sum("1", "Close the lid.", "Cierre la tapa.") == row_sum("1", "Close the lid.", "Cierre la capa.")
    False
    """
    digest = hashlib.blake2b(repr(values).encode(errors="surrogatepass"), digest_size=8).digest()
    return int.from_bytes(digest, "big", signed=True)


def add_function(connection: sqlite3.Connection) -> None:
    """Let a connection compute sums."""
    connection.create_function("row_sum", len(SUMMED), row_sum, deterministic=True)


def prepare(connection: sqlite3.Connection) -> None:
    """Add the table to a file, and the sums that it lacks."""
    there = connection.execute("SELECT 1 FROM sqlite_master WHERE name = 'segment_summed_again'").fetchone()
    if there is None:
        connection.executescript(SCHEMA)
        connection.execute(FILL)


def find_wrong(connection: sqlite3.Connection) -> Iterator[tuple[int, int]]:
    """Document and number of each segment that is not what its sum says."""
    yield from connection.execute(WRONG)


def damaged(path: Path, document: int, number: int) -> DamagedFileError:
    """The error for a segment that was altered."""
    what = f"segment {number} of document {document} is not what was written"
    return DamagedFileError(
        what, where=path, remedy="see `dragoman project check`, and save the rest with `dragoman project repair`"
    )
