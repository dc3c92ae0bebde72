"""Several processes on one journal: one writes, the others follow it and reach the same bits."""

from __future__ import annotations

import random
import threading
from collections.abc import Iterator
from contextlib import nullcontext
from pathlib import Path
from typing import TYPE_CHECKING

import psycopg
import pytest

from dragoman.adapt import Ridge
from dragoman.engine import Engine
from dragoman.errors import BadInputError, StorageError
from dragoman.project.guard import FlaggedError, Guard
from dragoman.store import BehindError, Journal, ReplicaError, SupersededError
from dragoman.store.follower import Listener
from dragoman.store.journal_tables import INSERT
from tests.engine.support import PAIRS, act, arrays_of, assert_same
from tests.store.replicas import assert_follows, copied, end_backends, until, writer

if TYPE_CHECKING:
    from tests.store.postgresql import Server


@pytest.fixture
def first(url: str, tmp_path: Path) -> Iterator[Engine]:
    with writer(tmp_path / "first", url) as engine:
        yield engine


@pytest.fixture
def second(first: Engine, tmp_path: Path) -> Path:
    return copied(first.opened.store.path, tmp_path / "second")


def test_a_replica_reaches_the_same_bits_whatever_is_in_the_journal(first: Engine, second: Path) -> None:
    chance = random.Random(1)
    with Engine.open(second, replica=True) as replica:
        assert (first.role, replica.role) == ("writer", "replica")
        for _ in range(30):
            act(first, chance)
        first.glossary = {"drip tray": "colector de goteo"}
        first.guard = Guard(length_ratio=4)
        first.adapter = Ridge(alpha=0.01)
        with pytest.raises(FlaggedError):
            first.learn("Press the green button.", "Press the green button.")
        for _ in range(30):
            act(first, chance)
        assert_follows(replica, first)
        assert replica.adapter is not None
        assert replica.glossary == {"drip tray": "colector de goteo"}
        assert replica.translate(PAIRS[0][0]) == first.translate(PAIRS[0][0])
        assert (replica.problem, replica.warnings) == (None, [])


