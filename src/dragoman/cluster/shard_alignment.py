"""Alignment models trained in shards: one online epoch over the first pairs, then E-steps of all shards, summed.

Expected counts are integers, so their sums do not depend on the shards. E-steps number words densely: a source word is
its id minus the special ones, and so is a target word, except that the null word is 0.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import numpy as np

from dragoman.arrays import ArrayTree
from dragoman.cluster import shard_alignment_kernels as kernels
from dragoman.cluster.disk import ScratchDirectory
from dragoman.cluster.sorted_runs import LOW, SortedRun, merge
from dragoman.cluster.sorted_tables import chunks, index_of, table_arrays
from dragoman.kernels import exercise
from dragoman.models import estimators, estimators_kernels
from dragoman.models.alignment import AlignmentModel
from dragoman.models.alignment_kernels import JUMP_UNIFORM, LEXICAL_UNIFORM, POSITION_BITS
from dragoman.models.estimators_kernels import CorpusArrays, Pairs
from dragoman.models.modelset import NEARNESS
from dragoman.tables import Ids
from dragoman.tables.table_kernels import WORD_BITS
from dragoman.text.vocabulary import NULL, SPECIAL

FIRST = len(SPECIAL)  # id of the first word


class Expected:
    """Expected counts of one direction, p(source | target); those of links are in files, sorted by key."""

    def __init__(self, lengths: Ids, sizes: tuple[int, int], scratch: ScratchDirectory) -> None:
        self.lengths = lengths  # of target sentences, each once
        self.sizes = sizes  # source words, target words; the null word is one
        self.scratch = scratch
        ends = np.cumsum((lengths + 1) ** 2)
        self.blocks = np.full(lengths[-1] + 1, -1)  # [longest + 1] where the jumps of each length begin, or -1
        self.blocks[lengths] = ends - (lengths + 1) ** 2
        self.jumps = np.zeros(ends[-1], np.int64)  # [all blocks] c(I, i′, i)
        self.keys, self.amounts = np.zeros(0, np.int64), np.zeros(0, np.int64)  # c(e, f) > 0

    def gather(self, results: Iterable[Mapping[str, Any]]) -> None:
        """Replace the counts by the sum of the tasks' counts."""
        self.jumps = np.zeros_like(self.jumps)
        runs = []
        for found in results:
            kept = self.scratch.keep_all(found)
            runs.append(SortedRun(kept["keys"], {"amount": kept["amounts"]}))
            self.jumps += found["jumps"]
        keys, amounts = self.scratch.growing(np.int64), self.scratch.growing(np.int64)
        for piece in merge(runs):
            keys.add(piece.keys)
            amounts.add(piece.columns["amount"])
        self.keys, self.amounts = keys.mapped(), amounts.mapped()

    def gathered(self) -> ArrayTree:
        """The counts, as `take` takes them."""
        return ArrayTree(keys=self.keys, amounts=self.amounts, jumps=self.jumps)

    def take(self, counts: Mapping[str, Any]) -> None:
        """Replace the counts by those that were `gathered`."""
        self.keys, self.amounts, self.jumps = counts["keys"], counts["amounts"], counts["jumps"]

    def shared(self) -> dict[str, Any]:
        """What E-steps share: counts of links, grouped by target word, and probabilities of jumps."""
        jumps = np.empty(self.jumps.size)
        estimators_kernels.estimate_jumps(self.blocks, self.jumps, JUMP_UNIFORM, NEARNESS, jumps)
        rows = np.searchsorted(self.keys, (np.arange(self.sizes[1] + 1) + NULL) << WORD_BITS)
        sources = self.scratch.new(self.keys.size, np.int32)
        for part in chunks(self.keys.size):
            sources[part] = (self.keys[part] & LOW) - FIRST
        counts = {"rows": rows, "sources": sources, "amounts": self.amounts, "totals": self._totals()}
        return counts | {"jumps": jumps, "blocks": self.blocks, "sizes": np.array(self.sizes)}

    def _totals(self) -> Ids:
        """[target words] Σ_f c(e, f)."""
        totals = np.zeros(self.sizes[1], np.int64)
        for part in chunks(self.keys.size):
            np.add.at(totals, (self.keys[part] >> WORD_BITS) - NULL, self.amounts[part])
        return totals

    def arrays(self, occurrences: Ids) -> ArrayTree:
        """`AlignmentModel.arrays()` of these counts; occurrences [source ids] is how often each word was seen."""
        totals = self._totals()
        jump_keys, jumps, origin_keys, origins = [], [], [], []
        for I in self.lengths.tolist():
            block = self.jumps[self.blocks[I] :][: (I + 1) ** 2].reshape(I + 1, I + 1)
            previous, i = np.nonzero(block)
            begins = I << POSITION_BITS | np.arange(I + 1)
            jump_keys.append(begins[previous] << POSITION_BITS | i)
            jumps.append(block[previous, i])
            origin_keys.append(begins)
            origins.append(block.sum(axis=1))
        tables = {
            "links": (self.keys, self.amounts),
            "targets": _counted(np.arange(totals.size) + NULL, totals),
            "jumps": (np.concatenate(jump_keys), np.concatenate(jumps)),
            "origins": _counted(np.concatenate(origin_keys), np.concatenate(origins)),
            "sources": _counted(np.arange(occurrences.size), occurrences),
        }
        tree = ArrayTree(size=np.array([self.sizes[0]]), lost=np.zeros(2, np.int64))
        for name, (keys, amounts) in tables.items():
            tree.put(name, table_arrays(index_of(keys, self.scratch), {"amount": amounts}))
        return tree


