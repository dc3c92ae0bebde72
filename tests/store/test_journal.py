"""The journal in both databases: what goes in comes out, in order, and its fold is that of a plain list."""

from __future__ import annotations

import os
import sys
import threading
from collections.abc import Callable, Iterable
from datetime import UTC, datetime, timedelta, timezone
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
import sqlalchemy as sa
from hypothesis import example, given, settings
from hypothesis import strategies as st

from dragoman.errors import BadInputError, DamagedFileError, StorageError
from dragoman.store import Journal, Row
from dragoman.store.database import Database
from dragoman.store.head import head_of
from dragoman.store.sqlite_files import Place

if TYPE_CHECKING:
    from tests.store.postgresql import Server

NOON = datetime(2024, 5, 1, 12, tzinfo=UTC)


def change(place: Place, statement: str) -> None:
    """Change the table behind the journal's back."""
    database = Database(place, write=True)
    with database.writing() as connection:
        connection.execute(sa.text(statement))
    database.close()


def test_a_correction_comes_back_as_it_was_given(place: Place) -> None:
    with Journal.create(place) as journal:
        assert (journal.last_id, journal.count, list(journal.rows()), journal.history()) == (0, 0, [], [])
        given_at = NOON.astimezone(timezone(timedelta(hours=2)))
        first = journal.append_learn("green", "verde", contribution=b"\0\1", user="ana", time=given_at, reason="short")
        row = journal.get(first)
    assert (row.id, row.kind, row.source, row.target, row.user) == (1, "learn", "green", "verde", "ana")
    assert (row.contribution, row.reason, row.refers_to, row.forgotten) == (b"\0\1", "short", None, False)
    assert (row.time, row.time.utcoffset()) == (NOON, timedelta(0))


def test_the_time_is_now_unless_given_and_always_has_a_zone(place: Place) -> None:
    with Journal.create(place) as journal:
        before = datetime.now(UTC)
        assert before <= journal.get(journal.append_learn("a", "b")).time <= datetime.now(UTC)
        with pytest.raises(BadInputError, match="no time zone"):
            journal.append_learn("a", "b", time=NOON.replace(tzinfo=None))


def test_a_time_that_does_not_exist_in_utc_is_refused(place: Place) -> None:
    east, west = timezone(timedelta(hours=2)), timezone(timedelta(hours=-2))
    first, last = datetime.min.replace(tzinfo=UTC), datetime.max.replace(tzinfo=UTC)
    with Journal.create(place) as journal:
        for time in (first.replace(tzinfo=east), last.replace(tzinfo=west)):
            with pytest.raises(BadInputError, match="out of range in UTC; give a time in the years 1 to 9999"):
                journal.append_learn("a", "b", time=time)
        for time in (first, last):
            assert journal.get(journal.append_learn("a", "b", time=time)).time == time


def test_what_is_written_is_there_for_the_next_to_open(place: Place) -> None:
    with Journal.create(place) as journal:
        journal.append_learn("a", "b")
        digest = journal.digest(1)
    with Journal(place) as journal:
        assert [row.source for row in journal.rows()] == ["a"]
        with pytest.raises(BadInputError, match="for reading only"):
            journal.append_learn("c", "d")
    with Journal(place, write=True) as journal:
        assert journal.append_learn("c", "d") == 2
        assert journal.digest(1) == digest
    with pytest.raises(BadInputError, match="there is already a journal here"):
        Journal.create(place)


def test_any_text_comes_back_character_for_character(place: Place) -> None:
    with Journal.create(place) as journal:

        @settings(max_examples=50)
        @given(st.text(), st.text(), st.none() | st.text(), st.none() | st.binary())
        @example("\0", "a\0b", "\ufdd0", b"")
        @example("\ufdd00\0", "\ufdd01\ufdd0", "\0\ufdd0", b"\0")
        @example("\r\n\t\x1a\x7f", "🐈‍⬛ e\u0301 \u202eabc \uffff", "'; --", b"'")
        def check(source: str, target: str, user: str | None, contribution: bytes | None) -> None:
            row = journal.get(journal.append_learn(source, target, user=user, contribution=contribution))
            assert (row.source, row.target, row.user, row.contribution) == (source, target, user, contribution)

        check()


