"""A session: what was typed stays as it is, to the character, and the rest goes on from it."""

from __future__ import annotations

import random
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from dragoman import sample
from dragoman.concurrency import Cancellation
from dragoman.engine import Engine
from dragoman.errors import BadInputError, CancelledError
from dragoman.interactive import session as module
from dragoman.interactive.session import Mode, Session
from dragoman.interactive.session_search import Graphs
from dragoman.project.guard import FlaggedError
from dragoman.project.request import Request
from dragoman.upstream.contract import Answer

pytestmark = pytest.mark.kernels

PAIRS = sample.pairs()
MODES: list[Mode] = ["auto", "graph", "search"]


@pytest.fixture(scope="module")
def engine(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Engine]:
    """An engine that knows most of the manual."""
    with Engine.create(tmp_path_factory.mktemp("interactive") / "manual", source="en", target="es") as engine:
        engine.train(PAIRS[:500])
        yield engine


@pytest.fixture
def taught(tmp_path: Path) -> Iterator[Engine]:
    with Engine.create(tmp_path / "small", source="en", target="es") as engine:
        for source, target in [
            ("Press the green button.", "Pulse el botón verde."),
            ("Press the red button, then wait.", "Pulse el botón rojo, luego espere."),
            ("The green lamp is on.", "La lámpara verde está encendida."),
            ("Open the lid in Madrid.", "Abra la tapa en Madrid."),
        ] * 2:
            engine.learn(source, target)
        yield engine


def suffix(engine: Engine, source: str, prefix: str, **settings: object) -> str:
    with engine.interact(source, memory=False, **settings) as session:  # type: ignore[arg-type]
        return session.suggest(prefix).suffix


@pytest.mark.parametrize("mode", MODES)
def test_every_prefix_of_a_reference_stays_as_it_is(engine: Engine, mode: Mode) -> None:
    for source, reference in PAIRS[500:504]:
        with engine.interact(source, mode=mode) as session:
            for size in range(len(reference) + 1):
                suggestion = session.suggest(reference[:size])
                assert suggestion.text.startswith(reference[:size])
                assert suggestion.text == suggestion.prefix + suggestion.suffix


def test_the_first_suggestion_is_the_translation(engine: Engine) -> None:
    for source, _ in PAIRS[500:520]:
        assert suffix(engine, source, "") == engine.translate(source, memory=False).text


@pytest.mark.parametrize("mode", MODES)
def test_what_is_suggested_does_not_depend_on_what_was_typed_before(engine: Engine, mode: Mode) -> None:
    source, reference = PAIRS[505]
    moves = [3, 9, 4, 15, 0, len(reference), 8, 9, 10, 2]
    texts = [reference[:size] for size in moves] + ["Nunca", "Nunca " + reference[:5], reference[:9]]
    with engine.interact(source, mode=mode) as session:
        ours = [session.suggest(text).suffix for text in texts]
    assert ours == [suffix(engine, source, text, mode=mode) for text in texts]


def test_a_word_goes_on_where_it_was_left(taught: Engine) -> None:
    source = "Press the green button."
    assert suffix(taught, source, "Pul") == "se el botón verde."
    assert suffix(taught, source, "Pulse") == " el botón verde."
    assert suffix(taught, source, "Pulse ") == "el botón verde."
    assert suffix(taught, source, "Pulse el botón verde") == "."
    assert suffix(taught, source, "Pulse el botón verde.") == ""


def test_case_goes_on_as_typed(taught: Engine) -> None:
    assert suffix(taught, "Press the green button.", "PUL").startswith("SE")
    assert suffix(taught, "Press the green button.", "pul") == "se el botón verde."
    assert suffix(taught, "PRESS THE GREEN BUTTON.", "P") == "ULSE EL BOTÓN VERDE."
    assert suffix(taught, "Open the lid in Madrid.", "Abra la tapa en M") == "adrid."
    assert suffix(taught, "Open the lid in Madrid.", "Abra la tapa en m") == "adrid."


