"""Corrections of an open project: learned, revised and forgotten, durable when these functions return.

Revising is learning in the place of an earlier correction: both take the same path. What takes time is done before the
write lock is taken; if another thread has learned something meanwhile, it is done again. A row is appended after the
models have changed, since it holds what they have added; if that fails, the change is undone.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import datetime

from dragoman.errors import BadInputError
from dragoman.project.correction_record import CorrectionRecord, answer_in
from dragoman.project.guard import FlaggedError
from dragoman.project.lesson import CorrectionComparison, Lesson, compare, learn_lesson, prepare
from dragoman.project.open_project import OpenProject
from dragoman.project.state import State
from dragoman.store import Delivery, Row
from dragoman.upstream.contract import Answer


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


Teach = Callable[[State, Lesson, CorrectionComparison | None], CorrectionRecord]  # the models learn


def revise(
    opened: OpenProject,
    number: int,
    target: str,
    *,
    user: str | None,
    force: bool,
    delivery: Delivery | None,
    teach: Teach = learn_lesson,
) -> int:
    """Replace the target of a correction; returns the new id."""
    row = _in_force(opened, number)
    old = answer_in(row)
    answer, engine = (Answer(old.text), old.engine) if old else (None, None)
    how = NewCorrection(str(row.source), target, answer, engine, user, force, delivery=delivery, replaces=number)
    return learn(opened, how, teach)


def learn(opened: OpenProject, correction: NewCorrection, teach: Teach = learn_lesson) -> int:
    """Learn a correction, if need be in the place of another one; returns its id."""
    with opened.reading() as state:
        lesson = _prepare(state, correction)
    comparison = compare(state, lesson)
    with opened.writing() as state:
        old = None if correction.replaces is None else _in_force(opened, correction.replaces)
        if (known := _known(opened, state, correction)) is not None:
            return known
        if lesson.revision != state.revision:  # another thread has learned something meanwhile
            lesson = _prepare(state, correction)
            comparison = compare(state, lesson)
        reason = _examine(opened, state, lesson, correction)
        with opened.undoing() as undo:
            if old:
                state.take_back(old)
                undo.forgot(old)
                lesson = _read_again(state, lesson)
            record = teach(state, lesson, comparison)
            undo.learned(lesson.pair, record)
            with undo.appending():
                number = _append(opened, correction, record.to_bytes(), reason)
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


def _prepare(state: State, correction: NewCorrection) -> Lesson:
    texts = correction.source, correction.target
    return prepare(state, *texts, correction.answer, correction.engine, weigh=correction.weigh)


def _read_again(state: State, lesson: Lesson) -> Lesson:
    """The lesson after an earlier correction was taken back, which may change the words that the models see."""
    answer = lesson.answer and state.knowledge.read_again(lesson.answer)
    return replace(lesson, pair=state.knowledge.read_again(lesson.pair), answer=answer)


def _known(opened: OpenProject, state: State, correction: NewCorrection) -> int | None:
    """The id of the correction, if there is nothing new to learn."""
    known = state.memory.exact(correction.source) if correction.once else None
    if known and known.target == correction.target:
        return known.id
    return opened.delivered(correction.delivery.id) if correction.delivery else None


def _examine(opened: OpenProject, state: State, lesson: Lesson, correction: NewCorrection) -> str | None:
    """Flag a correction that looks wrong, or return the reason if it is to be learned anyway."""
    source, target = lesson.pair.source, lesson.pair.target
    reason = state.guard.check(source, target, opened.target)
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
