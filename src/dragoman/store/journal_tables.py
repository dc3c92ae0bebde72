"""The tables of a journal in a database, and the queries for its rows."""

from __future__ import annotations

from typing import Any

import sqlalchemy as sa

from dragoman.store.rows import given_text, stored_text
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
