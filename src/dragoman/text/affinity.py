"""Which words of a text and of its translation belong together: what is known, helped by spelling and position.

Links of an alignment model or of another engine's attention count most; words spelled alike, numbers and signs come
next. Words about which nothing is known go where they fit between the others: a small hidden Markov model, whose steps
prefer the next word, gives the probability that a target word comes from each source word.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable

import numpy as np
from numpy.typing import NDArray
from rapidfuzz.distance import JaroWinkler

from dragoman.records import Sentence

Link = tuple[int, int, float]  # source token, target token, how sure it is: 0 to 1

ALIKE = 0.84  # from this similarity on, two words may be the same one in two languages
SHORT = 3  # characters of words that grammar needs more than meaning
ROUNDS, RIVALRY = 3, 1.0
CERTAIN = 0.8  # the weight from which on a link of a long word to a short one is believed
RIVALLED = 0.1  # what is left of a link of a short word if a longer one has a link to the same word
# Two words of which nothing is known: both short, both long, one of each, a word and a sign.
BOTH_SHORT, BOTH_LONG, MIXED, SIGN = 0.008, 0.006, 0.004, 0.0002
BACK, AHEAD = 0.35, 0.55  # how much less likely each further step back or ahead is
FAR = 0.004  # any step at all
_SIGNS = str.maketrans("¿¡«»“”„‘’‹›（）！？。，：；、", '?!"""""\'\'\'\'()!?.,:;,')


def affinity(source: Sentence, target: Sentence, links: Iterable[Link] = ()) -> NDArray[np.float64]:
    """[S, T] how likely each target token says what each source token says; the columns sum to one."""
    fits, steps = _emissions(source, target, list(links)), _steps(len(source))
    found = _posterior(fits, steps)
    for _ in range(ROUNDS):
        # A word is rarely said twice: where another target word has more of it, a target word has less.
        found = _posterior(fits * (found / found.max(axis=1, keepdims=True)) ** RIVALRY + 1e-6, steps)
    return found


def _emissions(source: Sentence, target: Sentence, links: list[Link]) -> NDArray[np.float64]:
    """[S, T] how well two words go together, wherever they are."""
    ours, theirs = [folded(word) for word in source.words], [folded(word) for word in target.words]
    found = np.array([[_fit(one, other) for other in theirs] for one in ours])
    claimed = {one for one, other, weight in links if weight >= 0.5 and not is_short(theirs[other])}
    for one, other, weight in links:
        if _is_sign(theirs[other]) != _is_sign(ours[one]):
            continue
        mixed = is_short(ours[one]) and not is_short(theirs[other])
        doubtful = (is_short(theirs[other]) and one in claimed) or (mixed and weight < CERTAIN)
        believed = weight * (RIVALLED if doubtful else 1.0)
        found[one, other] = max(found[one, other], believed)
    return found


def _fit(one: str, other: str) -> float:
    if one == other:
        return 0.4 if is_short(one) else 1.0
    if _is_sign(one) or _is_sign(other):
        return SIGN if _is_sign(one) != _is_sign(other) else MIXED
    short = is_short(one) + is_short(other)
    if short:
        return BOTH_SHORT if short == 2 else MIXED
    if not (one.isalpha() and other.isalpha()):
        return MIXED
    alike = JaroWinkler.similarity(one, other)
    return max(BOTH_LONG, (alike - ALIKE) / (1.0 - ALIKE))


def is_short(word: str) -> bool:
    """Whether a word is rather one of grammar: an article, a preposition."""
    return len(word) <= SHORT and word.isalpha()


def _is_sign(word: str) -> bool:
    return not any(map(str.isalnum, word))


def folded(word: str) -> str:
    """A word without case and accents, a sign as the English one of its kind."""
    if _is_sign(word):
        return word[:1].translate(_SIGNS)
    decomposed = unicodedata.normalize("NFD", word.casefold())
    return "".join(c for c in decomposed if not unicodedata.combining(c)) or word


def _steps(size: int) -> NDArray[np.float64]:
    """[S, S] how likely a step from one source word to another is."""
    steps = np.arange(size)[None, :] - np.arange(size)[:, None] - 1  # 0: to the next
    likely = np.where(steps >= 0, AHEAD ** np.maximum(steps, 0), BACK ** np.maximum(-steps, 0)) + FAR
    return np.asarray(likely / likely.sum(axis=1, keepdims=True), dtype=np.float64)


def _posterior(emissions: NDArray[np.float64], steps: NDArray[np.float64]) -> NDArray[np.float64]:
    """[S, T] forward times backward, each column normalised so that nothing underflows."""
    sources, targets = emissions.shape
    forward, backward = np.empty_like(emissions), np.ones_like(emissions)
    before = AHEAD ** np.arange(sources) + FAR
    for t in range(targets):
        forward[:, t] = (before if t == 0 else forward[:, t - 1] @ steps) * emissions[:, t]
        forward[:, t] /= forward[:, t].sum()
    for t in range(targets - 2, -1, -1):
        backward[:, t] = steps @ (emissions[:, t + 1] * backward[:, t + 1])
        backward[:, t] /= backward[:, t].sum()
    found = forward * backward
    return np.asarray(found / found.sum(axis=0, keepdims=True), dtype=np.float64)
