"""Symmetrisation written down as sets of links, in the order of Moses' symal; or from posteriors, cell by cell."""

from __future__ import annotations

import math
from collections.abc import Sequence
from fractions import Fraction

Link = tuple[int, int]  # (target, source), from 1: sorted as Moses visits them

NEIGHBOURS = [(-1, 0), (0, -1), (1, 0), (0, 1), (-1, -1), (-1, 1), (1, -1), (1, 1)]


def symmetrise(a: Sequence[int], b: Sequence[int], kind: str) -> list[tuple[int, int]]:
    """Links as (source, target) from 0, sorted."""
    direct = {(i, j) for j, i in enumerate(a, 1) if i}
    inverse = {(i, j) for i, j in enumerate(b, 1) if j}
    links = direct | inverse if kind == "union" else direct & inverse
    if kind.startswith("grow-diag"):
        links = grow(links, direct | inverse)
        if kind.startswith("grow-diag-final"):
            for side in (inverse - direct, direct - inverse):
                final(links, side, both=kind.endswith("-and"))
    return sorted((j - 1, i - 1) for i, j in links)


def agree(
    inverse: Sequence[Sequence[float]], direct: Sequence[Sequence[float]], threshold: float
) -> list[tuple[int, int]]:
    """Links as (source, target) from 0: where the product of both posteriors, each rounded to 2⁻²⁰, is greater."""

    def rounded(posterior: float) -> Fraction:
        return Fraction(math.floor(posterior * 2**20 + 0.5), 2**20)

    return [
        (j, i)
        for j in range(len(inverse))
        for i in range(len(direct))
        if rounded(inverse[j][i + 1]) * rounded(direct[i][j + 1]) > Fraction(threshold)
    ]


def complete(links: list[tuple[int, int]], a: Sequence[int], b: Sequence[int]) -> list[tuple[int, int]]:
    """Links as (source, target) from 0, and those of b, then of a, between words that both have none."""
    found = {(i + 1, j + 1) for j, i in links}
    final(found, {(i, j) for i, j in enumerate(b, 1) if j}, both=True)
    final(found, {(i, j) for j, i in enumerate(a, 1) if i}, both=True)
    return sorted((j - 1, i - 1) for i, j in found)


def grow(links: set[Link], union: set[Link]) -> set[Link]:
    """Neighbours in the union that link a word without a link, until there are none."""
    links = set(links)
    added = True
    while added:
        added = False
        visited: Link = (0, 0)
        while ahead := sorted(link for link in links if link > visited):
            visited = ahead[0]
            for step in NEIGHBOURS:
                link = (visited[0] + step[0], visited[1] + step[1])
                if link in union and not (link[0] in targets(links) and link[1] in sources(links)):
                    links.add(link)
                    added = True
    return links


def final(links: set[Link], side: set[Link], *, both: bool) -> None:
    """Links of one direction for words without a link."""
    for i, j in sorted(side):
        if both:
            free = i not in targets(links) and j not in sources(links)
        else:
            free = i not in targets(links) or j not in sources(links)
        if free:
            links.add((i, j))


def targets(links: set[Link]) -> set[int]:
    """Target words with a link."""
    return {i for i, _ in links}


def sources(links: set[Link]) -> set[int]:
    """Source words with a link."""
    return {j for _, j in links}
