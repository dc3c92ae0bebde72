"""Learning a correction: it is read once and, for an adapter, compared with the system's own translations.

The search that an adapter needs, and the n-best list with its losses, are computed before the engine takes its write
lock, so that interactive users do not have to wait for them.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from dragoman.adapt.adaptation import Adaptation, beside
from dragoman.adapt.lists import Candidates, candidates, losses
from dragoman.adapt.protocol import MEASURES, Vector
from dragoman.cancelling import checkpoint
from dragoman.errors import UnlearnableError
from dragoman.project import translating
from dragoman.project.state import State
from dragoman.search.decoder import Search
from dragoman.types import Pair
from dragoman.upstream import Answer, fusion_learning
from dragoman.upstream.fusion import count_cases
from dragoman.upstream.fusion_trust import ENTRIES, Costs, costs_of


@dataclass(frozen=True)
class Lesson:
    """A correction that has been read, and the search for its source if an adapter needs it."""

    revision: int  # of the state it was made with
    pair: Pair
    found: Search | None
    said: Pair | None = None  # the same source with what another engine says
    engine: str | None = None
    cases: tuple[int, int] = (0, 0)  # words whose letter case that engine has right, and those that dragoman has


@dataclass(frozen=True)
class Comparison:
    """The translations that were possible, and how far each is from the correction."""

    offered: Candidates | None
    losses: Vector
    costs: Costs | None = None  # of the levels of trust in another engine


def prepare(
    state: State,
    source: str,
    target: str,
    upstream: Answer | None = None,
    engine: str | None = None,
    *,
    weigh: bool = True,
) -> Lesson:
    """Read a correction, and search for translations of its source if that is needed; needs the engine's lock.

    It is needed if weights adapt, and to `weigh` how far another engine is to be trusted.
    """
    known = _known(state, source, upstream)
    pair = state.knowledge.read_beside(known, target) if known else state.knowledge.read_pair(source, target)
    said = known or _read_said(state, pair, upstream.text if upstream else None)
    wanted = state.adaptation_of(said is not None) or (weigh and said is not None and not state.is_untaught)
    found = translating.search(state, pair.source, upstream) if wanted else None
    return Lesson(state.revision, pair, found, said, engine, _cases(state, pair, said) if said else (0, 0))


def _cases(state: State, pair: Pair, said: Pair) -> tuple[int, int]:
    recased = translating.recased(state, said.target_words, said.source, said.target)
    return count_cases(said.target, recased.words, pair.target)


def _known(state: State, source: str, upstream: Answer | None) -> Pair | None:
    """The source beside what another engine says, if both were just read for a translation."""
    latest = translating.find_latest(state, source, upstream)
    said = latest.search.upstream if latest else None
    if latest is None or said is None or said.sentence is None:
        return None
    return Pair(latest.source, said.sentence, latest.search.source, said.words)


def _read_said(state: State, pair: Pair, upstream: str | None) -> Pair | None:
    """What another engine says beside the source; None if nothing can be learned from it."""
    if upstream is None:
        return None
    try:
        return state.knowledge.read_beside(pair, upstream)
    except UnlearnableError:
        return None


def compare(state: State, lesson: Lesson) -> Comparison | None:
    """Compare the possible translations with the correction; needs no lock."""
    adaptation, costs = state.adaptation_of(lesson.said is not None), _costs(lesson)
    if adaptation is None or lesson.found is None or not _fits(adaptation, lesson.found):
        return None if costs is None else Comparison(None, np.zeros(0), costs)
    checkpoint()
    most = min(adaptation.adapter.nbest, translating.most_listed(lesson.found))
    nbest = lesson.found.nbest(most, distinct=True)
    offered = candidates(lesson.found, nbest, factors=adaptation.wants_factors)
    measure = MEASURES[adaptation.adapter.measure]()
    return Comparison(offered, losses(measure, offered.words, lesson.pair.target_words), costs)


def _costs(lesson: Lesson) -> Costs | None:
    """What the levels of trust in another engine would have cost, if its translation was on offer."""
    if lesson.found is None or lesson.found.upstream is None:
        return None
    said = lesson.found.upstream
    return costs_of(lesson.found.shares(ENTRIES), said.bonus, said.words, lesson.pair.target_words)


def _fits(adaptation: Adaptation, found: Search) -> bool:
    """Whether a search was made with the features whose weights adapt: what an engine says may be of no use."""
    return len(adaptation.weights) == len(found.best.features)


def learn(state: State, lesson: Lesson, comparison: Comparison | None) -> bytes:
    """Adapt the weights, then let the models learn; returns what the journal records of both."""
    adapted = b""
    adaptation = state.adaptation_of(lesson.said is not None)
    if adaptation and comparison and comparison.offered:
        adapted = adaptation.learn(comparison.offered, comparison.losses)
    said, costs = None, comparison.costs if comparison else None
    if lesson.said:
        heard = fusion_learning.learn(state.knowledge, lesson.said, lesson.engine)
        said = replace(heard, costs=costs, cases=lesson.cases)
    contribution = state.knowledge.learn(lesson.pair)
    if said:
        state.count_said(said, contribution)
    state.after_learning()
    return beside(fusion_learning.with_said(contribution.to_bytes(), said), adapted)
