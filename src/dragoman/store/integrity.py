"""Whether everything in a project is what was written: every row, every array, every file, read through once.

A journal is read to its end whatever is wrong in between, so that what is whole can be saved: `whole_rows`. A row is
whole if its digest follows from the one before it and from its contents. If its own digest is what was altered, the row
after it shows that.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator, Mapping
from contextlib import closing, suppress
from pathlib import Path
from typing import Any, NamedTuple

from dragoman.errors import DragomanError
from dragoman.files import VERIFIED, is_remembered_wrongly, open_arrays
from dragoman.store.answer_file import NAME as ANSWERS
from dragoman.store.description import (
    COPY,
    DESCRIPTION,
    is_whole,
    migrate,
    read_copy,
    read_description,
    whole_description,
)
from dragoman.store.journal_file import FORGOTTEN_BY, PREVIOUS, TEXTS
from dragoman.store.rows import NO_ROW, Row, digest, given_text, read_row
from dragoman.store.seal import check_seal
from dragoman.store.snapshot import SnapshotStore
from dragoman.store.sqlite_files import TABLE, connect_to_read

COLUMNS = f"SELECT j.*, {PREVIOUS}, {FORGOTTEN_BY} FROM {TABLE} j WHERE j.id = ?"  # noqa: S608
Values = dict[str, Any]


class Damage(NamedTuple):
    """Something that is not what was written."""

    where: str  # in the project's directory
    what: str

    def __str__(self) -> str:
        return f"{self.where}: {self.what}"


def check_store(path: Path) -> Iterator[Damage]:
    """What is damaged in a project, apart from its documents: journal, answers, snapshots, base."""
    try:
        description = migrate(path, read_description(path), write=False)
        if not is_whole(description) and ("checksum" in description or read_copy(path)):
            yield Damage(DESCRIPTION, "is not what was written: it was damaged, or edited by hand")
        elif (path / COPY).exists() and read_copy(path) is None:
            yield Damage(COPY, "is not what was written")
    except DragomanError as error:
        yield Damage(DESCRIPTION, error.what)
    try:
        description = whole_description(path)
    except DragomanError:
        return
    if "://" in description["journal"]:
        yield from _check_shared(description["journal"])
    else:
        file = path / description["journal"]
        rows = (each for each in whole_rows(file) if isinstance(each, Damage))
        yield from or_broken_seal(file, [*rows, *check_file(file)])
    if (path / ANSWERS).exists():
        yield from or_broken_seal(path / ANSWERS, list(check_file(path / ANSWERS)))
    for number in SnapshotStore(path / "snapshots").ids():
        yield from _check_arrays(path / "snapshots" / str(number), f"snapshots/{number}")
    if description["base"] is not None:
        yield from _check_arrays(path / description["base"]["path"], "base")


def or_broken_seal(file: Path, found: list[Damage]) -> list[Damage]:
    """What was found in a file; if that is nothing, what its seal shows, in bytes that nobody reads."""
    return found or [Damage(file.name, what) for what in check_seal(file)]


def _check_arrays(directory: Path, name: str) -> Iterator[Damage]:
    if is_remembered_wrongly(directory):
        yield Damage(f"{name}/{VERIFIED}", "is not what was written; it is made again")
    try:
        open_arrays(directory, verify=True)
    except (DragomanError, OSError) as error:
        yield Damage(name, getattr(error, "what", str(error)))


def check_file(file: Path) -> Iterator[Damage]:
    """What SQLite itself finds wrong with the pages and indexes of a file."""
    try:
        with closing(connect_to_read(file.absolute())) as connection:
            connection.text_factory = lambda data: data.decode(errors="replace")
            for (found,) in connection.execute("PRAGMA integrity_check(20)"):
                if found != "ok":
                    yield Damage(file.name, " ".join(str(found).split()))
    except (sqlite3.Error, UnicodeDecodeError) as error:
        yield Damage(file.name, str(error))


def _check_shared(url: str) -> Iterator[Damage]:
    """The rows of a journal in PostgreSQL, up to the first that is damaged."""
    from dragoman.store.journal import Journal  # here, since this loads SQLAlchemy

    try:
        with closing(Journal(url)) as journal:
            for _ in journal.rows():
                pass
    except DragomanError as error:
        yield Damage("journal", error.what)


def whole_rows(file: Path) -> Iterator[Row | Damage]:
    """All rows of a journal in a file, in order, and in the place of those that are not whole what is wrong."""
    try:
        with closing(connect_to_read(file.absolute())) as connection:
            connection.row_factory = sqlite3.Row
            yield from _checked(_values(connection), str(file), file.name)
    except (sqlite3.Error, UnicodeDecodeError) as error:
        yield Damage(file.name, str(error))


def _values(connection: sqlite3.Connection) -> Iterator[tuple[int, Values | None]]:
    """Id and values of each row, None for those that cannot be read at all."""
    for number in _ids(connection):
        values = None
        with suppress(sqlite3.Error, ValueError, AttributeError):  # the last: a number in the place of a text
            found = connection.execute(COLUMNS, (number,)).fetchone()
            values = {name: found[name] for name in found.keys()} if found else None  # noqa: SIM118
            values = values and values | {name: given_text(values[name]) for name in TEXTS}
        yield number, values


def _ids(connection: sqlite3.Connection) -> Iterator[int]:
    """The ids of all rows, as far as the file can be read; those of pages that cannot be are tried one by one."""
    last = 0
    while True:
        try:
            for (number,) in connection.execute(f"SELECT id FROM {TABLE} WHERE id > ? ORDER BY id", (last,)):  # noqa: S608
                last = number
                yield number
            return
        except (sqlite3.Error, UnicodeDecodeError):
            found = connection.execute(f"SELECT id FROM {TABLE} ORDER BY id DESC LIMIT 1").fetchone()  # noqa: S608
            if found is None or last >= found[0]:
                return
            last += 1
            yield last


def _checked(rows: Iterator[tuple[int, Values | None]], where: str, name: str) -> Iterator[Row | Damage]:
    before, stored = NO_ROW, NO_ROW  # digest of the row before: what it must be, and what the file has
    number, values = next(rows, (0, None))
    while number:
        next_number, following = next(rows, (0, None))
        right = _digest_of(values, (before, stored), following)
        row = None
        if values is not None and right is not None:
            with suppress(DragomanError, ValueError, TypeError):
                row = read_row(values | {"previous": right[0], "digest": right[1]}, where)
        yield row or Damage(name, f"row {number} is not what was written")
        stored = values["digest"] if values is not None and isinstance(values["digest"], bytes) else NO_ROW
        before = right[1] if right else stored
        number, values = next_number, following


def _digest_of(
    values: Values | None, before: tuple[bytes, bytes], following: Values | None
) -> tuple[bytes, bytes] | None:
    """The digest before a row and its own, if the row is whole."""
    if values is None:
        return None
    for previous in before:
        own = _try(previous, values)
        if own is not None and own == values["digest"]:
            return previous, own
    own = _try(before[0], values)
    if own is not None and following is not None and _try(own, following) == following["digest"]:
        return before[0], own
    return None


def _try(previous: bytes, values: Mapping[str, Any]) -> bytes | None:
    try:
        return digest(previous, values)
    except (KeyError, TypeError, ValueError):  # the first: the name of a column was altered
        return None
