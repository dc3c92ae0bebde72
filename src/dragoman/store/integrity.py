"""Whether everything in a project is what was written: every row, every array, every file, read through once.

A journal is read to its end whatever is wrong in between, so that what is whole can be saved: `whole_rows`. A row is
whole if its digest follows from the one before it and from its contents. If its own digest is what was altered, the row
after it shows that. The row after one that is lost cannot be checked. Rows lost at the end are those that the head of
the journal knows of (`store.head`).
"""

from __future__ import annotations

import shutil
import sqlite3
from collections.abc import Iterator, Mapping
from contextlib import closing, contextmanager, suppress
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, NamedTuple

from dragoman.errors import DragomanError
from dragoman.files import VERIFIED, is_remembered_wrongly, open_arrays, storage_errors
from dragoman.progress import Progress
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
from dragoman.store.head import find_loss, read_head
from dragoman.store.journal_file import TEXTS
from dragoman.store.rows import NO_ROW, Row, digest, given_text, read_row
from dragoman.store.snapshot import SnapshotStore
from dragoman.store.sqlite_files import TABLE, connect_to_read

COLUMNS = f"SELECT * FROM {TABLE} WHERE id = ?"  # noqa: S608
SMALLEST = 64  # bytes that a row takes at least: its digest, a time, and what leads to it
Values = dict[str, Any]


class Damage(NamedTuple):
    """Something that is not what was written."""

    where: str  # in the project's directory
    what: str

    def __str__(self) -> str:
        return f"{self.where}: {self.what}"


def check_store(path: Path, progress: Progress | None = None) -> Iterator[Damage]:
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
        yield from _check_journal(path / description["journal"], progress)
    if (path / ANSWERS).exists():
        yield from check_file(path / ANSWERS)
    for number in SnapshotStore(path / "snapshots").ids():
        yield from _check_arrays(path / "snapshots" / str(number), f"snapshots/{number}")
    if description["base"] is not None:
        yield from _check_arrays(path / description["base"]["path"], "base")


def _check_journal(file: Path, progress: Progress | None) -> Iterator[Damage]:
    yield from (each for each in whole_rows(file, progress) if isinstance(each, Damage))
    yield from find_lost_end(file)
    yield from check_file(file)


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


def whole_rows(file: Path, progress: Progress | None = None) -> Iterator[Row | Damage | Unchecked]:
    """All rows of a journal in a file, in order, and in the place of those that are not whole what is wrong."""
    try:
        with closing(connect_to_read(file.absolute())) as connection:
            connection.row_factory = sqlite3.Row
            yield from _checked(_values(connection, progress), str(file), file.name)
    except (sqlite3.Error, UnicodeDecodeError) as error:
        yield Damage(file.name, str(error))


def find_lost_end(file: Path) -> Iterator[Damage]:
    """Whether the journal has lost rows at its end that were acknowledged."""

    def digest_of(row_id: int) -> bytes | None:
        with suppress(sqlite3.Error), closing(connect_to_read(file.absolute())) as connection:
            found = connection.execute(f"SELECT digest FROM {TABLE} WHERE id = ?", (row_id,)).fetchone()  # noqa: S608
            return found[0] if found else None
        return None

    if lost := find_loss(read_head(file), digest_of):
        yield Damage(file.name, lost)


@contextmanager
def copied(file: Path, folder: Path) -> Iterator[Path]:
    """A copy of an SQLite file, in a folder that must have room for it: reading could change the file itself."""
    with TemporaryDirectory(prefix="repair-", dir=folder) as place:
        copy = Path(place, file.name)
        for beside in (file, *(file.with_name(file.name + ending) for ending in ("-wal", "-journal", ".head"))):
            if beside.exists():
                with storage_errors(folder):
                    shutil.copyfile(beside, copy.with_name(beside.name))
        yield copy


class Unchecked(NamedTuple):
    """A row that nothing speaks against, and that cannot be checked: the row before it is gone, or its digest is."""

    row: Row


def row_of(each: Row | Unchecked) -> Row:
    """The row, checked or not."""
    return each.row if isinstance(each, Unchecked) else each


