"""The rows of a journal: what is in one, how it is kept in a database, and how it is checked when read.

Each row carries a digest of its contents and of the digest before it. So a row that was damaged, or has lost its
predecessor, is detected when it is read; and a digest identifies all rows up to its own, which tells whether a snapshot
was made of this journal or of one that has since been lost or replaced.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

import sqlalchemy as sa

from dragoman.errors import BadInputError, DamagedFileError
from dragoman.store.database import TABLE

NO_ROW = bytes(32)  # the digest before the first row


@dataclass(frozen=True, slots=True)
class Row:
    """One row of a journal, as it was written."""

    id: int
    kind: str  # learn, flagged, forget or settings
    time: datetime  # UTC
    user: str | None
    source: str | None
    target: str | None
    reason: str | None  # why a correction looked suspicious; it was learned anyway if somebody passed force
    refers_to: int | None  # forget: the correction forgotten; learn, flagged: the correction revised
    forgotten_by: int | None  # the id of the row that forgot this one
    settings: dict[str, Any] | None
    revision: int  # the id of the settings in force, 0 for those the project began with
    contribution: bytes | None
    digest: str  # of all rows up to this one, in hexadecimal

    @property
    def forgotten(self) -> bool:
        """Whether a later row has forgotten this one."""
        return self.forgotten_by is not None


class AnyText(sa.types.TypeDecorator[str]):
    """Any text: U+0000, which PostgreSQL cannot store, is written as a noncharacter and a digit."""

    impl = sa.Text
    cache_ok = True

    def process_bind_param(self, value: str | None, dialect: sa.Dialect) -> str | None:  # noqa: ARG002
        """The text as the database holds it."""
        return value and value.replace("\ufdd0", "\ufdd01").replace("\0", "\ufdd00")

    def process_result_value(self, value: str | None, dialect: sa.Dialect) -> str | None:  # noqa: ARG002
        """The text as it was given."""
        return value and value.replace("\ufdd00", "\0").replace("\ufdd01", "\ufdd0")


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


def digest(previous: bytes, values: Mapping[Any, Any]) -> bytes:
    """The digest of a row with these values after a row with that digest; id and `forgotten_by` do not enter it."""
    contribution = values["contribution"]
    names = ("kind", "time", "username", "source", "target", "reason", "refers_to", "settings", "revision")
    text = json.dumps([*(values[name] for name in names), None if contribution is None else len(contribution)])
    return hashlib.sha256(previous + text.encode() + (contribution or b"")).digest()


def read_row(values: Mapping[Any, Any], where: str) -> Row:
    """The row with these values of `ROWS` or `MARKED_ROWS`, if its digest is right."""
    if digest(values["previous"] or NO_ROW, values) != values["digest"]:
        what = f"row {values['id']} of the journal, or the row before it, has been altered"
        raise DamagedFileError(what, where=where, remedy="restore the journal from a copy")
    return Row(
        id=values["id"],
        kind=values["kind"],
        time=datetime.fromisoformat(values["time"]),
        user=values["username"],
        source=values["source"],
        target=values["target"],
        reason=values["reason"],
        refers_to=values["refers_to"],
        forgotten_by=values.get("really_forgotten_by", values["forgotten_by"]),
        settings=None if values["settings"] is None else json.loads(values["settings"]),
        revision=values["revision"],
        contribution=values["contribution"],
        digest=values["digest"].hex(),
    )


def check_text(**texts: str | None) -> None:
    """Refuse text that is not Unicode: Python's strings can hold half a surrogate pair, which UTF-8 cannot express."""
    for name, text in texts.items():
        try:
            (text or "").encode()
        except UnicodeEncodeError as error:
            what = f"character {error.start + 1} of the {name} is half a surrogate pair"
            raise BadInputError(what, remedy="decode the text from its file again, as UTF-8") from None


def write_time(time: datetime | None) -> str:
    """A time, or now, in UTC and always of the same length, so that it sorts as text.

    >>> write_time(datetime(2024, 5, 1, 12, tzinfo=UTC))
    '2024-05-01T12:00:00.000000+00:00'
    """
    time = time or datetime.now(UTC)
    if time.tzinfo is None:
        raise BadInputError(f"the time {time} has no time zone", remedy="add one, such as datetime.UTC")
    try:
        return time.astimezone(UTC).isoformat(timespec="microseconds")
    except OverflowError:
        remedy = "give a time in the years 1 to 9999"
        raise BadInputError(f"the time {time} is out of range in UTC", remedy=remedy) from None


def write_settings(settings: Mapping[str, Any]) -> str:
    """Settings as JSON."""
    try:
        return json.dumps(dict(settings), ensure_ascii=False, allow_nan=False, sort_keys=True)
    except (TypeError, ValueError) as error:
        raise BadInputError(f"cannot write these settings as JSON: {error}") from None
