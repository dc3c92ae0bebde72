"""The tables of the documents of a project, and how older files are brought up to date.

How many segments and words of a document are in each state, and the effort they took, is kept by triggers. What the
checks have found is kept with each segment, so that a list can be filtered by it. Every change is logged, with what was
there before: for the history of a segment, and so that people can take back what they did.
"""

from __future__ import annotations

import hashlib
import sqlite3
from collections.abc import Iterator, Mapping
from contextlib import contextmanager

STATES = ("new", "translated", "confirmed", "locked")  # as dragoman.formats has them
SCHEMA = """
CREATE TABLE IF NOT EXISTS documents (
    id INTEGER PRIMARY KEY AUTOINCREMENT, name TEXT NOT NULL, time TEXT NOT NULL, data BLOB);
CREATE TABLE IF NOT EXISTS segments (
    document INTEGER NOT NULL REFERENCES documents ON DELETE CASCADE, number INTEGER NOT NULL, key TEXT NOT NULL,
    source TEXT NOT NULL, target TEXT NOT NULL, state TEXT NOT NULL, correction INTEGER,
    version INTEGER NOT NULL DEFAULT 1, suggestion TEXT, key_strokes INTEGER NOT NULL DEFAULT 0,
    mouse_actions INTEGER NOT NULL DEFAULT 0, milliseconds INTEGER NOT NULL DEFAULT 0, edits INTEGER,
    PRIMARY KEY (document, number)) WITHOUT ROWID;
CREATE INDEX IF NOT EXISTS segments_by_correction ON segments (correction) WHERE correction IS NOT NULL;
CREATE TABLE IF NOT EXISTS units (unit TEXT PRIMARY KEY, correction INTEGER NOT NULL);
CREATE TABLE IF NOT EXISTS intents (
    document INTEGER NOT NULL REFERENCES documents ON DELETE CASCADE, number INTEGER NOT NULL, target TEXT NOT NULL,
    revision INTEGER NOT NULL, PRIMARY KEY (document, number)) WITHOUT ROWID;
CREATE TRIGGER IF NOT EXISTS intent_done AFTER UPDATE OF correction ON segments BEGIN
    DELETE FROM intents WHERE document = NEW.document AND number = NEW.number; END;
CREATE INDEX IF NOT EXISTS segments_by_state ON segments (document, state, number);
"""
WORDS = "LENGTH(TRIM({text})) - LENGTH(REPLACE(TRIM({text}), ' ', '')) + 1"  # as many as there are spaces, and one
COUNT = (
    "INSERT INTO progress VALUES ({row}.document, {row}.state, {sign}1, {sign}({words})) ON CONFLICT (document, state)"
    " DO UPDATE SET segments = segments + excluded.segments, words = words + excluded.words;"
)
COUNT_NEW = COUNT.format(row="NEW", sign="+", words=WORDS.format(text="NEW.source"))
COUNT_OLD = COUNT.format(row="OLD", sign="-", words=WORDS.format(text="OLD.source"))
PROGRESS = f"""
BEGIN IMMEDIATE;
CREATE TABLE IF NOT EXISTS progress (
    document INTEGER NOT NULL REFERENCES documents ON DELETE CASCADE, state TEXT NOT NULL, segments INTEGER NOT NULL,
    words INTEGER NOT NULL, PRIMARY KEY (document, state)) WITHOUT ROWID;
CREATE TRIGGER IF NOT EXISTS segment_added AFTER INSERT ON segments BEGIN {COUNT_NEW} END;
CREATE TRIGGER IF NOT EXISTS segment_changed AFTER UPDATE OF state ON segments WHEN OLD.state <> NEW.state
    BEGIN {COUNT_OLD} {COUNT_NEW} END;
INSERT OR REPLACE INTO progress SELECT document, state, COUNT(*), SUM({WORDS.format(text="source")})
    FROM segments GROUP BY document, state;
PRAGMA user_version = 1;
COMMIT;
"""  # noqa: S608
COUNTED = "{row}.state = 'confirmed' AND {row}.suggestion IS NOT NULL"
ADD_EFFORT = (
    "INSERT INTO effort SELECT {row}.document, {sign}1, {sign}{row}.key_strokes, {sign}{row}.mouse_actions,"
    " {sign}{row}.milliseconds, {sign}LENGTH({row}.target), {sign}({words}), {sign}COALESCE({row}.edits, 0)"
    " WHERE {counted} ON CONFLICT (document) DO UPDATE SET segments = segments + excluded.segments,"
    " key_strokes = key_strokes + excluded.key_strokes, mouse_actions = mouse_actions + excluded.mouse_actions,"
    " milliseconds = milliseconds + excluded.milliseconds, characters = characters + excluded.characters,"
    " words = words + excluded.words, edits = edits + excluded.edits;"
)
ADD_NEW, ADD_OLD = (
    ADD_EFFORT.format(row=row, sign=sign, words=WORDS.format(text=f"{row}.target"), counted=COUNTED.format(row=row))
    for row, sign in (("NEW", "+"), ("OLD", "-"))
)
EFFORT = f"""
BEGIN IMMEDIATE;
CREATE TABLE IF NOT EXISTS effort (
    document INTEGER PRIMARY KEY REFERENCES documents ON DELETE CASCADE, segments INTEGER NOT NULL,
    key_strokes INTEGER NOT NULL, mouse_actions INTEGER NOT NULL, milliseconds INTEGER NOT NULL,
    characters INTEGER NOT NULL, words INTEGER NOT NULL, edits INTEGER NOT NULL);
CREATE TRIGGER IF NOT EXISTS effort_changed AFTER UPDATE ON segments BEGIN {ADD_OLD} {ADD_NEW} END;
INSERT OR REPLACE INTO effort SELECT document, COUNT(*), SUM(key_strokes), SUM(mouse_actions), SUM(milliseconds),
    SUM(LENGTH(target)), SUM({WORDS.format(text="target")}), SUM(COALESCE(edits, 0))
    FROM segments WHERE {COUNTED.format(row="segments")} GROUP BY document;
PRAGMA user_version = 2;
COMMIT;
"""  # noqa: S608

