"""Language models as ARPA files: written for other tools, and read as immutable models.

An ARPA file lists n-grams with log₁₀ p(last word | those before it) and, for histories, log₁₀ of the back-off weight,
which multiplies the shorter history's probability of a word that is not listed after them. Interpolation fits that form
exactly: the listed probability includes what shorter histories give, and the weight is D_k · N1+(u •) / c_X(u).
"""

from __future__ import annotations

import gzip
import math
import re
import tempfile
import zlib
from array import array
from collections.abc import Iterator, Mapping
from dataclasses import fields
from pathlib import Path
from typing import Literal, TextIO, cast

import numpy as np

from dragoman.arrays import ArrayTree
from dragoman.errors import BadInputError
from dragoman.files import storage_errors
from dragoman.kernels import exercise
from dragoman.models import arpa_kernels as kernels
from dragoman.models.arpa_kernels import ArpaArrays, StoredBase
from dragoman.models.language import INNER, LanguageModel, Reader
from dragoman.models.language_kernels import STORED, WORDS, Stored
from dragoman.models.language_upkeep import Grams, list_grams
from dragoman.models.language_upkeep_kernels import log_probabilities
from dragoman.tables import ABSENT, Table
from dragoman.tables.table_kernels import HIGH
from dragoman.text.vocabulary import END, SPECIAL, START, UNKNOWN, Vocabulary

NEVER = -99.0  # what the format writes for log₁₀ 0
LN10 = math.log(10)
COLUMNS = {"scores": np.float32, "backoffs": np.float32, "suffixes": np.int32, "lengths": np.uint8}
ANNOUNCED = re.compile(r"ngram +(\d+) *= *(\d+)", re.ASCII)
UNWRITABLE = re.compile(r"[\x00\t\n\v\f\r ]")
CHUNK = 1 << 16  # n-grams put into a base at a time
SPECIALS = {"<unk>": UNKNOWN, "<UNK>": UNKNOWN, "<s>": START, "</s>": END}


def write_arpa(model: LanguageModel, path: str | Path) -> None:
    """Write a model, base and layer together, as an ARPA file; compressed if the name ends in `.gz`."""
    path = Path(path)
    if (model.base and model.share_in_use is not None) or (model.base or model).stored.inner.size:
        raise BadInputError("an ARPA file cannot hold an interpolated model", remedy="set share to None")
    orders = _needed(list(list_grams(model)))
    orders[0] = _with_specials(orders[0])
    names = {word: _name(model.vocabulary, word) for word in orders[0].words.tolist()}
    is_device = path.exists() and not path.is_file()
    aside = path if is_device else path.with_name(f"{path.name}.part")
    with storage_errors(path):
        try:
            with _opened(aside, "wt", compressed=path.suffix == ".gz") as file:
                file.writelines(_lines(model, orders, names))
            if not is_device:
                aside.replace(path)
        finally:
            if not is_device:
                aside.unlink(missing_ok=True)


def _lines(model: LanguageModel, orders: list[Grams], names: dict[int, str]) -> Iterator[str]:
    """The whole file."""
    yield "\\data\\\n"
    yield from (f"ngram {k}={grams.ids.size}\n" for k, grams in enumerate(orders, 1))
    beginnings = {ABSENT: ""}  # the words of the histories, by joint id
    for k, grams in enumerate(orders, 1):
        histories = zip(grams.histories.tolist(), grams.words.tolist(), strict=True)
        texts = [beginnings[history] + names[word] for history, word in histories]
        yield f"\n\\{k}-grams:\n"
        yield from _rows(model, k, grams, texts)
        beginnings = {gram: f"{text} " for gram, text in zip(grams.ids.tolist(), texts, strict=True)}
    yield "\n\\end\\\n"


def _rows(model: LanguageModel, order: int, grams: Grams, texts: list[str]) -> Iterator[str]:
    """The lines of the n-grams of one order."""
    scores = np.empty(grams.ids.size)
    log_probabilities(model.view, grams.histories, order - 1, grams.words, scores)
    scores /= LN10
    if order == 1:
        scores[grams.words == START] = NEVER
    weights = np.zeros(grams.ids.size)
    goes_on = grams.totals > 0
    if order < model.order:  # [O] Eq. 7, the factor of the shorter history
        once, twice, more = model.discounts[0, :, order + 1]
        kept = once * grams.once + twice * grams.twice + more * (grams.types - grams.once - grams.twice)
        weights[goes_on] = np.log10(kept[goes_on] / grams.totals[goes_on])
    for score, text, weight, known in zip(scores.tolist(), texts, weights.tolist(), goes_on.tolist(), strict=True):
        yield f"{score:.8g}\t{text}\t{weight:.8g}\n" if known else f"{score:.8g}\t{text}\n"


