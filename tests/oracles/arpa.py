"""ARPA files, read slowly."""

from __future__ import annotations

import gzip
import math
from pathlib import Path


class Arpa:
    """A back-off model: log₁₀ p and log₁₀ back-off weight by n-gram."""

    def __init__(self, path: Path) -> None:
        raw = path.read_bytes()
        text = (gzip.decompress(raw) if raw[:2] == b"\x1f\x8b" else raw).decode()
        rows = [line.split("\t") for line in text.split("\n") if "\t" in line]
        self.scores = {tuple(row[1].split(" ")): float(row[0]) for row in rows}
        self.weights = {tuple(row[1].split(" ")): float(row[2]) for row in rows if len(row) > 2}
        self.order = max(map(len, self.scores))

    def prob(self, word: str, history: list[str]) -> float:
        """p(word | history): of the longest n-gram listed, times the weights of the histories that lack it."""
        words = [each if (each,) in self.scores else "<unk>" for each in [*history, word]][-self.order :]
        gram, weight = tuple(words), 0.0
        while gram not in self.scores:
            weight += self.weights.get(gram[:-1], 0.0)
            gram = gram[1:]
        return math.pow(10.0, weight + self.scores[gram])

    def score(self, sentence: list[str]) -> float:
        """Natural log of the probability of a sentence."""
        words = ["<s>", *sentence, "</s>"]
        return math.fsum(math.log(self.prob(words[i], words[:i])) for i in range(1, len(words)))
