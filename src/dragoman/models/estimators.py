"""Estimating an alignment model from a corpus: an online epoch, then batch EM ([O] §3.5.4), over word ids.

>>> model = AlignmentModel()
>>> texts = [("la casa", "the house"), ("la mesa", "the table"), ("una mesa", "a table")]
>>> pairs = [(model.source.ids(f.split(), add=True), model.target.ids(e.split(), add=True)) for f, e in texts]
>>> log_likelihoods = train(model, pairs)
>>> model.viterbi(["una", "casa"], ["a", "house"])
[1, 2]
"""

from __future__ import annotations

import math
import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from queue import SimpleQueue

import numpy as np
from numpy.typing import NDArray

from dragoman.errors import BadInputError
from dragoman.kernels import exercise
from dragoman.models import estimators_kernels as kernels
from dragoman.models.alignment import AlignmentModel, check_pair
from dragoman.models.alignment_kernels import JUMP_UNIFORM, LEXICAL_UNIFORM, POSITION_BITS
from dragoman.models.estimators_kernels import CorpusArrays, Pairs
from dragoman.tables import Ids
from dragoman.tables.table_kernels import WORD_BITS
from dragoman.text.vocabulary import NULL, SPECIAL

BATCH_EM = ("ibm1",) * 5 + ("hmm",) * 5  # the baseline: epochs of IBM model 1, then of the HMM
PLAN = ("online", "hmm", "hmm")  # aligns better, and in less time: docs/understand/alignment.md
MOST_THREADS = 8  # by default: each holds expected counts of its own, 8 bytes a word pair
CELLS = 1 << 22  # source positions × target positions of the sentences that make one task, at most
TASKS = 16  # at least this many, if there are enough sentences
ONLINE = 100_000  # the first sentence pairs, which an online epoch uses: it cannot be parallelised

Progress = Callable[[int, int], None]  # sentences done, sentences of all epochs


def train(
    model: AlignmentModel,
    pairs: Iterable[tuple[Ids, Ids]],
    plan: Sequence[str] = PLAN,
    *,
    smooth: bool = True,
    threads: int | None = None,
    progress: Progress | None = None,
) -> list[float]:
    """Train an empty model on a corpus for several epochs, as planned; it gets the expected counts of the last one.

    Returns the log-likelihood of the corpus in each epoch, under the model at its start (in an online epoch: under the
    model that each sample met). Between batch EM epochs of the same kind it never falls without smoothing
    (`smooth=False`; online epochs always smooth), up to the quantisation of counts; smoothing after maximising may cost
    a little of the gain. An online epoch uses only the first `ONLINE` pairs. The result is the same, bit for bit, for
    any number of threads.
    """
    if model.base or any(len(table) for table in model.tables.values()):
        raise BadInputError(
            "only an empty model can be trained", remedy="train a new model, then merge it or use it as a base"
        )
    if not {*plan} <= {"ibm1", "hmm", "online"} or "online" in plan[1:]:
        raise BadInputError(
            f"unknown training plan: {', '.join(plan)}", remedy="use ibm1, hmm and, as the first epoch only, online"
        )
    corpus = _Corpus(pairs, LEXICAL_UNIFORM if smooth else 0.0, JUMP_UNIFORM if smooth else 0.0, model.nearness)
    threads = threads or min(os.cpu_count() or 1, MOST_THREADS)
    log_likelihoods = []
    for number, kind in enumerate(plan):
        parts = []
        for done, log_likelihood in corpus.online() if kind == "online" else corpus.batch(kind, threads):
            parts.append(log_likelihood)
            if progress is not None:
                progress(number * corpus.size + done, len(plan) * corpus.size)
        log_likelihoods.append(math.fsum(parts))
    corpus.give(model)
    return log_likelihoods


