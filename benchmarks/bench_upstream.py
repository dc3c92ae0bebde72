"""What dragoman adds to another engine: one translation from what that one says and what corrections taught.

    python benchmarks/bench_upstream.py                                  # four texts, two engines, all systems
    python benchmarks/bench_upstream.py desktop pydocs --part dev        # where settings are chosen
    python benchmarks/bench_upstream.py newstest --segments 3000 --tenths  # no harm where there is nothing to learn
    python benchmarks/bench_upstream.py desktop --systems engine fused --engines nmt

From nothing: every segment is translated, scored against its reference, and then the reference is learned. Cased text,
BLEU with sacrebleu's defaults. What the engines say is read from recordings (`--recorded`), one line a segment. A star
marks systems that are significantly better than the engine alone, two better than dragoman alone and the memory too
(paired bootstrap, p < 0.05).

- engine: what the other engine says
- alone: dragoman without it
- memory: the correction of the same source if there is one, otherwise what the engine says
- crude: what the engine says is learned as if it were a correction, the source translated, that forgotten again; the
  reference is learned four times
- fused: `translate(source, upstream=…)` and `learn(source, reference, upstream=…)`
"""

from __future__ import annotations

import argparse
import tempfile
import time
from collections.abc import Callable
from contextlib import suppress
from itertools import islice
from pathlib import Path
from typing import NamedTuple

import numpy as np

from dragoman.engine import Engine
from dragoman.errors import DragomanError
from dragoman.measure import Bleu, Ter, bootstrap
from dragoman.text.reading import lines

SHARED = Path(__file__).parents[2] / "shared"
TEXTS = ("desktop", "pydocs", "tico19", "newstest")
ENGINES = ("nmt", "apertium")


class Segment(NamedTuple):
    """A source, what the other engine says, and the reference."""

    source: str
    upstream: str
    reference: str


class Run(NamedTuple):
    """What a system has said of all segments, and the milliseconds it took."""

    texts: list[str]
    translating: list[float]
    learning: list[float]


def read(text: str, part: str, engine: str, count: int, recorded: Path) -> list[Segment]:
    """The first segments of a text; those with an empty side are left out."""
    name = f"{text}-en-es"
    corpus = SHARED / "corpora" / name
    paths = corpus / f"{part}.en.gz", recorded / f"{name}.{part}.{engine}.es.gz", corpus / f"{part}.es.gz"
    texts = (islice(lines(path), count) for path in paths)
    rows = (Segment(*row) for row in zip(*texts, strict=False))
    return [row for row in rows if row.source.strip() and row.reference.strip()]


def engine_alone(_: Engine, segment: Segment) -> str:
    """What the other engine says."""
    return segment.upstream


def alone(engine: Engine, segment: Segment) -> str:
    """What dragoman says."""
    return engine.translate(segment.source).text


def memory(engine: Engine, segment: Segment) -> str:
    """The correction of the same source, or what the other engine says."""
    known = engine.exact_match(segment.source)
    return known.target if known else segment.upstream


def crude(engine: Engine, segment: Segment) -> str:
    """Learned as if it were a correction, for this translation only."""
    number = engine.learn(segment.source, segment.upstream, force=True)
    try:
        return engine.translate(segment.source, memory=False).text
    finally:
        engine.forget(number)


def fused(engine: Engine, segment: Segment) -> str:
    """One translation from both."""
    return engine.translate(segment.source, upstream=segment.upstream).text


def learn(engine: Engine, segment: Segment) -> None:
    """Learn the reference."""
    engine.learn(segment.source, segment.reference, force=True)


def learn_often(engine: Engine, segment: Segment) -> None:
    """Learn the reference four times."""
    for _ in range(4):
        learn(engine, segment)


def learn_both(engine: Engine, segment: Segment) -> None:
    """Learn the reference, and what it says of the other engine."""
    engine.learn(segment.source, segment.reference, upstream=segment.upstream, force=True)


