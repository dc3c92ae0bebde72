"""A text of several lines, translated line by line and joined into one translation.

The engine translates segments, and treats a line break like any other gap between words. So a text is split into lines,
each line is translated on its own, and the translations are joined; tokens are numbered through all lines.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import pairwise

from dragoman.records import Phrase, Sentence, Translation

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


def _goes_on(text: str, found: re.Match[str]) -> bool:
    """Whether a break is inside a sentence: a single one, after a word or comma, before a lower-case letter."""
    before, after = text[max(found.start() - 1, 0) : found.start()], _NEXT.match(text, found.end())
    return found[0] in ("\n", "\r\n") and (before.isalnum() or before == ",") and bool(after and after[1].islower())


def joined(lines: Sequence[Translation]) -> Translation:
    """Join the translations of lines; the second best combines the second best of each line, and so on."""
    if len(lines) == 1:
        return lines[0]
    ranks = range(max(len(line.nbest) for line in lines))
    nbest = [_in_a_row([_ranked(line, rank) for line in lines]) for rank in ranks]
    return replace(_in_a_row(lines), nbest=nbest, lines=tuple(lines))


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
