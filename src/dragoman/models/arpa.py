"""Language models as ARPA files, for other tools.

An ARPA file lists n-grams with log₁₀ p(last word | those before it) and, for histories, log₁₀ of the back-off weight,
which multiplies the shorter history's probability of a word that is not listed after them. Interpolation fits that form
exactly: the listed probability includes what shorter histories give, and the weight is D_k · N1+(u •) / c_X(u).
"""

from __future__ import annotations

import gzip
import math
import re
import tempfile
from collections.abc import Iterator
from dataclasses import fields
from pathlib import Path
from typing import TextIO, cast

import numpy as np

from dragoman.errors import BadInputError
from dragoman.files import storage_errors
from dragoman.kernels import exercise
from dragoman.models.language import LanguageModel
from dragoman.models.language_upkeep import Grams, list_grams
from dragoman.models.language_upkeep_kernels import log_probabilities
from dragoman.tables import ABSENT
from dragoman.text.vocabulary import END, SPECIAL, START, UNKNOWN, Vocabulary

NEVER = -99.0  # what the format writes for log₁₀ 0
LN10 = math.log(10)
UNWRITABLE = re.compile(r"[\x00\t\n\v\f\r ]")
SPECIALS = {"<unk>": UNKNOWN, "<UNK>": UNKNOWN, "<s>": START, "</s>": END}


def write_arpa(model: LanguageModel, path: str | Path) -> None:
    """Write a model, base and layer together, as an ARPA file; compressed if the name ends in `.gz`."""
    path = Path(path)
    if model.base and model.share_in_use is not None:
        raise BadInputError("an ARPA file cannot hold an interpolated model", remedy="set share to None")
    orders = _needed(list(list_grams(model)))
    orders[0] = _with_specials(orders[0])
    names = {word: _name(model.vocabulary, word) for word in orders[0].words.tolist()}
    is_device = path.exists() and not path.is_file()
    aside = path if is_device else path.with_name(f"{path.name}.part")
    with storage_errors(path):
        try:
            with _opened(aside, compressed=path.suffix == ".gz") as file:
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


def _opened(path: Path, *, compressed: bool) -> TextIO:
    if compressed:
        return cast(TextIO, gzip.open(path, "wt", encoding="utf-8", newline="\n"))
    return path.open("w", encoding="utf-8", newline="\n")


@exercise
def _exercise() -> None:
    with tempfile.TemporaryDirectory() as directory:
        write_arpa(LanguageModel(2), Path(directory) / "model.arpa")
