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

import time
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

import numpy as np

from dragoman.engine import Engine


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
        translation = engine.translate(source).text
        translated = time.perf_counter()
        if learn:
            engine.learn(source, reference)
        learned = time.perf_counter()
        errors, words = word_errors(translation, reference), len(reference.split())
        yield Outcome(source, translation, reference, errors, words, translated - began, learned - translated)


def word_errors(hypothesis: str, reference: str) -> int:
    """Least number of words to insert, delete or replace.

    >>> word_errors("pulse el botón rojo", "pulse el gran botón verde")
    2
    """
    target = reference.split()
    row = np.arange(len(target) + 1)
    for word in hypothesis.split():
        stay = row[:-1] + np.array([word != other for other in target], np.int64)
        best = np.concatenate([[row[0] + 1], np.minimum(stay, row[1:] + 1)])
        row = np.minimum.accumulate(best - np.arange(best.size)) + np.arange(best.size)
    return int(row[-1])
