"""Assessing past work: the reports on three texts, and how long it takes.

    python benchmarks/bench_assess.py reports --out /tmp/assess        # three texts, two engines
    python benchmarks/bench_assess.py speed --segments 100000          # a large memory over recorded answers

`reports` runs `dragoman assess` on three texts with both engines, and leaves a directory with its report for each.

`speed` assesses the first segments of training corpora, one after the other, as the command does by default; the
answers of the engine are made up from the references, with every fifth word left out.
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import subprocess
import tempfile
import time
from collections.abc import Iterable, Sequence
from pathlib import Path

from dragoman.assess.assessment import AssessmentOptions, assess
from dragoman.assess.past_work import PastPair, PastWork
from dragoman.assess.systems import WORDS
from dragoman.progress import bars
from dragoman.text.text_files import lines
from dragoman_laboratory.corpora import Corpora
from dragoman_laboratory.experiment import Text

SHARED = Path(os.environ.get("DRAGOMAN_CORPORA", Path(__file__).parents[2] / "shared" / "corpora")).parent
ENGINES = ("nmt", "apertium")
SIZE = 600  # segments
THREE = ("pydocs", "desktop", "newstest")
LARGE = ("pydocs", "desktop", "newstest", "europarl")  # 152,848 segments together


def past(corpora: Corpora, text: str, part: str, size: int, engine: str) -> tuple[PastWork, tuple[str | None, ...]]:
    segments = corpora.segments(Text(f"{text}-en-es", part, size, engine))
    pairs = [PastPair(each.source, each.reference, text) for each in segments]
    return PastWork(pairs, "en", "es", "order of the file", {}), tuple(each.upstream for each in segments)


def reports(arguments: argparse.Namespace) -> None:
    corpora = Corpora(arguments.shared / "corpora")
    print("| text | engine | without dragoman | with dragoman | saved in a day | verdict |\n|---|---|---|---|---|---|")
    for text in THREE:
        folder = arguments.out / text
        folder.mkdir(parents=True, exist_ok=True)
        names = [f"recorded:{folder / engine}.tsv" for engine in ENGINES]
        for engine in ENGINES:
            work, said = past(corpora, text, "test", SIZE, engine)
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
    parser.add_argument("what", nargs="?", default="reports", choices=("reports", "speed"))
    parser.add_argument("--shared", type=Path, default=SHARED, help="folder with corpora and engines/recorded")
    parser.add_argument("--out", type=Path, default=Path(tempfile.gettempdir(), "bench-assess"))
    parser.add_argument("--segments", type=int)
    parser.add_argument("--sample", type=int, default=2000)
    parser.add_argument("--corpus", nargs="+", default=[f"{name}-en-es" for name in LARGE])
    arguments = parser.parse_args()
    {"reports": reports, "speed": speed}[arguments.what](arguments)


if __name__ == "__main__":
    main()
