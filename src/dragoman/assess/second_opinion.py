"""A second opinion from a neural measure, if the user has it: COMET, with a checkpoint on this machine.

COMET is used through its own command, `comet-score`, since its libraries need other versions of NumPy than we do: it is
installed in an environment of its own. It is never needed, and nothing is downloaded. The scores of segments are
averaged; their interval is by bootstrap.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from dragoman.errors import BadInputError, DragomanError
from dragoman.measure.significance import CONFIDENCE

COMMAND, ENDING = "comet-score", ".ckpt"
SAMPLES = 1_000
BATCH = 8  # segments at once

Scores = NDArray[np.float64]  # [segments] in percent


class Comet:
    """A COMET model that compares translations with source and reference."""

    def __init__(self, checkpoint: Path) -> None:
        if not checkpoint.is_file() or checkpoint.suffix != ENDING:
            remedy = f"give the path of a checkpoint, such as model{ENDING}"
            raise BadInputError("no such COMET model", where=checkpoint, remedy=remedy)
        command = shutil.which(COMMAND)
        if command is None:
            remedy = "install COMET in an environment of its own, for example with: pipx install unbabel-comet"
            raise BadInputError(f"the command {COMMAND} is not installed", remedy=remedy)
        self._command, self._checkpoint = command, checkpoint.resolve()

    def scores(
        self, sources: Sequence[str], systems: Mapping[str, Sequence[str]], references: Sequence[str]
    ) -> dict[str, Scores]:
        """The score of each segment, for each system."""
        names = [f"{number}.txt" for number in range(len(systems))]
        with tempfile.TemporaryDirectory() as directory:
            place = Path(directory)
            sides = {"sources.txt": sources, "references.txt": references}
            for name, texts in {**sides, **dict(zip(names, systems.values(), strict=True))}.items():
                lines = "".join(" ".join(text.split()) + "\n" for text in texts)
                (place / name).write_text(lines, encoding="utf-8")
            self._run(place, *names)
            found = json.loads((place / "scores.json").read_text(encoding="utf-8"))
        return {
            system: 100 * np.array([row["COMET"] for row in found[name]], np.float64)
            for system, name in zip(systems, names, strict=True)
        }

    def _run(self, place: Path, *names: str) -> None:
        options = ["-s", "sources.txt", "-r", "references.txt", "-t", *names, "--to_json", "scores.json"]
        options += ["--model", str(self._checkpoint), "--gpus", "0", "--batch_size", str(BATCH), "--quiet"]
        offline = {"HF_HUB_OFFLINE": "1"} | os.environ  # the tokeniser of the model must be on this machine, too
        done = subprocess.run(  # noqa: S603
            [self._command, *options, "--only_system"], cwd=place, env=offline, capture_output=True, check=False
        )
        if done.returncode or not (place / "scores.json").exists():
            reason = done.stderr.decode(errors="replace").strip().splitlines()[-1:] or ["it wrote no scores"]
            remedy = f"try `{COMMAND}` with this model by itself, or leave out --comet"
            raise DragomanError(f"{COMMAND} failed: {reason[0]}", where=self._checkpoint, remedy=remedy)


def opinions(
    model: Comet, sources: Sequence[str], systems: Mapping[str, Sequence[str]], references: Sequence[str]
) -> dict[str, dict[str, float]]:
    """The mean score of each system with its 95 % interval."""
    drawn = np.random.default_rng(1).integers(len(sources), size=(SAMPLES, len(sources)))
    found = {}
    for name, scores in model.scores(sources, systems, references).items():
        low, high = np.quantile(scores[drawn].mean(1), [(1 - CONFIDENCE) / 2, (1 + CONFIDENCE) / 2])
        found[name] = {"score": round(float(scores.mean()), 3), "low": round(low, 3), "high": round(high, 3)}
    return found