def test_a_very_long_line_comes_back(place: Place) -> None:
    line, contribution = "palabra " * 10_000, bytes(range(256)) * 20_000
    with Journal.create(place) as journal:
        row = journal.get(journal.append_learn(line, line, contribution=contribution))
        assert (row.source, row.contribution) == (line, contribution)


@pytest.mark.parametrize("field", ["source", "target", "user", "reason"])
def test_half_a_surrogate_pair_is_refused_naming_the_field(tmp_path: Path, field: str) -> None:
    texts: dict[str, Any] = {"source": "a", "target": "b"} | {field: "ok \ud800"}
    with Journal.create(tmp_path / "journal.db") as journal:
        with pytest.raises(BadInputError, match=f"character 4 of the {field} is half a surrogate pair"):
            journal.append_learn(**texts)
        assert journal.last_id == 0


def test_forgetting_is_a_row_and_a_mark(place: Place) -> None:
    with Journal.create(place) as journal:
        learned = journal.append_learn("a", "b")
        forgot = journal.append_forget(learned, user="ana", time=NOON)
        row = journal.get(forgot)
        assert (row.kind, row.refers_to, row.user, row.time) == ("forget", learned, "ana", NOON)
        assert journal.get(learned).forgotten_by == forgot
        assert journal.count == 0


def test_revising_forgets_and_learns_in_one_go(place: Place) -> None:
    with Journal.create(place) as journal:
        first = journal.append_learn("a", "b", contribution=b"1")
        second = journal.append_revise(first, "c", contribution=b"2", user="ana")
        rows = list(journal.rows(after=first))
        assert [(row.kind, row.refers_to, row.contribution) for row in rows] == [
            ("forget", first, None),
            ("learn", first, b"2"),
        ]
        assert (rows[1].id, rows[1].source, rows[1].target, rows[1].user) == (second, "a", "c", "ana")
        with pytest.raises(BadInputError, match="surrogate"):
            journal.append_revise(second, "\ud800")
        assert (journal.last_id, journal.get(second).forgotten) == (second, False)


def test_settings_are_rows_and_every_row_names_those_in_force(place: Place) -> None:
    weights = {"weights": {"lm": 0.1 + 0.2, "größe": -1e-300}, "adapter": None}
    with Journal.create(place) as journal:
        journal.append_learn("a", "b")
        first = journal.append_settings(weights)
        journal.append_learn("c", "d")
        second = journal.append_settings({})
        with pytest.raises(BadInputError, match="JSON"):
            journal.append_settings({"weight": float("nan")})
    with Journal(place, write=True) as journal:
        journal.append_learn("e", "f")
        assert journal.get(first).settings == weights
        assert [row.revision for row in journal.rows()] == [0, 0, first, first, second]


@pytest.mark.parametrize("bad", [0, -1, 99, 2**63, 10**30])
def test_an_id_that_is_not_there_is_named(place: Place, bad: int) -> None:
    with Journal.create(place) as journal:
        journal.append_learn("a", "b")
        for use in (journal.get, journal.append_forget, lambda number: journal.append_revise(number, "c")):
            with pytest.raises(BadInputError, match=f"there is no correction {bad};"):
                use(bad)
        with pytest.raises(BadInputError, match=f"there is no correction {bad};"):
            journal.append_flagged("a", "b", reason="copied", refers_to=bad)
        assert journal.last_id == 1