def test_a_gap_that_was_typed_is_followed_by_a_word(taught: Engine) -> None:
    assert suffix(taught, "Press the red button, then wait.", "Pulse el botón rojo").startswith(",")
    assert not suffix(taught, "Press the red button, then wait.", "Pulse el botón rojo ").startswith((",", ".", " "))


def test_spaces_are_those_that_were_typed(taught: Engine) -> None:
    assert suffix(taught, "Press the green button.", "Pulse   el  ") == "botón verde."
    assert suffix(taught, "Press the green button.", "  ") == "Pulse el botón verde."
    assert suffix(taught, "  Press the green button. ", "") == "  Pulse el botón verde. "


def test_a_word_that_no_phrase_offers_is_completed_from_the_vocabulary(taught: Engine) -> None:
    assert suffix(taught, "Press the green button.", "Pulse la lám").startswith("para")
    assert suffix(taught, "Press the green button.", "Pulse el Mad") == "rid verde."
    assert suffix(taught, "Press the green button.", "Pulse el Mad", guess=False) == " verde."


def test_a_word_that_nobody_knows_is_left_alone(taught: Engine) -> None:
    assert suffix(taught, "Press the green button.", "Xyzzy") == " el botón verde."


@pytest.mark.parametrize("mode", ["auto", "search"])
@pytest.mark.parametrize(
    ("source", "typed", "rest"),
    [
        ("Press the steam button.", "Apriete ", "el botón de vapor."),
        ("Open the lid.", "Destape ", "la tapa."),
        ("Fill the water tank.", "Complete ", "el depósito de agua."),
    ],
)
def test_a_word_that_nobody_knows_stands_for_the_one_it_replaces(
    engine: Engine, mode: Mode, source: str, typed: str, rest: str
) -> None:
    assert engine.interact(source, mode=mode).suggest(typed).suffix == rest


def test_words_have_offsets_confidences_and_source_words(taught: Engine) -> None:
    with taught.interact("Press the green button.", memory=False) as session:
        suggestion = session.suggest("Pul")
    assert [word.text for word in suggestion.words] == ["se", "el", "botón", "verde", "."]
    for word in suggestion.words:
        assert suggestion.suffix[word.begin :].startswith(word.text)
        assert 0 <= word.confidence <= 1
        assert set(word.source) <= set(range(5))
    assert 2 in suggestion.words[3].source  # verde, from green


def test_with_a_threshold_less_is_said(taught: Engine) -> None:
    source = "Press the unknown lamp."
    with taught.interact(source, memory=False) as session:
        whole = session.suggest("Pulse")
    lowest = min(word.confidence for word in whole.words)
    sure = suffix(taught, source, "Pulse", threshold=lowest + 1e-9)
    assert whole.suffix.startswith(sure)
    assert len(sure) < len(whole.suffix)
    assert suffix(taught, source, "Pulse", threshold=lowest / 2) == whole.suffix


def test_rejecting_gives_another_completion_every_time(taught: Engine) -> None:
    with taught.interact("Press the red button, then wait.", memory=False) as session:
        seen = [session.suggest("Pulse").suffix]
        for _ in range(5):
            seen.append(session.reject().suffix)
            assert session.suggest("Pulse").suffix == seen[-1]
    assert len(set(seen)) == len(seen)


def test_rejecting_ends_in_silence(taught: Engine) -> None:
    with taught.interact("Xyzzy", memory=False) as session:
        last = session.suggest("Xyzzy")
        for _ in range(20):
            last = session.reject()
    assert last.suffix == ""


def test_there_is_nothing_to_reject_before_a_suggestion(taught: Engine) -> None:
    with taught.interact("Press the green button.") as session, pytest.raises(BadInputError, match="nothing was"):
        session.reject()


def test_a_correction_of_the_same_text_comes_first(taught: Engine) -> None:
    taught.learn("Go!", "¡Vamos ya mismo!")
    with taught.interact("Go!") as session:
        assert session.suggest("").suffix == "¡Vamos ya mismo!"
        assert session.suggest("¡Vam").suffix == "os ya mismo!"
        assert session.suggest("¡Vam").origin == "memory"
        assert session.suggest("¡Ve").origin != "memory"
        session.suggest("")
        assert session.reject().origin != "memory"


