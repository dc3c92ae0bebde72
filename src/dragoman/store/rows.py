"""The rows of a journal: what is in one, how it is checked when read, and how its texts are stored.

Each row carries a digest of its contents and of the digest before it. So a row that was damaged, or has lost its
predecessor, is detected when it is read; and a digest identifies all rows up to its own, which tells whether a snapshot
was made of this journal or of one that has since been lost or replaced.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from numbers import Integral
from typing import Any

from dragoman.errors import BadInputError, DamagedFileError

NO_ROW = bytes(32)  # the digest before the first row
LARGEST_ID = 2**63 - 1


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
    contribution: bytes | None = field(repr=False)  # the numbers that it added
    digest: str  # of all rows up to this one, in hexadecimal

    @property
    def forgotten(self) -> bool:
        """Whether a later row has forgotten this one."""
        return self.forgotten_by is not None


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
        remedy = "save what is whole with `dragoman project repair`, or restore the journal from a copy"
        raise DamagedFileError(what, where=where, remedy=remedy)
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


def stored_text(text: str | None) -> str | None:
    """A text as the database holds it: U+0000, which PostgreSQL cannot store, as a noncharacter and a digit."""
    return text and text.replace("\ufdd0", "\ufdd01").replace("\0", "\ufdd00")


def given_text(text: str | None) -> str | None:
    """A text as it was given, from what the database holds."""
    return text and text.replace("\ufdd00", "\0").replace("\ufdd01", "\ufdd0")


def check_text(**texts: str | None) -> None:
    """Refuse text that is not Unicode: Python's strings can hold half a surrogate pair, which UTF-8 cannot express."""
    for name, text in texts.items():
        if not isinstance(text, str | None):
            raise BadInputError(f"the {name} is {text!r}, not a text", remedy="give a string")
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
    time = datetime.now(UTC) if time is None else time
    if not isinstance(time, datetime):
        raise BadInputError(f"{time!r} is not a time", remedy="give a datetime, such as datetime.now(UTC)")
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
        written = json.dumps(dict(settings), ensure_ascii=False, allow_nan=False, sort_keys=True)
    except (TypeError, ValueError) as error:
        raise BadInputError(f"cannot write these settings as JSON: {error}") from None
    check_text(settings=written)
    return written


def check_id(row_id: int) -> int:
    """The id, if a row can have it."""
    if not isinstance(row_id, Integral) or isinstance(row_id, bool):
        raise BadInputError(f"{row_id!r} is not the number of a correction", remedy="see the ids in the history")
    if not 0 < row_id <= LARGEST_ID:
        raise no_row(row_id)
    return row_id


def no_row(row_id: int) -> BadInputError:
    """The error for an id that no row has."""
    return BadInputError(f"there is no correction {row_id}", remedy="see the ids in the history")
