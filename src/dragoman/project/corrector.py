"""Corrections of an open project: learned, revised and forgotten, durable when these functions return.

A correction of a paragraph is learned sentence by sentence where the sentences match one to one, otherwise as a whole.

1. `prepare` reads the correction once and searches for what an adapter needs; `compare` measures how far the possible
   translations are from it. Both take time and are done before the write lock is taken; if another thread has learned
   something meanwhile, they are done again.
2. `apply_correction` moves the weights and lets the models learn.
3. A row is appended after that, since it holds what the models have added; if that fails, the change is undone.

Revising is learning in the place of an earlier correction: both take the same path.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import datetime

import numpy as np

from dragoman.adapt.adaptation import Adaptation
from dragoman.adapt.lists import Candidates, candidates, losses
from dragoman.adapt.protocol import MEASURES, Vector
from dragoman.concurrency import checkpoint
from dragoman.errors import BadInputError, UnlearnableError
from dragoman.models.sentence_pairs import is_matched
from dragoman.models.trust import Costs
from dragoman.project import translation
from dragoman.project.correction_record import (
    ENTRIES,
    CorrectionRecord,
    answer_in,
    costs_of,
    count_cases,
    learn_answer,
    records_to_bytes,
)
from dragoman.project.guard import FlaggedError
from dragoman.project.multiline import split_text
from dragoman.project.open_project import OpenProject
from dragoman.project.repeats import compare as compare_repeat
from dragoman.project.request import Request
from dragoman.project.state import State
from dragoman.records import Pair
from dragoman.search.decoder import SearchResult
from dragoman.store import Delivery, Row
from dragoman.text.tokens import check_one_text
from dragoman.upstream.changes import Weighed, outcomes
from dragoman.upstream.contract import Answer


@dataclass(frozen=True)
class PreparedCorrection:
    """A correction that has been read, and the search for its source if an adapter needs it."""

    revision: int  # of the state it was made with
    pair: Pair
    found: SearchResult | None
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
    answer: Answer | None = None,
    engine: str | None = None,
    *,
    weigh: bool = True,
) -> PreparedCorrection:
    """Read a correction, and search for translations of its source if that is needed; needs the engine's lock.

    It is needed if weights adapt, and to `weigh` how far another engine is to be trusted.
    """
    known = _latest_pair(state, source, answer)
    pair = state.knowledge.read_beside(known, target) if known else state.knowledge.read_pair(source, target)
    answered = known or _read_answer(state, pair, answer.text if answer else None)
    wanted = state.adaptation_of(answered is not None) or (weigh and answered is not None and not state.is_untaught)
    request = _request(state, pair, answered, answer)
    found = request.search_once() if wanted and not request.is_long else None
    weighed = translation.weigh(state, found, found.best) if found and found.upstream and weigh else None
    cases = _cases(state, pair, answered) if answered else (0, 0)
    return PreparedCorrection(
        state.revision, pair, found, answered, engine, cases, weighed, _repeat(state, pair, answered)
    )


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


def _latest_pair(state: State, source: str, answer: Answer | None) -> Pair | None:
    """The source beside another engine's answer, if both were just read for a translation."""
    latest = state.find_latest(source, answer.text if answer else None)
    answered = latest.search.upstream if latest else None
    if latest is None or answered is None or answered.sentence is None:
        return None
    return Pair(latest.source, answered.sentence, latest.search.source, answered.words)


def _read_answer(state: State, pair: Pair, answer: str | None) -> Pair | None:
    """Another engine's answer beside the source; None if nothing can be learned from it."""
    if answer is None:
        return None
    try:
        return state.knowledge.read_beside(pair, answer)
    except UnlearnableError:
        return None


def compare(state: State, prepared: PreparedCorrection) -> CorrectionComparison | None:
    """Compare the possible translations with the correction; needs no lock."""
    adaptation, costs = state.adaptation_of(prepared.answer is not None), _costs(prepared)
    if adaptation is None or prepared.found is None or not _fits(adaptation, prepared.found):
        return None if costs is None else CorrectionComparison(None, np.zeros(0), costs)
    checkpoint()
    most = min(adaptation.adapter.nbest, translation.most_listed(prepared.found))
    nbest = prepared.found.nbest(most, distinct=True)
    offered = candidates(prepared.found, nbest, factors=adaptation.wants_factors)
    measure = MEASURES[adaptation.adapter.measure]()
    return CorrectionComparison(offered, losses(measure, offered.words, prepared.pair.target_words), costs)


