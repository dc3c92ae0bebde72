"""Post-editing, simulated as in the papers ([O] §4.2): translate a segment, score it against the reference, learn that.

>>> import tempfile
>>> from dragoman.engine import Engine
>>> directory = tempfile.TemporaryDirectory()
>>> with Engine.create(f"{directory.name}/p", source="en", target="es") as engine:
...     outcomes = list(post_edit(engine, [("green button", "botón verde")] * 2))
>>> directory.cleanup()
>>> [outcome.translation for outcome in outcomes]
['green button', 'botón verde']
"""

from __future__ import annotations

import csv
import time
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from dragoman.errors import BadInputError, UnlearnableError
from dragoman.extras import load
from dragoman.files import storage_errors
from dragoman.measure import Bleu, Measure, Ter, Wer

if TYPE_CHECKING:
    from dragoman.engine import Engine

WINDOW = 50  # segments of the moving average
TIMES = "translating", "learning"

Curve = NDArray[np.float64]  # [segments]


@dataclass(frozen=True)
class Outcome:
    """The result for one segment."""

    source: str
    translation: str
    reference: str
    errors: int  # word edits from the translation to the reference
    words: int  # of the reference
    translating: float  # seconds
    learning: float
    answer: str | None = None  # by another engine


def post_edit(
    engine: Engine, pairs: Iterable[tuple[str, str]], *, learn: bool = True, memory: bool = False
) -> Iterator[Outcome]:
    """Translate each source, compare with its reference, and learn the reference; segment by segment, as they come.

    Without memory, only the models translate, as in the papers. A segment without words, or with too many,
    is not learned.
    """
    for source, reference in pairs:
        began = time.perf_counter()
        found = engine.translate(source, memory=memory)
        translated = time.perf_counter()
        if learn:
            with suppress(UnlearnableError):
                engine.learn(source, reference, force=True)
        learned = time.perf_counter()
        edits, words = Wer().statistics([found.text], [reference])[0].tolist()
        times = translated - began, learned - translated
        yield Outcome(source, found.text, reference, edits, words, *times, found.upstream)


def summary(outcomes: Sequence[Outcome]) -> dict[str, float]:
    """The quality of all translations together, and the times of translating and learning."""
    quality = {measure.name.upper(): round(float(curve[-1]), 2) for measure, curve in learning_curves(outcomes).items()}
    translating, learning = (np.array([getattr(each, name) for each in outcomes]) * 1e3 for name in TIMES)
    return (
        {"segments": len(outcomes)}
        | quality
        | {
            "translating, ms, median": round(float(np.median(translating)), 2),
            "learning, ms, median": round(float(np.median(learning)), 2),
            "learning, ms, 95 %": round(float(np.percentile(learning, 95)), 2),
        }
    )


def learning_curves(outcomes: Sequence[Outcome]) -> dict[Measure, Curve]:
    """For each measure, its value over all segments up to each of them."""
    if not outcomes:
        raise BadInputError("no segments to measure", remedy="provide at least one")
    texts = [each.translation for each in outcomes], [each.reference for each in outcomes]
    return {each: each.scores(each.statistics(*texts).cumsum(axis=0)) for each in (Bleu(), Wer(), Ter())}


def write_csv(outcomes: Sequence[Outcome], path: Path) -> None:
    """One line per segment, with the measures over all segments up to it: the learning curve."""
    curves = learning_curves(outcomes)
    with storage_errors(path, unchanged=False), path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file)
        names = [f"cumulative {measure.name.upper()}" for measure in curves]
        writer.writerow(["segment", "source", "translation", "reference", "errors", "words", *names, "learning, ms"])
        for number, (each, *values) in enumerate(zip(outcomes, *curves.values(), strict=True), start=1):
            texts = each.source, each.translation, each.reference, each.errors, each.words
            writer.writerow([number, *texts, *(round(value, 2) for value in values), round(1e3 * each.learning, 3)])


def plot(outcomes: Sequence[Outcome], path: Path, title: str = "") -> None:
    """The learning curves as a figure, with the learning times; the file ending selects the format."""
    figure = load("matplotlib.figure", extra="plots").Figure(figsize=(7, 6), layout="constrained")
    above, below = figure.subplots(2, 1, sharex=True, height_ratios=[3, 1])
    numbers = np.arange(1, len(outcomes) + 1)
    for measure, curve in learning_curves(outcomes).items():
        above.plot(numbers, curve, label=f"{measure.name.upper()}, all segments so far")
    edits, words = (np.cumsum([0, *(getattr(each, name) for each in outcomes)]) for name in ("errors", "words"))
    begin = np.maximum(numbers - WINDOW, 0)
    recent = 100 * (edits[numbers] - edits[begin]) / np.maximum(words[numbers] - words[begin], 1)
    above.plot(numbers, recent, linewidth=0.7, alpha=0.6, label=f"WER, last {WINDOW} segments")
    above.set(ylabel="percent", title=title, ylim=(0, None))
    above.legend()
    below.plot(numbers, [1e3 * each.learning for each in outcomes], ".", markersize=2)
    below.set(xlabel="segment", ylabel="learning, ms", yscale="log")
    with storage_errors(path, unchanged=False):
        figure.savefig(path)
