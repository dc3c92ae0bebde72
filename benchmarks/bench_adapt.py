"""Adapting weights online: every method on n-best lists of every size, learning curves, live search, time a sentence.

    python benchmarks/bench_adapt.py                       # all of it; what is in benchmarks/out is used again
    python benchmarks/bench_adapt.py rates                 # only the sweep over α, on the set that it is chosen on
    python benchmarks/bench_adapt.py tables --set newstest-en-es
    python benchmarks/bench_adapt.py live --set newstest-en-es
    python benchmarks/bench_adapt.py reasons               # length and BLEU; repetition and factors; samples of Bayes
    python benchmarks/bench_adapt.py interactive           # the effort of a simulated user, with weights that adapt
    python benchmarks/bench_adapt.py time

What is trained, tuned and decoded for it, and which rates are tried, is in adapt_common.py.
"""

from __future__ import annotations

import argparse
import json
import os

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # small matrices: threads only get in each other's way

import sys
import tempfile
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path

import numpy as np

from dragoman.adapt import Bayes, PassiveAggressive, Perceptron, Ridge
from dragoman.adapt.adaptation import Adaptation
from dragoman.adapt.lists import candidates, losses
from dragoman.engine import Engine
from dragoman.measure import Ter, Wer
from dragoman.models.knowledge import Knowledge
from dragoman.models.loglinear import Weights
from dragoman.search.decoder import Decoder
from dragoman_laboratory.adapter_cells import mert_every
from dragoman_laboratory.reranking import Run, live, rerank, table

sys.path.append(str(Path(__file__).parents[1]))

from benchmarks.adapt_common import (
    CORPORA,
    LONGEST,
    METHODS,
    OUT,
    SETS,
    TRAIN,
    Texts,
    picked,
    rates,
    system,
    tested,
    texts,
)
from benchmarks.adapt_reasons import interactive, reasons

SIZES = (100, 500, 1000, 2000)
DRAWN = ("PA, λ", "perceptron, λ", "ridge, λ", "Bayes, λ", "PA, u", "perceptron, u", "ridge, u")
LIVE = {  # methods, and the rates that are tried in live search
    "perceptron, λ": (1e-4, 3e-4, 0.001, 0.003, 0.01),
    "ridge, λ": (0.001, 0.003, 0.01, 0.03, 0.1),
    "Bayes, λ": (0.03, 0.1, 0.3, 1.0),
    "perceptron, u": (0.03, 0.1, 0.3, 1.0),
}


# ── Tables, curves ────────────────────────────────────────────────────────────────────────────────────────────


def tables(corpus: str) -> None:
    """Final TER and BLEU of every method and size, and the learning curves of lists of 500."""
    found, best = tested(corpus), rates()
    base, oracle = rerank(found, None, LONGEST), rerank(found, None, LONGEST, oracle=True)
    print(f"\n{corpus}, {len(found)} segments; best entry of {LONGEST} by TER: {oracle.score('ter'):.2f}\n")
    print(f"| method | α, 1/δ | {' | '.join(f'{n}-best' for n in SIZES)} | ms a sentence, 500-best |")
    print(f"|---|---:|{'---:|' * len(SIZES)}---:|")
    curves, results = {"none": base}, {}
    print(_row("none", "", [_cell(base, base)] * len(SIZES), 0.0), flush=True)
    for name, make in METHODS.items():
        runs = {n: rerank(found, make(best[name]), n) for n in SIZES}
        print(_row(name, f"{best[name]:g}", [_cell(base, runs[n]) for n in SIZES], runs[500].seconds), flush=True)
        curves[name] = runs[500]
        results[name] = {n: table({"base": base, name: run})[1] for n, run in runs.items()}
    curves["MERT200"] = mert_every(found, 500, 200, seed=1)
    print(_row("MERT200", "", ["", _cell(base, curves["MERT200"]), "", ""], 0.0), flush=True)
    (OUT / f"adapt-{corpus}.json").write_text(json.dumps(results), encoding="utf-8")
    plot(curves, OUT / f"adapt-{corpus}.svg", corpus)


def _cell(base: Run, run: Run) -> str:
    row = table({"base": base, "run": run})[1]
    star = ["*" if row[f"{measure} p"] < 0.05 else "" for measure in ("ter", "bleu")]
    ter, bleu = (f"{row[m]:.2f}±{row[f'{m} margin']:.1f}{s}" for m, s in zip(("ter", "bleu"), star, strict=True))
    return f"{ter} / {bleu}"


def _row(name: str, rate: str, cells: list[str], seconds: float) -> str:
    return f"| {name} | {rate} | {' | '.join(cells)} | {1e3 * seconds:.1f} |"


