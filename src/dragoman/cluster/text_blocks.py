"""From texts to word ids, block by block: first case and spaces are counted, then words get ids in their usual case.

Each block is read with a vocabulary of its own. Words are numbered in order of their first occurrence, so the words of
all blocks, one block after another, get the same numbers as if the whole text had been read at once; counts are
translated and summed.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, DTypeLike, NDArray

from dragoman.arrays import ArrayTree
from dragoman.cluster.runners import python_task
from dragoman.errors import BadInputError
from dragoman.files import Arrays
from dragoman.models.alignment import can_align
from dragoman.models.knowledge import compact
from dragoman.records import Sentence
from dragoman.tables import Ids, Table
from dragoman.text.language_side import LanguageSide
from dragoman.text.spacing_kernels import CLASSES
from dragoman.text.tokens import MIXED, Mode, shape
from dragoman.text.vocabulary import SPECIAL, Vocabulary

SIDES = ("source", "target")
HABIT_BITS = 3  # of the key of a habit that hold a mark; above them a word, or nothing


def pack(texts: Iterable[str]) -> tuple[NDArray[np.uint8], Ids]:
    """Texts as bytes, and where each ends."""
    coded = [
        text.encode("utf-8", "surrogatepass") for text in texts
    ]  # text that cannot be learned raises an error later
    return np.frombuffer(b"".join(coded), np.uint8), np.cumsum([len(each) for each in coded], dtype=np.int64)


def unpack(text: NDArray[np.uint8], ends: Ids) -> Iterator[str]:
    """The texts again."""
    data, begin = text.tobytes(), 0
    for end in ends.tolist():
        yield data[begin:end].decode("utf-8", "surrogatepass")
        begin = end


def read_block(block: Mapping[str, Any], mode: Mode) -> Iterator[tuple[Sentence, Sentence]]:
    """The pairs of a block whose sides are neither empty nor too long."""
    texts = unpack(block["text"], block["ends"])
    sides = LanguageSide(Vocabulary(), mode), LanguageSide(Vocabulary(), mode)
    for number, pair in enumerate(zip(texts, texts, strict=True), start=block["first"] + 1):
        try:
            one, other = (side.read(text) for side, text in zip(sides, pair, strict=True))
        except BadInputError as error:
            raise BadInputError(error.what, where=f"pair {number}", remedy=error.remedy) from None
        if can_align(one, other):
            yield one, other


class DeferredTable(Table):
    """A table that collects what is added until its contents are needed, which is faster than adding bit by bit."""

    def __init__(self, columns: Mapping[str, DTypeLike]) -> None:
        super().__init__(columns)
        self._waiting: list[tuple[Ids, Arrays]] = []

    def add(self, keys: ArrayLike, **amounts: ArrayLike) -> None:
        """Remember to add."""
        own = np.asarray(keys, np.int64)
        each = {
            name: np.full(own.size, value) if np.ndim(value) == 0 else np.asarray(value)
            for name, value in amounts.items()
        }
        self._waiting.append((own, each))

    def contents(self) -> Arrays:
        """Keys and columns, sorted by key."""
        if self._waiting:
            keys = np.concatenate([keys for keys, _ in self._waiting])
            names = self._waiting[0][1]
            super().add(keys, **{name: np.concatenate([each[name] for _, each in self._waiting]) for name in names})
            self._waiting.clear()
        return super().contents()


@python_task
def count_writing(shared: Mapping[str, Any], block: Mapping[str, Any]) -> ArrayTree:
    """Task: the counts of case and spaces on both sides of a block, and the words they refer to, in order."""
    sides = {name: LanguageSide(Vocabulary(), shared["mode"]) for name in SIDES}
    for side in sides.values():
        side.casing.forms, side.casing.habits = (
            DeferredTable(side.casing.forms.dtypes),
            DeferredTable(side.casing.habits.dtypes),
        )
        side.casing.mixed, side.spacing.table = (
            DeferredTable(side.casing.mixed.dtypes),
            DeferredTable(side.spacing.table.dtypes),
        )
    for pair in read_block(block, shared["mode"]):
        for side, sentence in zip(sides.values(), pair, strict=True):
            side.add(sentence)
    found = ArrayTree()
    for name, side in sides.items():
        vocabulary = side.casing.vocabulary.arrays()
        found.put(name, {"words": vocabulary["bytes"], "word_ends": vocabulary["ends"]})
        for kind, table in _counted(side).items():
            found.put(f"{name}.{kind}", table.contents())
    return found


def _counted(side: LanguageSide) -> dict[str, Table]:
    """The tables that are counted block by block; those of mixed case follow from the forms."""
    return {"forms": side.casing.forms, "habits": side.casing.habits, "spacing": side.spacing.table}


class Writing:
    """How one language is written: the sum of the blocks' counts, with words in order of first occurrence."""

    def __init__(self, mode: Mode) -> None:
        self.mode = mode
        self.side = LanguageSide(Vocabulary(), mode)

    def add(self, found: ArrayTree) -> None:
        """Add what `count_writing` found in the next block."""
        here = _ids(self.side.casing.vocabulary, unpack(found["words"], found["word_ends"]))
        self._sum(here, {part: found.under(part) for part in _counted(self.side)})

    def _sum(self, here: Ids, counts: Mapping[str, Mapping[str, Any]]) -> None:
        """Add counts, given the ids here of the words."""
        for part, table in _counted(self.side).items():
            columns = dict(counts[part])
            table.add(_TRANSLATED[part](columns.pop("key"), here), **columns)

    def finished(self) -> LanguageSide:
        """The language, including the table that follows from the counts of forms."""
        casing = self.side.casing
        forms = casing.forms.contents()
        words = casing.vocabulary.words(forms["key"])
        mixed = np.array([n for n, word in enumerate(words) if shape(word) == MIXED], np.int64)
        seen, ids = (forms["inside"] + forms["start"])[mixed], forms["key"][mixed]
        lower_ids = casing.vocabulary.ids((words[n].lower() for n in mixed), add=True)
        casing.mixed.add(lower_ids, count=seen, sum=ids * seen)
        return self.side

    def over(self, vocabulary: Vocabulary) -> LanguageSide:
        """The same with the ids of a vocabulary, which gets the words it lacks; in canonical order."""
        mine = self.side.casing.vocabulary
        other = Writing(self.mode)
        other.side = LanguageSide(vocabulary, self.mode)
        here = _ids(vocabulary, mine.words(range(len(SPECIAL), len(mine))))
        other._sum(here, {part: table.contents() for part, table in _counted(self.side).items()})
        side = other.finished()
        compact(side)
        return side