COLUMNS: Mapping[str, Mapping[str, str]] = {
    "documents": {
        "assignee": "TEXT",
        "format": "TEXT NOT NULL DEFAULT ''",
        "settings": "TEXT NOT NULL DEFAULT '{}'",
        "analysis": "TEXT",
    },
    "segments": {
        "user": "TEXT",
        "changed": "TEXT",
        "reviewer": "TEXT",
        "assignee": "TEXT",
        "origin": "TEXT NOT NULL DEFAULT ''",
        "match": "REAL",
        "context": "TEXT NOT NULL DEFAULT ''",
        "note": "TEXT NOT NULL DEFAULT ''",
        "max_length": "INTEGER",
        "held": "INTEGER NOT NULL DEFAULT 0",
        "warnings": "INTEGER NOT NULL DEFAULT 0",
        "checked": "INTEGER NOT NULL DEFAULT 0",
        "source_hash": "INTEGER NOT NULL DEFAULT 0",
    },
}
TEAM = """
CREATE INDEX IF NOT EXISTS segments_by_source ON segments (document, source_hash, number);
CREATE INDEX IF NOT EXISTS segments_held ON segments (document, number) WHERE held;
CREATE INDEX IF NOT EXISTS segments_warned ON segments (document, number) WHERE warnings > 0;
CREATE INDEX IF NOT EXISTS segments_reviewed ON segments (document, number) WHERE reviewer IS NOT NULL;
CREATE TABLE IF NOT EXISTS findings (
    document INTEGER NOT NULL REFERENCES documents ON DELETE CASCADE, number INTEGER NOT NULL,
    position INTEGER NOT NULL, name TEXT NOT NULL, severity TEXT NOT NULL, what TEXT NOT NULL, start INTEGER,
    "end" INTEGER, source_start INTEGER, source_end INTEGER, PRIMARY KEY (document, number, position)) WITHOUT ROWID;
CREATE INDEX IF NOT EXISTS findings_by_name ON findings (document, name, number);
CREATE TABLE IF NOT EXISTS accepted (
    document INTEGER NOT NULL REFERENCES documents ON DELETE CASCADE, number INTEGER NOT NULL, name TEXT NOT NULL,
    what TEXT NOT NULL, reason TEXT NOT NULL, user TEXT, time TEXT NOT NULL,
    PRIMARY KEY (document, number, name, what)) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS changes (
    id INTEGER PRIMARY KEY AUTOINCREMENT, document INTEGER NOT NULL REFERENCES documents ON DELETE CASCADE,
    number INTEGER NOT NULL, batch INTEGER NOT NULL, time TEXT NOT NULL, user TEXT, action TEXT NOT NULL,
    target TEXT NOT NULL, state TEXT NOT NULL, version INTEGER NOT NULL, old_target TEXT NOT NULL,
    old_state TEXT NOT NULL, old_origin TEXT NOT NULL, undone INTEGER NOT NULL DEFAULT 0);
CREATE INDEX IF NOT EXISTS changes_by_segment ON changes (document, number, id);
CREATE INDEX IF NOT EXISTS changes_by_user ON changes (document, user, id);
CREATE INDEX IF NOT EXISTS changes_by_batch ON changes (document, batch, id);
CREATE TABLE IF NOT EXISTS comments (
    id INTEGER PRIMARY KEY AUTOINCREMENT, document INTEGER NOT NULL REFERENCES documents ON DELETE CASCADE,
    number INTEGER NOT NULL, time TEXT NOT NULL, user TEXT, text TEXT NOT NULL, resolved INTEGER NOT NULL DEFAULT 0);
CREATE INDEX IF NOT EXISTS comments_by_segment ON comments (document, number, id);
"""

