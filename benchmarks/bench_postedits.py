"""What people made of good engines' translations: what learning from each correction gains there, or harms.

    python benchmarks/bench_postedits.py                                   # all sets, the usual systems
    python benchmarks/bench_postedits.py en-es-sap --systems engine replacements levels changes
    python benchmarks/bench_postedits.py en-de-mlqe --segments 1000
    python benchmarks/bench_postedits.py en-es-sap --weights weights.json  # weights that were fitted without this set
    python benchmarks/bench_postedits.py en-es-sap --adapters              # weights adapted as well, by each method

A set is three files, a segment a line: NAME.src.gz, NAME.mt.gz (what the engine said), NAME.pe.gz (what a person made
of it); NAME begins with both languages. From nothing, every segment is translated, scored, and then its correction is
learned. BLEU with sacrebleu's defaults (Chinese: its tokeniser for Chinese), in brackets the difference from the engine
and its p-value (paired bootstrap). Segments changed, better and worse by word edits, with the interval of the share of
better ones; word edits saved for each segment changed; R0 and R1, the recall of words that no earlier reference has, or
one (`dragoman.measure.recall`).

- engine: what the other engine said
- memory: the newest correction of the same source, otherwise what the engine said
- exact: the memory alone, nothing where it has nothing
- replacements: the crude learner of `benchmarks/replacement_learner.py`
- levels: one level of trust for the whole project, as before version 0.3
- changes: dragoman as it is, every change on its own evidence
- weights by …: the same, with weights that adapt as well
"""

from __future__ import annotations

import argparse
import json
import os
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from itertools import islice
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

sys.path.append(str(Path(__file__).parents[1]))

from benchmarks.replacement_learner import ReplacementLearner

from dragoman.adapt import Bayes, PassiveAggressive, Perceptron, Ridge
from dragoman.engine import Engine
from dragoman.errors import DragomanError
from dragoman.measure import Bleu, Wer, bootstrap, lower_bound, recall
from dragoman.models import trust
from dragoman.text.text_files import lines
from dragoman.text.tokens import split

POSTEDITS = Path(os.environ.get("DRAGOMAN_CORPORA", Path(__file__).parents[2] / "shared" / "corpora")) / "postedits"
SYSTEMS = ("engine", "memory", "exact", "replacements", "levels", "changes")
METHODS = {
    "weights by passive-aggressive": PassiveAggressive(nbest=100),
    "weights by perceptron": Perceptron(alpha=0.001, nbest=100),
    "weights by ridge": Ridge(nbest=100),
    "weights by Bayes": Bayes(nbest=100),
}
HEADING = "| set | system | BLEU | changed: better / worse | edits saved a change | R0 / R1 | ms: translate / learn |"


class Segment(NamedTuple):
    """A source, what the engine said, and what a person made of it."""

    source: str
    answer: str
    correction: str


class Run(NamedTuple):
    """What a system said, and the median CPU time that it took, in milliseconds."""

    texts: list[str]
    translating: float = 0.0
    learning: float = 0.0


def sets(directory: Path) -> list[str]:
    """The names of all sets."""
    return sorted(path.name.removesuffix(".src.gz") for path in directory.glob("*.src.gz"))


def read(directory: Path, name: str, count: int) -> list[Segment]:
    """The first segments of a set."""
    files = (islice(lines(directory / f"{name}.{part}.gz"), count) for part in ("src", "mt", "pe"))
    return [Segment(*row) for row in zip(*files, strict=True) if row[0].strip() and row[2].strip()]


def with_engine(name: str, segments: Sequence[Segment], settings: dict[str, Any]) -> Run:
    """A project over the engine, from nothing."""
    source, target = name.split("-")[:2]
    texts, translating, learning = list[str](), list[float](), list[float]()
    with (
        tempfile.TemporaryDirectory() as directory,
        Engine.create(Path(directory) / "project", source=source, target=target) as engine,
    ):
        if settings:
            engine.change_settings(settings)
        for segment in segments:
            began = time.thread_time()
            texts.append(engine.translate(segment.source, upstream=segment.answer).text)
            translated = time.thread_time()
            with suppress(DragomanError):
                engine.learn(segment.source, segment.correction, upstream=segment.answer, force=True)
            translating.append(1e3 * (translated - began))
            learning.append(1e3 * (time.thread_time() - translated))
    return Run(texts, float(np.median(translating)), float(np.median(learning)))