def test_forgetting_twice_or_what_is_no_correction_is_refused(place: Place) -> None:
    with Journal.create(place) as journal:
        learned = journal.append_learn("a", "b")
        forgot = journal.append_forget(learned)
        with pytest.raises(BadInputError, match=f"correction {learned} is already forgotten"):
            journal.append_forget(learned)
        with pytest.raises(BadInputError, match=f"correction {learned} is already forgotten"):
            journal.append_revise(learned, "c")
        with pytest.raises(BadInputError, match=f"row {forgot} is a forget row, not a correction"):
            journal.append_forget(forgot)
        assert journal.last_id == forgot


def test_a_flagged_correction_is_kept_and_not_counted(place: Place) -> None:
    with Journal.create(place) as journal:
        flagged = journal.append_flagged("a", "a", reason="copied")
        row = journal.get(flagged)
        assert (row.kind, row.reason, row.contribution) == ("flagged", "copied", None)
        assert (journal.count, [each.id for each in journal.history()]) == (0, [flagged])
        journal.append_revise(flagged, "b")
        assert journal.get(flagged).forgotten
        assert journal.count == 1


State = dict[int, tuple[str | None, str | None]]  # what is in force: id, source and target


def fold(rows: Iterable[Row], state: State) -> State:
    """What the engine does with its models, done with a dictionary."""
    state = dict(state)
    for row in rows:
        if row.kind == "learn":
            state[row.id] = row.source, row.target
        elif row.kind == "forget":
            state.pop(row.refers_to or 0, None)  # nothing was learned of a flagged one
    return state


def operate(journal: Journal, operation: str, number: int, state: State) -> None:
    """Do something to the journal, and to a dictionary what ought to come of it."""
    known = sorted(state)
    if operation == "learn":
        state[journal.append_learn(f"source {number}", "target")] = f"source {number}", "target"
    elif operation == "flagged":
        journal.append_flagged("copied", "copied", reason="copied")
    elif operation == "settings":
        journal.append_settings({"number": number})
    elif known and operation == "forget":
        journal.append_forget(known[number % len(known)])
        del state[known[number % len(known)]]
    elif known and operation == "revise":
        source, _ = state.pop(known[number % len(known)])
        state[journal.append_revise(known[number % len(known)], "revised")] = source, "revised"


def test_state_is_a_fold_over_the_rows_from_wherever_one_starts(place: Place) -> None:
    state: State = {}
    names = st.sampled_from(["learn", "learn", "flagged", "forget", "revise", "settings"])
    with Journal.create(place) as journal:

        @settings(max_examples=20)
        @given(st.lists(st.tuples(names, st.integers(0, 99)), max_size=20), st.integers(0, 99))
        def check(operations: list[tuple[str, int]], cut: int) -> None:
            for operation, number in operations:
                operate(journal, operation, number, state)
            rows = list(journal.rows())
            ids = [row.id for row in rows]
            assert ids == sorted(set(ids))
            assert fold(rows, {}) == state
            half = rows[: cut % (len(rows) + 1)]
            assert fold(journal.rows(after=half[-1].id if half else 0), fold(half, {})) == state
            assert journal.count == len(state)
            history = journal.history(limit=len(rows))
            assert [row.id for row in history] == [row.id for row in reversed(rows) if row.kind in ("learn", "flagged")]
            assert {row.id for row in history if row.kind == "learn" and not row.forgotten} == state.keys()

        check()


def test_rows_are_read_in_order_whatever_their_number(place: Place, monkeypatch: pytest.MonkeyPatch) -> None:
    for module in ("journal", "row_reader"):
        monkeypatch.setattr(f"dragoman.store.{module}.CHUNK", 8)
    with Journal.create(place) as journal:
        for number in range(40):
            journal.append_learn(str(number), "x")
        assert [row.source for row in journal.rows(after=10)] == [str(number) for number in range(10, 40)]
        assert [row.source for row in journal.history(limit=3, offset=2)] == ["37", "36", "35"]
        with_three = [str(number) for number in reversed(range(40)) if "3" in str(number)]
        assert [row.source for row in journal.history(search="3")] == with_three
        assert [row.source for row in journal.history(search="3", limit=4, offset=9)] == with_three[9:13]


