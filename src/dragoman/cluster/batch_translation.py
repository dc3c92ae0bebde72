"""Large files translated on a cluster: blocks of texts as tasks, every worker with the project open for reading."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from functools import lru_cache
from itertools import islice
from pathlib import Path
from typing import Any, NamedTuple

from dragoman.cluster.runners import Runner
from dragoman.engine import Engine

BLOCK = 50  # texts that make one task


class Found(NamedTuple):
    """A translation, or one of an n-best list."""

    text: str
    score: float
    features: dict[str, float]
    alignment: list[tuple[int, int]]


def translate_all(
    project: Path, texts: Iterable[str], runner: Runner, *, n: int = 1, memory: bool = True
) -> Iterator[list[Found]]:
    """The n best translations of each text, in order, as `Engine.translate` finds them.

    The project's directory must be there, under the same path, wherever tasks are run.
    """
    shared = {"project": str(project.absolute()), "n": n, "memory": memory}
    remaining = iter(texts)
    blocks = iter(lambda: list(islice(remaining, BLOCK)), [])
    for block in runner.run(translate_block, shared, blocks):
        yield from block


def translate_block(shared: Mapping[str, Any], texts: list[str]) -> list[list[Found]]:
    """Task: the translations of some texts."""
    engine = _opened(shared["project"])
    results = []
    for text in texts:
        best = engine.translate(text, n=shared["n"], memory=shared["memory"])
        found = best.nbest or (best,)
        results.append([Found(each.text, each.score, each.features, each.alignment) for each in found])
    return results


@lru_cache(1)
def _opened(project: str) -> Engine:
    """The engine of a worker, which lives as long as the worker does."""
    return Engine.open(project, write=False)
