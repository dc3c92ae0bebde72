"""The phrase model: how often each source phrase was seen translated by each target phrase ([O] §3.5.3, Eq. 15).

One table of joint counts serves both directions, with the normalisers Σ_f c(f, e) and Σ_e c(f, e) beside it, and counts
of the orientation of each pair towards its neighbours. A sentence pair is added and removed by its links alone: the
phrase pairs they allow are extracted again. Words are given by their ids.

>>> model = PhraseModel()
>>> model.add([4, 5], [7, 8], [[0, 1], [1, 0]])
>>> model.add([4, 6], [9, 7], [[0, 1], [1, 0]])
>>> [(option.target, option.count, option.source_total) for option in model.options([4])]
[((7,), 1, 2), ((8,), 1, 2)]
>>> model.probabilities([4], [7])  # p(f|e), p(e|f)
(0.5, 0.5)
>>> model.remove([4, 5], [7, 8], [[0, 1], [1, 0]])
>>> model.probabilities([4], [7])
(1.0, 1.0)
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import islice

import numpy as np
from numpy.typing import ArrayLike, NDArray

from dragoman.arrays import Restorable
from dragoman.errors import BadInputError
from dragoman.kernels import exercise
from dragoman.models import extraction_kernels, phrases_options_kernels, phrases_upkeep_kernels
from dragoman.models import phrases_kernels as kernels
from dragoman.models.contribution import MAX_PHRASE_WORDS, as_links
from dragoman.models.phrases_kernels import DROPPED, SKIPPED, SORTED, SUM, PairColumns, PhraseArrays
from dragoman.models.phrases_options_kernels import Options
from dragoman.tables import ABSENT, Ids, PathTable, Table, table_kernels
from dragoman.tables.table_kernels import FREE, HIGH, LIVE, WORD_BITS

COUNTS = PairColumns._fields[:5]  # the columns that say what was seen; the others link pairs into lists
SENTENCES = 100  # trained at a time: room is reserved for all phrases they could have
PAIRS = 1 << 16  # merged at a time

Sample = tuple[ArrayLike, ArrayLike, ArrayLike]  # source word ids, target word ids, links


@dataclass(frozen=True)
class Option:
    """One translation of a source phrase, with all counts of the pair."""

    target: tuple[int, ...]
    count: int
    source_total: int
    target_total: int
    previous: tuple[int, ...]  # how often monotone, swap, discontinuous
    next: tuple[int, ...]


class PhraseTable(PathTable):
    """Phrases of one language, each with its total and, on the source side, the head of its list of pairs."""

    def __init__(self, columns: Sequence[str], base: PhraseTable | None) -> None:
        Table.__init__(self, dict.fromkeys(("uses", *columns), np.int32), base)

    def compact(self) -> Ids:
        """Renumber the phrases, shorter ones first, then by their words; returns the new id of each old one."""
        columns, ids = self.columns, self.ids
        renumbered = super().compact()
        for name in columns.keys() - {"uses"}:
            self.columns[name] = np.zeros(ids.size, np.int32)
            self.columns[name][renumbered[ids]] = columns[name][ids]
        return renumbered


class PairTable(Table):
    """Phrase pairs, keyed by their source path and their target path."""

    def __init__(self, base: PairTable | None) -> None:
        super().__init__(dict.fromkeys(PairColumns._fields, np.int32), base)

    def paths(self, ids: Ids) -> tuple[Ids, Ids]:
        """Source and target path of each of the entries."""
        keys = self.index.keys[ids]
        return (keys >> WORD_BITS) - 1, keys & ((1 << WORD_BITS) - 1)

    def rebuild(self, keys: Ids, ids: Ids) -> None:
        """Keep only the entries with these ids, in this order, under these new keys."""
        columns = {name: column[ids] for name, column in self.columns.items()}
        self.index.state[[HIGH, LIVE, FREE]] = 0
        self._resize(ids.size)
        self._replace_slots(ids.size)
        table_kernels.insert_many(self.index, keys, np.empty(ids.size, np.int64))
        self.columns = columns


class PhraseModel(Restorable):
    """Counts of phrase pairs; over a base, the differences from it.

    Reading gives the sum of both or, with a `share`, their interpolated relative frequencies where both have any:
    share · layer + (1 − share) · base.
    """

    parts = ("sources", "targets", "pairs")
    own_arrays = ("orientations", "state")

    share: float | None = None
    base: PhraseModel | None
    sources: PhraseTable
    targets: PhraseTable
    pairs: PairTable

    def __init__(self, base: PhraseModel | None = None, *, longest: int = MAX_PHRASE_WORDS) -> None:
        if base is not None and base.base is not None:
            raise BadInputError("the base of a phrase model cannot have a base of its own")
        self.base = base
        self.sources = PhraseTable(("total", "head"), None if base is None else base.sources)
        self.targets = PhraseTable(("total",), None if base is None else base.targets)
        self.pairs = PairTable(None if base is None else base.pairs)
        self.orientations = np.zeros((2, 3), np.int64)  # of all pairs, see PhraseArrays
        self.state = np.array([longest, 0, 0, 0, 0], np.int64)

    @property
    def longest(self) -> int:
        """The most words of an extracted phrase, either side."""
        return int(self.state[kernels.LONGEST_PLACE])

    @property
    def view(self) -> PhraseArrays:
        """What kernels read and change. Valid until a table grows, so never kept between calls."""
        below = _nothing() if self.base is None else self.base
        return PhraseArrays(
            self.sources.layered,
            self.targets.layered,
            self.pairs.layered,
            self.sources.columns["uses"],
            self.sources.columns["total"],
            self.sources.columns["head"],
            self.targets.columns["uses"],
            self.targets.columns["total"],
            PairColumns(**self.pairs.columns),
            below.sources.columns["total"],
            below.sources.columns["head"],
            below.targets.columns["total"],
            PairColumns(**below.pairs.columns),
            self.orientations,
            self.state,
            below.state,
            SUM if self.share is None or self.base is None else float(self.share),
        )

    def reserve(self, source_words: int, target_words: int, pairs: int) -> None:
        """Make room for the phrase pairs of sentences with this many words in total."""
        self.sources.reserve(source_words * self.longest)
        self.targets.reserve(target_words * self.longest)
        self.pairs.reserve(pairs)

    def add(self, source: ArrayLike, target: ArrayLike, links: ArrayLike) -> None:
        """Count the phrase pairs of a sentence pair, given its links [n, 2] as (source, target) positions from 0."""
        f, e, spans = self._prepare(source, target, links)
        kernels.add_spans(self.view, f, e, spans)

    def remove(self, source: ArrayLike, target: ArrayLike, links: ArrayLike) -> None:
        """Undo `add`; pairs that have been pruned since are skipped, and counted as skipped."""
        f, e, spans = self._prepare(source, target, links)
        kernels.remove_spans(self.view, f, e, spans)

    def _prepare(self, source: ArrayLike, target: ArrayLike, links: ArrayLike) -> tuple[Ids, Ids, NDArray[np.int32]]:
        """Word ids and phrase pairs of a checked sample, with room made for them."""
        f, e = _as_words(source, "source"), _as_words(target, "target")
        links = as_links(links, f.size, e.size)
        room = np.empty((64, 6), np.int32)
        spans, n = extraction_kernels.extract(links, f.size, e.size, self.longest, room, 0)
        self.reserve(f.size, e.size, n)
        return f, e, spans[:n]

    def train(self, samples: Iterable[Sample]) -> None:
        """`add` many sentence pairs, a chunk at a time; if one raises an error, the chunks before it stay counted."""
        remaining = iter(samples)
        while chunk := list(islice(remaining, SENTENCES)):
            source = [_as_words(sample[0], "source") for sample in chunk]
            target = [_as_words(sample[1], "target") for sample in chunk]
            links = [as_links(s[2], f.size, e.size) for s, f, e in zip(chunk, source, target, strict=True)]
            ends = [np.cumsum([len(part) for part in parts]) for parts in (source, target, links)]
            spans, span_ends = extraction_kernels.extract_many(
                np.concatenate(links), ends[2], ends[0], ends[1], self.longest
            )
            self.reserve(int(ends[0][-1]), int(ends[1][-1]), len(spans))
            f, e = np.concatenate(source), np.concatenate(target)
            kernels.add_many(self.view, f, ends[0], e, ends[1], spans, span_ends)

    def options(self, source: ArrayLike, limit: int = 20) -> list[Option]:
        """The translations of a source phrase that were seen most often, with their counts, base and layer summed."""
        words = _as_words(source, "source")
        if limit < 1:
            raise BadInputError(f"limit must be at least 1, not {limit}")
        found = new_options(words.size, limit)
        end = phrases_options_kernels.options(self.view._replace(share=SUM), words, 0, limit, found)
        return [
            Option(
                tuple(self.targets.path(int(found.target[n]))),
                int(found.counts[n]),
                int(found.source_total[n]),
                int(found.target_total[n]),
                tuple(found.orientations[n, 0].tolist()),
                tuple(found.orientations[n, 1].tolist()),
            )
            for n in range(found.ends[words.size - 1], end)
        ]

    def count(self, source: ArrayLike, target: ArrayLike) -> int:
        """How often a pair was seen, c(f, e), base and layer summed, whatever the share."""
        f, e = _as_words(source, "source"), _as_words(target, "target")
        return int(phrases_options_kernels.pair_totals(self.view._replace(share=SUM), f, e)[0])

    def target_counts(self, words: Ids, begin: Ids, stop: Ids) -> Ids:
        """[n] how often each target phrase words[begin[n]:stop[n]] was seen, base and layer summed."""
        counts = np.empty(begin.size, np.int64)
        phrases_options_kernels.fill_target_counts(self.view, words, begin, stop, counts)
        return counts

    def probabilities(self, source: ArrayLike, target: ArrayLike) -> tuple[float, float]:
        """Relative frequencies p(f|e) and p(e|f) of a pair, 0 where nothing was seen ([O] Eq. 8, 9 with β = 1)."""
        f, e = _as_words(source, "source"), _as_words(target, "target")
        count, of_source, of_target = phrases_options_kernels.pair_totals(self.view, f, e)
        return count / of_target if count else 0.0, count / of_source if count else 0.0

    def contents(self) -> list[tuple[tuple[int, ...], tuple[int, ...], tuple[int, ...]]]:
        """The source, target and COUNTS of each pair in this layer: the same for equal models, however made."""
        ids = self.pairs.ids
        counts = np.stack([self.pairs.columns[name][ids] for name in COUNTS], axis=1).tolist()
        f, e = (paths.tolist() for paths in self.pairs.paths(ids))
        words = zip(map(self.sources.path, f), map(self.targets.path, e), counts, strict=True)
        return sorted((tuple(source), tuple(target), tuple(row)) for source, target, row in words)

    @property
    def phrase_count(self) -> int:
        """Number of phrase pairs that have been seen, base and layer together."""
        if self.base is None or len(self.base.pairs) == 0:
            return len(self.pairs)
        keys = self.pairs.index.keys[self.pairs.ids]
        new = np.count_nonzero(self.base.pairs.find(keys) == ABSENT)
        gone = np.count_nonzero(self.pairs.get(keys, "counts") == 0)
        return self.base.phrase_count + int(new - gone)

    @property
    def nbytes(self) -> int:
        """Bytes held in memory by this model, excluding its base."""
        return self.sources.nbytes + self.targets.nbytes + self.pairs.nbytes

    def statistics(self) -> dict[str, int]:
        """Sizes of this layer, and how many instances pruning has dropped and removals have skipped."""
        return {
            "pairs": len(self.pairs),
            "source phrases": len(self.sources),
            "target phrases": len(self.targets),
            "bytes": self.nbytes,
            "dropped": int(self.state[DROPPED]),
            "skipped": int(self.state[SKIPPED]),
        }

    def prune(self, limit: int) -> int:
        """Drop the least useful pairs of this layer until `limit` are left; returns how many, see the kernel."""
        if limit < 0:
            raise BadInputError(f"the limit on phrase pairs must be at least 0, not {limit}")
        return int(phrases_upkeep_kernels.prune(self.view, limit))

    def merge(self, other: PhraseModel) -> None:
        """Add all counts of another model, which has no base."""
        if other.base is not None:
            raise BadInputError("only a phrase model without a base can be merged")
        here = []
        for mine, theirs in ((self.sources, other.sources), (self.targets, other.targets)):
            mine.reserve(len(theirs))
            here.append(np.empty(int(theirs.index.state[HIGH]), np.int64))
            phrases_upkeep_kernels.graft(mine.layered, mine.uses, theirs.index, here[-1])
        self.pairs.reserve(len(other.pairs))
        for ids in np.array_split(other.pairs.ids, len(other.pairs) // PAIRS + 1):
            f, e = other.pairs.paths(ids)
            amounts = np.stack([other.pairs.columns[name][ids] for name in COUNTS], axis=1).astype(np.int64)
            phrases_upkeep_kernels.add_pairs(self.view, here[0][f], here[1][e], amounts)
        self.state[[DROPPED, SKIPPED]] += other.state[[DROPPED, SKIPPED]]

    def compact(self) -> None:
        """Renumber phrases and pairs in canonical order, lists best first, and free spare room."""
        if self.base is not None:
            raise BadInputError("only a phrase model without a base can be compacted")
        renumbered = self.sources.compact(), self.targets.compact()
        ids = self.pairs.ids
        f, e = (new[old] for new, old in zip(renumbered, self.pairs.paths(ids), strict=True))
        order = np.lexsort((e, -self.pairs.columns["counts"][ids], f))
        f, e, ids = f[order], e[order], ids[order]
        self.pairs.rebuild((f + 1) << WORD_BITS | e, ids)
        self._link(f)
        self.state[kernels.CURSOR], self.state[SORTED] = 0, 1

    def _link(self, f: Ids) -> None:
        """Link the pairs into rings, given the source phrase [pairs] of each, equal ones adjacent."""
        starts = np.flatnonzero(np.diff(f, prepend=-1))
        ends = np.append(starts, f.size)[1:]
        after, before = np.arange(2, f.size + 2), np.arange(f.size)
        after[ends - 1], before[starts] = starts + 1, ends
        self.pairs.columns["after"][:], self.pairs.columns["before"][:] = after, before
        self.sources.columns["head"][:] = 0
        self.sources.columns["head"][f[starts]] = starts + 1

    @classmethod
    def from_arrays(cls, arrays: Mapping[str, np.ndarray], base: PhraseModel | None = None) -> PhraseModel:
        """Restore a model from its `arrays()`, which are used directly, not copied."""
        model = cls(base)
        model.restore(arrays)
        return model


def new_options(longest: int, limit: int) -> Options:
    """Room for `limit` translations of each source phrase of up to `longest` words starting at one word."""
    room = longest * limit
    shapes: dict[str, tuple[int, ...]] = dict.fromkeys(Options._fields, (room,))
    shapes |= {"ends": (longest + 1,), "orientations": (room, 2, 3)}
    return Options(**{name: np.zeros(shape, np.int64) for name, shape in shapes.items()})


def _as_words(words: ArrayLike, side: str) -> Ids:
    array = np.ascontiguousarray(words, np.int64)
    if array.ndim != 1 or array.size == 0:
        raise BadInputError(f"the {side} side has no words")
    if array.min() < 0 or array.max() >= 1 << WORD_BITS:
        raise BadInputError(f"word ids of the {side} side must be from 0 to 2³¹ − 1")
    return array


@cache
def _nothing() -> PhraseModel:
    """The stand-in base of a model without one."""
    return PhraseModel()


@exercise
def _exercise() -> None:
    sample = [4, 5], [7, 8], [[0, 0], [1, 1]]
    base = PhraseModel()
    base.train([sample])
    base.compact()
    model, other = PhraseModel(base), PhraseModel()
    model.add(*sample)
    other.add(*sample)
    model.merge(other)
    model.options([4, 5])
    model.probabilities([4], [7])
    model.remove(*sample)
    model.prune(0)
    paths = other.sources
    paths.reserve(2)
    phrases_upkeep_kernels.enter_many(paths.layered, paths.uses, np.arange(2), np.array([2]), np.empty(1, np.int64))