def _counted(keys: Ids, amounts: Ids) -> tuple[Ids, Ids]:
    """Those whose amount is not zero."""
    return keys[amounts != 0], amounts[amounts != 0]


def online(_: Mapping[str, Any], part: Mapping[str, Any]) -> ArrayTree:
    """Task: the counts of an online epoch over sentence pairs, those of jumps laid out by `blocks`."""
    model = AlignmentModel()
    model.nearness = NEARNESS
    sides = [np.split(part[name].astype(np.int64), part[f"{name}_ends"][1:-1]) for name in part["sides"]]
    estimators.train(model, zip(*sides, strict=True), ("online",), threads=1)
    found, blocks = model.contents(), part["blocks"]
    I, previous, i = (
        found["jumps.key"] >> shift & ((1 << POSITION_BITS) - 1) for shift in (2 * POSITION_BITS, POSITION_BITS, 0)
    )
    jumps = np.zeros(part["jumps"].size, np.int64)
    jumps[blocks[I] + previous * (I + 1) + i] = found["jumps.amount"]
    return ArrayTree(keys=found["links.key"], amounts=found["links.amount"], jumps=jumps)


def expect(shared: Mapping[str, Any], part: Mapping[str, Any]) -> ArrayTree:
    """Task: the expected counts of a shard's sentence pairs, under the HMM defined by the counts so far."""
    f, e = part["sides"]
    corpus = CorpusArrays(part[f] - np.int32(FIRST), part[f"{f}_ends"], part[e] - np.int32(NULL), part[f"{e}_ends"])
    source_words, target_words = shared["sizes"].tolist()
    pairs = Pairs(*estimators_kernels.number_pairs(corpus, target_words, source_words))
    lexicon = np.empty(pairs.sources.size)
    counted = (shared["rows"], shared["sources"], shared["amounts"], shared["totals"])
    kernels.fill_lexicon(pairs, *counted, LEXICAL_UNIFORM, lexicon)
    links, jumps = np.zeros(lexicon.size, np.int64), np.zeros(shared["jumps"].size, np.int64)
    for first, last, size in estimators.divide(corpus, corpus.source_ends.size - 1):
        cells = np.empty(size, np.int32)
        estimators_kernels.fill_cells(corpus, pairs, first, last, cells)
        model = lexicon, shared["jumps"], shared["blocks"]
        estimators_kernels.hmm_step(corpus, cells, first, last, *model, links, jumps)
    above = np.flatnonzero(links)
    targets = np.repeat(np.arange(target_words), np.diff(pairs.rows))[above] + NULL
    keys = targets << WORD_BITS | pairs.sources[above].astype(np.int64) + FIRST
    order = np.argsort(keys)
    return ArrayTree(keys=keys[order], amounts=links[above][order], jumps=jumps)


@exercise
def _exercise() -> None:
    words, ends, one = np.full(1, FIRST, np.int32), np.arange(2), np.ones(1, np.int64)
    expected = Expected(one, (1, 2), ScratchDirectory(Path()))
    shared = {
        "rows": np.zeros(3, np.int64),
        "sources": np.zeros(0, np.int32),
        "amounts": one[:0],
        "totals": np.zeros(2, np.int64),
    }
    shared |= {"jumps": np.ones(expected.jumps.size), "blocks": expected.blocks, "sizes": np.array([1, 2])}
    part = {"sides": ("source", "target"), "source": words, "target": words, "source_ends": ends, "target_ends": ends}
    expect(shared, part)
