"""Documents in their file: lists are read by index, whatever the size of the project."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from dragoman.editor.document_schema import EFFORT, PROGRESS, SCHEMA
from dragoman.editor.document_store import DocumentStore
from dragoman.editor.segment_log import fill_repetitions

Rows = list[tuple[str, str, str, str]]


@pytest.fixture
def store(tmp_path: Path) -> Iterator[DocumentStore]:
    with closing(DocumentStore(tmp_path / "documents.db")) as found:
        yield found


def rows(count: int, state: str = "new") -> Rows:
    return [(str(n), f"Press button {n}.", "", state) for n in range(1, count + 1)]


def reader(store: DocumentStore) -> sqlite3.Connection:
    """The connection that the next one to read takes."""
    store.documents()
    return store._readers[-1]


def steps_of_a_page(store: DocumentStore, document: int) -> int:
    """How many hundreds of instructions SQLite takes for a page of segments and its document."""
    steps = 0

    def step() -> int:
        nonlocal steps
        steps += 1
        return 0

    reading = reader(store)
    reading.set_progress_handler(step, 100)
    store.segments(document, state="new", limit=10)
    store.segments(document, after=5, limit=10)
    store.document(document)
    reading.set_progress_handler(None, 0)
    return steps


def test_a_page_of_segments_takes_as_long_in_a_large_project(store: DocumentStore) -> None:
    small = store.add("small", rows(20))
    alone = steps_of_a_page(store, small)
    large = store.add("large", rows(5000))
    assert steps_of_a_page(store, small) < 2 * alone
    assert steps_of_a_page(store, large) < 2 * alone  # a look at every segment would take a hundred times as many


def test_listing_never_reads_the_uploaded_file(store: DocumentStore) -> None:
    document = store.add("page.txt", rows(3), data=b"Press button 1.")
    read: set[tuple[str | None, str | None]] = set()

    def authorise(action: int, table: str | None, column: str | None, *_: object) -> int:
        if action == sqlite3.SQLITE_READ:
            read.add((table, column))
        return sqlite3.SQLITE_OK

    reading = reader(store)
    reading.set_authorizer(authorise)
    assert len(store.segments(document)) == 3
    store.document(document)
    store.documents()
    reading.set_authorizer(None)
    assert ("documents", "name") in read
    assert ("documents", "data") not in read


def test_progress_follows_every_change(store: DocumentStore) -> None:
    document = store.add("page", rows(3))
    other = store.add("other", rows(2, "confirmed"))
    first = store.segments(document)[0]
    store.change(first, state="confirmed", correction=7)
    found = store.document(document)
    assert (found.states, found.words["confirmed"]) == ({"new": 2, "translated": 0, "confirmed": 1, "locked": 0}, 3)
    store.detach(7)
    assert store.document(document).states == {"new": 2, "translated": 1, "confirmed": 0, "locked": 0}
    assert [each.states["confirmed"] for each in store.documents()] == [0, 2]
    store.remove(document)
    assert [each.id for each in store.documents()] == [other]


def test_a_file_from_before_progress_was_kept_is_counted_once(tmp_path: Path) -> None:
    path = tmp_path / "documents.db"
    with closing(DocumentStore(path)) as store:
        document = store.add("page", rows(4))
        before = store.document(document)
    with closing(sqlite3.connect(path)) as database:
        for trigger in ("segment_added", "segment_changed"):
            database.execute(f"DROP TRIGGER {trigger}")
        database.execute("DROP TABLE progress")
        database.execute("PRAGMA user_version = 0")
        database.commit()
    for _ in range(2):
        with closing(DocumentStore(path)) as store:
            assert store.document(document) == before
    with closing(DocumentStore(path)) as store:
        store.change(store.segment(document, 1), state="translated")
        assert store.document(document).states == {"new": 3, "translated": 1, "confirmed": 0, "locked": 0}


def slow_effort(store: DocumentStore) -> dict[str, int]:
    """The totals of `effort`, by looking at every segment."""
    totals = dict.fromkeys(store.effort(), 0)
    for document in store.documents():
        for one in store.segments(document.id):
            if one.state == "confirmed" and one.suggestion is not None:
                parts = 1, one.key_strokes, one.mouse_actions, one.milliseconds, len(one.target)
                for name, part in zip(totals, (*parts, len(one.target.split(" ")), one.edits or 0), strict=True):
                    totals[name] += part
    return totals


def test_effort_is_kept_through_every_change(store: DocumentStore) -> None:
    page, other = store.add("page", rows(5)), store.add("other", rows(2, "confirmed"))
    for number in (1, 2, 3):
        done: dict[str, Any] = {"target": f"Pulse el botón {number}.", "suggestion": "Pulse", "state": "confirmed"}
        numbers = {"correction": number, "key_strokes": number, "milliseconds": 10, "edits": number}
        store.change(store.segment(page, number), then=None, **(done | numbers))
    assert store.effort() == slow_effort(store)
    assert (store.effort()["segments"], store.effort()["key_strokes"]) == (3, 6)
    store.change(store.segment(page, 1), key_strokes=9, edits=None)
    store.detach(2)
    store.redirect(3, 4, "Otro.")
    assert store.effort() == slow_effort(store)
    store.remove(page)
    assert store.effort()["segments"] == 0
    assert store.documents()[0].id == other


def test_effort_of_an_older_file_is_counted_once(tmp_path: Path) -> None:
    path = tmp_path / "documents.db"
    with closing(DocumentStore(path)) as store:
        document = store.add("page", rows(4))
        store.change(store.segment(document, 1), state="confirmed", suggestion="x", target="y z", key_strokes=3)
        before = store.effort()
    with closing(sqlite3.connect(path)) as database:
        database.execute("DROP TRIGGER effort_changed")
        database.execute("DROP TABLE effort")
        database.execute("PRAGMA user_version = 1")
        database.commit()
    for _ in range(2):
        with closing(DocumentStore(path)) as store:
            assert store.effort() == before


@pytest.mark.parametrize("wanted", ["button", "BUTTON", "straße", "STRASSE", "İ", "ñandú", "50%", "_", "k"])
def test_a_search_finds_what_comparing_without_case_finds(
    store: DocumentStore, wanted: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("dragoman.editor.document_store.SCANNED", 3)
    texts = ["Press the Button.", "Straße", "STRASSE", "strasse", "İstanbul", "Ñandú", "50% off", "a_b", "\u212a", "x"]
    document = store.add("page", [(str(n), text, text[::-1], "new") for n, text in enumerate(texts)])
    slow = [n for n, text in enumerate(texts, 1) if any(wanted.casefold() in t.casefold() for t in (text, text[::-1]))]
    assert [one.number for one in store.segments(document, search=wanted)] == slow
    assert [one.number for one in store.segments(document, search=wanted, limit=1, state="new")] == slow[:1]
    assert [one.number for one in store.segments(document, search=wanted, after=4)] == [n for n in slow if n > 4]


def test_reading_does_not_wait_for_a_change(store: DocumentStore) -> None:
    document = store.add("page", rows(3))
    with store.writing():
        assert len(store.segments(document)) == 3


def test_a_file_from_before_there_were_teams_is_brought_up_to_date(tmp_path: Path) -> None:
    path = tmp_path / "documents.db"
    with closing(sqlite3.connect(path, isolation_level=None)) as database:
        database.executescript(SCHEMA)
        database.executescript(PROGRESS)
        database.executescript(EFFORT)
        database.execute("INSERT INTO documents (name, time) VALUES ('page', '2026-01-01T00:00:00+00:00')")
        insert = "INSERT INTO segments (document, number, key, source, target, state) VALUES (1, ?, ?, ?, ?, ?)"
        database.executemany(insert, [(1, "1", "Lid.", "Tapa.", "translated"), (2, "2", "Lid.", "", "new")])
    for _ in range(2):
        with closing(DocumentStore(path)) as store:
            first, second = store.segments(1)
            assert (first.origin, second.origin, first.warnings, first.stage) == ("file", "", 0, "translate")
            assert store.document(1).stages == {"translate": 2, "review": 0, "done": 0}
    with closing(DocumentStore(path)) as store:
        first, _ = store.segments(1)
        assert fill_repetitions(store, first, None, batch=1) == [2]
        assert store.segment(1, 2).target == "Tapa."
