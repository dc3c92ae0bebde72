"""Which estimator learns best: O-fig2 (batch against incremental EM by epoch) and O-tabA1 (online against interlaced).

Normalised log-likelihood of the HMM alignment model, p(source | target), on the pairs it was trained on; the higher the
better. [O] finds incremental EM above batch EM after each epoch, and the interlaced estimator with R = 1,000 samples
above the online one.

Run: python benchmarks/bench_estimators.py [--pairs 3000] [--epochs 5] [--out benchmarks/out]
"""

from __future__ import annotations

import argparse
import csv
import os
from collections.abc import Callable
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from dragoman.models.alignment import AlignmentModel
from dragoman.models.estimators import train
from dragoman.text.text_files import lines
from dragoman.text.tokens import split
from dragoman_laboratory.renewal import IncrementalEM, Interlaced

Pairs = list[tuple[NDArray[np.int64], NDArray[np.int64]]]
CORPORA = ("europarl-en-es", "pydocs-en-es")
LONGEST = 40  # words: longer pairs are left out, as in [O] §4.1
RENEWED = 5  # E, samples renewed at each trial of the interlaced estimator


def read_pairs(folder: Path, count: int) -> tuple[AlignmentModel, Pairs]:
    """The first pairs of a training corpus as word ids, and an empty model that knows the words."""
    model, pairs = AlignmentModel(), []
    sides = (lines(folder / f"train.{language}.gz") for language in ("en", "es"))
    for source, target in zip(*sides, strict=True):
        f, e = ([word.lower() for word in split(text).words] for text in (source, target))
        if 1 <= len(f) <= LONGEST and 1 <= len(e) <= LONGEST:
            pairs.append((model.source.ids(f, add=True), model.target.ids(e, add=True)))
        if len(pairs) == count:
            break
    return model, pairs


def normalised(model: AlignmentModel, pairs: Pairs) -> float:
    """Log-likelihood ÷ number of sentence pairs ([O] Fig. 2)."""
    return model.loglikelihood_ids(pairs) / len(pairs)


def fresh(model: AlignmentModel) -> AlignmentModel:
    return AlignmentModel(model.source, model.target)


def by_epoch(known: AlignmentModel, pairs: Pairs, epochs: int) -> dict[str, list[float]]:
    """Log-likelihood after each epoch of batch EM and of incremental EM, both from the uniform model."""
    batch = []
    for epoch in range(1, epochs + 1):
        model = fresh(known)
        train(model, pairs, ["hmm"] * epoch)
        batch.append(normalised(model, pairs))
    incremental, model = [], fresh(known)
    learner = IncrementalEM(model, pairs)
    for _ in range(epochs):
        learner.epoch()
        incremental.append(normalised(model, pairs))
    return {"batch EM": batch, "incremental EM": incremental}


def one_pass(known: AlignmentModel, pairs: Pairs) -> dict[str, float]:
    """Log-likelihood after one pass: online, and interlaced with more and more samples kept."""

    def learned(make: Callable[[AlignmentModel], Callable[..., object]]) -> float:
        model = fresh(known)
        learn = make(model)
        for source, target in pairs:
            learn(source, target)
        return normalised(model, pairs)

    found = {"online": learned(lambda model: model.add_ids)}
    for R in (10, 100, 1000):
        found[f"interlaced R={R}"] = learned(lambda model, R=R: Interlaced(model, R, RENEWED).add_ids)  # type: ignore[misc]
    return found


def draw(results: dict[str, tuple[dict[str, list[float]], dict[str, float]]], path: Path) -> None:
    import matplotlib

    matplotlib.use("svg")
    import matplotlib.pyplot as plt

    figure, axes = plt.subplots(2, len(results), figsize=(5 * len(results), 7))
    for column, (corpus, (epochs, passes)) in enumerate(results.items()):
        for name, values in epochs.items():
            axes[0, column].plot(range(1, len(values) + 1), values, marker="o", label=name)
        axes[0, column].set(title=corpus, xlabel="epoch", ylabel="log-likelihood ÷ pairs")
        axes[0, column].legend()
        axes[1, column].barh(list(passes), list(passes.values()))
        spread = max(passes.values()) - min(passes.values())
        axes[1, column].set(xlim=(min(passes.values()) - spread, max(passes.values()) + spread / 2))
        axes[1, column].set(xlabel="log-likelihood ÷ pairs, after one pass")
    figure.tight_layout()
    figure.savefig(path)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    root = Path(__file__).parents[1]
    place = Path(os.environ.get("DRAGOMAN_CORPORA", root.parent / "shared" / "corpora"))
    parser.add_argument("--corpora", type=Path, default=place)
    parser.add_argument("--pairs", type=int, default=3000)
    parser.add_argument("--epochs", type=int, default=5)
    parser.add_argument("--out", type=Path, default=root / "benchmarks" / "out")
    arguments = parser.parse_args()
    if not arguments.corpora.is_dir():
        print(f"no corpora at {arguments.corpora}; name their folder with --corpora")
        return
    arguments.out.mkdir(parents=True, exist_ok=True)
    results = {}
    for corpus in CORPORA:
        known, pairs = read_pairs(arguments.corpora / corpus, arguments.pairs)
        epochs, passes = by_epoch(known, pairs, arguments.epochs), one_pass(known, pairs)
        results[corpus] = epochs, passes
        print(f"{corpus}, {len(pairs):,} pairs: log-likelihood ÷ pairs")
        for name, values in epochs.items():
            print(f"  {name:18} {'  '.join(f'{value:9.3f}' for value in values)}")
        for name, value in passes.items():
            print(f"  {name:18} {value:9.3f}")
    with (arguments.out / "estimators.csv").open("w", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(["corpus", "estimator", "epoch", "log-likelihood"])
        for corpus, (epochs, passes) in results.items():
            writer.writerows([corpus, name, i + 1, v] for name, values in epochs.items() for i, v in enumerate(values))
            writer.writerows([corpus, name, 1, value] for name, value in passes.items())
    draw(results, arguments.out / "estimators.svg")
    print(f"plot: {arguments.out / 'estimators.svg'}")


if __name__ == "__main__":
    main()
