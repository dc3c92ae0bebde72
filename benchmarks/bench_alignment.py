"""Word alignment: time of one online update, and time and alignment error rate of whole trainings beside sil-thot's.

    python benchmarks/bench_alignment.py                    # 5,000 lines: about two minutes, most of them the peer's
    python benchmarks/bench_alignment.py --lines 20000      # about eight; 60087 is all there is
    python benchmarks/bench_alignment.py --online 0         # leaves out the first part, --lines 0 the second

The update is that of one direction, at pairs of 20 and 20 words of europarl-en-es (split at spaces, lower-cased).
Trainings are of both directions, on the first lines of europarl-en-fr and the 447 sentences of gold-en-fr, tokenised
and lower-cased alike for all; seconds are CPU time on one thread, ratios those to sil-thot's HMM. AER (percent) is that
of p(en|fr), of p(fr|en), of both by grow-diag-final-and and, of our own models, by posteriors. The peer comes with
`pip install sil-thot`.
"""

from __future__ import annotations

import argparse
import gzip
import importlib
import os
import re
import statistics
import time
from collections.abc import Callable, Iterable, Sequence
from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dragoman.models.alignment import AlignmentModel
from dragoman.models.estimators import BATCH_EM, PLAN, train
from dragoman.models.modelset import NEARNESS
from dragoman.models.symmetry import link_agreed, symmetrise
from dragoman.text.vocabulary import Vocabulary
from dragoman_laboratory.renewal import IncrementalEM

CORPORA = Path(os.environ.get("DRAGOMAN_CORPORA", Path(__file__).parents[2] / "shared" / "corpora"))
TOKEN = re.compile(r"\w+['’](?=\w)|\w+|[^\w\s]")
LONGEST = 100  # longer training sentences are left out, for all systems

Ids = NDArray[np.int64]
Words = list[str]
Links = set[tuple[int, int]]  # (English word, French word), from 1
Posteriors = tuple[NDArray[np.float64], NDArray[np.float64]]
# Of an English and a French sentence: the best alignment of each direction, and the posteriors, if they are known
Align = Callable[[Words, Words], tuple[Sequence[int], Sequence[int], Posteriors | None]]
Trainer = Callable[[list[tuple[Words, Words]]], Align]


def read(name: str, lines: int | None = None) -> list[str]:
    with gzip.open(CORPORA / f"{name}.gz", "rt", encoding="utf-8") as file:
        return [line.rstrip("\n") for line in islice(file, lines)]


def online(lines: int) -> None:
    """Median time of one update after 1,000 pairs and after all."""
    model = AlignmentModel()
    texts = zip(read("europarl-en-es/train.en", lines), read("europarl-en-es/train.es", lines), strict=True)
    words = [(source.lower().split(), target.lower().split()) for source, target in texts]
    pairs = [(model.source.ids(f, add=True), model.target.ids(e, add=True)) for f, e in words if f and e]
    probes = [pair for pair in pairs if pair[0].size == pair[1].size == 20]
    medians = []
    for number, pair in enumerate(pairs, start=1):
        model.add_ids(*pair)
        if number in (1000, len(pairs)):
            medians.append(statistics.median(update_times(model, probes)))
            print(f"one update of 20 × 20 words after {number:6,} pairs: {1e6 * medians[-1]:6.1f} µs")
    print(f"ratio {medians[-1] / medians[0]:.2f}\n")


def update_times(model: AlignmentModel, probes: list[tuple[Ids, Ids]]) -> Iterable[float]:
    """Seconds of each update; it is taken back afterwards."""
    for source, target in probes:
        begin = time.perf_counter()
        contribution = model.add_ids(source, target)
        yield time.perf_counter() - begin
        model.apply(source, target, contribution, -1)


