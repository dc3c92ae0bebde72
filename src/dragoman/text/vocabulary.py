"""Words ↔ ids. Open: a new word gets the next id and keeps it for ever. Layered: the ids of a base stay the same.

The first ids belong to words that no text contains; a token that happens to be written `<s>` is a word like any other.

>>> vocabulary = Vocabulary()
>>> vocabulary.add("botón"), vocabulary.add("verde"), vocabulary.add("botón")
(4, 5, 4)
>>> vocabulary.id("rojo"), vocabulary.word(5)
(0, 'verde')

Words and ids of one search: those of the target vocabulary, and beyond them words that only this sentence knows.

A source word that is copied, or a word of a given prefix, need not be in the vocabulary. It gets an id above all
others, so that it comes out as it is written and is told apart from other unknown words; to the models it is unknown.

>>> vocabulary = Vocabulary()
>>> _ = vocabulary.add("verde")
>>> spelling = Spelling(vocabulary)
>>> spelling.ids(["verde", "<b>", "</b>", "<b>"]).tolist()
[4, 5, 6, 5]
>>> spelling.words([5, 4, 6])
['<b>', 'verde', '</b>']
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from hashlib import blake2b

import numpy as np
from numpy.typing import NDArray

from dragoman.arrays import ArrayTree, Restorable
from dragoman.tables import ABSENT, Table
from dragoman.tables import table_kernels as kernels

SPECIAL = ("<unk>", "<s>", "</s>", "<null>")
UNKNOWN, START, END, NULL = range(len(SPECIAL))

REMEMBERED = 1 << 16  # words kept as Python strings, so that common ones are not hashed again and again


class Vocabulary(Restorable):
    """The words of one language, each with its id; saved as UTF-8 bytes plus offsets."""

    def __init__(self, base: Vocabulary | None = None) -> None:
        self.base = base
        self.first = len(SPECIAL) if base is None else len(base)  # ids below it are special, or the base's
        self._index = Table({})  # hash of a word -> its place in this layer, 0, 1, 2 …
        self._bytes = np.zeros(256, np.uint8)
        self._ends = np.zeros(16, np.int64)  # [capacity] one past the last byte of each word
        self._ids: dict[str, int] = {}
        self._words: dict[int, str] = {}

    def __len__(self) -> int:
        """One more than the greatest id, including special words and those of the base."""
        return self.first + len(self._index)

    def __contains__(self, word: str) -> bool:
        return self.id(word) != UNKNOWN

    def id(self, word: str) -> int:
        """The id of a word, UNKNOWN if it has none."""
        known = self._ids.get(word)
        if known is None:
            known = self._find(word.encode())[0]
            if known != UNKNOWN:
                self._remember(word, known)
        return known

    def add(self, word: str) -> int:
        """The id of a word, a new one if it has none."""
        known = self.id(word)
        if known == UNKNOWN:
            code = word.encode()
            known = len(self)
            self._append(code)
            self._index.reserve(1)
            kernels.insert(self._index.index, self._find(code)[1])
            self._remember(word, known)
        return known

    def ids(self, words: Iterable[str], *, add: bool = False) -> NDArray[np.int64]:
        """The ids of a sequence of words; new words are added if `add` is set, otherwise they are UNKNOWN."""
        look_up, remembered = self.add if add else self.id, self._ids
        return np.array([remembered.get(word) or look_up(word) for word in words], np.int64)  # none has the id 0

    def word(self, known: int) -> str:
        """The word of an id."""
        remembered = self._words.get(known)  # one lookup: another thread may clear the cache between two
        if remembered is not None:
            return remembered
        if known < self.first:
            return SPECIAL[known] if self.base is None else self.base.word(known)
        if known >= len(self):
            raise IndexError(f"id {known} is beyond the {len(self)} words of the vocabulary")
        word = self._code(known - self.first).decode()
        self._remember(word, known)
        return word

    def words(self, ids: Iterable[int]) -> list[str]:
        """The words of a sequence of ids."""
        return [self.word(int(known)) for known in ids]

    def with_any(self, signs: bytes, first: int) -> NDArray[np.int64]:
        """Ids of this layer's words, from `first` on, that contain any of these bytes, in order."""
        n = len(self._index)
        begin = min(max(first - self.first, 0), n)
        start = int(self._ends[begin - 1]) if begin else 0
        code = self._bytes[start : int(self._ends[n - 1]) if n else 0]
        places = start + np.flatnonzero(np.isin(code, np.frombuffer(signs, np.uint8)))
        found = np.searchsorted(self._ends[:n], places, side="right")  # in order, with repetitions
        return self.first + found[np.diff(found, prepend=-1) > 0]

    def _find(self, code: bytes) -> tuple[int, int]:
        """The id of a word given as UTF-8, or UNKNOWN; and the key it has, or would get, in this index."""
        if self.base is not None:
            known = self.base._find(code)[0]
            if known != UNKNOWN:
                return known, ABSENT
        key = int.from_bytes(blake2b(code, digest_size=8).digest(), "little") >> 2
        while True:
            place = kernels.find(self._index.index, key)
            if place == ABSENT:
                return UNKNOWN, key
            if self._code(place) == code:
                return self.first + place, key
            key += 1  # two words with the same hash: the later one takes the next key

    def _code(self, place: int) -> bytes:
        begin = self._ends[place - 1] if place else 0
        return self._bytes[begin : self._ends[place]].tobytes()

    def _append(self, code: bytes) -> None:
        place = len(self._index)
        begin = int(self._ends[place - 1]) if place else 0
        end = begin + len(code)
        self._bytes = with_room(self._bytes, end)
        self._ends = with_room(self._ends, place + 1)
        self._bytes[begin:end] = np.frombuffer(code, np.uint8)
        self._ends[place] = end

    def _remember(self, word: str, known: int) -> None:
        if len(self._ids) >= REMEMBERED:
            self._ids.clear()
            self._words.clear()
        self._ids[word] = known
        self._words[known] = word

    def arrays(self) -> ArrayTree:
        """Everything needed to restore this vocabulary, except its base."""
        n = len(self._index)
        text = self._bytes[: int(self._ends[n - 1]) if n else 0]
        tree = ArrayTree(bytes=text, ends=self._ends[:n])
        tree.put("index", self._index.arrays())
        return tree

    def restore(self, arrays: Mapping[str, np.ndarray]) -> None:
        """Return to the state with these `arrays()`, which are used directly, not copied; the base stays."""
        self._bytes, self._ends = arrays["bytes"], arrays["ends"]
        self._index.restore(ArrayTree(arrays).under("index"))
        self._ids.clear()
        self._words.clear()

    @classmethod
    def from_arrays(cls, arrays: Mapping[str, np.ndarray], base: Vocabulary | None = None) -> Vocabulary:
        """Restore a vocabulary from its `arrays()`, which are used directly, not copied."""
        vocabulary = cls(base)
        vocabulary.restore(arrays)
        return vocabulary


