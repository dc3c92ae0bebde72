"""Assessing past work: what is predicted against what is measured, and how long it takes.

    python benchmarks/bench_assess.py calibrate --out /tmp/assess      # all texts and engines; resumes
    python benchmarks/bench_assess.py reports --out /tmp/assess        # three texts, two engines
    python benchmarks/bench_assess.py speed --segments 100000          # a large memory over recorded answers

`calibrate` replays the texts with recorded answers of two engines and prints, for each pair of text and engine, the
gain in words to correct over the engine alone: predicted by a model that was fitted without that corpus, and
measured, with the verdict. At the end come the constants of `dragoman.assess.prediction`. A gain within its interval
around zero is "none"; predicting less than half a word in a hundred is right for it. It also counts the pairs for which
dragoman was recommended although it is significantly worse by some measure than what people have without it: none.

`reports` runs `dragoman assess` on three texts with both engines, and leaves a directory with its report for each.

`speed` assesses the first segments of training corpora, one after the other, as the command does by default; the
answers of the engine are made up from the references, with every fifth word left out.
"""

from __future__ import annotations

import argparse
import json
import math
import os
import resource
import subprocess
import tempfile
import time
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np

from dragoman.assess.assessment import AssessmentOptions, assess, evidence, make_plans, score_systems
from dragoman.assess.past_work import PastPair, PastWork
from dragoman.assess.prediction import FEATURES, PredictionInput
from dragoman.assess.replay_workers import replay_all
from dragoman.assess.system_names import BOTH, ENGINE, OVER, SIMILAR
from dragoman.assess.systems import WORDS
from dragoman.assess.verdict import Verdict, judge, worse_measures
from dragoman.measure.significance import Interval
from dragoman.progress import bars
from dragoman.text.text_files import lines
from dragoman_laboratory.corpora import Corpora
from dragoman_laboratory.experiment import Text

SHARED = Path(os.environ.get("DRAGOMAN_CORPORA", Path(__file__).parents[2] / "shared" / "corpora")).parent
PARTS = {"desktop": "test dev", "pydocs": "test dev", "tico19": "test dev", "europarl": "test dev", "newstest": "test"}
ENGINES = ("nmt", "apertium")
SIZES = {"test": 600, "dev": 300}
THREE = ("pydocs", "desktop", "newstest")
LARGE = ("pydocs", "desktop", "newstest", "europarl")  # 152,848 segments together
SMALL = 200  # segments of a shorter text of the same corpus: gains grow with the text
RIDGE = 0.1


class Case(NamedTuple):
    """A text and an engine: what was known before, and what was measured."""

    corpus: str
    name: str
    known: PredictionInput
    gain: Interval
    verdict: Verdict
    worse: list[str]  # measures by which what is judged is significantly worse than what people have


def past(corpora: Corpora, text: str, part: str, size: int, engine: str) -> tuple[PastWork, tuple[str | None, ...]]:
    segments = corpora.segments(Text(f"{text}-en-es", part, size, engine))
    pairs = [PastPair(each.source, each.reference, text) for each in segments]
    return PastWork(pairs, "en", "es", "order of the file", {}), tuple(each.upstream for each in segments)


def cases(corpora: Corpora, text: str, part: str, size: int, out: Path) -> list[Case]:
    """A text over both engines, in full and its beginning."""
    both = {engine: past(corpora, text, part, size, engine) for engine in ENGINES}
    work = both[ENGINES[0]][0]
    heard = {engine: said for engine, (_, said) in both.items()}
    plans = make_plans(work, AssessmentOptions(ENGINES, typed=0), tuple(range(len(work.pairs))), heard)
    alone, *over = replay_all(plans, out)
    found = []
    for engine, outcomes in zip(ENGINES, over, strict=True):
        for few in (len(work.pairs), SMALL):
            some = PastWork(work.pairs[:few], "en", "es", "", {})
            systems = score_systems(some, alone[:few], outcomes[:few], heard[engine])
            words = sum(len(pair.source.split()) for pair in some.pairs)
            gain = systems[OVER].gain_over(systems[ENGINE], WORDS)
            name = f"{text} {part}, {engine}, {few}"
            verdict = judge(systems, "", words)
            worse = worse_measures(systems[verdict.system], [systems[each] for each in (ENGINE, BOTH, SIMILAR)])
            found.append(Case(text, name, evidence(some, systems[ENGINE]), gain, verdict, worse))
    return found


def fitted(found: Sequence[Case]) -> tuple[float, dict[str, float]]:
    """Intercept and weights, by ridge regression on standardised features."""
    x = np.array([[each.known.features[name] for name in FEATURES] for each in found])
    y = np.array([each.gain.score for each in found])
    middle, scale = x.mean(0), x.std(0)
    z = (x - middle) / scale
    weights = np.linalg.solve(z.T @ z + RIDGE * np.eye(len(FEATURES)), z.T @ (y - y.mean())) / scale
    return float(y.mean() - weights @ middle), dict(zip(FEATURES, weights.tolist(), strict=True))


def predicted(case: Case, intercept: float, weights: dict[str, float]) -> float:
    return intercept + sum(weights[name] * case.known.features[name] for name in FEATURES)


def is_right(gain: Interval, expected: float) -> bool:
    """Whether the prediction has the sign of the gain; where there is none, it must not promise one."""
    if gain.low <= 0 <= gain.high:
        return expected < 0.5
    return (expected > 0) == (gain.score > 0)