def dragoman(plan: Sequence[str], threads: int = 1, nearness: float = 1.0) -> Trainer:
    """Training by a plan; `incremental` twice is two epochs of incremental EM."""

    def trainer(pairs: list[tuple[Words, Words]]) -> Align:
        english, french = Vocabulary(), Vocabulary()
        to_english, to_french = AlignmentModel(english, french), AlignmentModel(french, english)
        to_english.nearness = to_french.nearness = nearness
        ids = [(english.ids(e, add=True), french.ids(f, add=True)) for e, f in pairs]
        for model, samples in ((to_english, ids), (to_french, [(f, e) for e, f in ids])):
            if "incremental" in plan:
                estimator = IncrementalEM(model, samples)
                for _ in plan:
                    estimator.epoch()
            else:
                train(model, samples, plan, threads=threads)
        return lambda e, f: (
            to_english.viterbi(e, f),
            to_french.viterbi(f, e),
            (to_english.expectations(e, f), to_french.expectations(f, e)),
        )

    return trainer


def thot(kind: str, epochs: int) -> Trainer:
    """Training of one of sil-thot's models; its HMM starts from five epochs of IBM-1."""

    def trained(model: Any, times: int) -> Any:
        model.start_training()
        for _ in range(times):
            model.train()
        model.end_training()
        return model

    def direction(pairs: Iterable[tuple[Words, Words]]) -> Any:
        module = importlib.import_module("thot.alignment")
        first = module.Ibm1AlignmentModel() if kind == "HmmAlignmentModel" else getattr(module, kind)()
        for given, made in pairs:
            first.add_sentence_pair(given, made, 1)
        if kind != "HmmAlignmentModel":
            return trained(first, epochs)
        return trained(module.HmmAlignmentModel(trained(first, 5)), epochs)

    def best(model: Any, given: Words, made: Words) -> list[int]:
        matrix = model.get_best_alignment(given, made)[1]
        linked = [[i + 1 for i in range(len(given)) if matrix[i, j]] for j in range(len(made))]
        return [positions[0] if positions else 0 for positions in linked]

    def trainer(pairs: list[tuple[Words, Words]]) -> Align:
        to_french, to_english = direction(pairs), direction((f, e) for e, f in pairs)
        return lambda e, f: (best(to_english, f, e), best(to_french, e, f), None)

    return trainer


def gold() -> list[tuple[Links, Links]]:
    """(sure, possible) links of each sentence pair; sure ones are possible too."""
    answer = []
    for line in read("gold-en-fr/test.gold"):
        pairs = [re.fullmatch(r"(\d+)([-p])(\d+)", link) for link in line.split()]
        links = {(int(found[1]), int(found[3])): found[2] for found in pairs if found}
        answer.append(({link for link, kind in links.items() if kind == "-"}, set(links)))
    return answer


def error_rate(found: list[Links], answer: list[tuple[Links, Links]]) -> float:
    """Alignment error rate in percent (Och and Ney 2003)."""
    hits = sum(len(links & sure) + len(links & possible) for links, (sure, possible) in zip(found, answer, strict=True))
    size = sum(len(links) + len(sure) for links, (sure, _) in zip(found, answer, strict=True))
    return 100 * (1 - hits / size)


def error_rates(align: Align, test: list[tuple[Words, Words]]) -> list[float]:
    """AER of both directions, of their symmetrisation and, where they are known, by posteriors; NaN if not."""
    found: tuple[list[Links], ...] = ([], [], [], [])
    for english, french in test:
        a, b, posteriors = align(english, french)
        found[0].append({(j, i) for j, i in enumerate(a, start=1) if i})
        found[1].append({(i, j) for j, i in enumerate(b, start=1) if i})
        found[2].append({(int(e) + 1, int(f) + 1) for e, f in symmetrise(a, b)})
        if posteriors:
            found[3].append({(int(e) + 1, int(f) + 1) for e, f in link_agreed(*posteriors, best=(a, b))})
    answer = gold()
    return [error_rate(links, answer) if links else float("nan") for links in found]