MEMORIES = """
CREATE TABLE IF NOT EXISTS memories (
    id INTEGER PRIMARY KEY AUTOINCREMENT, name TEXT NOT NULL, priority INTEGER NOT NULL,
    enabled INTEGER NOT NULL DEFAULT 1);
CREATE TABLE IF NOT EXISTS memory_entries (
    id INTEGER PRIMARY KEY, memory INTEGER NOT NULL REFERENCES memories ON DELETE CASCADE, source TEXT NOT NULL,
    target TEXT NOT NULL);
CREATE INDEX IF NOT EXISTS memory_entries_by_memory ON memory_entries (memory);
CREATE VIRTUAL TABLE IF NOT EXISTS memory_index USING fts5(source, content='memory_entries', content_rowid='id');
"""

REGROUPINGS = """
CREATE TABLE IF NOT EXISTS regroupings (
    id INTEGER PRIMARY KEY AUTOINCREMENT, document INTEGER NOT NULL REFERENCES documents ON DELETE CASCADE,
    kind TEXT NOT NULL, number INTEGER NOT NULL, other INTEGER NOT NULL, first TEXT NOT NULL, second TEXT NOT NULL,
    at INTEGER, rows TEXT NOT NULL, batch INTEGER NOT NULL, undone INTEGER NOT NULL DEFAULT 0);
CREATE INDEX IF NOT EXISTS regroupings_by_document ON regroupings (document, id);
CREATE INDEX IF NOT EXISTS segments_by_place ON segments (document, place) WHERE place IS NOT NULL
"""


def prepare(connection: sqlite3.Connection) -> None:
    """Create the tables in a new file, and bring an older one up to date, step by step."""
    connection.executescript("PRAGMA journal_mode=WAL; PRAGMA foreign_keys=ON;" + SCHEMA)
    for version, script in enumerate((PROGRESS, EFFORT), start=1):
        if _version(connection) < version:
            connection.executescript(script)
    if _version(connection) < 3:
        _add_team(connection)
    if _version(connection) < 4:
        _add_batches(connection)
    if _version(connection) < 5:
        _add_memories(connection)
    if _version(connection) < 6:
        _add_regroupings(connection)


def _version(connection: sqlite3.Connection) -> int:
    return int(connection.execute("PRAGMA user_version").fetchone()[0])


def _add_team(connection: sqlite3.Connection) -> None:
    """Who did what, what the checks found, and what the file says of a segment: since version 3."""
    with _step(connection, 3):
        for table, columns in COLUMNS.items():
            _add_columns(connection, table, columns)
        for statement in TEAM.split(";\n"):
            if statement.strip():
                connection.execute(statement)
        connection.execute("UPDATE segments SET source_hash = source_hash(source) WHERE source_hash = 0")
        connection.execute("UPDATE segments SET origin = 'file' WHERE origin = '' AND target <> ''")


def _add_batches(connection: sqlite3.Connection) -> None:
    """What can be done again, and what the models have still to be taught: since version 4."""
    with _step(connection, 4):
        _add_columns(connection, "changes", {"restored": "INTEGER NOT NULL DEFAULT 0"})
        connection.execute(
            "CREATE TABLE IF NOT EXISTS untaught (document INTEGER NOT NULL REFERENCES documents ON DELETE CASCADE,"
            " number INTEGER NOT NULL, PRIMARY KEY (document, number)) WITHOUT ROWID"
        )


def _add_memories(connection: sqlite3.Connection) -> None:
    """Translations of others to look things up in: since version 5."""
    with _step(connection, 5):
        for statement in MEMORIES.split(";\n"):
            if statement.strip():
                connection.execute(statement)


def _add_regroupings(connection: sqlite3.Connection) -> None:
    """Segments that were merged and split: since version 6."""
    with _step(connection, 6):
        _add_columns(connection, "segments", {"place": "REAL"})
        for statement in REGROUPINGS.split(";\n"):
            connection.execute(statement)


@contextmanager
def _step(connection: sqlite3.Connection, version: int) -> Iterator[None]:
    """Bring the tables to a version, as a whole or not at all."""
    connection.execute("BEGIN IMMEDIATE")
    try:
        yield
        connection.execute(f"PRAGMA user_version = {version}")
    except BaseException:
        connection.execute("ROLLBACK")
        raise
    connection.execute("COMMIT")


def _add_columns(connection: sqlite3.Connection, table: str, columns: Mapping[str, str]) -> None:
    there = {row[1] for row in connection.execute(f"PRAGMA table_info({table})")}
    for name, kind in columns.items():
        if name not in there:
            connection.execute(f"ALTER TABLE {table} ADD COLUMN {name} {kind}")


def source_hash(source: str) -> int:
    """A number for a source, to find segments with the same one; never 0.

    >>> source_hash("Close the lid.") == source_hash(" Close the lid. ")
    True
    """
    digest = hashlib.blake2b(source.strip().encode(errors="surrogatepass"), digest_size=8).digest()
    return int.from_bytes(digest, "big", signed=True) or 1
