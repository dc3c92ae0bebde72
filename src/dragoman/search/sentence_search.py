"""What a search has found: states and arcs, from which come the best translation, n-best lists and the word graph."""

from __future__ import annotations

from functools import cached_property
from operator import itemgetter
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import NDArray

from dragoman.models.lengths_kernels import LengthArrays
from dragoman.models.loglinear_kernels import FEATURES
from dragoman.search import hypotheses_kernels, nbest_kernels
from dragoman.search import wordgraph_kernels as graph_kernels
from dragoman.search.best_arcs import thinned
from dragoman.search.guesses import GUESSED, guessed_from
from dragoman.search.hypotheses import KINDS, Hypothesis, NBest, Shares, Step, patience
from dragoman.search.hypotheses_kernels import (
    FINAL,
    NONE,
    Workspace,
)
from dragoman.search.options import SentenceOptions
from dragoman.search.options_kernels import NOWHERE, OPTION, SpanOptions
from dragoman.search.wordgraph import END, WordGraph, renumbered
from dragoman.tables import Ids

if TYPE_CHECKING:
    from dragoman.search.decoder import Decoder

Floats = NDArray[np.float64]
Links = dict[Step, list[tuple[int, int]]]  # within phrases
TAKEN = "upstream_words"  # a feature


class OptionRow(NamedTuple):
    """What a step has to know of its option; see OPTION."""

    start: int
    end: int
    begin: int
    stop: int
    path: int
    pair: int
    place: int
    reach: int
    taken: int

    @property
    def stands_for(self) -> tuple[int, int] | None:
        """Where what it stands for is in the other engine's translation."""
        return (self.place, self.reach) if self.place != NOWHERE and self.reach > self.place else None

    @property
    def taken_from_upstream(self) -> tuple[int, int] | None:
        """Where its words are in the other engine's translation, if they are all taken from it."""
        whole = self.place != NOWHERE and self.taken == self.reach - self.place == self.stop - self.begin
        return (self.place, self.reach) if whole else None


_of_step = itemgetter(*((OPTION.names or ()).index(name) for name in OptionRow._fields))


