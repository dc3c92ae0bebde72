"""Will online learning pay off on a text? It will if the new parts of the text repeat ([O] §3.3).

>>> manual = ["turn the printer off", "open the lid", "turn the printer on and wait", "turn the printer off again"]
>>> text = [line.split() for line in manual]
>>> found = repetition(text, training=[["open", "the", "lid"]])
>>> f"{found.mrr:.1f} {found.rrr:.1f} {found.unf:.1f}"
'29.5 33.3 84.7'
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from dragoman.errors import BadInputError
from dragoman.kernels import exercise
from dragoman.measure import repetition_kernels as kernels
from dragoman.measure.sentences import Sentences, number
from dragoman.models.language import LanguageModel

ORDERS = 4  # n-grams of 1…4 words
WINDOW = 1000  # words

# RRR · UNF / 100 that the tasks of [O] had, and what learning online gained there: Europarl under 1 and 1.5 BLEU, XRCE
# from 2 to 4 and 6 BLEU, EMEA 13 and 20 BLEU (Tables 1–4, 6, 7).
WORTHWHILE = 2.0
GREAT = 7.0

Names = NDArray[np.int64]  # [words] the n-gram that begins at each word, as a number; -1 for none


@dataclass(frozen=True)
class Repetition:
    """Repetition in a text, in percent; each figure is a geometric mean over n-grams of 1…4 words."""

    mrr: float  # distinct n-grams that occur more than once
    rrr: float  # the same, of the n-grams that the training corpus does not have
    unf: float  # running n-grams that the training corpus does not have
    rr: float  # like mrr, but in a window of 1,000 words: mean over all of them; comparable between texts of any size


def repetition(
    text: Iterable[Sequence[str]], training: Iterable[Sequence[str]] | LanguageModel | None = None
) -> Repetition:
    """Repetition in a text, and against a training corpus; both are lists of sentences, split into words.

    A language model stands in for its training corpus, all n-grams of which it has.
    """
    known: dict[str, int] = {}
    words = number(_cut(text), known)
    if not len(words.ids):
        raise BadInputError("the text has no words", remedy="pass at least one sentence")
    model = training if isinstance(training, LanguageModel) else None
    reach = np.zeros(len(words.ids), np.int64) if model is None else _reach(model, words, list(known))
    learned = number(_cut([] if isinstance(training, LanguageModel) else training or []), known, add=False)
    all_names = np.empty((ORDERS, len(words.ids)), np.int64)
    shares = np.empty((ORDERS, 3))
    names = words.ids, learned.ids
    for n in range(ORDERS):
        names = _lengthen(words, learned, n, names) if n else names
        all_names[n] = names[0]
        shares[n] = _shares(names[0], np.concatenate([names[1], names[0][reach > n]]))
    mrr, rrr, unf = (100 * shares.prod(0) ** (1 / ORDERS)).tolist()
    return Repetition(mrr, rrr, unf, rr=100 * float(kernels.window_rate(all_names, min(WINDOW, len(words.ids)))))


def advice(found: Repetition) -> str:
    """A sentence that says whether online learning will pay off, and why.

    >>> print(advice(Repetition(mrr=14.1, rrr=3.4, unf=16.6, rr=5.2)))
    Online learning will bring little here: 16.6 % of the text is new (UNF), of which 3.4 % comes back (RRR).
    """
    usable = found.rrr * found.unf / 100
    verdict = "will pay off" if usable >= WORTHWHILE else "will bring little"
    greatly = " greatly" if usable >= GREAT else ""
    return (
        f"Online learning {verdict}{greatly} here: {found.unf:.1f} % of the text is new (UNF), "
        f"of which {found.rrr:.1f} % comes back (RRR)."
    )


def _cut(text: Iterable[Sequence[str]]) -> Iterable[Sequence[str]]:
    """The sentences, if they are lists of words: a string would be taken as a list of characters."""
    for n, words in enumerate(text):
        if isinstance(words, str):
            raise BadInputError(f"sentence {n} is a string", remedy="split it into words, for example with .split()")
        yield words


def _reach(model: LanguageModel, words: Sentences, vocabulary: Sequence[str]) -> Names:
    """[words] how many words, starting from each, the model has seen as one n-gram, up to ORDERS."""
    if model.order < ORDERS:
        remedy = "compare with the training text instead"
        raise BadInputError(
            f"the language model has n-grams of {model.order} words at most, not {ORDERS}", remedy=remedy
        )
    ids = model.vocabulary.ids(vocabulary)[words.ids]
    reach: Names = kernels.reach(model.view, ids, words.starts, ORDERS)
    return reach


def _lengthen(text: Sentences, training: Sentences, n: int, shorter: tuple[Names, Names]) -> tuple[Names, Names]:
    """Names of the n-grams of n + 1 words in text and training, from those of n words; -1 for any not in the text."""
    base = int(text.ids.max()) + 1
    of_text, of_training = _keys(text, n, shorter[0], base), _keys(training, n, shorter[1], base)
    found = np.unique(of_text[of_text >= 0])
    return _places(of_text, found), _places(of_training, found)


def _keys(sentences: Sentences, n: int, shorter: Names, base: int) -> Names:
    """A number for each n-gram: the name of all but its last word, and that word; -1 past the end of a sentence."""
    keys = np.full(len(shorter), -1)
    last = np.full(len(shorter), -1)
    last[: max(0, len(shorter) - n)] = sentences.ids[n:]
    ends = np.repeat(sentences.starts[1:], sentences.lengths)
    whole = (shorter >= 0) & (last >= 0) & (np.arange(len(shorter)) + n < ends)
    keys[whole] = shorter[whole] * base + last[whole]
    return keys


def _places(keys: Names, found: Names) -> Names:
    """Where each key stands in a sorted array, -1 if nowhere."""
    if not len(found):
        return np.full(len(keys), -1)
    places = np.minimum(np.searchsorted(found, keys), len(found) - 1)
    return np.where(found[places] == keys, places, -1)


def _shares(text: Names, training: Names) -> tuple[float, float, float]:
    """Of n-grams of one length: distinct ones that repeat, the same of new ones, and running ones that are new."""
    counts = np.bincount(text[text >= 0])
    new = np.ones(len(counts), np.bool_)
    new[training[training >= 0]] = False
    repeated = counts > 1
    return (
        repeated.sum() / max(1, len(counts)),
        (repeated & new).sum() / max(1, new.sum()),
        counts[new].sum() / max(1, counts.sum()),
    )


@exercise
def _exercise() -> None:
    repetition([["a", "b", "a"]], LanguageModel())