def test_a_replica_goes_on_from_its_own_snapshots(first: Engine, second: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("dragoman.engine.SNAPSHOT_EVERY", 5)
    with Engine.open(second, replica=True) as replica:
        for pair in PAIRS[:12]:
            replica.wait_for(first.learn(*pair))
        until(lambda: replica.opened.state.saved > 0)
    assert replica.warnings == []
    first.learn(*PAIRS[12])
    with Engine.open(second, replica=True) as replica:
        assert replica.opened.state.saved == 12
        assert_follows(replica, first)


def test_a_replica_in_the_directory_of_the_writer_saves_nothing(first: Engine) -> None:
    with Engine.open(first.opened.store.path, replica=True) as replica:
        first.learn(*PAIRS[0])
        assert_follows(replica, first)
    assert replica.warnings == []
    assert first.opened.store.snapshots.ids() == []


def test_a_replica_changes_nothing_and_says_who_does(first: Engine, second: Path) -> None:
    number = first.learn(*PAIRS[0])
    with Engine.open(second, replica=True) as replica:
        for change in (
            lambda: replica.learn("a b", "c d"),
            lambda: replica.forget(number),
            lambda: replica.revise(number, "c d"),
            lambda: replica.set_term("a", "b"),
            lambda: setattr(replica, "weights", {"language": 1.0}),
            lambda: replica.train([("a", "b")]),
        ):
            with pytest.raises(ReplicaError, match=r"replica, which only reads; send it to dragoman, process \d+ on"):
                change()
        first.close()
        with pytest.raises(ReplicaError, match="promote this replica, or start a writer"):
            replica.learn("a b", "c d")


def test_what_is_not_known_yet_is_waited_for_and_then_refused(first: Engine, second: Path) -> None:
    with Engine.open(second, replica=True) as replica:
        number = first.learn(*PAIRS[0])
        replica.wait_for(number)
        assert replica.translate(PAIRS[0][0]).memory == number
        with pytest.raises(BehindError, match=f"is at revision {number} here, not yet at {number + 7}"):
            replica.wait_for(number + 7, timeout=0.1)
    with Engine.open(second, write=False) as reader:
        number = first.learn(*PAIRS[1])
        assert (reader.role, reader.revision) == ("reader", number - 1)
        reader.refresh()
        assert_same(arrays_of(reader), arrays_of(first))


def test_a_lost_announcement_is_made_up_for(first: Engine, second: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with Engine.open(second, replica=True) as replica:
        monkeypatch.setattr(first.opened.store.journal, "_insert", INSERT)  # which announces nothing
        first.learn(*PAIRS[0])
        until(lambda: replica.revision == first.revision)
        assert_follows(replica, first)


def test_where_nothing_is_announced_a_replica_looks_by_itself(
    first: Engine, second: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(listener: Listener) -> None:
        listener._session = listener._database.session()  # as where LISTEN is an error

    monkeypatch.setattr(Listener, "_listen", refuse)
    with Engine.open(second, replica=True) as replica:
        first.learn(*PAIRS[0])
        until(lambda: replica.revision == first.revision)


def test_a_replica_of_a_journal_in_sqlite_looks_by_itself_and_takes_over(tmp_path: Path) -> None:
    first = Engine.create(tmp_path / "project", source="en", target="es")
    with Engine.open(tmp_path / "project", standby=True) as standby:
        first.learn(*PAIRS[0])
        until(lambda: standby.revision == first.revision)
        assert standby.role == "standby"
        first.close()
        until(lambda: standby.role == "writer")
        assert standby.learn(*PAIRS[1]) == 2


def test_a_lost_connection_is_made_up_for(first: Engine, second: Path, postgresql: Server) -> None:
    with Engine.open(second, replica=True) as replica:
        first.learn(*PAIRS[0])
        assert_follows(replica, first)
        until(lambda: end_backends(postgresql, "query LIKE 'LISTEN%'") >= 1)  # it begins to listen a moment later
        first.learn(*PAIRS[1])
        assert_follows(replica, first)
        until(lambda: replica.problem is None)
        assert replica.seconds_behind < 20


def test_a_server_that_comes_back_is_followed_again(first: Engine, second: Path, postgresql: Server) -> None:
    with Engine.open(second, replica=True) as replica:
        first.learn(*PAIRS[0])
        replica.wait_for(first.revision)
        postgresql.stop()
        try:
            until(lambda: replica.problem is not None)
            assert replica.translate(PAIRS[0][0]).text == PAIRS[0][1]
            with pytest.raises(StorageError):
                first.learn(*PAIRS[1])
        finally:
            postgresql.start()
        first.learn(*PAIRS[2])
        assert first.role == "writer"
        assert_follows(replica, first)


def test_rows_that_were_lost_are_lost_in_replicas_too(first: Engine, second: Path, url: str) -> None:
    with Engine.open(second, replica=True) as replica:
        for pair in PAIRS[:5]:
            first.learn(*pair)
        assert_follows(replica, first)
        first.close()
        with psycopg.connect(url) as connection:
            connection.execute("DELETE FROM journal WHERE id > 3")
            connection.execute("ALTER SEQUENCE journal_id_seq RESTART WITH 4")
        until(lambda: replica.revision == 3)
        with Engine.open(first.opened.store.path) as again:
            again.learn(*PAIRS[6])
            assert_follows(replica, again)
        assert any("does not go on from row 5" in warning for warning in replica.warnings)


def test_a_journal_from_before_there_were_replicas_is_followed(first: Engine, second: Path, url: str) -> None:
    first.learn(*PAIRS[0])
    first.close()
    with psycopg.connect(url) as connection:
        connection.execute("DROP TABLE journal_writer")
    with Engine.open(second, replica=True) as replica, Engine.open(first.opened.store.path) as again:
        again.learn(*PAIRS[1])
        assert_follows(replica, again)


def test_half_a_revision_is_never_seen(url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("dragoman.store.journal.CHUNK", 3)
    with Journal.create(url) as journal:
        journal.append_learn("a", "b")
        journal.append_learn("c", "d")
        journal.append_revise(1, "e")
        assert [row.id for row in journal.news(0, journal.digest(0))] == [1, 2]
        assert [row.id for row in journal.news(2, journal.digest(2))] == [3, 4]
        assert journal.news(4, journal.digest(4)) == []


def test_a_directory_with_another_base_is_refused(first: Engine, second: Path) -> None:
    first.train(PAIRS[:50])
    trained = copied(first.opened.store.path, second.parent / "third")
    with Engine.open(second, replica=True) as replica:  # nothing is wrong with it as long as nothing was learned
        first.learn(*PAIRS[60])
        until(lambda: replica.problem is not None)
        assert "copy project.json and the base here" in str(replica.problem)
        assert replica.revision == 0
    for options in ({"replica": True}, {"write": False}):
        with pytest.raises(BadInputError, match="different base"):
            Engine.open(second, **options)
    with Engine.open(trained, replica=True) as replica:
        assert_follows(replica, first)
    first.close()
    with pytest.raises(BadInputError, match="different base"):
        Engine.open(second)
    Engine.open(trained).close()


@pytest.mark.parametrize(
    "lost", ["pid IN (SELECT pid FROM pg_locks WHERE locktype = 'advisory')", "usename IS NOT NULL"]
)
def test_a_writer_that_was_taken_over_from_appends_nothing_and_follows(
    lost: str, first: Engine, second: Path, postgresql: Server
) -> None:
    first.learn(*PAIRS[0])
    assert end_backends(postgresql, lost) >= 1
    with Engine.open(second) as other:  # the lock went with its connection
        number = other.learn(*PAIRS[1])
        with pytest.raises(SupersededError, match=r"taken over; nothing was acknowledged; send corrections there"):
            first.learn(*PAIRS[2])
        assert first.role == "replica"
        assert_follows(first, other)
        assert [row.id for row in other.opened.store.journal.rows()] == [1, number]
        with pytest.raises(ReplicaError):
            first.learn(*PAIRS[2])


def test_a_writer_that_was_taken_over_from_can_be_told_without_appending(
    first: Engine, second: Path, postgresql: Server
) -> None:
    first.confirm()
    assert first.role == "writer"
    end_backends(postgresql, "pid IN (SELECT pid FROM pg_locks WHERE locktype = 'advisory')")
    with Engine.open(second) as other:
        other.learn(*PAIRS[0])
        first.confirm()
        assert_follows(first, other)
        first.confirm()
        assert (first.role, other.role) == ("replica", "writer")


@pytest.mark.parametrize("committed", [True, False])
def test_who_takes_over_waits_for_the_append_under_way(
    committed: bool, url: str, postgresql: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("dragoman.store.database.HUNG", "1s")
    first = Journal.create(url)
    first.append_learn("a", "b")
    taken: list[Journal] = []
    other = threading.Thread(target=lambda: taken.append(Journal(url, write=True)))
    lost = nullcontext() if committed else pytest.raises(StorageError, match="nothing was acknowledged")
    with lost, first._appending(None, None) as transaction:
        transaction.append("learn", source="c", target="d")
        end_backends(postgresql, "pid IN (SELECT pid FROM pg_locks WHERE locktype = 'advisory')")
        other.start()
        other.join(0.3 if committed else 20)  # a process that hangs in the middle is given up after a second
        assert bool(taken) is not committed
    other.join(20)
    assert [row.source for row in taken[0].rows()] == (["a", "c"] if committed else ["a"])
    assert taken[0].append_learn("e", "f") > 2
    with pytest.raises(SupersededError):
        first.append_learn("g", "h")
    first.close()
    taken[0].close()


def test_promoting_is_refused_while_somebody_writes(first: Engine, second: Path, tmp_path: Path) -> None:
    first.learn(*PAIRS[0])
    with Engine.open(second, replica=True) as replica:
        with pytest.raises(BadInputError, match=r"is open for writing by dragoman, process \d+ on"):
            replica.promote()
        assert replica.role == "replica"
        first.learn(*PAIRS[1])
        first.close()
        replica.promote()
        assert (replica.role, replica.revision) == ("writer", 2)
        replica.promote()
        assert replica.learn(*PAIRS[2]) == 3
        with Engine.open(copied(second, tmp_path / "third"), replica=True) as other:
            assert_follows(other, replica)


def test_of_two_standbys_one_takes_over(first: Engine, second: Path, tmp_path: Path) -> None:
    third = copied(second, tmp_path / "third")
    with Engine.open(second, standby=True) as one, Engine.open(third, standby=True) as other:
        first.learn(*PAIRS[0])
        first.close()
        until(lambda: "writer" in (one.role, other.role))
        new, old = (one, other) if one.role == "writer" else (other, one)
        new.learn(*PAIRS[1])
        assert_follows(old, new)
        assert old.role == "standby"
