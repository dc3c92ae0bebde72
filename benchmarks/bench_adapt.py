"""Adapting weights online: every method on n-best lists of every size, learning curves, live search, time a sentence.

    python benchmarks/bench_adapt.py                       # all of it; lists that are in benchmarks/out are used again
    python benchmarks/bench_adapt.py rates                 # only the sweep over α, on the set that it is chosen on
    python benchmarks/bench_adapt.py tables --set newstest-en-es
    python benchmarks/bench_adapt.py live --set newstest-en-es
    python benchmarks/bench_adapt.py time

A system is trained on the first 25,000 pairs of europarl and its weights are tuned there by MIRA on BLEU. The learning
rates are those that are best on the development set of newstest-en-es with lists of 500 ([M] §5.2 does the same with
NC08); all sets and all sizes are run with them. TER and BLEU are those of words as the models see them.
"""

from __future__ import annotations

import argparse
import json
import os

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # small matrices: threads only get in each other's way

import tempfile
import time
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from itertools import islice
from pathlib import Path

import numpy as np

from dragoman.adapt import Adapter, Bayes, PassiveAggressive, Perceptron, Ridge
from dragoman.adapt.lists import candidates, losses
from dragoman.engine import Engine
from dragoman.experiments.adaptation import Lists, Run, decode, live, rerank, table
from dragoman.measure import Bleu, Ter
from dragoman.models.knowledge import Knowledge
from dragoman.models.loglinear import Weights
from dragoman.search.decoder import Decoder
from dragoman.text.reading import pairs
from dragoman.tune import Development, mira, tune

CORPORA = Path(__file__).parents[2] / "shared" / "corpora"
OUT = Path(__file__).parent / "out"
TRAIN, DEVELOPMENT, LONGEST = 25_000, 400, 2000
SIZES = (100, 500, 1000, 2000)
SETS = {"newstest-en-es": 1000, "pydocs-en-es": 1000, "newstest-en-fr": 1000}
RATES = (0.001, 0.003, 0.01, 0.03, 0.1, 0.3, 1.0)
METHODS: dict[str, Callable[[float], Adapter]] = {
    "PA, λ": lambda rate: PassiveAggressive(alpha=rate),
    "PA as printed, λ": lambda rate: PassiveAggressive(alpha=rate, printed=True),
    "perceptron, λ": lambda rate: Perceptron(alpha=rate),
    "ridge, λ": lambda rate: Ridge(alpha=rate),
    "Bayes, λ": lambda rate: Bayes(delta=1 / rate, samples=200),
    "PA, u": lambda rate: PassiveAggressive(alpha=rate, parameters="factors"),
    "perceptron, u": lambda rate: Perceptron(alpha=rate, parameters="factors"),
    "ridge, u": lambda rate: Ridge(alpha=rate, parameters="factors"),
    "ridge, u, all decay": lambda rate: Ridge(alpha=rate, parameters="factors", decay="all"),
}


def texts(corpus: str, part: str, count: int) -> list[tuple[str, str]]:
    source, target = corpus.split("-")[-2:]
    files = (CORPORA / corpus / f"{part}.{language}.gz" for language in (source, target))
    return [pair for pair in islice(pairs(*files), count) if all(side.strip() for side in pair)]


def system(target: str) -> tuple[Knowledge, Weights]:
    """Models of europarl and weights tuned on it, from the run before if there was one."""
    corpus = f"europarl-en-{target}"
    models, weights = OUT / f"knowledge-{corpus}-{TRAIN}", OUT / f"weights-{corpus}-{TRAIN}.json"
    if not models.is_dir():
        print(f"training on {corpus} …", flush=True)
        knowledge = Knowledge()
        knowledge.train(texts(corpus, "train", TRAIN))
        knowledge.save(models)
    knowledge = Knowledge.open(models)
    if not weights.exists():
        print(f"tuning on {corpus} …", flush=True)
        development = Development.read(knowledge, texts(corpus, "dev", DEVELOPMENT))
        report = tune(knowledge.models, Weights("moses"), development, mira, Bleu("none"), rounds=5, beam="fast")
        weights.write_text(json.dumps(report.weights), encoding="utf-8")
    return knowledge, Weights("moses", json.loads(weights.read_text(encoding="utf-8")))


def lists(corpus: str, part: str, count: int) -> Lists:
    """N-best lists, decoded once."""
    directory = OUT / f"lists-{corpus}-{part}-{count}-{LONGEST}"
    if not directory.is_dir():
        print(f"decoding {count} segments of {corpus} …", flush=True)
        knowledge, weights = system(corpus.split("-")[-1])
        decode(knowledge, weights, texts(corpus, part, count), LONGEST).save(directory)
    return Lists.open(directory)


