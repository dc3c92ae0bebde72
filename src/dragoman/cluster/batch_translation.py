"""Translating large files on a cluster: a task is a block of texts, and every worker has the project open."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from functools import lru_cache
from itertools import islice
from pathlib import Path
from typing import Any, NamedTuple

from dragoman.cluster.runners import Runner
from dragoman.engine import Engine

BLOCK = 50  # texts per task


class BatchTranslation(NamedTuple):
    """A translation, or one of an n-best list."""

    text: str
    score: float
    features: dict[str, float]
    alignment: list[tuple[int, int]]


def translate_all(
    project: Path, texts: Iterable[str], runner: Runner, *, n: int = 1, memory: bool = True
) -> Iterator[list[BatchTranslation]]:
    """The n best translations of each text, in order, as `Engine.translate` finds them.

    Every worker needs the project's directory under the same path.
    """
    shared = {"project": str(project.absolute()), "n": n, "memory": memory}
    remaining = iter(texts)
    blocks = iter(lambda: list(islice(remaining, BLOCK)), [])
    for block in runner.run(translate_block, shared, blocks):
        yield from block


def translate_block(shared: Mapping[str, Any], texts: list[str]) -> list[list[BatchTranslation]]:
    """Task: the translations of some texts."""
    engine = _opened(shared["project"])
    results = []
    for text in texts:
        best = engine.translate(text, n=shared["n"], memory=shared["memory"])
        found = best.nbest or (best,)
        results.append([BatchTranslation(each.text, each.score, each.features, each.alignment) for each in found])
    return results


@lru_cache(1)
def _opened(project: str) -> Engine:
    """A worker's engine, which lives as long as the worker."""
    return Engine.open(project, write=False)