def test_accepting_learns(taught: Engine) -> None:
    with taught.interact("Close it.") as session:
        number = session.accept("Ciérrelo.")
    assert taught.history(1)[0].id == number
    assert taught.translate("Close it.").text == "Ciérrelo."


def test_what_looks_wrong_is_accepted_only_by_force(taught: Engine) -> None:
    with taught.interact("Close it.") as session:
        with pytest.raises(FlaggedError):
            session.accept("word " * 60)
        assert session.accept("word " * 60, force=True) > 0


def test_a_session_stays_valid_while_others_learn(taught: Engine) -> None:
    source = "Press the green button."

    def learn() -> None:
        for number in range(20):
            taught.learn(f"Press the new button number {number}.", f"Pulse el nuevo botón número {number}.")

    with taught.interact(source, mode="graph", memory=False) as session:
        before = [session.suggest(prefix).suffix for prefix in ("", "Pulse e", "Pulse el bo")]
        thread = threading.Thread(target=learn)
        thread.start()
        while thread.is_alive():
            assert [session.suggest(prefix).suffix for prefix in ("", "Pulse e", "Pulse el bo")] == before
            assert taught.interact(source).suggest("Pulse un").text.startswith("Pulse un")
        thread.join()


def test_nothing_to_translate(taught: Engine) -> None:
    assert suffix(taught, "  ", "") == "  "
    assert suffix(taught, "", "Hola") == ""


def test_what_cannot_be_used_is_refused(taught: Engine) -> None:
    with pytest.raises(BadInputError, match="no mode"):
        taught.interact("Go!", mode="psychic")  # type: ignore[arg-type]
    with taught.interact("Go!") as session, pytest.raises(BadInputError, match="surrogate"):
        session.suggest("\ud800")


NASTY = [
    "Pulse el boto\u0301n",
    "\u202bשלום עולם",
    "अनुवाद कीजिए",
    "ボタンを押",
    "กดปุ่ม",
    "👩‍👩‍👧 e",
    "\t\x00 \u200b",
    "<b>Pulse</b> el :kbd:`Esc",
    "%(name)s {0} https://x.org/a_(b",
    "l'",
    "¿¡«“(",
    "İstanbul ıI",
    "ß",
    "e\u0301\u0302\u0303",
    "a" * 300,
    "el " * 60,
    "\ufeff\n\r\u2028",
]


