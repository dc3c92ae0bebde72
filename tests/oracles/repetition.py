"""Measures of repetition written down with counters ([O] Eq. 4–6)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

Text = Sequence[Sequence[str]]


def ngrams(text: Text, n: int) -> Counter[tuple[str, ...]]:
    return Counter(tuple(words[i : i + n]) for words in text for i in range(len(words) - n + 1))


def share(part: int, whole: int) -> float:
    return part / whole if whole else 0.0


def mrr(text: Text) -> float:
    return rrr(text, [])


def rrr(text: Text, training: Text) -> float:
    product = 1.0
    for n in range(1, 5):
        new = {gram: count for gram, count in ngrams(text, n).items() if gram not in ngrams(training, n)}
        product *= share(sum(count > 1 for count in new.values()), len(new))
    return float(100 * product**0.25)


def unf(text: Text, training: Text) -> float:
    product = 1.0
    for n in range(1, 5):
        counts, known = ngrams(text, n), ngrams(training, n)
        product *= share(sum(count for gram, count in counts.items() if gram not in known), counts.total())
    return float(100 * product**0.25)


def rr(text: Text, window: int) -> float:
    """Mean of mrr over all windows; sentences that a window cuts are cut."""
    words = [(n, word) for n, row in enumerate(text) for word in row]
    window = min(window, len(words))
    rates = []
    for start in range(len(words) - window + 1):
        inside = words[start : start + window]
        rates.append(mrr([[word for m, word in inside if m == n] for n in range(len(text))]))
    return sum(rates) / len(rates)
