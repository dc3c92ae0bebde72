"""A Moses phrase table as the base of a phrase model.

A line is `source ||| target ||| p(s|t) lex(s|t) p(t|s) lex(t|s) ||| alignment ||| counts`, plain or gzip. Counts are
kept, not probabilities:

1. Where the counts c(t), c(s), c(s,t) are given, they are used as they are. Where they are not, a source phrase counts
   as seen 1,000 times: c(s,t) is 1,000 p(t|s), and c(t) what makes Σ_s p(s|t) of the table right.
2. c(t) and c(s) stay what the table says even if it holds only some of the pairs, as a filtered table does.
3. Orientations come from a reordering table (`source ||| target ||| six probabilities`, msd-bidirectional-fe) if there
   is one; without it every pair counts as monotone. Lexical weights are not kept: the alignment models give them.
4. Pairs with more than 7 words on a side are left out, since a search cannot use longer ones.
"""

from __future__ import annotations

import gzip
import math
import zlib
from collections.abc import Iterator
from itertools import islice
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from dragoman.errors import BadInputError
from dragoman.models import phrases_upkeep_kernels as kernels
from dragoman.models.phrases import PhraseModel
from dragoman.tables.table_kernels import path_key
from dragoman.text.vocabulary import Vocabulary

PSEUDO_COUNT = 1000  # of a source phrase where a table has no counts
LINES = 10_000  # read at a time
ENTITIES = {
    "&#124;": "|",
    "&lt;": "<",
    "&gt;": ">",
    "&apos;": "'",
    "&quot;": '"',
    "&#91;": "[",
    "&#93;": "]",
    "&amp;": "&",  # last: what it uncovers is not an entity
}


class Line(NamedTuple):
    """One line of a table: its two phrases, the other fields, and its position."""

    source: list[str]
    target: list[str]
    fields: list[str]
    where: str


def read_phrase_table(
    path: str | Path, source: Vocabulary, target: Vocabulary, reordering: str | Path | None = None
) -> PhraseModel:
    """The phrase model, compacted, of a Moses phrase table; its words are added to the vocabularies."""
    model = PhraseModel()
    marginals: list[NDArray[np.float64]] = []
    lines = (line for line in _lines(Path(path)) if max(len(line.source), len(line.target)) <= model.longest)
    while chunk := list(islice(lines, LINES)):
        marginals.append(_add(model, chunk, source, target))
    if marginals:
        _raise_totals(model, np.concatenate(marginals))
    if reordering is not None:
        for line in _lines(Path(reordering)):
            _set_orientations(model, source.ids(line.source), target.ids(line.target), line)
        model.orientations[:] = _orientation_totals(model)
    model.compact()
    return model


def unescaped(word: str) -> str:
    """A word with Moses' entities turned back into characters.

    >>> unescaped("&#124;&amp;lt;")
    '|&lt;'
    """
    if "&" in word:
        for entity, character in ENTITIES.items():
            word = word.replace(entity, character)
    return word


def _lines(path: Path) -> Iterator[Line]:
    """The lines of a table, split into fields."""
    number = 0
    try:
        with path.open("rb") as raw, gzip.open(raw) if raw.peek(2)[:2] == b"\x1f\x8b" else raw as file:
            for number, code in enumerate(file, 1):
                fields = [field.strip() for field in code.decode().split("|||")]
                if len(fields) < 3 or not fields[0] or not fields[1]:
                    raise _malformed(f"{path}:{number}", "expected source ||| target ||| scores")
                source, target = ([unescaped(word) for word in phrase.split()] for phrase in fields[:2])
                yield Line(source, target, fields[2:], f"{path}:{number}")
    except UnicodeDecodeError:
        raise BadInputError("not UTF-8", where=f"{path}:{number}", remedy="convert the table to UTF-8") from None
    except (EOFError, zlib.error, gzip.BadGzipFile):
        raise BadInputError("the gzip file is damaged or incomplete", where=f"{path}:{number + 1}") from None
    except OSError as error:
        raise BadInputError(f"cannot be read: {error.strerror}", where=path) from None


def _malformed(where: str, expected: str) -> BadInputError:
    return BadInputError(f"not a line of a Moses table: {expected}", where=where)


