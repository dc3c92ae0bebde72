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
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from dragoman.engine import Engine
from dragoman.files import storage_errors
from dragoman.measure import Wer, bleu, ter, wer


@dataclass(frozen=True)
class Outcome:
    """What came of one segment."""

    source: str
    translation: str
    reference: str
    errors: int  # word edits from the translation to the reference
    words: int  # of the reference
    translating: float  # seconds
    learning: float


def post_edit(engine: Engine, pairs: Iterable[tuple[str, str]], *, learn: bool = True) -> Iterator[Outcome]:
    """Translate each source, compare with its reference, and learn the reference; segment by segment, as they come."""
    for source, reference in pairs:
        began = time.perf_counter()
        translation = engine.translate(source, memory=False).text  # the models alone, as in the papers
        translated = time.perf_counter()
        if learn:
            engine.learn(source, reference, force=True)
        learned = time.perf_counter()
        edits, words = Wer().statistics([translation], [reference])[0].tolist()
        yield Outcome(source, translation, reference, edits, words, translated - began, learned - translated)


def summary(outcomes: Sequence[Outcome]) -> dict[str, float]:
    """The quality of all translations together, and the times of translating and learning."""
    translations, references = [each.translation for each in outcomes], [each.reference for each in outcomes]
    learning = np.array([each.learning for each in outcomes]) * 1e3
    return {
        "segments": len(outcomes),
        "BLEU": round(bleu(translations, references), 2),
        "WER": round(wer(translations, references), 2),
        "TER": round(ter(translations, references), 2),
        "translating, ms, median": round(float(np.median([each.translating for each in outcomes])) * 1e3, 2),
        "learning, ms, median": round(float(np.median(learning)), 2),
        "learning, ms, 95 %": round(float(np.percentile(learning, 95)), 2),
    }


def write_csv(outcomes: Sequence[Outcome], path: Path) -> None:
    """One line a segment, with the word error rate of all segments up to it: the learning curve."""
    edits, words = 0, 0
    with storage_errors(path), path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(["segment", "source", "translation", "reference", "errors", "words", "cumulative WER"])
        for number, each in enumerate(outcomes, start=1):
            edits, words = edits + each.errors, words + each.words
            rate = round(100 * edits / max(words, 1), 2)
            writer.writerow([number, each.source, each.translation, each.reference, each.errors, each.words, rate])
