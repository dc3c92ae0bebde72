"""Changes to segments, with what was there before: the history of each, and what people can take back.

Changes made by one request have the same batch, the number of its first change; so one undo takes all of them back.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Collection
from dataclasses import dataclass, replace

from dragoman.editor import segment_table
from dragoman.editor.document_store import DocumentStore, Segment, now

REGROUPED = ("merged", "split")
UNDONE = ("confirmed", "replacement", *REGROUPED)  # actions that a person can take back, with all that came with them
TYPED = "typed"  # the action of a text that was only typed: the segment did not change
LISTED_STEPS = 50  # things that can be taken back that are listed
CHANGES_TEXT = "action NOT IN ('typed', 'undo', 'redo', 'approved', 'returned')"
SHOWN = 200  # changes of a segment that are listed
COPIED = 10_000  # segments with the same source that are filled at once
MOST_TYPED = 100  # texts that were only typed and are kept of a segment, the newest
OF_TYPED = "FROM changes WHERE document = ? AND number = ? AND action = ?"
FORGET_TYPED = f"DELETE {OF_TYPED} AND id <= (SELECT id {OF_TYPED} ORDER BY id DESC LIMIT 1 OFFSET ?)"
CHANGE = (
    "SELECT id, number, batch, time, user, action, target, state, version, old_target, old_state, restored FROM changes"
)


@dataclass(frozen=True)
class LoggedChange:
    """A change to a segment."""

    id: int
    number: int
    batch: int
    time: str
    user: str | None
    action: str  # confirmed, draft, typed, machine, memory, repetition, replacement, merged, undo, approved …
    target: str
    state: str
    version: int  # after it
    old_target: str
    old_state: str
    restored: int = 0  # the version of the segment after this was taken back


def record(
    connection: sqlite3.Connection, old: Segment, new: Segment, action: str, user: str | None, batch: int | None = None
) -> int:
    """Record a change, in its transaction, and return its batch."""
    values = (old.document, old.number, batch or 0, now(), user, action, new.target, new.state, new.version)
    inserted = connection.execute(
        "INSERT INTO changes (document, number, batch, time, user, action, target, state, version, old_target,"
        " old_state, old_origin) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
        (*values, old.target, old.state, old.origin),
    ).lastrowid
    if batch is None:
        connection.execute("UPDATE changes SET batch = id WHERE id = ?", (inserted,))
    return int(batch or inserted or 0)


def keep_typed(store: DocumentStore, segment: Segment, text: str, user: str | None) -> None:
    """Keep a text that somebody has typed for a segment, which stays as it is; what was kept last is not kept again."""
    with store.writing() as connection:
        last = connection.execute(
            "SELECT target, user FROM changes WHERE document = ? AND number = ? ORDER BY id DESC LIMIT 1",
            (segment.document, segment.number),
        ).fetchone()
        if last != (text, user):
            record(connection, segment, replace(segment, target=text), TYPED, user)
            place = segment.document, segment.number, TYPED
            connection.execute(FORGET_TYPED, (*place, *place, MOST_TYPED))


def history(store: DocumentStore, document: int, number: int) -> list[LoggedChange]:
    """The last changes to a segment, newest first."""
    query = f"{CHANGE} WHERE document = ? AND number = ? ORDER BY id DESC LIMIT ?"
    return [LoggedChange(*row) for row in store.rows(query, (document, number, SHOWN))]


def last_change(store: DocumentStore, document: int) -> int:
    """The number of the last change to a document, 0 if there was none."""
    query = "SELECT MAX(id) FROM changes WHERE document = ?"
    return int(store.rows(query, (document,))[0][0] or 0)


# Of one person: what they did, and the last thing that they did not take back
OWN = f"document = ? AND user IS ? AND action IN ({', '.join('?' * len(UNDONE))})"
NEWEST = f"COALESCE((SELECT MAX(id) FROM changes WHERE {OWN} AND NOT undone), 0)"  # noqa: S608


@dataclass(frozen=True)
class LoggedStep:
    """Something that somebody has done, and can take back or do again: all changes of one batch."""

    batch: int
    time: str
    action: str
    number: int  # of its last segment
    segments: int
    target: str  # of that segment
    possible: bool  # False: the segment was changed since, by another step or another person


def undoable(store: DocumentStore, document: int, user: str | None, batch: int | None = None) -> list[LoggedChange]:
    """What somebody did last that can be taken back, or what they did in a batch, and all that came with it.

    What somebody else has changed since is theirs: only segments that are as this person left them are taken back.
    """
    which = f"NOT undone AND version = {segment_table.VERSION}"
    return _last_batch(store, (document, user, *UNDONE), which, batch, "id", "NOT undone")


def redoable(store: DocumentStore, document: int, user: str | None, batch: int | None = None) -> list[LoggedChange]:
    """What somebody took back last and can do again; nothing once they have done something else."""
    own, which = (document, user, *UNDONE), f"undone > {NEWEST} AND restored = {segment_table.VERSION}"
    return _last_batch(store, (*own, *own), which, batch, "undone", "undone")


def _last_batch(
    store: DocumentStore, values: tuple[object, ...], which: str, batch: int | None, order: str, state: str
) -> list[LoggedChange]:
    """All changes, in a state, of the last batch of which one is somebody's own and fits; or of this batch."""
    query = f"{CHANGE} WHERE {OWN} AND {which}"
    if batch is not None:
        query, values = f"{query} AND batch = ?", (*values, batch)
    found = store.rows(f"{query} ORDER BY {order} DESC LIMIT 1", values)
    if not found:
        return []
    place = values[0], LoggedChange(*found[0]).batch
    rows = store.rows(f"{CHANGE} WHERE document = ? AND batch = ? AND {state} ORDER BY id", place)
    return [LoggedChange(*row) for row in rows]


