"""The word graph of a text for other programs: its arcs as plain values, with words as they are written.

It is the graph that a session completes from (`search/wordgraph.py` has the flat arrays), cut to the most probable
arcs. Every arc has words and covers tokens of the source; what a search adds at the end is part of the last arc.
State 0 is the first and the highest the last; arcs are in the order of their origins and lead to higher states.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np

from dragoman.errors import BadInputError
from dragoman.interactive.session_search import Graphs
from dragoman.project.open_project import OpenProject
from dragoman.project.request import Request
from dragoman.project.state import State
from dragoman.records import Sentence, Translation
from dragoman.search.wordgraph import END, WordGraph

USUAL_ARCS = 2_000  # of a graph, unless more are asked for
MAX_GRAPH_ARCS = 20_000


class TranslationArc(NamedTuple):
    """A phrase of a word graph: tokens of the source, and words that translate them."""

    origin: int  # state
    target: int  # state
    score: float  # what it adds to the score of a path
    words: tuple[str, ...]  # as they are written; with a capital where a sentence begins
    source: tuple[int, int]  # first token, one past the last
    kind: str  # "phrase"; "copy" of an unknown word; "term" of the glossary; "upstream"; "guess"
    links: tuple[tuple[int, int], ...]  # which token of `source` belongs to which of the words, both from 0
    confidences: tuple[float, ...]  # of each word: the probability that it is in the translation of these tokens


@dataclass(frozen=True)
class TranslationGraph:
    """Translations of a text as a graph of phrases; it stays as it is when the models learn."""

    source: Sentence
    arcs: tuple[TranslationArc, ...]
    revision: int  # of the models: the id of the last row of the journal that they know
    upstream: str | None = None  # another engine's answer, whose words are in the graph, too
    _shares: WordShares | None = field(default=None, repr=False, compare=False)

    @property
    def states(self) -> int:
        """Number of states; the last one is the end."""
        return max((arc.target for arc in self.arcs), default=-1) + 1

    @property
    def best(self) -> tuple[TranslationArc, ...]:
        """The path with the highest score."""
        into: dict[int, tuple[float, TranslationArc | None]] = {0: (0.0, None)}
        for arc in self.arcs:
            score = into[arc.origin][0] + arc.score
            if arc.target not in into or score > into[arc.target][0]:
                into[arc.target] = score, arc
        path, state = list[TranslationArc](), self.states - 1
        while state > 0 and (last := into[state][1]):
            path.append(last)
            state = last.origin
        return tuple(reversed(path))

    def confidences(self, translation: Translation) -> list[float]:
        """The confidence in each token of a translation of the text, as in the arcs; corrections are certain."""
        if translation.memory is not None or self._shares is None:
            return [1.0] * len(translation.target)
        found = [0.0] * len(translation.target)
        for phrase in translation.phrases:
            sure = self._shares.best if phrase.kind == "upstream" else self._shares.confidence
            found[slice(*phrase.target)] = [sure(phrase.source, word) for word in phrase.target_words]
        return found


def find_graph(
    project: OpenProject, request: Request, most: int = USUAL_ARCS, parts: Sequence[Request] = ()
) -> TranslationGraph:
    """Search a text, and keep about so many arcs: the most probable, and always the best path."""
    if not 1 <= most <= MAX_GRAPH_ARCS:
        raise BadInputError(f"a word graph can have 1 to {MAX_GRAPH_ARCS:,} arcs, not {most:,}")
    answer = request.answer.text if request.answer else None
    if not len(request.source):
        return TranslationGraph(request.source, (), project.revision, answer)
    found = Graphs(project, request, parts=parts).open()
    graph = _most_probable(found.graph, most)
    shares = WordShares(graph)
    with project.reading() as state:
        arcs = tuple(_Writer(state, request, graph).arcs(shares))
    return TranslationGraph(request.source, arcs, found.revision, answer, shares)


def _most_probable(graph: WordGraph, most: int) -> WordGraph:
    if len(graph) <= most:
        return graph
    least = np.partition(graph.posteriors(), -most)[-most]
    return graph.pruned(posterior=float(least))


class _Writer:
    """Writes the arcs of a word graph."""

    def __init__(self, state: State, request: Request, graph: WordGraph) -> None:
        self._state, self._source, self._graph = state, request.source, graph
        marked = zip(request.source.words, request.source.placeable, strict=True)
        self._fixed = {word for word, placeable in marked if placeable}
        self._links: dict[tuple[tuple[int, int], tuple[str, ...]], tuple[tuple[int, int], ...]] = {}
        self._written: dict[tuple[tuple[str, ...], bool], tuple[str, ...]] = {}

    def arcs(self, shares: WordShares) -> Iterator[TranslationArc]:
        """The arcs, those at the end of a sentence joined with the ones before."""
        graph = self._graph
        ends = {int(graph.origin[arc]): arc for arc in np.flatnonzero(graph.kind == END)}
        kept = np.flatnonzero(graph.kind != END).tolist()
        beyond = {state: int(graph.target[end]) for state, end in ends.items()}
        used = {0} | {beyond.get(state, state) for state in graph.target[kept].tolist()}
        number = {state: n for n, state in enumerate(sorted(used))}
        starts = {0}  # states where the first word of a sentence is still to come
        for arc in kept:
            step, origin, target = graph.step(arc), int(graph.origin[arc]), int(graph.target[arc])
            if origin in starts and not any(c.isalpha() for word in step.words for c in word):
                starts.add(beyond.get(target, target))
            score = graph.score[arc] + (graph.score[ends[target]] if target in ends else 0.0)
            yield TranslationArc(
                origin=number[origin],
                target=number[beyond.get(target, target)],
                score=float(score),
                words=self._write(step.words, first=origin in starts),
                source=step.source,
                kind=step.kind,
                links=self._link(step.source, step.words),
                confidences=tuple(shares.confidence(step.source, word) for word in step.words),
            )

    def _write(self, words: tuple[str, ...], *, first: bool) -> tuple[str, ...]:
        """The words in their usual case; the first of a sentence as the source has it."""
        if (words, first) not in self._written:
            before = () if first else ("x",)
            fixed = [word in self._fixed for word in (*before, *words)]
            written = self._state.knowledge.target.write((*before, *words), self._source, fixed).words
            self._written[words, first] = written[len(before) :]
        return self._written[words, first]

    def _link(self, span: tuple[int, int], words: tuple[str, ...]) -> tuple[tuple[int, int], ...]:
        (begin, end), size = span, len(words)
        if end - begin == 1 or size == 1:
            return tuple((j, i) for j in range(end - begin) for i in range(size))
        if (span, words) not in self._links:
            models = self._state.knowledge.models
            ids = models.source.ids(self._graph.source[begin:end]), models.target.ids(words)
            self._links[span, words] = tuple((j, i) for j, i in models.align(*ids).tolist())
        return self._links[span, words]


class WordShares:
    """The confidence in words of a graph, as `WordGraph.confidences` has it, for all arcs in one pass."""

    def __init__(self, graph: WordGraph) -> None:
        self._known: defaultdict[tuple[int, str], float] = defaultdict(float)
        for arc, probability in enumerate(graph.posteriors().tolist()):
            step = graph.step(arc)
            for word in set(step.words):
                for place in range(*step.source):
                    self._known[place, word] += probability

    def confidence(self, span: tuple[int, int], word: str) -> float:
        """The probability that the word is in the translation of these tokens, averaged over them."""
        places = range(*span)
        return min(sum(self._known.get((place, word), 0.0) for place in places) / len(places), 1.0) if places else 1.0

    def best(self, span: tuple[int, int], word: str) -> float:
        """The same for one of these tokens, the best: for long spans, whose words each belong to some of them."""
        return min(max((self._known.get((place, word), 0.0) for place in range(*span)), default=1.0), 1.0)
