"""Answers of other engines in the journal's database, in each kind of it."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
import sqlalchemy as sa

from dragoman.errors import BadInputError
from dragoman.store import Journal, SupersededError
from dragoman.store.answers import ANSWERS, AnswerEntry, Answers, Spent
from dragoman.store.project_answers import ProjectAnswers
from dragoman.store.sqlite_files import Place

ENGINE = "ct2:models/nmt"


@pytest.fixture
def journal(place: Place) -> Iterator[Journal]:
    with Journal.create(place) as journal:
        yield journal


def keep(answers: Answers, *texts: str, version: str = "1", terms: str = "") -> None:
    answers.keep(ENGINE, version, [AnswerEntry(text, terms, text.upper()) for text in texts])


def find(
    answers: Answers, text: str, version: str | None = None, terms: str = "", any_terms: bool = False
) -> str | None:
    (kept,) = answers.find(ENGINE, [(text, terms)], version, any_terms=any_terms)
    return kept.answer if kept else None


def test_before_anything_is_kept_nothing_is_found_and_no_table_is_made(journal: Journal) -> None:
    answers = Answers(journal, "en", "es")
    assert find(answers, "a") is None
    assert (answers.summaries(), list(answers.entries()), answers.clear()) == ([], [], 0)
    assert answers.spent(ENGINE) == Spent(0, 0)
    with journal.reading() as connection:
        assert not sa.inspect(connection).has_table(ANSWERS.name)


def test_what_was_kept_is_found_by_text_languages_engine_and_version(journal: Journal) -> None:
    answers = Answers(journal, "en", "es")
    keep(answers, "a", "b\0\ud7ff\n🎉")
    assert find(answers, "a") == find(answers, "a", "1") == "A"
    assert find(answers, "b\0\ud7ff\n🎉") == "B\0\ud7ff\n🎉"
    assert find(answers, "a", "2") is None
    assert answers.find("ct2:other", [("a", "")]) == [None]
    assert find(Answers(journal, "en", "fr"), "a") is None


def test_without_a_version_the_newest_answer_is_found(journal: Journal) -> None:
    answers = Answers(journal, "en", "es")
    answers.keep(ENGINE, "1", [AnswerEntry("a", "", "old")])
    answers.keep(ENGINE, "2", [AnswerEntry("a", "", "new")])
    assert (find(answers, "a"), find(answers, "a", "1")) == ("new", "old")


def test_what_an_earlier_version_says_again_is_the_newest(journal: Journal) -> None:
    answers = Answers(journal, "en", "es")
    for version, text in (("1", "first"), ("2", "second"), ("1", "again")):
        answers.keep(ENGINE, version, [AnswerEntry("a", "", text)])
    assert (find(answers, "a"), find(answers, "a", "2")) == ("again", "second")


def test_an_answer_for_other_terms_is_found_only_if_wanted(journal: Journal) -> None:
    answers = Answers(journal, "en", "es")
    keep(answers, "a", terms="x")
    assert find(answers, "a", terms="x") == "A"
    assert find(answers, "a") is None
    assert find(answers, "a", any_terms=True) == "A"


def test_an_answer_kept_again_takes_the_place_of_the_old_one(journal: Journal) -> None:
    answers = Answers(journal, "en", "es")
    answers.keep(ENGINE, "1", [AnswerEntry("a", "", "old")])
    answers.keep(ENGINE, "1", [AnswerEntry("a", "", "new"), AnswerEntry("a", "", "newest")])
    assert [kept.answer for kept in answers.entries()] == ["newest"]


def test_the_oldest_answers_go_when_there_are_too_many(journal: Journal) -> None:
    answers = Answers(journal, "en", "es", most=10)
    for start in range(0, 30, 5):
        keep(answers, *(str(number) for number in range(start, start + 5)))
    assert [kept.text for kept in answers.entries()] == [str(number) for number in range(20, 30)]


def test_many_are_kept_found_and_listed_in_order(journal: Journal) -> None:
    answers = Answers(journal, "en", "es")
    texts = [f"text {number}" for number in range(1203)]
    keep(answers, *texts)
    assert [kept.text for kept in answers.entries()] == texts
    found = answers.find(ENGINE, [(text, "") for text in reversed(texts)])
    assert [kept and kept.text for kept in found] == texts[::-1]
    (summary,) = answers.summaries()
    assert (summary.engine, summary.version, summary.source, summary.target, summary.number) == (
        ENGINE,
        "1",
        "en",
        "es",
        1203,
    )


def test_clearing_takes_one_engine_or_all_of_our_languages(journal: Journal) -> None:
    answers, others = Answers(journal, "en", "es"), Answers(journal, "en", "fr")
    keep(answers, "a", "b")
    keep(others, "a")
    answers.keep("command:x", "", [AnswerEntry("a", "", "A")])
    assert answers.clear("command:x") == 1
    assert answers.clear() == 2
    assert find(others, "a") == "A"


def test_limits_of_a_day_hold_across_restarts_and_count_nothing_that_was_refused(place: Place) -> None:
    with Journal.create(place) as journal:
        answers = Answers(journal, "en", "es")
        assert answers.spend(ENGINE, 1, 60, most_characters=100)
        assert not answers.spend(ENGINE, 1, 60, most_characters=100)
        assert answers.spend("another", 1, 60, most_characters=100)
    with Journal(place, write=True) as journal:
        answers = Answers(journal, "en", "es")
        assert answers.spent(ENGINE) == Spent(1, 60)
        assert answers.spend(ENGINE, 1, 40, most_characters=100, most_requests=2)
        assert not answers.spend(ENGINE, 1, 0, most_requests=2)


def test_a_new_day_has_a_limit_of_its_own(journal: Journal, monkeypatch: pytest.MonkeyPatch) -> None:
    answers = Answers(journal, "en", "es")
    monkeypatch.setattr("dragoman.store.answers._today", lambda: "2024-05-01")
    assert answers.spend(ENGINE, 1, 100, most_characters=100)
    assert not answers.spend(ENGINE, 1, 1, most_characters=100)
    monkeypatch.setattr("dragoman.store.answers._today", lambda: "2024-05-02")
    assert answers.spend(ENGINE, 1, 100, most_characters=100)


def test_of_an_answer_of_the_writer_and_one_of_ones_own_the_newer_is_found(place: Place, tmp_path: Path) -> None:
    with Journal.create(place) as writer, Journal(place) as reader:
        shared, own = Answers(writer, "en", "es"), ProjectAnswers(tmp_path, reader, "en", "es")
        shared.keep(ENGINE, "1", [AnswerEntry("a", "", "old")])
        own.keep(ENGINE, "2", [AnswerEntry("a", "", "new")])
        assert [each and each.answer for each in own.find(ENGINE, [("a", "")])] == ["new"]
        shared.keep(ENGINE, "3", [AnswerEntry("a", "", "newest")])
        assert [each and each.answer for each in own.find(ENGINE, [("a", ""), ("b", "")])] == ["newest", None]
        assert [each and each.answer for each in own.find(ENGINE, [("a", "")], "2")] == ["new"]
        own.close()


def test_a_replica_finds_what_the_writer_keeps_and_may_not_keep_anything(place: Place) -> None:
    with Journal.create(place) as writer, Journal(place) as reader:
        replica = Answers(reader, "en", "es")
        assert find(replica, "a") is None
        keep(Answers(writer, "en", "es"), "a")
        assert find(replica, "a") == "A"
        assert not replica.is_writable
        with pytest.raises(BadInputError, match="open for reading only"):
            keep(replica, "b")


def test_a_writer_that_another_has_taken_over_from_keeps_nothing(url: str) -> None:
    with Journal.create(url) as journal:
        answers = Answers(journal, "en", "es")
        keep(answers, "a")
        assert journal._fence
        journal._fence._token -= 1  # as if somebody else had taken a newer one
        with pytest.raises(SupersededError):
            keep(answers, "b")
        journal._fence._token += 1
        assert find(answers, "b") is None


def test_answers_are_no_rows_and_change_no_digest(journal: Journal) -> None:
    journal.append_learn("a", "b")
    before = journal.digest(1)
    keep(Answers(journal, "en", "es"), "a", "b", "c")
    assert journal.append_learn("c", "d") == 2
    assert (journal.digest(1), journal.last_id) == (before, 2)


KEEPING = """
import sys
from itertools import count
from pathlib import Path
from dragoman.store import Journal
from dragoman.store.answers import Answers, AnswerEntry
place = sys.argv[1] if "://" in sys.argv[1] else Path(sys.argv[1])
with Journal(place, write=True) as journal:
    answers = Answers(journal, "en", "es")
    for number in count():
        answers.keep("e", "1", [AnswerEntry(f"{number} {each}", "", "x" * 500) for each in range(20)])
        if number % 5 == 0:
            print(journal.append_learn(f"source {number}", "target"), flush=True)
"""


def test_a_process_killed_while_it_keeps_answers_loses_no_correction_and_no_half_batch(place: Place) -> None:
    Journal.create(place).close()
    process = subprocess.Popen([sys.executable, "-c", KEEPING, str(place)], stdout=subprocess.PIPE, text=True)
    assert process.stdout
    acknowledged = [process.stdout.readline() for _ in range(6)]
    time.sleep(0.05)
    os.kill(process.pid, signal.SIGKILL)
    acknowledged += process.stdout.read().splitlines()
    process.stdout.close()
    process.wait()
    with Journal(place) as journal:
        last = int(acknowledged[-1])
        assert [row.id for row in journal.rows()][:last] == list(range(1, last + 1))
        kept = [entry.text.split()[0] for entry in Answers(journal, "en", "es").entries()]
        assert len(kept) == 20 * len(set(kept))
        assert len(set(kept)) >= 5 * (last - 1)


def test_dropping_a_journal_drops_its_answers(place: Place, tmp_path: Path) -> None:
    del tmp_path
    with Journal.create(place) as journal:
        keep(Answers(journal, "en", "es"), "a")
    Journal.drop(place)
    with Journal.create(place) as journal:
        assert find(Answers(journal, "en", "es"), "a") is None