def remembered(segments: Sequence[Segment], otherwise: Callable[[Segment], str]) -> Run:
    """The newest correction of the same source, or something else."""
    known, texts = dict[str, str](), []
    for segment in segments:
        texts.append(known.get(segment.source.strip()) or otherwise(segment))
        known[segment.source.strip()] = segment.correction
    return Run(texts)


def replaced(segments: Sequence[Segment]) -> Run:
    """The crude learner."""
    learner, texts = ReplacementLearner(), []
    for segment in segments:
        texts.append(learner.translate(segment.source, segment.answer))
        learner.learn(*segment)
    return Run(texts)


def work(system: str, name: str, segments: Sequence[Segment]) -> Run:
    """What a system says of a set."""
    if system == "engine":
        return Run([segment.answer for segment in segments])
    if system == "memory":
        return remembered(segments, lambda segment: segment.answer)
    if system == "exact":
        return remembered(segments, lambda _: "")
    if system == "replacements":
        return replaced(segments)
    if system in METHODS:
        return with_engine(name, segments, {"adapter": METHODS[system]})
    return with_engine(name, segments, {"weigh_changes": False} if system == "levels" else {})


def spaced(texts: Sequence[str]) -> list[str]:
    """Texts with spaces between their words."""
    return [" ".join(split(text).words) for text in texts]


def report(name: str, segments: Sequence[Segment], runs: dict[str, Run]) -> None:
    """A line for each system."""
    target = name.split("-")[1]
    references = [segment.correction for segment in segments]
    measure = Bleu("none") if target in ("zh", "ja") else Bleu()
    shown = {system: spaced(run.texts) if target in ("zh", "ja") else run.texts for system, run in runs.items()}
    wanted = spaced(references) if target in ("zh", "ja") else references
    engine = measure.statistics(shown["engine"], wanted)
    words = Wer().statistics(spaced(runs["engine"].texts), spaced(references))[:, 0]
    for system, run in runs.items():
        counts = measure.statistics(shown[system], wanted)
        found = bootstrap(measure, engine, counts)
        saved = words - Wer().statistics(spaced(run.texts), spaced(references))[:, 0]
        changed = sum(one != other for one, other in zip(run.texts, runs["engine"].texts, strict=True))
        better, worse = int((saved > 0).sum()), int((saved < 0).sum())
        share = ""
        if better + worse:
            low = lower_bound(better, better + worse, 1.96)
            high = 1 - lower_bound(worse, better + worse, 1.96)
            share = f" ({100 * low:.0f}–{100 * high:.0f} % better)"
        each = f"{saved.sum() / changed:+.2f}" if changed else "–"
        first = recall(run.texts, references)
        bleu = f"{measure.score(counts.sum(0)):.2f} ({found.difference.score:+.2f}, p {found.p_value:.3f})"
        times = f"{run.translating:.1f} / {run.learning:.1f}" if run.learning else "–"
        cells = bleu, f"{changed}: {better} / {worse}{share}", each, f"{first.r0:.1f} / {first.r1:.1f}", times
        print(f"| {name} | {system} | {' | '.join(cells)} |", flush=True)


def main() -> None:
    """Measure."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("sets", nargs="*", help="their names; all if none is given")
    parser.add_argument("--directory", type=Path, default=POSTEDITS)
    parser.add_argument("--systems", nargs="+", default=SYSTEMS, choices=SYSTEMS)
    parser.add_argument("--adapters", action="store_true", help="the methods that adapt weights, too")
    parser.add_argument("--segments", type=int, default=10**9)
    parser.add_argument("--weights", type=Path, help="of changes, instead of the shipped ones, from fit_changes.py")
    given = parser.parse_args()
    if given.weights:
        weights = json.loads(given.weights.read_text(encoding="utf-8"))["weights"]
        setattr(trust, "shipped_weights", lambda: weights)  # noqa: B010
    print(HEADING + "\n|" + 7 * "---|", flush=True)
    systems = list(dict.fromkeys(["engine", *given.systems, *(METHODS if given.adapters else ())]))
    for name in given.sets or sets(given.directory):
        segments = read(given.directory, name, given.segments)
        report(name, segments, {system: work(system, name, segments) for system in systems})


if __name__ == "__main__":
    main()
