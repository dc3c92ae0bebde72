"""Completion over a word graph is what trying everything finds, and does not depend on the way it was typed."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dragoman.interactive.error_model import Beginning, ErrorModel
from dragoman.models.loglinear import Weights
from dragoman.search.decoder import Decoder
from dragoman.search.hypotheses import KINDS
from dragoman.search.wordgraph import END, WordGraph
from tests.oracles import interactive as oracle
from tests.search.test_decoder import sample

pytestmark = pytest.mark.kernels

WORDS = ("ab", "abc", "b", "ba", "ca")
words = st.sampled_from([*WORDS, "xy"])


@st.composite
def graphs(draw: st.DrawFn) -> WordGraph:
    """A graph of a few states, with a way through all of them, so that none is dead."""
    states = draw(st.integers(2, 4))
    ends = st.integers(0, states - 2).flatmap(lambda s: st.tuples(st.just(s), st.integers(s + 1, states - 1)))
    more = draw(st.lists(ends, max_size=4))
    pairs = sorted([(s, s + 1) for s in range(states - 1)] + more)
    phrases = [draw(st.lists(st.sampled_from(range(len(WORDS))), max_size=2)) for _ in pairs]
    scores = [draw(st.integers(-400, 0)) / 40 + n * 1e-4 for n in range(len(pairs))]
    count = len(pairs)
    return WordGraph(
        source=("s",) * 3,
        names=("h",),
        vocabulary=WORDS,
        origin=np.array([s for s, _ in pairs]),
        target=np.array([t for _, t in pairs]),
        span=np.array([(n % 3, n % 3 + 1) for n in range(count)]),
        kind=np.array([KINDS.index("phrase") if phrase else END for phrase in phrases]),
        score=np.array(scores),
        surcharges=np.zeros(count, np.int64),
        features=np.zeros((count, 1)),
        begin=np.cumsum([0, *(len(phrase) for phrase in phrases)]),
        words=np.array([n for phrase in phrases for n in phrase], np.int64),
    )


@pytest.fixture(scope="module")
def long_graph() -> WordGraph:
    line = ["the", "red", "button", "is", "on", ",", "press", "the", "green", "button", "."] * 10
    decoder = Decoder(sample(), Weights("moses"), "fast")
    return WordGraph.joined([decoder.search(line).graph()] * 5)


def test_a_long_graph_is_matched_by_sections_as_it_is_as_a_whole(
    long_graph: WordGraph, monkeypatch: pytest.MonkeyPatch
) -> None:
    whole = ErrorModel(long_graph)
    monkeypatch.setattr("dragoman.interactive.sections.SECTION_EDGES", 1_000)
    divided = ErrorModel(long_graph)
    assert len(whole._sections) == 1
    assert len(divided._sections) > 3
    wrong = ("otra", "cosa")
    for size in (0, 3, 40, 120, 260, 90, 420):
        for begun in (Beginning(gap=True), Beginning(unfinished="bot"), Beginning()):
            words = long_graph.best.words[:size]
            for typed in (words, (*words[:-5], *wrong, *words[-4:])):
                one, other = (model.complete(begun._replace(words=typed)) for model in (whole, divided))
                assert (other.words, other.edits, other.stands) == (one.words, one.edits, one.stands)
                sure = [model.confidences(model.starts(begun._replace(words=typed)), one) for model in (whole, divided)]
                assert sure[1] == pytest.approx(sure[0], abs=1e-6)


def test_only_some_columns_are_kept_and_nothing_depends_on_it(
    long_graph: WordGraph, monkeypatch: pytest.MonkeyPatch
) -> None:
    words = long_graph.best.words
    all_kept = ErrorModel(long_graph)
    expected = [all_kept.complete(Beginning(words[:size])).words for size in range(0, 60, 7)]
    monkeypatch.setattr("dragoman.interactive.error_model.MAX_COLUMN_BYTES", 0)
    model = ErrorModel(long_graph)
    model.complete(Beginning(words[:60]))
    found = [model.complete(Beginning(words[:size])).words for size in range(56, -1, -7)]
    assert found[::-1] == expected
    model.complete(Beginning(words[:300]))
    assert len(model._columns) <= 8


beginnings = st.builds(
    Beginning,
    st.lists(words, max_size=3).map(tuple),
    st.sampled_from(["", "a", "b", "ab", "aa", "cab", "abcd", "z"]),
    st.just(False),
)


@settings(deadline=None, max_examples=150)
@given(graphs(), beginnings, st.tuples(*[st.sampled_from([0.3, 1.0, 2.0])] * 2))
def test_the_completion_is_the_best_of_all_ways_and_edits(
    graph: WordGraph, typed: Beginning, weights: tuple[float, float]
) -> None:
    found = ErrorModel(graph, None, *weights).complete(typed)
    expected = list(oracle.completions(graph, typed.words, typed.unfinished, *weights))
    best = max(score for score, _ in expected)
    assert found.score == pytest.approx(best, abs=1e-6)
    assert found.words in [rest for score, rest in expected if score > best - 1e-6]


@settings(deadline=None, max_examples=100)
@given(graphs(), beginnings, st.integers(1, 8))
def test_n_best_completions_are_distinct_and_the_best_there_are(graph: WordGraph, typed: Beginning, n: int) -> None:
    found = ErrorModel(graph, None, 1.0, 1.0).nbest(typed, n)
    best: dict[tuple[str, ...], float] = {}
    for score, rest in oracle.completions(graph, typed.words, typed.unfinished):
        best[rest] = max(score, best.get(rest, -np.inf))
    assert len({each.words for each in found}) == len(found) == min(n, len(best))
    assert [each.score for each in found] == pytest.approx(sorted(best.values(), reverse=True)[:n], abs=1e-6)
    assert [each.score for each in found] == pytest.approx([best[each.words] for each in found], abs=1e-6)


@settings(deadline=None, max_examples=60)
@given(graphs(), st.lists(beginnings, min_size=1, max_size=8))
def test_typing_deleting_and_moving_give_what_starting_anew_gives(graph: WordGraph, typed: list[Beginning]) -> None:
    used = ErrorModel(graph)
    for each in typed:
        ours, theirs = used.complete(each), ErrorModel(graph).complete(each)
        assert (ours.words, ours.stands, ours.score, ours.edits) == (
            theirs.words,
            theirs.stands,
            theirs.score,
            theirs.edits,
        )
        assert np.array_equal(ours.way, theirs.way)


@settings(deadline=None, max_examples=60)
@given(graphs(), beginnings, st.booleans())
def test_confidences_are_probabilities(graph: WordGraph, typed: Beginning, gap: bool) -> None:
    beginning = typed._replace(gap=gap and bool(typed.words) and not typed.unfinished)
    error_model = ErrorModel(graph)
    completion = error_model.complete(beginning)
    sure = error_model.confidences(error_model.starts(beginning), completion)
    assert len(sure) == len(completion.words)
    assert all(0 <= each <= 1 for each in sure)


def one_way(*phrases: str, score: float = 0.0) -> WordGraph:
    return ways((phrases, score))


def ways(*each: tuple[tuple[str, ...], float]) -> WordGraph:
    """A graph of whole translations, each of them one arc."""
    vocabulary = tuple(sorted({word for said, _ in each for word in said}))
    return WordGraph(
        source=("s",),
        names=("h",),
        vocabulary=vocabulary,
        origin=np.zeros(len(each), np.int64),
        target=np.ones(len(each), np.int64),
        span=np.tile([0, 1], (len(each), 1)),
        kind=np.zeros(len(each), np.int64),
        score=np.array([score for _, score in each]),
        surcharges=np.zeros(len(each), np.int64),
        features=np.zeros((len(each), 1)),
        begin=np.cumsum([0, *(len(said) for said, _ in each)]),
        words=np.array([vocabulary.index(word) for said, _ in each for word in said]),
    )


def test_an_unfinished_word_is_completed_and_what_stands_is_known() -> None:
    found = ErrorModel(one_way("pulse", "el", "botón")).complete(Beginning(("Pulse",), "E"))
    assert (found.words, found.stands, found.edits) == (("el", "botón"), 1, 0)


def test_a_slip_of_the_finger_is_forgiven() -> None:
    found = ErrorModel(one_way("configuración", "general")).complete(Beginning((), "cnfig"))
    assert (found.words[0][found.stands :], found.edits) == ("uración", 1)


def test_composed_and_combining_characters_are_the_same() -> None:
    found = ErrorModel(one_way("ratón", "óptico")).complete(Beginning(("rato\u0301n",), "o\u0301p"))
    assert (found.words[0][found.stands :], found.edits) == ("tico", 0)


def test_after_a_gap_a_word_is_preferred_that_takes_one() -> None:
    graph = ways(
        (
            (
                "salga",
                ".",
            ),
            0.0,
        ),
        (("salga", "ya"), -2.0),
    )
    welcome = np.array([word != "." for word in graph.vocabulary])
    assert ErrorModel(graph, welcome).complete(Beginning(("salga",), gap=True)).words == ("ya",)
    assert ErrorModel(graph, welcome).complete(Beginning(("salga",))).words == (".",)


def test_the_surest_completion_is_that_of_the_likeliest_ways() -> None:
    graph = ways((("a", "x"), -1.0), (("a", "y"), -3.0), (("b", "z"), -1.0))
    error_model = ErrorModel(graph)
    whole = error_model.complete(Beginning())
    assert error_model.confidences(error_model.starts(Beginning()), whole)[0] == pytest.approx(
        (np.exp(-1) + np.exp(-3)) / (2 * np.exp(-1) + np.exp(-3)), abs=1e-3
    )
