"""The translations of the lines of a text as one translation, whose tokens are counted through all lines."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from dragoman.types import Phrase, Sentence, Translation


def whole(lines: Sequence[Translation]) -> Translation:
    """The translations of lines as one; its second best has the second best of each line, and so on."""
    if len(lines) == 1:
        return lines[0]
    ranks = range(max(len(line.nbest) for line in lines))
    return replace(_in_a_row(lines), nbest=[_in_a_row([_ranked(line, rank) for line in lines]) for rank in ranks])


def _ranked(line: Translation, rank: int) -> Translation:
    """The translation of some rank, or the last that there is; a line without words has none but itself."""
    return line.nbest[min(rank, len(line.nbest) - 1)] if line.nbest else line


def _in_a_row(lines: Sequence[Translation]) -> Translation:
    source, target = _run_on([line.source for line in lines]), _run_on([line.target for line in lines])
    return Translation(
        text=target.text,
        score=sum(line.score for line in lines),
        features={name: sum(line.features[name] for line in lines) for name in lines[0].features},
        alignment=[(s + one, t + other) for s, t, line in _places(lines) for one, other in line.alignment],
        source=source,
        target=target,
        phrases=tuple(_moved(phrase, s, t) for s, t, line in _places(lines) for phrase in line.phrases),
    )


def _places(lines: Sequence[Translation]) -> Iterator[tuple[int, int, Translation]]:
    """Lines, after how many tokens of the source and of the target each stands."""
    source = target = 0
    for line in lines:
        yield source, target, line
        source, target = source + len(line.source), target + len(line.target)


def _moved(phrase: Phrase, source: int, target: int) -> Phrase:
    (s, end), (t, target_end) = phrase.source, phrase.target
    return replace(phrase, source=(s + source, end + source), target=(t + target, target_end + target))


def _run_on(sentences: Sequence[Sentence]) -> Sentence:
    """Sentences as one, in which the last gap of each and the first of the next are one gap."""
    words = tuple(word for each in sentences for word in each.words)
    placeable = tuple(mark for each in sentences for mark in each.placeable)
    gaps = [""]
    for each in sentences:
        gaps[-1] += each.gaps[0]
        gaps += each.gaps[1:]
    return Sentence(words, tuple(gaps), placeable)
