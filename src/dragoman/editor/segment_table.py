"""Every statement on the table of segments, by what it is for: who changes the table finds them all here.

Filters are put together by `segment_filter`; the table itself is declared and brought up to date in `document_schema`,
its checksums are in `segment_sums`.
"""

from __future__ import annotations

from collections.abc import Iterable

from dragoman.editor.document_schema import WORDS
from dragoman.editor.segment_sums import SUM

# ── One segment, a page, a document ──────────────────────────────────────────────────────────────────────────────────

SEGMENT = (
    "SELECT document, number, key, source, target, state, correction, version, suggestion, key_strokes, mouse_actions,"  # noqa: S608
    " milliseconds, edits, user, changed, reviewer, assignee, origin, match, context, note, max_length, held, warnings,"
    " (SELECT COUNT(*) FROM comments WHERE comments.document = segments.document"
    f" AND comments.number = segments.number), place, {SUM} FROM segments"
)
DOCUMENT = (
    "SELECT id, name, time, assignee, format, settings,"
    " (SELECT COUNT(*) FROM segments INDEXED BY segments_held WHERE document = id AND held),"
    " (SELECT COUNT(*) FROM segments INDEXED BY segments_reviewed WHERE document = id AND reviewer IS NOT NULL),"
    " EXISTS (SELECT 1 FROM regroupings WHERE document = documents.id AND NOT undone) FROM documents"
)
PLACES = "SELECT document, number FROM segments WHERE correction = ? ORDER BY document, number LIMIT 1000"
LETTERS = (
    "SELECT CASE WHEN reviewer IS NOT NULL THEN 'r' ELSE substr(state, 1, 1) END FROM segments WHERE document = ?"
    " ORDER BY COALESCE(place, number)"
)
ORDER = "SELECT number FROM segments WHERE document = ? ORDER BY COALESCE(place, number)"
NUMBER = "SELECT number FROM segments"
LAST = "SELECT MAX(number) FROM segments WHERE document = ?"
INSERT = (
    "INSERT INTO segments (document, number, key, source, target, state, context, note, max_length,"
    " source_hash, origin) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"
)
DETACH = "UPDATE segments SET correction = NULL, state = 'translated', version = version + 1"
REDIRECT = "UPDATE segments SET correction = ?, target = ?, version = version + 1 WHERE correction = ?"
VERSION = "(SELECT version FROM segments AS now WHERE now.document = changes.document AND now.number = changes.number)"
VERSION_OF = "SELECT version FROM segments WHERE document = ? AND number = ?"


def change(names: Iterable[str]) -> str:
    """Change fields of a segment that is still at a version; names are our own, not those of a request."""
    fields = ", ".join(f"{name} = ?" for name in names)
    return f"UPDATE segments SET {fields}, version = version + 1 WHERE document = ? AND number = ? AND version = ?"  # noqa: S608


# ── Segments that are merged and split ───────────────────────────────────────────────────────────────────────────────

STEPS = "SELECT kind, first, second, at FROM regroupings WHERE document = ? AND NOT undone ORDER BY id"
NEXT = (
    "SELECT number, place FROM (SELECT * FROM (SELECT number, number AS place FROM segments WHERE document = ?"
    " AND number > ? AND place IS NULL ORDER BY number LIMIT 1) UNION ALL SELECT * FROM (SELECT number, place"
    " FROM segments WHERE document = ? AND place IS NOT NULL AND place > ? ORDER BY place LIMIT 1))"
    " ORDER BY place LIMIT 1"
)
HIGHEST = (
    "SELECT MAX((SELECT COALESCE(MAX(number), 0) FROM segments WHERE document = ?),"
    " (SELECT COALESCE(MAX(other), 0) FROM regroupings WHERE document = ?),"
    " (SELECT COALESCE(MAX(number), 0) FROM changes WHERE document = ?))"
)
HEIR = (
    "SELECT number FROM regroupings WHERE document = ? AND other = ? AND undone = (kind = 'split') AND NOT EXISTS"
    " (SELECT 1 FROM segments WHERE document = ? AND number = ?) ORDER BY id DESC LIMIT 1"
)
WHOLE_ROWS = "SELECT * FROM segments WHERE document = ? AND number IN (?, ?)"
DELETE = "DELETE FROM segments WHERE document = ? AND number = ?"
BY_KEY = "SELECT key, number FROM segments WHERE document = ?"
RECOUNT = (
    "DELETE FROM progress WHERE document = ?",
    f"INSERT INTO progress SELECT document, state, COUNT(*), SUM({WORDS.format(text='source')})"  # noqa: S608
    " FROM segments WHERE document = ? GROUP BY document, state",
    "DELETE FROM effort WHERE document = ?",
    "INSERT INTO effort SELECT document, COUNT(*), SUM(key_strokes), SUM(mouse_actions), SUM(milliseconds),"  # noqa: S608
    f" SUM(LENGTH(target)), SUM({WORDS.format(text='target')}), SUM(COALESCE(edits, 0)) FROM segments"
    " WHERE document = ? AND state = 'confirmed' AND suggestion IS NOT NULL GROUP BY document",
)


