"""A crude learner of replacements, to compare with: pieces of an engine's answer and what corrections made of them.

For each piece that was replaced, and each word of its source, it is counted how often the piece was seen beside that
word, and how often it became what. A replacement is made if the lower bound of its share of successes is high enough.
It knows no context, no alignment and no other project: whatever learns from corrections should beat it.

>>> learner = ReplacementLearner()
>>> for _ in range(3):
...     learner.learn("Open the file", "Abra el archivo", "Abra el fichero")
>>> learner.translate("Close the file", "Cierre el archivo")
'Cierre el fichero'
"""

from __future__ import annotations

from collections import Counter, defaultdict

from dragoman.measure import lower_bound
from dragoman.models.evidence import find_changes
from dragoman.records import Sentence
from dragoman.text.tokens import split

LONGEST = 4  # words of a piece
BOUND = 0.5  # that the lower bound of the share of successes must exceed
ERRORS = 1.0  # standard errors of that bound

Piece = tuple[str, ...]


class ReplacementLearner:
    """Replaces pieces of answers as corrections did."""

    def __init__(self, bound: float = BOUND) -> None:
        self.bound = bound
        self._seen: Counter[tuple[str, Piece]] = Counter()  # by source word and piece
        self._became: dict[tuple[str, Piece], Counter[str]] = defaultdict(Counter)
        self._pieces: set[Piece] = set()  # that were ever replaced

    def learn(self, source: str, answer: str, correction: str) -> None:
        """Count what a correction made of an answer."""
        theirs, right, beside = split(answer), split(correction), set(split(source).words)
        for piece, _ in _pieces(theirs):
            self._seen.update((word, piece) for word in beside)
        at, shift = 0, 0
        for begin, stop, words in find_changes(theirs.words, right.words):
            at = begin + shift
            shift += len(words) - (stop - begin)
            if begin < stop and stop - begin <= LONGEST:
                self._pieces.add(theirs.words[begin:stop])
                for word in beside:
                    self._became[word, theirs.words[begin:stop]][right.cut(at, at + len(words))] += 1

    def translate(self, source: str, answer: str) -> str:
        """An answer with the replacements that have succeeded often enough."""
        theirs, beside = split(answer), set(split(source).words)
        found = []
        for piece, begin in _pieces(theirs):
            if piece in self._pieces:
                best = max((self._best(word, piece) for word in beside), default=(0.0, ""))
                if best[0] > self.bound:
                    found.append((*best, begin, begin + len(piece)))
        text, taken = answer, set[int]()
        kept = []
        for _, instead, begin, stop in sorted(found, reverse=True):
            if taken.isdisjoint(range(begin, stop)):
                taken.update(range(begin, stop))
                kept.append((begin, stop, instead))
        for begin, stop, instead in sorted(kept, reverse=True):
            text = text[: theirs.spans[begin][0]] + instead + text[theirs.spans[stop - 1][1] :]
        return text

    def _best(self, word: str, piece: Piece) -> tuple[float, str]:
        """The replacement with the highest lower bound, and that bound."""
        became, seen = self._became.get((word, piece), Counter[str]()), self._seen[word, piece]
        return max(
            ((lower_bound(count, seen, ERRORS), instead) for instead, count in became.items()), default=(0.0, "")
        )


def _pieces(theirs: Sentence) -> list[tuple[Piece, int]]:
    size = len(theirs)
    spans = ((begin, stop) for begin in range(size) for stop in range(begin + 1, min(size, begin + LONGEST) + 1))
    return [(theirs.words[begin:stop], begin) for begin, stop in spans]
