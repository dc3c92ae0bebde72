"""What other engines said, kept in the journal's database: each text is asked once, and then there offline too.

Answers are not part of the journal: no row refers to them, a replay does not need them, and losing them costs nothing
but asking again. A process that may not write the journal keeps them in a file of its own (`answer_file`). A second
table counts the requests and characters that each engine was sent each day, so that a limit holds across restarts.

>>> from pathlib import Path; from tempfile import TemporaryDirectory
>>> directory = TemporaryDirectory()
>>> from dragoman.store.journal import Journal
>>> journal = Journal.create(Path(directory.name, "journal.db"))
>>> answers = Answers(journal, "en", "es")
>>> answers.keep("ct2:nmt", "1", [AnswerEntry("Open the file.", "", '["Abra el archivo."]')])
>>> [kept] = answers.find("ct2:nmt", [("Open the file.", "")])
>>> kept.version, kept.answer
('1', '["Abra el archivo."]')
>>> journal.close(); directory.cleanup()
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Iterator, Sequence
from contextlib import AbstractContextManager
from datetime import UTC, datetime
from importlib import import_module
from typing import Any, NamedTuple, Protocol

import sqlalchemy as sa

from dragoman.store.journal_tables import ID, METADATA, AnyText
from dragoman.store.rows import write_time

MOST = 500_000  # answers in a database; the oldest go first
CHUNK = 500  # answers looked for, or read, at once
ANSWERS = sa.Table(
    "answers",
    METADATA,
    sa.Column("id", ID, primary_key=True),
    sa.Column("key", sa.LargeBinary, nullable=False, unique=True),  # digest of all that identifies the answer
    sa.Column("text_key", sa.LargeBinary, nullable=False, index=True),  # the same for any version and any terms
    sa.Column("engine", AnyText, nullable=False),
    sa.Column("version", AnyText, nullable=False),
    sa.Column("source", sa.Text, nullable=False),  # codes of the languages
    sa.Column("target", sa.Text, nullable=False),
    sa.Column("terms", sa.Text, nullable=False),  # stands for the settled terms that were asked for, "" for none
    sa.Column("time", sa.Text, nullable=False),
    sa.Column("text", AnyText, nullable=False),
    sa.Column("answer", AnyText, nullable=False),
    sqlite_autoincrement=True,  # newer answers have greater ids, also after all were cleared
)
SPENT = sa.Table(
    "answers_spent",
    METADATA,
    sa.Column("engine", AnyText, primary_key=True),
    sa.Column("day", sa.Text, primary_key=True),  # UTC
    sa.Column("requests", sa.BigInteger, nullable=False),
    sa.Column("characters", sa.BigInteger, nullable=False),
)


class AnswerEntry(NamedTuple):
    """An answer to keep."""

    text: str
    terms: str
    answer: str


class KeptAnswer(NamedTuple):
    """An answer as it was kept."""

    text: str
    terms: str
    answer: str
    version: str
    time: str  # when it was kept


class Summary(NamedTuple):
    """How many answers of an engine are kept."""

    engine: str
    version: str
    source: str
    target: str
    number: int
    newest: str  # time


class Spent(NamedTuple):
    """What an engine was sent on one day."""

    requests: int
    characters: int


class AnswerStore(Protocol):
    """A database that answers are kept in: a journal's, or a file."""

    @property
    def is_writable(self) -> bool:
        """Whether this process may keep anything there."""
        ...

    def reading(self) -> AbstractContextManager[sa.Connection]:
        """A connection that sees the database as it is now."""
        ...

    def keeping(self) -> AbstractContextManager[sa.Connection]:
        """One transaction: on disk when it ends, or as if it had never begun."""
        ...


