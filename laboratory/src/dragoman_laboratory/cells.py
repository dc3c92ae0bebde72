"""Running the cells of an experiment: each is stored under a hash of its inputs, so that a run can be resumed."""

from __future__ import annotations

import hashlib
import io
import json
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from dragoman.cluster.runners import Runner
from dragoman.errors import BadInputError
from dragoman.files import storage_errors, write_durably
from dragoman.progress import Progress
from dragoman_laboratory.corpora import Corpora
from dragoman_laboratory.experiment import Cell, Counts, Experiment, Measured, Results, Row, Scale
from dragoman_laboratory.workspace import Workspace, program

DECIMALS = 4  # of what is kept: sums in another order may differ in the last places


def key(cell: Cell, workspace: Workspace) -> str:
    """The identity of a cell: function, parameters, seed and the words of its texts."""
    name = f"{cell.work.__module__}.{cell.work.__qualname__}"
    digests = [workspace.corpora.digest(text) for text in cell.texts]
    depends = [name, cell.shown, workspace.seed, digests]
    return hashlib.sha256(json.dumps(depends, sort_keys=True).encode()).hexdigest()[:32]


def available(experiment: Experiment, scale: Scale, corpora: Corpora) -> list[Cell]:
    """The cells whose corpora exist."""
    return [cell for cell in experiment.cells(scale) if all(map(corpora.has, cell.texts))]


def run(
    experiment: Experiment, scale: Scale, workspace: Workspace, progress: Progress | None = None
) -> tuple[Results, list[str]]:
    """Run what has not been run yet; the results, and the missing corpora because of which cells were left out."""
    texts = [text for cell in experiment.cells(scale) for text in cell.texts]
    missing = sorted({str(text) for text in texts if not workspace.corpora.has(text)})
    wanted = available(experiment, scale, workspace.corpora)
    if not wanted:
        what = f"{experiment.id} needs {', '.join(missing)}"
        remedy = (
            "each part is two files in the folder of its corpus, such as pydocs-en-es/test.en and test.es, plain or "
            ".gz; what another engine says is in recorded/, such as pydocs-en-es.test.nmt.es"
        )
        raise BadInputError(what, where=workspace.corpora.folder, remedy=remedy)
    done = []
    for number, cell in enumerate(wanted):
        if progress:
            progress(experiment.id, number, len(wanted))
        done.append((cell, _measured(cell, workspace)))
    if progress:
        progress(experiment.id, len(wanted), len(wanted))
    return Results(done), missing


def run_ahead(
    experiment: Experiment, scale: Scale, workspace: Workspace, runner: Runner, progress: Progress | None = None
) -> None:
    """Run what has not been run yet as tasks, one per cell; `run` then finds the results.

    The corpus and result folders must exist under the same paths wherever tasks run.
    """
    new = [cell for cell in available(experiment, scale, workspace.corpora) if _kept(cell, workspace) is None]
    shared = {"corpora": workspace.corpora.folder.absolute(), "out": workspace.out.absolute(), "seed": workspace.seed}
    for done, _ in enumerate(runner.run(measure_cell, shared, new), start=1):
        if progress:
            progress(f"{experiment.id} on the cluster", done, len(new))


def measure_cell(shared: Mapping[str, Any], cell: Cell) -> None:
    """Task: run a cell and store its result."""
    _measured(cell, Workspace(Corpora(shared["corpora"]), shared["out"], shared["seed"]))


def _place(cell: Cell, workspace: Workspace) -> Path:
    """Where the results of a cell are stored."""
    return workspace.out / "cells" / f"{key(cell, workspace)}.json"


def _kept(cell: Cell, workspace: Workspace) -> Measured | None:
    """The result of an earlier run of the same program, or of any version if that is allowed."""
    path = _place(cell, workspace)
    if not path.exists():
        return None
    kept = json.loads(path.read_bytes())
    if kept["program"] != program() and not workspace.reuse:
        return None
    return Measured(kept["rows"], kept["seconds"], _read_counts(path.with_suffix(".npz")))


def _measured(cell: Cell, workspace: Workspace) -> Measured:
    """The result of a cell, from an earlier run if there was one."""
    if (kept := _kept(cell, workspace)) is not None:
        return kept
    path, began = _place(cell, workspace), time.perf_counter()
    measured = cell.work(workspace, **cell.parameters)
    seconds = measured.seconds | {"cell": time.perf_counter() - began}
    rows = [_rounded(row) for row in measured.rows]
    found = {"program": program(), "parameters": cell.shown, "rows": rows, "seconds": seconds}
    with storage_errors(path):
        path.parent.mkdir(parents=True, exist_ok=True)
        write_durably(path.with_suffix(".npz"), _packed(measured.counts))
        write_durably(path, json.dumps(found, indent=1, ensure_ascii=False).encode())
    return Measured(rows, seconds, measured.counts)


def _packed(counts: Sequence[Counts]) -> bytes:
    """Counts as one file: arrays named by the number of the row and the measure."""
    file = io.BytesIO()
    arrays = {f"{n} {name}": array for n, each in enumerate(counts) for name, array in each.items()}
    np.savez_compressed(file, allow_pickle=False, **arrays)
    return file.getvalue()


def _read_counts(path: Path) -> list[Counts]:
    found: dict[int, dict[str, Any]] = {}
    with np.load(path, allow_pickle=False) as arrays:
        for label, array in arrays.items():
            number, name = label.split(" ", 1)
            found.setdefault(int(number), {})[name] = array
    return [found[number] for number in sorted(found)]


def _rounded(row: Row) -> dict[str, Any]:
    """A row with plain numbers of a few decimals."""
    return {name: round(float(value), DECIMALS) if isinstance(value, float) else value for name, value in row.items()}
