"""Search for the best translation that begins with given words, or consists of them.

Options that agree with the given words are offered once more for each position at which they do. Where the models do
not offer the given words, options with nearly the same words take their place (constrained_edits.py), and any word may
be inserted by itself. So there is always a result.

Deriving a whole reference is stricter, and so is completing an unfinished word: a word that the models do not offer
either translates a source word, with the features that the models have for the two (an unseen phrase pair, [O] Eq. 8)
and STRANGE surcharges, or is inserted for twice as many. A source word that a whole reference leaves untranslated costs
STRANGE surcharges too, and a word that is the copy of a source word translates no other.

>>> Prefix.of(["pulse", "el"])
Prefix(words=('pulse', 'el'), unfinished=False, whole=False)
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from dragoman.errors import BadInputError
from dragoman.models import lengths_kernels
from dragoman.search import constrained_kernels as kernels
from dragoman.search import lm_cache_kernels
from dragoman.search.constrained_edits import nearly
from dragoman.search.options import SentenceOptions, new_span_options, selected
from dragoman.search.options_kernels import ADDED, COPY, GIVEN, INSERTED, NOWHERE, OPTION, STRANGE, SpanOptions
from dragoman.tables import Ids

COMPLETIONS = 10  # tried for an unfinished word where no option offers one
PLACES = 50_000  # most pairs of a prefix word and a source word tried; in long sentences, those near the diagonal
NEAREST = 10  # source words, either side of the diagonal, that are always tried


@dataclass(frozen=True)
class Prefix:
    """Words that a translation must begin with."""

    words: tuple[str, ...]
    unfinished: bool = False  # whether the last of them is only the beginning of a word
    whole: bool = False  # whether nothing may follow: the translation is known, and its derivation is wanted

    def __post_init__(self) -> None:
        if isinstance(self.words, str):
            raise BadInputError("a prefix is a list of words, not one string", remedy="split it first")
        if not all(self.words):
            raise BadInputError("the prefix has a word without any characters", remedy="leave it out")
        if self.whole and (self.unfinished or not self.words):
            raise BadInputError("a whole translation needs at least one word, and no unfinished one")

    @property
    def strict(self) -> bool:
        """Whether phrases must agree with it word for word."""
        return self.whole or self.unfinished

    @classmethod
    def of(cls, prefix: Prefix | Sequence[str] | None) -> Prefix:
        """The prefix itself, or one made of finished words."""
        return prefix if isinstance(prefix, Prefix) else cls(tuple(prefix or ()))


NO_PREFIX = Prefix(())


class Blocks(NamedTuple):
    """Options that agree with a prefix, by the number of its words already produced."""

    first: Ids  # [P + 1] the blocks for n words produced so far are first[n] … first[n + 1] - 1
    block: Ids  # [blocks, 5] start and end of the span, first option, one past the last, words produced after it


NO_BLOCKS = Blocks(np.zeros(1, np.int64), np.empty((0, 5), np.int64))


def constrain(sentence: SentenceOptions, prefix: Prefix, language_state: int) -> tuple[SpanOptions, Blocks]:
    """The options, followed by those for each position of a prefix, and where to find these.

    `language_state` is the state of the language model before the first word.
    """
    options = sentence.options
    free = options.row.size
    ids = sentence.spelling.ids(prefix.words)
    near = _diagonal(sentence, prefix)
    extra = _extra(sentence, options, _given(sentence, options, prefix, ids, language_state), near, prefix.strict)
    joined = _joined(options, extra)
    starts = _starting(sentence, joined.words, prefix)
    rows = kernels.agreeing(joined, ids, prefix.unfinished, starts, prefix.whole, near)
    if not prefix.strict:
        edited, places = nearly(sentence, options, ids, near)
        rows = np.concatenate([rows, places + np.array([0, joined.row.size, 0])])
        joined = _joined(joined, edited)
    options, (at, option, reached) = joined, rows.T
    start, end, estimate = (options.row[name][option] for name in ("start", "end", "estimate"))
    order = np.lexsort((option, -estimate, reached, end, start, at))
    blocks = _blocks(at[order], start[order], end[order], reached[order], free, ids.size)
    options = selected(options, np.concatenate([np.arange(free), option[order]]))
    if prefix.strict:
        kernels.fill_kin_of_given(options, free, np.empty(sentence.ids.size, np.int64))
    else:
        _own_kin(options)
    return options, blocks


def _own_kin(options: SpanOptions) -> None:
    """Make options that start elsewhere than the option they were made from their own kin."""
    row = options.row
    moved = np.flatnonzero(row["start"] != row["start"][row["kin"]])
    row["kin"][moved] = moved


def _diagonal(sentence: SentenceOptions, prefix: Prefix) -> Ids:
    """[P, 2] the source words, first and one past the last, that each word of the prefix may translate."""
    J, P = sentence.ids.size, len(prefix.words)
    lengths = sentence.models.lengths.view
    ratio = J / P if prefix.whole else lengths_kernels.pooled_ratio(lengths.pooled, lengths.base_pooled)[0]
    middle = np.minimum(np.arange(P) * ratio, J - 1).astype(np.int64)
    width = max(NEAREST, PLACES // (2 * P))
    return np.stack([np.maximum(middle - width, 0), np.minimum(middle + width + 1, J)], axis=1)


def _starting(sentence: SentenceOptions, words: Ids, prefix: Prefix) -> NDArray[np.bool_]:
    """[n] which words begin with the unfinished word of the prefix."""
    if not prefix.unfinished:
        return np.zeros(words.size, np.bool_)
    different, places = np.unique(words, return_inverse=True)
    spelled = sentence.spelling.words(different)
    fits = np.array([word.startswith(prefix.words[-1]) for word in spelled], np.bool_)
    return fits[places]


def _given(sentence: SentenceOptions, options: SpanOptions, prefix: Prefix, ids: Ids, language_state: int) -> Ids:
    """[n, 2] each position of the prefix with a word that may fill it where no option does.

    For an unfinished word these are the word as it is, and likely completions.
    """
    places = np.arange(ids.size)
    if not prefix.unfinished:
        return np.stack([places, ids], axis=1)
    fitting = np.unique(options.words[_starting(sentence, options.words, prefix)])
    _, state = lm_cache_kernels.say(sentence.memo, sentence.language, language_state, ids, 0, ids.size - 1)
    answers = np.empty(fitting.size)
    kernels.fill_answers(sentence.memo, sentence.language, state, fitting, answers)
    likely = fitting[np.argsort(-answers, kind="stable")[:COMPLETIONS]]
    return np.stack([np.append(places, np.full(likely.size, ids.size - 1)), np.append(ids, likely)], axis=1)


def _extra(sentence: SentenceOptions, options: SpanOptions, given: Ids, near: Ids, strict: bool) -> SpanOptions:
    """For each given word an option to insert it; if strict, also one for each source word that it may translate."""
    rows = [(0, 0, word, INSERTED) for word in sorted(set(given[:, 1].tolist()))]
    if strict:
        rows += [(s, s + 1, word, GIVEN) for s, word in _strange(sentence, options, given, near)]
    start, end, words, kind = np.array(rows, np.int64).T.copy()
    made = np.zeros(words.size, OPTION)
    made["start"], made["end"], made["path"], made["pair"], made["factor"] = start, end, kind, kind, 1.0
    added = np.where(words < sentence.spelling.first, ADDED, ADDED + 1)  # a word that the models do not know
    made["place"] = made["reach"] = NOWHERE
    made["surcharges"] = np.where(kind == GIVEN, STRANGE, 2 * STRANGE if strict else added)
    made["begin"] = np.arange(words.size)
    made["stop"] = made["begin"] + 1
    extra = new_span_options(options.first, made, words, np.zeros((words.size, 3), np.int64))
    sentence.complete(extra, np.zeros((words.size, 2, 3), np.int64), aligned=strict)
    return extra


def _strange(sentence: SentenceOptions, options: SpanOptions, given: Ids, near: Ids) -> list[tuple[int, int]]:
    """Pairs of a source word and a given word that may translate it, though no option says so."""
    row = options.row
    single = row[(row["end"] - row["start"] == 1) & (row["stop"] - row["begin"] == 1)]
    offered = set(zip(single["start"].tolist(), options.words[single["begin"]].tolist(), strict=True))
    copied = set(options.words[row["begin"][row["path"] == COPY]].tolist())
    fixed = set(np.flatnonzero(sentence.fixed).tolist())
    wanted = {(s, w) for place, w in given.tolist() if w not in copied for s in range(*near[place]) if s not in fixed}
    return sorted(wanted - offered)


def _joined(options: SpanOptions, more: SpanOptions) -> SpanOptions:
    """Options followed by more options."""
    row = more.row.copy()
    row["begin"] += options.words.size
    row["stop"] += options.words.size
    parts = zip(options[1:], more._replace(row=row)[1:], strict=True)
    return SpanOptions(options.first, *(np.concatenate(pair) for pair in parts))


def _blocks(at: Ids, start: Ids, end: Ids, reached: Ids, free: int, P: int) -> Blocks:
    """Runs of equal rows: the search makes one cube of each."""
    keys = np.stack([at, start, end, reached])
    begins = np.flatnonzero(np.append(True, (keys[:, 1:] != keys[:, :-1]).any(axis=0)))
    ends = np.append(begins[1:], at.size)
    block = np.stack([start[begins], end[begins], free + begins, free + ends, reached[begins]], axis=1)
    return Blocks(np.searchsorted(at[begins], np.arange(P + 1)), np.ascontiguousarray(block))
