"""The phrase model as one dictionary from pairs of phrases to what was counted of them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from tests.oracles.extraction import extract

Words = tuple[int, ...]
Pair = tuple[Words, Words]
Sample = tuple[Sequence[int], Sequence[int], Sequence[tuple[int, int]]]


class PhraseCounts:
    """Counts of instances: a pair of phrases with its orientation towards previous and next."""

    def __init__(self, longest: int = 7) -> None:
        self.longest = longest
        self.instances: Counter[tuple[Pair, str, str]] = Counter()

    def add(self, sample: Sample, sign: int = 1) -> None:
        """Count the phrase pairs of a sentence pair, or take them back."""
        f, e, links = sample
        for (source, target), (previous, following) in extract(links, len(f), len(e), self.longest).items():
            pair = tuple(f[slice(*source)]), tuple(e[slice(*target)])
            self.instances[pair, previous, following] += sign

    def contents(self) -> list[tuple[Words, Words, tuple[int, ...]]]:
        """As `PhraseModel.contents`: count, and monotone and swap of previous, then of next."""
        rows: dict[Pair, list[int]] = {}
        for (pair, previous, following), n in self.instances.items():
            row = rows.setdefault(pair, [0] * 5)
            is_so = previous == "monotone", previous == "swap", following == "monotone", following == "swap"
            for column, so in enumerate((True, *is_so)):
                row[column] += n * so
        return sorted((f, e, tuple(row)) for (f, e), row in rows.items() if any(row))

    def options(self, source: Words, limit: int) -> list[tuple[Words, int, int, int, Words, Words]]:
        """Translations of a phrase, best first: target, count, totals of source and target, orientations."""
        counts = {(f, e): row for f, e, row in self.contents()}
        of_source = sum(row[0] for (f, _), row in counts.items() if f == source)
        found: list[tuple[Words, int, int, int, Words, Words]] = []
        for (f, e), (count, previous_m, previous_s, next_m, next_s) in counts.items():
            if f == source and count > 0:
                of_target = sum(row[0] for (_, other), row in counts.items() if other == e)
                previous = previous_m, previous_s, count - previous_m - previous_s
                following = next_m, next_s, count - next_m - next_s
                found.append((e, count, of_source, of_target, previous, following))
        return sorted(found, key=lambda option: (-option[1], len(option[0]), option[0]))[:limit]