def plot(curves: dict[str, Run], path: Path, name: str) -> None:
    try:
        from matplotlib.figure import Figure
    except ImportError:
        print("no plot: pip install matplotlib")
        return
    figure = Figure(figsize=(9, 3.6), layout="constrained")
    left, right = figure.subplots(1, 2)
    base = curves["none"].curve("ter")
    for method in ("none", *DRAWN, "MERT200"):
        curve = curves[method].curve("ter")
        x = np.arange(50, len(curve), 10)
        style = {"color": "black", "linestyle": "--" if method == "MERT200" else "-"} if method not in DRAWN else {}
        left.plot(x, curve[x], label=method, linewidth=1, **style)
        right.plot(x, curve[x] - base[x], linewidth=1, **style)
    left.set(xlabel="segments", ylabel="TER so far", title=name)
    right.set(xlabel="segments", ylabel="difference to no adaptation")
    left.legend(fontsize=7)
    figure.savefig(path)


# ── Live search ──────────────────────────────────────────────────────────────────────────────────────────────────────


def live_rates() -> dict[str, float]:
    """The best learning rates of live search, on the same set."""
    known = OUT / "adapt-live-rates.json"
    if known.exists():
        return dict(json.loads(known.read_text(encoding="utf-8")))
    (knowledge, weights), segments, best = system("es"), texts("newstest-en-es", "dev", 250), {}
    print(f"\nnewstest-en-es dev, {len(segments)} segments, live search\n")
    for name, tried in LIVE.items():
        found = {rate: live(knowledge, weights, segments, METHODS[name](rate)).score("ter") for rate in tried}
        best[name] = min(found, key=found.__getitem__)
        print(f"{name}: {', '.join(f'{rate:g}: {ter:.2f}' for rate, ter in found.items())}", flush=True)
    known.write_text(json.dumps(best), encoding="utf-8")
    return best


def compare_live(corpus: str, count: int) -> None:
    """Searching with the adapted weights against choosing from lists of the fixed ones, 500-best."""
    best, best_live, (knowledge, weights) = rates(), live_rates(), system(corpus.split("-")[-1])
    head, segments = picked(tested(corpus), range(count)), texts(corpus, "test", count)
    base = rerank(head, None, 500)
    print(f"\n{corpus}, {len(segments)} segments, 500-best\n")
    print("| method | rerank | α, 1/δ | live | α, 1/δ | TER, live − rerank |\n|---|---:|---:|---:|---:|---:|")
    print(f"| none | {_cell(base, base)} | | | | |", flush=True)
    for name, rate, live_rate in [*((name, best[name], best_live[name]) for name in LIVE), ("ridge, λ", 0.01, 0.01)]:
        fixed = rerank(head, METHODS[name](rate), 500)
        searched = live(knowledge, weights, segments, METHODS[name](live_rate))
        row = table({"rerank": fixed, "live": searched})[1]
        cells = f"{_cell(base, fixed)} | {rate:g} | {_cell(base, searched)} | {live_rate:g}"
        print(f"| {name} | {cells} | {row['ter difference']:+.2f}, p = {row['ter p']:.2f} |", flush=True)


# ── Time ─────────────────────────────────────────────────────────────────────────────────────────────────────────────


TIMED = {
    "PA, λ": PassiveAggressive(),
    "perceptron, λ": Perceptron(),
    "ridge, λ": Ridge(),
    "Bayes, λ": Bayes(),
    "PA, u": PassiveAggressive(parameters="factors"),
    "perceptron, u": Perceptron(parameters="factors"),
    "ridge, u": Ridge(parameters="factors"),
}


def times(count: int = 100, passes: int = 3) -> None:
    """What each part of translating and adapting takes, in processor time: the least of some passes, then the mean."""
    knowledge, weights = system("es")
    segments = texts("newstest-en-es", "test", count)
    found = [parts_times(knowledge, weights, segments) for _ in range(passes)]
    ms = {name: 1e3 * float(np.min([each[name] for each in found], axis=0)[2:].mean()) for name in found[0]}
    base = ms["search"] + ms["500-best list"]
    print(f"\n| of a sentence of newstest-en-es, mean of {count} | ms | of search and list |\n|---|---:|---:|")
    for name, spent in ms.items():
        print(f"| {name} | {spent:.2f} | {100 * spent / base:.1f} % |")
    print("\n| what adapting adds to search and list | by TER: ms | % | by WER: ms | % |\n|---|---:|---:|---:|---:|")
    for name, adapter in TIMED.items():
        own = ms[f"choosing, {name}"] + ms[f"learning, {name}"]
        own += ms["phrase pairs of the list"] if adapter.parameters == "factors" else 0
        both = (own + ms[f"losses, {measure}"] for measure in ("TER", "WER"))
        print(f"| {name} | {' | '.join(f'{spent:.2f} | {100 * spent / base:.1f}' for spent in both)} |")
    entries, different = alike(knowledge, weights, segments)
    print(f"\n{entries:.0f} entries a list, {different:.0f} of them different where the reference has the words")
    print(f"\n| engine, mean of {count} | ms |\n|---|---:|")
    for name, seconds in engine_times(segments).items():
        print(f"| {name} | {1e3 * float(np.mean(seconds[2:])):.2f} |")


