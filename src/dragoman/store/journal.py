"""The journal: every correction ever made, in order; the state of the models is a fold over its rows.

Rows are only ever appended, each in a transaction that is on disk before `append_…` returns:

- `learn`: a source and its target, with the contribution they made to the statistics;
- `flagged`: the same, but suspicious: kept with the reason, and not learned;
- `forget`: the contribution of the correction it refers to is subtracted;
- `settings`: the settings in force from here on.

A revision is a `forget` and a `learn` in one transaction. The only thing that ever changes in a row is `forgotten_by`,
which repeats what a later row says, for quick listing; see `dragoman.store.forgotten_marks`.
"""

from __future__ import annotations

import contextlib
import threading
import time as clock
from collections.abc import Iterator, Mapping
from datetime import datetime
from itertools import islice
from typing import Any, Self

import sqlalchemy as sa

from dragoman.errors import BadInputError, StorageError
from dragoman.store.database import Database, patiently
from dragoman.store.deliveries import Delivery
from dragoman.store.fencing import Fence, find_about, find_channel, find_holder
from dragoman.store.follower import Listener
from dragoman.store.forgotten_marks import create_indexes, has_index, repair_marks
from dragoman.store.head import Head, check_head, drop_head, read_head, write_head
from dragoman.store.journal_errors import RewoundError, interrupted, no_journal
from dragoman.store.journal_tables import (
    CORRECTIONS,
    IN_FORCE,
    INSERT,
    JOURNAL,
    MARKED_ROWS,
    METADATA,
    NEWEST_FIRST,
    NO_TAIL,
    ROWS,
    UNFINISHED,
    WRITTEN,
    Transaction,
    read_tail,
)
from dragoman.store.lock import TakenError
from dragoman.store.row_reader import CHUNK, RowReader
from dragoman.store.rows import (
    LARGEST_ID,
    NO_ROW,
    Row,
    check_text,
    read_row,
    write_settings,
    write_time,
)
from dragoman.store.sqlite_files import TABLE, Place

BELIEVED = 1.0  # seconds for which a database that answered is taken to answer again: asking costs half an append