def insert_row(names: Iterable[str]) -> str:
    """Insert a row of the table as it was read; names are those of its columns."""
    columns = list(names)
    return f"INSERT INTO segments ({', '.join(columns)}) VALUES ({', '.join('?' * len(columns))})"  # noqa: S608


# ── Segments with the same source ────────────────────────────────────────────────────────────────────────────────────

REPEATS = (
    "SELECT number FROM segments INDEXED BY segments_by_source WHERE document = ?"
    " AND source_hash = source_hash(?) AND source = ? AND number <> ? ORDER BY number LIMIT ?"
)
OTHERWISE = (
    "SELECT number, target FROM segments INDEXED BY segments_by_source WHERE document = ?"
    " AND source_hash = source_hash(?) AND source = ? AND number <> ? AND state = 'confirmed' AND target <> ?"
    " ORDER BY number LIMIT 1"
)
REPETITIONS = (
    "SELECT number FROM segments INDEXED BY segments_by_source WHERE"
    " document = ? AND source_hash = (SELECT source_hash FROM segments WHERE document = ? AND number = ?)"
    " AND source = ? AND number <> ? AND state IN ('new', 'translated') AND target <> ?"
    " AND (target = '' OR origin IN ('machine', 'memory', 'repetition')) ORDER BY number LIMIT ?"
)
LOG_REPETITION = (
    "INSERT INTO changes (document, number, batch, time, user, action, target, state, version, old_target,"
    " old_state, old_origin) SELECT document, number, ?, ?, ?, 'repetition', ?, ?, version + 1, target,"
    " state, origin FROM segments WHERE document = ? AND number = ?"
)
FILL_REPETITION = (
    "UPDATE segments SET target = ?, suggestion = ?, state = ?, origin = 'repetition', match = 100,"
    " version = version + 1, changed = ?, user = ? WHERE document = ? AND number = ?"
)
COUNT_REPETITION = (
    "UPDATE segments SET checked = version, held = 0, warnings = (SELECT COUNT(*) FROM findings"
    " WHERE document = ? AND number = ?) WHERE document = ? AND number = ?"
)
PUT_BACK = (
    "UPDATE segments SET target = ?, state = ?, origin = ?, match = NULL, version = version + 1, checked = 0,"
    " changed = ? WHERE document = ? AND number = ? AND version = ?"
)

# ── Many segments at once ────────────────────────────────────────────────────────────────────────────────────────────

PUT_TEXT = (
    "UPDATE segments SET target = ?, state = ?, origin = ?, match = NULL, edits = NULL, reviewer = NULL, checked = 0,"
    " held = 0, warnings = 0, user = ?, changed = ?, version = version + 1 WHERE document = ? AND number = ?"
    " AND version = ?"
)
LOG_TEXT = (
    "INSERT INTO changes (document, number, batch, time, user, action, target, state, version, old_target, old_state,"
    " old_origin) SELECT document, number, ?, ?, ?, ?, ?, ?, version + 1, target, state, origin FROM segments"
    " WHERE document = ? AND number = ? AND version = ?"
)
UNTAUGHT = (
    "INSERT OR IGNORE INTO untaught SELECT document, number FROM segments WHERE document = ? AND number = ?"
    " AND (state = 'confirmed' OR correction IS NOT NULL)"
)
EMPTY = (
    "UPDATE segments SET target = '', state = 'new', correction = NULL, suggestion = NULL"
    " WHERE document = ? AND number = ?"
)
RENUMBER = (  # by the table `renumbered`; a segment without a new correction is a draft again
    "UPDATE segments SET state = 'translated' WHERE correction IS NOT NULL"
    " AND correction NOT IN (SELECT old FROM renumbered)",
    "UPDATE segments SET correction = (SELECT new FROM renumbered WHERE old = correction) WHERE correction IS NOT NULL",
)
REFER = "UPDATE segments SET correction = ? WHERE document = ? AND number = ?"

