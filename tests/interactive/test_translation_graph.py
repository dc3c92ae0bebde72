"""The word graph for other programs: the same translations as the session's own, as plain values."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path

import pytest

from dragoman.engine import Engine
from dragoman.errors import BadInputError
from dragoman.interactive.session_search import Graphs
from dragoman.interactive.translation_graph import TranslationGraph, WordShares
from dragoman.project.request import Request

pytestmark = pytest.mark.kernels
PAIRS = [
    ("Press the green button.", "Pulse el botón verde."),
    ("Press the red lid.", "Pulse la tapa roja."),
    ("Open the red lid of the tank.", "Abra la tapa roja del depósito."),
    ("Clean the tank with water.", "Limpie el depósito con agua."),
    ("Is the tank empty?", "¿Está vacío el depósito?"),
]
TEXT = "Open the tank with the green button."


@pytest.fixture(scope="module")
def engine(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Engine]:
    with Engine.create(tmp_path_factory.mktemp("graph") / "manual", source="en", target="es") as made:
        for pair in PAIRS:
            made.learn(*pair)
        yield made


def paths(graph: TranslationGraph, state: int = 0) -> Iterator[tuple[str, ...]]:
    """The words of every path from a state to the end."""
    if state == graph.states - 1:
        yield ()
    for arc in graph.arcs:
        if arc.origin == state:
            yield from ((*arc.words, *rest) for rest in paths(graph, arc.target))


def test_the_best_path_is_the_translation(engine: Engine) -> None:
    graph = engine.word_graph(TEXT)
    words = tuple(word for arc in graph.best for word in arc.words)
    assert words == engine.translate(TEXT, memory=False).target.words
    assert words[0] == words[0].capitalize() and graph.revision == engine.revision


def test_every_arc_leads_on_and_every_path_covers_the_source_once(engine: Engine) -> None:
    graph = engine.word_graph(TEXT, arcs=60)
    assert all(arc.origin < arc.target < graph.states and arc.words for arc in graph.arcs)
    assert all(one.origin <= other.origin for one, other in pairwise(graph.arcs))
    whole = set(range(len(graph.source)))
    seen: dict[int, set[frozenset[int]]] = {0: {frozenset()}}
    for arc in graph.arcs:
        for covered in seen[arc.origin]:
            assert covered.isdisjoint(range(*arc.source))
            seen.setdefault(arc.target, set()).add(covered | set(range(*arc.source)))
    assert seen[graph.states - 1] == {frozenset(whole)}


def test_translations_of_an_nbest_list_are_paths(engine: Engine) -> None:
    found = set(paths(engine.word_graph(TEXT, arcs=400)))
    listed = engine.translate(TEXT, n=3, memory=False).nbest
    assert {each.target.words for each in listed} <= found


def test_scores_add_up_to_those_of_the_search(engine: Engine) -> None:
    graph = engine.word_graph(TEXT)
    assert sum(arc.score for arc in graph.best) == pytest.approx(engine.translate(TEXT, memory=False).score)


def test_confidences_are_those_of_the_flat_graph(engine: Engine) -> None:
    with engine.opened.reading() as state:
        request = Request(state, state.knowledge.source.read(TEXT))
    flat = Graphs(engine.opened, request).open().graph
    shares, best = WordShares(flat), flat.best
    found = [shares.confidence(step.source, word) for step in best.steps for word in step.words]
    assert found == pytest.approx(flat.confidences(best))


def test_links_are_within_the_arc(engine: Engine) -> None:
    for arc in engine.word_graph(TEXT).arcs:
        assert all(j < arc.source[1] - arc.source[0] and i < len(arc.words) for j, i in arc.links)
        assert len(arc.confidences) == len(arc.words)


def test_a_capital_comes_after_the_mark_that_begins_a_question(engine: Engine) -> None:
    graph = engine.word_graph("Is the lid empty?")
    words = [word for arc in graph.best for word in arc.words]
    assert words[:2] == ["¿", "Está"]


def test_few_arcs_keep_the_best_path(engine: Engine) -> None:
    small, large = engine.word_graph(TEXT, arcs=10), engine.word_graph(TEXT)
    assert len(small.arcs) < len(large.arcs)
    assert [arc.words for arc in small.best] == [arc.words for arc in large.best]


def test_another_engines_words_are_in_the_graph(engine: Engine) -> None:
    graph = engine.word_graph("Shut the valve.", upstream="Cierre la válvula.")
    assert graph.upstream == "Cierre la válvula."
    assert ("Cierre", "la", "válvula", ".") in set(paths(graph))


@pytest.mark.parametrize("text", ["", "   "])
def test_a_text_without_words_has_no_arcs(engine: Engine, text: str) -> None:
    graph = engine.word_graph(text)
    assert (graph.arcs, graph.states, graph.best) == ((), 0, ())


def test_a_long_text_is_one_graph(engine: Engine) -> None:
    text = " ".join(source for source, _ in PAIRS * 8)
    graph = engine.word_graph(text, arcs=3_000)
    assert sum(arc.source[1] - arc.source[0] for arc in graph.best) == len(graph.source)


@pytest.mark.parametrize("arcs", [0, -1, 1_000_000])
def test_an_impossible_number_of_arcs_is_refused(engine: Engine, arcs: int) -> None:
    with pytest.raises(BadInputError, match="arcs"):
        engine.word_graph(TEXT, arcs=arcs)


def test_the_graph_stays_as_it_is_when_the_models_learn(tmp_path: Path) -> None:
    with Engine.create(tmp_path / "manual", source="en", target="es") as engine:
        engine.learn(*PAIRS[0])
        graph = engine.word_graph("Press the button.")
        before = graph.arcs
        engine.learn(*PAIRS[1])
        assert graph.arcs == before
