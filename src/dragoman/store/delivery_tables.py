"""Deliveries in the database of a journal: recorded with their rows, and found again."""

from __future__ import annotations

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
