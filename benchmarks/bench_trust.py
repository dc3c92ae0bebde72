"""Trust that is learned against trust that is fixed, over another engine: at the beginning of a text, and after it.

    python benchmarks/bench_trust.py                                      # three texts, two engines, dev
    python benchmarks/bench_trust.py newstest --part test                 # where there is little to learn

Fixed is a bonus of 0 for every word taken from the engine, from the first segment on, as in the experiment U-ablations
(which needs the laboratory); learned is what every project does: it begins by trusting the engine most. Differences are
of BLEU, fixed minus learned, with 95 % intervals and p of a paired bootstrap.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from contextlib import suppress
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

sys.path.append(str(Path(__file__).parents[1]))
from benchmarks.bench_upstream import ENGINES, SHARED, Segment, read

from dragoman.errors import UnlearnableError
from dragoman.measure import Bleu
from dragoman_laboratory.over_engine import Ablated, prepare

BEGINNING = 150  # segments
DRAWS = 1000


def translations(segments: list[Segment], system: str) -> list[str]:
    """What is said for each segment before its reference is learned, from nothing."""
    said: list[str] = []

    class Lacking(Ablated):
        lacking = system

    with (
        tempfile.TemporaryDirectory() as place,
        Lacking.create(Path(place) / "project", source="en", target="es") as engine,
    ):
        prepare(engine, system)
        for source, upstream, reference in segments:
            said.append(engine.translate(source, upstream=upstream).text)
            with suppress(UnlearnableError):
                engine.learn(source, reference, upstream=upstream, force=True)
    return said


def difference(one: NDArray[np.int64], other: NDArray[np.int64], seed: int = 1) -> str:
    """By how many points of BLEU the first is better, given the counts of each segment [n, ·]."""
    score = Bleu().scores
    drawn = np.random.default_rng(seed).integers(0, len(one), (DRAWS, len(one)))
    gains = score(np.array([one[each].sum(0) for each in drawn])) - score(
        np.array([other[each].sum(0) for each in drawn])
    )
    [gain] = score(one.sum(0, keepdims=True)) - score(other.sum(0, keepdims=True))
    p = min(1.0, 2 * min((gains <= 0).mean(), (gains >= 0).mean()))
    return f"{gain:+.2f} ± {1.96 * gains.std():.2f} (p {p:.2f})"


def main() -> None:
    """Print a table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("texts", nargs="*", default=["desktop", "pydocs", "tico19"])
    parser.add_argument("--part", default="dev")
    parser.add_argument("--segments", type=int, default=1000)
    parser.add_argument("--engines", nargs="*", default=ENGINES)
    options = parser.parse_args()
    print(f"| text, engine, segments | first {BEGINNING} | after them | all |\n|---|---|---|---|")
    for text in options.texts:
        for engine in options.engines:
            segments = read(text, options.part, engine, options.segments, SHARED / "engines" / "recorded")
            references = [segment.reference for segment in segments]
            fixed, learned = (
                Bleu().statistics(translations(segments, system), references) for system in ("trust fixed", "fused")
            )
            parts = (slice(BEGINNING), slice(BEGINNING, None), slice(None))
            cells = " | ".join(difference(fixed[part], learned[part]) for part in parts)
            print(f"| {text}, {engine}, {len(segments)} | {cells} |", flush=True)


if __name__ == "__main__":
    main()