class _Corpus:
    """A corpus, its words numbered densely, and the expected counts of the last epoch over it."""

    def __init__(
        self, pairs: Iterable[tuple[Ids, Ids]], lexical_uniform: float, jump_uniform: float, nearness: float
    ) -> None:
        self.lexical_uniform, self.jump_uniform, self.nearness = lexical_uniform, jump_uniform, nearness
        source, source_ends, target, target_ends = _joined(pairs)
        self.size = source_ends.size - 1
        self.source_ids, source = np.unique(source, return_inverse=True)
        target_ids, target = np.unique(target, return_inverse=True)
        self.target_ids = np.concatenate([[NULL], target_ids])
        self.corpus = CorpusArrays(source.astype(np.int32), source_ends, (target + 1).astype(np.int32), target_ends)
        self.pairs = Pairs(*kernels.number_pairs(self.corpus, self.target_ids.size, self.source_ids.size))
        self.tasks = divide(self.corpus, self.size)
        self.lengths = np.unique(np.diff(target_ends))
        ends = np.cumsum((self.lengths + 1) ** 2)
        self.blocks = np.full(self.lengths[-1] + 1, -1)  # [longest + 1] where the jumps of each length begin, or -1
        self.blocks[self.lengths] = ends - (self.lengths + 1) ** 2
        self.links = np.zeros(self.pairs.sources.size, np.int64)  # [word pairs] c(e, f)
        self.jumps = np.zeros(ends[-1], np.int64)  # [all blocks] c(I, i′, i)

    def online(self) -> Iterator[tuple[int, float]]:
        """Add the counts of each sample, expected under those before it; yields (sentences done, log-likelihood)."""
        occurred, totals = np.zeros(self.source_ids.size, np.bool_), np.zeros(self.target_ids.size, np.int64)
        for first, last, size in divide(self.corpus, min(self.size, ONLINE)):
            cells = self._cells(first, last, size)
            counts = (self.nearness, occurred, totals, self.links, self.jumps)
            yield last, float(kernels.online_step(self.corpus, cells, first, last, self.blocks, *counts))

    def batch(self, kind: str, threads: int) -> Iterator[tuple[int, float]]:
        """Replace the counts by those expected under the model they define; yields (sentences done, log-likelihood)."""
        lexicon, jumps = np.empty(self.links.size), np.empty(self.jumps.size)
        kernels.estimate_lexicon(self.pairs, self.links, self.lexical_uniform, lexicon)
        kernels.estimate_jumps(self.blocks, self.jumps, self.jump_uniform, self.nearness, jumps)
        self.links[:], self.jumps[:] = 0, 0
        counts = [(self.links, self.jumps)]
        counts += [(np.zeros_like(self.links), np.zeros_like(self.jumps)) for _ in range(threads - 1)]
        idle: SimpleQueue[tuple[Ids, Ids]] = SimpleQueue()
        for own in counts:
            idle.put(own)

        def expect(task: tuple[int, int, int]) -> float:
            first, last, size = task
            cells = self._cells(first, last, size)
            own = idle.get()
            if kind == "hmm":
                part = kernels.hmm_step(self.corpus, cells, first, last, lexicon, jumps, self.blocks, *own)
            else:
                part = kernels.ibm1_step(self.corpus, cells, first, last, lexicon, own[0])
            idle.put(own)
            return float(part)

        with ThreadPoolExecutor(threads) as pool:
            for (_, last, _), part in zip(self.tasks, pool.map(expect, self.tasks), strict=True):
                yield last, part
        for links, steps in counts[1:]:
            self.links += links
            self.jumps += steps

    def _cells(self, first: int, last: int, size: int) -> NDArray[np.int32]:
        """Numbers of the word pairs in these sentences; recomputed each epoch, since all would take too much memory."""
        cells = np.empty(size, np.int32)
        kernels.fill_cells(self.corpus, self.pairs, first, last, cells)
        return cells

    def give(self, model: AlignmentModel) -> None:
        """Put the counts into the tables of an empty model."""
        tables, rows = model.tables, self.pairs.rows
        counted = np.flatnonzero(self.links)
        targets = self.target_ids[np.searchsorted(rows, counted, side="right") - 1]
        keys = targets << WORD_BITS | self.source_ids[self.pairs.sources[counted]]
        tables["links"].add(keys, amount=self.links[counted])
        tables["targets"].add(self.target_ids, amount=np.add.reduceat(self.links, rows[:-1]))
        for I in self.lengths.tolist():
            block = self.jumps[self.blocks[I] :][: (I + 1) ** 2].reshape(I + 1, I + 1)
            previous, i = np.nonzero(block)
            origins = I << POSITION_BITS | np.arange(I + 1)
            tables["jumps"].add(origins[previous] << POSITION_BITS | i, amount=block[previous, i])
            tables["origins"].add(origins, amount=block.sum(axis=1))
        tables["sources"].add(self.source_ids, amount=np.bincount(self.corpus.source))
        model.size[0] = self.source_ids.size


def divide(corpus: CorpusArrays, sentences: int) -> list[tuple[int, int, int]]:
    """Divide the first sentences into runs of similar numbers of cells: first, one past the last, cells of each."""
    ends = np.cumsum((np.diff(corpus.source_ends) * np.diff(corpus.target_ends))[:sentences])
    number = ends // max(1, min(CELLS, ends[-1] // TASKS))
    bounds = np.concatenate([[0], np.flatnonzero(np.diff(number)) + 1, [sentences]])
    sizes = np.diff(ends[bounds[1:] - 1], prepend=0)
    return list(zip(bounds[:-1].tolist(), bounds[1:].tolist(), sizes.tolist(), strict=True))


def _joined(pairs: Iterable[tuple[Ids, Ids]]) -> tuple[Ids, Ids, Ids, Ids]:
    """The words of all source sentences, where each ends (after a 0), and the same for the target sentences."""
    pairs = list(pairs)
    if not pairs:
        raise BadInputError("no sentence pairs to train on")
    for number, (source, target) in enumerate(pairs, start=1):
        check_pair(source, target, where=f"pair {number}")
    sides = []
    for sentences in zip(*pairs, strict=True):
        sides += [np.concatenate(sentences), np.cumsum([0, *map(len, sentences)])]
    return sides[0], sides[1], sides[2], sides[3]


@exercise
def _exercise() -> None:
    ids = np.array([len(SPECIAL)])
    for plan in (("online",), ("ibm1", "hmm")):
        train(AlignmentModel(), [(ids, ids)], plan, threads=1)
