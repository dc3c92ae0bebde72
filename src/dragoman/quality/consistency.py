"""The pairs of a document compared with each other: one source should have one translation, and the reverse."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TypeVar

from dragoman.quality.finding import Finding

Id = TypeVar("Id", int, str)


def find_inconsistencies(pairs: Iterable[tuple[Id, str, str]]) -> Iterator[tuple[Id, Finding]]:
    """Numbers or names of pairs (number, source, target) that contradict an earlier one, and how.

    >>> pairs = [(1, "Lid", "Tapa"), (2, "Lid", "Cubierta"), (3, "Cover", "Tapa"), (4, "Cup", "")]
    >>> for number, finding in find_inconsistencies(pairs):
    ...     print(number, finding.what)
    2 segment 1 has the same source, but “Tapa”
    3 segment 1 is translated the same, but is “Lid”
    """
    by_source: dict[str, tuple[Id, str]] = {}
    by_target: dict[str, tuple[Id, str]] = {}
    for number, source, target in pairs:
        if not target.strip():
            continue
        first, said = by_source.setdefault(source, (number, target))
        if said != target:
            yield number, Finding("same-source", f"segment {first} has the same source, but “{_short(said)}”")
        first, meant = by_target.setdefault(target, (number, source))
        if meant != source:
            yield number, Finding("same-target", f"segment {first} is translated the same, but is “{_short(meant)}”")


def _short(text: str) -> str:
    return text if len(text) <= 60 else f"{text[:59]}…"
