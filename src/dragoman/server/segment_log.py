"""Changes to segments, with what was there before: the history of each, and what people can take back.

Changes made by one request have the same batch, the number of its first change; so one undo takes all of them back.
"""

from __future__ import annotations

import sqlite3
from dataclasses import dataclass

from dragoman.server.document_store import DocumentStore, Segment, now

UNDONE = ("confirmed", "replacement")  # actions that a person can take back, with all that came with them
SHOWN = 200  # changes of a segment that are listed
COPIED = 10_000  # segments with the same source that are filled at once
CHANGE = "SELECT id, number, batch, time, user, action, target, state, version, old_target, old_state FROM changes"


@dataclass(frozen=True)
class Change:
    """A change to a segment."""

    id: int
    number: int
    batch: int
    time: str
    user: str | None
    action: str  # confirmed, draft, machine, memory, repetition, replacement, undo, approved, returned
    target: str
    state: str
    version: int  # after it
    old_target: str
    old_state: str


def record(
    connection: sqlite3.Connection, old: Segment, new: Segment, action: str, user: str | None, batch: int | None = None
) -> int:
    """Record a change, in its transaction, and return its batch; drafts of one person in a row count as one."""
    last = connection.execute(
        "SELECT id, action, user FROM changes WHERE document = ? AND number = ? ORDER BY id DESC LIMIT 1",
        (old.document, old.number),
    ).fetchone()
    if action == "draft" and last and last[1:] == ("draft", user):
        update = "UPDATE changes SET time = ?, target = ?, state = ?, version = ? WHERE id = ?"
        connection.execute(update, (now(), new.target, new.state, new.version, last[0]))
        return int(last[0])
    values = (old.document, old.number, batch or 0, now(), user, action, new.target, new.state, new.version)
    inserted = connection.execute(
        "INSERT INTO changes (document, number, batch, time, user, action, target, state, version, old_target,"
        " old_state, old_origin) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
        (*values, old.target, old.state, old.origin),
    ).lastrowid
    if batch is None:
        connection.execute("UPDATE changes SET batch = id WHERE id = ?", (inserted,))
    return int(batch or inserted or 0)


def history(store: DocumentStore, document: int, number: int) -> list[Change]:
    """The last changes to a segment, newest first."""
    query = f"{CHANGE} WHERE document = ? AND number = ? ORDER BY id DESC LIMIT ?"
    return [Change(*row) for row in store.rows(query, (document, number, SHOWN))]


def last_change(store: DocumentStore, document: int) -> int:
    """The number of the last change to a document, 0 if there was none."""
    query = "SELECT MAX(id) FROM changes WHERE document = ?"
    return int(store.rows(query, (document,))[0][0] or 0)


def undoable(store: DocumentStore, document: int, user: str | None, batch: int | None = None) -> list[Change]:
    """What somebody did last that can be taken back, or what they did in a batch, and all that came with it.

    What somebody else has changed since is theirs: only segments that are as this person left them are taken back.
    """
    still = (
        "(SELECT version FROM segments AS now WHERE now.document = changes.document AND now.number = changes.number)"
    )
    query = f"{CHANGE} WHERE document = ? AND user IS ? AND action IN (?, ?) AND NOT undone AND version = {still}"
    values: list[object] = [document, user, *UNDONE]
    if batch is not None:
        query, values = f"{query} AND batch = ?", [*values, batch]
    found = store.rows(f"{query} ORDER BY id DESC LIMIT 1", values)
    if not found:
        return []
    batch = Change(*found[0]).batch
    rows = store.rows(f"{CHANGE} WHERE document = ? AND batch = ? AND NOT undone ORDER BY id", (document, batch))
    return [Change(*row) for row in rows]


def made_by(store: DocumentStore, segment: Segment, user: str | None) -> int:
    """The batch in which somebody made a segment what it is now, 0 if it was somebody else."""
    query = "SELECT batch FROM changes WHERE document = ? AND number = ? AND version = ? AND user IS ? AND NOT undone"
    found = store.rows(f"{query} ORDER BY id DESC LIMIT 1", (segment.document, segment.number, segment.version, user))
    return int(found[0][0]) if found else 0


def mark_undone(store: DocumentStore, document: int, batch: int) -> None:
    """Remember that a batch was taken back."""
    with store.changing() as connection:
        connection.execute("UPDATE changes SET undone = 1 WHERE document = ? AND batch = ?", (document, batch))


def fill_repetitions(store: DocumentStore, confirmed: Segment, user: str | None, batch: int) -> list[int]:
    """Fill the other segments with the same source as drafts to review; what a person has written stays."""
    which = (
        "document = ? AND source_hash = (SELECT source_hash FROM segments WHERE document = ? AND number = ?)"
        " AND source = ? AND number <> ? AND state IN ('new', 'translated') AND target <> ?"
        " AND (target = '' OR origin IN ('machine', 'memory', 'repetition'))"
    )
    place = confirmed.document, confirmed.document, confirmed.number
    values = *place, confirmed.source, confirmed.number, confirmed.target
    with store.changing() as connection:
        select = f"SELECT number FROM segments INDEXED BY segments_by_source WHERE {which} ORDER BY number LIMIT ?"  # noqa: S608
        numbers = [row[0] for row in connection.execute(select, (*values, COPIED))]
        for number in numbers:
            _fill(connection, confirmed, number, user, batch)
    return numbers


def _fill(connection: sqlite3.Connection, confirmed: Segment, number: int, user: str | None, batch: int) -> None:
    place = confirmed.document, number
    connection.execute(
        "INSERT INTO changes (document, number, batch, time, user, action, target, state, version, old_target,"
        " old_state, old_origin) SELECT document, number, ?, ?, ?, 'repetition', ?, 'translated', version + 1, target,"
        " state, origin FROM segments WHERE document = ? AND number = ?",
        (batch, now(), user, confirmed.target, *place),
    )
    connection.execute(
        "UPDATE segments SET target = ?, suggestion = ?, state = 'translated', origin = 'repetition', match = 100,"
        " version = version + 1, changed = ?, user = ? WHERE document = ? AND number = ?",
        (confirmed.target, confirmed.target, now(), user, *place),
    )
    connection.execute("DELETE FROM findings WHERE document = ? AND number = ?", place)
    connection.execute(
        'INSERT INTO findings SELECT document, ?, position, name, severity, what, start, "end", source_start,'
        " source_end FROM findings WHERE document = ? AND number = ?",
        (number, confirmed.document, confirmed.number),
    )
    connection.execute(
        "UPDATE segments SET checked = version, held = 0, warnings = (SELECT COUNT(*) FROM findings"
        " WHERE document = ? AND number = ?) WHERE document = ? AND number = ?",
        (*place, *place),
    )


def put_back(store: DocumentStore, document: int, change: Change) -> bool:
    """Give a segment the draft back that it had before a change, unless it was changed since."""
    with store.changing() as connection:
        old_origin = connection.execute("SELECT old_origin FROM changes WHERE id = ?", (change.id,)).fetchone()[0]
        updated = connection.execute(
            "UPDATE segments SET target = ?, state = ?, origin = ?, match = NULL, version = version + 1, checked = 0,"
            " changed = ? WHERE document = ? AND number = ? AND version = ?",
            (change.old_target, change.old_state, old_origin, now(), document, change.number, change.version),
        ).rowcount
        if updated:
            connection.execute("DELETE FROM findings WHERE document = ? AND number = ?", (document, change.number))
            connection.execute(
                "UPDATE segments SET held = 0, warnings = 0 WHERE document = ? AND number = ?",
                (document, change.number),
            )
        return bool(updated)