def test_a_search_finds_source_and_target_in_any_case(place: Place) -> None:
    with Journal.create(place) as journal:
        journal.append_learn("The green BUTTON", "El botón verde")
        journal.append_learn("Straße", "100 % \\ _x")
        journal.append_settings({"botón": 1})
        journal.append_flagged("Ωμέγα", "x", reason="wrong script")
        for search, ids in [("BOTÓN", [1]), ("button", [1]), ("STRASSE", [2]), ("ωμέ", [4]), ("e", [2, 1]), ("%", [2])]:
            assert [row.id for row in journal.history(search=search)] == ids, search
        assert journal.history(search="_y") == []


@pytest.mark.parametrize("search", [None, "button"])
def test_what_is_not_in_force_takes_no_place_in_a_history_of_what_is(place: Place, search: str | None) -> None:
    with Journal.create(place) as journal:
        oldest, revised = journal.append_learn("Button one", "x"), journal.append_learn("button two", "x")
        newest = journal.append_revise(revised, "y")
        for _ in range(3):
            journal.append_forget(journal.append_learn("button", "z"))
            journal.append_flagged("button", "button", reason="copied")
        assert [row.id for row in journal.history(2, search=search, in_force=True)] == [newest, oldest]
        assert [row.id for row in journal.history(2, 1, search=search, in_force=True)] == [oldest]
        assert len(journal.history(search=search)) == 9


def test_an_id_is_never_given_out_twice_even_if_its_row_is_deleted(place: Place) -> None:
    with Journal.create(place) as journal:
        for _ in range(3):
            journal.append_learn("a", "b")
    change(place, "DELETE FROM journal WHERE id > 1")
    if isinstance(place, Path):
        head_of(place).unlink()
    with Journal(place, write=True) as journal:
        assert journal.last_id == 1
        assert journal.append_learn("c", "d") > 3
        assert [row.source for row in journal.rows()] == ["a", "c"]


@pytest.mark.parametrize(
    "damage",
    [
        "UPDATE journal SET target = 'B' WHERE id = 2",
        "UPDATE journal SET revision = 1 WHERE id = 2",
        "UPDATE journal SET contribution = NULL WHERE id = 2",
        "DELETE FROM journal WHERE id = 1",
    ],
)
def test_a_row_that_is_not_as_it_was_written_is_named(place: Place, damage: str) -> None:
    with Journal.create(place) as journal:
        for _ in range(3):
            journal.append_learn("a", "b", contribution=b"c")
    change(place, damage)
    with Journal(place) as journal:
        for use in (lambda: journal.get(2), lambda: list(journal.rows()), journal.history):
            with pytest.raises(DamagedFileError, match=r"row 2 of the journal.*; .*restore the journal from a copy"):
                use()
        assert journal.get(3).source == "a"


def test_equal_rows_have_equal_digests_and_others_have_not(tmp_path: Path) -> None:
    digests = []
    for name, last in [("one", "x"), ("two", "x"), ("three", "y")]:
        with Journal.create(tmp_path / name) as journal:
            journal.append_learn("a", "b", time=NOON)
            journal.append_learn("c", last, time=NOON)
            digests.append([journal.digest(number) for number in range(3)])
    assert digests[0] == digests[1]
    assert digests[0][:2] == digests[2][:2]
    assert digests[0][2] != digests[2][2]


def test_threads_append_and_read_at_the_same_time(place: Place) -> None:
    acknowledged: list[int] = []
    errors: list[BaseException] = []

    def write(journal: Journal, name: int) -> None:
        for number in range(30):
            row_id = journal.append_learn(f"{name} {number}", "x")
            acknowledged.append(row_id)

    def read(journal: Journal, _: int) -> None:
        for _ in range(10):
            known = set(acknowledged)
            ids = [row.id for row in journal.rows()]
            assert ids == sorted(set(ids))
            assert known <= set(ids)
            journal.history(search="1")

    def guarded(work: Callable[[Journal, int], None], journal: Journal, name: int) -> None:
        try:
            work(journal, name)
        except BaseException as error:  # to be seen by the thread of the test
            errors.append(error)

    with Journal.create(place) as journal:
        threads = [
            threading.Thread(target=guarded, args=(work, journal, n)) for n in range(4) for work in (write, read)
        ]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert errors == []
        assert [row.id for row in journal.rows()] == sorted(acknowledged)
        assert len(set(acknowledged)) == 120


