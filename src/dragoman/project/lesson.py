"""Learning a correction: it is read once and, for an adapter, compared with the system's own translations.

The search that an adapter needs, and the n-best list with its losses, are computed before the engine takes its write
lock, so that interactive users do not have to wait for them.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from dragoman.adapt.adaptation import Adaptation
from dragoman.adapt.lists import Candidates, candidates, losses
from dragoman.adapt.protocol import MEASURES, Vector
from dragoman.cancellation import checkpoint
from dragoman.errors import UnlearnableError
from dragoman.models.fusion_trust import Costs
from dragoman.project import translation
from dragoman.project.correction_record import CorrectionRecord
from dragoman.project.repeats import compare as compare_repeat
from dragoman.project.request import Request
from dragoman.project.state import State
from dragoman.search.decoder import Search
from dragoman.types import Pair
from dragoman.upstream import Answer, learned_answer
from dragoman.upstream.changes import Weighed, outcomes
from dragoman.upstream.learned_answer import ENTRIES, costs_of, count_cases


@dataclass(frozen=True)
class Lesson:
    """A correction that has been read, and the search for its source if an adapter needs it."""

    revision: int  # of the state it was made with
    pair: Pair
    found: Search | None
    answer: Pair | None = None  # the same source with another engine's answer
    engine: str | None = None
    cases: tuple[int, int] = (0, 0)  # words whose letter case that engine has right, and those that dragoman has
    weighed: Weighed | None = None  # the changes that were proposed
    repeat: tuple[int, ...] = ()  # what earlier corrections of the same text would have left to edit


@dataclass(frozen=True)
class CorrectionComparison:
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
    answered = known or _read_answer(state, pair, upstream.text if upstream else None)
    wanted = state.adaptation_of(answered is not None) or (weigh and answered is not None and not state.is_untaught)
    found = _request(state, pair, answered, upstream).search_once() if wanted else None
    weighed = translation.weigh(state, found, found.best) if found and found.upstream and weigh else None
    cases = _cases(state, pair, answered) if answered else (0, 0)
    return Lesson(state.revision, pair, found, answered, engine, cases, weighed, _repeat(state, pair, answered))


def _request(state: State, pair: Pair, answered: Pair | None, answer: Answer | None) -> Request:
    """The request for a translation of a corrected source, which has been read."""
    request = Request(state, pair.source, answer)
    request.words = pair.source_words
    if answered:
        request.answer_sentence = answered.target
    return request


def _repeat(state: State, pair: Pair, answered: Pair | None) -> tuple[int, ...]:
    """What earlier corrections of the same text, and another engine's answer, leave to edit; nothing if it is new."""
    earlier = [match.target for match in state.memory.corrections(pair.source.text)] if answered else []
    if not earlier or answered is None:
        return ()
    texts = [" ".join(state.knowledge.target.read(text).words) for text in earlier]
    return compare_repeat(texts, answered.target.words, pair.target.words)


def _cases(state: State, pair: Pair, answered: Pair) -> tuple[int, int]:
    recased = translation.recased(state, answered.target_words, answered.source, answered.target)
    return count_cases(answered.target, recased.words, pair.target)


def _known(state: State, source: str, upstream: Answer | None) -> Pair | None:
    """The source beside another engine's answer, if both were just read for a translation."""
    latest = state.find_latest(source, upstream.text if upstream else None)
    answered = latest.search.upstream if latest else None
    if latest is None or answered is None or answered.sentence is None:
        return None
    return Pair(latest.source, answered.sentence, latest.search.source, answered.words)


def _read_answer(state: State, pair: Pair, upstream: str | None) -> Pair | None:
    """Another engine's answer beside the source; None if nothing can be learned from it."""
    if upstream is None:
        return None
    try:
        return state.knowledge.read_beside(pair, upstream)
    except UnlearnableError:
        return None


def compare(state: State, lesson: Lesson) -> CorrectionComparison | None:
    """Compare the possible translations with the correction; needs no lock."""
    adaptation, costs = state.adaptation_of(lesson.answer is not None), _costs(lesson)
    if adaptation is None or lesson.found is None or not _fits(adaptation, lesson.found):
        return None if costs is None else CorrectionComparison(None, np.zeros(0), costs)
    checkpoint()
    most = min(adaptation.adapter.nbest, translation.most_listed(lesson.found))
    nbest = lesson.found.nbest(most, distinct=True)
    offered = candidates(lesson.found, nbest, factors=adaptation.wants_factors)
    measure = MEASURES[adaptation.adapter.measure]()
    return CorrectionComparison(offered, losses(measure, offered.words, lesson.pair.target_words), costs)


def _costs(lesson: Lesson) -> Costs | None:
    """What the levels of trust in another engine would have cost, if its translation was on offer."""
    if lesson.found is None or lesson.found.upstream is None:
        return None
    answered = lesson.found.upstream
    return costs_of(lesson.found.shares(ENTRIES), answered.bonus, answered.words, lesson.pair.target_words)


def _fits(adaptation: Adaptation, found: Search) -> bool:
    """Whether a search was made with the features whose weights adapt: an engine's answer may be of no use."""
    return len(adaptation.weights) == len(found.best.features)


def learn_lesson(state: State, lesson: Lesson, comparison: CorrectionComparison | None) -> CorrectionRecord:
    """Adapt the weights, then let the models learn; returns what the journal records of both."""
    adapted = b""
    adaptation = state.adaptation_of(lesson.answer is not None)
    if adaptation and comparison and comparison.offered:
        adapted = adaptation.learn(comparison.offered, comparison.losses)
    answered, costs = None, comparison.costs if comparison else None
    if lesson.answer:
        learned = learned_answer.learn(state.knowledge, lesson.answer, lesson.engine)
        found = tuple(outcomes(lesson.weighed, lesson.pair.target_words)) if lesson.weighed else ()
        learned = replace(learned, costs=costs, cases=lesson.cases, outcomes=found)
        answered = replace(learned, repeat=lesson.repeat, when=state.revision)
    contribution = state.knowledge.learn(lesson.pair)
    if answered:
        state.count_answer(answered, contribution)
    state.after_learning()
    return CorrectionRecord(lesson.pair.source.text, lesson.pair.target.text, contribution, answered, adapted)