def trainings(lines: int, *, alone: bool) -> None:
    """Time and error rate of each training; the first peer is the measure of the others, unless we are alone."""
    sides = zip(read("gold-en-fr/test.en"), read("gold-en-fr/test.fr"), strict=True)
    test = [(english.lower().split(), french.lower().split()) for english, french in sides]
    texts = zip(read("europarl-en-fr/train.en", lines), read("europarl-en-fr/train.fr", lines), strict=True)
    pairs = [(TOKEN.findall(e.lower()), TOKEN.findall(f.lower())) for e, f in texts]
    pairs = [pair for pair in pairs + test if all(1 <= len(side) <= LONGEST for side in pair)]
    for plan in (PLAN, BATCH_EM, ["incremental"]):
        dragoman(plan)(pairs[:10])  # compiles what is timed below
    systems = {
        "sil-thot HMM, 5 + 5 epochs": thot("HmmAlignmentModel", 5),
        "sil-thot fast_align, 5 epochs": thot("FastAlignModel", 5),
        "sil-thot eflomal, 10 epochs": thot("EflomalAlignmentModel", 10),
        "batch EM, 5 + 5 epochs": dragoman(BATCH_EM),
        "online, 1 epoch": dragoman(["online"]),
        "online, then 2 of batch EM (default)": dragoman(PLAN),
        "incremental EM, 2 epochs": dragoman(["incremental"] * 2),
        "online, nearness 0.4": dragoman(["online"], nearness=NEARNESS),
        "default, nearness 0.4 (ModelSet)": dragoman(PLAN, nearness=NEARNESS),
    }
    try:
        importlib.import_module("thot.alignment")
    except ImportError:
        print("sil-thot is not installed: pip install 'dragoman[bench]' sil-thot\n")
        alone = True
    if alone:
        systems = {name: trainer for name, trainer in systems.items() if not name.startswith("sil-thot")}
    print(
        f"both directions of {len(pairs):,} pairs{'seconds':>17}{'ratio':>8}{'AER en|fr':>11}{'fr|en':>7}{'both':>7}",
        end="",
    )
    print(f"{'posteriors':>12}")
    peer = float("nan")
    for name, trainer in systems.items():
        begin = time.process_time()
        align = trainer(pairs)
        seconds = time.process_time() - begin
        peer = seconds if name.startswith("sil-thot HMM") else peer
        to_english, to_french, both, posteriors = error_rates(align, test)
        print(f"{name:38}{seconds:8.1f}{peer / seconds:8.1f}{to_english:11.1f}{to_french:7.1f}{both:7.1f}", end="")
        print(f"{posteriors:12.1f}", flush=True)
    for threads in (1, 2):
        begin, cpu, main = time.perf_counter(), time.process_time(), time.thread_time()
        dragoman(BATCH_EM, threads)(pairs)
        wall, spent, first = time.perf_counter() - begin, time.process_time() - cpu, time.thread_time() - main
        print(f"batch EM, {threads} thread{'s' * (threads > 1)}: {wall:.1f} s wall clock, {spent:.1f} s CPU", end="")
        print(f", {first:.1f} of it in no thread but the first: on two free cores {spent / (spent + first) * 2:.2f}×")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--online", type=int, default=60_000, help="pairs of europarl-en-es to learn online")
    parser.add_argument("--lines", type=int, default=5_000, help="lines of europarl-en-fr to train on")
    parser.add_argument("--alone", action="store_true", help="without sil-thot, which takes most of the time")
    arguments = parser.parse_args()
    os.environ["OMP_NUM_THREADS"] = "1"
    if not CORPORA.exists():
        raise SystemExit(f"{CORPORA} is not there: these measurements need its corpora")
    if arguments.online:
        online(arguments.online)
    if arguments.lines:
        trainings(arguments.lines, alone=arguments.alone)


if __name__ == "__main__":
    main()
