"""The simulated user: strokes are counted as [O] §4.2 says, and the reference is always reached."""

from __future__ import annotations

import csv
from collections.abc import Iterator
from itertools import islice
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dragoman import sample
from dragoman.engine import Engine
from dragoman.errors import BadInputError
from dragoman.interactive import interactive_use
from dragoman.interactive.session import Mode
from dragoman.interactive.user import Effort, interact, simulate, type_characters, type_words
from dragoman.text import text_files

pytestmark = pytest.mark.kernels

PAIRS = sample.pairs()
CORPORA = Path(__file__).parents[2].parent / "shared" / "corpora"


def test_a_perfect_suggestion_costs_nothing() -> None:
    assert type_characters(lambda _: "el botón", "el botón") == (0, 0)


def test_a_wrong_first_character_costs_a_key_and_no_mouse() -> None:
    assert type_characters(lambda prefix: "el botón" if prefix else "un botón", "el botón") == (1, 0)


def test_a_wrong_character_further_on_costs_a_mouse_action_too() -> None:
    assert type_characters(lambda prefix: "el botón" if prefix else "el mando", "el botón") == (1, 1)


def test_what_runs_on_is_cut_with_one_of_each() -> None:
    assert type_characters(lambda _: "el botón verde", "el botón") == (1, 1)


def test_a_suggestion_that_stops_early_is_gone_on_with() -> None:
    assert type_characters(lambda prefix: "el botón" if prefix else "el", "el botón") == (1, 1)


def test_without_suggestions_everything_is_typed() -> None:
    assert type_characters(lambda prefix: prefix, "el botón") == (8, 0)
    assert type_words(lambda prefix: prefix, "el botón  verde") == 3


def test_a_word_stroke_is_a_whole_word() -> None:
    assert (
        type_words(lambda prefix: "el botón verde" if prefix == "el botón " else "el mando rojo", "el botón verde") == 1
    )
    assert type_words(lambda _: "el botón verde", "el botón") == 1


@settings(deadline=None, max_examples=200)
@given(st.text(max_size=8), st.lists(st.text("ab ", max_size=6), min_size=1, max_size=5))
def test_the_reference_is_always_reached(reference: str, noise: list[str]) -> None:
    def suggest(prefix: str) -> str:
        return prefix + noise[len(prefix) % len(noise)]

    keys, mouse = type_characters(suggest, reference)
    assert 0 <= mouse <= keys <= len(reference) + 1
    assert 0 <= type_words(suggest, reference) <= len(reference.split()) + 2


def test_efforts_add_up_to_rates() -> None:
    effort = sum([Effort(3, 1, 1, 10, 2, 1), Effort(5, 1, 2, 30, 6, 1)], Effort())
    assert effort.ksmr == pytest.approx(100 * 10 / 40)
    assert effort.ksmr_with_acceptance == pytest.approx(100 * 12 / 40)
    assert effort.wsr == pytest.approx(100 * 3 / 8)
    assert Effort().ksmr == 0.0


@pytest.fixture
def engine(tmp_path: Path) -> Iterator[Engine]:
    with Engine.create(tmp_path / "manual", source="en", target="es") as engine:
        yield engine


@pytest.mark.parametrize("mode", ["auto", "graph", "search"])
def test_learning_saves_strokes_from_scratch(engine: Engine, mode: Mode) -> None:
    pairs = PAIRS[:12] * 2
    unlearned = simulate(engine, pairs, learn=False, mode=mode)
    assert engine.statistics()["corrections"] == 0
    learned = simulate(engine, pairs, mode=mode)
    assert engine.statistics()["corrections"] == len(pairs)
    assert learned.ksmr < 0.7 * unlearned.ksmr
    assert learned.word_strokes < unlearned.word_strokes
    assert learned.segments == len(pairs)


def test_the_memory_is_asked_only_on_request(engine: Engine) -> None:
    pair = PAIRS[20]
    engine.learn(*pair)
    assert simulate(engine, [pair], learn=False, memory=True).ksmr == 0.0


def test_outcomes_tell_what_was_suggested_and_how_long_it_took(engine: Engine) -> None:
    outcomes = list(interact(engine, PAIRS[:3]))
    assert [each.reference for each in outcomes] == [target for _, target in PAIRS[:3]]
    assert all(each.translation and each.opening > 0 and each.learning > 0 for each in outcomes)
    assert all(0 <= each.effort.key_strokes - len(each.keys) <= 1 for each in outcomes)  # the last may be a cut


def test_nasty_references_are_reached(engine: Engine) -> None:
    pairs = [
        ("Press it", "Pu\u0301lselo\u0301"),
        ("Press it", "ボタンを押してください。"),
        ("Press it", "<b>Pulse</b> 👩‍👩‍👧 «ya» … "),
        ("Press it", "اضغط على الزر"),
        ("  ", "nada"),
    ]
    outcomes = list(interact(engine, pairs, learn=False))
    assert [each.effort.characters for each in outcomes] == [len(target) for _, target in pairs]


def test_a_line_without_words_or_with_too_many_is_passed_over_not_learned(engine: Engine) -> None:
    without = [("", ""), ("Stop", " "), ("  ", "nada"), ("\u200b", "nada"), ("Stop", "\u200b \u200b")]
    long = " ".join(["stop"] * 501), "nada"
    assert simulate(engine, [PAIRS[0], *without, long, PAIRS[1]]).segments == 8
    assert [row.source for row in engine.history()] == [PAIRS[1][0], PAIRS[0][0]]


def test_real_sentences(tmp_path: Path) -> None:
    """Every prefix of real references stays as it is; 10 sentences here, 200 in benchmarks/bench_interactive.py."""
    if not (CORPORA / "pydocs-en-es").exists():
        pytest.skip("the corpora are not there")
    english, spanish = (CORPORA / "pydocs-en-es" / f"test.{side}.gz" for side in ("en", "es"))
    pairs = list(islice(text_files.pairs(english, spanish), 10))
    with Engine.create(tmp_path / "docs", source="en", target="es") as engine:
        for source, reference in pairs:
            with engine.interact(source) as session:
                for size in range(len(reference) + 1):
                    assert session.suggest(reference[:size]).text.startswith(reference[:size])
                session.accept(reference, force=True)


def test_outcomes_as_table_and_curve(engine: Engine, tmp_path: Path) -> None:
    outcomes = list(interact(engine, PAIRS[:4] * 2))
    found = interactive_use.summary(outcomes)
    curve = interactive_use.learning_curve(outcomes)
    assert found["KSMR"] == pytest.approx(curve[-1], abs=0.01)
    assert curve[-1] < curve[3]
    assert interactive_use.learning_curve(outcomes, 1)[0] == curve[0]
    interactive_use.write_csv(outcomes, tmp_path / "curve.csv")
    with (tmp_path / "curve.csv").open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    assert [row["reference"] for row in rows] == [each.reference for each in outcomes]
    assert float(rows[-1]["cumulative KSMR"]) == found["KSMR"]
    with pytest.raises(BadInputError, match="no segment"):
        interactive_use.summary([])


def test_the_curve_is_drawn(engine: Engine, tmp_path: Path) -> None:
    pytest.importorskip("matplotlib")
    interactive_use.plot(list(interact(engine, PAIRS[:2])), tmp_path / "curve.svg", "sample")
    assert "<svg" in (tmp_path / "curve.svg").read_text(encoding="utf-8")