def calibrate(arguments: argparse.Namespace) -> None:
    corpora = Corpora(arguments.shared / "corpora")
    found: list[Case] = []
    for text, parts in PARTS.items():
        for part in parts.split():
            found += cases(corpora, text, part, arguments.segments or SIZES[part], arguments.out)
    print("| text, engine, segments | predicted | measured | right sign | verdict |\n|---|---|---|---|---|")
    errors, right = [], []
    for case in found:
        expected = predicted(case, *fitted([each for each in found if each.corpus != case.corpus]))
        print(
            f"| {case.name} | {expected:+.1f} | {case.gain.score:+.1f} ± {case.gain.margin:.1f} "
            f"| {'yes' if is_right(case.gain, expected) else 'no'} | {case.verdict.kind} |"
        )
        if not case.name.endswith(f", {SMALL}"):
            errors.append(expected - case.gain.score)
            right.append(is_right(case.gain, expected))
    intercept, weights = fitted(found)
    wrong = sum(each.verdict.recommends and bool(each.worse) for each in found)
    print(f"\nrecommended although significantly worse: {wrong} of {len(found)}")
    print(f"right sign in {sum(right)} of {len(right)} whole texts; each corpus left out in turn")
    print(f"INTERCEPT = {intercept:.3f}\nWEIGHTS = { {name: round(value, 4) for name, value in weights.items()} }")
    print(f"MARGIN = {2 * math.sqrt(np.mean(np.square(errors))):.1f}")
    ranges = {name: [each.known.features[name] for each in found] for name in FEATURES}
    print(f"RANGES = { {name: (round(min(v), 2), round(max(v), 2)) for name, v in ranges.items()} }")


def reports(arguments: argparse.Namespace) -> None:
    corpora = Corpora(arguments.shared / "corpora")
    print("| text | engine | without dragoman | with dragoman | saved in a day | verdict |\n|---|---|---|---|---|---|")
    for text in THREE:
        folder = arguments.out / text
        folder.mkdir(parents=True, exist_ok=True)
        names = [f"recorded:{folder / engine}.tsv" for engine in ENGINES]
        for engine in ENGINES:
            work, said = past(corpora, text, "test", SIZES["test"], engine)
            rows = {pair.source: answer for pair, answer in zip(work.pairs, said, strict=True)}
            _write(folder / f"{engine}.tsv", rows.items())
            _write(folder / "text.tsv", [pair[:2] for pair in work.pairs])
        options = [part for name in names for part in ("--upstream", name)]
        command = ["dragoman", "assess", str(folder / "text.tsv"), "--source", "en", "--target", "es", *options]
        subprocess.run([*command, "--out", str(folder / "report")], check=True, stdout=subprocess.DEVNULL)
        found = json.loads((folder / "report" / "report.json").read_text(encoding="utf-8"))
        for engine, part in zip(ENGINES, found["parts"], strict=True):
            verdict, systems = part["verdict"], part["systems"]
            scores = [f"{systems[verdict[each]][WORDS]['score']:.1f}" for each in ("rival", "system")]
            saved = f"{verdict['saved']['words']:,} words, {verdict['saved']['strokes']:,} strokes"
            print(f"| {text} | {engine} | {' | '.join(scores)} | {saved} | {verdict['kind']} |", flush=True)


def _write(file: Path, rows: Iterable[Sequence[str | None]]) -> None:
    file.write_text("".join(f"{one}\t{other}\n" for one, other in rows), encoding="utf-8")


def speed(arguments: argparse.Namespace) -> None:
    folder = arguments.shared / "corpora"
    pairs: list[PastPair] = []
    for corpus in arguments.corpus:
        sides = [[*map(str, lines(folder / corpus / f"train.{code}.gz"))] for code in ("en", "es")]
        pairs += [PastPair(one, other, corpus) for one, other in zip(*sides, strict=True) if one and other]
    pairs = pairs[: arguments.segments or 2000]
    work = PastWork(pairs, "en", "es", "order of the file", {})
    with tempfile.TemporaryDirectory() as directory:
        answers = Path(directory, "answers.tsv")
        rows = {pair.source: _worse(pair.target) for pair in pairs if "\t" not in pair.source + pair.target}
        _write(answers, rows.items())
        options = AssessmentOptions((f"recorded:{answers}",), sample=arguments.sample)
        began = time.perf_counter()
        with bars() as progress:
            found = assess(work, Path(directory, "out"), options, progress)
        took = time.perf_counter() - began
    print(f"{len(pairs):,} segments, {found['text']['sampled']:,} sampled: {took:.0f} s wall, {os.cpu_count()} cores")
    print(f"{1e3 * took / len(pairs):.1f} ms a segment")
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    print(f"{used.ru_utime + used.ru_stime:.0f} s of CPU time in workers, {used.ru_maxrss / 1024:.0f} MiB at most")
    for name, times in found["times"].items():
        print(name, times)


def _worse(text: str) -> str:
    words = text.split()
    return " ".join(word for n, word in enumerate(words) if n % 5 != 4) or text


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", nargs="?", default="calibrate", choices=("calibrate", "reports", "speed"))
    parser.add_argument("--shared", type=Path, default=SHARED, help="folder with corpora and engines/recorded")
    parser.add_argument("--out", type=Path, default=Path(tempfile.gettempdir(), "bench-assess"))
    parser.add_argument("--segments", type=int)
    parser.add_argument("--sample", type=int, default=2000)
    parser.add_argument("--corpus", nargs="+", default=[f"{name}-en-es" for name in LARGE])
    arguments = parser.parse_args()
    {"calibrate": calibrate, "reports": reports, "speed": speed}[arguments.what](arguments)


if __name__ == "__main__":
    main()
