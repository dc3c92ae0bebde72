"""The HMM alignment model by enumeration: every alignment of a sentence pair written out, one product for each."""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence

UNIT = 2**20
P0 = 0.1

Words = Sequence[str]


class EnumeratedHmm:
    """Counts in dictionaries; position 0 of an alignment is the null word, `None` as a target word too."""

    def __init__(self) -> None:
        self.links: Counter[tuple[str | None, str]] = Counter()
        self.jumps: Counter[tuple[int, int, int]] = Counter()
        self.sources: Counter[str] = Counter()

    def apply(
        self,
        source: Words,
        target: Words,
        links: Iterable[tuple[int, int, int]],
        jumps: Iterable[tuple[int, int, int]],
        sign: int = 1,
    ) -> None:
        """Add what a sample contributes: (j, i, units) with j from 0, and (i′, i, units)."""
        for j, i, units in links:
            self.links[target[i - 1] if i else None, source[j]] += sign * units
        for previous, i, units in jumps:
            self.jumps[len(target), previous, i] += sign * units
        for word in source:
            self.sources[word] += sign

    def lexical(self, f: str, e: str | None) -> float:
        """p(f|e), interpolated with the uniform distribution."""
        size = max(1, sum(times > 0 for times in self.sources.values()))
        whole = sum(units for (word, _), units in self.links.items() if word == e)
        return 0.9 * self.links[e, f] / whole + 0.1 / size if whole else 1 / size

    def jump(self, i: int, previous: int, I: int) -> float:
        """p(i|i′, I), interpolated with the uniform distribution."""
        whole = sum(self.jumps[I, previous, k] for k in range(1, I + 1))
        return 0.7 * self.jumps[I, previous, i] / whole + 0.3 / I if whole else 1 / I

    def alignments(self, source: Words, target: Words) -> Iterator[tuple[tuple[int, ...], float]]:
        """Every alignment with its probability."""
        I = len(target)
        for alignment in itertools.product(range(I + 1), repeat=len(source)):
            at, probability = 0, 1.0
            for f, i in zip(source, alignment, strict=True):
                if i == 0:
                    probability *= P0 * self.lexical(f, None)
                else:
                    probability *= (1 - P0) * self.jump(i, at, I) * self.lexical(f, target[i - 1])
                    at = i
            yield alignment, probability

    def probability(self, source: Words, target: Words) -> float:
        """p(source | target)."""
        return sum(probability for _, probability in self.alignments(source, target))

    def expectations(self, source: Words, target: Words) -> tuple[Counter[tuple[int, int]], Counter[tuple[int, int]]]:
        """Expected links (j, i) and jumps (i′, i) of a sentence pair."""
        whole = self.probability(source, target)
        links: Counter[tuple[int, int]] = Counter()
        jumps: Counter[tuple[int, int]] = Counter()
        for alignment, probability in self.alignments(source, target):
            at = 0
            for j, i in enumerate(alignment):
                links[j, i] += probability / whole  # type: ignore[assignment]
                if i:
                    jumps[at, i] += probability / whole  # type: ignore[assignment]
                    at = i
        return links, jumps

    def epoch(self, pairs: Sequence[tuple[Words, Words]]) -> None:
        """One epoch of batch EM: all counts replaced by those expected under them."""
        fresh = EnumeratedHmm()
        for source, target in pairs:
            links, jumps = self.expectations(source, target)
            fresh.apply(
                source,
                target,
                [(j, i, round(UNIT * share)) for (j, i), share in links.items()],
                [(previous, i, round(UNIT * share)) for (previous, i), share in jumps.items()],
            )
        self.links, self.jumps, self.sources = fresh.links, fresh.jumps, fresh.sources
