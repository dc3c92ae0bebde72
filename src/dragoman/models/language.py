"""The language model h1: interpolated Kneser-Ney over integer counts, learning one sentence at a time ([O] Eq. 7).

>>> lm = LanguageModel(order=3)
>>> lm.add("pulse el botón verde".split())
>>> lm.add("pulse el botón rojo".split())
>>> lm.prob("el", ["<s>", "pulse"]) > lm.prob("verde", ["<s>", "pulse"])
True
>>> lm.remove("pulse el botón rojo".split())
>>> lm.prob("rojo", ["botón"]) == lm.prob("<unk>", ["botón"])
True

With a base, the model holds the differences from it: the base never changes, and reading always gives the sum.

`smoothing` is "kneser-ney", with one discount for each order as in [O], or "modified", with three (Chen and Goodman
1999), which predicts better and keeps a few more counts. A model saved before there was a choice has one discount, and
a layer has the smoothing of its base.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import count, islice
from pathlib import Path
from types import ModuleType
from typing import Any, Literal, TypeVar

import numpy as np
from numpy.typing import NDArray

from dragoman.arrays import ArrayTree, Restorable
from dragoman.errors import BadInputError, DamagedFileError
from dragoman.files import open_arrays, write_arrays
from dragoman.kernels import exercise
from dragoman.models import language_counts_kernels as counts_kernels
from dragoman.models import language_kernels as kernels
from dragoman.models import language_text_kernels as text_kernels
from dragoman.models import language_upkeep as upkeep
from dragoman.models.language_kernels import (
    DROPPED,
    SKIPPED,
    SUM,
    TALLIES,
    TOTAL,
    TYPES,
    WORDS,
    LanguageArrays,
    Own,
    Statistics,
)
from dragoman.models.text_reader import TextReader
from dragoman.models.text_reader_kernels import sentence_scores
from dragoman.tables import ABSENT, Ids, Table
from dragoman.text.vocabulary import END, NULL, SPECIAL, START, Vocabulary

KIND = "LanguageModel"
HIGHEST_ORDER = 2**kernels.LENGTH_BITS - 1
INNER = {"grams": kernels.GRAM}
OUTER = {"longest": np.int32}
FEW = {"few": kernels.FEW}  # more columns of modified smoothing
OWN = {"grams": kernels.OWN_GRAM}
SMOOTHINGS = ("kneser-ney", "modified")
MODIFIED = "modified"  # what model sets use
CHUNK = 1 << 12  # words that `train` hands to a kernel at once
BATCH = 1 << 11  # sentences that are scored at once
BLOCK = 1 << 10  # words that are looked up at once
AUTO: Literal["auto"] = "auto"  # instead of a share: none, or ELSEWHERE if the base is from another domain
ELSEWHERE = 0.5  # the share of a layer then
FOREIGN = 0.2  # if more of a layer's words than this are unknown to the base, it is from another domain
ENOUGH = 100  # distinct words a layer needs before this is decided

Words = Sequence[str]
Share = float | Literal["auto"] | None
Item = TypeVar("Item")


_NO_FEW = np.zeros(0, kernels.FEW)
_versions = count()  # of all models of this process


class Reader:
    """Queries to any model of word sequences that has a kernel `read_text`."""

    kernels: ModuleType
    vocabulary: Vocabulary
    _text: TextReader | None = None

    @property
    def view(self) -> Any:
        """What the kernels read; valid until the model changes."""
        raise NotImplementedError

    def prob(self, word: str, history: Words) -> float:
        """p(word | history), the history oldest word first; it may begin with `<s>`, and the word may be `</s>`."""
        _check(history)
        if word == SPECIAL[START] and word not in self.vocabulary:
            return 0.0
        words = self.vocabulary.ids([*history, word])
        if history and history[0] == SPECIAL[START]:
            words[0] = START
        if word == SPECIAL[END]:
            words[-1] = END
        return float(self._probabilities(words, words.size)[-1])

    def score(self, words: Words) -> float:
        """Natural log of the probability of a sentence, `</s>` included."""
        _check(words)
        return self.score_ids(self.vocabulary.ids(words))

    def score_ids(self, words: Ids) -> float:
        """`score` for word ids."""
        ids = np.concatenate([[START], words, [END]])
        return float(np.log(self._probabilities(ids, ids.size)).sum())

    def scores(self, sentences: Iterable[Words]) -> NDArray[np.float64]:
        """`score` of each of many sentences, faster than one by one."""
        return self._scores(map(self._reader.sentences, _batches(sentences)))

    def score_lines(self, lines: Iterable[str]) -> NDArray[np.float64]:
        """`scores` of lines of words separated by spaces, faster than splitting them first."""
        return self._scores(map(self._reader.lines, _batches(lines)))

    def perplexity(self, sentences: Iterable[Words]) -> float:
        """exp(− log probability ÷ number of words), `</s>` counted as a word."""
        sentences = list(sentences)
        if not sentences:
            raise BadInputError("perplexity is undefined without sentences")
        return math.exp(-float(self.scores(sentences).sum()) / sum(len(words) + 1 for words in sentences))

    @property
    def _reader(self) -> TextReader:
        if self._text is None:
            self._text = TextReader(self.vocabulary)
        return self._text

    def _scores(self, texts: Iterable[Ids]) -> NDArray[np.float64]:
        """Log probabilities of sentences, given as groups of word ids between `<s>` and `</s>`."""
        parts = [np.zeros(0)]
        for words in texts:
            begins = np.flatnonzero(words == START)
            longest = int(np.diff(begins, append=words.size).max())
            parts.append(np.empty(begins.size))
            sentence_scores(words, self._probabilities(words, max(longest, BLOCK)), parts[-1])
        return np.concatenate(parts)

    def _probabilities(self, words: Ids, block: int) -> NDArray[np.float64]:
        """The probability of each word given those before it in its sentence; no sentence is longer than a block."""
        probabilities = np.empty(words.size)
        self.kernels.read_text(self.view, words, probabilities, np.empty((9, block), np.int64))
        return probabilities


class LanguageModel(Restorable, Reader):
    """Counts of n-grams up to an order, and the probabilities that follow from them.

    The vocabulary may be shared with other models; methods whose names end in `_ids`, and `train`, take its ids. With a
    `share`, the counts of a layer and its base are not summed but interpolated: share · p_layer + (1 − share) · p_base.
    It may be set at any time. With `AUTO` it depends on the words: if the base lacks many of the layer's words, it is
    from another domain, and then the layer has a share.
    """

    parts = ("inner", "outer")
    own_arrays = ("scalars",)

    kernels = text_kernels
    share: Share = None

    def __init__(
        self,
        order: int = 5,
        vocabulary: Vocabulary | None = None,
        base: LanguageModel | None = None,
        *,
        smoothing: str = "kneser-ney",
    ) -> None:
        if not 1 <= order <= HIGHEST_ORDER:
            raise BadInputError(f"the order of a language model must be 1 to {HIGHEST_ORDER}, not {order}")
        if base is not None and (base.order != order or base.base is not None):
            raise BadInputError(f"the base of a model of order {order} must have order {order} and no base of its own")
        self.order: int = order
        self.smoothing: str = check_smoothing(smoothing) if base is None else base.smoothing
        modified = self.smoothing == "modified"
        self.base: LanguageModel | None = base
        self.vocabulary = vocabulary or Vocabulary(base.vocabulary if base else None)
        self.inner: Table = Table(INNER | (FEW if modified else {}), base.inner if base else None)
        self.outer: Table = Table(OUTER, base.outer if base else None)
        self.scalars = np.zeros(TALLIES + 2 * order, np.int64)
        self.few_scalars = np.zeros(kernels.FEW_TALLIES + 2 * order if modified else 0, np.int64)
        self.own: Table = Table(OWN | (FEW if modified else {}))  # what this layer would have counted without its base
        self.own_scalars, self.own_few_scalars = np.zeros_like(self.scalars), np.zeros_like(self.few_scalars)
        self.discounts = np.zeros((3, 3, order + 1))  # see LanguageArrays; kept up to date by the kernels
        counts = np.zeros(0, kernels.GRAM), np.zeros(0, np.int32), np.zeros_like(self.scalars)
        empty = Statistics(*counts, _NO_FEW, np.zeros_like(self.few_scalars))
        self._beneath = empty if base is None else base.statistics
        self._version = next(_versions)
        kernels.update_discounts(self.view)

    @property
    def statistics(self) -> Statistics:
        """The columns of this layer; valid until the model changes."""
        columns = {"few": _NO_FEW} | self.inner.columns | self.outer.columns
        return Statistics(**columns, scalars=self.scalars, few_scalars=self.few_scalars)

    @property
    def view(self) -> LanguageArrays:
        """What the kernels read and write; valid until the model changes."""
        inner, outer, share = self.inner.layered, self.outer.layered, self.share_in_use
        scalars = {"scalars": self.own_scalars, "few_scalars": self.own_few_scalars}
        own = Own(inner.base, np.zeros(0, kernels.OWN_GRAM), few=_NO_FEW, **scalars)
        if self.base is None:
            share = None
        else:
            own = Own(self.own.index, **({"few": _NO_FEW} | self.own.columns), **scalars)
        counted = self._beneath, self.statistics, self.discounts
        return LanguageArrays(inner, outer, *counted, own, SUM if share is None else float(share))

    @property
    def share_in_use(self) -> float | None:
        """The share or, with `AUTO`, its current value."""
        if self.share != AUTO:
            return self.share
        words, new = int(self.own_scalars[TYPES]), int(self.scalars[WORDS])
        return ELSEWHERE if words >= ENOUGH and new > FOREIGN * words else None

    def add(self, words: Words) -> None:
        """Learn one sentence, without `<s>` and `</s>`."""
        _check(words)
        self.add_ids(self.vocabulary.ids(words, add=True))

    def remove(self, words: Words) -> None:
        """Forget a sentence that was learned."""
        _check(words)
        self.remove_ids(self.vocabulary.ids(words))

    def add_ids(self, words: Ids) -> None:
        """`add` for word ids."""
        _check_ids(words)
        self._reserve(words.size + 1)
        counts_kernels.add(self.view, np.ascontiguousarray(words, np.int64))

    def remove_ids(self, words: Ids) -> None:
        """`remove` for word ids."""
        sentence = np.concatenate([[START], words, [END]])
        histories = np.empty(words.size + 1, np.int64)
        if not counts_kernels.find_histories(self.view, sentence, histories):
            raise BadInputError("this sentence was never learned, so it cannot be forgotten")
        self._reserve(words.size + 1)
        counts_kernels.remove(self.view, sentence, histories)

    def train(self, sentences: Iterable[Ids]) -> None:
        """Learn many sentences, given as word ids."""
        for words, ends in _chunks(sentences):
            _check_ids(words)
            self._reserve(words.size + ends.size)
            counts_kernels.add_sentences(self.view, words, ends)

    def _reserve(self, predicted: int) -> None:
        """Make room for the n-grams that this many words may add."""
        self._changed()
        self.inner.reserve((predicted + 1) * (self.order - 1))
        self.outer.reserve(predicted)
        if self.base is not None:
            self.own.reserve(2 * (predicted + 1) * self.order)

    def merge(self, other: LanguageModel) -> None:
        """Learn everything that a model without a base has learned; words are matched by spelling."""
        if other.order != self.order or other.base is not None:
            raise BadInputError("only a language model of the same order without a base can be merged")
        self._changed()
        upkeep.merge(self, other)

    def prune(self, limit: int) -> dict[int, int]:
        """Drop n-grams if this layer has more than `limit`; returns how many of each order.

        Higher orders go first; within an order, those seen least; among those, the oldest. Words are never dropped.
        Shorter n-grams keep their counts, and probabilities stay normalised. But dropped counts are lost: a later
        `remove` skips what it does not find (`skipped` counts it).
        """
        self._changed()
        return upkeep.prune(self, limit)

    def compact(self) -> None:
        """Renumber the n-grams in canonical order and free spare room; only without a base."""
        if self.base is not None:
            raise BadInputError("only a language model without a base can be compacted")
        self._changed()
        upkeep.compact(self)

    @property
    def version(self) -> tuple[int, ...]:
        """Unique to this model as it is now: states and, if `share` does not change, answers hold while it stays."""
        return (self._version,) if self.base is None else (self._version, *self.base.version)

    def _changed(self) -> None:
        """Give the model a new version, before it changes."""
        self._version = next(_versions)

    @property
    def dropped(self) -> int:
        """How many n-grams `prune` has dropped from this layer."""
        return int(self.scalars[DROPPED])

    @property
    def skipped(self) -> int:
        """How many n-grams to be forgotten had already been dropped."""
        return int(self.scalars[SKIPPED])

    def __len__(self) -> int:
        """Number of n-grams in this layer, excluding its base."""
        return len(self.inner) + len(self.outer)

    @property
    def nbytes(self) -> int:
        """Bytes held in memory by this layer, excluding base and vocabulary."""
        scalars = self.scalars.nbytes + self.few_scalars.nbytes
        return self.inner.nbytes + self.outer.nbytes + self.own.nbytes + scalars

    def counts(self) -> dict[tuple[str, ...], tuple[int, int, int]]:
        """Every n-gram with its c_X and, as a history u, Σ_w c_X(u w) and N1+(u •), base and layer summed.

        The same for equal models, however they were made. The empty history is ().
        """
        scalars = self.scalars + self._beneath.scalars
        found: dict[tuple[str, ...], tuple[int, int, int]] = {(): (0, int(scalars[TOTAL]), int(scalars[TYPES]))}
        paths: dict[int, tuple[str, ...]] = {ABSENT: ()}
        for grams in upkeep.list_grams(self):
            rows = zip(grams.counts.tolist(), grams.totals.tolist(), grams.types.tolist(), strict=True)
            places = zip(grams.ids.tolist(), grams.histories.tolist(), grams.words.tolist(), rows, strict=True)
            longer = {}
            for path, parent, word, row in places:
                longer[path] = (*paths[parent], self.vocabulary.word(word))
                found[longer[path]] = row
            paths = longer
        return {path: row for path, row in found.items() if any(row)}

    def arrays(self) -> ArrayTree:
        """Everything needed to restore this model, except its base and vocabulary."""
        tree = super().arrays()
        if self.few_scalars.size:
            tree["few_scalars"] = self.few_scalars
        if self.base is not None:
            tree.put("own", self.own.arrays())
            tree["own.scalars"] = self.own_scalars
            if self.few_scalars.size:
                tree["own.few_scalars"] = self.own_few_scalars
        return tree

    def restore(self, arrays: Mapping[str, np.ndarray]) -> None:
        """Return to the state with these `arrays()`, which are used directly, not copied; the base stays."""
        if "stored.inner" in arrays:
            remedy = (
                "train a base from texts (`dragoman base train`), and import the corrections into a project over it"
            )
            raise BadInputError("this base was imported from an ARPA file, which is no longer read", remedy=remedy)
        if ("few_scalars" in arrays) != (self.smoothing == "modified"):
            remedy = "restore the base that belongs to it"
            raise BadInputError(f"this language model was not saved with {self.smoothing} smoothing", remedy=remedy)
        self._changed()
        super().restore(arrays)
        self.few_scalars = arrays.get("few_scalars", self.few_scalars)
        if self.base is not None:
            if "own.scalars" not in arrays:
                raise DamagedFileError("this language model was saved by an older version", remedy="train it again")
            self.own.restore(ArrayTree(arrays).under("own"))
            self.own_scalars = arrays["own.scalars"]
            self.own_few_scalars = arrays.get("own.few_scalars", self.own_few_scalars)
        kernels.update_discounts(self.view)

    @classmethod
    def from_arrays(
        cls, arrays: Mapping[str, np.ndarray], vocabulary: Vocabulary, base: LanguageModel | None = None
    ) -> LanguageModel:
        """Restore a model from its `arrays()`, which are used directly, not copied."""
        model = cls(saved_order(arrays), vocabulary, base, smoothing=saved_smoothing(arrays))
        model.restore(arrays)
        return model

    def save(self, directory: str | Path) -> None:
        """Write the model and its vocabulary, without their bases, to a directory, atomically."""
        tree = self.arrays()
        tree.put("vocabulary", self.vocabulary.arrays())
        write_arrays(Path(directory), tree, {"kind": KIND})

    @classmethod
    def open(cls, directory: str | Path, base: LanguageModel | None = None) -> LanguageModel:
        """Map a saved model into memory; it can serve as a base or keep learning in memory."""
        arrays, about = open_arrays(Path(directory))
        if about.get("kind") != KIND:
            raise BadInputError(f"holds a {about.get('kind')}, not a {KIND}", where=directory)
        words = arrays.under("vocabulary")
        return cls.from_arrays(arrays, Vocabulary.from_arrays(words, base.vocabulary if base else None), base)


def _check(words: Words) -> None:
    if isinstance(words, str):
        raise BadInputError("a sentence is a list of words, not one string", remedy="split it first")
    if "" in words:
        raise BadInputError("a word is empty")


def _check_ids(words: Ids) -> None:
    if words.size and words.min() <= NULL:
        raise BadInputError(f"{SPECIAL[words.min()]} cannot be learned as a word")


def _batches(items: Iterable[Item]) -> Iterator[list[Item]]:
    """The items in groups."""
    remaining = iter(items)
    while group := list(islice(remaining, BATCH)):
        yield group


def _chunks(sentences: Iterable[Ids]) -> Iterator[tuple[Ids, Ids]]:
    """Sentences joined in groups: the words one after another, and one past the last of each sentence."""
    group: list[Ids] = []
    size = 0
    for sentence in sentences:
        group.append(sentence)
        size += sentence.size + 1
        if size >= CHUNK:
            yield _joined(group)
            group, size = [], 0
    if group:
        yield _joined(group)


def _joined(group: list[Ids]) -> tuple[Ids, Ids]:
    ends = np.cumsum([sentence.size for sentence in group], dtype=np.int64)
    return np.concatenate(group, dtype=np.int64), ends


def saved_smoothing(arrays: Mapping[str, np.ndarray]) -> str:
    """The smoothing of the language model with these `arrays()`."""
    return "modified" if "few_scalars" in arrays else "kneser-ney"


def check_smoothing(smoothing: str) -> str:
    """The name of a smoothing, or an error."""
    if smoothing not in SMOOTHINGS:
        raise BadInputError(f"unknown smoothing {smoothing!r}", remedy=f"choose one of {', '.join(SMOOTHINGS)}")
    return smoothing


def saved_order(arrays: Mapping[str, np.ndarray]) -> int:
    """The order of the language model with these `arrays()`."""
    return int(arrays["scalars"].size - TALLIES) // 2


@exercise
def _exercise() -> None:
    model = LanguageModel(2)
    model.add(["a", "b"])
    model.score(["a"])
    model.score_lines(["a"])
    model.remove(["a", "b"])
    model.train([np.array([4, 5])])
    model.merge(LanguageModel(2))
    model.prune(1)
    LanguageModel(2, smoothing="modified").add(["a", "b"])
