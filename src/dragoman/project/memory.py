"""The translation memory: finds corrections in force of a text, and of similar texts.

Similarity is that of characters: the share that both texts have in common, in the same order. Inline codes do not
count, but texts whose codes differ are not 100 % similar, and the target of a match has the codes of the text that was
looked for (`code_transfer`). The similarities returned are exact, but not all sources are compared, so that a search
takes milliseconds: only those closest in length, fewer if the text is long; and if it has more than LONG_CHARACTERS,
only those with the most words in common.

>>> memory = Memory()
>>> memory.add(1, "Press the green button.", "Pulse el botón verde.")
>>> memory.add(2, "Close the lid.", "Cierre la tapa.")
>>> memory.exact("Press the green button.").target
'Pulse el botón verde.'
>>> [(round(match.similarity), match.target) for match in memory.similar("Press the green buttons.")]
[(98, 'Pulse el botón verde.')]
"""

from __future__ import annotations

import re
import unicodedata
from bisect import bisect_left, insort
from collections.abc import Mapping, Sequence
from heapq import nlargest
from itertools import pairwise

import numpy as np
from rapidfuzz import fuzz, process
from rapidfuzz.distance import Indel

from dragoman.arrays import ArrayTree
from dragoman.concurrency import checkpoint
from dragoman.project.guard import find_altered
from dragoman.records import Match, Sentence
from dragoman.text.code_transfer import DIFFERENT, MOST_PENALTY, PENALTY, bare, carry_match

SAME = 100.0  # percent similarity of the same source
LEAST_SIMILARITY = 70.0  # percent; less similar corrections are of little help
MOST_MATCHES = 5  # matches
ALIKE = 5  # corrections of the same words whose codes are compared
MAX_COMPARED = 20_000  # sources compared at most, those closest in length
MAX_WORK = 20_000_000  # steps of the processor that comparing may take: some 20 milliseconds
MAX_PORTION = 2_000_000  # steps at once
# Longer texts are first compared by words, with at most so many sources; the most similar ones by characters
LONG_CHARACTERS, MAX_LONG_COMPARED = 2_000, 200

_WORD = re.compile(r"\w+")