def with_room(array: np.ndarray, size: int) -> np.ndarray:
    """The array itself, or a larger copy of it with room for `size` elements."""
    if size <= array.size:
        return array
    larger = np.zeros(max(size, array.size * 3 // 2), array.dtype)
    larger[: array.size] = array
    return larger


class Spelling:
    """A vocabulary as it is now, with room for the words of one sentence; the vocabulary itself is not changed."""

    def __init__(self, vocabulary: Vocabulary) -> None:
        self.vocabulary = vocabulary
        self.first = len(vocabulary)  # ids from here on are the sentence's own
        self._ids: dict[str, int] = {}
        self._words: list[str] = []

    def copy(self) -> Spelling:
        """The same words and ids; what either learns from now on, the other does not."""
        copied = Spelling(self.vocabulary)
        copied.first, copied._ids, copied._words = self.first, self._ids.copy(), self._words.copy()
        return copied

    def id(self, word: str) -> int:
        """Id of a word, one of the sentence's own if it is unknown."""
        known = self.vocabulary.id(word)
        if UNKNOWN < known < self.first:  # what was learned since has ids that are taken here
            return known
        if word not in self._ids:
            self._ids[word] = self.first + len(self._words)
            self._words.append(word)
        return self._ids[word]

    def ids(self, words: Iterable[str]) -> NDArray[np.int64]:
        """Ids of a sequence of words."""
        return np.fromiter((self.id(word) for word in words), np.int64)

    def word(self, known: int) -> str:
        """The word of an id."""
        return self._words[known - self.first] if known >= self.first else self.vocabulary.word(known)

    def listed(self, ids: NDArray[np.int64]) -> tuple[tuple[str, ...], NDArray[np.int64]]:
        """(the different words of these ids, in the order of their spelling; the place of each id [n] among them)."""
        different, places = np.unique(ids, return_inverse=True)
        spelled = self.words(different)
        order = sorted(range(len(spelled)), key=spelled.__getitem__)
        rank = np.empty(len(spelled), np.int64)
        rank[order] = np.arange(len(spelled))
        return tuple(spelled[n] for n in order), rank[places]

    def words(self, ids: Iterable[int]) -> list[str]:
        """The words of a sequence of ids."""
        return [self.word(int(known)) for known in ids]
