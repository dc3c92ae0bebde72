"""A second opinion from a neural measure, if the user has its model: COMET, from a checkpoint on this machine.

It is never needed, and nothing is downloaded. The scores of segments are averaged; their interval is by bootstrap.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dragoman.errors import BadInputError
from dragoman.extras import load
from dragoman.measure.significance import CONFIDENCE

SAMPLES = 1_000
BATCH = 8  # segments at once


class Comet:
    """A COMET model that compares a translation with source and reference."""

    def __init__(self, checkpoint: Path) -> None:
        if not checkpoint.is_file():
            remedy = "give the path of a checkpoint, such as model.ckpt"
            raise BadInputError("no such COMET model", where=checkpoint, remedy=remedy)
        self._model: Any = load("comet", extra="comet").load_from_checkpoint(str(checkpoint))

    def scores(self, sources: Sequence[str], texts: Sequence[str], references: Sequence[str]) -> NDArray[np.float64]:
        """Scores [segments], in percent."""
        rows = [
            {"src": source, "mt": text, "ref": reference}
            for source, text, reference in zip(sources, texts, references, strict=True)
        ]
        found = self._model.predict(rows, batch_size=BATCH, gpus=0, progress_bar=False)
        return 100 * np.asarray(found.scores, np.float64)


def opinions(
    model: Comet, sources: Sequence[str], systems: Mapping[str, Sequence[str]], references: Sequence[str]
) -> dict[str, dict[str, float]]:
    """The mean score of each system with its 95 % interval."""
    drawn = np.random.default_rng(1).integers(len(sources), size=(SAMPLES, len(sources)))
    found = {}
    for name, texts in systems.items():
        scores = model.scores(sources, texts, references)
        low, high = np.quantile(scores[drawn].mean(1), [(1 - CONFIDENCE) / 2, (1 + CONFIDENCE) / 2])
        found[name] = {"score": round(float(scores.mean()), 3), "low": round(low, 3), "high": round(high, 3)}
    return found
