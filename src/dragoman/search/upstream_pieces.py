"""A long source and another engine's translation of it, cut into pieces that stand for each other.

Sentences are paired if both sides have as many; otherwise, and within a long sentence, the alignment tells where one
may cut. No piece has more source words than a search can move among, so the engine's answer for it can always be said.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from dragoman.models.evidence import Block, alike, blocks, link
from dragoman.models.modelset import ModelSet
from dragoman.search.options_kernels import WINDOW

FULL_STOPS = frozenset(".!?…。！？")
MAX_ALIGNED = 500  # words on either side; the time that an alignment takes grows with the cube of it


def cut_both(models: ModelSet, source: tuple[str, ...], answer: tuple[str, ...]) -> list[Block] | None:
    """The pieces, in order; None if some words can only be joined as a whole that is too long.

    >>> one, other = ("a", "b", ".") * 20, ("c", ".") * 20
    >>> cut_both(ModelSet(), one, other)
    [(0, 60, 0, 40)]
    >>> cut_both(ModelSet(), one * 2, other * 2)
    [(0, 60, 0, 40), (60, 120, 40, 80)]
    """
    pieces: list[Block] = []
    for s, e, a, b in _sentences(source, answer):
        short = e - s <= WINDOW
        within = [(0, e - s, 0, b - a)] if short else _inside(models, source[s:e], answer[a:b])
        pieces += [(s + first, s + last, a + begin, a + stop) for first, last, begin, stop in within]
    return list(_merged(pieces)) if all(e - s <= WINDOW and a < b for s, e, a, b in pieces) else None


def _sentences(source: Sequence[str], answer: Sequence[str]) -> list[Block]:
    """The sentences of both; both as a whole if one has more than the other."""
    one, other = _ends(source), _ends(answer)
    if len(one) != len(other):
        return [(0, len(source), 0, len(answer))]
    return list(zip([0, *one[:-1]], one, [0, *other[:-1]], other, strict=True))


def _ends(words: Sequence[str]) -> list[int]:
    """One past the last word of each sentence."""
    found = [n + 1 for n, word in enumerate(words) if word in FULL_STOPS]
    return found if found and found[-1] == len(words) else [*found, len(words)]


def _inside(models: ModelSet, source: tuple[str, ...], answer: tuple[str, ...]) -> list[Block]:
    """Pieces of a long sentence: the smallest that the alignment allows."""
    if max(len(source), len(answer)) > MAX_ALIGNED:
        return [(0, len(source), 0, len(answer))]
    ids = models.source.ids(source), models.target.ids(answer)
    return blocks(link(models, *ids, alike(source, answer)))


def _merged(pieces: list[Block]) -> Iterator[Block]:
    """Adjacent pieces put together, as long as they are not too long."""
    start, end, begin, stop = pieces[0]
    for s, e, a, b in pieces[1:]:
        if e - start > WINDOW:
            yield start, end, begin, stop
            start, begin = s, a
        end, stop = e, b
    yield start, end, begin, stop
