"""A text of several sentences or lines, translated one by one and joined into one translation.

The engine translates sentences, and treats a line break like any other gap between words. So a text is split into
lines and these into sentences, each is translated on its own, and the translations are joined; tokens are numbered
through all of them.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import pairwise

from dragoman.records import Phrase, Sentence, Translation
from dragoman.text.sentences import divide, space_between
from dragoman.text.tokens import Mode

_BREAK = re.compile(r"[\n\r\t\v\f\x85\u2028\u2029]+")
_NEXT = re.compile(r" *(\S?)")


def split_lines(text: str) -> list[str]:
    r"""The lines of a text, each with the line breaks after it; tabs also separate lines.

    A sentence that is only wrapped, as in indented XML, stays in one piece.

    >>> split_lines("Name:\tAna\n\nBye")
    ['Name:\t', 'Ana\n\n', 'Bye']
    >>> split_lines("Press the\n  green button.\nWait.")
    ['Press the\n  green button.\n', 'Wait.']
    >>> split_lines("")
    ['']
    """
    ends = [found.end() for found in _BREAK.finditer(text) if not _goes_on(text, found)]
    lines = [text[begin:end] for begin, end in pairwise([0, *ends, len(text)])]
    return [line for line in lines if line] or [text]


def split_text(text: str, language: str | None, mode: Mode = "text") -> list[str]:
    r"""The sentences of all lines, each with what stands behind it; joined, they are the text.

    >>> split_text("Press it. Wait.\nName:\tAna", "en")
    ['Press it. ', 'Wait.\n', 'Name:\t', 'Ana']
    """
    return [sentence for line in split_lines(text) for sentence in divide(line, language, mode)]


def _goes_on(text: str, found: re.Match[str]) -> bool:
    """Whether a break is inside a sentence: a single one, after a word or comma, before a lower-case letter."""
    before, after = text[max(found.start() - 1, 0) : found.start()], _NEXT.match(text, found.end())
    return found[0] in ("\n", "\r\n") and (before.isalnum() or before == ",") and bool(after and after[1].islower())


def joined(lines: Sequence[Translation]) -> Translation:
    """Join the translations of sentences; the second best combines the second best of each, and so on."""
    if len(lines) == 1:
        return lines[0]
    lines = [*map(_spaced, lines[:-1]), lines[-1]]
    ranks = range(max(len(line.nbest) for line in lines))
    nbest = [_in_a_row([_ranked(line, rank) for line in lines]) for rank in ranks]
    return replace(_in_a_row(lines), nbest=nbest, lines=tuple(lines))


def _spaced(line: Translation) -> Translation:
    """A translated sentence with the space after it that its language needs."""
    if not (space := space_between(line.source.text, line.text)):
        return line
    target = replace(line.target, gaps=(*line.target.gaps[:-1], line.target.gaps[-1] + space))
    return replace(line, text=target.text, target=target, nbest=[_spaced(each) for each in line.nbest])


def _ranked(line: Translation, rank: int) -> Translation:
    """The translation of a rank, or else the last one; a line without words has only itself."""
    return line.nbest[min(rank, len(line.nbest) - 1)] if line.nbest else line


def _in_a_row(lines: Sequence[Translation]) -> Translation:
    source, target = _run_on([line.source for line in lines]), _run_on([line.target for line in lines])
    return Translation(
        text=target.text,
        score=sum(line.score for line in lines),
        features=_summed([line.features for line in lines]),
        alignment=[(s + one, t + other) for s, t, line in _places(lines) for one, other in line.alignment],
        source=source,
        target=target,
        phrases=tuple(_moved(phrase, s, t) for s, t, line in _places(lines) for phrase in line.phrases),
        upstream=_answer(lines),
        upstream_flaw=next((line.upstream_flaw for line in lines if line.upstream_flaw), None),
    )


def _answer(lines: Sequence[Translation]) -> str | None:
    """Another engine's answer for all lines; nothing if it was silent for one that has words."""
    answers = [line.upstream if len(line.source) else line.text for line in lines]
    return None if None in answers else "".join(filter(None, answers))


def _summed(features: Sequence[dict[str, float]]) -> dict[str, float]:
    """The sum of the features of lines; one made with another engine has more of them than one from the memory."""
    names = dict.fromkeys(name for each in features for name in each)
    return {name: sum(each.get(name, 0.0) for each in features) for name in names}


def _places(lines: Sequence[Translation]) -> Iterator[tuple[int, int, Translation]]:
    """Each line with the number of source and target tokens before it."""
    source = target = 0
    for line in lines:
        yield source, target, line
        source, target = source + len(line.source), target + len(line.target)


def _moved(phrase: Phrase, source: int, target: int) -> Phrase:
    (s, end), (t, target_end) = phrase.source, phrase.target
    return replace(phrase, source=(s + source, end + source), target=(t + target, target_end + target))


def _run_on(sentences: Sequence[Sentence]) -> Sentence:
    """Join sentences; the last gap of each and the first gap of the next become one."""
    words = tuple(word for each in sentences for word in each.words)
    placeable = tuple(mark for each in sentences for mark in each.placeable)
    gaps = [""]
    for each in sentences:
        gaps[-1] += each.gaps[0]
        gaps += each.gaps[1:]
    return Sentence(words, tuple(gaps), placeable)
