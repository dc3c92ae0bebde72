"""Asking for lines so that tags, placeholders, numbers and terms survive: masked, masked otherwise, plain.

1. A line is asked for with what must survive masked, in the engine's first way to write marks. Engines that do not know
   tags are asked without those that enclose words, which are then put around the words that they belong to: by the
   engine's attention, if it tells that, and by what it calls the words inside a pair alone (`SpanAnswers`).
2. If a mark got lost, or a number, the next way is tried, now with numbers masked too; then the line as it is; at last
   the line without any tag or placeholder, which are put where they stand in the source.
3. The first answer that has everything is taken; else the first that lacks no tag or placeholder.
4. If there is none, what stands between the tags and placeholders is asked for piece by piece; and if not all pieces
   have an answer, the line stays as it is, with what is wrong. So no line stands in the way of others.

Most lines have nothing to mask and are asked for once, as they are.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import NamedTuple

from dragoman.text.markup import Markup, take_out
from dragoman.text.tag_placement import place
from dragoman.text.tokens import split
from dragoman.text.wordings import in_quotes, is_found, is_wording, open_pairs, quoted
from dragoman.upstream.checks import is_text, missing, refuse
from dragoman.upstream.contract import (
    PASSING,
    Answer,
    CharacterLink,
    ContinuingEngine,
    Hints,
    Marking,
    Scored,
    Silence,
)
from dragoman.upstream.masking import Masked, mask, restore

Wordings = Mapping[int, Sequence[str]]  # what the words inside pairs of tags are called, by number of the pair
NO_WORDINGS: Wordings = MappingProxyType({})


@dataclass(slots=True)
class _AskedLine:
    """A line on its way to an answer."""

    text: str
    hints: Hints
    silence: Silence = Silence.EMPTY  # the last reason
    answer: Answer | None = None
    spare: Answer | None = None  # one that lacks something, but nothing that breaks a file
    torn: Answer | None = None  # one that lacks a tag or placeholder
    numbers: bool = False  # to be masked too
    asked: frozenset[str] = frozenset()  # what the engine was given already
    is_settled: bool = False

    def take(self, outcome: Answer | Silence, sent: _Sent, language: str, wordings: Wordings = NO_WORDINGS) -> None:
        """Judge what the engine gave."""
        if isinstance(outcome, Silence):
            self.silence = outcome
            is_plain = sent.masked is None and not sent.markup.markers
            self.is_settled = is_plain or outcome in PASSING
            return
        answer = _restored(outcome, sent, wordings)
        if answer is None:
            self.silence = Silence.MARKS_LOST
            return
        if flaw := refuse(self.text, answer.text, language):
            self.silence = flaw
            return
        lost = missing(self.text, answer.text, self.hints.terms)
        if lost.slots:
            self.torn = replace(answer, flaw=Silence.MARKS_LOST)
        elif lost.others:
            self.spare, self.numbers = self.spare or answer, True
        else:
            self.answer = answer
        self.is_settled = self.answer is not None

    @property
    def outcome(self) -> Answer | Silence:
        """The best answer so far; else the line as it is, unless the next time may be better."""
        found = self.answer or self.spare or self.torn
        return found or (self.silence if self.silence in PASSING else Answer(self.text, flaw=self.silence))


class _Sent(NamedTuple):
    """What an engine is given for a line: marks for what must survive, tags taken out."""

    masked: Masked | None
    markup: Markup

    @property
    def text(self) -> str:
        return self.markup.bare

    def restore(self, answer: str, links: Sequence[CharacterLink], wordings: Wordings) -> str | None:
        """The answer with tags and what was masked; None if a mark is lost."""
        text = answer
        if self.markup.markers:
            text = place(self.markup, answer, _of_tokens(self.text, answer, links), wordings=wordings)
        return restore(self.masked, text) if self.masked else text


def attempt(
    call: Call,
    markings: Sequence[Marking],
    texts: Sequence[str],
    hints: Sequence[Hints],
    language: str,
    spans: SpanAnswers | None = None,
) -> list[Answer | Silence]:
    """An answer for each line, or the reason why there is none."""
    spans = spans or SpanAnswers(call)
    lines = [_AskedLine(text, each) for text, each in zip(texts, hints, strict=True)]
    for way in (*markings, "plain", "bare"):
        tried: list[tuple[_AskedLine, _Sent]] = []
        for line in lines:
            sent = None if line.is_settled else _prepared(line, way, takes_tags="tags" in markings or not markings)
            if sent and sent.text.strip() and sent.text not in line.asked:
                line.asked |= {sent.text}
                tried.append((line, sent))
        for marked in (True, False):
            _ask(call, [each for each in tried if bool(each[1].masked) == marked], marked, language, spans)
    _ask_in_pieces(spans, [line for line in lines if isinstance(line.outcome, Answer) and line.outcome.flaw], language)
    return [line.outcome for line in lines]


def _prepared(line: _AskedLine, way: str, *, takes_tags: bool) -> _Sent | None:
    """A line as an engine is asked for it in one of the ways; None if that way is not for it."""
    if way == "bare":
        return _Sent(None, take_out(line.text, everything=True))
    if way == "plain":
        return _Sent(None, Markup(line.text, ())) if takes_tags or not take_out(line.text).markers else None
    masked = mask(line.text, way, line.hints.terms, numbers=line.numbers, pairs=takes_tags)
    text = masked.text if masked else line.text
    return _Sent(masked, Markup(text, ()) if takes_tags else take_out(text))


def _ask(call: Call, tried: list[tuple[_AskedLine, _Sent]], marked: bool, language: str, spans: SpanAnswers) -> None:
    if not tried:
        return
    hints = [replace(line.hints, wants_links=True) if sent.markup.markers else line.hints for line, sent in tried]
    outcomes = call([sent.text for _, sent in tried], hints, marked)
    tagged = {
        number: (sent.markup, each.text)
        for number, ((_, sent), each) in enumerate(zip(tried, outcomes, strict=True))
        if sent.markup.markers and isinstance(each, Answer)
    }
    wordings = dict(zip(tagged, spans.find(list(tagged.values())), strict=True))
    for number, ((line, sent), each) in enumerate(zip(tried, outcomes, strict=True)):
        line.take(each, sent, language, wordings.get(number, NO_WORDINGS))


def _ask_in_pieces(spans: SpanAnswers, lines: Sequence[_AskedLine], language: str) -> None:
    """Ask for what stands between the tags and placeholders of lines, one piece by another."""
    cuts = [_cut(line.text) for line in lines]
    said = spans.ask([piece.strip() for cut in cuts if len(cut) > 1 for piece in cut if _has_words(piece)])
    good = {piece: each for piece, each in said.items() if each and refuse(piece, each, language) is None}
    for line, cut in zip(lines, cuts, strict=True):
        if len(cut) > 1 and all(piece.strip() in good or not _has_words(piece) for piece in cut):
            line.answer = Answer("".join(_spaced(piece, good) for piece in cut))


def _cut(text: str) -> list[str]:
    """A text cut before and behind its tags and placeholders.

    >>> _cut("Hello <b>{name}</b>, welcome.")
    ['Hello ', '<b>{name}</b>', ', welcome.']
    """
    sentence, pieces, last = split(text), [""], False
    for gap, word, fixed in zip(sentence.gaps, sentence.words, sentence.placeable, strict=False):
        pieces[-1] += gap
        if fixed != last:
            pieces, last = [*pieces, ""], fixed
        pieces[-1] += word
    return [piece for piece in [*pieces[:-1], pieces[-1] + sentence.gaps[-1]] if piece]


def _has_words(piece: str) -> bool:
    sentence = split(piece)
    words = zip(sentence.words, sentence.placeable, strict=True)
    return any(not fixed and any(map(str.isalpha, word)) for word, fixed in words)


def _spaced(piece: str, said: Mapping[str, str]) -> str:
    """What was said for a piece, with the spaces around that."""
    core = piece.strip()
    return piece.replace(core, said[core].strip()) if core in said else piece


def _of_tokens(source: str, target: str, links: Sequence[CharacterLink]) -> list[tuple[int, int, float]]:
    """Links of characters as links of the tokens that these are in."""
    if not links:
        return []
    ours, theirs = ([end for _, end in split(text).spans] for text in (source, target))
    found = ((bisect_right(ours, link.source), bisect_right(theirs, link.target), link.weight) for link in links)
    return [(one, other, weight) for one, other, weight in found if one < len(ours) and other < len(theirs)]


def _restored(answer: Answer, sent: _Sent, wordings: Wordings = NO_WORDINGS) -> Answer | None:
    """The answer with what was taken out; entries of its n-best list that have lost a mark are left out."""
    text = sent.restore(answer.text, answer.links, wordings)
    if text is None:
        return None
    others = ((sent.restore(each.text, (), wordings), each.score) for each in answer.nbest)
    good = tuple(Scored(each, score) for each, score in others if each is not None and is_text(each))
    return replace(answer, text=text, nbest=good, links=())


def continue_masked(engine: ContinuingEngine, text: str, prefix: str, n: int) -> Answer | None:
    """Translations that begin with what was typed, the last word of which may not be finished."""
    markings = engine.traits.markings
    masked = mask(text, markings[0]) if markings else None
    # An unfinished word may go on in any way, and the engine's pieces of it are not ours: it is left to the filter.
    whole = prefix[: len(prefix) - len(prefix.split(" ")[-1])]
    for mark in masked.marks if masked else ():
        whole = whole.replace(mark.value, mark.written, 1)
    given = engine.continue_from(masked.text if masked else text, whole, n=n)
    answer = _restored(given, _Sent(masked, Markup(text, ()))) if given else None
    found = (
        [each for each in (answer.nbest or (Scored(answer.text),)) if each.text.startswith(prefix)] if answer else []
    )
    return Answer(found[0].text, tuple(found)) if found else None


# Asks an engine: texts, their hints, whether they are marked. A Silence where a text has no answer.
Call = Callable[[Sequence[str], Sequence[Hints], bool], Sequence[Answer | Silence]]

REMEMBERED = 10_000
LONGEST = 400  # characters between a pair of tags; what is longer is found by the words around it


class SpanAnswers:
    """Asks an engine for the words inside pairs of tags, at most `batch` texts at once.

    By themselves, they mostly come as they stand in the translation of the whole. Where they do not, the whole text is
    asked for again with quotes around them. Answers are remembered: the same words are bold again and again.
    """

    def __init__(self, call: Call, batch: int = 16) -> None:
        self._call, self._batch = call, batch
        self._known: dict[str, str] = {}  # "" if there is no answer

    def find(self, wanted: Sequence[tuple[Markup, str]]) -> list[dict[int, list[str]]]:
        """For each text with its tags, and its translation: what the words inside its pairs are called."""
        pairs = [
            (at, number, inside)
            for at, (markup, translation) in enumerate(wanted)
            for number, inside in open_pairs(markup, translation).items()
            if len(inside) <= LONGEST
        ]
        found: list[dict[int, list[str]]] = [{} for _ in wanted]
        alone = self.ask([inside for _, _, inside in pairs])
        unsure = []
        for at, number, inside in pairs:
            markup, translation = wanted[at]
            found[at][number] = [said for said in (alone[inside],) if is_wording(said, inside, translation)]
            is_sure = found[at][number] and is_found(alone[inside], translation)
            if not is_sure and (text := quoted(markup, number)):
                unsure.append((at, number, text))
        again = self.ask([text for _, _, text in unsure])
        for at, number, text in unsure:
            said, translation = in_quotes(again[text]), wanted[at][1]
            found[at][number] += [said] if said and is_wording(said, text, translation) else []
        return found

    def ask(self, texts: Sequence[str]) -> dict[str, str]:
        """What the engine says of each text by itself; "" where it says nothing."""
        new = [text for text in dict.fromkeys(texts) if text not in self._known]
        said = {text: self._known[text] for text in texts if text in self._known}
        for first in range(0, len(new), self._batch):
            batch = new[first : first + self._batch]
            outcomes = self._call(batch, [Hints()] * len(batch), False)
            for text, each in zip(batch, outcomes, strict=True):
                said[text] = each.text if isinstance(each, Answer) else ""
        if len(self._known) > REMEMBERED:
            self._known = {}
        self._known |= said
        return said
