"""A mark that says by which row a correction was forgotten is in no digest: it is checked against that row."""

from __future__ import annotations

from pathlib import Path

import pytest
import sqlalchemy as sa

from dragoman.engine import Engine
from dragoman.errors import BadInputError
from dragoman.store import Journal, Project
from dragoman.store.forgotten_marks import has_index
from dragoman.store.journal_tables import FORGETS, MARKED
from dragoman.store.sqlite_files import Place
from tests.engine.support import PAIRS, assert_is_clean_replay, new


def execute(journal: Journal, *statements: str) -> None:
    """Change a journal behind its back."""
    with journal._database.writing() as connection:
        for statement in statements:
            connection.exec_driver_sql(statement)


def alter(place: Place, *statements: str) -> None:
    with Journal(place, write=True) as journal:
        execute(journal, *statements)


@pytest.fixture
def forgotten(place: Place) -> Place:
    """A journal of three corrections, of which the first is forgotten."""
    with Journal.create(place) as journal:
        for text in "abc":
            journal.append_learn(text, text)
        journal.append_forget(1)
    return place


@pytest.mark.parametrize(("mark", "row"), [("NULL", 1), ("2", 1), ("4", 2), ("0", 2)])
def test_an_altered_mark_is_not_believed_and_is_repaired(mark: str, row: int, forgotten: Place) -> None:
    alter(forgotten, f"UPDATE journal SET forgotten_by = {mark} WHERE id = {row}")  # noqa: S608
    with Journal(forgotten) as reader:
        assert [each.forgotten_by for each in reader.rows()] == [4, None, None, None]
        assert reader.warnings == []  # which only reads
    with Journal(forgotten, write=True) as journal:
        (warning,) = journal.warnings
        assert warning.startswith(f"correction {row} of the journal was ")
        assert [each.id for each in journal.history(in_force=True)] == [3, 2]
        assert journal.count == 2
        with pytest.raises(BadInputError, match="already forgotten"):
            journal.append_forget(1)
        journal.append_forget(2)
    with Journal(forgotten, write=True) as journal:
        assert journal.warnings == []
        assert [each.id for each in journal.history(in_force=True)] == [3]


def test_a_mark_that_is_altered_while_the_journal_is_open_does_no_harm(forgotten: Place) -> None:
    with Journal(forgotten, write=True) as journal:
        execute(journal, "UPDATE journal SET forgotten_by = NULL")
        with pytest.raises(BadInputError, match="already forgotten"):
            journal.append_forget(1)
        execute(journal, "UPDATE journal SET forgotten_by = 4")
        assert journal.append_forget(2)
        with pytest.raises(BadInputError, match="already forgotten"):
            journal.append_revise(2, "again")


def test_a_journal_of_an_older_version_gets_its_indexes_from_the_first_writer(forgotten: Place) -> None:
    with Journal(forgotten, write=True) as journal:
        execute(journal, f"DROP INDEX {FORGETS.name}", f"DROP INDEX {MARKED.name}")
    with Journal(forgotten) as reader:
        assert [row.forgotten for row in reader.rows()] == [True, False, False, False]
    with Journal(forgotten, write=True) as journal:
        with journal._database.reading() as connection:
            assert has_index(connection)
            found = {index["name"] for index in sa.inspect(connection).get_indexes("journal")}
        assert {FORGETS.name, MARKED.name} <= found


def test_the_indexes_are_of_some_rows_only_in_either_database(forgotten: Place) -> None:
    in_sqlite = sa.text("SELECT sql FROM sqlite_master WHERE type = 'index' AND sql LIKE '%WHERE%'")
    in_postgresql = sa.text(
        "SELECT indexdef FROM pg_indexes WHERE tablename = 'journal' AND indexdef LIKE '%WHERE%'"
        " AND schemaname = current_schema()"
    )
    with Journal(forgotten) as journal, journal.reading() as connection:
        query = in_sqlite if connection.dialect.name == "sqlite" else in_postgresql
        assert len(connection.execute(query).all()) == 3


def test_one_altered_mark_never_keeps_a_project_from_opening(tmp_path: Path) -> None:
    with new(tmp_path / "project") as engine:
        for pair in PAIRS[:3]:
            engine.learn(*pair)
        engine.forget(2)
    with Project.open(tmp_path / "project", write=True) as project:
        execute(project.journal, "UPDATE journal SET forgotten_by = NULL")
    with Engine.open(tmp_path / "project") as engine:
        assert engine.warnings == ["correction 2 of the journal was not marked as forgotten by row 4; repaired"]
        with pytest.raises(BadInputError, match="not a correction in force"):
            engine.forget(2)
        assert_is_clean_replay(engine, tmp_path / "copy")


def test_a_project_that_was_made_to_forget_twice_opens_again(tmp_path: Path) -> None:
    with new(tmp_path / "project") as engine:
        for pair in PAIRS[:3]:
            engine.learn(*pair)
        engine.forget(2)
    with Project.open(tmp_path / "project", write=True) as project, project.journal._appending(None, None) as page:
        page.append("forget", refers_to=2)  # as an older version did when the mark was lost
    with Engine.open(tmp_path / "project") as engine:
        assert engine.warnings == ["correction 2 of the journal is forgotten by two rows; only the first counts"]
        assert engine.translate(PAIRS[0][0]).text == PAIRS[0][1]
        engine.learn(*PAIRS[4])
