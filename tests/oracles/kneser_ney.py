"""Interpolated Kneser-Ney counted from scratch, plain and modified: what the online model must always equal."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence

Gram = tuple[str, ...]


class KneserNey:
    """The model of some sentences, of which nothing is kept up to date and everything recomputed."""

    def __init__(self, order: int, sentences: Iterable[Sequence[str]]) -> None:
        self.order = order
        true: Counter[Gram] = Counter()  # c_T
        for sentence in sentences:
            words = ("<s>", *sentence, "</s>")
            for end in range(2, len(words) + 1):
                for k in range(1, min(order, end) + 1):
                    true[words[end - k : end]] += 1
        self.counts = {g: self._count(g, true) for g in true}  # c_X
        self.vocabulary = {g[0] for g in true if len(g) == 1} | {"</s>", "<unk>"}

    def _count(self, g: Gram, true: Counter[Gram]) -> int:
        if len(g) == self.order or g[0] == "<s>":
            return true[g]
        return sum(1 for longer in true if longer[1:] == g)

    def following(self, history: Gram) -> list[int]:
        """c_X of each n-gram that goes on from a history."""
        return [count for g, count in self.counts.items() if g[:-1] == history]

    def discount(self, k: int) -> float:
        """D_k."""
        tallies = Counter(count for g, count in self.counts.items() if len(g) == k)
        if tallies[1] == 0 or tallies[2] == 0:
            return 0.75
        return tallies[1] / (tallies[1] + 2 * tallies[2])

    def held_back(self, k: int, count: int) -> float:
        """What is subtracted from a count of order k; 0 from nothing."""
        return self.discount(k) if count else 0.0

    def prob(self, word: str, history: Sequence[str]) -> float:
        """p(word | history), a history of any length."""
        return self._interpolated(word, tuple(history)[-(self.order - 1) :] if self.order > 1 else ())

    def _interpolated(self, word: str, history: Gram) -> float:
        lower = self._interpolated(word, history[1:]) if history else 1 / len(self.vocabulary)
        following = self.following(history)
        if not following:
            return lower
        count, k = self.counts.get((*history, word), 0), len(history) + 1
        kept = sum(self.held_back(k, each) for each in following)
        return (count - self.held_back(k, count)) / sum(following) + kept / sum(following) * lower

    def statistics(self) -> dict[Gram, tuple[int, int, int]]:
        """Every n-gram and history with c_X, Σ_w c_X(u w) and N1+(u •)."""
        grams = set(self.counts) | {g[:-1] for g in self.counts}
        return {g: (self.counts.get(g, 0), sum(self.following(g)), len(self.following(g))) for g in grams}


class ModifiedKneserNey(KneserNey):
    """The same with three discounts for each order (Chen and Goodman 1999)."""

    def held_back(self, k: int, count: int) -> float:
        """D_1, D_2 or D_3+; D, as with one discount, where its formula has nothing to count or is not positive."""
        times = min(count, 3)
        tallies = Counter(each for g, each in self.counts.items() if len(g) == k)
        one = self.discount(k)
        if times < 2 or not tallies[times] or not tallies[times + 1]:
            return one if times else 0.0
        found = times - (times + 1) * one * tallies[times + 1] / tallies[times]
        return found if found > 0 else one


ORACLES = {"kneser-ney": KneserNey, "modified": ModifiedKneserNey}
