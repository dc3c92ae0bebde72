"""What a damaged project keeps beside its corrections: answers of other engines, and where corrections came from.

No digest covers them: they are taken as they stand, as far as SQLite can read them.
"""

from __future__ import annotations

import mmap
import sqlite3
from collections.abc import Iterator, Mapping
from contextlib import closing
from itertools import groupby
from operator import itemgetter
from pathlib import Path
from typing import TYPE_CHECKING, Any

from dragoman.store.answer_file import NAME as ANSWERS
from dragoman.store.deliveries import Delivery
from dragoman.store.integrity import Damage, copied
from dragoman.store.rows import given_text
from dragoman.store.sqlite_files import connect_to_read

if TYPE_CHECKING:
    from dragoman.engine import Engine

KEPT = "SELECT engine, version, text, terms, answer FROM answers WHERE source = ? AND target = ? ORDER BY id"
SPENT = "SELECT engine, requests, characters FROM answers_spent WHERE day = date()"
DELIVERED = 'SELECT "row", delivery, place, version FROM deliveries ORDER BY "row"'
MAYBE = str | None
ELSEWHERE = 'SELECT "row", place FROM other_places ORDER BY "row"'


def keep_beside(engine: Engine, old: Path, journal: Path, learned: Mapping[int, int]) -> Iterator[Damage]:
    """Take over what a copy of the journal, and the file of answers beside the journal, hold besides corrections."""
    yield from _take_deliveries(engine, journal, learned)
    yield from _take_answers(engine, journal)
    if (old / ANSWERS).exists():
        with copied(old / ANSWERS, journal.parent) as copy:
            yield from _take_answers(engine, copy)


def _take_answers(engine: Engine, file: Path) -> Iterator[Damage]:
    from dragoman.store.answers import AnswerEntry  # here, since this loads SQLAlchemy

    kept, damage = _read(file, "answers", KEPT, (str,) * 5, (engine.source, engine.target))
    answers = engine.opened.store.answers
    for (name, version), group in groupby(kept, key=itemgetter(0, 1)):
        answers.keep(name, version, (AnswerEntry(*each[2:]) for each in group))
    spent, also = _read(file, "answers_spent", SPENT, (str, int, int))
    for name, requests, characters in spent:
        answers.spend(name, requests, characters)
    yield from damage or also


def _take_deliveries(engine: Engine, file: Path, learned: Mapping[int, int]) -> Iterator[Damage]:
    from dragoman.store.journal_tables import note_place, record_delivery  # as above

    delivered, damage = _read(file, "deliveries", DELIVERED, (int, MAYBE, MAYBE, int))
    elsewhere, also = _read(file, "other_places", ELSEWHERE, (int, str))
    known = [each for each in delivered if each[0] in learned]
    others = [each for each in elsewhere if each[0] in learned]
    if known or others:
        with engine.opened.store.journal.keeping() as connection:
            for row, message, place, version in known:
                record_delivery(connection, Delivery(message, place, version), learned[row])
            for row, place in others:
                note_place(connection, place, [learned[row]])
    yield from damage or also


def _read(
    file: Path, table: str, query: str, kinds: tuple[Any, ...], values: tuple[str, ...] = ()
) -> tuple[list[Any], list[Damage]]:
    """The rows of a table, as far as they can be read, and what is wrong; both empty if there is no such table."""
    rows: list[Any] = []
    if not _has_table(file, table):
        return rows, []
    try:
        with closing(connect_to_read(file)) as connection:
            connection.text_factory = lambda data: given_text(data.decode())
            rows.extend(row for row in connection.execute(query, values) if all(map(isinstance, row, kinds)))
    except (sqlite3.Error, UnicodeDecodeError) as error:
        return rows, [Damage(file.name, f"some of its {table} cannot be read ({error})")]
    return rows, []


def _has_table(file: Path, table: str) -> bool:
    """Whether a file has a table, by what stands in it: SQLite may not be able to say."""
    try:
        with file.open("rb") as reading, mmap.mmap(reading.fileno(), 0, access=mmap.ACCESS_READ) as data:
            return data.find(f"CREATE TABLE {table} (".encode()) >= 0
    except (OSError, ValueError):  # the latter: it is empty
        return False
