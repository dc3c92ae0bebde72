r"""Texts of several sentences: engines get one at a time, without the spaces around it, and all is put back.

>>> paragraph = cut(" First line.\n\n  Second line. Third. ", "en")
>>> paragraph.sentences
['First line.', 'Second line.', 'Third.']
>>> paragraph.join(["Primera línea.", "Segunda línea.", "Tercera."])
' Primera línea.\n\n  Segunda línea. Tercera. '
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

from dragoman.text.sentences import divide, space_between
from dragoman.text.tokens import PICTURE, split
from dragoman.upstream.checks import is_text
from dragoman.upstream.contract import Answer, Hints, Scored, Silence, TermPlace

DASHES, OPENING = "–—―•", '¿¡"“«„'
_PICTURE = re.compile(PICTURE)
LONGEST = 20_000  # characters of a sentence that an engine is asked for
LINE = re.compile(r"[^\n\r\v\f\x1c-\x1e\x85\u2028\u2029]+")


@dataclass(frozen=True, slots=True)
class Paragraph:
    """A text cut into the sentences that are worth asking for, and what stands between them."""

    text: str
    spans: list[tuple[int, int]]

    @property
    def sentences(self) -> list[str]:
        """What is asked for."""
        return [self.text[start:end] for start, end in self.spans]

    def join(self, translations: Sequence[str]) -> str:
        """The text with its sentences translated."""
        pieces: list[str] = []
        at = 0
        for (start, end), translation in zip(self.spans, translations, strict=True):
            gap = self.text[at:start] or (space_between(self.text[at - 1], pieces[-1]) if pieces else "")
            pieces += [gap, translation]
            at = end
        return "".join([*pieces, self.text[at:]])

    def join_answers(self, answers: Sequence[Answer]) -> Answer:
        """The answers for the sentences as one for the text; a text of one sentence keeps its n-best list."""
        text = self.join([answer.text for answer in answers])
        if len(answers) != 1:
            return Answer(text, flaw=next((answer.flaw for answer in answers if answer.flaw), None))
        nbest = tuple(Scored(self.join([each.text]), each.score) for each in answers[0].nbest)
        return replace(answers[0], text=text, nbest=nbest)

    def continued(self, number: int, done: str, answer: Answer, rest: Sequence[str]) -> Answer:
        """What was `done`, the answer for a sentence, and the `rest` of the translations after it."""
        start = self.spans[number][0]
        left = Paragraph(self.text[start:], [(begin - start, end - start) for begin, end in self.spans[number:]])
        nbest = (Scored(done + left.join([each.text, *rest]), each.score) for each in answer.nbest)
        return Answer(done + left.join([answer.text, *rest]), tuple(nbest))

    def hints(self, hints: Hints) -> list[Hints]:
        """The hints for each sentence, with the places of the terms there."""
        return [
            replace(
                hints,
                terms=tuple(
                    TermPlace(a - start, b - start, wanted) for a, b, wanted in hints.terms if start <= a and b <= end
                ),
            )
            if hints.terms
            else hints
            for start, end in self.spans
        ]


class AnswerOrSilence(NamedTuple):
    """An answer, or why there is none."""

    answer: Answer | None
    silence: Silence | None = None
    refused: Answer | None = None  # the engine's answer, if it should not be used


Key = tuple[str, str]  # a sentence, and what stands for the terms that are settled in it


class AskedText(NamedTuple):
    """A text divided into what the engine is asked for."""

    paragraph: Paragraph
    hints: list[Hints]  # of each sentence

    @property
    def keys(self) -> list[Key]:
        """What their answers are kept by."""
        return [key_of(*each) for each in zip(self.paragraph.sentences, self.hints, strict=True)]

    def joined(self, found: Mapping[Key, AnswerOrSilence], name: str) -> AnswerOrSilence:
        """What came of its sentences as one answer; if one has none, the text has none."""
        outcomes = [found.get(key) or AnswerOrSilence(None, Silence.FAILED) for key in self.keys]
        answers = [answer for each in outcomes if (answer := each.answer or each.refused)]
        if len(answers) < len(outcomes):
            silence = next(each.silence for each in outcomes if not (each.answer or each.refused))
            return AnswerOrSilence(None, silence)
        whole = self.paragraph.join_answers(answers)
        version = answers[0].version if answers else ""
        return outcome_of(replace(whole, engine=name, version=version))


def outcome_of(answer: Answer) -> AnswerOrSilence:
    """An answer, or what is wrong with it."""
    return AnswerOrSilence(None, answer.flaw, answer) if answer.flaw else AnswerOrSilence(answer)


def as_outcome(found: Answer | Silence) -> AnswerOrSilence:
    """What an engine gave."""
    return outcome_of(found) if isinstance(found, Answer) else AnswerOrSilence(None, found)


def unusable(text: str) -> AnswerOrSilence | None:
    """That no engine is asked for a text, if that is so."""
    if not is_text(text):
        return AnswerOrSilence(None, Silence.UNUSABLE)
    return None if len(text) <= LONGEST else outcome_of(Answer(text, flaw=Silence.UNUSABLE))


def key_of(text: str, hints: Hints) -> Key:
    """What an answer is kept by."""
    terms = sorted((text[term.start : term.end], term.target) for term in hints.terms)
    asked = [terms, hints.context, hints.formality] if hints.context or hints.formality else terms
    return text, hashlib.sha256(json.dumps(asked).encode()).hexdigest()[:16] if asked else ""


def cut(text: str, language: str | None) -> Paragraph:
    """A text by its sentences; those without a word to translate are left out."""
    spans = []
    for found in LINE.finditer(text):
        at = found.start()
        for sentence in divide(found[0], language):
            if core := find_core(sentence):
                spans.append((at + core[0], at + core[1]))
            at += len(sentence)
    return Paragraph(text, spans)


def find_core(text: str) -> tuple[int, int] | None:
    """The part of a text that is worth asking for; None if there is no word to translate.

    Emoji and notes around it, which engines lose, and dashes of dialogues before it are left out.

    >>> text = "- Happy birthday to you! ♪ 🎉"
    >>> text[slice(*find_core(text))]
    'Happy birthday to you!'
    """
    sentence = split(text)
    words, spans = sentence.words, sentence.spans
    pairs = zip(words, sentence.placeable, strict=True)
    if not any(not fixed and any(map(str.isalpha, word)) for word, fixed in pairs):
        return None
    first, last = 0, len(words) - 1
    while _PICTURE.fullmatch(words[first]) or _is_dash(words[first : first + 2], sentence.gaps[first + 1]):
        first += 1
    while _PICTURE.fullmatch(words[last]):
        last -= 1
    return spans[first][0], spans[last][1]


def _is_dash(words: Sequence[str], gap: str) -> bool:
    """Whether the first of two words begins what somebody says, or an item; -5 is a number, and -v an option."""
    following = words[-1][0]
    if words[0] == "-":
        return bool(gap) or following.isupper() or following in OPENING
    return words[0] in DASHES and not following.isdigit()
