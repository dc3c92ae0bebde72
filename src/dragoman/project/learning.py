"""Learning a correction: it is read once and, for an adapter, compared with the system's own translations.

The search that an adapter needs, and the n-best list with its losses, are computed before the engine takes its write
lock, so that interactive users do not have to wait for them.
"""

from __future__ import annotations

from dataclasses import dataclass

from dragoman.adapt.adaptation import Adaptation, beside
from dragoman.adapt.lists import Candidates, candidates, losses
from dragoman.adapt.protocol import MEASURES, Vector
from dragoman.errors import UnlearnableError
from dragoman.project import translating
from dragoman.project.state import State
from dragoman.search.decoder import Search
from dragoman.types import Pair
from dragoman.upstream import fusion_learning


@dataclass(frozen=True)
class Lesson:
    """A correction that has been read, and the search for its source if an adapter needs it."""

    revision: int  # of the state it was made with
    pair: Pair
    found: Search | None
    said: Pair | None = None  # the same source with what another engine says
    engine: str | None = None


@dataclass(frozen=True)
class Comparison:
    """The translations that were possible, and how far each is from the correction."""

    offered: Candidates
    losses: Vector


def prepare(state: State, source: str, target: str, upstream: str | None = None, engine: str | None = None) -> Lesson:
    """Read a correction, and search for translations of its source if weights adapt; needs the engine's lock."""
    pair = state.knowledge.read_pair(source, target)
    said = _read_said(state, source, upstream)
    found = translating.search(state, pair.source, upstream) if state.adaptation_of(said is not None) else None
    return Lesson(state.revision, pair, found, said, engine)


def _read_said(state: State, source: str, upstream: str | None) -> Pair | None:
    """What another engine says beside the source; None if nothing can be learned from it."""
    if upstream is None:
        return None
    try:
        return state.knowledge.read_pair(source, upstream)
    except UnlearnableError:
        return None


def compare(state: State, lesson: Lesson) -> Comparison | None:
    """Compare the possible translations with the correction; needs no lock."""
    adaptation = state.adaptation_of(lesson.said is not None)
    if adaptation is None or lesson.found is None or not _fits(adaptation, lesson.found):
        return None
    nbest = lesson.found.nbest(adaptation.adapter.nbest, distinct=True)
    offered = candidates(lesson.found, nbest, factors=adaptation.wants_factors)
    measure = MEASURES[adaptation.adapter.measure]()
    return Comparison(offered, losses(measure, offered.words, lesson.pair.target_words))


def _fits(adaptation: Adaptation, found: Search) -> bool:
    """Whether a search was made with the features whose weights adapt: what an engine says may be of no use."""
    return len(adaptation.weights) == len(found.best.features)


def learn(state: State, lesson: Lesson, comparison: Comparison | None) -> bytes:
    """Adapt the weights, then let the models learn; returns what the journal records of both."""
    adapted = b""
    adaptation = state.adaptation_of(lesson.said is not None)
    if adaptation and comparison:
        adapted = adaptation.learn(comparison.offered, comparison.losses)
    said = fusion_learning.learn(state.knowledge, lesson.said, lesson.engine) if lesson.said else None
    contribution = state.knowledge.learn(lesson.pair)
    if said:
        fusion_learning.count(state.replacements, said, contribution)
    state.after_learning()
    return beside(fusion_learning.with_said(contribution.to_bytes(), said), adapted)
