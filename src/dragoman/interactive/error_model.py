"""The error model: it matches a typed prefix against a word graph that need not contain it, and completes it.

Each edit between the words of the prefix and those of a path through the graph has a probability ([O] §2.3). The score
of a completion is that of its path plus the weighted log probability of the edits. The dynamic-programming table has a
column for each finished word of the prefix, and columns are kept: typing adds one, deleting drops one, and a change
further to the left recomputes only those after it. An unfinished word needs no column, so a key takes the same time
however long the prefix is. Of a long prefix only some columns are kept, and of a long graph only the part near the
place that the prefix has reached (sections.py), so that memory is bounded too.

>>> from dragoman.models.loglinear import Weights
>>> from dragoman.models.modelset import ModelSet
>>> from dragoman.search.decoder import Decoder
>>> models = ModelSet()
>>> for source, target in [("press the button", "pulse el botón"), ("press", "oprima")] * 2:
...     _ = models.add(source.split(), target.split())
>>> errors = ErrorModel(Decoder(models, Weights("moses")).search("press the button".split()).graph())
>>> errors.complete(Beginning(unfinished="op")).words
('oprima', 'el', 'botón')
>>> errors.complete(Beginning(words=("apriete",))).words
('el', 'botón')
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from dragoman.concurrency import checkpoint
from dragoman.interactive import error_model_kernels as kernels
from dragoman.interactive.error_model_kernels import IMPOSSIBLE, MAX_COMPARED_CHARACTERS, NONE, Column, Costs, Edges
from dragoman.interactive.sections import Sections, Window
from dragoman.kernels import exercise
from dragoman.search import nbest_kernels
from dragoman.search.hypotheses import KINDS, patience
from dragoman.search.wordgraph import WordGraph
from dragoman.tables import Ids
from dragoman.text.language_side import compared
from dragoman.text.tokens import split

HIT = 0.8  # p_h, [O] §4.2
EDITS = 128  # V, words: any of them can be inserted, all but one can be substituted, and there is one deletion
EDIT = (1 - HIT) / (EDITS + (EDITS - 1) + 1)
UNKNOWN_WORDS = KINDS.index("copy"), KINDS.index("guess")
TIE = 1e-9  # all edits are equally probable ([O] §4.2); this prefers substitutions where scores are equal
# Weights of the log probability of the edits relative to the score of the graph, tuned on development text: finished
# words may well differ from those of the graph, but an unfinished word should be continued by one that begins with it.
WEIGHT, UNFINISHED_WEIGHT = 0.5, 2.0
MAX_COLUMN_BYTES, MIN_COLUMNS = 8_000_000, 8  # columns kept: as many as fit into so many bytes, and at least so many

Floats = NDArray[np.float64]


class Beginning(NamedTuple):
    """What was typed, in words."""

    words: tuple[str, ...] = ()  # finished
    unfinished: str = ""  # the characters of a word that may go on
    gap: bool = False  # whether a gap was typed after the last word, so that another word follows


@dataclass(frozen=True)
class Completion:
    """How a translation continues after its beginning."""

    words: tuple[str, ...]  # the unfinished one first, if it was found
    stands: int  # characters of the first word, in NFC, that were already typed; 0 if all words are new
    spans: tuple[tuple[int, int], ...]  # the source words of the phrase of each
    score: float
    edits: int  # words of the beginning, or of the path, that did not fit
    way: Ids  # the edges of the words


class Matched(NamedTuple):
    """A column of the table."""

    words: int  # that it is for
    window: Window  # the part of the graph that it is about
    column: Column

    def edits(self, node: int, *, settled: bool) -> int:
        """The edits on the best path to a node; see `Column`."""
        place = int(self.window.places(np.array([node]))[0])
        return int((self.column.settled_edits if settled else self.column.edits)[place])


class Starts(NamedTuple):
    """Scores of the places where completions may begin."""

    over: Floats  # [edges] at the word of an edge
    after: Floats  # [nodes] at a node
    matched: Matched  # the finished words
    stands: Ids  # [vocabulary] characters of a word that were already typed
    fits: Floats  # [vocabulary] how well each continues the unfinished word; empty if there is none


class ErrorModel:
    """Completes what is typed from a word graph; `welcome` [vocabulary] marks the words that a gap may precede."""

    def __init__(
        self,
        graph: WordGraph,
        welcome: NDArray[np.bool_] | None = None,
        weight: float = WEIGHT,
        unfinished_weight: float = UNFINISHED_WEIGHT,
    ) -> None:
        self.graph = graph
        arrays = graph.origin, graph.target, graph.score, graph.begin, graph.words
        self._edges: Edges = kernels.cut(*arrays, graph.states)
        self._costs, self._costs_inside = costs_of(weight), costs_of(unfinished_weight)
        self._welcome = np.ones(len(graph.vocabulary), np.bool_) if welcome is None else welcome
        spelled = [compared(word) for word in graph.vocabulary]
        self._key_of = {word: n for n, word in enumerate(dict.fromkeys(spelled))}
        self._keys = np.array([self._key_of[word] for word in spelled], np.int64)
        self._text = np.frombuffer("".join(spelled).encode("utf-32-le"), np.uint32).astype(np.int64)
        self._ends = np.cumsum([len(word) for word in spelled], dtype=np.int64)
        self._to_end, self._follow = np.empty(self._edges.nodes), np.empty(self._edges.nodes, np.int64)
        kernels.fill_to_end(self._edges, self._to_end, self._follow)
        self._sections = Sections(graph, self._edges)
        self._typed: list[str] = []  # the words of the last column, in the form in which they are compared
        self._columns = [self._first_column()]  # after some of these words, the first after none

    def _first_column(self) -> Matched:
        window = self._sections.window(0)
        column = window.new_column()
        kernels.fill_first(window.edges, self._costs, column)
        return Matched(0, window, column)

    @property
    def nbytes(self) -> int:
        """Memory that it takes, in bytes; words are estimated."""
        return self._nbytes_of_graph + sum(len(each.column) * each.column.score.nbytes for each in self._columns)

    @cached_property
    def _nbytes_of_graph(self) -> int:
        """What never changes of it: a session asks at each search behind a prefix."""
        own = self._text, self._ends, self._keys, self._welcome, self._to_end, self._follow, *self._edges[:5]
        return self.graph.nbytes + sum(array.nbytes for array in own) + 200 * len(self._key_of)

    def has_word_with(self, beginning: str) -> bool:
        """Whether a word of the graph begins with these characters."""
        wanted = compared(beginning)
        return any(word.startswith(wanted) for word in self._key_of)

    def complete(self, beginning: Beginning) -> Completion:
        """The best completion."""
        starts = self.starts(beginning)
        place = int(kernels.best_start(self._edges, starts.over, starts.after, self._to_end))
        return self._completion(starts, place, self._best_way_from(place))

    def nbest(self, beginning: Beginning, n: int) -> list[Completion]:
        """The n best completions with different words, or as many as there are."""
        starts = self.starts(beginning)
        edges, nodes = self._edges, self._edges.nodes
        over, after = np.flatnonzero(starts.over > IMPOSSIBLE), np.flatnonzero(starts.after > IMPOSSIBLE)
        # N-best lists are made from the end of a graph backwards, so this one is reversed: its end is state 0.
        number = np.arange(nodes) + (np.arange(nodes) < edges.end)
        number[edges.end] = 0
        tail = np.concatenate([number[edges.tail], np.full(over.size + after.size, nodes)])
        best = np.empty(nodes + 1)
        best[number], best[nodes] = self._to_end, 0.0
        words = np.arange(len(self.graph.vocabulary))
        begin, arcs = nbest_kernels.arcs_by(tail, nodes + 1)
        graph = nbest_kernels.Graph(
            score=best,
            begin=begin,
            arcs=arcs,
            origin=np.concatenate([number[edges.head], number[edges.head[over]], number[after]]),
            gain=np.concatenate([edges.score, starts.over[over], starts.after[after]]),
            label=np.concatenate([edges.word, edges.word[over], np.full(after.size, NONE)]),
            first=words,
            last=words + 1,
            words=words,
        )
        places = np.concatenate([over, -1 - after])
        most = patience(n, len(self.graph.source))
        ends, ways, _ = nbest_kernels.best_ways(graph, nodes, n, True, most)
        found = []
        for low, high in pairwise([0, *ends.tolist()]):
            start, *way = ways[low:high][::-1].tolist()
            found.append(self._completion(starts, int(places[start - edges.tail.size]), way))
        return found

    def confidences(self, starts: Starts, completion: Completion) -> list[float]:
        """The confidence in each word of a completion, given what was typed; none in copies and guesses."""
        probability = kernels.probabilities(self._edges, starts.over, starts.after, self._behind)
        answer: list[float] = []
        bounds = self._sections.spans
        ends = np.searchsorted(
            completion.way, bounds
        )  # of the way in each section, which has all about its source words
        for first, last, begin, end in zip(bounds[:-1], bounds[1:], ends[:-1], ends[1:], strict=True):
            edges = self._edges._replace(word=self._edges.word[first:last], arc=self._edges.arc[first:last])
            confidence = np.empty(end - begin)
            way = completion.way[begin:end] - first
            kernels.fill_confidences(edges, self.graph.span, probability[first:last], way, confidence)
            answer += confidence.tolist()
        unknown = np.isin(self.graph.kind[self._edges.arc[completion.way]], UNKNOWN_WORDS)
        for n in np.flatnonzero(unknown):  # nothing else was possible, which is no reason to be confident
            if _is_text(completion.words[n]):
                answer[n] = 0.0
        return answer

    def starts(self, beginning: Beginning) -> Starts:
        """The places where completions of a beginning may begin."""
        matched = self._matched(beginning.words)
        window, column = matched.window, matched.column
        edges = window.edges
        over, after = np.full(edges.tail.size, IMPOSSIBLE), np.empty(edges.nodes)
        fits, stands = np.empty(0), np.zeros(len(self.graph.vocabulary), np.int64)
        if beginning.unfinished:
            fits, row = np.empty(stands.size), np.empty(MAX_COMPARED_CHARACTERS + 1, np.int64)
            typed = np.array([ord(c) for c in compared(beginning.unfinished)], np.int64)
            kernels.fill_fits(self._text, self._ends, typed, self._costs_inside, fits, stands, row)
            kernels.fill_starts_inside(edges, column, fits, self._costs_inside.insertion, over, after)
        elif beginning.gap:
            kernels.fill_starts_between(edges, column, self._welcome, self._costs.substitution, over, after)
            if not window.is_last:
                after[edges.end] = IMPOSSIBLE
        else:
            after[:] = column.settled
        return Starts(*self._in_graph(window, over, after), matched, stands, fits)

    def _in_graph(self, window: Window, over: Floats, after: Floats) -> tuple[Floats, Floats]:
        """Scores of the edges and nodes of a window as those of the graph."""
        if len(self._sections) <= 3:
            return over, after
        edges, nodes = np.full(self._edges.tail.size, IMPOSSIBLE), np.full(self._edges.nodes, IMPOSSIBLE)
        edges[slice(*window.span)], nodes[window.nodes] = over, after
        return edges, nodes

    def _matched(self, words: tuple[str, ...]) -> Matched:
        """The column after these words; only those from the first changed word on are computed."""
        typed = [compared(word) for word in words]
        same = 0
        while same < min(len(typed), len(self._typed)) and typed[same] == self._typed[same]:
            same += 1
        while self._columns[-1].words > same:
            self._columns.pop()
        self._typed = typed[: self._columns[-1].words]
        for word in typed[self._columns[-1].words :]:
            checkpoint()
            self._columns.append(self._next_column(self._columns[-1], self._key_of.get(word, NONE)))
            self._typed.append(word)
            self._drop_columns()
        return self._columns[-1]

    def _next_column(self, last: Matched, wanted: int) -> Matched:
        """The column after one more word, around the place that the words so far have reached."""
        window = last.window
        if len(self._sections) > 3:
            node = window.nodes[np.argmax(last.column.settled + self._to_end[window.nodes])]
            window = self._sections.window(self._sections.of_node(int(node)))
        before, column = last.window.moved(last.column, window), window.new_column()
        kernels.fill_next(window.edges, self._keys, wanted, self._costs, before, column)
        return Matched(last.words + 1, window, column)

    def _drop_columns(self) -> None:
        """Drop every other column, except the newest two, when there are too many."""
        size = sum(array.nbytes for array in self._columns[-1].column)
        if len(self._columns) > max(MIN_COLUMNS, MAX_COLUMN_BYTES // max(size, 1)):
            self._columns = [*self._columns[:-2:2], *self._columns[-2:]]

    def _best_way_from(self, place: int) -> list[int]:
        """The edges of the best path to the end, not counting the edge at which it starts."""
        node = int(self._edges.head[place]) if place >= 0 else -1 - place
        way = []
        while node != self._edges.end:
            way.append(int(self._follow[node]))
            node = int(self._edges.head[way[-1]])
        return way

    def _completion(self, starts: Starts, place: int, rest: list[int]) -> Completion:
        """The completion that begins at an edge, or at −1 − node, and continues along the rest of the edges."""
        edges, graph = self._edges, self.graph
        unfinished, stands, wrong = starts.fits.size > 0, 0, False
        if place >= 0:
            node, score, word = int(edges.tail[place]), starts.over[place], edges.word[place]
            stands, wrong = int(starts.stands[word]), unfinished and starts.fits[word] < self._costs_inside.hit
            edits = starts.matched.edits(node, settled=not unfinished)
        else:
            node, score, wrong = -1 - place, starts.after[-1 - place], unfinished
            edits = starts.matched.edits(node, settled=True)
        taken = np.array([place, *rest] if place >= 0 else rest, np.int64)
        way = taken[edges.word[taken] != NONE]
        return Completion(
            words=tuple(graph.vocabulary[n] for n in edges.word[way]),
            stands=stands,
            spans=tuple((first, last) for first, last in graph.span[edges.arc[way]].tolist()),
            score=float(score + edges.score[np.array(rest, np.int64)].sum()),
            edits=edits + wrong,
            way=way,
        )

    @cached_property
    def _behind(self) -> Floats:
        """[nodes] log sum over all paths from each node to the end."""
        behind = np.empty(self._edges.nodes)
        kernels.fill_behind(self._edges, behind)
        return behind


def _is_text(word: str) -> bool:
    """Whether a word is one that should be translated: it has letters, and is neither a tag nor a URL or similar."""
    return any(map(str.isalpha, word)) and not all(split(word).placeable)


def costs_of(weight: float) -> Costs:
    """The log probabilities of the edits, weighted."""
    edit = weight * math.log(EDIT)
    return Costs(hit=weight * math.log(HIT), insertion=edit - TIE, deletion=edit - TIE, substitution=edit)


@exercise
def _exercise() -> None:
    from dragoman.models.loglinear import Weights
    from dragoman.models.modelset import ModelSet
    from dragoman.search.decoder import Decoder

    models = ModelSet()
    models.add(["a", "b"], ["c", "d"])
    errors = ErrorModel(Decoder(models, Weights("moses")).search(["a", "b"]).graph())
    errors.complete(Beginning(("c",), gap=True))
    beginning = Beginning(("c",), "x")
    for completion in errors.nbest(beginning, 2):
        errors.confidences(errors.starts(beginning), completion)