class Answers:
    """The answers in one database for one pair of languages; safe to use from threads."""

    def __init__(self, store: AnswerStore, source: str, target: str, *, most: int = MOST) -> None:
        self._store, self._languages, self._most = store, (source, target), most
        self._is_there = False

    @property
    def is_writable(self) -> bool:
        """Whether this process may keep answers here."""
        return self._store.is_writable

    def find(
        self, engine: str, wanted: Sequence[tuple[str, str]], version: str | None = None, *, any_terms: bool = False
    ) -> list[KeptAnswer | None]:
        """For each text, with its terms, the answer of this version; without a version, the newest of any.

        With `any_terms`, an answer that was given for other terms will do where there is none for these.
        """
        found: dict[bytes, list[KeptAnswer]] = {}
        keys = [self._digest(engine, text) for text, _ in wanted]
        if self._exists():
            columns = (ANSWERS.c[name] for name in ("text_key", *KeptAnswer._fields))
            query = sa.select(*columns).order_by(ANSWERS.c.id.desc())
            for start in range(0, len(keys), CHUNK):
                with self._store.reading() as connection:
                    for key, *kept in connection.execute(
                        query.where(ANSWERS.c.text_key.in_(keys[start : start + CHUNK]))
                    ):
                        found.setdefault(bytes(key), []).append(KeptAnswer(*kept))
        return [
            _choose(found.get(key, ()), terms, version, any_terms) for key, (_, terms) in zip(keys, wanted, strict=True)
        ]

    def keep(self, engine: str, version: str, entries: Iterable[AnswerEntry]) -> None:
        """Keep answers, all of them or none, in the place of older ones; the oldest of all go if there are too many."""
        source, target = self._languages
        common = {"engine": engine, "version": version, "source": source, "target": target, "time": write_time(None)}
        rows: dict[bytes, dict[str, Any]] = {}
        for entry in entries:
            text_key = self._digest(engine, entry.text)
            key = hashlib.sha256(text_key + json.dumps([version, entry.terms]).encode()).digest()
            rows[key] = common | entry._asdict() | {"key": key, "text_key": text_key}
        if not rows:
            return
        with self._store.keeping() as connection:
            self._make(connection)
            keys = list(rows)
            for start in range(0, len(keys), CHUNK):  # what is said again is the newest: it gets a new id
                connection.execute(sa.delete(ANSWERS).where(ANSWERS.c.key.in_(keys[start : start + CHUNK])))
            connection.execute(sa.insert(ANSWERS), list(rows.values()))
            newest = sa.select(sa.func.max(ANSWERS.c.id)).scalar_subquery()
            connection.execute(sa.delete(ANSWERS).where(ANSWERS.c.id <= newest - self._most))

    def spend(
        self,
        engine: str,
        requests: int,
        characters: int,
        *,
        most_requests: int | None = None,
        most_characters: int | None = None,
    ) -> bool:
        """Count what is about to be sent; False, and nothing is counted, if that would exceed the limit of the day."""
        with self._store.keeping() as connection:
            self._make(connection)
            before = _read_spent(connection, engine)
            after = Spent(before.requests + requests, before.characters + characters)
            if after.requests > _limit(most_requests) or after.characters > _limit(most_characters):
                return False
            insert = _insert(connection, SPENT).values(engine=engine, day=_today(), **after._asdict())
            connection.execute(insert.on_conflict_do_update(index_elements=["engine", "day"], set_=after._asdict()))
            return True

    def spent(self, engine: str) -> Spent:
        """What an engine was sent today."""
        if not self._exists():
            return Spent(0, 0)
        with self._store.reading() as connection:
            return _read_spent(connection, engine)

    def summaries(self) -> list[Summary]:
        """What is kept, by engine, version and languages; all languages in the database, the newest first."""
        if not self._exists():
            return []
        groups = [ANSWERS.c[name] for name in ("engine", "version", "source", "target")]
        newest = sa.func.max(ANSWERS.c.time)
        query = sa.select(*groups, sa.func.count(), newest).group_by(*groups).order_by(newest.desc())
        with self._store.reading() as connection:
            return [Summary._make(found) for found in connection.execute(query)]

    def entries(self, engine: str | None = None) -> Iterator[KeptAnswer]:
        """All answers for our languages, the oldest first."""
        after = 0
        columns = (ANSWERS.c[name] for name in ("id", *KeptAnswer._fields))
        query = self._ours(sa.select(*columns), engine, None).order_by(ANSWERS.c.id).limit(CHUNK)
        while self._exists():
            with self._store.reading() as connection:
                chunk = connection.execute(query.where(ANSWERS.c.id > after)).all()
            yield from (KeptAnswer(*kept) for _, *kept in chunk)
            if len(chunk) < CHUNK:
                return
            after = chunk[-1].id

    def clear(self, engine: str | None = None, version: str | None = None) -> int:
        """Delete the answers for our languages, of one engine or all; how many there were."""
        if not self._exists():
            return 0
        with self._store.keeping() as connection:
            return connection.execute(self._ours(sa.delete(ANSWERS), engine, version)).rowcount

    def _ours(self, query: Any, engine: str | None, version: str | None) -> Any:
        source, target = self._languages
        query = query.where(ANSWERS.c.source == source, ANSWERS.c.target == target)
        if engine is not None:
            query = query.where(ANSWERS.c.engine == engine)
        return query if version is None else query.where(ANSWERS.c.version == version)

    def _digest(self, engine: str, text: str) -> bytes:
        return hashlib.sha256(json.dumps([engine, *self._languages, text]).encode()).digest()

    def _exists(self) -> bool:
        """Whether there are tables; the writer makes them when there is something to keep."""
        if not self._is_there:
            with self._store.reading() as connection:
                self._is_there = sa.inspect(connection).has_table(SPENT.name)
        return self._is_there

    def _make(self, connection: sa.Connection) -> None:
        if not self._is_there:
            METADATA.create_all(connection, tables=[ANSWERS, SPENT])
            # Known only once this is committed: until then readers would look for tables that are not there.


def _choose(found: Sequence[KeptAnswer], terms: str, version: str | None, any_terms: bool) -> KeptAnswer | None:
    """The newest that fits; those found are the newest first."""
    fitting = [kept for kept in found if version is None or kept.version == version]
    same = next((kept for kept in fitting if kept.terms == terms), None)
    return same or (fitting[0] if fitting and any_terms else None)


def _limit(most: int | None) -> float:
    return float("inf") if most is None else most


def _today() -> str:
    return datetime.now(UTC).date().isoformat()


def _read_spent(connection: sa.Connection, engine: str) -> Spent:
    query = sa.select(SPENT.c.requests, SPENT.c.characters).where(SPENT.c.engine == engine, SPENT.c.day == _today())
    found = connection.execute(query).first()
    return Spent(*found) if found else Spent(0, 0)


def _insert(connection: sa.Connection, table: sa.Table) -> Any:
    """Both kinds of database can insert or update in one statement, each in a dialect of its own."""
    dialect: Any = import_module(f"sqlalchemy.dialects.{connection.dialect.name}")
    return dialect.insert(table)
