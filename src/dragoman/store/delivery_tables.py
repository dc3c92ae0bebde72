"""Deliveries in the database of a journal: recorded with their rows, and found again."""

from __future__ import annotations

from collections.abc import Iterable

import sqlalchemy as sa

from dragoman.store.deliveries import Delivered, Delivery
from dragoman.store.journal_tables import FORGOTTEN_BY, ID, JOURNAL, METADATA, AnyText

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
