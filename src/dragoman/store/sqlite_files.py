"""SQLite files, of a journal or of documents: connecting to one, and what the errors of a database mean."""

from __future__ import annotations

import os
import sqlite3
from contextlib import suppress
from pathlib import Path
from typing import Any

from dragoman.errors import DamagedFileError, DragomanError, StorageError

Place = str | Path  # the path of an SQLite file, or the URL of a PostgreSQL database

TABLE = "journal"
BUSY = 5.0  # seconds to wait for another program that has the file locked
REMEDIES = {  # the beginning of SQLite's name of an error, or of PostgreSQL's code for it
    "SQLITE_FULL": "free some space and try again",
    "SQLITE_IOERR": "check the disk and its free space, and try again",
    "SQLITE_READONLY": "choose a directory you may write to",
    "SQLITE_CANTOPEN": "choose a directory you may write to",
    "SQLITE_BUSY": "check which other program has it open",
    "53100": "free some space and try again",
    "25006": "use a server that accepts writes",
    "42501": "use an account that can write there",
}


def connect(file: Path, mode: str) -> sqlite3.Connection:
    """A connection to an SQLite file; `mode` is one of SQLite's URI parameters."""
    # By URI, because a plain path would make an empty database where a journal has been lost; and transactions are
    # begun by us, because the driver would begin them only at the first change.
    options: dict[str, Any] = {"uri": True, "isolation_level": None, "check_same_thread": False}
    return sqlite3.connect(f"{file.as_uri()}?mode={mode}", timeout=BUSY, factory=SelfClosingConnection, **options)


class SelfClosingConnection(sqlite3.Connection):
    """A connection that is closed with the project that has it, also if that is dropped; Python 3.13 would warn."""

    def __del__(self) -> None:
        with suppress(sqlite3.Error):  # one that was never opened
            self.close()


def connect_to_read(file: Path) -> sqlite3.Connection:
    """A connection that can change nothing."""
    log = file.with_name(f"{file.name}-wal")
    # After a crash the first to come, who may be a reader, recovers the file, so a reader does not ask for "ro".
    connection = connect(file, "ro&immutable=1" if is_read_only(file) and not log.exists() else "rw")
    connection.execute("PRAGMA query_only = ON")
    return connection


def is_read_only(file: Path) -> bool:
    """Whether readers cannot lock an SQLite file; then they read it without a lock while nobody writes.

    This is checked each time; if a writer starts at that very moment, digests reveal what was read half-written.
    """
    return not os.access(file.parent, os.W_OK)


def explain(error: BaseException, what: str, file: Path | None, name: str, *, holds: str = "journal") -> DragomanError:
    """The error that says what happened to a database, in a file or of that name, and what to do."""
    code = getattr(error, "sqlite_errorname", None) or getattr(error, "sqlstate", None) or ""
    message = " ".join(str(error).split())
    if code.startswith(("SQLITE_CORRUPT", "SQLITE_NOTADB")):
        saving = f"save what is whole with `dragoman project repair`, or restore the {holds} from a copy"
        return DamagedFileError(message, where=name, remedy=saving)
    if file and not file.exists():
        return DamagedFileError(f"the {holds} is missing", where=name, remedy="restore it from a copy")
    otherwise = None if code or file else "check the URL, and that the server can be reached"
    remedy = next((remedy for start, remedy in REMEDIES.items() if code.startswith(start)), otherwise)
    return StorageError(what.format(message), where=name, remedy=remedy)