def parts_times(knowledge: Knowledge, weights: Weights, segments: Texts) -> dict[str, list[float]]:
    """Processor time of every part, sentence by sentence."""
    decoder, spent = Decoder(knowledge.models, weights), dict[str, list[float]]()
    at_work = {name: Adaptation(each.settings() | {"mode": "rerank"}, weights) for name, each in TIMED.items()}
    for source, reference in segments:
        read, right = knowledge.source.read(source), knowledge.target.model_words(knowledge.target.read(reference))
        clock = [time.process_time()]

        def tick(name: str, clock: list[float] = clock) -> None:
            now = time.process_time()
            spent.setdefault(name, []).append(now - clock[0])
            clock[0] = time.process_time()

        found = decoder.search(knowledge.source.model_words(read), read.placeable)
        _ = found.best
        tick("search")
        nbest = found.nbest(500, distinct=True)
        _ = nbest.words
        tick("500-best list")
        without_pairs = candidates(found, nbest, factors=False)
        clock[0] = time.process_time()
        offered = candidates(found, nbest, factors=True)
        tick("phrase pairs of the list")
        losses(Wer(), offered.words, right)
        tick("losses, WER")
        loss = losses(Ter(), offered.words, right)
        tick("losses, TER")
        for name, adaptation in at_work.items():
            chosen = adaptation.choose(offered if adaptation.wants_factors else without_pairs)
            tick(f"choosing, {name}")
            adaptation.learn(offered, loss, chosen)
            tick(f"learning, {name}")
    return spent


def alike(knowledge: Knowledge, weights: Weights, segments: Texts) -> tuple[float, float]:
    """Entries of the lists, and those that differ in more than words that the reference does not have: means."""
    decoder, sizes = Decoder(knowledge.models, weights), []
    for source, reference in segments:
        read, right = knowledge.source.read(source), knowledge.target.model_words(knowledge.target.read(reference))
        listed = decoder.search(knowledge.source.model_words(read), read.placeable).nbest(500, distinct=True).words
        known = set(right)
        sizes.append((len(listed), len({tuple(word if word in known else None for word in entry) for entry in listed})))
    entries, different = np.mean(sizes, axis=0)
    return float(entries), float(different)


def engine_times(segments: Texts) -> dict[str, list[float]]:
    """Processor time of an engine that adapts beside one that does not."""
    spent = dict[str, list[float]]()

    def timed(name: str, work: Callable[[], object]) -> None:
        began = time.process_time()
        work()
        spent.setdefault(name, []).append(time.process_time() - began)

    adapters = {"no adapter": None, "Ridge()": Ridge(), "Ridge by WER": Ridge(measure="wer"), "Bayes()": Bayes()}
    base = OUT / f"knowledge-europarl-en-es-{TRAIN}"
    for name, adapter in adapters.items():
        with (
            tempfile.TemporaryDirectory() as directory,
            Engine.create(f"{directory}/p", source="en", target="es", base=base) as engine,
        ):
            engine.adapter = adapter
            for source, target in segments:
                timed(f"{name}: translate", partial(engine.translate, source, memory=False))
                if adapter is None:
                    timed(f"{name}: translate, n=500", partial(engine.translate, source, n=500, memory=False))
                timed(f"{name}: learn", partial(engine.learn, source, target, force=True))
    return spent


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parts = ["all", "rates", "tables", "live", "reasons", "interactive", "time"]
    parser.add_argument("what", nargs="?", choices=parts, default="all")
    parser.add_argument("--set", choices=list(SETS), action="append", help="only this test set")
    parser.add_argument("--live", type=int, default=1000, help="segments of the comparison with live search")
    parser.add_argument("--interactive", type=int, default=200, help="segments translated interactively")
    given = parser.parse_args()
    if not CORPORA.is_dir():
        print(f"nothing measured: there are no corpora in {CORPORA}")
        return
    OUT.mkdir(exist_ok=True)
    if given.what in ("all", "rates"):
        rates()
    for corpus in given.set or SETS:
        if given.what in ("all", "tables"):
            tables(corpus)
        if given.what in ("all", "live"):
            compare_live(corpus, min(given.live, SETS[corpus]))
        if given.what in ("all", "interactive"):
            interactive(corpus, given.interactive)
    if given.what in ("all", "reasons"):
        reasons()
    if given.what in ("all", "time"):
        times()


if __name__ == "__main__":
    main()