class Journal(RowReader):
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

    def __init__(self, place: Place, *, write: bool = False, unfinished: bool = False) -> None:
        self.warnings = []
        self._database = Database(place)
        self._keeps_head = self._database.file is not None
        head = read_head(self._database.file) if self._database.file else None  # before the rows
        self._fence = None if self._database.file else Fence(self._database)
        self._insert = INSERT
        self._lock = threading.Lock()
        self._tail = NO_TAIL
        self._appended = 0.0  # when it was last known that appending works
        try:
            with self._database.reading() as connection:
                if not sa.inspect(connection).has_table(TABLE):
                    raise no_journal(self.name, file=bool(self._database.file))
                if not unfinished and sa.inspect(connection).has_table(UNFINISHED.name):
                    raise interrupted(self.name)
                self._rows = ROWS if has_index(connection) else MARKED_ROWS
            if self._database.file:
                check_head(self._database.file, head, self._digest_of)
            if write:
                self.start_writing()
        except BaseException:
            self.close()
            raise

    @classmethod
    def create(cls, place: Place, *, unfinished: bool = False) -> Self:
        """Create an empty journal and open it for writing; refused if there is one already.

        An `unfinished` one can only be opened as such until `finish` is called; if nobody is writing it, the next
        `create` replaces it.
        """
        database = Database(place, write=True, create=True)
        try:
            if database.file:
                drop_head(database.file)
            with database.writing() as connection:
                _clear_unfinished(connection)
                if sa.inspect(connection).has_table(TABLE):
                    remedy = "open that one, or name another database or schema"
                    raise BadInputError("there is already a journal here", where=database.name, remedy=remedy)
                tables = [JOURNAL, UNFINISHED] if unfinished else [JOURNAL]
                METADATA.create_all(connection, tables=tables, checkfirst=False)
        finally:
            database.close()
        return cls(place, write=True, unfinished=unfinished)

    def finish(self) -> None:
        """Let a journal that was created as unfinished be opened by everybody."""
        with self._lock, self._database.writing() as connection:
            if self._fence:
                self._fence.check(connection)
            UNFINISHED.drop(connection)

    @staticmethod
    def drop(place: Place, *, unfinished: bool = False) -> None:
        """Undo `create`; if `unfinished`, only drop a journal that was never finished and that nobody writes."""
        with contextlib.closing(Database(place, write=True)) as database, database.writing() as connection:
            if unfinished:
                _clear_unfinished(connection)
            else:
                METADATA.drop_all(connection)

    @property
    def name(self) -> str:
        """Where the journal is, for messages: without the password."""
        return self._database.name

    def start_writing(self) -> None:
        """Start appending; in PostgreSQL, refused while another process does."""
        try:
            with patiently() if self._fence else contextlib.nullcontext():
                self._start_writing()
        except BaseException:
            self.stop_writing()
            raise

    def _start_writing(self) -> None:
        if self._fence:
            self._fence.take()
            self._database.open_writer(check=self._fence.hold)
        else:
            self._database.open_writer()
        self._index()
        with self._lock, self._database.writing() as connection:
            self.warnings += repair_marks(connection)
            self._tail = read_tail(connection)
            if self._fence:
                # The same announcement by several rows is made once, when their transaction is committed.
                told = sa.func.pg_notify(find_channel(connection), "")
                self._insert = sa.insert(JOURNAL).returning(JOURNAL.c.id, told)

    def _index(self) -> None:
        """Create indexes that a journal of an older version lacks; without them reading believes the marks."""
        with contextlib.suppress(StorageError), self._database.writing() as connection:  # not ours, or a full disk
            create_indexes(connection)
        with self._database.reading() as connection:
            self._rows = ROWS if has_index(connection) else MARKED_ROWS

    def check_usable(self) -> None:
        """Raise an error if the journal cannot be read, or not appended to if it is open for that."""
        if self.is_writable:
            self.check_reachable()
        with self._database.reading() as connection:
            read_tail(connection)

    def check_reachable(self) -> None:
        """Raise an error if a shared journal cannot be appended to, unless it was a moment ago."""
        if self._fence and clock.monotonic() - self._appended > BELIEVED:
            with self._lock, self._database.writing() as connection:
                self._fence.check(connection)
                connection.rollback()
            self._appended = clock.monotonic()

    def resume(self, known: int, known_digest: str) -> None:
        """Continue after this row, if it is the newest: after an error, when the rows up to here have been read again.

        One of them may be ours, committed although the reply was lost. If others appear later, or another process
        takes over, the next append is refused.
        """
        with self._lock, self._database.reading() as connection:
            tail = read_tail(connection)
            if (tail.id, tail.digest.hex()) == (known, known_digest):
                self._tail = tail

    def sync_lazily(self) -> None:
        """Do not wait for the disk: for projects that are thrown away; see `Database.sync_lazily`."""
        self._database.sync_lazily()
        self._keeps_head = False
        if self._database.file:
            drop_head(self._database.file)

    def stop_writing(self) -> None:
        """Stop writing, and let others write."""
        self._database.close_writer()
        if self._fence:
            self._fence.release()

    @property
    def is_writable(self) -> bool:
        """Whether we may append."""
        return self._database.is_writable

    def not_writable(self) -> BadInputError:
        """Why nothing can be appended."""
        return self._database.not_writable()

    @property
    def is_shared(self) -> bool:
        """Whether it is in PostgreSQL, where several project directories can use it."""
        return self._fence is not None

    @property
    def writer(self) -> str | None:
        """Who is writing a shared journal now."""
        with self._database.reading() as connection:
            return find_holder(connection)

    @property
    def is_taken_over(self) -> bool:
        """Whether another process has taken over writing a shared journal from us."""
        if self._fence is None or not self.is_writable:
            return False
        with self._database.reading() as connection:
            return not self._fence.is_newest(connection)

    @property
    def about(self) -> str | None:
        """The digest that the writer of a shared journal has set, of base and settings."""
        with self._database.reading() as connection:
            return find_about(connection)

    def describe(self, about: str) -> None:
        """Set the digest of base and settings of a shared journal, for others that open it."""
        if self._fence:
            with self.keeping() as connection:
                self._fence.describe(connection, about)

    @contextlib.contextmanager
    def keeping(self) -> Iterator[sa.Connection]:
        """One transaction for what is kept beside the rows; refused once somebody else has taken over writing."""
        with self._lock, self._database.writing() as connection:
            if self._fence:
                self._fence.check(connection)
            yield connection

    def reading(self) -> contextlib.AbstractContextManager[sa.Connection]:
        """A connection that sees the database as it is now, for what is kept beside the rows."""
        return self._database.reading()

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
        delivery: Delivery | None = None,
    ) -> int:
        """Record a correction that is learned, despite the `reason` for suspicion, if any; the id of its row."""
        with self._appending(user, time) as transaction:
            new = transaction.append("learn", source=source, target=target, reason=reason, contribution=contribution)
            return transaction.deliver(delivery, new)

    def append_flagged(
        self,
        source: str,
        target: str,
        *,
        reason: str,
        refers_to: int | None = None,
        user: str | None = None,
        time: datetime | None = None,
        delivery: Delivery | None = None,
    ) -> int:
        """Record a correction, or a revision of another, that is too suspicious to be learned."""
        with self._appending(user, time) as transaction:
            if refers_to is not None:
                transaction.correction(refers_to)
            new = transaction.append("flagged", source=source, target=target, reason=reason, refers_to=refers_to)
            return transaction.deliver(delivery, new)

    def append_forget(self, row_id: int, *, user: str | None = None, time: datetime | None = None) -> int:
        """Record that a correction is forgotten; the id of the new row."""
        with self._appending(user, time) as transaction:
            return transaction.forget(row_id)

    def append_revise(
        self,
        row_id: int,
        target: str,
        *,
        contribution: bytes | None = None,
        user: str | None = None,
        time: datetime | None = None,
        reason: str | None = None,
        delivery: Delivery | None = None,
    ) -> int:
        """Record that a correction is forgotten and its source learned with another target; the id of the latter."""
        with self._appending(user, time) as transaction:
            revised = {"source": transaction.correction(row_id)["source"], "refers_to": row_id}
            transaction.forget(row_id)
            new = transaction.append("learn", **revised, target=target, reason=reason, contribution=contribution)
            return transaction.deliver(delivery, new)

    def append_settings(
        self, settings: Mapping[str, Any], *, user: str | None = None, time: datetime | None = None
    ) -> int:
        """Record the settings in force from here on; the id of the row, which is their revision."""
        with self._appending(user, time) as transaction:
            return transaction.append("settings", settings=write_settings(settings))

    def _between(self, after: int, last: int, most: int) -> list[Row]:
        wanted = (JOURNAL.c.id > after) & (JOURNAL.c.id <= last)
        return self._fetch(self._rows.where(wanted).order_by(JOURNAL.c.id).limit(most))

    def news(self, known: int, known_digest: str) -> list[Row]:
        """The next rows after a known one, in batches if there are many; `RewoundError` if they do not continue it.

        A transaction is never divided: a `forget` at the end may be half a revision, and waits for the next batch.
        """
        with self._database.reading() as connection:
            query = self._rows.where(JOURNAL.c.id > known).order_by(JOURNAL.c.id).limit(CHUNK)
            found = connection.execute(query).mappings().all()
            same = sa.select(JOURNAL.c.digest).where(JOURNAL.c.id == known)
            before = found[0]["previous"] if found else connection.execute(same).scalar()
        if (before or NO_ROW).hex() != known_digest:
            remedy = "check whether the journal was restored from an old copy"
            raise RewoundError(f"does not go on from row {known} as we know it", where=self.name, remedy=remedy)
        rows = [read_row(each, self.name) for each in found]
        return rows[:-1] if len(rows) == CHUNK > 1 and rows[-1].kind == "forget" else rows

    def _digest_of(self, row_id: int) -> bytes | None:
        with self._database.reading() as connection:
            return connection.execute(sa.select(JOURNAL.c.digest).where(JOURNAL.c.id == row_id)).scalar()

    def history(
        self, limit: int = 50, offset: int = 0, search: str | None = None, *, in_force: bool = False
    ) -> list[Row]:
        """Corrections, newest first: learned or flagged, forgotten or not.

        `search` keeps those with this text in source or target, ignoring case; `in_force` keeps those that are learned
        and not forgotten. Both apply before `limit` and `offset`.
        """
        kept = IN_FORCE if in_force else JOURNAL.c.kind.in_(CORRECTIONS)
        if search is not None:
            found = self._search(search.casefold(), kept)
            return [self.get(row_id) for row_id in islice(found, offset, offset + limit)]
        return self._fetch(self._rows.where(kept).order_by(NEWEST_FIRST).limit(limit).offset(offset))

    @property
    def last_id(self) -> int:
        """The id of the newest row, 0 if there is none."""
        with self._database.reading() as connection:
            return read_tail(connection).id

    @property
    def count(self) -> int:
        """The number of corrections in force: learned, and not forgotten."""
        with self._database.reading() as connection:
            return connection.execute(sa.select(sa.func.count()).select_from(JOURNAL).where(IN_FORCE)).scalar_one()

    def close(self) -> None:
        """Close the connections; all rows are on disk already."""
        self.stop_writing()
        self._database.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    @contextlib.contextmanager
    def _appending(self, user: str | None, time: datetime | None) -> Iterator[Transaction]:
        """One transaction, which is on disk when this ends.

        The rows before must be those we know. After an error during a commit, ours may or may
        not be among them, and the caller has to read the journal again and `resume`.
        """
        check_text(user=user)
        with self._lock:
            self._appended = 0.0
            with self._database.writing() as connection:
                if self._fence:
                    self._fence.check(connection)
                signature = {"username": user, "time": write_time(time)}
                transaction = Transaction(connection, self._insert, read_tail(connection), signature)
                if transaction.tail != self._tail:
                    what = f"has row {transaction.tail.id} after row {self._tail.id}, which this process does not know"
                    raise StorageError(what, where=self.name, remedy="try again, or open the project again")
                yield transaction
                if time is not None:
                    WRITTEN.create(connection, checkfirst=True)
                    now, new = write_time(None), range(self._tail.id + 1, transaction.tail.id + 1)
                    connection.execute(sa.insert(WRITTEN), [{"row": row, "time": now} for row in new])
            self._tail = transaction.tail
            if self._keeps_head and self._database.file:
                write_head(self._database.file, Head(self._tail.id, self._tail.digest.hex()))
            self._appended = clock.monotonic()

    def _fetch(self, rows: sa.Select[Any]) -> list[Row]:
        with self._database.reading() as connection:
            return [read_row(found, self.name) for found in connection.execute(rows).mappings()]

    def _search(self, text: str, kept: sa.ColumnElement[bool]) -> Iterator[int]:
        """The ids of the kept corrections that contain a casefolded text, newest first."""
        texts = sa.select(JOURNAL.c.id, JOURNAL.c.source, JOURNAL.c.target).where(kept)
        texts = texts.order_by(NEWEST_FIRST).limit(CHUNK)
        before = LARGEST_ID
        while before:
            with self._database.reading() as connection:
                chunk = connection.execute(texts.where(JOURNAL.c.id < before)).all()
            yield from (
                each for each, source, target in chunk if text in source.casefold() or text in target.casefold()
            )
            before = chunk[-1].id if chunk else 0


def _clear_unfinished(connection: sa.Connection) -> None:
    """Drop a journal that was never finished and that nobody writes."""
    if sa.inspect(connection).has_table(UNFINISHED.name):
        if connection.dialect.name == "postgresql" and (who := find_holder(connection)):
            raise TakenError(f"a copy is being made here by {who}", remedy="wait for it, or name another schema")
        METADATA.drop_all(connection)