def steps(store: DocumentStore, document: int, user: str | None, *, redo: bool = False) -> list[LoggedStep]:
    """What somebody did, newest first; or what they took back and can do again, what was taken back last first."""
    at, order = ("restored", "MAX(undone)") if redo else ("version", "MAX(id)")
    which = f"undone > {NEWEST}" if redo else "NOT undone"
    query = (
        f"SELECT batch, time, action, number, COUNT(*), target, MAX({at} = {segment_table.VERSION}),"  # noqa: S608
        f" {order} FROM changes WHERE {OWN} AND {which} GROUP BY batch ORDER BY {order} DESC LIMIT ?"
    )
    own = document, user, *UNDONE
    rows = store.rows(query, (*own, *(own if redo else ()), LISTED_STEPS))
    return [LoggedStep(*row[:7]) for row in rows if row[6] or not redo]


def made_by(store: DocumentStore, segment: Segment, user: str | None) -> int:
    """The batch in which somebody made a segment what it is now, 0 if it was somebody else."""
    query = (
        "SELECT batch FROM changes WHERE document = ? AND number = ? AND version = ? AND user IS ? AND action <> ?"
        " AND NOT undone ORDER BY id DESC LIMIT 1"
    )
    found = store.rows(query, (segment.document, segment.number, segment.version, user, TYPED))
    return int(found[0][0]) if found else 0


def mark_undone(store: DocumentStore, document: int, changes: list[LoggedChange]) -> None:
    """Remember that changes of one batch were taken back; what each had changed counts again as its segment's last."""
    with store.writing() as connection:
        (last,) = connection.execute("SELECT MAX(id) FROM changes").fetchone()
        for change in changes:
            place = document, change.number
            found = connection.execute(segment_table.VERSION_OF, place).fetchone()
            version = found[0] if found else 0  # it was split off, and is no more
            mark = "UPDATE changes SET undone = ?, restored = ? WHERE id = ?"
            connection.execute(mark, (last, version, change.id))
            connection.execute(
                "UPDATE changes SET version = ? WHERE id = (SELECT id FROM changes WHERE document = ? AND number = ?"  # noqa: S608
                f" AND id < ? AND NOT undone AND {CHANGES_TEXT} ORDER BY id DESC LIMIT 1)"
                " AND target = ? AND state = ?",
                (version, *place, change.id, change.old_target, change.old_state),
            )


def mark_redone(store: DocumentStore, document: int, changes: list[LoggedChange]) -> None:
    """Remember that changes are in force again; what was taken back before them can be done again next."""
    with store.writing() as connection:
        for change in changes:
            place = document, change.number
            at = connection.execute(segment_table.VERSION_OF, place)
            version = at.fetchone()[0]
            again = "UPDATE changes SET undone = 0, restored = 0, version = ? WHERE id = ?"
            connection.execute(again, (version, change.id))
            connection.execute(
                "UPDATE changes SET restored = ? WHERE id = (SELECT id FROM changes WHERE document = ? AND number = ?"  # noqa: S608
                f" AND id > ? AND undone AND {CHANGES_TEXT} ORDER BY id LIMIT 1)"
                " AND old_target = ? AND old_state = ?",
                (version, *place, change.id, change.target, change.state),
            )


def repetitions_of(store: DocumentStore, confirmed: Segment) -> list[int]:
    """The other segments with the same source that may be filled; what a person has written stays."""
    place = confirmed.document, confirmed.document, confirmed.number
    values = *place, confirmed.source, confirmed.number, confirmed.target, COPIED
    return [number for (number,) in store.rows(segment_table.REPETITIONS, values)]


def fill_repetitions(
    store: DocumentStore, confirmed: Segment, user: str | None, batch: int, as_confirmed: Collection[int] = ()
) -> list[int]:
    """Fill the other segments with the same source, as drafts to review or some of them as confirmed."""
    numbers = repetitions_of(store, confirmed)
    with store.writing() as connection:
        for number in numbers:
            state = "confirmed" if number in as_confirmed else "translated"
            _fill(connection, confirmed, number, user, batch, state)
    return numbers


def _fill(
    connection: sqlite3.Connection, confirmed: Segment, number: int, user: str | None, batch: int, state: str
) -> None:
    place = confirmed.document, number
    connection.execute(
        segment_table.LOG_REPETITION,
        (batch, now(), user, confirmed.target, state, *place),
    )
    connection.execute(
        segment_table.FILL_REPETITION,
        (confirmed.target, confirmed.target, state, now(), user, *place),
    )
    connection.execute("DELETE FROM findings WHERE document = ? AND number = ?", place)
    connection.execute(
        'INSERT INTO findings SELECT document, ?, position, name, severity, what, start, "end", source_start,'
        " source_end FROM findings WHERE document = ? AND number = ?",
        (number, confirmed.document, confirmed.number),
    )
    connection.execute(
        segment_table.COUNT_REPETITION,
        (*place, *place),
    )


def put_back(store: DocumentStore, document: int, change: LoggedChange) -> bool:
    """Give a segment the draft back that it had before a change, unless it was changed since."""
    with store.writing() as connection:
        old_origin = connection.execute("SELECT old_origin FROM changes WHERE id = ?", (change.id,)).fetchone()[0]
        updated = connection.execute(
            segment_table.PUT_BACK,
            (change.old_target, change.old_state, old_origin, now(), document, change.number, change.version),
        ).rowcount
        if updated:
            connection.execute("DELETE FROM findings WHERE document = ? AND number = ?", (document, change.number))
            connection.execute(
                segment_table.FORGET_FINDINGS,
                (document, change.number),
            )
        return bool(updated)