def _costs(prepared: PreparedCorrection) -> Costs | None:
    """What the levels of trust in another engine would have cost, if its translation was on offer."""
    if prepared.found is None or prepared.found.upstream is None:
        return None
    answered = prepared.found.upstream
    return costs_of(prepared.found.shares(ENTRIES), answered.bonus, answered.words, prepared.pair.target_words)


def _fits(adaptation: Adaptation, found: SearchResult) -> bool:
    """Whether a search was made with the features whose weights adapt: an engine's answer may be of no use."""
    return len(adaptation.weights) == len(found.best.features)


def apply_correction(
    state: State, prepared: PreparedCorrection, comparison: CorrectionComparison | None
) -> CorrectionRecord:
    """Adapt the weights, then let the models learn; returns what the journal records of both."""
    adapted = b""
    adaptation = state.adaptation_of(prepared.answer is not None)
    if adaptation and comparison and comparison.offered:
        adapted = adaptation.learn(comparison.offered, comparison.losses)
    answered, costs = None, comparison.costs if comparison else None
    if prepared.answer:
        learned = learn_answer(state.knowledge, prepared.answer, prepared.engine)
        found = tuple(outcomes(prepared.weighed, prepared.pair.target_words)) if prepared.weighed else ()
        learned = replace(learned, costs=costs, cases=prepared.cases, outcomes=found)
        answered = replace(learned, repeat=prepared.repeat, when=state.revision)
    contribution = state.knowledge.learn(prepared.pair)
    if answered:
        state.count_answer(answered, contribution)
    state.after_learning()
    return CorrectionRecord(prepared.pair.source.text, prepared.pair.target.text, contribution, answered, adapted)


@dataclass(frozen=True)
class NewCorrection:
    """A correction to be learned, and how it came about."""

    source: str
    target: str
    answer: Answer | None = None  # of another engine, for the source
    engine: str | None = None  # which one
    user: str | None = None
    force: bool = False  # learn it even if it looks wrong
    time: datetime | None = None  # when it was made; now, if it is not known
    delivery: Delivery | None = None
    weigh: bool = True  # find out how far to trust the other engine
    once: bool = False  # not if the newest correction of the source says the same
    replaces: int | None = None  # the correction in whose place it is learned


def revise(
    opened: OpenProject,
    number: int,
    target: str,
    *,
    user: str | None,
    force: bool,
    delivery: Delivery | None,
) -> int:
    """Replace the target of a correction; returns the new id."""
    row = _in_force(opened, number)
    old = answer_in(row)
    answer, engine = (Answer(old.text), old.engine) if old else (None, None)
    how = NewCorrection(str(row.source), target, answer, engine, user, force, delivery=delivery, replaces=number)
    return learn(opened, how)


def learn(opened: OpenProject, correction: NewCorrection) -> int:
    """Learn a correction, if need be in the place of another one; returns its id."""
    with opened.reading() as state:
        prepared = _prepare(opened, state, correction)
    comparisons = [compare(state, each) for each in prepared]
    with opened.writing() as state:
        old = None if correction.replaces is None else _in_force(opened, correction.replaces)
        if (known := _known(opened, state, correction)) is not None:
            return known
        if prepared[0].revision != state.revision:  # another thread has learned something meanwhile
            prepared = _prepare(opened, state, correction)
            comparisons = [compare(state, each) for each in prepared]
        reason = _examine(opened, state, correction)
        with opened.undoing() as undo:
            if old:
                state.take_back(old)
                undo.forgot(old)
            records: list[CorrectionRecord] = []
            for each, comparison in zip(prepared, comparisons, strict=True):
                now = _read_again(state, each) if old or records else each
                records.append(apply_correction(state, now, comparison))
                undo.learned(now.pair, records[-1])
            with undo.appending():
                number = _append(opened, correction, records_to_bytes(records), reason)
            state.memory.add(number, correction.source, correction.target)
            state.revision = number
    opened.save_now_and_then()
    return number