class Memory:
    """Corrections by source; surrounding spaces and the encoding of accents (NFC or not) do not matter."""

    def __init__(self) -> None:
        self._texts: dict[int, tuple[str, str]] = {}  # by id, the oldest first
        self._ids: dict[str, list[int]] = {}  # of the key of a source, the newest last
        self._coded: dict[str, list[int]] = {}  # those whose source has codes, by the source without them
        self._sources: list[tuple[int, str]] = []  # length and text of all sources without codes, in order
        self.removed = 0  # how many have been removed

    def __len__(self) -> int:
        return len(self._texts)

    def __contains__(self, number: int) -> bool:
        return number in self._texts

    def add(self, number: int, source: str, target: str) -> None:
        """Add a correction, newer than all others."""
        key = _key(source)
        plain = bare(key)
        if not self._has(plain):
            insort(self._sources, (len(plain), plain))
        self._ids.setdefault(key, []).append(number)
        if plain != key:
            self._coded.setdefault(plain, []).append(number)
        self._texts[number] = source, target

    def _has(self, plain: str) -> bool:
        """Whether there is a source like this without its codes."""
        return plain in self._ids or plain in self._coded

    def remove(self, number: int) -> None:
        """Remove a correction, if present."""
        if number not in self._texts:
            return
        key = _key(self._texts.pop(number)[0])
        self.removed += 1
        plain = bare(key)
        _remove(self._ids, key, number)
        if plain != key:
            _remove(self._coded, plain, number)
        if not self._has(plain):
            del self._sources[bisect_left(self._sources, (len(plain), plain))]

    def exact(self, source: str) -> Match | None:
        """The newest correction of a source that may be used again."""
        return next((match for match in reversed(self._known(source)) if is_usable(match)), None)

    def corrections(self, source: str) -> list[Match]:
        """All corrections of a source that may be used again, the newest last."""
        return [match for match in self._known(source) if is_usable(match)]

    def newest(self, source: str) -> Match | None:
        """The newest correction of a source, used again or not."""
        return next(reversed(self._known(source)), None)

    def _known(self, source: str) -> list[Match]:
        return [self._match(SAME, number) for number in self._ids.get(_key(source), ())]

    def same_words(self, source: str) -> Match | None:
        """The correction of a source that differs from this in its codes only; its target has the codes of this."""
        key = _key(source)
        plain = bare(key)
        found = self._with_codes(DIFFERENT, plain, key) if self._has(plain) else None
        return found if found and is_usable(found) else None

    def similar(
        self, source: str, least: float = LEAST_SIMILARITY, limit: int = MOST_MATCHES, *, codes: bool = True
    ) -> list[Match]:
        """The newest correction of each source that is at least this similar, the most similar first.

        Their targets have the codes of the text, unless `codes` is false.
        """
        key = _key(source)
        text = bare(key)
        if limit < 1:
            return []
        if len(text) > LONG_CHARACTERS:
            listed = self._nearest(text, least, MAX_LONG_COMPARED)
            candidates = [listed[n] for _, n in sorted(_likeliest(text, listed, limit), key=lambda found: found[1])]
        else:
            candidates = self._nearest(text, least, min(MAX_COMPARED, MAX_WORK // _work(text)))
        found = _most_similar(text, candidates, least, limit)
        same = self.newest(key)  # may not be among the candidates if many have the same length
        if same is None and self._has(text) and least <= DIFFERENT:
            same = self._with_codes(DIFFERENT, text, key, codes=codes)
        matches = [self._with_codes(similarity, candidates[n], key, codes=codes) for similarity, n in found]
        if any(match.lost or match.extra for match in matches):
            matches = sorted(matches, key=lambda match: -match.similarity)
        return [*([same] if same else []), *matches][:limit]

    def _nearest(self, text: str, least: float, most: int) -> list[str]:
        """The other sources that can be this similar, at most so many, those closest in length."""
        # Similarity is at most twice the shorter length over the sum of both.
        shortest, longest = len(text) * least / (200 - least), len(text) * (200 - least) / max(least, 1e-9)
        first, middle, last = (bisect_left(self._sources, (length,)) for length in (shortest, len(text), longest + 1))
        nearest = slice(max(first, middle - most // 2 - 1), min(last, middle + most // 2 + 1))
        return [candidate for _, candidate in self._sources[nearest] if candidate != text]

    def _match(self, similarity: float, number: int) -> Match:
        return Match(similarity, number, *self._texts[number])

    def _with_codes(self, similarity: float, plain: str, text: str, *, codes: bool = True) -> Match:
        """Of the corrections of a source, whatever its codes, the newest that needs the least change of codes."""
        ids = [*self._ids.get(plain, ())[-1:], *self._coded.get(plain, ())[-ALIKE:]]
        found = [carry_match(self._match(similarity, number), text) for number in sorted(ids, reverse=True)]
        best = min(found, key=lambda match: len(match.lost) + len(match.extra))
        if not codes:
            return self._match(similarity, best.id)
        penalty = min(MOST_PENALTY, PENALTY * (len(best.lost) + len(best.extra)))
        return best._replace(similarity=similarity - penalty)

    def texts(self) -> list[tuple[int, str, str]]:
        """Id, source and target of all corrections, newest first: a copy, for a search without the lock."""
        return [(number, *pair) for number, pair in reversed(self._texts.items())]

    def in_order(self) -> list[tuple[int, tuple[str, str]]]:
        """Id, source and target of all corrections, oldest first; may be called while others learn."""
        return sorted(self._texts.items())

    def arrays(self) -> ArrayTree:
        """Everything needed to restore the memory."""
        texts = [text.encode() for pair in self._texts.values() for text in pair]
        return ArrayTree(
            ids=np.array(list(self._texts), np.int64),  # [n]
            ends=np.cumsum([len(text) for text in texts], dtype=np.int64),  # [2 n] of source and target in turn
            bytes=np.frombuffer(b"".join(texts), np.uint8),
        )

    @classmethod
    def from_arrays(cls, arrays: Mapping[str, np.ndarray]) -> Memory:
        """The memory whose `arrays()` these are."""
        memory, data = cls(), arrays["bytes"].tobytes()
        texts = (data[begin:end].decode() for begin, end in pairwise([0, *arrays["ends"].tolist()]))
        for number in arrays["ids"].tolist():
            memory._texts[number] = next(texts), next(texts)
        for number, (source, _) in memory._texts.items():
            key = _key(source)
            memory._ids.setdefault(key, []).append(number)
            if (plain := bare(key)) != key:
                memory._coded.setdefault(plain, []).append(number)
        memory._sources = sorted({(len(plain), plain) for plain in map(bare, memory._ids)})
        return memory


def _remove(lists: dict[str, list[int]], key: str, number: int) -> None:
    lists[key].remove(number)
    if not lists[key]:
        del lists[key]


def _work(text: str) -> int:
    """What it takes to compare a text with one of the same length, in steps of the processor."""
    return max(len(text) * (len(text) // 64 + 1), 1)


def _most_similar(text: str, candidates: Sequence[str], least: float, limit: int) -> list[tuple[float, int]]:
    """Similarity and place of the candidates that are most similar to a text, best first.

    They are compared in portions, since no other thread of Python runs meanwhile.
    """
    found: list[tuple[float, int]] = []
    size = max(1, MAX_PORTION // _work(text))
    for begin in range(0, len(candidates), size):
        checkpoint()
        portion = candidates[begin : begin + size]
        cutoff = found[-1][0] if len(found) == limit else least
        better = process.extract(text, portion, scorer=fuzz.ratio, score_cutoff=cutoff, limit=limit)
        found += [(similarity, begin + n) for _, similarity, n in better]
        found = sorted(found, key=lambda each: (-each[0], each[1]))[:limit]
    return found


def _likeliest(text: str, candidates: Sequence[str], limit: int) -> list[tuple[float, int]]:
    """Similarity and place of the candidates with the most words in common with a long text, in the same order.

    >>> [n for _, n in _likeliest("one two three", ["four two", "one two", "five"], 2)]
    [1, 0]
    """
    words, room = _WORD.findall(text), MAX_WORK
    found: list[tuple[float, int]] = []
    for n, candidate in enumerate(candidates):
        checkpoint()
        others = _WORD.findall(candidate)
        room -= (len(words) // 64 + 1) * len(others)
        if room < 0:
            break
        found.append((Indel.normalized_similarity(words, others), n))
    return nlargest(limit, found, key=lambda each: (each[0], -each[1]))


def _key(source: str) -> str:
    return unicodedata.normalize("NFC", source.strip())


def is_usable(match: Match) -> bool:
    """Whether a correction may be used as a translation again: not one that loses or alters a placeholder."""
    return find_altered(match.source, match.target) is None


def have_same_figures(one: Sentence, other: Sentence) -> bool:
    """Whether two texts have the same numbers, tags and placeholders, in any order.

    >>> from dragoman.text.tokens import split
    >>> have_same_figures(split("See page 12."), split("See page 13."))
    False
    """
    return _figures(one) == _figures(other)


def _figures(sentence: Sentence) -> list[str]:
    words = zip(sentence.words, sentence.placeable, strict=True)
    return sorted(word for word, placeable in words if placeable or any(map(str.isnumeric, word)))


def fold(text: str) -> str:
    """A text for comparison without case, including dotted and dotless i.

    >>> fold("DIŞ") == fold("dış")
    True
    """
    return text.casefold().replace("ı", "i").replace("i̇", "i")
