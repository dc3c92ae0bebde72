"""Word alignment by a hidden Markov model, p(source | target), that learns one sentence pair at a time ([O] §3.5.4).

>>> model = AlignmentModel()
>>> for source, target in [("la casa", "the house"), ("la mesa", "the table"), ("una mesa", "a table")] * 3:
...     _ = model.add(source.split(), target.split())
>>> model.viterbi(["la", "mesa"], ["the", "table"])
[1, 2]
>>> model.lexical("mesa", "table") > model.lexical("mesa", "the")
True

A sample's expected counts are integers (units of 2⁻²⁰). `add` returns exactly what was added; passing it to `remove`
leaves the model as if the sample had never been seen, whatever was learned in between.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence, Sized
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from dragoman.arrays import ArrayTree, Restorable
from dragoman.errors import BadInputError, UnlearnableError
from dragoman.kernels import exercise
from dragoman.models import alignment_kernels as kernels
from dragoman.models.alignment_kernels import DROPPED, MAX_SENTENCE_WORDS, SKIPPED, SUM, AlignmentArrays, Counts
from dragoman.models.lattice_kernels import P0
from dragoman.tables import Ids, Table
from dragoman.tables.table_kernels import WORD_BITS
from dragoman.text.vocabulary import NULL, SPECIAL, UNKNOWN, Vocabulary

SLACK = 16  # `prune` stops 1/16 below the limit, so that it does not run again after every sentence
TABLES = ("links", "targets", "jumps", "origins", "sources")

Words = Sequence[str]

# A key packs positions and a sentence length, none above MAX_SENTENCE_WORDS; more bits would run into the next field.
assert MAX_SENTENCE_WORDS < 1 << kernels.POSITION_BITS  # noqa: S101 (two constants that must agree, checked on import)


class AlignmentContribution(NamedTuple):
    """What one sample added to the statistics."""

    links: NDArray[np.int32]  # [n, 3] source position from 0, target position from 1 (0 = null), units of 2⁻²⁰
    jumps: NDArray[np.int32]  # [m, 3] previous target position (0 = start), target position, units of 2⁻²⁰


class AlignmentModel(Restorable):
    """Expected counts of links and jumps, and the probabilities that follow from them.

    With a base, the tables hold the differences from it. Reading gives the sum of both or, with a `share`, their
    interpolated relative frequencies where both have any: share · layer + (1 − share) · base. Jumps from a position
    without counts are equally likely or, with a `nearness` below 1, likelier the nearer they are to the next word:
    then the first sentences are aligned along the diagonal, not to the null word (docs/understand/alignment.md).
    Vocabularies may be shared with other models; methods whose names end in `_ids` take ids and never touch them.
    """

    parts = TABLES
    own_arrays = ("size", "lost")

    p0 = P0  # probability of the null word, at any position
    share: float | None = None
    nearness = 1.0

    def __init__(
        self, source: Vocabulary | None = None, target: Vocabulary | None = None, base: AlignmentModel | None = None
    ) -> None:
        if base is not None and base.base is not None:
            raise BadInputError("an alignment model cannot use a model with a base as its base")
        self.base: AlignmentModel | None = base
        self.source: Vocabulary = source or Vocabulary(base.source if base else None)
        self.target: Vocabulary = target or Vocabulary(base.target if base else None)
        self.tables: dict[str, Table] = {
            name: Table({"amount": np.int64}, base.tables[name] if base else None) for name in TABLES
        }
        self.lost = np.zeros(2, np.int64)  # see AlignmentArrays
        self.size: Ids = base.size.copy() if base else np.zeros(1, np.int64)  # [1] |V_f|, base and layer together

    def add(self, source: Words, target: Words) -> AlignmentContribution:
        """Learn from one sentence pair: s(t) = s(t−1) + s_t ([O] Eq. 24). Returns what was added."""
        check_pair(source, target)
        return self.add_ids(self.source.ids(source, add=True), self.target.ids(target, add=True))

    def remove(self, source: Words, target: Words, contribution: AlignmentContribution) -> None:
        """Undo `add`, given what it returned for this sentence pair."""
        ids = self._ids(source, target)
        if any(UNKNOWN in side for side in ids):
            raise BadInputError("this sentence pair was never learned, so it cannot be forgotten")
        self.apply(*ids, contribution, -1)

    def add_ids(self, source: Ids, target: Ids) -> AlignmentContribution:
        """`add` for word ids."""
        contribution = self.estimate(source, target)
        self.apply(source, target, contribution)
        return contribution

    def estimate(self, source: Ids, target: Ids) -> AlignmentContribution:
        """Expected counts of a sample under the current model, which does not change."""
        check_pair(source, target)
        return AlignmentContribution(*kernels.estimate(self.view, source, target))

    def apply(self, source: Ids, target: Ids, contribution: AlignmentContribution, sign: int = 1) -> None:
        """Add (sign 1) or subtract (sign −1) what `estimate` returned for these ids."""
        links, jumps = contribution
        room = {"links": len(links), "targets": len(target) + 1, "jumps": len(jumps), "origins": len(target) + 1}
        for name, extra in (room | {"sources": len(source)}).items():
            self.tables[name].reserve(extra)
        if not kernels.apply(self.view, source, target, links, jumps, sign):
            raise BadInputError("this contribution is from another sentence pair; nothing was changed")

    def lexical(self, f: str, e: str | None) -> float:
        """The smoothed p(f|e) in use; e = None is the null word."""
        return float(kernels.lexical(self.view, self.source.id(f), NULL if e is None else self.target.id(e)))

    def jump(self, i: int, previous: int, I: int) -> float:
        """The smoothed p(i|previous, I) in use, given that the next word is not null; positions from 1, 0 = start."""
        if not (1 <= i <= I <= MAX_SENTENCE_WORDS and 0 <= previous <= I):
            raise BadInputError(f"no jump from {previous} to {i} in a sentence of {I} words")
        return float(kernels.jump(self.view, i, previous, I))

    def expectations(self, source: Words, target: Words) -> NDArray[np.float64]:
        """[J, I + 1] posterior of each link, column 0 = null."""
        expected: NDArray[np.float64] = kernels.expectations(self.view, *self._ids(source, target))
        return expected

    def viterbi(self, source: Words, target: Words) -> list[int]:
        """The most probable position of each source word, 0 = null.

        Ties are broken in favour of a real state over a null state, the greatest last position, and as previous
        position the nearest before the word's own, or else the first after it.
        """
        return list(map(int, self.viterbi_ids(*self._ids(source, target))))

    def viterbi_ids(self, source: Ids, target: Ids) -> Ids:
        """`viterbi` for word ids."""
        check_pair(source, target)
        path: Ids = kernels.viterbi(self.view, source, target)
        return path

    def loglikelihood(self, pairs: Iterable[tuple[Words, Words]]) -> float:
        """Sum of the natural logarithms of p(source | target)."""
        return self.loglikelihood_ids(self._ids(source, target) for source, target in pairs)

    def loglikelihood_ids(self, pairs: Iterable[tuple[Ids, Ids]]) -> float:
        """`loglikelihood` for word ids."""
        view, answer = self.view, 0.0
        for source, target in pairs:
            check_pair(source, target)
            answer += kernels.log_likelihood(view, source, target)
        return answer

    def phrase_probability(self, source: Words, target: Words) -> float:
        """p(f̃|ẽ) of a phrase pair, summed over all alignments inside it ([O] Eq. 8–9)."""
        return math.exp(self.loglikelihood([(source, target)]))

    def _ids(self, source: Words, target: Words) -> tuple[Ids, Ids]:
        check_pair(source, target)
        return self.source.ids(source), self.target.ids(target)

    @property
    def view(self) -> AlignmentArrays:
        """What kernels read and change; valid until a table grows."""
        counts = {name: _counts(table) for name, table in self.tables.items()}
        share = SUM if self.share is None or self.base is None else float(self.share)
        return AlignmentArrays(**counts, size=self.size, lost=self.lost, nearness=self.nearness, share=share)

    @property
    def nbytes(self) -> int:
        """Bytes held in memory by the statistics, excluding its base."""
        return sum(table.nbytes for table in self.tables.values())

    def part(self, name: str) -> Table:
        """The table with this name."""
        return self.tables[name]

    def contents(self) -> ArrayTree:
        """The statistics in canonical order, excluding the base: the same for equal models, however they were made."""
        tree = ArrayTree(size=self.size)
        for name, table in self.tables.items():
            tree.put(name, table.contents())
        return tree

    @classmethod
    def from_arrays(
        cls,
        arrays: Mapping[str, np.ndarray],
        source: Vocabulary | None = None,
        target: Vocabulary | None = None,
        base: AlignmentModel | None = None,
    ) -> AlignmentModel:
        """Restore a model, over the same base, from its `arrays()`, which are used directly, not copied."""
        model = cls(source, target, base)
        model.restore(arrays)
        return model

    def prune(self, limit: int) -> int:
        """Drop links of this layer if there are more than `limit`, the weakest first; returns how many.

        Probabilities stay normalised, Σ_f c(e, f) = c(e). But dropped counts are lost: removing a contribution later
        subtracts what is left, and `skipped` counts the links that had less. The other tables are bounded by the
        vocabulary and the lengths of sentences.
        """
        links = self.tables["links"]
        if len(links) <= limit:
            return 0
        ids = links.ids[links.columns["amount"][links.ids] > 0]
        weakest = np.argsort(links.columns["amount"][ids], kind="stable")[: len(links) - limit + limit // SLACK]
        keys, amounts = links.index.keys[ids[weakest]], links.columns["amount"][ids[weakest]]
        links.add(keys, amount=-amounts)
        self.tables["targets"].add(keys >> WORD_BITS, amount=-amounts)
        self.lost[DROPPED] += weakest.size
        return int(weakest.size)

    def compact(self) -> None:
        """Sort the entries of all tables by key and free spare room."""
        for table in self.tables.values():
            table.compact()

    @property
    def dropped(self) -> int:
        """How many links `prune` has dropped from this layer."""
        return int(self.lost[DROPPED])

    @property
    def skipped(self) -> int:
        """How many links to be removed had already been dropped, wholly or partly."""
        return int(self.lost[SKIPPED])

    def merge(self, other: AlignmentModel) -> None:
        """Add everything that another model has learned, excluding its base, as if this one had seen its samples."""
        source = _translation(other.source, self.source)
        target = _translation(other.target, self.target)
        for name, table in other.tables.items():
            ids = table.ids
            keys, amounts = table.index.keys[ids], table.columns["amount"][ids]
            if name == "links":
                keys = target[keys >> WORD_BITS] << WORD_BITS | source[keys & (1 << WORD_BITS) - 1]
            elif name == "targets":
                keys = target[keys]
            if name == "sources":
                self.tables[name].reserve(keys.size)
                kernels.occur(self.view, source[keys], amounts)
            else:
                self.tables[name].add(keys, amount=amounts)


def _translation(there: Vocabulary, here: Vocabulary) -> Ids:
    """[words there] the id here of each id there; special ids are the same everywhere."""
    if there is here:
        return np.arange(len(there))
    special = np.arange(len(SPECIAL))
    return np.concatenate([special, here.ids(there.words(range(special.size, len(there))), add=True)])


def _counts(table: Table) -> Counts:
    below = _NOTHING if table.base is None else table.base.columns["amount"]
    return Counts(table.layered, below, table.columns["amount"])


_NOTHING = np.zeros(0, np.int64)


def can_align(source: Sized, target: Sized) -> bool:
    """Whether neither side of a sentence pair is empty or too long."""
    return all(1 <= len(words) <= MAX_SENTENCE_WORDS for words in (source, target))


def check_pair(source: Words | Ids, target: Words | Ids, where: str | None = None) -> None:
    """Raise an error for a sentence pair that cannot be aligned."""
    for side, words in (("source", source), ("target", target)):
        if isinstance(words, str):
            raise BadInputError(f"the {side} is one string, not a list of words", where=where, remedy="split it first")
        if not 1 <= len(words) <= MAX_SENTENCE_WORDS:
            remedy = f"give 1 to {MAX_SENTENCE_WORDS} words on each side"
            raise UnlearnableError(f"the {side} has {len(words)} words", where=where, remedy=remedy)


@exercise
def _exercise() -> None:
    model = AlignmentModel()
    contribution = model.add(["a"], ["b"])
    model.lexical("a", "b")
    model.jump(1, 0, 1)
    model.expectations(["a"], ["b"])
    model.viterbi(["a"], ["b"])
    model.loglikelihood([(["a"], ["b"])])
    kernels.fill_jumps(model.view, np.empty((2, 2, 2)))
    model.remove(["a"], ["b"], contribution)
    model.merge(model)
