"""Reference memories of a project: translations that others made, read-only, each with a name and a priority.

What a project has learned is its own memory, and comes first. Reference memories only offer whole translations; nothing
is learned from them, and they can be switched off or removed at any time. The memory with the lowest priority number
wins where two are equally similar.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass

from rapidfuzz.distance import Levenshtein

from dragoman.editor.document_store import DocumentStore
from dragoman.editor.messages import ReferenceMemoryGiven
from dragoman.editor.refusal import Refusal

LOOKED_AT = 80  # entries with the same words that are compared
WORDS = 24  # of a source that are looked up
LEAST = 50.0  # percent of similarity
OFFERED = 5
_WORD = re.compile(r"\w+")
MEMORY = (
    "SELECT id, name, priority, enabled, (SELECT COUNT(*) FROM memory_entries WHERE memory = memories.id) FROM memories"
)
FOUND = (
    "SELECT entries.source, entries.target, memories.name, memories.priority FROM memory_index"
    " JOIN memory_entries AS entries ON entries.id = memory_index.rowid JOIN memories ON memories.id = entries.memory"
    " WHERE memory_index MATCH ? AND memories.enabled ORDER BY bm25(memory_index) LIMIT ?"
)


@dataclass(frozen=True)
class MemoryMatch:
    """A translation in a reference memory whose source is similar to a text."""

    similarity: float
    memory: str
    source: str
    target: str


def memories(store: DocumentStore) -> list[ReferenceMemoryGiven]:
    """The reference memories of a project, by priority."""
    rows = store.rows(f"{MEMORY} ORDER BY priority, id")
    return [ReferenceMemoryGiven.of_row(row) for row in rows]


def add(store: DocumentStore, name: str, pairs: Iterable[tuple[str, str]]) -> ReferenceMemoryGiven:
    """Add a memory, after those that there are; a pair that stands in it twice is kept once."""
    wanted = list(dict.fromkeys((source, target) for source, target in pairs if source.strip() and target.strip()))
    if not wanted:
        raise Refusal(400, "there are no translations in this file", "choose another one")
    with store.writing() as connection:
        priority = connection.execute("SELECT COALESCE(MAX(priority), 0) + 1 FROM memories").fetchone()[0]
        made = connection.execute("INSERT INTO memories (name, priority) VALUES (?, ?)", (name, priority))
        number = int(made.lastrowid or 0)
        insert = "INSERT INTO memory_entries (memory, source, target) VALUES (?, ?, ?)"
        connection.executemany(insert, ((number, *pair) for pair in wanted))
        connection.execute(
            "INSERT INTO memory_index (rowid, source) SELECT id, source FROM memory_entries WHERE memory = ?", (number,)
        )
    return find(store, number)


def find(store: DocumentStore, number: int) -> ReferenceMemoryGiven:
    """One memory."""
    for each in memories(store):
        if each.id == number:
            return each
    raise Refusal(404, f"no reference memory {number}", "see the list of memories", code="not-found")


def change(store: DocumentStore, number: int, **values: object) -> ReferenceMemoryGiven:
    """Change the name or priority of a memory, or switch it on or off."""
    find(store, number)
    if values:
        names = ", ".join(f"{name} = ?" for name in values)  # our own names, not those of a request
        with store.writing() as connection:
            connection.execute(f"UPDATE memories SET {names} WHERE id = ?", (*values.values(), number))  # noqa: S608
    return find(store, number)


def remove(store: DocumentStore, number: int) -> None:
    """Remove a memory and its entries."""
    find(store, number)
    with store.writing() as connection:
        connection.execute(
            "INSERT INTO memory_index (memory_index, rowid, source)"
            " SELECT 'delete', id, source FROM memory_entries WHERE memory = ?",
            (number,),
        )
        connection.execute("DELETE FROM memory_entries WHERE memory = ?", (number,))
        connection.execute("DELETE FROM memories WHERE id = ?", (number,))


def matches(store: DocumentStore, source: str, *, least: float = LEAST, limit: int = OFFERED) -> list[MemoryMatch]:
    """The most similar translations in the memories that are switched on; of equally similar ones by priority."""
    words = list(dict.fromkeys(_WORD.findall(source)))[:WORDS]
    if not words:
        return []
    asked = " OR ".join(f'"{word}"' for word in words)
    found: dict[tuple[str, str], tuple[float, int, MemoryMatch]] = {}
    for other, target, name, priority in store.rows(FOUND, (asked, LOOKED_AT)):
        similarity = round(100 * Levenshtein.normalized_similarity(source, other, score_cutoff=least / 100), 1)
        if similarity >= least:
            match = MemoryMatch(similarity, name, other, target)
            found.setdefault((other, target), (-similarity, priority, match))
            found[other, target] = min(found[other, target], (-similarity, priority, match), key=lambda each: each[:2])
    return [each[2] for each in sorted(found.values(), key=lambda each: each[:2])[:limit]]
