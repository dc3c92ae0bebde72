"""A corpus on disk, first as text and then as word ids, in memory-mapped files; and its shards."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator
from itertools import islice, pairwise
from typing import Any

import numpy as np

from dragoman.arrays import ArrayTree
from dragoman.cluster.disk import ScratchDirectory
from dragoman.cluster.runners import Runner
from dragoman.cluster.sorted_tables import chunks
from dragoman.cluster.text_blocks import SIDES, Writing, count_writing, number_words, pack, share_sides, unpack
from dragoman.files import Arrays
from dragoman.models.knowledge import no_usable_pairs
from dragoman.progress import Progress
from dragoman.tables import Ids
from dragoman.text.tokens import Mode
from dragoman.text.vocabulary import Vocabulary

BLOCK = 2_000  # pairs of texts per task
SHARD = 10_000  # pairs of sentences per shard, unless a number of shards is given


class Texts:
    """Pairs of texts, copied to disk so that they can be read more than once."""

    def __init__(self, pairs: Iterable[tuple[str, str]], scratch: ScratchDirectory) -> None:
        text, ends = scratch.growing(np.uint8), scratch.growing(np.int64)
        remaining, checksum = iter(pairs), hashlib.sha256()
        while block := list(islice(remaining, BLOCK)):
            coded, coded_ends = pack(side for pair in block for side in pair)
            ends.add(coded_ends + text.size)
            text.add(coded)
            checksum.update(coded.data)
            checksum.update(coded_ends.data)
        self.checksum = checksum.hexdigest()
        self.text, self.ends = text.mapped(), ends.mapped()
        self.size = self.ends.size // 2

    def blocks(self) -> Iterator[dict[str, Any]]:
        """The pairs, some at a time: `text`, `ends` of each source and target in it, number of the `first` pair."""
        for first in range(0, self.size, BLOCK):
            ends = self.ends[2 * first : 2 * (first + BLOCK)]
            start = int(self.ends[2 * first - 1]) if first else 0
            yield {"text": self.text[start : int(ends[-1])], "ends": ends - start, "first": first}


class Corpus:
    """Sentence pairs as ids of two vocabularies, in files."""

    def __init__(self, scratch: ScratchDirectory) -> None:
        self.vocabularies = {name: Vocabulary() for name in SIDES}
        self._words = {name: scratch.growing(np.int32) for name in SIDES}
        self._ends = {name: scratch.growing(np.int64) for name in SIDES}
        self.counts = {name: np.zeros(0, np.int64) for name in SIDES}  # [ids] how often each word occurs
        for file in self._ends.values():
            file.add(np.zeros(1, np.int64))

    def add(self, found: ArrayTree) -> None:
        """Append what `number_words` found in the next block."""
        for name, vocabulary in self.vocabularies.items():
            own = found.under(name)
            ids = vocabulary.ids(unpack(own["words"], own["word_ends"]), add=True)
            begin = self._words[name].size
            words = ids[own["numbers"]]
            self._words[name].add(words)
            self._ends[name].add(begin + np.cumsum(own["lengths"]))
            counts = np.bincount(words, minlength=len(vocabulary))
            counts[: self.counts[name].size] += self.counts[name]
            self.counts[name] = counts

    def finish(self) -> None:
        """Map what was appended; after that, nothing more can be."""
        self.words = {name: file.mapped() for name, file in self._words.items()}  # [tokens] int32
        self.ends = {name: file.mapped() for name, file in self._ends.items()}  # [pairs + 1], the first is 0
        self.size = int(self.ends["source"].size) - 1

    def part(self, first: int, last: int) -> Arrays:
        """Sentence pairs first…last − 1: words of each side and their ends, counted from the first."""
        found: Arrays = {}
        for name in SIDES:
            ends = self.ends[name][first : last + 1]
            found |= {name: self.words[name][ends[0] : ends[-1]], f"{name}_ends": ends - ends[0]}
        return found

    def shards(self, number: int | None) -> list[tuple[int, int]]:
        """The first and one past the last pair of each shard, with similar numbers of source words."""
        number = max(1, min(number or -(-self.size // SHARD), self.size))
        ends = self.ends["source"]
        bounds = np.searchsorted(ends, ends[-1] * np.arange(number + 1) // number)
        return list(pairwise(np.unique(bounds).tolist()))

    def lengths(self, side: str) -> Ids:
        """The distinct sentence lengths of a side, in words."""
        ends = self.ends[side]
        found = [np.unique(np.diff(ends[part.start : part.stop + 1])) for part in chunks(self.size)]
        return np.unique(np.concatenate(found))


def read(
    texts: Texts, mode: Mode, runner: Runner, scratch: ScratchDirectory, progress: Progress
) -> tuple[Corpus, dict[str, Writing]]:
    """Read pairs of texts into a corpus, and learn how each language is written, with vocabularies of its own."""
    writing = {name: Writing(mode) for name in SIDES}
    if mode == "text":
        for done, found in enumerate(runner.run(count_writing, {"mode": mode}, texts.blocks()), start=1):
            for name, each in writing.items():
                each.add(found.under(name))
            progress("reading", min(done * BLOCK, texts.size), texts.size)
    shared = {"mode": mode} | share_sides([each.finished() for each in writing.values()])
    corpus = Corpus(scratch)
    for done, found in enumerate(runner.run(number_words, shared, texts.blocks()), start=1):
        corpus.add(found)
        progress("numbering words", min(done * BLOCK, texts.size), texts.size)
    corpus.finish()
    if not corpus.size:
        raise no_usable_pairs()
    return corpus, writing