# ── What the checks found, and what is delivered ─────────────────────────────────────────────────────────────────────

PAIRS = "SELECT number, source, target FROM segments WHERE document = ? ORDER BY number"
CONFIRMED = "SELECT key, target FROM segments WHERE document = ? AND state = 'confirmed' AND number <> ? AND NOT held"
UNCHANGED = "SELECT 1 FROM segments WHERE document = ? AND number = ? AND version = ?"
_UNCHECKED = "document = ? AND target <> '' AND state <> 'locked' AND checked <> version"
UNCHECKED = f"SELECT number FROM segments WHERE {_UNCHECKED} LIMIT ?"  # noqa: S608
UNCHECKED_COUNT = f"SELECT COUNT(*) FROM segments WHERE {_UNCHECKED}"  # noqa: S608
UNDELIVERED = (
    "SELECT number, state, (SELECT what FROM findings WHERE findings.document = segments.document"
    " AND findings.number = segments.number AND severity = 'error' LIMIT 1) FROM segments"
    " WHERE document = ? AND state <> 'locked' AND (held OR state <> 'confirmed') ORDER BY number"
)
ODD_PAIRS = (
    "SELECT number, source, target FROM segments WHERE document = ? AND state = 'confirmed' AND NOT held"
    " AND (source GLOB ? OR target GLOB ?)"
)
SET_CHECKED = "UPDATE segments SET checked = version WHERE document = ? AND number = ?"
FORGET_FINDINGS = "UPDATE segments SET held = 0, warnings = 0 WHERE document = ? AND number = ?"
ACCEPTED = (
    "EXISTS (SELECT 1 FROM accepted WHERE accepted.document = findings.document"
    " AND accepted.number = findings.number AND accepted.name = findings.name AND accepted.what = findings.what)"
)


def count_findings(off: int) -> str:
    """Count the findings of a document's segments again, where so many checks are switched off."""
    here = "findings.document = segments.document AND findings.number = segments.number"
    marks = ", ".join("?" * off)
    return (
        "UPDATE segments SET"  # noqa: S608
        f" held = EXISTS (SELECT 1 FROM findings WHERE {here} AND severity = 'error'),"
        f" warnings = (SELECT COUNT(*) FROM findings WHERE {here} AND severity <> 'error' AND name NOT IN ({marks})"
        f" AND NOT {ACCEPTED}) WHERE document = ?"
    )


# ── Teams and effort ─────────────────────────────────────────────────────────────────────────────────────────────────

ASSIGN = "UPDATE segments SET assignee = ? WHERE document = ? AND number = ?"
ASSIGN_FROM = "UPDATE segments SET assignee = ? WHERE document = ? AND number >= ?"
REVIEW = "UPDATE segments SET reviewer = ? WHERE document = ? AND number = ? AND version = ?"
SET_MATCH = "UPDATE segments SET match = ? WHERE document = ? AND number = ? AND state = 'new'"
READING = 80  # milliseconds a word, 750 words a minute: nobody reads faster
_WORDS = WORDS.format(text="target")
_UNREAD = f"(COALESCE(edits, 0) = 0 AND milliseconds < {READING} * ({_WORDS}))"
_WORKED = "state = 'confirmed' AND suggestion IS NOT NULL"
EFFORT = (
    f"SELECT user, document, COUNT(*), SUM({_WORDS}), SUM(LENGTH(target)), SUM(key_strokes), SUM(mouse_actions),"  # noqa: S608
    f" SUM(milliseconds), SUM(COALESCE(edits, 0)), SUM({_UNREAD}),"
    f" SUM(CASE WHEN {_UNREAD} THEN 0 ELSE LENGTH(target) END),"
    f" SUM(CASE WHEN {_UNREAD} THEN 0 ELSE key_strokes + mouse_actions END) FROM segments WHERE {_WORKED}"
)
_CURVE = f"SELECT {_WORDS}, LENGTH(target), key_strokes + mouse_actions, milliseconds, COALESCE(edits, 0) FROM segments"  # noqa: S608


def curve(which: str) -> str:
    """Effort on each segment that somebody worked on, in the order in which they were confirmed."""
    return f"{_CURVE} WHERE {_WORKED}{which} ORDER BY changed, document, number"