def test_who_has_missed_a_row_may_not_append(tmp_path: Path) -> None:
    place = tmp_path / "journal.db"
    with Journal.create(place) as one, Journal(place, write=True) as two:
        one.append_learn("a", "b")
        with pytest.raises(StorageError, match=r"has row 1 after row 0.*open the project again"):
            two.append_learn("c", "d")
        assert one.append_learn("c", "d") == 2


def test_a_second_writer_in_postgresql_is_told_who_is_the_first(postgresql: Server) -> None:
    place = postgresql.schema("writers")
    with Journal.create(place) as journal:
        with pytest.raises(BadInputError, match=f"is open for writing by dragoman, process {os.getpid()} on "):
            Journal(place, write=True)
        with Journal(place) as reader:
            journal.append_learn("a", "b")
            assert reader.last_id == 1
        with Journal.create(postgresql.schema("other_writers")) as other:
            assert other.append_learn("a", "b") == 1
    Journal(place, write=True).close()


def test_who_writes_a_copy_of_the_database_is_somebody_else(postgresql: Server) -> None:
    postgresql.execute("CREATE DATABASE one")
    Journal.create(postgresql.url.replace("/postgres", "/one")).close()
    postgresql.execute("CREATE DATABASE two TEMPLATE one")  # in which the tables have the same numbers
    with (
        Journal(postgresql.url.replace("/postgres", "/one"), write=True) as one,
        Journal(postgresql.url.replace("/postgres", "/two")) as two,
    ):
        assert one.writer
        assert two.writer is None
        two.start_writing()
        assert two.append_learn("a", "b") == 1


def test_a_crash_of_the_server_loses_nothing(postgresql: Server) -> None:
    place = postgresql.schema("crash")
    with Journal.create(place) as journal, Journal(place) as reader:
        ids = [journal.append_learn("a", "b") for _ in range(5)]
        assert reader.last_id == ids[-1]
        postgresql.stop()
        try:
            with pytest.raises(StorageError, match=r"cannot write.*nothing was acknowledged"):
                journal.append_learn("c", "d")
        finally:
            postgresql.start()
        assert [row.id for row in reader.rows()] == ids
        assert journal.append_learn("e", "f") > ids[-1]
        with pytest.raises(BadInputError, match="is open for writing"):  # the lock is held again
            Journal(place, write=True)


def test_a_server_that_is_not_there_or_has_no_journal_is_a_clear_error(postgresql: Server, tmp_path: Path) -> None:
    with pytest.raises(DamagedFileError, match="there is no journal here; check the database and the schema"):
        Journal(postgresql.schema("empty"))
    with pytest.raises(StorageError, match=r"cannot read: .*check the URL"):
        Journal(postgresql.url.replace("/postgres?", "/nowhere?"))
    with pytest.raises(StorageError, match="cannot read") as caught:
        Journal(f"postgresql://ana:secret@/x?host={tmp_path}")
    assert "secret" not in str(caught.value)
    assert "ana" in str(caught.value)


@pytest.mark.parametrize("url", ["mysql://ana:secret@host/x", "sqlite:///x", "nonsense", "://"])
def test_other_databases_are_refused(url: str) -> None:
    with pytest.raises(BadInputError, match="write it as postgresql://") as caught:
        Journal(url)
    assert "secret" not in str(caught.value)


def test_a_missing_driver_is_named_with_the_remedy(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "psycopg", None)
    with pytest.raises(BadInputError, match=r"pip install 'dragoman\[postgresql\]'"):
        Journal("postgresql://ana@host/x")