def _ids(vocabulary: Vocabulary, words: Iterable[str]) -> Ids:
    """[words there] the id here of each id there, special ones first."""
    return np.concatenate([np.arange(len(SPECIAL)), vocabulary.ids(words, add=True)])


def _words(keys: Ids, here: Ids) -> Ids:
    return here[keys]


def _habits(keys: Ids, here: Ids) -> Ids:
    renamed: Ids = here[keys >> HABIT_BITS] << HABIT_BITS | keys & ((1 << HABIT_BITS) - 1)
    return renamed


def _gaps(keys: Ids, here: Ids) -> Ids:
    """Keys of spaces: left token (30 bits), right token (29), kind (3), see spacing_kernels."""

    def token(part: Ids, bits: int) -> Ids:
        word = (part >> bits) - CLASSES
        named = np.where(word >= 0, here[np.maximum(word, 0)], word) + CLASSES
        changed: Ids = named << bits | part & ((1 << bits) - 1)
        return changed

    renamed: Ids = token(keys >> 32, 3) << 32 | token(keys >> 3 & ((1 << 29) - 1), 2) << 3 | keys & 7
    return renamed


_TRANSLATED = {"forms": _words, "habits": _habits, "spacing": _gaps}


@python_task
def number_words(shared: Mapping[str, Any], block: Mapping[str, Any]) -> ArrayTree:
    """Task: the words of a block as the models see them, numbered from 0 in order of first occurrence, and their text.

    `shared` has the languages as `LanguageSide.arrays()` and their vocabularies.
    """
    mode = shared["mode"]
    sides = [_side(shared, name, mode) for name in SIDES]
    known: tuple[dict[str, int], dict[str, int]] = ({}, {})
    numbers: tuple[list[int], list[int]] = ([], [])
    lengths: tuple[list[int], list[int]] = ([], [])
    for pair in read_block(block, mode):
        for n, (side, sentence) in enumerate(zip(sides, pair, strict=True)):
            words = side.model_words(sentence)
            numbers[n].extend(known[n].setdefault(word, len(known[n])) for word in words)
            lengths[n].append(len(words))
    found = ArrayTree()
    for n, name in enumerate(SIDES):
        text, ends = pack(known[n])
        found.put(name, {"words": text, "word_ends": ends})
        found.put(name, {"numbers": np.array(numbers[n], np.int32), "lengths": np.array(lengths[n], np.int64)})
    return found


def share_sides(sides: Sequence[LanguageSide]) -> ArrayTree:
    """Both languages, in the form that `number_words` takes."""
    shared = ArrayTree()
    for name, side in zip(SIDES, sides, strict=True):
        shared.put(f"{name}.side", side.arrays())
        shared.put(f"{name}.vocabulary", side.casing.vocabulary.arrays())
    return shared


def _side(shared: Mapping[str, Any], name: str, mode: Mode) -> LanguageSide:
    if mode == "words":
        return LanguageSide(Vocabulary(), mode)
    own = ArrayTree(shared).under(name)
    return LanguageSide.from_arrays(own.under("side"), Vocabulary.from_arrays(own.under("vocabulary")), mode)
