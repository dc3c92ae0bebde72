"""Asking for a project: once, within the time allowed, never with an error, and offline from what was kept."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from dragoman.circuit import FAILURES
from dragoman.store import Journal
from dragoman.store.answers import Answers, Spent
from dragoman.upstream import Hints, Silence, TermPlace, UnansweredError, Upstream
from dragoman.upstream.contract import Answer, Scored, Traits, UpstreamEngine
from tests.upstream.support import Reaction, Request, Scripted, as_json, serving, word_by_word

TEXT = "Open the file"
KEY = "sk-a1b2c3d4e5"


@pytest.fixture
def journal(tmp_path: Path) -> Iterator[Journal]:
    with Journal.create(tmp_path / "journal.db") as journal:
        yield journal


def over(engine: UpstreamEngine | str, journal: Journal | None = None) -> Upstream:
    answers = None if journal is None else Answers(journal, "en", "es")
    return Upstream(engine, answers, source="en", target="es")


def test_a_text_is_asked_once_and_then_there_for_good(journal: Journal) -> None:
    engine = Scripted()
    upstream = over(engine, journal)
    first, second = upstream.ask(TEXT), upstream.ask(TEXT)
    assert first == second
    assert first
    assert (first.text, first.engine, first.version) == ("abra el archivo", "test:scripted", "1")
    assert engine.texts == [TEXT]
    upstream.close()
    dead = Scripted(error=UnansweredError("gone"))
    later = over(dead, journal)
    assert later.ask(TEXT) == first
    assert dead.texts == []
    later.close()


def test_another_version_is_asked_anew_and_the_old_answer_serves_while_it_is_away(journal: Journal) -> None:
    over(Scripted(), journal).ask(TEXT)
    newer = over(Scripted(say=str.upper, version="2"), journal)
    away = over(Scripted(version="3", error=UnansweredError("gone")), journal)
    answer = newer.ask(TEXT)
    assert answer
    assert (answer.text, answer.version) == ("OPEN THE FILE", "2")
    old = away.ask(TEXT)
    assert old
    assert (old.text, old.version) == ("OPEN THE FILE", "2")


def test_settled_terms_are_part_of_what_was_asked(journal: Journal) -> None:
    engine = Scripted()
    upstream = over(engine, journal)
    hints = Hints((TermPlace(9, 13, "fichero"),))
    plain, settled = upstream.ask(TEXT), upstream.ask(TEXT, hints)
    assert plain
    assert settled
    assert (plain.text, settled.text) == ("abra el archivo", "abra el fichero")
    assert upstream.ask(TEXT, hints) == settled
    assert engine.texts == [TEXT, "Open the X1X"]


def test_a_batch_asks_for_each_new_text_once_and_answers_in_order(journal: Journal) -> None:
    engine = Scripted(traits=Traits(batch=3))
    upstream = over(engine, journal)
    upstream.ask("close")
    texts = ["open", "close", "press", "open", "file", "the", "button"]
    answers = upstream.ask_all(texts)
    assert [answer and answer.text for answer in answers] == [word_by_word(text) for text in texts]
    assert sorted(engine.texts) == sorted(set(texts))
    assert [len(batch) for batch in engine.asked] == [1, 3, 2]


def test_texts_that_wait_for_the_engine_go_together_and_single_ones_before_lists(journal: Journal) -> None:
    go, began = threading.Event(), threading.Event()

    def say(text: str) -> str:
        began.set()
        go.wait(10)
        return word_by_word(text)

    engine = Scripted(say=say, traits=Traits(batch=4))
    upstream = over(engine, journal)
    lists = [["press"], [f"open {number}" for number in range(6)], ["close"], ["file"]]
    threads = [threading.Thread(target=upstream.ask_all, args=(texts,)) for texts in lists]
    for number, thread in enumerate(threads, start=1):
        thread.start()
        began.wait(10)
        while len(upstream._under_way) < sum(map(len, lists[:number])):
            time.sleep(0.01)
    go.set()
    for thread in threads:
        thread.join()
    assert [sorted(batch) for batch in engine.asked] == [
        ["press"],
        ["close", "file", "open 0", "open 1"],
        [f"open {number}" for number in range(2, 6)],
    ]


def test_progress_ends_at_the_number_of_texts(journal: Journal) -> None:
    seen: list[tuple[str, int, int]] = []
    over(Scripted(traits=Traits(batch=2)), journal).ask_all(
        ["open", "close", "press", "open"], progress=lambda *each: seen.append(each)
    )
    assert seen[0] == ("asking", 0, 3)
    assert seen[-1] == ("asking", 3, 3)


def test_a_slow_engine_is_not_waited_for_and_its_late_answer_is_kept(journal: Journal) -> None:
    go, said = threading.Event(), threading.Event()

    def say(text: str) -> str:
        go.wait(30)
        said.set()
        return word_by_word(text)

    upstream = over(Scripted(say=say), journal)
    assert upstream.outcome(TEXT, seconds=0.1).silence is Silence.SLOW
    assert not said.is_set()
    go.set()
    found = upstream.find(TEXT)
    for _ in range(100):
        found = found or upstream.find(TEXT)
        time.sleep(0 if found else 0.05)
    assert found
    assert found.text == "abra el archivo"
    upstream.close()


def test_threads_that_want_the_same_text_ask_once(journal: Journal) -> None:
    def say(text: str) -> str:
        time.sleep(0.05)
        return word_by_word(text)

    engine = Scripted(say=say, traits=Traits(workers=4))
    upstream = over(engine, journal)
    texts = [f"open {number}" for number in range(10)]
    found: list[list[object]] = []
    threads = [threading.Thread(target=lambda: found.append([*upstream.ask_all(texts)])) for _ in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(found) == 6
    assert all(each == found[0] for each in found)
    assert sorted(engine.texts) == sorted(texts)
    upstream.close()


@pytest.mark.parametrize(
    ("say", "silence"),
    [
        (lambda _: "", Silence.EMPTY),
        (lambda _: None, Silence.EMPTY),
        (lambda _: "Откройте файл", Silence.WRONG_LANGUAGE),
        (lambda _: "de la caja " * 9, Silence.RAMBLING),
        (lambda _: "Abra \ud800", Silence.UNUSABLE),
    ],
)
def test_a_bad_answer_is_a_silence_with_its_reason(
    say: Callable[[str], str | None], silence: Silence, journal: Journal
) -> None:
    upstream = over(Scripted(say=say), journal)
    assert upstream.outcome(TEXT).silence is silence
    assert upstream.ask(TEXT) is None
    assert upstream.counts[silence.value] == 2


def test_a_bad_answer_is_not_asked_for_again_and_can_be_looked_at(journal: Journal) -> None:
    engine = Scripted(say=lambda _: "Откройте файл")
    upstream = over(engine, journal)
    upstream.ask(TEXT)
    again = over(engine, journal).outcome(TEXT)
    assert engine.texts == [TEXT]
    assert again.refused
    assert (again.silence, again.refused.text) == (Silence.WRONG_LANGUAGE, TEXT)
    assert upstream.find(TEXT) is None


@pytest.mark.parametrize("error", [UnansweredError("gone"), RuntimeError(KEY), MemoryError(), OSError("x")])
def test_an_engine_that_fails_raises_nothing_and_is_left_alone_after_a_while(
    error: Exception, journal: Journal
) -> None:
    engine = Scripted(error=error)
    upstream = over(engine, journal)
    outcomes = [upstream.outcome(f"{TEXT} {number}") for number in range(6)]
    assert [outcome.silence for outcome in outcomes] == [Silence.FAILED] * FAILURES + [Silence.RESTING] * (6 - FAILURES)
    assert len(engine.texts) in (FAILURES, 2 * FAILURES)  # twice to find out whether it was the text
    assert upstream.problem
    assert KEY not in upstream.problem


def worse(text: str) -> str:
    """What an engine says that cannot do one of its texts: with words between placeholders, it goes on and on."""
    if "{" in text and "lid" in text:
        return "la la " * 50
    if "lock" in text:
        return "la la " * 50
    return word_by_word(text)


def test_a_text_that_the_engine_cannot_do_is_asked_for_in_pieces_or_stays_as_it_is(journal: Journal) -> None:
    upstream = over(Scripted(say=worse, traits=Traits(markings=())), journal)
    texts = ["open the file", "close the lid {name}, press the button.", "close the lock of {name} now"]
    found = upstream.outcomes(texts)
    assert [each.silence for each in found] == [None, None, Silence.RAMBLING]
    assert found[1].answer
    assert found[1].answer.text == "cierre el lid {name}, pulse el button."
    assert found[2].refused
    assert found[2].refused.text == texts[2]


@pytest.mark.parametrize("error", [UnansweredError("broken", blames_texts=True), RuntimeError("x")])
@pytest.mark.parametrize("at", [0, 7, 19])
def test_a_text_that_breaks_the_engine_does_not_keep_its_answers_from_others(
    error: Exception, at: int, journal: Journal
) -> None:
    def say(text: str) -> str:
        if text.endswith(f" {at}"):
            raise error
        return word_by_word(text)

    upstream = over(Scripted(say=say), journal)
    found = upstream.outcomes([f"open the file {number}" for number in range(20)])
    assert [each.silence for each in found] == [Silence.UNUSABLE if n == at else None for n in range(20)]
    assert over(Scripted(), journal).ask(f"open the file {at}")  # later it may be able to


def test_an_engine_that_fails_with_every_text_blames_none(journal: Journal) -> None:
    upstream = over(Scripted(error=RuntimeError("x")), journal)
    silences = {each.silence for each in upstream.outcomes([f"open the file {number}" for number in range(16)])}
    assert silences == {Silence.FAILED, Silence.RESTING}


def test_an_engine_that_cannot_be_made_is_a_silence_with_a_problem(journal: Journal) -> None:
    upstream = over("ct2:nowhere", journal)
    assert upstream.outcome(TEXT).silence is Silence.FAILED
    assert upstream.problem == (
        "nowhere: there is no CTranslate2 model here; write ct2: and the directory that ct2-transformers-converter"
        " or the like has made"
    )


def test_the_engine_is_loaded_only_when_it_is_asked(journal: Journal, monkeypatch: pytest.MonkeyPatch) -> None:
    made: list[str] = []

    def make(name: str, **_: str) -> Scripted:
        made.append(name)
        return Scripted(name="recorded:x")

    monkeypatch.setattr("dragoman.upstream.names.from_name", make)
    upstream = Upstream("recorded:x", Answers(journal, "en", "es"), source="en", target="es")
    assert (upstream.name, upstream.version, made) == ("recorded:x", None, [])
    assert upstream.find(TEXT) is None
    assert made == []
    assert upstream.ask(TEXT)
    assert upstream.ask("close")
    assert (made, upstream.version) == (["recorded:x"], "1")
    upstream.close()


def test_a_text_of_several_lines_is_asked_for_line_by_line(journal: Journal) -> None:
    engine = Scripted()
    text = "  Open the file\r\n\n\tClose the file \n{x}\n42\n"
    answer = over(engine, journal).ask(text)
    assert answer
    assert answer.text == "  abra el archivo\r\n\n\tcierre el archivo \n{x}\n42\n"
    assert engine.asked == [["Open the file", "Close the file"]]


def test_a_paragraph_is_asked_for_in_sentences_that_are_kept_each_for_itself(journal: Journal) -> None:
    engine = Scripted()
    upstream = over(engine, journal)
    answer = upstream.ask("Open the file.  Close the file. <b>Press. Open.</b>\tPress!")
    assert answer
    assert answer.text == "abra el file.  cierre el file. <b>Press. Open.</b>\tPress!"
    upstream.ask("Close the file. Press e.g. the button.")
    assert engine.texts[:2] == ["Open the file.", "Close the file."]
    assert engine.texts[-1] == "Press e.g. the button."
    assert engine.texts.count("Close the file.") == 1
    assert upstream.find("Press e.g. the button. Open the file.")
    assert upstream.find("Open the file. Who?") is None


def test_a_sentence_longer_than_engines_take_is_asked_for_in_pieces(journal: Journal) -> None:
    engine = Scripted()
    text = "open, close the file " * 400
    answer = over(engine, journal).ask(text)
    assert answer
    assert answer.text == "open, cierre el archivo " * 400
    assert max(len(asked.split()) for asked in engine.texts) <= 100


class Continuing(Scripted):
    """An engine that goes on from a prefix by ending it."""

    def continue_from(self, text: str, prefix: str, *, n: int = 4) -> Answer | None:
        del n
        self.asked.append([text])
        return Answer(f"{prefix}este.", (Scored(f"{prefix}este.", -1.0), Scored(f"{prefix}estos.", -2.0)))


def test_a_paragraph_goes_on_in_the_sentence_that_is_typed(journal: Journal) -> None:
    engine = Continuing()
    upstream, text = over(engine, journal), "Open the file.  Close the file. Press the button."
    assert upstream.ask(text)
    answer = upstream.continue_from(text, "Abra todo.  Cierre este")
    assert engine.asked[-1] == ["Close the file."]
    assert answer
    assert answer.text == "Abra todo.  Cierre este. pulse el button."
    assert [each.text for each in answer.nbest] == [answer.text]  # the others do not begin with what was typed
    assert upstream.continue_from(text, "Uno. Dos. Tres. Cuatro. Cinco") is None
    assert upstream.continue_from(text + " Wait for it.", "Abra") is None  # there is no answer for the rest yet


def test_one_sentence_without_an_answer_leaves_the_text_without_one(journal: Journal) -> None:
    engine = Scripted(say=lambda text: None if "Close" in text else word_by_word(text))
    outcome = over(engine, journal).outcome("Open the file. Close the file.")
    assert (outcome.answer, outcome.silence) == (None, Silence.EMPTY)


def test_a_text_without_words_is_its_own_translation_and_costs_nothing(journal: Journal) -> None:
    engine = Scripted()
    upstream = over(engine, journal)
    for text in ("", "  ", "…", "{name}", "<br/>", "12.50"):
        answer = upstream.ask(text)
        assert answer
        assert answer.text == text
    assert engine.asked == []


def test_what_is_no_text_or_too_long_is_not_asked_for(journal: Journal) -> None:
    engine = Scripted()
    upstream = over(engine, journal)
    assert upstream.outcome("half a pair \ud800").silence is Silence.UNUSABLE
    silence, refused = upstream.outcome("word" * 5001)[1:]
    assert silence is Silence.UNUSABLE
    assert refused
    assert refused.text == "word" * 5001  # it stays as it is, and keeps nothing from the other texts
    assert engine.asked == []


def test_the_limit_of_a_day_holds_for_every_request(journal: Journal) -> None:
    def react(request: Request) -> Reaction:
        return as_json({"translatedText": [word_by_word(text) for text in request.json["q"]]})

    with serving(react) as service:
        name = f"libretranslate:{service.url}#requests=2"
        upstream = over(name, journal)
        assert [upstream.outcome(text).silence for text in ("open", "close", "press")] == [None, None, Silence.SPENT]
        upstream.close()
        again = over(name, journal)  # as after a restart
        assert again.outcome("button").silence is Silence.SPENT
        assert again.ask("open")
        assert "today's limit is reached" in (again.problem or "")
        again.close()
    assert len(service.requests) == 2
    assert Answers(journal, "en", "es").spent(f"libretranslate:{service.url}") == Spent(2, 9)


def test_local_engines_have_limits_too_if_they_are_set(journal: Journal) -> None:
    engine = Scripted(traits=Traits(is_metered=True, characters_per_day=10))
    upstream = over(engine, journal)
    assert upstream.ask("open")
    assert upstream.outcome("close the file").silence is Silence.SPENT


def test_closing_does_not_wait_for_a_stuck_engine_and_whoever_waits_gets_silence(
    journal: Journal, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("dragoman.upstream.upstream.CLOSING", 0.1)
    stuck = threading.Event()
    engine = Scripted(say=lambda text: f"{text} {stuck.wait(10)}", traits=Traits(batch=1))
    upstream = over(engine, journal)
    found: list[list[Silence | None]] = []
    thread = threading.Thread(target=lambda: found.append([r.silence for r in upstream.outcomes(["open", "close"])]))
    thread.start()
    while not engine.asked:
        time.sleep(0.01)
    upstream.close()
    thread.join(5)
    assert found == [[Silence.OFF, Silence.OFF]]
    assert engine.is_closed
    assert upstream.outcome("press").silence is Silence.OFF
    stuck.set()


def test_a_disk_that_is_full_costs_the_keeping_and_not_the_answer(
    journal: Journal, monkeypatch: pytest.MonkeyPatch
) -> None:
    from dragoman.errors import StorageError

    def fail(*_: object) -> None:
        raise StorageError("the disk is full")

    monkeypatch.setattr(Answers, "keep", fail)
    upstream = over(Scripted(), journal)
    assert upstream.ask(TEXT)
    assert upstream.problem == "the disk is full"


def test_a_key_is_in_no_file_of_the_project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DEEPL_AUTH_KEY", KEY)
    reactions = iter([as_json({"translations": [{"text": "abra"}]}), as_json({"message": f"{KEY} is odd"}, 403)])
    with Journal.create(tmp_path / "journal.db") as journal, serving(lambda _: next(reactions)) as service:
        upstream = over(f"deepl:{service.url}", journal)
        assert upstream.ask("open")
        assert upstream.outcome("close").silence is Silence.FAILED
        shown = [
            repr(upstream),
            repr(vars(upstream)),
            repr(vars(upstream._engine.engine)),
            upstream.name,
            upstream.problem,
        ]
        upstream.close()
        files = [file.read_bytes() for file in tmp_path.iterdir()]
    assert KEY in service.requests[0].headers["Authorization"]
    assert [text for text in shown if KEY in str(text)] == []
    assert [file for file in files if KEY.encode() in file] == []
