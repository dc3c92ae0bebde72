"""The journal: every correction ever made, in order; the state of the models is a fold over its rows.

Rows are only ever appended, each in a transaction that is on disk before `append_…` returns:

- `learn`: a source and its target, with the contribution they made to the statistics;
- `flagged`: the same, but suspicious: kept with the reason, and not learned;
- `forget`: what the correction it refers to has contributed is to be subtracted;
- `settings`: from here on these are in force.

A revision is a `forget` and a `learn` in one transaction. The one thing that ever changes in a row is `forgotten_by`,
which repeats what a later row says, for quick listing.
"""

from __future__ import annotations

import contextlib
import threading
from collections.abc import Iterator, Mapping
from datetime import datetime
from itertools import islice
from typing import Any, NamedTuple, Self

import sqlalchemy as sa

from dragoman.errors import BadInputError, DamagedFileError, StorageError
from dragoman.store.database import TABLE, Database, Place
from dragoman.store.fencing import Fence, Writing, find_writing
from dragoman.store.following import Listener, RewoundError, channel
from dragoman.store.rows import (
    IN_FORCE,
    JOURNAL,
    METADATA,
    NO_ROW,
    ROWS,
    Row,
    check_text,
    digest,
    read_row,
    write_settings,
    write_time,
)

CORRECTIONS = ("learn", "flagged")
CHUNK = 256  # rows fetched at once
LARGEST_ID = 2**63 - 1
INSERT = sa.insert(JOURNAL).returning(JOURNAL.c.id)  # built once: that takes longer than to execute it
NEWEST_FIRST = JOURNAL.c.id.desc()
TAIL = sa.select(JOURNAL.c.id, JOURNAL.c.kind, JOURNAL.c.revision, JOURNAL.c.digest).order_by(NEWEST_FIRST).limit(1)


class _Tail(NamedTuple):
    """What the newest row says about the one to come."""

    id: int
    kind: str
    revision: int
    digest: bytes


NO_TAIL = _Tail(0, "", 0, NO_ROW)