def _needed(orders: list[Grams]) -> list[Grams]:
    """Leave out n-grams with nothing left, unless others continue them."""
    needed = np.zeros(0, np.int64)
    for k in range(len(orders) - 1, -1, -1):
        grams = orders[k]
        kept = (grams.counts > 0) | (grams.totals > 0) | np.isin(grams.ids, needed)
        orders[k] = Grams(*(getattr(grams, field.name)[kept] for field in fields(grams)))
        needed = orders[k].histories
    return orders


def _with_specials(grams: Grams) -> Grams:
    """The words, including those that every ARPA file has."""
    missing = np.setdiff1d([UNKNOWN, START, END], grams.words)
    nothing = np.zeros_like(missing)
    added = (-2 - missing, missing, *([nothing] * 5))  # ids that no history has; the key of a word is its id
    columns = (getattr(grams, field.name) for field in fields(grams))
    return Grams(*(np.concatenate(pair) for pair in zip(added, columns, strict=True)))


def _name(vocabulary: Vocabulary, word: int) -> str:
    name = vocabulary.word(word)
    if word >= len(SPECIAL) and (name in SPECIALS or not name or UNWRITABLE.search(name)):
        remedy = "forget the sentences that contain it first"
        raise BadInputError(f"the word {name!r} cannot be written to an ARPA file", remedy=remedy)
    return name


def _opened(path: Path, mode: Literal["rt", "wt"], *, compressed: bool) -> TextIO:
    if compressed:
        return cast(TextIO, gzip.open(path, mode, encoding="utf-8", newline="\n"))
    return cast(TextIO, path.open(mode, encoding="utf-8", newline="\n"))


class ArpaModel(Reader):
    """A back-off model read from an ARPA file; it does not learn."""

    kernels = kernels

    def __init__(self, order: int, vocabulary: Vocabulary, table: Table) -> None:
        self.order = order
        self.vocabulary = vocabulary
        self.table = table

    @property
    def view(self) -> ArpaArrays:
        """What the kernels read."""
        return ArpaArrays(self.table.index, **self.table.columns, order=self.order)

    def __len__(self) -> int:
        """Number of n-grams."""
        return len(self.table)

    def arrays(self) -> ArrayTree:
        """Everything needed to restore this model, except its vocabulary."""
        return ArrayTree(order=np.array([self.order]), **self.table.arrays())

    @classmethod
    def from_arrays(cls, arrays: Mapping[str, np.ndarray], vocabulary: Vocabulary) -> ArpaModel:
        """Restore a model from its `arrays()`, which are used directly, not copied."""
        return cls(int(arrays["order"][0]), vocabulary, Table.from_arrays(arrays))

    @classmethod
    def read(cls, path: str | Path) -> ArpaModel:
        """Read an ARPA file, compressed or not."""
        path = Path(path)
        try:
            with path.open("rb") as file:
                compressed = file.read(2) == b"\x1f\x8b"
            with _opened(path, "rt", compressed=compressed) as text:
                return _Parser(path, text).model()
        except (UnicodeDecodeError, EOFError, zlib.error, gzip.BadGzipFile) as error:
            raise BadInputError(f"cannot be read: {error}", where=path, remedy="ARPA files are UTF-8 text") from None
        except OSError as error:
            what = f"cannot be read: {(error.strerror or str(error)).lower()}"
            raise BadInputError(what, where=path, remedy="check its path and permissions") from None


