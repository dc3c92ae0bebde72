"""Tuning: what each method gains on test sentences that it has not seen, over which seeds, and in which time.

    python benchmarks/bench_tuning.py                                # pydocs-en-es, all methods, three seeds
    python benchmarks/bench_tuning.py --corpus europarl-en-es --dev 500 --test 2000 --measure ter
    python benchmarks/bench_tuning.py --start flat --seeds 1         # from the weights that Moses starts with
    python benchmarks/bench_tuning.py --ceiling --seeds 1            # what could be gained at most
    python benchmarks/bench_tuning.py --held-out --methods mira      # as `dragoman lab tune`: each half held out once
    python benchmarks/bench_tuning.py --held-out --methods mira --reverse        # the other direction
    python benchmarks/bench_tuning.py --size small                   # over a small base
    python benchmarks/bench_tuning.py --methods "" --estimates       # β and δ instead of weights

Text tokenised as Moses does (sacremoses) and lower-cased, BLEU as sacrebleu computes it with tokenize none. The
difference is that to the weights at the start, with a 95 % interval by paired bootstrap.
What is trained stays in benchmarks/out for the next run, and so do the reports of all rounds (tuning-<corpus>.json).
"""

from __future__ import annotations

import argparse
import json
import os
import time
from collections.abc import Iterator
from itertools import islice
from pathlib import Path
from statistics import mean, stdev
from typing import NamedTuple

from dragoman.cluster.trainer import Size, train
from dragoman.kernels import warm
from dragoman.measure import Bleu, Measure, Ter, Wer, bootstrap
from dragoman.models.knowledge import Knowledge
from dragoman.models.loglinear import PRESETS, Weights
from dragoman.models.modelset import ModelSet
from dragoman.search.decoder import Decoder, Estimates
from dragoman.text.text_files import lines
from dragoman.tune import METHODS, Development, TuningReport, Validation, decode, tune, tune_estimate, tune_held_out
from dragoman.tune.development import Decoded

MEASURES: dict[str, Measure] = {"bleu": Bleu("none"), "ter": Ter(), "wer": Wer()}
CORPORA = Path(os.environ.get("DRAGOMAN_CORPORA", Path(__file__).parents[2] / "shared" / "corpora"))
OUT = Path(__file__).parent / "out"
LONGEST = 100  # words of a training sentence
TOKENISED = "captions"  # corpora that are tokenised and lower-cased already
FLAT = {"language": 0.5, "word_penalty": -1.0, "phrase_penalty": 0.2, "linear_distortion": 0.3} | {
    name: 0.2 if name.startswith(("phrase", "lexical")) else 0.3
    for name in PRESETS["moses"]
    if name.startswith(("phrase_inverse", "phrase_direct", "lexical", "previous", "next"))
}  # with which Moses starts to tune

Pair = tuple[list[str], list[str]]


class Result(NamedTuple):
    """What came of one method and seed."""

    report: TuningReport | Validation
    test: float  # score
    seconds: float


def read(folder: Path, part: str, count: int, *, reverse: bool = False) -> list[Pair]:
    """The first pairs of a corpus, tokenised and lower-cased, in one direction or the other."""
    sides = []
    for language in folder.name.split("-")[-2:]:
        texts = islice(lines(folder / f"{part}.{language}.gz"), count)
        if folder.name.startswith(TOKENISED):
            sides.append([text.split() for text in texts])
        else:
            from sacremoses import MosesTokenizer

            tokenizer = MosesTokenizer(lang=language)
            sides.append([tokenizer.tokenize(text.lower(), escape=False) for text in texts])
    return list(zip(*(sides[::-1] if reverse else sides), strict=True))


def trained(folder: Path, count: int, *, reverse: bool = False, size: Size = "full") -> ModelSet:
    """Models of the first pairs, from an earlier run if there was one."""
    path = OUT / f"{folder.name}-{size}-{count}{'-reverse' * reverse}"
    if not path.exists():
        pairs = (
            pair for pair in read(folder, "train", count, reverse=reverse) if all(len(side) <= LONGEST for side in pair)
        )
        train(((" ".join(source), " ".join(target)) for source, target in pairs), path, tokens="words", size=size)
    return Knowledge.open(path).models


def tuned(
    models: ModelSet,
    start: Weights,
    sets: tuple[Development, Development],
    methods: list[str],
    seeds: list[int],
    nbest: int,
    measure: Measure,
    *,
    held_out: bool = False,
) -> Iterator[Result]:
    """Tune with each method and seed, and print a row for each."""
    development, test = sets
    wer = Wer()
    before = decode(Decoder(models, start), test, measure)
    columns = f"dev | test {measure.name} | difference | p | WER | best round | decoding | optimising | all"
    print(f"\n| method | seed | {columns} |")
    print("|---|---:|---:|---:|---:|---:|---:|---:|---:|---:|---:|")
    print(f"| start | | | {before.score:.2f} | | | {decode(Decoder(models, start), test, wer).score:.1f} | | | | |")
    for name in methods:
        for seed in seeds:
            began = time.perf_counter()
            tuning = tune_held_out if held_out else tune
            report = tuning(models, start, development, METHODS[name], measure, nbest=nbest, seed=seed)
            took = time.perf_counter() - began
            decoder = Decoder(models, Weights(start.preset, report.weights))
            after = decode(decoder, test, measure)
            errors = decode(decoder, test, wer).score
            print(row(report, took, before, after, errors), flush=True)
            yield Result(report, after.score, took)