@pytest.mark.parametrize("mode", MODES)
def test_whatever_is_typed_stays(taught: Engine, mode: Mode) -> None:
    for source in ["Press the <b>green</b> button.", "ボタン 👩‍👩‍👧", "Open `Esc` https://x.org/a_(b)!"]:
        with taught.interact(source, mode=mode) as session:
            for text in NASTY:
                for size in {1, 2, len(text) // 2, len(text)}:
                    suggestion = session.suggest(text[:size])
                    assert suggestion.text.startswith(text[:size])
                    for word in suggestion.words:
                        assert suggestion.suffix[word.begin :].startswith(word.text)
                        assert 0 <= word.confidence <= 1


@pytest.fixture(scope="module")
def session(engine: Engine) -> Session:
    return engine.interact("Press the <b>green</b> button for 3.5 s, don't wait.", memory=False)


@settings(deadline=None, max_examples=150, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.text(st.characters(exclude_categories=["Cs"]), max_size=20), st.sampled_from(["", "Pulse", "Pulse el "]))
def test_any_text_may_be_typed(session: Session, text: str, before: str) -> None:
    suggestion = session.suggest(before + text)
    assert suggestion.text.startswith(before + text)
    assert all(suggestion.suffix[word.begin :].startswith(word.text) for word in suggestion.words)


def test_long_texts_are_completed_from_the_graph_alone(taught: Engine) -> None:
    with taught.interact(" ".join(["Press the green button."] * 60), memory=False) as session:
        suggestion = session.suggest("Otra cosa")
    assert suggestion.origin == "graph"
    assert suggestion.suffix.count("botón") > 50


def test_words_mode_is_words_between_spaces(tmp_path: Path) -> None:
    with Engine.create(tmp_path / "words", source="en", target="es", tokens="words") as engine:
        for _ in range(2):
            engine.learn("press the button .", "pulse el botón .")
        assert suffix(engine, "press the button .", "pu") == "lse el botón ."
        assert suffix(engine, "press the button .", "pulse el ") == "botón ."


MARKS = "".join(random.Random(1).choices(".,;:!?()[]{}<>", k=2_000))


def test_the_memory_of_a_session_is_bounded_however_long_source_and_prefix_are(engine: Engine) -> None:
    with engine.interact(MARKS, memory=False) as session:
        opened = session.nbytes
        session.suggest("x" + MARKS[:50])  # otherwise than the best translation
        session.suggest("x" + MARKS[:1_500])
        assert opened < session.nbytes < 60_000_000
        session.close()
        assert session.nbytes == 0
        with pytest.raises(BadInputError, match="closed"):
            session.suggest("")


def test_too_long_a_source_is_refused(taught: Engine) -> None:
    with pytest.raises(BadInputError, match=r"5,001 words.*at most 5,000"):
        taught.interact("a " * 5_001)


def test_a_prefix_much_longer_than_the_source_has_no_completion(taught: Engine) -> None:
    assert suffix(taught, "Press the green button.", "otra " * 219).endswith("verde.")
    assert suffix(taught, "Press the green button.", "otra " * 221) == ""


def test_completions_are_not_rejected_for_ever(taught: Engine, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "MAX_REJECTED", 2)
    with taught.interact("Press the green button.", memory=False) as session:
        session.suggest("")
        assert session.reject().suffix
        assert [session.reject().suffix for _ in range(3)] == ["", "", ""]


def test_graphs_of_prefixes_are_dropped_when_they_take_too_much_memory(
    taught: Engine, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "KEPT_BYTES", 1)
    with taught.interact("Press the green button.", mode="search", memory=False) as session:
        for prefix in ("Apriete ", "Toque ", "Mire "):
            session.suggest(prefix)
        assert len(session._searched) == 1


def test_opening_a_long_source_can_be_cancelled(taught: Engine) -> None:
    with Cancellation(seconds=0), pytest.raises(CancelledError, match="too long"):
        taught.interact("Press the green button. " * 100, memory=False)


def test_words_stand_where_they_say_behind_the_spaces_of_the_source(tmp_path: Path) -> None:
    with Engine.create(tmp_path / "p", source="en", target="es") as engine:
        engine.learn("Close the lid.", "Cierre la tapa.")
        with engine.interact("  Close the lid. ", memory=False) as session:
            suggestion = session.suggest("")
    assert suggestion.suffix == "  Cierre la tapa. "
    assert all(suggestion.suffix[word.begin :].startswith(word.text) for word in suggestion.words)


@pytest.mark.parametrize("mode", MODES)
def test_nothing_is_suggested_behind_a_finished_translation_unless_it_is_rejected(taught: Engine, mode: Mode) -> None:
    with taught.interact("Press the green button now.", mode=mode, memory=False) as session:
        assert session.suggest("Pulse el botón verde.").suffix == ""
        assert session.suggest("Pulse el botón verde").suffix != ""
        session.suggest("Pulse el botón verde.")
        session.reject()  # there may be more, or not; what was typed stays
        assert session.suggest("Pulse el botón verde.").text.startswith("Pulse el botón verde.")


def test_a_continuation_that_fails_is_asked_for_again(taught: Engine) -> None:
    answers, asked, done = [None, Answer("Pulse el verde.")], list[str](), threading.Event()

    def continue_from(prefix: str) -> Answer | None:
        asked.append(prefix)
        done.set()
        return answers[len(asked) - 1]

    with taught.opened.reading() as state:
        request = Request(state, state.knowledge.source.read("Press the green button."))
    graphs = Graphs(taught.opened, request, continue_from)
    for prefix in ("Pu", "Pul"):
        done.clear()
        graphs.ask_for_continuation(prefix)
        assert done.wait(5)
        with graphs._continuing:  # until it is taken
            pass
    assert (asked, graphs.version) == (["Pu", "Pul"], 1)