def read_base(path: str | Path, vocabulary: Vocabulary | None = None) -> LanguageModel:
    """An ARPA file as a base; language models interpolate what they learn with it.

    Its words are added to the vocabulary. It keeps the probabilities of the file and has no counts, so a layer cannot
    be summed with it, and it cannot learn.
    """
    arpa = ArpaModel.read(path)
    if arpa.order < 2:
        raise BadInputError("has unigrams only", where=path, remedy="use a model of order 2 or higher")
    words = arpa.vocabulary.words(range(len(SPECIAL), len(arpa.vocabulary)))
    model = LanguageModel(arpa.order, vocabulary)
    renamed = np.concatenate([np.arange(len(SPECIAL)), model.vocabulary.ids(words, add=True)])
    model.scalars[WORDS] = len(words)
    inner, outer = Table({**INNER, "stored": STORED}), Table({"longest": np.int32, "stored": np.float32})
    here = np.empty(len(arpa), np.int64)
    for first in range(0, len(arpa), CHUNK):
        last = min(first + CHUNK, len(arpa))
        inner.reserve((last - first) * arpa.order)
        outer.reserve(last - first)
        columns = inner.columns["grams"], inner.columns["stored"]
        filled = StoredBase(inner.index, *columns, outer.index, outer.columns["stored"])
        kernels.store(arpa.view, first, last, renamed, filled, here)
    stored = [table.columns.pop("stored")[: table.index.state[HIGH]] for table in (inner, outer)]
    model.inner, model.outer, model.stored = inner, outer, Stored(*stored)
    return model


class _Parser:
    """Reads one file line by line and reports where it is wrong."""

    def __init__(self, path: Path, text: TextIO) -> None:
        self.path = path
        self.lines = enumerate(text, 1)
        self.number = 0
        self.vocabulary = Vocabulary()
        self.known = dict(SPECIALS)
        self.table = Table(COLUMNS)

    def model(self) -> ArpaModel:
        """Read the whole file."""
        while self.line() != "\\data\\":
            pass
        sizes: list[int] = []
        while line := self.line():
            announced = ANNOUNCED.fullmatch(line)
            if announced is None or int(announced[1]) != len(sizes) + 1:
                raise self.error(f"expected “ngram {len(sizes) + 1}=…”")
            sizes.append(int(announced[2]))
        if not sizes:
            raise self.error("expected “ngram 1=…”")
        self.table.reserve(sum(sizes))
        for order, size in enumerate(sizes, 1):
            self.heading(f"\\{order}-grams:")
            self.section(order, size)
        self.heading("\\end\\")
        return ArpaModel(len(sizes), self.vocabulary, self.table)

    def heading(self, expected: str) -> None:
        """Read empty lines and a heading."""
        while not (line := self.line()):
            pass
        if line != expected:
            raise self.error(f"expected “{expected}”")

    def section(self, order: int, size: int) -> None:
        """Read the n-grams of one order."""
        words, scores, weights = array("q"), array("d"), array("d")
        begin = self.number + 1
        for _ in range(size):
            self.row(self.line(), order, words, scores, weights)
        grams = np.array(words, np.int64).reshape(size, order)
        view = ArpaArrays(self.table.index, **self.table.columns, order=order)
        orphan = kernels.enter(view, grams, np.array(scores) * LN10, np.array(weights) * LN10)
        if orphan != ABSENT:
            self.number = begin + int(orphan)
            raise self.error("an n-gram whose history is not listed")

    def row(self, line: str, order: int, words: array[int], scores: array[float], weights: array[float]) -> None:
        """Parse one n-gram: log₁₀ of its probability, its words, perhaps log₁₀ of its back-off weight."""
        fields = line.replace("\t", " ").split(" ")
        if len(fields) not in (order + 1, order + 2):
            raise self.error(f"expected a {order}-gram with its probability")
        names = fields[1 : order + 1]
        if order == 1 and names[0] not in self.known:
            self.known[names[0]] = self.vocabulary.add(names[0])
        try:
            words.extend([self.known[name] for name in names])
            scores.append(float(fields[0]))
            weights.append(float(fields[-1]) if len(fields) == order + 2 else 0.0)
        except KeyError as error:
            raise self.error(f"the word {error} is not among the 1-grams") from None
        except ValueError as error:
            raise self.error(str(error)) from None

    def line(self) -> str:
        """The next line."""
        try:
            self.number, line = next(self.lines)
        except StopIteration:
            raise self.error("unexpected end of file", remedy="it may be incomplete, or not an ARPA file") from None
        return line.rstrip("\r\n")

    def error(self, what: str, remedy: str | None = None) -> BadInputError:
        """An error at the line read last."""
        return BadInputError(what, where=f"{self.path}, line {self.number}", remedy=remedy)


@exercise
def _exercise() -> None:
    with tempfile.TemporaryDirectory() as directory:
        path = Path(directory) / "model.arpa"
        write_arpa(LanguageModel(2), path)
        model, base = ArpaModel.read(path), read_base(path)
    model.score(["a"])
    base.score(["a"])