def row(report: TuningReport | Validation, took: float, before: Decoded, after: Decoded, errors: float) -> str:
    """One line of the table; decoding and optimising are seconds a round."""
    found = bootstrap(before.measure, before.best, after.best)
    about = report.folds[0] if isinstance(report, Validation) else report
    done = [each for fold in report.folds for each in fold.rounds] if isinstance(report, Validation) else report.rounds
    decoding = mean(each.decoding for each in done)
    optimising = mean(each.optimising for each in done[1:] or done)
    gone = (
        f"{report.share:.0%} of the way, p = {report.comparison.p_value:.3f}"
        if isinstance(report, Validation)
        else f"{report.best} of {len(report.rounds) - 1}"
    )
    return (
        f"| {about.method} | {about.seed} | {report.before:.2f} → {report.after:.2f} | {after.score:.2f} "
        f"| {found.difference.score:+.2f} ± {found.difference.margin:.2f} | {found.p_value:.3f} | {errors:.1f} "
        f"| {gone} | {decoding:.1f} s | {optimising:.1f} s | {took:.0f} s |"
    )


def method_of(result: Result) -> str:
    """The name of the method."""
    report = result.report
    return report.folds[0].method if isinstance(report, Validation) else report.method


def side_by_side(results: list[Result]) -> None:
    """Print mean and spread over the seeds of each method, and the mean of the seconds."""
    print("\n| method | dev, mean ± spread | test, mean ± spread | all |\n|---|---:|---:|---:|")
    for name in dict.fromkeys(method_of(each) for each in results):
        of = [each for each in results if method_of(each) == name]
        scores = [each.report.after for each in of], [each.test for each in of]
        columns = [f"{mean(each):.2f} ± {stdev(each):.2f}" for each in scores]
        print(f"| {name} | {' | '.join(columns)} | {mean(each.seconds for each in of):.0f} s |")


def estimated(models: ModelSet, weights: Weights, sets: tuple[Development, Development]) -> None:
    """Tune β and δ, and print what was tried."""
    bleu = Bleu("none")
    print("\n| estimate | value: dev BLEU | best | test BLEU |\n|---|---|---:|---:|")
    for name in ("beta", "delta"):
        found = tune_estimate(name, models, weights, sets[0], bleu)
        tried = ", ".join(f"{value:.2f}: {quality:.2f}" for value, quality in sorted(found.tried))
        test = decode(Decoder(models, weights, estimates=Estimates(**{name: found.value})), sets[1], bleu).score
        print(f"| {name} | {tried} | {found.value:.3f} | {test:.2f} |", flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--corpora", type=Path, default=CORPORA)
    parser.add_argument("--corpus", default="pydocs-en-es")
    parser.add_argument("--train", type=int, default=30_000, help="lines to train on (default 30000)")
    parser.add_argument("--dev", type=int, default=1000, help="development lines (default 1000)")
    parser.add_argument("--test", type=int, default=1000, help="test lines (default 1000)")
    parser.add_argument("--methods", default=",".join(METHODS))
    parser.add_argument("--seeds", default="1,2,3")
    parser.add_argument("--nbest", type=int, default=300)
    parser.add_argument("--measure", choices=[*MEASURES], default="bleu", help="what is tuned for, and tested")
    parser.add_argument("--preset", default="moses")
    parser.add_argument("--start", choices=("default", "flat"), default="default", help="weights to start from")
    parser.add_argument("--ceiling", action="store_true", help="tune on the test set itself")
    parser.add_argument("--held-out", action="store_true", help="change weights only as far as held-out text gains")
    parser.add_argument("--reverse", action="store_true", help="translate into the corpus's first language")
    parser.add_argument("--size", choices=("full", "small"), default="full", help="of the base")
    parser.add_argument("--estimates", action="store_true", help="tune β and δ too")
    arguments = parser.parse_args()
    folder = arguments.corpora / arguments.corpus
    if not folder.is_dir():
        print(f"no corpus at {folder}; name the directory of the corpora with --corpora")
        return
    models = trained(folder, arguments.train, reverse=arguments.reverse, size=arguments.size)
    test = Development.of(read(folder, "test", arguments.test, reverse=arguments.reverse))
    development = Development.of(read(folder, "dev", arguments.dev, reverse=arguments.reverse))
    sets = test if arguments.ceiling else development, test
    start = Weights(arguments.preset, FLAT if arguments.start == "flat" else None)
    print(
        f"{folder.name}: {arguments.train:,} training lines, {len(sets[0]):,} to tune on, {len(sets[1]):,} to test on"
    )
    warm()
    measure = MEASURES[arguments.measure]
    methods = [name for name in arguments.methods.split(",") if name]
    seeds = [int(seed) for seed in arguments.seeds.split(",")]
    found = tuned(models, start, sets, methods, seeds, arguments.nbest, measure, held_out=arguments.held_out)
    results = list(found) if methods else []
    if len(seeds) > 1 and results:
        side_by_side(results)
    if results:
        reports = [each.report.as_json() | {"test": each.test} for each in results]
        path = OUT / f"tuning-{folder.name}-{arguments.start}-{arguments.measure}.json"
        path.write_text(json.dumps(reports, indent=1), encoding="utf-8")
    if arguments.estimates:
        estimated(models, start, sets)


if __name__ == "__main__":
    main()
