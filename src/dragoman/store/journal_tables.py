"""The tables of a journal in a database, and the queries for its rows.

Deliveries in the database of a journal: recorded with their rows, and found again.

Appending to a journal: the rows of one transaction, and what the newest row says about the next.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, NamedTuple

import sqlalchemy as sa

from dragoman.errors import BadInputError
from dragoman.store.deliveries import Delivered, Delivery
from dragoman.store.rows import NO_ROW, check_id, check_text, digest, given_text, no_row, stored_text
from dragoman.store.sqlite_files import TABLE


class AnyText(sa.types.TypeDecorator[str]):
    """Any text: U+0000, which PostgreSQL cannot store, is written as a noncharacter and a digit."""

    impl = sa.Text
    cache_ok = True

    def process_bind_param(self, value: str | None, dialect: sa.Dialect) -> str | None:  # noqa: ARG002
        """The text as the database holds it."""
        return stored_text(value)

    def process_result_value(self, value: str | None, dialect: sa.Dialect) -> str | None:  # noqa: ARG002
        """The text as it was given."""
        return given_text(value)


def _index_some(name: str, column: sa.Column[Any], where: sa.ColumnElement[bool]) -> sa.Index:
    """An index of some rows; PostgreSQL is told when it creates one, since its dialect takes time to load."""
    index = sa.Index(name, column, sqlite_where=where)

    @sa.event.listens_for(index, "before_create")
    def tell_postgresql(_: sa.Index, connection: sa.Connection, **__: Any) -> None:
        if connection.dialect.name == "postgresql":
            index.dialect_options["postgresql"]["where"] = where

    return index


ID = sa.BigInteger().with_variant(sa.Integer, "sqlite")  # SQLite numbers the rows only in a column of this type
METADATA = sa.MetaData()
JOURNAL = sa.Table(
    TABLE,
    METADATA,
    sa.Column("id", ID, primary_key=True),
    sa.Column("kind", sa.Text, nullable=False),
    sa.Column("time", sa.Text, nullable=False),
    sa.Column("username", AnyText),  # `user` is something else in PostgreSQL
    sa.Column("source", AnyText),
    sa.Column("target", AnyText),
    sa.Column("reason", AnyText),
    sa.Column("refers_to", ID),
    sa.Column("forgotten_by", ID),
    sa.Column("settings", AnyText),
    sa.Column("revision", ID, nullable=False),
    sa.Column("digest", sa.LargeBinary, nullable=False),
    sa.Column("contribution", sa.LargeBinary),  # last, so that SQLite finds the others without reading past it
    sqlite_autoincrement=True,  # an id is given out once, even if its row is deleted
)
# When rows were written whose own time somebody has given, such as that of an older correction that was imported.
WRITTEN = sa.Table(
    "written", METADATA, sa.Column("row", ID, primary_key=True, autoincrement=False), sa.Column("time", sa.Text)
)
UNFINISHED = sa.Table(f"{TABLE}_unfinished", METADATA, sa.Column("id", ID))  # exists while the journal is being copied
IN_FORCE = (JOURNAL.c.kind == sa.literal_column("'learn'")) & JOURNAL.c.forgotten_by.is_(None)
_index_some(f"{TABLE}_in_force", JOURNAL.c.id, IN_FORCE)  # to count them quickly
_is_forget = JOURNAL.c.kind == sa.literal_column("'forget'")
_is_marked = JOURNAL.c.forgotten_by.is_not(None)
# Which rows forget a correction, and which corrections are marked as forgotten: to hold one against the other.
FORGETS = _index_some(f"{TABLE}_forgets", JOURNAL.c.refers_to, _is_forget)
MARKED = _index_some(f"{TABLE}_marked", JOURNAL.c.forgotten_by, _is_marked)
_before = JOURNAL.alias("before")
_previous = sa.select(_before.c.digest).where(_before.c.id < JOURNAL.c.id).order_by(_before.c.id.desc()).limit(1)
_later = JOURNAL.alias("later")
_forgets_it = (_later.c.kind == sa.literal_column("'forget'")) & (_later.c.refers_to == JOURNAL.c.id)
FORGOTTEN_BY = sa.select(sa.func.min(_later.c.id)).where(_forgets_it).scalar_subquery()
# All that `read_row` needs. The first form believes the mark `forgotten_by`, which is in no digest; the second looks
# for the row that forgets, which is. Without the index of those it would read the whole journal for each row.
MARKED_ROWS = sa.select(JOURNAL, _previous.scalar_subquery().label("previous"))
ROWS = MARKED_ROWS.add_columns(FORGOTTEN_BY.label("really_forgotten_by"))


DELIVERIES = sa.Table(
    "deliveries",
    METADATA,
    sa.Column("row", ID, primary_key=True, autoincrement=False),  # of the journal
    sa.Column("delivery", AnyText, unique=True),
    sa.Column("place", AnyText, index=True),
    sa.Column("version", sa.BigInteger, nullable=False),
)

# Further places that have a correction: it is known by each of them, and forgotten with the last.
OTHER_PLACES = sa.Table(
    "other_places",
    METADATA,
    sa.Column("row", ID, primary_key=True, autoincrement=False),
    sa.Column("place", AnyText, primary_key=True),
)


def record_delivery(connection: sa.Connection, delivery: Delivery, row: int) -> None:
    """Record how the correction in a row reached us."""
    DELIVERIES.create(connection, checkfirst=True)
    values = {"row": row, "delivery": delivery.id, "place": delivery.place, "version": delivery.version}
    connection.execute(sa.insert(DELIVERIES), values)


def find_delivery(connection: sa.Connection, message: str) -> int | None:
    """The row that a message led to, if it has been delivered."""
    if not sa.inspect(connection).has_table(DELIVERIES.name):
        return None
    return connection.execute(sa.select(DELIVERIES.c.row).where(DELIVERIES.c.delivery == message)).scalar()


def find_place(connection: sa.Connection, row: int) -> str | None:
    """The place in which the correction in a row was made."""
    if not sa.inspect(connection).has_table(DELIVERIES.name):
        return None
    return connection.execute(sa.select(DELIVERIES.c.place).where(DELIVERIES.c.row == row)).scalar()


def find_delivered(connection: sa.Connection, place: str) -> list[Delivered]:
    """The corrections made in a place, the oldest first."""
    if not sa.inspect(connection).has_table(DELIVERIES.name):
        return []
    in_force = (JOURNAL.c.kind == "learn") & FORGOTTEN_BY.is_(None)
    columns = JOURNAL.c.id, JOURNAL.c.source, JOURNAL.c.target, DELIVERIES.c.version, in_force, JOURNAL.c.kind
    query = sa.select(*columns).join(DELIVERIES, DELIVERIES.c.row == JOURNAL.c.id)
    found = connection.execute(query.where(DELIVERIES.c.place == place).order_by(JOURNAL.c.id))
    return [
        Delivered(row, source or "", target or "", version, bool(holds), kind == "flagged")
        for row, source, target, version, holds, kind in found
    ]


def note_place(connection: sa.Connection, place: str, rows: Iterable[int]) -> None:
    """Record that a place has corrections that were made elsewhere."""
    OTHER_PLACES.create(connection, checkfirst=True)
    known = set(connection.execute(sa.select(OTHER_PLACES.c.row).where(OTHER_PLACES.c.place == place)).scalars())
    if new := [{"row": row, "place": place} for row in dict.fromkeys(rows) if row not in known]:
        connection.execute(sa.insert(OTHER_PLACES), new)


def leave_place(connection: sa.Connection, place: str, row: int) -> None:
    """Record that a place no longer has a correction; if it was made there, another place is its home from now on."""
    OTHER_PLACES.create(connection, checkfirst=True)
    others = connection.execute(sa.select(OTHER_PLACES.c.place).where(OTHER_PLACES.c.row == row)).scalars().all()
    gone = place if place in others else next(iter(others), None)
    if place not in others and gone is not None:
        home = sa.update(DELIVERIES).where(DELIVERIES.c.row == row, DELIVERIES.c.place == place)
        connection.execute(home.values(place=gone))
    connection.execute(sa.delete(OTHER_PLACES).where(OTHER_PLACES.c.row == row, OTHER_PLACES.c.place == gone))


def find_noted(connection: sa.Connection, place: str) -> list[Delivered]:
    """The corrections in force that a place has, although they were made elsewhere."""
    if not sa.inspect(connection).has_table(OTHER_PLACES.name):
        return []
    in_force = (JOURNAL.c.kind == "learn") & FORGOTTEN_BY.is_(None)
    query = sa.select(JOURNAL.c.id, JOURNAL.c.source, JOURNAL.c.target).where(in_force)
    found = connection.execute(
        query.join(OTHER_PLACES, OTHER_PLACES.c.row == JOURNAL.c.id)
        .where(OTHER_PLACES.c.place == place)
        .order_by(JOURNAL.c.id)
    )
    return [Delivered(row, source or "", target or "", 0, True, False) for row, source, target in found]


def is_elsewhere(connection: sa.Connection, place: str, row: int) -> bool:
    """Whether another place has a correction, or somebody made it in no place at all."""
    home = find_place(connection, row)
    if home != place:
        return True
    if not sa.inspect(connection).has_table(OTHER_PLACES.name):
        return False
    query = sa.select(OTHER_PLACES.c.row).where(OTHER_PLACES.c.row == row, OTHER_PLACES.c.place != place)
    return connection.execute(query).first() is not None


CORRECTIONS = ("learn", "flagged")
INSERT = sa.insert(JOURNAL).returning(JOURNAL.c.id)  # built once: that takes longer than to execute it
NEWEST_FIRST = JOURNAL.c.id.desc()
TAIL = sa.select(JOURNAL.c.id, JOURNAL.c.kind, JOURNAL.c.revision, JOURNAL.c.digest).order_by(NEWEST_FIRST).limit(1)


class Tail(NamedTuple):
    """The newest row, as far as the next one depends on it."""

    id: int
    kind: str
    revision: int
    digest: bytes


NO_TAIL = Tail(0, "", 0, NO_ROW)


class Transaction:
    """The rows of one transaction."""

    def __init__(self, connection: sa.Connection, insert: sa.Insert, tail: Tail, signature: dict[str, Any]) -> None:
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
        self.tail = Tail(row_id, kind, revision, row["digest"])
        return row_id

    def correction(self, row_id: int) -> sa.RowMapping:
        """Kind, source and `forgotten_by` of the correction with this id; an error if it is not one."""
        columns = sa.select(JOURNAL.c.kind, JOURNAL.c.source, FORGOTTEN_BY.label("forgotten_by"))
        found = self.connection.execute(columns.where(JOURNAL.c.id == check_id(row_id))).mappings().first()
        if found is None:
            raise no_row(row_id)
        if found["kind"] not in CORRECTIONS:
            raise BadInputError(f"row {row_id} is a {found['kind']} row, not a correction")
        return found

    def forget(self, row_id: int) -> int:
        """Add a row that forgets a correction, and mark the correction; the id of the new row."""
        if self.correction(row_id)["forgotten_by"] is not None:
            raise BadInputError(f"correction {row_id} is already forgotten")
        forget = self.append("forget", refers_to=row_id)
        self.connection.execute(sa.update(JOURNAL).where(JOURNAL.c.id == row_id).values(forgotten_by=forget))
        return forget

    def deliver(self, delivery: Delivery | None, row_id: int) -> int:
        """Record how the correction in a new row reached us, if that is known; the id of the row."""
        if delivery is not None:
            check_text(delivery=delivery.id, place=delivery.place)
            record_delivery(self.connection, delivery, row_id)
        return row_id


def read_tail(connection: sa.Connection) -> Tail:
    """The end of the journal as it is now."""
    found = connection.execute(TAIL).first()
    return Tail(*found) if found else NO_TAIL