def _values(connection: sqlite3.Connection, progress: Progress | None) -> Iterator[tuple[int, Values | None]]:
    """Id and values of each row, None for those that cannot be read at all."""
    last = 0
    if progress:
        with suppress(sqlite3.Error):  # rows before the damage can be read all the same
            last = _last_id(connection)
    for number in _ids(connection):
        if progress and last:
            progress("checking the journal", number, last)
        values = None
        with suppress(sqlite3.Error, ValueError, AttributeError):  # the last: a number in the place of a text
            found = connection.execute(COLUMNS, (number,)).fetchone()
            values = {name: found[name] for name in found.keys()} if found else None  # noqa: SIM118
            values = values and values | {name: given_text(values[name]) for name in TEXTS}
        yield number, values


def _ids(connection: sqlite3.Connection) -> Iterator[int]:
    """The ids of all rows, as far as the file can be read; those of pages that cannot be are tried one by one."""
    last, tried = 0, 0
    (pages,), (size,) = (connection.execute(f"PRAGMA {name}").fetchone() for name in ("page_count", "page_size"))
    while True:
        try:
            for (number,) in connection.execute(f"SELECT id FROM {TABLE} WHERE id > ? ORDER BY id", (last,)):  # noqa: S608
                last = number
                yield number
            return
        except (sqlite3.Error, UnicodeDecodeError):
            if last >= _last_id(connection) or tried * SMALLEST > pages * size:  # the id may be what was altered
                return
            last, tried = last + 1, tried + 1
            yield last


def _last_id(connection: sqlite3.Connection) -> int:
    """The id of the last row; 0 if there is none."""
    found = connection.execute(f"SELECT id FROM {TABLE} ORDER BY id DESC LIMIT 1").fetchone()  # noqa: S608
    return int(found[0]) if found else 0


def _checked(rows: Iterator[tuple[int, Values | None]], where: str, name: str) -> Iterator[Row | Damage | Unchecked]:
    """Each row that is whole, else what is wrong; rows after one that is not may be unchecked."""
    before, stored = NO_ROW, NO_ROW  # digest of the row before: what it must be, and what the file has
    last, is_before_whole = 0, True
    number, values = next(rows, (0, None))
    while number:
        next_number, following = next(rows, (0, None))
        right = None if values is None else _digest_of(values, (before, stored), following)
        row: Row | Unchecked | None = None if values is None or right is None else _row(values, right, where)
        if right is None and number > last + 1:
            yield Damage(name, _are_lost(last + 1, number - 1))
            is_before_whole = False
        if row is None and values is not None and not is_before_whole:
            row = _unchecked(values, where)
        yield row or Damage(name, f"row {number} is not what was written")
        stored = values["digest"] if values is not None and isinstance(values["digest"], bytes) else NO_ROW
        before = right[1] if right else stored
        is_before_whole = right is not None
        last, number, values = number, next_number, following


def _are_lost(first: int, last: int) -> str:
    return f"row {first} is lost" if first == last else f"rows {first} to {last} are lost"


def _unchecked(values: Values, where: str) -> Unchecked | None:
    row = _row(values, (NO_ROW, _try(NO_ROW, values) or NO_ROW), where)  # as if it were the first
    return Unchecked(row) if row else None


def _row(values: Values, right: tuple[bytes, bytes], where: str) -> Row | None:
    """The row with these values, and the digests that go with it."""
    with suppress(DragomanError, ValueError, TypeError):
        return read_row(values | {"previous": right[0], "digest": right[1]}, where)
    return None


def _digest_of(values: Values, before: tuple[bytes, bytes], following: Values | None) -> tuple[bytes, bytes] | None:
    """The digest before a row and its own, if the row is whole."""
    for previous in before:
        own = _try(previous, values)
        if own is not None and own == values["digest"]:
            return previous, own
    own = _try(before[0], values)
    if own is not None and following and _try(own, following) == following["digest"]:
        return before[0], own
    return None


def _try(previous: bytes, values: Mapping[str, Any]) -> bytes | None:
    try:
        return digest(previous, values)
    except (KeyError, TypeError, ValueError):  # the first: the name of a column was altered
        return None