def forget(opened: OpenProject, number: int, *, user: str | None = None) -> None:
    """Subtract exactly what a correction has contributed; the journal keeps both rows."""
    with opened.writing() as state:
        row = _in_force(opened, number)
        with opened.undoing() as undo:
            with undo.appending():
                state.revision = opened.store.journal.append_forget(number, user=user)
            state.take_back(row)
    opened.save_now_and_then()


def _prepare(opened: OpenProject, state: State, correction: NewCorrection) -> list[PreparedCorrection]:
    """A correction read, or each of its sentences."""
    for text in (correction.source, correction.target):
        check_one_text(text)
    found = _sentences(opened, state, correction) or [(correction.source, correction.target, correction.answer)]
    return [prepare(state, *texts, correction.engine, weigh=correction.weigh) for texts in found]


def _sentences(opened: OpenProject, state: State, correction: NewCorrection) -> list[tuple[str, str, Answer | None]]:
    """The sentences of a correction with their translations and answers; nothing unless they match one to one."""
    mode, answer, target = opened.tokens, correction.answer, state.knowledge.target
    sources = split_text(correction.source, opened.source, mode)
    targets = split_text(correction.target, opened.target, mode)
    answers = split_text(answer.text, opened.target, mode) if answer else [""] * len(sources)
    if not 1 < len(sources) == len(targets) == len(answers):
        return []
    ours = [state.knowledge.source.model_words(state.knowledge.source.read(each)) for each in sources]
    theirs = [[target.model_words(target.read(each)) for each in texts] for texts in (targets, answers)]
    if not all(is_matched(state.knowledge.models, ours, side) for side in (theirs if answer else theirs[:1])):
        return []
    found = [replace(answer, text=each, nbest=()) if answer else None for each in answers]
    return list(zip(sources, targets, found, strict=True))


def _read_again(state: State, prepared: PreparedCorrection) -> PreparedCorrection:
    """The same after something was learned or taken back, which may change the words that the models see."""
    answer = prepared.answer and state.knowledge.read_again(prepared.answer)
    return replace(prepared, pair=state.knowledge.read_again(prepared.pair), answer=answer)


def _known(opened: OpenProject, state: State, correction: NewCorrection) -> int | None:
    """The id of the correction, if there is nothing new to learn."""
    known = state.memory.newest(correction.source) if correction.once else None
    if known and known.target == correction.target:
        return known.id
    return opened.delivered(correction.delivery.id) if correction.delivery else None


def _examine(opened: OpenProject, state: State, correction: NewCorrection) -> str | None:
    """Flag a correction that looks wrong, or return the reason if it is to be learned anyway."""
    source, target = state.knowledge.source.read(correction.source), state.knowledge.target.read(correction.target)
    reason = state.guard.check(source, target, opened.target, opened.tokens)
    if reason and not correction.force:
        with opened.undoing() as undo:
            with undo.appending():
                number = opened.store.journal.append_flagged(
                    source.text,
                    target.text,
                    reason=reason,
                    refers_to=correction.replaces,
                    user=correction.user,
                    delivery=correction.delivery,
                )
            state.revision = number
        raise FlaggedError(reason, number)
    return reason


def _append(opened: OpenProject, correction: NewCorrection, contribution: bytes, reason: str | None) -> int:
    """Write the row of a correction, which is safe from then on."""
    journal, target = opened.store.journal, correction.target
    by, how = correction.user, correction.delivery
    if correction.replaces is not None:
        number = correction.replaces
        return journal.append_revise(number, target, contribution=contribution, user=by, reason=reason, delivery=how)
    return journal.append_learn(
        correction.source,
        target,
        contribution=contribution,
        user=by,
        reason=reason,
        time=correction.time,
        delivery=how,
    )


def _in_force(opened: OpenProject, number: int) -> Row:
    row = opened.store.reader.get(number)
    if row.source is None or row.forgotten:
        raise BadInputError(f"{number} is not a correction in force", remedy="see the ids in the history")
    return row