def _numbers(field: str, least: int, where: str) -> list[float]:
    """The numbers of a field, at least this many; none negative or infinite."""
    try:
        numbers = [float(number) for number in field.split()]
    except ValueError:
        raise _malformed(where, f"{field!r} should be numbers") from None
    if len(numbers) < least or not all(math.isfinite(number) and number >= 0 for number in numbers):
        raise _malformed(where, f"{field!r} should be {least} numbers, none negative")
    return numbers


def _add(model: PhraseModel, lines: list[Line], source: Vocabulary, target: Vocabulary) -> NDArray[np.float64]:
    """Add a chunk of lines; returns for each the ids of its phrases, c(s), c(t), c(s,t) and p(s|t): [n, 6]."""
    scores = np.array([_numbers(line.fields[0], 4, line.where)[:4] for line in lines])
    counts = np.array([_counts(line, row) for line, row in zip(lines, scores.tolist(), strict=True)])
    paths = []
    phrases = (
        [source.ids(line.source, add=True) for line in lines],
        [target.ids(line.target, add=True) for line in lines],
    )
    for table, words in zip((model.sources, model.targets), phrases, strict=True):
        ends = np.cumsum([phrase.size for phrase in words])
        table.reserve(int(ends[-1]))
        paths.append(np.empty(len(lines), np.int64))
        kernels.enter_many(table.layered, table.uses, np.concatenate(words), ends, paths[-1])
    model.pairs.reserve(len(lines))
    joint = np.maximum(1, np.rint(counts[:, 2])).astype(np.int64)
    kernels.add_pairs(model.view, *paths, joint[:, None] * np.array([1, 1, 0, 1, 0]))
    return np.column_stack([*paths, counts[:, 1], counts[:, 0], joint, scores[:, 0]])


def _counts(line: Line, scores: list[float]) -> list[float]:
    """c(t), c(s), c(s,t) of a line; c(t) is 0 if it has to be inferred."""
    if len(line.fields) > 2 and len(line.fields[2].split()) >= 3:
        return _numbers(line.fields[2], 3, line.where)[:3]
    return [0.0, PSEUDO_COUNT, PSEUDO_COUNT * scores[2]]


def _raise_totals(model: PhraseModel, rows: NDArray[np.float64]) -> None:
    """Raise the totals to what the table says where that is more than the sum of its pairs."""
    f, e = rows[:, 0].astype(np.int64), rows[:, 1].astype(np.int64)
    inferred = rows[:, 3] == 0
    joint, mass = np.bincount(e, rows[:, 4] * inferred), np.bincount(e, rows[:, 5] * inferred)
    of_target = np.where(inferred, joint[e] / np.maximum(mass[e], 1e-9), rows[:, 3])
    most = np.iinfo(np.int32).max
    np.maximum.at(model.sources.columns["total"], f, np.minimum(np.rint(rows[:, 2]), most).astype(np.int32))
    np.maximum.at(model.targets.columns["total"], e, np.minimum(np.rint(of_target), most).astype(np.int32))


def _set_orientations(model: PhraseModel, f: NDArray[np.int64], e: NDArray[np.int64], line: Line) -> None:
    """Give a pair the orientations of a line of the reordering table; pairs that the phrase table lacks are skipped."""
    scores = _numbers(line.fields[-1], 6, line.where)
    paths = model.sources.find_path(f.tolist()), model.targets.find_path(e.tolist())
    if min(paths) < 0:
        return
    entry = int(model.pairs.find(path_key(*paths))[0])
    if entry < 0:
        return
    columns = model.pairs.columns
    count = int(columns["counts"][entry])
    for side, first in (("previous", 0), ("next", 3)):  # Moses: backward, then forward
        monotone = min(count, round(count * scores[first]))
        columns[f"{side}_monotone"][entry] = monotone
        columns[f"{side}_swap"][entry] = min(count - monotone, round(count * scores[first + 1]))


def _orientation_totals(model: PhraseModel) -> NDArray[np.int64]:
    """[2, 3] the orientations of all pairs."""
    columns = {name: int(column.sum(dtype=np.int64)) for name, column in model.pairs.columns.items()}
    rows = [(columns[f"{side}_monotone"], columns[f"{side}_swap"]) for side in ("previous", "next")]
    return np.array([[monotone, swap, columns["counts"] - monotone - swap] for monotone, swap in rows])
