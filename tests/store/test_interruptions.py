"""A writer loses a connection, or cannot get one: it goes on once it can, and no row is lost or stands twice."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
import sqlalchemy as sa

from dragoman.engine import Engine
from dragoman.errors import StorageError
from dragoman.store import Journal, TakenError
from dragoman.store.journal_tables import INSERT, Transaction, read_tail
from dragoman.store.sqlite_files import Place
from tests.engine.support import PAIRS, arrays_of, assert_same
from tests.store.replicas import end_backends, until

if TYPE_CHECKING:
    from tests.store.postgresql import Server


@pytest.fixture
def engine(place: Place, tmp_path: Path) -> Iterator[Engine]:
    journal = place if isinstance(place, str) else None
    with Engine.create(tmp_path / "project", source="en", target="es", preset="thot", journal=journal) as engine:
        yield engine


def lose_reply(journal: Journal) -> None:
    """Let the connection be lost when the next commit is done, and before its reply is here."""
    writer = journal._database._writer
    assert writer

    @sa.event.listens_for(writer, "commit", once=True)
    def commit(connection: sa.Connection) -> None:
        driver = connection.connection.driver_connection
        assert driver
        driver.commit()
        driver.close()


def test_a_writer_goes_on_after_a_commit_whose_reply_was_lost(engine: Engine) -> None:
    engine.learn(*PAIRS[0])
    lose_reply(engine.opened.store.journal)
    with pytest.raises(StorageError, match="nothing was acknowledged"):
        engine.learn(*PAIRS[1])
    assert engine.revision == 2  # it is in the journal all the same
    assert engine.learn(*PAIRS[2]) == 3
    engine.forget(2)
    engine.close()
    with Engine.open(engine.opened.store.path, write=False) as again:
        assert [row.kind for row in again.opened.store.journal.rows()] == ["learn", "learn", "learn", "forget"]
        assert_same(arrays_of(again), arrays_of(engine))


def test_an_append_waits_until_it_is_clear_what_became_of_the_one_before(url: str) -> None:
    refused: list[str] = []

    def append() -> None:
        try:
            journal.append_learn("c", "d")
        except StorageError as error:
            refused.append(str(error))

    with Journal.create(url) as journal:
        assert journal._fence
        thread = threading.Thread(target=append)
        with journal._database.writing() as lost:  # as one that we were cut off from, and that ends only now
            journal._fence.check(lost)
            signature = {"username": None, "time": "2024-05-01T12:00:00.000000+00:00"}
            Transaction(lost, INSERT, read_tail(lost), signature).append("learn", source="a", target="b")
            thread.start()
            thread.join(0.3)
            assert thread.is_alive()
        thread.join(20)
        assert "has row 1 after row 0" in refused[0]
        journal.resume(1, journal.digest(1))
        assert journal.append_learn("c", "d") == 2
        assert [row.source for row in journal.rows()] == ["a", "c"]


def test_a_lock_that_could_not_be_had_again_at_once_is_taken_later(postgresql: Server) -> None:
    url = postgresql.schema("limited").replace("dragoman@", "limited@")
    postgresql.execute("CREATE ROLE limited LOGIN")
    postgresql.execute("GRANT ALL ON SCHEMA limited TO limited")
    with Journal.create(url) as journal:
        journal.append_learn("a", "b")
        postgresql.execute("ALTER ROLE limited CONNECTION LIMIT 1")
        until(lambda: not end_backends(postgresql, "usename = 'limited'"))
        with pytest.raises(StorageError, match=r"cannot connect: .*too many connections"):  # for the lock: a second one
            journal.append_learn("c", "d")
        postgresql.execute("ALTER ROLE limited CONNECTION LIMIT -1")
        assert journal.append_learn("c", "d") > 1
        with pytest.raises(TakenError, match="is open for writing"):
            Journal(url, write=True)