class Journal:
    """A journal in an SQLite file, given by its path, or in PostgreSQL, given by its URL; safe to use from threads.

    >>> from pathlib import Path; from tempfile import TemporaryDirectory
    >>> directory = TemporaryDirectory()
    >>> journal = Journal.create(Path(directory.name, "journal.db"))
    >>> number = journal.append_learn("green button", "botón verde")
    >>> number, journal.get(number).target
    (1, 'botón verde')
    >>> journal.append_revise(number, "el botón verde")
    3
    >>> [(row.id, row.kind, row.refers_to) for row in journal.rows()]
    [(1, 'learn', None), (2, 'forget', 1), (3, 'learn', 1)]
    >>> journal.close(); directory.cleanup()
    """

    def __init__(self, place: Place, *, write: bool = False) -> None:
        self._database = Database(place)
        self._fence = None if self._database.file else Fence(self._database)
        self._insert = INSERT
        self._lock = threading.Lock()
        self._tail = NO_TAIL
        try:
            with self._database.reading() as connection:
                if not sa.inspect(connection).has_table(TABLE):
                    remedy = "restore it from a copy" if self._database.file else "check the database and the schema"
                    raise DamagedFileError("there is no journal here", where=self.name, remedy=remedy)
            if write:
                self.start_writing()
        except BaseException:
            self.close()
            raise

    @classmethod
    def create(cls, place: Place) -> Self:
        """Make a new, empty journal and open it for writing; one that is there already is refused."""
        database = Database(place, write=True, create=True)
        try:
            with database.writing() as connection:
                if sa.inspect(connection).has_table(TABLE):
                    remedy = "open that one, or name another database or schema"
                    raise BadInputError("there is a journal here already", where=database.name, remedy=remedy)
                METADATA.create_all(connection, tables=[JOURNAL], checkfirst=False)
        finally:
            database.close()
        return cls(place, write=True)

    @staticmethod
    def drop(place: Place) -> None:
        """Undo `create`."""
        with contextlib.closing(Database(place, write=True)) as database, database.writing() as connection:
            METADATA.drop_all(connection)

    @property
    def name(self) -> str:
        """Where the journal is, in words fit for a message: without the password."""
        return self._database.name

    def start_writing(self) -> None:
        """From here on append, too; in PostgreSQL, refused while somebody else does."""
        if self._fence:
            self._fence.take()
            self._database.open_writer(check=self._fence.hold)
        else:
            self._database.open_writer()
        try:
            with self._lock, self._database.writing() as connection:
                self._tail = _read_tail(connection)
                if self._fence:
                    told = sa.func.pg_notify(
                        channel(connection), ""
                    )  # by all rows of a transaction once, when it is committed
                    self._insert = sa.insert(JOURNAL).returning(JOURNAL.c.id, told)
        except BaseException:
            self.stop_writing()
            raise

    def stop_writing(self) -> None:
        """From here on only read, and let others write."""
        self._database.close_writer()
        if self._fence:
            self._fence.release()

    def writing(self) -> Writing | None:
        """Who writes a journal in PostgreSQL, and what that says it is about; in SQLite, nobody knows."""
        if self._fence is None:
            return None
        with self._database.reading() as connection:
            return find_writing(connection)

    def describe(self, about: str) -> None:
        """Say what a journal in PostgreSQL is about, for others who open it."""
        if self._fence:
            with self._lock, self._database.writing() as connection:
                self._fence.check(connection)
                self._fence.describe(connection, about)

    def listener(self) -> Listener:
        """Something that waits for new rows."""
        return Listener(self._database)

    def append_learn(
        self,
        source: str,
        target: str,
        *,
        contribution: bytes | None = None,
        user: str | None = None,
        time: datetime | None = None,
        reason: str | None = None,
    ) -> int:
        """Record a correction that is learned, suspicious as it may be for that reason; the id of its row."""
        with self._appending(user, time) as page:
            return page.append("learn", source=source, target=target, reason=reason, contribution=contribution)

    def append_flagged(
        self,
        source: str,
        target: str,
        *,
        reason: str,
        refers_to: int | None = None,
        user: str | None = None,
        time: datetime | None = None,
    ) -> int:
        """Record a correction, or a revision of the one it refers to, that is too suspicious to be learned."""
        with self._appending(user, time) as page:
            if refers_to is not None:
                page.correction(refers_to)
            return page.append("flagged", source=source, target=target, reason=reason, refers_to=refers_to)

    def append_forget(self, row_id: int, *, user: str | None = None, time: datetime | None = None) -> int:
        """Record that a correction is forgotten; the id of the row that says so."""
        with self._appending(user, time) as page:
            return page.forget(row_id)

    def append_revise(
        self,
        row_id: int,
        target: str,
        *,
        contribution: bytes | None = None,
        user: str | None = None,
        time: datetime | None = None,
        reason: str | None = None,
    ) -> int:
        """Record that a correction is forgotten and its source learned with another target; the id of the latter."""
        with self._appending(user, time) as page:
            revised = {"source": page.correction(row_id)["source"], "refers_to": row_id}
            page.forget(row_id)
            return page.append("learn", **revised, target=target, reason=reason, contribution=contribution)

    def append_settings(
        self, settings: Mapping[str, Any], *, user: str | None = None, time: datetime | None = None
    ) -> int:
        """Record the settings that are in force from here on; the id of the row, which is their revision."""
        with self._appending(user, time) as page:
            return page.append("settings", settings=write_settings(settings))

    def rows(self, after: int = 0) -> Iterator[Row]:
        """All rows with greater ids, in the order of their ids; rows appended meanwhile are included."""
        while chunk := self._fetch(ROWS.where(JOURNAL.c.id > after).order_by(JOURNAL.c.id).limit(CHUNK)):
            yield from chunk
            after = chunk[-1].id

    def news(self, known: int, known_digest: str) -> list[Row]:
        """The next rows after one that is known, not all if there are many; `RewoundError` if they do not follow on it.

        What was one transaction is given at once: a `forget` at the end may be half a revision, and waits.
        """
        with self._database.reading() as connection:
            query = ROWS.where(JOURNAL.c.id > known).order_by(JOURNAL.c.id).limit(CHUNK)
            found = connection.execute(query).mappings().all()
            same = sa.select(JOURNAL.c.digest).where(JOURNAL.c.id == known)
            before = found[0]["previous"] if found else connection.execute(same).scalar()
        if (before or NO_ROW).hex() != known_digest:
            remedy = "see whether the journal was brought back from an old copy"
            raise RewoundError(f"does not go on from row {known} as we know it", where=self.name, remedy=remedy)
        rows = [read_row(each, self.name) for each in found]
        return rows[:-1] if len(rows) == CHUNK > 1 and rows[-1].kind == "forget" else rows

    def get(self, row_id: int) -> Row:
        """The row with this id."""
        found = self._fetch(ROWS.where(JOURNAL.c.id == _check_id(row_id)))
        if not found:
            raise _no_row(row_id)
        return found[0]

    def history(self, limit: int = 50, offset: int = 0, search: str | None = None) -> list[Row]:
        """Corrections, learned or flagged, forgotten or not, newest first.

        With `search`, only those that hold this text in source or target, in capitals or small letters.
        """
        if search is not None:
            return [self.get(found) for found in islice(self._search(search.casefold()), offset, offset + limit)]
        corrections = ROWS.where(JOURNAL.c.kind.in_(CORRECTIONS))
        return self._fetch(corrections.order_by(NEWEST_FIRST).limit(limit).offset(offset))

    @property
    def last_id(self) -> int:
        """The id of the newest row, 0 if there is none."""
        with self._database.reading() as connection:
            return _read_tail(connection).id

    @property
    def count(self) -> int:
        """The number of corrections in force: learned, and not forgotten."""
        with self._database.reading() as connection:
            return connection.execute(sa.select(sa.func.count()).select_from(JOURNAL).where(IN_FORCE)).scalar_one()

    def digest(self, row_id: int) -> str:
        """What stands for all rows up to this one; equal digests mean equal rows. Id 0 is before the first row."""
        return self.get(row_id).digest if row_id else NO_ROW.hex()

    def close(self) -> None:
        """Close the connections; what was appended is on disk already."""
        self.stop_writing()
        self._database.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    @contextlib.contextmanager
    def _appending(self, user: str | None, time: datetime | None) -> Iterator[_Page]:
        """One transaction, which is on disk when this ends.

        The rows before must be those that we know of. After an error at the very moment of a commit ours may or may
        not be among them, and whoever goes on has to read the journal again.
        """
        check_text(user=user)
        with self._lock:
            with self._database.writing() as connection:
                if self._fence:
                    self._fence.check(connection)
                signature = {"username": user, "time": write_time(time)}
                page = _Page(connection, self._insert, _read_tail(connection), signature)
                if page.tail != self._tail:
                    what = f"has row {page.tail.id} after row {self._tail.id}, which we have not written"
                    raise StorageError(what, where=self.name, remedy="open the project again")
                yield page
            self._tail = page.tail

    def _fetch(self, rows: sa.Select[Any]) -> list[Row]:
        with self._database.reading() as connection:
            return [read_row(found, self.name) for found in connection.execute(rows).mappings()]

    def _search(self, text: str) -> Iterator[int]:
        """The ids of corrections that hold a text, given in small letters, newest first."""
        texts = sa.select(JOURNAL.c.id, JOURNAL.c.source, JOURNAL.c.target).where(JOURNAL.c.kind.in_(CORRECTIONS))
        texts = texts.order_by(NEWEST_FIRST).limit(CHUNK)
        before = LARGEST_ID
        while before:
            with self._database.reading() as connection:
                chunk = connection.execute(texts.where(JOURNAL.c.id < before)).all()
            yield from (
                each for each, source, target in chunk if text in source.casefold() or text in target.casefold()
            )
            before = chunk[-1].id if chunk else 0


