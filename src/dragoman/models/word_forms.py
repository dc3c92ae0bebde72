"""Known relatives of an unknown word: other inflections of it, and the parts of a compound.

Two words are forms of one another if they share a stem and end in two endings that alternate in the vocabulary: at
least ALTERNATE other stems must occur with both. So the endings are learned from the language itself:

>>> vocabulary, phrases = Vocabulary(), PhraseModel()
>>> for n, verb in enumerate("climb paint shout clean march laugh".split()):
...     for ending in ("s", "ed") if verb == "laugh" else ("s", "ed", "ing"):
...         phrases.add([vocabulary.add(verb + ending)], [7 + n], [[0, 0]])
>>> forms = WordForms(vocabulary, phrases)
>>> forms.related("laughing")
['laughed', 'laughs']
>>> forms.related("Climbs")
['climbs']

A compound is cut into known words (Koehn and Knight 2003), at hyphens, or with a linking element such as the s of
German between them; of several divisions, the one whose parts are most frequent by their geometric mean is taken:

>>> for word in ("glove", "compartment"):
...     phrases.add([vocabulary.add(word)], [20], [[0, 0]])
>>> forms.parts("glovescompartment"), forms.parts("glove-compartment"), forms.parts("gloveless")
(('glove', 'compartment'), ('glove', 'compartment'), ())

A word counts as known as long as it has a translation of its own, so what was forgotten has no influence.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import combinations, islice
from math import log
from threading import Lock

import numpy as np

from dragoman.models.phrases import PhraseModel
from dragoman.text.tokens import CAPITAL, LOWER, UNCASED, shape
from dragoman.text.vocabulary import UNKNOWN, Vocabulary

SHORTEST_STEM, LEAST_STEM = 4, 0.6  # characters of a stem, at least, and its share of both words
LONGEST_ENDING = 3  # characters
ALTERNATE = 5  # stems that occur with two endings before these are believed to alternate
MAX_RELATED = 4  # forms found for a word
MAX_ENDINGS = 30  # tried in place of an ending of a word: those that the base has most stems with
MAX_WORDS = 50_000  # of a base, or of a layer, from which endings are learned: the first ones, which are frequent

LINKS = ("", "s", "es", "n", "en", "er")  # between the parts of a compound
SHORTEST_PART = 4  # characters, unless there are hyphens
MAX_PARTS = 3
LONGEST_COMPOUND = 40  # characters that are looked through

Endings = tuple[str, str]


def splits(word: str) -> Iterator[Endings]:
    """Stem and ending of a word, in all ways.

    >>> list(splits("climbed"))
    [('climbed', ''), ('climbe', 'd'), ('climb', 'ed')]
    """
    for size in range(min(LONGEST_ENDING, len(word) - SHORTEST_STEM) + 1):
        if len(word) - size >= LEAST_STEM * len(word):
            yield word[: len(word) - size], word[len(word) - size :]


def is_plain(word: str) -> bool:
    """Whether a word is made of letters, in lower case or with a capital: no number, acronym or identifier."""
    if not word.isalpha():
        return False
    if word.isascii():  # most words are, and a look at each letter takes ten times as long
        return word.islower() or (word[0].isupper() and word[1:].islower())
    return shape(word) in (LOWER, CAPITAL, UNCASED)


class WordForms:
    """Stems and endings of a vocabulary, looked at on demand; those of a base once."""

    def __init__(self, vocabulary: Vocabulary, phrases: PhraseModel, base: WordForms | None = None) -> None:
        self._vocabulary, self._phrases, self._base = vocabulary, phrases, base
        self._known = vocabulary.first  # ids below it have been looked at
        self._stems: dict[str, tuple[str, ...]] = {}  # endings of each stem
        self._both: dict[Endings, list[str]] = {}  # stems that occur with two endings, which are in order
        self._usual: dict[str, list[str]] | None = None  # of a base: endings that alternate with an ending
        self._lock = Lock()

    def related(self, word: str) -> list[str]:
        """Known forms of a word, those that share most of it first; itself with its first letter in the other case.

        If there is none, forms of the word in that other case.
        """
        other = _turned(word)
        if not is_plain(word):
            return []
        same = [other] if other != word and self.count(other) else []
        found = same + self._inflections(word)
        if not found and other != word:
            found = self._inflections(other)
        return found[:MAX_RELATED]

    def parts(self, word: str) -> tuple[str, ...]:
        """Known words that a word is composed of, none if it is not."""
        if len(word) > LONGEST_COMPOUND:
            return ()
        if "-" in word.strip("-"):
            found = [self._as_known(part) if is_plain(part) else "" for part in word.split("-")]
            return tuple(found) if all(found) else ()
        return max(self._divisions(word, MAX_PARTS), key=self._merit, default=()) if is_plain(word) else ()

    def count(self, word: str) -> int:
        """How often a word was extracted as a phrase of its own, base and layer summed."""
        known = self._vocabulary.id(word)
        return 0 if known == UNKNOWN else int(self._phrases.sources.get([known], "total")[0])

    # ── Inflections ──────────────────────────────────────────────────────────────────────────────────────────────────

    def _inflections(self, word: str) -> list[str]:
        self._catch_up()
        usual = self._base._alternating() if self._base else {}
        found: dict[str, Endings] = {}  # by the longest stem, which comes first
        for stem, ending in splits(word):
            for other in (*self._stems.get(stem, ()), *usual.get(ending, ())):
                form = stem + other
                if form != word and len(stem) >= LEAST_STEM * len(form):
                    found.setdefault(form, (ending, other))
        ranked = sorted(found, key=lambda form: (len(found[form][0]), form))
        good = (form for form in ranked if self.count(form) and self._alternate(*found[form], usual))
        return list(islice(good, MAX_RELATED))

    def _alternate(self, one: str, other: str, usual: dict[str, list[str]]) -> bool:
        """Whether enough stems are known with both endings."""
        if other in usual.get(one, ()):
            return True
        stems = self._both.get((min(one, other), max(one, other)), ())
        alive = (stem for stem in stems if self.count(stem + one) and self.count(stem + other))
        return len(list(islice(alive, ALTERNATE))) == ALTERNATE

    def _alternating(self) -> dict[str, list[str]]:
        """Of a base, which never changes: the endings that alternate with each ending, most stems first."""
        with self._lock:
            usual = self._usual
            if usual is None:
                usual = self._usual = _alternations(self._words())
        return usual

    def _catch_up(self) -> None:
        """Look at the words that were added since the last time."""
        if self._known >= len(self._vocabulary):
            return
        with self._lock:
            last = min(len(self._vocabulary), self._vocabulary.first + MAX_WORDS)
            stems, alone = self._stems, dict[str, tuple[str]]()  # most stems have one ending: those are shared
            for word in filter(is_plain, map(self._vocabulary.word, range(self._known, last))):
                for stem, ending in splits(word):
                    endings = stems.get(stem, ())
                    for other in endings:
                        self._both.setdefault((min(ending, other), max(ending, other)), []).append(stem)
                    stems[stem] = (*endings, ending) if endings else alone.setdefault(ending, (ending,))
            self._known = len(self._vocabulary)

    def _words(self) -> list[str]:
        """The first words that have translations."""
        ids = np.arange(self._vocabulary.first, min(len(self._vocabulary), self._vocabulary.first + MAX_WORDS))
        alive = ids[self._phrases.sources.get(ids, "total") > 0]
        return [word for word in self._vocabulary.words(alive) if is_plain(word)]

    # ── Compounds ────────────────────────────────────────────────────────────────────────────────────────────────────

    def _divisions(self, word: str, most: int) -> Iterator[tuple[str, ...]]:
        """All ways to cut a word into two or more known parts."""
        for end in range(SHORTEST_PART, len(word) - SHORTEST_PART + 1) if most > 1 else ():
            first = self._as_known(word[:end])
            for link in LINKS if first else ():
                rest = word[end + len(link) :]
                if word.startswith(link, end) and len(rest) >= SHORTEST_PART:
                    last = self._as_known(rest)
                    if last:
                        yield first, last
                    yield from ((first, *parts) for parts in self._divisions(rest, most - 1))

    def _as_known(self, part: str) -> str:
        """A part in the case in which it is known, or nothing."""
        return next((form for form in (part, _turned(part)) if self.count(form)), "")

    def _merit(self, parts: Sequence[str]) -> tuple[float, Sequence[str]]:
        """The geometric mean of the parts' counts, as a logarithm; equals are told apart by their spelling."""
        return sum(log(self.count(part)) for part in parts) / len(parts), parts


def _alternations(words: Sequence[str]) -> dict[str, list[str]]:
    """The endings that alternate with each ending in a vocabulary, at most MAX_ENDINGS, most stems first."""
    stems: dict[str, list[str]] = {}
    for word in words:
        for stem, ending in splits(word):
            stems.setdefault(stem, []).append(ending)
    counts = Counter(pair for endings in stems.values() for pair in combinations(sorted(endings), 2))
    usual: dict[str, list[str]] = {}
    for (one, other), count in sorted(counts.items(), key=lambda item: (-item[1], item[0])):
        if count >= ALTERNATE:
            usual.setdefault(one, []).append(other)
            usual.setdefault(other, []).append(one)
    return {ending: others[:MAX_ENDINGS] for ending, others in usual.items()}


def _turned(word: str) -> str:
    """The word with its first letter in the other case, if it has one and nothing else changes."""
    turned = word[:1].swapcase() + word[1:]
    return turned if len(turned) == len(word) else word