def rates() -> dict[str, float]:
    """The best learning rate of each method on the set they are chosen on, with lists of 500."""
    known = OUT / "adapt-rates.json"
    if known.exists():
        return dict(json.loads(known.read_text(encoding="utf-8")))
    chosen_on, best = lists("newstest-en-es", "dev", 500), {}
    base = rerank(chosen_on, None, 500)
    print(f"\nnewstest-en-es dev, 500-best: TER {base.score('ter'):.2f}, BLEU {base.score('bleu'):.2f}\n")
    print(f"| TER | {' | '.join(map(str, RATES))} |\n|---|{'---:|' * len(RATES)}")
    for name, make in METHODS.items():
        found = [rerank(chosen_on, make(rate), 500).score("ter") for rate in RATES]
        best[name] = RATES[int(np.argmin(found))]
        print(f"| {name} | {' | '.join(f'{ter:.2f}' for ter in found)} |", flush=True)
    known.write_text(json.dumps(best), encoding="utf-8")
    return best


def tables(corpus: str) -> None:
    """Final TER and BLEU of every method and size, and the learning curves of lists of 500."""
    found, best = lists(corpus, "test", SETS[corpus]), rates()
    base, oracle = rerank(found, None, LONGEST), rerank(found, None, LONGEST, oracle=True)
    print(f"\n{corpus}, {len(found)} segments; best entry of {LONGEST} by TER: {oracle.score('ter'):.2f}\n")
    print(f"| method | α, 1/δ | {' | '.join(f'{n}-best' for n in SIZES)} | ms a sentence, 500-best |")
    print(f"|---|---:|{'---:|' * len(SIZES)}---:|")
    curves, results = {"none": base}, {}
    print(_row("none", "", [_cell(base, base)] * len(SIZES), 0.0), flush=True)
    for name, make in METHODS.items():
        runs = {n: rerank(found, make(best[name]), n) for n in SIZES}
        print(_row(name, f"{best[name]}", [_cell(base, runs[n]) for n in SIZES], runs[500].seconds), flush=True)
        curves[name] = runs[500]
        results[name] = {n: table({"base": base, name: run})[1] for n, run in runs.items()}
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
    for method, run in curves.items():
        if method.endswith("decay") or "printed" in method:
            continue
        curve = run.curve("ter")
        x = np.arange(50, len(curve), 10)
        left.plot(x, curve[x], label=method, linewidth=1)
        right.plot(x, curve[x] - base[x], linewidth=1)
    left.set(xlabel="segments", ylabel="TER so far", title=name)
    right.set(xlabel="segments", ylabel="difference to no adaptation")
    left.legend(fontsize=7)
    figure.savefig(path)


def compare_live(corpus: str, count: int) -> None:
    """Searching with the adapted weights against choosing from lists of the fixed ones, 500-best."""
    best, (knowledge, weights) = rates(), system(corpus.split("-")[-1])
    found, pairs_of = lists(corpus, "test", SETS[corpus]), texts(corpus, "test", count)
    head = replace(found, arrays=found.arrays | {"ends": found.arrays["ends"][: len(pairs_of)]})
    base = rerank(head, None, 500)
    print(f"\n{corpus}, {len(pairs_of)} segments, 500-best\n\n| method | rerank | live |\n|---|---:|---:|")
    print(f"| none | {_cell(base, base)} | |", flush=True)
    for name in ("ridge, λ", "Bayes, λ", "perceptron, λ", "perceptron, u"):
        adapter = METHODS[name](best[name])
        cells = [_cell(base, run) for run in (rerank(head, adapter, 500), live(knowledge, weights, pairs_of, adapter))]
        print(f"| {name} | {' | '.join(cells)} |", flush=True)


def times(count: int = 100) -> None:
    """What each part of translating and adapting takes, in processor time."""
    knowledge, weights = system("es")
    decoder, spent = Decoder(knowledge.models, weights), dict[str, list[float]]()
    adapters = {"ridge, λ": Ridge(), "Bayes, λ": Bayes(), "perceptron, λ": Perceptron(), "PA, λ": PassiveAggressive()}
    theta = np.array(list(weights.values()))
    for source, reference in texts("newstest-en-es", "test", count):
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
        offered = candidates(found, nbest, factors=False)
        loss = losses(Ter(), offered.words, right)
        tick("losses, TER")
        for name, adapter in adapters.items():
            adapter.rerank(theta, offered.features)
            tick(f"choosing, {name}")
            adapter.update(theta, offered.features, loss)
            tick(f"updating, {name}")
    spent |= engine_times(texts("newstest-en-es", "test", count))
    print(f"\n| of a sentence of newstest, mean of {count} | ms |\n|---|---:|")
    for name, seconds in spent.items():
        print(f"| {name} | {1e3 * float(np.mean(seconds[2:])):.2f} |")


def engine_times(segments: list[tuple[str, str]]) -> dict[str, list[float]]:
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
                timed(f"engine, {name}: translate", partial(engine.translate, source, memory=False))
                if adapter is None:
                    timed(f"engine, {name}: translate, n=500", partial(engine.translate, source, n=500, memory=False))
                timed(f"engine, {name}: learn", partial(engine.learn, source, target, force=True))
    return spent


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", nargs="?", choices=["all", "rates", "tables", "live", "time"], default="all")
    parser.add_argument("--set", choices=list(SETS), action="append", help="only this test set")
    parser.add_argument("--live", type=int, default=1000, help="segments of the comparison with live search")
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
    if given.what in ("all", "time"):
        times()


if __name__ == "__main__":
    main()
