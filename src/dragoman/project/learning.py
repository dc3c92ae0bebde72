"""Learning a correction: it is read once and, for an adapter, compared with the system's own translations.

The search that an adapter needs, and the n-best list with its losses, are computed before the engine takes its write
lock, so that interactive users do not have to wait for them.
"""

from __future__ import annotations

from dataclasses import dataclass

from dragoman.adapt.adaptation import beside
from dragoman.adapt.lists import Candidates, candidates, losses
from dragoman.adapt.protocol import MEASURES, Vector
from dragoman.cancelling import checkpoint
from dragoman.project import translating
from dragoman.project.state import State
from dragoman.search.decoder import Search
from dragoman.types import Pair


@dataclass(frozen=True)
class Lesson:
    """A correction that has been read, and the search for its source if an adapter needs it."""

    revision: int  # of the state it was made with
    pair: Pair
    found: Search | None


@dataclass(frozen=True)
class Comparison:
    """The translations that were possible, and how far each is from the correction."""

    offered: Candidates
    losses: Vector


def prepare(state: State, source: str, target: str) -> Lesson:
    """Read a correction, and search for translations of its source if weights adapt; needs the engine's lock."""
    pair = state.knowledge.read_pair(source, target)
    return Lesson(state.revision, pair, translating.search(state, pair.source) if state.adaptation else None)


def compare(state: State, lesson: Lesson) -> Comparison | None:
    """Compare the possible translations with the correction; needs no lock."""
    adaptation = state.adaptation
    if adaptation is None or lesson.found is None:
        return None
    checkpoint()
    most = min(adaptation.adapter.nbest, translating.most_listed(lesson.found))
    nbest = lesson.found.nbest(most, distinct=True)
    offered = candidates(lesson.found, nbest, factors=adaptation.wants_factors)
    measure = MEASURES[adaptation.adapter.measure]()
    return Comparison(offered, losses(measure, offered.words, lesson.pair.target_words))


def learn(state: State, lesson: Lesson, comparison: Comparison | None) -> bytes:
    """Adapt the weights, then let the models learn; returns what the journal records of both."""
    adapted = b""
    if state.adaptation and comparison:
        adapted = state.adaptation.learn(comparison.offered, comparison.losses)
    contribution = state.knowledge.learn(lesson.pair).to_bytes()
    state.after_learning()
    return beside(contribution, adapted)
