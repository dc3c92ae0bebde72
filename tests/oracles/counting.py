"""Tables as plain dictionaries: what the hash tables over arrays must always equal."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable


class CountingDict:
    """Keys with one tuple of counts each; a key whose counts are all zero is not there."""

    def __init__(self, width: int) -> None:
        self.width = width
        self.rows: dict[int, tuple[int, ...]] = {}

    def add(self, key: int, amounts: Iterable[int]) -> None:
        """Add to the counts of one key."""
        row = tuple(a + b for a, b in zip(self.rows.get(key, (0,) * self.width), amounts, strict=True))
        self.rows[key] = row
        if not any(row):
            del self.rows[key]

    def merge(self, other: CountingDict) -> None:
        """Add all rows of another one."""
        for key, row in other.rows.items():
            self.add(key, row)


class PathBag:
    """A multiset of paths; a path is there while it, or a longer one, is held."""

    def __init__(self) -> None:
        self.held: Counter[tuple[int, ...]] = Counter()

    def paths(self) -> set[tuple[int, ...]]:
        """All paths that are there: the held ones and their beginnings."""
        return {path[:n] for path, times in self.held.items() if times for n in range(1, len(path) + 1)}
