"""Searching one sentence, and what was found: the best translation, n-best lists and the word graph.

`search_sentence` does the work; the `SentenceSearch` that it returns holds the states and arcs that were found.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from functools import cached_property
from operator import itemgetter
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from dragoman.models.lengths_kernels import LengthArrays
from dragoman.models.loglinear_kernels import FEATURES
from dragoman.models.modelset import ModelSet
from dragoman.search import decoder_kernels, hypotheses_kernels, nbest_kernels
from dragoman.search import wordgraph_kernels as graph_kernels
from dragoman.search.constrained import Blocks, Prefix, constrain
from dragoman.search.decoder_kernels import Task
from dragoman.search.guesses import guessed_from
from dragoman.search.hypotheses import KINDS, Hypothesis, NBest, Shares, Step, patience
from dragoman.search.hypotheses_kernels import (
    ARC,
    ARCS,
    CUBE,
    FINAL,
    ITEM,
    NONE,
    PLACES,
    STATE,
    STATES,
    Settings,
    Workspace,
)
from dragoman.search.options import History, Offers, Scorer, Source, find_offers
from dragoman.search.options_kernels import NOWHERE, OPTION, Heard, SpanOptions
from dragoman.search.plan import Beam, Plan
from dragoman.search.thinning import thinned
from dragoman.search.upstream_options import Suggestion
from dragoman.search.wordgraph import END, WordGraph, renumbered
from dragoman.types import Term

Ids = NDArray[np.int64]
Floats = NDArray[np.float64]
Links = dict[Step, list[tuple[int, int]]]  # within phrases
TAKEN, LENGTH = "upstream_words", "source_length"  # features


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


class Search(ABC):
    """What was found for a sentence: the best translation, n-best lists, and the graph they come from.

    It stays valid when the models learn or forget, and may then be read without a lock. Only `alignment` asks the
    models, so it needs the lock that guards them and answers with what they know at that moment.
    """

    source: tuple[str, ...]  # the words that were translated
    models: ModelSet  # for `alignment` alone
    upstream: Suggestion | None = None  # what another engine says

    @property
    @abstractmethod
    def best(self) -> Hypothesis:
        """The best translation found."""

    @abstractmethod
    def nbest(self, n: int, *, distinct: bool = False) -> NBest:
        """The n best translations, or as many as there are."""

    def shares(self, n: int) -> Shares:
        """The scores of the n best translations, and how many words each takes from another engine."""
        found = self.nbest(n, distinct=True)
        return Shares(found.scores, found.features[:, found.names.index(TAKEN)], lambda place: found[place].words)

    @abstractmethod
    def graph(self) -> WordGraph:
        """All translations found, as a word graph."""

    @abstractmethod
    def thin(self, most: int) -> None:
        """Keep only about so many arcs: those on the best paths, and the options that they use."""

    @property
    @abstractmethod
    def pieces(self) -> tuple[SentenceSearch, ...]:
        """The searches of the pieces that a long sentence was cut into; otherwise just this one."""

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


class SentenceSearch(Search):
    """What was found for one sentence, or for one piece of a long one."""

    def __init__(
        self,
        plan: Plan,
        sentence: Source,
        options: SpanOptions,
        lengths: LengthArrays,
        work: Workspace,
        heard: Heard,
    ) -> None:
        """Hold what a search has found in `work`; `lengths` must not change any more."""
        self.source, self.models = sentence.words, plan.models
        self.weights = dict(plan.weights)  # as they were for this search
        self.options, self.work, self._heard = options, work, heard
        self._sentence, self._spelling = sentence, sentence.spelling  # of a vocabulary that only ever grows
        self._lengths, self._delta, self._places = lengths, plan.estimates.delta, plan.weights.places
        self._made: dict[int, Step] = {}

    @property
    def pieces(self) -> tuple[SentenceSearch, ...]:
        """Just this one: it was not cut."""
        return (self,)

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

    @property
    def history(self) -> History:
        """States of the language models after the best translation."""
        last = self.work.arcs[self.best_arcs()[-1]]
        state = self.work.states[last["origin"]]
        return History(int(state["lm_state"]), int(state["class_state"]))

    def nbest(self, n: int, *, distinct: bool = False) -> NBest:
        """The n best translations of the search graph, or as many as there are."""
        return self._listed(*self._find_ways(n, distinct=distinct))

    def shares(self, n: int) -> Shares:
        """The same as from `nbest`, in half the time: no other feature is looked at."""
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
        hypotheses_kernels.fill_arc_features(self.work, self.options, *numbers, arcs, self._lengths, self._heard, each)
        return each[:, self._places]

    def arc_surcharges(self, arcs: Ids) -> Ids:
        """[n] how many times the SURCHARGE is part of the score of each of the arcs."""
        each = np.empty(arcs.size, np.int64)
        hypotheses_kernels.fill_surcharges(self.work, self.options, len(self.source), arcs, each)
        return each

    def step(self, option: int) -> Step:
        """An option in words."""
        row = OptionRow._make(_of_step(self.options.row[option].item()))
        taken = row.taken_from_upstream
        return Step(
            source=(row.start, row.end),
            words=tuple(self._spelling.words(self.options.words[row.begin : row.stop].tolist())),
            kind=KINDS[max(-row.path, 0)],
            pair=row.pair,
            upstream=taken,
            replaces=None if taken else row.stands_for,
            guessed_from=guessed_from(self._sentence, self.options, self.options.row[option]),
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


def search_sentence(
    plan: Plan,
    source: tuple[str, ...],
    placeable: Sequence[bool] | None,
    prefix: Prefix,
    terms: Sequence[Term] = (),
    *,
    history: History | None = None,
    ends: bool = True,
    upstream: Suggestion | None = None,
    offers: Offers | None = None,
) -> SentenceSearch:
    """Search one sentence, or one piece of a long one.

    `history` are the states of the language models before it, by default those at the start of a sentence; `ends`
    tells whether the sentence ends with this piece; `upstream` is what another engine says of it. With `offers`, the
    options need not be collected again.
    """
    if offers is None:
        scorer = _scorer(plan, source, placeable, terms, upstream)
        offers = find_offers(scorer, plan.beam.options, plan.factors, lenient=bool(prefix.words))
    else:
        scorer = Scorer(plan.models, offers.sentence.with_own_spelling(), plan.weights, plan.estimates)
    start = history or scorer.start
    options, blocks = constrain(scorer, offers.options, prefix, start.language)
    known = scorer.weights, offers.inside, offers.after, scorer.memo
    task = Task(len(source), options, *known, *blocks, scorer.heard, scorer.classes)
    work = _workspace(len(source), len(prefix.words), plan.beam, options, blocks)
    lengths = plan.models.lengths.view
    if LENGTH in plan.weights:  # otherwise nobody asks
        lengths = _own(lengths)
    decoder_kernels.search(work, task, _settings(plan, prefix, start, ends), scorer.language, lengths)
    found = SentenceSearch(plan, scorer.sentence, options, lengths, _found(work), scorer.heard)
    found.upstream = upstream
    return found


def collect_offers(
    plan: Plan,
    source: tuple[str, ...],
    placeable: Sequence[bool] | None,
    terms: Sequence[Term] = (),
    upstream: Suggestion | None = None,
    *,
    lenient: bool = False,
) -> Offers:
    """Collect the options of a sentence; if lenient, for a prefix that may have said terms in other words."""
    scorer = _scorer(plan, source, placeable, terms, upstream)
    return find_offers(scorer, plan.beam.options, plan.factors, lenient=lenient)


def _scorer(
    plan: Plan,
    source: tuple[str, ...],
    placeable: Sequence[bool] | None,
    terms: Sequence[Term],
    upstream: Suggestion | None,
) -> Scorer:
    sentence = Source(plan.models, source, placeable, terms, plan.slots, upstream, plan.banned, guess=plan.guess)
    return Scorer(plan.models, sentence, plan.weights, plan.estimates)


def _own(lengths: LengthArrays) -> LengthArrays:
    """The length model as it is now: its layer is copied, since learning changes it in place; a base never changes."""
    layer = {name: getattr(lengths, name).copy() for name in ("samples", "sums", "squares", "pooled")}
    index = type(lengths.table.layer)(*(array.copy() for array in lengths.table.layer))
    return lengths._replace(table=lengths.table._replace(layer=index), **layer)


def _settings(plan: Plan, prefix: Prefix, history: History, ends: bool) -> Settings:
    beam, weights = plan.beam, plan.weights
    return Settings(
        pops=beam.pops,
        stack=beam.stack,
        threshold=float(beam.threshold),
        distortion=beam.distortion,
        delta=plan.estimates.delta,
        reordering="previous_monotone" in weights,
        length=LENGTH in weights,
        lm_state=history.language,
        class_state=history.classes,
        ends=ends,
        prefix=len(prefix.words),
        exact=prefix.whole,
    )


def _workspace(J: int, P: int, beam: Beam, options: SpanOptions, blocks: Blocks) -> Workspace:
    """Enough room for the largest search that these options and this beam allow."""
    longest = options.first.shape[1] - 1
    states = (J + P) * beam.pops + 2
    reach = J if beam.distortion < 0 else min(J, 2 * beam.distortion + 1)
    spans = min(int(np.count_nonzero(np.diff(options.first, axis=1))), reach * longest)
    kept = min(beam.stack, beam.pops)
    cubes = longest * kept * (spans + int(np.diff(blocks.first).max(initial=0))) + 1
    items = cubes + 2 * beam.pops + 1
    return Workspace(
        sizes=np.zeros(PLACES, np.int64),
        states=np.empty(states, STATE),
        arcs=np.empty(states + (J + 1 if P else 1) * kept, ARC),
        slots=np.empty(1 << (2 * beam.pops).bit_length(), np.int32),
        kept=np.empty(beam.pops + 1, np.int64),
        grouped=np.empty(states, np.int64),
        cubes=np.empty(cubes, CUBE),
        queue=np.empty(J + P + 1, np.int64),
        items=np.empty(items, ITEM),
        heap=np.empty(items, np.int64),
        ranks=np.empty(items),
    )


def _found(work: Workspace) -> Workspace:
    """What a search has found, without its scratch space."""
    kept = {name: array[:0].copy() for name, array in work._asdict().items()}
    # Views: pages of these arrays that were never written to take no memory, and `thin` copies what is kept for long.
    kept["states"], kept["arcs"] = work.states[: work.sizes[STATES]], work.arcs[: work.sizes[ARCS]]
    return Workspace(**(kept | {"sizes": work.sizes}))
