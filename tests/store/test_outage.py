"""The database of a journal is gone for a while: translating goes on, and everything else goes on when it is back."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest
import sqlalchemy as sa

from dragoman.adapt import PassiveAggressive
from dragoman.engine import Engine
from dragoman.errors import StorageError
from dragoman.store import bounded_connection
from dragoman.store.database import Database, patiently
from tests.engine.support import PAIRS, arrays_of, assert_same
from tests.store.postgresql import Server, UnavailableError, private_server
from tests.store.replicas import assert_follows, copied, until, writer

pytestmark = pytest.mark.outside


@pytest.fixture
def server() -> Iterator[Server]:
    """One that can be stopped, which no other test uses."""
    memory = Path("/dev/shm")  # noqa: S108 (the server makes a directory of its own in it)
    try:
        with private_server(memory if memory.is_dir() else None) as server:
            yield server
    except UnavailableError as error:
        pytest.skip(str(error))


def translations(engine: Engine) -> list[str]:
    return [engine.translate(source, memory=memory).text for source, _ in PAIRS[:6] for memory in (False, True)]


def assert_is_what_the_journal_gives(engine: Engine, to: Path) -> None:
    with Engine.open(copied(engine.path, to), write=False) as fold:
        assert_same(arrays_of(engine), arrays_of(fold))


def test_a_writer_translates_during_an_outage_and_learns_after_it(server: Server, tmp_path: Path) -> None:
    with (
        writer(tmp_path / "project", server.schema("outage")) as engine,
        Engine.open(copied(engine.path, tmp_path / "replica"), replica=True) as replica,
    ):
        for pair in PAIRS[:4]:
            engine.learn(*pair)
        replica.wait_for(4)
        expected = translations(engine)
        server.stop()
        with pytest.raises(StorageError):
            engine.learn(*PAIRS[4])
        with pytest.raises(StorageError):
            engine.weights = {"language": 2.0}
        assert translations(engine) == translations(replica) == expected
        assert engine.problem
        server.start()
        until(lambda: engine.problem is None)
        assert translations(engine) == expected
        assert engine.learn(*PAIRS[4]) > 4
        assert engine.translate(PAIRS[4][0]).text == PAIRS[4][1]
        assert_follows(replica, engine)
        assert_is_what_the_journal_gives(engine, tmp_path / "fold")


def stop_during_append(engine: Engine, server: Server, *, committed: bool) -> None:
    """Let the server end while the next row is written: before the commit, or before the reply to it."""
    database = engine.opened.store.journal._database._writer
    assert database

    @sa.event.listens_for(database, "commit", once=True)  # the next commit is that of a row
    def commit(connection: sa.Connection) -> None:
        if committed:
            driver = connection.connection.driver_connection
            assert driver
            driver.commit()
            driver.close()
        server.stop()


@pytest.mark.parametrize("committed", [False, True])
@pytest.mark.parametrize("change", ["learn", "revise", "forget"])
def test_a_change_interrupted_by_an_outage_is_taken_back_and_settled_later(
    change: str, committed: bool, server: Server, tmp_path: Path
) -> None:
    with writer(tmp_path / "project", server.schema("torn")) as engine:
        engine.adapter = PassiveAggressive()
        for pair in PAIRS[:3]:
            engine.learn(*pair)
        expected, weights = translations(engine), engine.opened.state.adaptation.weights.copy()  # type: ignore[union-attr]
        stop_during_append(engine, server, committed=committed)
        changes: dict[str, Callable[[], object]] = {
            "learn": lambda: engine.learn("An entirely new sentence.", "Una frase completamente nueva."),
            "revise": lambda: engine.revise(3, "Una frase completamente nueva.", force=True),
            "forget": lambda: engine.forget(3),
        }
        with pytest.raises(StorageError):
            changes[change]()
        assert translations(engine) == expected
        assert (engine.opened.state.adaptation.weights == weights).all()  # type: ignore[union-attr]
        assert engine.problem
        with pytest.raises(StorageError):
            engine.save_snapshot()
        server.start()
        until(lambda: engine.problem is None)
        assert (engine.revision > 4) == committed
        assert_is_what_the_journal_gives(engine, tmp_path / "fold")
        engine.learn(*PAIRS[5])
        assert_is_what_the_journal_gives(engine, tmp_path / "fold again")


def test_the_next_correction_does_not_wait_for_the_background(server: Server, tmp_path: Path) -> None:
    with writer(tmp_path / "project", server.schema("soon")) as engine:
        for pair in PAIRS[:4]:
            engine.learn(*pair)
        stop_during_append(engine, server, committed=False)
        with pytest.raises(StorageError):
            engine.learn("An entirely new sentence.", "Una frase completamente nueva.")
        server.start()
        engine.learn(*PAIRS[5])
        assert engine.problem is None
        assert_is_what_the_journal_gives(engine, tmp_path / "fold")


def test_a_project_closes_during_an_outage(server: Server, tmp_path: Path) -> None:
    path = tmp_path / "project"
    engine = writer(path, server.schema("closing"))
    engine.learn(*PAIRS[0])
    server.stop()
    with pytest.raises(StorageError):
        engine.learn(*PAIRS[1])
    engine.close()
    assert any("could not save a snapshot" in warning for warning in engine.warnings)
    server.start()
    with Engine.open(path) as again:
        assert again.translate(PAIRS[0][0]).text == PAIRS[0][1]


def test_a_database_that_hangs_keeps_nobody_from_translating(server: Server, tmp_path: Path) -> None:
    with writer(tmp_path / "project", server.schema("hanging")) as engine:
        for pair in PAIRS[:4]:
            engine.learn(*pair)
        expected = translations(engine)
        with server.hanging():
            waited = []
            for _ in range(3):  # the second time it is known already, unless it is time to ask again
                begin = time.monotonic()
                with pytest.raises(StorageError, match="does not answer"):
                    engine.learn(*PAIRS[4])
                waited.append(time.monotonic() - begin)
                assert translations(engine) == expected
            assert min(waited) < 2
            assert engine.problem
            begin = time.monotonic()
            with pytest.raises(StorageError, match="does not answer"):
                engine.history(3)
            assert time.monotonic() - begin < 15  # it may be the one that asks again
        until(lambda: engine.problem is None)
        assert translations(engine) == expected
        engine.learn(*PAIRS[4])
        assert_is_what_the_journal_gives(engine, tmp_path / "fold")


def test_a_commit_that_hangs_is_taken_back_in_seconds(server: Server, tmp_path: Path) -> None:
    with writer(tmp_path / "project", server.schema("commit")) as engine, ExitStack() as hanging:
        for pair in PAIRS[:4]:
            engine.learn(*pair)
        expected = translations(engine)
        database = engine.opened.store.journal._database._writer
        assert database
        sa.event.listen(database, "commit", lambda _: hanging.enter_context(server.hanging()), once=True)

        def learn() -> None:
            with pytest.raises(StorageError):
                engine.learn(*PAIRS[4])

        learning = threading.Thread(target=learn)
        learning.start()
        begin = time.monotonic()
        learning.join(60)
        assert not learning.is_alive()
        assert time.monotonic() - begin < 20  # four seconds, on a machine that is not busy
        assert translations(engine) == expected
        hanging.close()
        until(lambda: engine.problem is None)
        engine.learn(*PAIRS[5])
        assert_is_what_the_journal_gives(engine, tmp_path / "fold")


def test_opening_a_project_whose_database_hangs_is_an_error_in_seconds(server: Server, tmp_path: Path) -> None:
    writer(tmp_path / "project", server.schema("opening")).close()
    with server.hanging(), pytest.raises(StorageError, match=r"time ?out|does not answer"):
        Engine.open(tmp_path / "project")


def test_a_statement_that_may_take_long_is_waited_for(server: Server, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bounded_connection, "QUICK", 0.3)
    bounded_connection._allowed.set(0.3)
    try:
        database = Database(server.url)
        with pytest.raises(StorageError, match="does not answer"), database.reading() as connection:
            connection.exec_driver_sql("SELECT pg_sleep(2)")
        until(lambda: database._circuit is not None and database._circuit.allows())
        with patiently(), database.reading() as connection:
            connection.exec_driver_sql("SELECT pg_sleep(1)")
        database.close()
    finally:
        bounded_connection._allowed.set(bounded_connection.QUICK)