class SearchResult:
    """What was found for a sentence: the best translation, n-best lists, and the graph they come from.

    It stays valid when the models learn or forget, and may then be read without a lock. Only `alignment` asks the
    models, so it needs the lock that guards them and answers with what they know at that moment.
    """

    def __init__(
        self,
        decoder: Decoder,
        sentence: SentenceOptions,
        options: SpanOptions,
        lengths: LengthArrays,
        work: Workspace,
    ) -> None:
        """Hold what a search has found in `work`; `lengths` must not change any more."""
        self.source, self.models, self.upstream = sentence.words, decoder.models, sentence.upstream
        self.weights = dict(decoder.weights)  # as they were for this search
        self.options, self.work, self._answer = options, work, sentence.answer
        self._sentence, self._spelling = sentence, sentence.spelling  # of a vocabulary that only ever grows
        self._lengths, self._delta, self._places = lengths, decoder.estimates.delta, decoder.weights.places
        self._made: dict[int, Step] = {}

    @property
    def linked(self) -> NDArray[np.bool_]:
        """[J, I] which source word belongs to which word of the other engine's answer."""
        if self.upstream:
            return self._answer.linked
        return np.zeros((len(self.source), 0), np.bool_)

    @cached_property
    def best(self) -> Hypothesis:
        """The best translation found."""
        return self._listed(*self._best_way)[0]

    @property
    def _best_way(self) -> tuple[Ids, Ids, Floats]:
        arcs, final = self.best_arcs(), int(self.work.sizes[FINAL])
        return np.array([arcs.size]), arcs, self.work.states["score"][final : final + 1]

    def best_arcs(self) -> Ids:
        """The arcs of the best path, in order; the last is the end of the sentence."""
        origin, best = self.work.arcs["origin"], self.work.states["best"]
        arcs, arc = [], int(best[self.work.sizes[FINAL]])
        while arc != NONE:
            arcs.append(arc)
            arc = int(best[origin[arc]])
        return np.array(arcs[::-1])

    def thin(self, most: int) -> None:
        """Keep only about so many arcs: those on the best paths, and the options that they use."""
        self.work, self.options = thinned(self.work, self.options, self.best_arcs(), most)

    def nbest(self, n: int, *, distinct: bool = False) -> NBest:
        """The n best translations of the search graph, or as many as there are."""
        return self._listed(*self._find_ways(n, distinct=distinct))

    def shares(self, n: int) -> Shares:
        """The scores of the n best translations, and how many words each takes from another engine."""
        ends, arcs, scores = self._find_ways(n, distinct=True)
        option, row = self.work.arcs["option"][arcs], self.options.row
        placed = (option != NONE) & (row["place"][option] != NOWHERE)
        taken = np.add.reduceat(np.where(placed, row["taken"][option], 0.0), np.r_[0, ends[:-1]])

        def words(place: int) -> list[str]:
            chosen = option[ends[place - 1] if place else 0 : ends[place]]
            spans = row[["begin", "stop"]][chosen[chosen != NONE]].tolist()
            return self._spelling.words(word for begin, stop in spans for word in self.options.words[begin:stop])

        return Shares(scores, taken, words)

    def _find_ways(self, n: int, *, distinct: bool) -> tuple[Ids, Ids, Floats]:
        """The n best paths: (ends [N] among the arcs, arcs of all paths, scores [N])."""
        most = patience(n, len(self.source))
        ways = nbest_kernels.best_ways(self._ways, int(self.work.sizes[FINAL]), n, distinct, most)
        return ways if ways[0].size else self._best_way

    @cached_property
    def _ways(self) -> nbest_kernels.Graph:
        arcs = self.work.arcs
        states = self.work.states.size
        _, order = nbest_kernels.arcs_by(arcs["origin"], states)  # as they stand in a word graph
        begin, places = nbest_kernels.arcs_by(arcs["target"][order], states)
        return nbest_kernels.Graph(
            score=self.work.states["score"].copy(),
            begin=begin,
            arcs=order[places],
            origin=arcs["origin"].astype(np.int64),
            gain=arcs["gain"].copy(),
            label=arcs["option"].astype(np.int64),
            first=self.options.row["begin"].astype(np.int64),
            last=self.options.row["stop"].astype(np.int64),
            words=self.options.words,
        )

    def _listed(self, ends: Ids, arcs: Ids, scores: Floats) -> NBest:
        """Paths through the graph, their arcs one after another, as a list of translations."""
        used = np.zeros(self.work.arcs.size, np.bool_)
        used[arcs] = True
        together, rows = np.flatnonzero(used), np.cumsum(used)[arcs] - 1
        each = self.arc_features(together), self.arc_surcharges(together)
        return NBest(tuple(self.weights), (ends, arcs, scores), rows, *each, self._step_of)

    def _step_of(self, arc: int) -> Step | None:
        option = int(self.work.arcs["option"][arc])
        if option == NONE:
            return None
        if option not in self._made:
            self._made[option] = self.step(option)
        return self._made[option]

    def arc_features(self, arcs: Ids) -> Floats:
        """[n, M] the features of each of the arcs, in the order of the preset."""
        each = np.empty((arcs.size, FEATURES))
        numbers = len(self.source), self._delta
        hypotheses_kernels.fill_arc_features(self.work, self.options, *numbers, arcs, self._lengths, self._answer, each)
        return each[:, self._places]

    def arc_surcharges(self, arcs: Ids) -> Ids:
        """[n] how many times the SURCHARGE is part of the score of each of the arcs."""
        each = np.empty(arcs.size, np.int64)
        hypotheses_kernels.fill_surcharges(self.work, self.options, len(self.source), arcs, each)
        return each

    def step(self, option: int) -> Step:
        """An option in words."""
        row = OptionRow._make(_of_step(self.options.row[option].item()))
        taken, guessed = row.taken_from_upstream, row.path == GUESSED
        return Step(
            source=(row.start, row.end),
            words=tuple(self._spelling.words(self.options.words[row.begin : row.stop].tolist())),
            kind=KINDS[max(-row.path, 0)],
            pair=row.pair,
            upstream=taken,
            replaces=None if taken else row.stands_for,
            guessed_from=guessed_from(self._sentence, self.options, self.options.row[option]) if guessed else (),
        )

    def graph(self) -> WordGraph:
        """The word graph: every arc on a path from the first state of the search to its last."""
        arcs, states, final = self.work.arcs, self.work.states.size, int(self.work.sizes[FINAL])
        wanted = np.ones(arcs.size, np.bool_)
        kept = np.flatnonzero(graph_kernels.on_a_way(arcs["origin"], arcs["target"], wanted, states, final))
        kept = kept[nbest_kernels.arcs_by(arcs["origin"][kept], states)[1]]
        arcs = arcs[kept]
        origin, target = renumbered(arcs["origin"], arcs["target"])
        ends, row = arcs["option"] == NONE, self.options.row[arcs["option"]]
        row["begin"][ends] = row["stop"][ends] = 0
        begin, ids = graph_kernels.gather(row["begin"], row["stop"], self.options.words)
        span = np.stack([row["start"], row["end"]], axis=1).astype(np.int64)
        span[ends] = len(self.source)
        vocabulary, words = self._spelling.listed(ids)
        return WordGraph(
            source=self.source,
            names=tuple(self.weights),
            vocabulary=vocabulary,
            origin=origin,
            target=target,
            span=span,
            kind=np.where(ends, END, np.maximum(-row["path"], 0)),
            score=arcs["gain"].copy(),
            surcharges=self.arc_surcharges(kept),
            features=self.arc_features(kept),
            begin=begin,
            words=words,
        )

    def alignment(self, hypothesis: Hypothesis, known: Links | None = None) -> list[tuple[int, int]]:
        """Which source word goes with which target word: the alignment models decide within each phrase.

        `known` collects the links within phrases: for several hypotheses, as long as the models do not change.
        """
        known = {} if known is None else known
        links, at = [], 0
        for step in hypothesis.steps:
            begin = step.source[0]
            if step not in known:
                known[step] = self._links(step)
            links += [(begin + j, at + i) for j, i in known[step]]
            at += len(step.words)
        return sorted(links)

    def _links(self, step: Step) -> list[tuple[int, int]]:
        (begin, end), size = step.source, len(step.words)
        if end - begin == 1 or size == 1:
            return [(j, i) for j in range(end - begin) for i in range(size)]
        ids = self.models.source.ids(self.source[begin:end]), self.models.target.ids(step.words)
        return [(j, i) for j, i in self.models.align(*ids).tolist()]
