"""Guessed translations of unknown words among the options of a sentence.

A word without a translation of its own is copied. If other forms of it are known, or the parts of a compound, what
these become is on offer too: with the features that it has as their translation, at a discount. The copy stays an
option, and another engine's answer comes first: over it, nothing is guessed.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product
from math import prod
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from dragoman.models.modelset import ModelSet
from dragoman.models.phrases_options_kernels import LEAST, SHARED
from dragoman.search.hypotheses import KINDS
from dragoman.search.options_kernels import COPY, NOWHERE, OPTION, SpanOptions
from dragoman.search.terms import OptionTable
from dragoman.tables import Ids

if TYPE_CHECKING:
    from dragoman.search.options import SentenceOptions

GUESSED = -KINDS.index("guess")  # in place of a target path
DISCOUNT = 0.5  # of the probabilities of a guess, beside those of what was learned
MAX_OPTIONS = 6  # taken over from each known form
MAX_PART_OPTIONS = 2  # and from each part of a compound
MAX_PART_WORDS = 2  # of a part's translation


class Guess(NamedTuple):
    """A translation of a word that is not known, taken from words that are."""

    origin: tuple[str, ...]  # the known words
    target: tuple[int, ...]
    inverse: float  # p(f̃|ẽ)
    direct: float  # p(ẽ|f̃)
    previous: tuple[int, ...]  # orientation counts: monotone, swap, discontinuous
    next: tuple[int, ...]


def find_guesses(models: ModelSet, word: str) -> list[Guess]:
    """What an unknown word may mean, each translation once and the likeliest first; nothing if no relative is known."""
    found: dict[tuple[int, ...], Guess] = {}
    related = models.forms.related(word)
    for guess in _of_forms(models, related) if related else _of_parts(models, models.forms.parts(word)):
        known = found.get(guess.target)
        if known is None or guess.direct > known.direct:
            found[guess.target] = guess
    return sorted(found.values(), key=lambda guess: (-guess.direct, guess.target))


def _of_forms(models: ModelSet, related: list[str]) -> Iterator[Guess]:
    return (guess for form in related for guess in _options(models, form, MAX_OPTIONS))


def _of_parts(models: ModelSet, parts: tuple[str, ...]) -> Iterator[Guess]:
    """The translations of the parts in a row."""
    options = [
        [o for o in _options(models, part, MAX_PART_OPTIONS) if len(o.target) <= MAX_PART_WORDS] for part in parts
    ]
    for chosen in product(*options) if parts else ():
        target = tuple(word for each in chosen for word in each.target)
        if len(target) <= models.phrases.longest:
            likely = prod(o.inverse for o in chosen), prod(o.direct for o in chosen)
            yield Guess(parts, target, *likely, chosen[0].previous, chosen[-1].next)


def _options(models: ModelSet, word: str, most: int) -> list[Guess]:
    ids = models.source.ids([word])
    return [
        Guess((word,), option.target, *models.phrases.probabilities(ids, option.target), option.previous, option.next)
        for option in models.phrases.options(ids, most)
    ]


def add_guesses(found: OptionTable, sentence: SentenceOptions) -> OptionTable:
    """The options with guesses for each word that could only be copied; `sentence.guesses` says where they are from."""
    copied = found.row["start"][found.row["path"] == COPY].tolist()
    fresh = [
        (place, guess)
        for place in copied
        if not sentence.fixed[place]
        for guess in find_guesses(sentence.models, sentence.words[place])
        if not _is_misplaced(guess, sentence)
    ]
    if not fresh:
        return found
    sentence.guesses |= {(place, guess.target): guess.origin for place, guess in fresh}
    ends = found.words.size + np.cumsum([len(guess.target) for _, guess in fresh])
    added = np.zeros(len(fresh), OPTION)
    added["start"] = [place for place, _ in fresh]
    added["end"] = added["start"] + 1
    added["begin"], added["stop"] = np.append(found.words.size, ends[:-1]), ends
    added["path"] = added["pair"] = GUESSED
    added["factor"], added["place"], added["reach"] = 1.0, NOWHERE, NOWHERE
    counts = np.array([_counts(guess) for _, guess in fresh], np.int64)
    words = np.concatenate([found.words, [word for _, guess in fresh for word in guess.target]])
    more = np.concatenate([found.row, added]), words, np.concatenate([found.counts, counts])
    turns = np.concatenate([found.turns, np.array([(guess.previous, guess.next) for _, guess in fresh], np.int64)])
    return OptionTable(found.first, *more, turns)


def score_guesses(sentence: SentenceOptions, options: SpanOptions, turns: Ids) -> None:
    """Give guesses the features that they have as translations of the words they come from; see `complete`."""
    places = np.flatnonzero(options.row["path"] == GUESSED)
    if not places.size:
        return
    row = options.row[places]
    origins = [guessed_from(sentence, options, each) for each in row]
    ends = np.cumsum([len(words) for words in origins])
    row["start"], row["end"] = np.append(0, ends[:-1]), ends
    source = sentence.models.source.ids(word for words in origins for word in words)
    each = np.empty((places.size, 2, 3)), np.empty((places.size, options.features.shape[1]))
    own = SpanOptions(options.first, row, options.words, options.counts[places], *each)
    sentence.complete(own, turns[places], source)
    row["start"], row["end"] = options.row["start"][places], options.row["end"][places]
    options.row[places], options.orientations[places], options.features[places] = row, own.orientations, own.features


def guessed_from(sentence: SentenceOptions, options: SpanOptions, row: np.void) -> tuple[str, ...]:
    """The known words that an option is guessed from, none if it is not."""
    if row["path"] != GUESSED:
        return ()
    return sentence.guesses[int(row["start"]), tuple(options.words[row["begin"] : row["stop"]].tolist())]


def _is_misplaced(guess: Guess, sentence: SentenceOptions) -> bool:
    """Whether a guess has a tag or placeholder, or a word that stands for one that must be kept."""
    fixed, slots = sentence.copies[sentence.fixed], sentence.slots
    return any(word in fixed or (word < slots.size and slots[word]) for word in guess.target)


def _counts(guess: Guess) -> tuple[int, int, int]:
    """The relative frequencies of a guess, in the form that shares have."""
    direct, inverse = (int(SHARED / max(DISCOUNT * each, LEAST)) for each in (guess.direct, guess.inverse))
    return SHARED, direct, inverse
