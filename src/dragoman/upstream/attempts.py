"""Asking for lines so that tags, placeholders, numbers and terms survive: masked, masked otherwise, plain.

1. A line is asked for with what must survive masked, in the engine's first way to write marks.
2. If a mark got lost, or a number, the next way is tried, now with numbers masked too; at last the line as it is.
3. The first answer that has everything is taken; else the first that lacks no tag or placeholder; else one that says
   what is wrong with it.

Most lines have nothing to mask and are asked for once, as they are.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from dragoman.upstream.checks import is_text, missing, refuse
from dragoman.upstream.contract import Answer, ContinuingEngine, Hints, Marking, Scored, Silence
from dragoman.upstream.masking import Masked, mask, restore

# Asks an engine: texts, their hints, whether they are marked. A Silence where a text has no answer.
Call = Callable[[Sequence[str], Sequence[Hints], bool], Sequence[Answer | Silence]]


@dataclass(slots=True)
class _Line:
    """A line on its way to an answer."""

    text: str
    hints: Hints
    silence: Silence = Silence.EMPTY  # the last reason
    answer: Answer | None = None
    spare: Answer | None = None  # one that lacks something, but nothing that breaks a file
    flawed: Answer | None = None  # one that should not be used
    numbers: bool = False  # to be masked too
    asked: frozenset[str] = frozenset()  # what the engine was given already
    is_settled: bool = False

    def take(self, said: Answer | Silence, masked: Masked | None, language: str) -> None:
        """Judge what the engine said."""
        if isinstance(said, Silence):
            self.silence = said
            self.is_settled = masked is None or said in (Silence.FAILED, Silence.SLOW, Silence.SPENT, Silence.RESTING)
            return
        answer = _restored(said, masked)
        if answer is None:
            self.silence = Silence.MARKS_LOST
            return
        flaw = refuse(self.text, answer.text, language)
        if flaw is Silence.UNUSABLE:  # it cannot even be kept
            self.silence = flaw
            return
        lost = missing(self.text, answer.text, self.hints.terms)
        flaw = flaw or (Silence.MARKS_LOST if lost.slots else None)
        if flaw:
            self.flawed = replace(answer, flaw=flaw)
        elif lost.others:
            self.spare, self.numbers = self.spare or answer, True
        else:
            self.answer = answer
        self.is_settled = self.answer is not None

    @property
    def outcome(self) -> Answer | Silence:
        """The best answer so far, or the reason why there is none."""
        return self.answer or self.spare or self.flawed or self.silence


def attempt(
    call: Call, markings: Sequence[Marking], texts: Sequence[str], hints: Sequence[Hints], language: str
) -> list[Answer | Silence]:
    """An answer for each line, or the reason why there is none."""
    lines = [_Line(text, each) for text, each in zip(texts, hints, strict=True)]
    for marking in (*markings, None):
        tried: list[tuple[_Line, Masked | None, str]] = []
        for line in lines:
            if line.is_settled:
                continue
            masked = mask(line.text, marking, line.hints.terms, numbers=line.numbers) if marking else None
            sent = masked.text if masked else line.text
            if sent not in line.asked:
                line.asked |= {sent}
                tried.append((line, masked, sent))
        for marked in (True, False):
            _ask(call, [each for each in tried if bool(each[1]) == marked], marked, language)
    return [line.outcome for line in lines]


def _ask(call: Call, tried: list[tuple[_Line, Masked | None, str]], marked: bool, language: str) -> None:
    if not tried:
        return
    said = call([sent for _, _, sent in tried], [line.hints for line, _, _ in tried], marked)
    for (line, masked, _), each in zip(tried, said, strict=True):
        line.take(each, masked, language)


def _restored(said: Answer, masked: Masked | None) -> Answer | None:
    """The answer with what was masked; entries of its n-best list that have lost a mark are left out."""
    text = restore(masked, said.text) if masked else said.text
    if text is None:
        return None
    others = ((restore(masked, each.text) if masked else each.text, each.score) for each in said.nbest)
    good = tuple(Scored(each, score) for each, score in others if each is not None and is_text(each))
    return replace(said, text=text, nbest=good)


def continue_masked(engine: ContinuingEngine, text: str, prefix: str, n: int) -> Answer | None:
    """Translations that begin with what was typed, the last word of which may not be finished."""
    markings = engine.traits.markings
    masked = mask(text, markings[0]) if markings else None
    # An unfinished word may go on in any way, and the engine's pieces of it are not ours: it is left to the filter.
    whole = prefix[: len(prefix) - len(prefix.split(" ")[-1])]
    for mark in masked.marks if masked else ():
        whole = whole.replace(mark.value, mark.written, 1)
    said = engine.continue_from(masked.text if masked else text, whole, n=n)
    answer = _restored(said, masked) if said else None
    found = (
        [each for each in (answer.nbest or (Scored(answer.text),)) if each.text.startswith(prefix)] if answer else []
    )
    return Answer(found[0].text, tuple(found)) if found else None