class _Page:
    """The rows of one transaction."""

    def __init__(self, connection: sa.Connection, insert: sa.Insert, tail: _Tail, signature: dict[str, Any]) -> None:
        self.connection = connection
        self.insert = insert
        self.tail = tail
        self.signature = signature

    def append(self, kind: str, **values: Any) -> int:
        """Add a row with these values, all others null; its id."""
        check_text(source=values.get("source"), target=values.get("target"), reason=values.get("reason"))
        revision = self.tail.id if self.tail.kind == "settings" else self.tail.revision
        row: dict[str, Any] = dict.fromkeys(JOURNAL.c.keys()[1:]) | values | self.signature
        row |= {"kind": kind, "revision": revision}
        row["digest"] = digest(self.tail.digest, row)
        row_id: int = self.connection.execute(self.insert, row).scalar_one()
        self.tail = _Tail(row_id, kind, revision, row["digest"])
        return row_id

    def correction(self, row_id: int) -> sa.RowMapping:
        """Kind, source and mark of the correction with this id; if it is none, that is an error."""
        columns = sa.select(JOURNAL.c.kind, JOURNAL.c.source, JOURNAL.c.forgotten_by)
        found = self.connection.execute(columns.where(JOURNAL.c.id == _check_id(row_id))).mappings().first()
        if found is None:
            raise _no_row(row_id)
        if found["kind"] not in CORRECTIONS:
            raise BadInputError(f"row {row_id} of the journal is no correction, but of the kind {found['kind']!r}")
        return found

    def forget(self, row_id: int) -> int:
        """Add a row that forgets a correction, and mark that; the id of the new row."""
        if self.correction(row_id)["forgotten_by"] is not None:
            raise BadInputError(f"correction {row_id} is forgotten already")
        forget = self.append("forget", refers_to=row_id)
        self.connection.execute(sa.update(JOURNAL).where(JOURNAL.c.id == row_id).values(forgotten_by=forget))
        return forget


def _read_tail(connection: sa.Connection) -> _Tail:
    found = connection.execute(TAIL).first()
    return _Tail(*found) if found else NO_TAIL


def _check_id(row_id: int) -> int:
    if not 0 < row_id <= LARGEST_ID:
        raise _no_row(row_id)
    return row_id


def _no_row(row_id: int) -> BadInputError:
    return BadInputError(f"there is no correction {row_id}", remedy="see the ids in the history")