def nothing(_: Engine, __: Segment) -> None:
    """Learn nothing."""


SYSTEMS: dict[str, tuple[Callable[[Engine, Segment], str], Callable[[Engine, Segment], None]]] = {
    "engine": (engine_alone, nothing),
    "alone": (alone, learn),
    "memory": (memory, learn),
    "crude": (crude, learn_often),
    "fused": (fused, learn_both),
}


def work(system: str, segments: list[Segment], prepare: Callable[[Engine], object] = id) -> Run:
    """Translate and learn segment by segment, from nothing."""
    translate, then = SYSTEMS[system]
    run = Run([], [], [])
    with (
        tempfile.TemporaryDirectory() as directory,
        Engine.create(Path(directory) / "project", source="en", target="es") as engine,
    ):
        prepare(engine)
        for segment in segments:
            began = time.perf_counter()
            run.texts.append(translate(engine, segment))
            translated = time.perf_counter()
            with suppress(DragomanError):
                then(engine, segment)
            run.translating.append(1e3 * (translated - began))
            run.learning.append(1e3 * (time.perf_counter() - translated))
    return run


def report(label: str, runs: dict[str, Run], segments: list[Segment]) -> None:
    """One line for each system."""
    references = [segment.reference for segment in segments]
    bleu = {name: Bleu().statistics(run.texts, references) for name, run in runs.items()}
    ter = {name: Ter().statistics(run.texts, references) for name, run in runs.items()}
    for name, run in runs.items():
        better = {other: _better(bleu[other], bleu[name]) for other in ("engine", "alone", "memory") if other in bleu}
        stars = "*" * (better.get("engine", False) + (len(better) > 1 and all(better.values())))
        scores = Bleu().score(bleu[name].sum(0)), Ter().score(ter[name].sum(0))
        times = f"{np.median(run.translating):.1f} | {np.median(run.learning):.1f}"
        print(f"| {label} | {name} | {scores[0]:.2f}{stars} | {scores[1]:.1f} | {times} |", flush=True)


def _better(baseline: np.ndarray, system: np.ndarray) -> bool:
    comparison = bootstrap(Bleu(), baseline, system)
    return comparison.p_value < 0.05 and comparison.difference.score > 0


def tenths(label: str, runs: dict[str, Run], segments: list[Segment]) -> None:
    """How each tenth of the segments compares with the engine alone."""
    references = [segment.reference for segment in segments]
    engine = Bleu().statistics([segment.upstream for segment in segments], references)
    for name in runs.keys() - {"engine"}:
        system = Bleu().statistics(runs[name].texts, references)
        for place, part in enumerate(np.array_split(np.arange(len(segments)), 10), start=1):
            print(f"| {label} | {name}, tenth {place} | {bootstrap(Bleu(), engine[part], system[part])} |", flush=True)


def main() -> None:
    """Measure."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("texts", nargs="*", default=TEXTS, help=f"of {', '.join(TEXTS)}, europarl")
    parser.add_argument("--engines", nargs="+", default=ENGINES)
    parser.add_argument("--systems", nargs="+", default=list(SYSTEMS), choices=list(SYSTEMS))
    parser.add_argument("--part", default="test", choices=("dev", "test"))
    parser.add_argument("--segments", type=int, default=1000)
    parser.add_argument("--recorded", type=Path, default=SHARED / "engines" / "recorded")
    parser.add_argument("--tenths", action="store_true", help="compare each tenth of the segments with the engine")
    given = parser.parse_args()
    print("| text, engine | system | BLEU | TER | translating, ms | learning, ms |\n|---|---|---|---|---|---|")
    for text in given.texts:
        for engine in given.engines:
            segments = read(text, given.part, engine, given.segments, given.recorded)
            runs = {name: work(name, segments) for name in given.systems}
            report(f"{text}, {engine}", runs, segments)
            if given.tenths:
                tenths(f"{text}, {engine}", runs, segments)


if __name__ == "__main__":
    main()
