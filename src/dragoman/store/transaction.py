"""Appending to a journal: the rows of one transaction, and what the newest row says about the next."""

from __future__ import annotations

from typing import Any, NamedTuple

import sqlalchemy as sa

from dragoman.errors import BadInputError
from dragoman.store.deliveries import Delivery
from dragoman.store.delivery_tables import record_delivery
from dragoman.store.journal_tables import FORGOTTEN_BY, JOURNAL
from dragoman.store.rows import NO_ROW, check_id, check_text, digest, no_row

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
