"""sil-thot, trained on pairs of sentences: the peer of several benchmarks (`pip install sil-thot sil-machine`)."""

from __future__ import annotations

import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any

EVALUATIONS = 10  # of its weight tuning


def trained_thot(directory: Path, pairs: Iterable[tuple[str, str]]) -> Any:
    """Its HMM system, trained on pairs of lines with spaces between words, or that of the run before, if any.

    The system must be kept as long as anything of it is used.
    """
    from machine.corpora import DictionaryTextCorpus, MemoryText, TextRow
    from machine.translation.thot import ThotSmtModel, ThotSmtModelTrainer, ThotSmtParameters

    files = {kind: str(directory / kind / "src_trg") for kind in ("tm", "lm")}
    parameters = ThotSmtParameters(
        translation_model_filename_prefix=files["tm"], language_model_filename_prefix=f"{files['lm']}.lm"
    )
    weights = directory / "weights.json"
    if not weights.is_file():
        print(f"training sil-thot into {directory.name} …", flush=True)
        for kind in files:
            (directory / kind).mkdir(parents=True, exist_ok=True)
        sides = zip(*pairs, strict=True)
        rows = ([TextRow("all", n, [text]) for n, text in enumerate(side)] for side in sides)
        source, target = (DictionaryTextCorpus(MemoryText("all", side)) for side in rows)
        with ThotSmtModelTrainer("hmm", source.align_rows(target), parameters) as trainer:
            trainer._model_weight_tuner.max_function_evaluations = EVALUATIONS
            trainer.train()
            trainer.save()
            weights.write_text(json.dumps(list(trainer.parameters.model_weights)), encoding="utf-8")
    parameters.model_weights = json.loads(weights.read_text(encoding="utf-8"))
    return ThotSmtModel("hmm", parameters)
