"""A base imported from other tools: a Moses phrase table and an ARPA language model.

What is imported never changes; a `ModelSet` over it learns as over any base. The files leave some things open:

1. A phrase table has counts, so what is learned is summed with them, or interpolated with a share (moses_table.py).
2. An ARPA model has probabilities but no counts: what is learned can only be interpolated with it (arpa.py). Where the
   set has no share, the language model takes one half.
3. There is no alignment model. Pairs of single words in the phrase table stand for its word pairs, so that lexical
   weights are known; jumps and lengths are those of an untrained model.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np

from dragoman.models.alignment import AlignmentModel
from dragoman.models.alignment_kernels import UNIT
from dragoman.models.arpa import read_base
from dragoman.models.knowledge import Knowledge
from dragoman.models.modelset import ModelSet
from dragoman.models.moses_table import read_phrase_table
from dragoman.models.phrases import PhraseModel, PhraseTable
from dragoman.tables import ABSENT
from dragoman.tables.table_kernels import WORD_BITS
from dragoman.text.language_side import LanguageSide
from dragoman.text.tokens import Mode


def import_base(
    phrase_table: str | Path, language: str | Path | None = None, reordering: str | Path | None = None
) -> ModelSet:
    """A base from a Moses phrase table and, optionally, an ARPA file and a Moses reordering table."""
    base = ModelSet()
    base.phrases = read_phrase_table(phrase_table, base.source, base.target, reordering)
    if language is not None:
        base.language = read_base(language, base.target)
    f, e, counts = _single_words(base.phrases)
    _count_links(base.inverse, f, e, counts)
    _count_links(base.direct, e, f, counts)
    return base


def import_knowledge(
    phrase_table: str | Path,
    language: str | Path | None = None,
    reordering: str | Path | None = None,
    *,
    tokens: Mode = "words",
) -> Knowledge:
    """The same as a base of projects: of texts that are tokenised as the table is, or of texts as people write them."""
    knowledge = Knowledge(tokens=tokens)
    knowledge.models = import_base(phrase_table, language, reordering)
    knowledge.source, knowledge.target = (
        LanguageSide(each, tokens) for each in (knowledge.models.source, knowledge.models.target)
    )
    return knowledge


def _single_words(phrases: PhraseModel) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Source word, target word and count of each pair of single words."""
    ids = phrases.pairs.ids
    f, e = (_word(table, paths) for table, paths in zip(_sides(phrases), phrases.pairs.paths(ids), strict=True))
    single = (f != ABSENT) & (e != ABSENT)
    return f[single], e[single], phrases.pairs.columns["counts"][ids[single]].astype(np.int64)


def _sides(phrases: PhraseModel) -> tuple[PhraseTable, PhraseTable]:
    return phrases.sources, phrases.targets


def _word(table: PhraseTable, paths: np.ndarray) -> np.ndarray:
    """The word of each one-word path, ABSENT for longer paths."""
    keys = table.index.keys[paths]
    return np.where(keys >> WORD_BITS == 0, keys, ABSENT)


def _count_links(model: AlignmentModel, f: np.ndarray, e: np.ndarray, counts: np.ndarray) -> None:
    """Link word pairs as often as they were counted, in an empty model p(f | e)."""
    model.tables["links"].add(e << WORD_BITS | f, amount=counts * UNIT)
    model.tables["targets"].add(e, amount=counts * UNIT)
    model.tables["sources"].add(f, amount=counts)
    model.size[0] = len(model.tables["sources"])
