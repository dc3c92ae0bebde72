"""Bases by size of the corpus, full and small: training, bytes, memory, translating, learning, keys, and BLEU.

    python benchmarks/bench_scale.py europarl-en-es pydocs-en-es captions-en-fr
    python benchmarks/bench_scale.py europarl-en-es --pairs 15000 60000                   # the first pairs only
    python benchmarks/bench_scale.py europarl-en-es --grow --pairs 60033 250000 1000000   # more than there are

Nothing is tuned. The difference has a 95 % interval by paired bootstrap. Times are of the processor, except the wall
time of training: a sentence translated, a correction learned (median), a key completed (99 of 100 within).
`memory` is the most that the process that trains has for itself, `resident` what one that has translated the test set
holds, pages of the mapped base included. With `--grow`, a corpus is made of the real one by a rule (`grown_corpus`):
sizes and times are about those of real text, the BLEU of such a base says nothing but how little leaving out changes.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from collections import Counter
from itertools import islice
from pathlib import Path
from statistics import median, quantiles
from typing import Any

import numpy as np

from dragoman.cluster.corpus_files import read_corpus
from dragoman.cluster.disk import ScratchDirectory
from dragoman.cluster.runners import Local, LocalProcesses
from dragoman.cluster.trainer import Trainer, train
from dragoman.engine import Engine
from dragoman.errors import BadInputError
from dragoman.files import MANIFEST, open_arrays, write_arrays
from dragoman.measure import Bleu, bootstrap
from dragoman.models.defaults import CURRENT, starting_weights
from dragoman.models.knowledge import Knowledge
from dragoman.search.decoder import Decoder
from dragoman.tune import Development, decode

sys.path.append(str(Path(__file__).parents[1]))
from benchmarks.grown_corpus import CORPORA, align, corpus_files, grow, read

LINES = 2500  # of a test set
LEARNED, TYPED, KEYS = 150, 40, 40  # segments of it that are learned, and typed after that; keys of each
GROWN = "grown.tsv"
TABLES = {  # by the beginning of an array's name
    "phrase pairs": "models.phrases.pairs.",
    "phrases": "models.phrases.",
    "n-grams": "models.language.",
    "n-grams of classes": "models.classes.",
    "links": ("models.inverse.", "models.direct."),
    "words and spelling": ("models.source.", "models.target.", "source.", "target."),
}


def grown(corpus: str, pairs: int, directory: Path) -> dict[str, Any]:
    """Write a corpus that goes on, where the real one ends, with walks through it (`grown_corpus`)."""
    seed = directory.parent / f"{corpus}-seed"
    real = read(corpus)
    if not seed.exists():
        train(real, seed)
    with (directory / GROWN).open("w", encoding="utf-8") as file:
        for pair in islice(grow(real, align(real, seed)), pairs):
            print(*(" ".join(text.split()) for text in pair), sep="\t", file=file)
    return {}


def trained(corpus: str, pairs: int | None, directory: Path) -> dict[str, Any]:
    """Train a full base; returns what it took."""
    files = [str(directory / GROWN)] if (directory / GROWN).exists() else corpus_files(corpus)
    languages = corpus.split("-")[-2], corpus.split("-")[-1]
    train(islice(read_corpus(files, languages), 50), directory / "warm")
    began, processor = time.perf_counter(), _processor_time()
    learned = train(
        islice(read_corpus(files, languages), pairs), directory / "full", runner=LocalProcesses(), progress=_tell
    )
    times = {"seconds": time.perf_counter() - began, "processor": _processor_time() - processor}
    return times | {"pairs": learned.pairs, "work": learned.bytes, **sizes(directory / "full")}


def _processor_time() -> float:
    """Of this process and of those that it started and that have ended."""
    return sum(os.times()[:4])


def made_small(directory: Path) -> dict[str, Any]:
    """Make a small base of the full one, as training does in the end; returns what it took."""
    full, about = open_arrays(directory / "full")
    with tempfile.TemporaryDirectory(dir=directory) as scratch:
        trainer = Trainer(ScratchDirectory(Path(scratch)), Local())
        began, processor = time.perf_counter(), time.process_time()
        write_arrays(directory / "small", trainer.small(full), about | {"size": "small"})
        times = {"seconds": time.perf_counter() - began, "processor": time.process_time() - processor}
    return times | sizes(directory / "small")


def sizes(base: Path) -> dict[str, Any]:
    """Bytes of a base by table, and the most memory that this process has had for itself."""
    tables: Counter[str] = Counter()
    for name, entry in json.loads((base / MANIFEST).read_bytes())["arrays"].items():
        tables[next((table for table, begins in TABLES.items() if name.startswith(begins)), "other")] += entry["bytes"]
    most = max(_anonymous, _own_memory())
    return {"bytes": tables.total(), "tables": dict(tables), "memory": most}


def _tell(what: str, done: int, total: int) -> None:
    """Note memory, and tell how far training is."""
    global _anonymous
    _anonymous = max(_anonymous, _own_memory())
    if done == total or done % 50_000 == 0:
        print(f"{time.strftime('%H:%M:%S')} {what} {done:,} of {total:,}", file=sys.stderr, flush=True)


_anonymous = 0


def _own_memory(kind: str = "RssAnon") -> int:
    return int(Path("/proc/self/status").read_text().split(f"{kind}:")[1].split()[0]) * 1024


def translated(corpus: str, size: str, directory: Path) -> dict[str, Any]:
    """Translate the test set; returns what counts for BLEU, and what it took."""
    knowledge = Knowledge.open(directory / size)
    pairs = []
    for source, target in read(corpus, "test", LINES):
        try:
            pair = knowledge.read_pair(source, target)
        except BadInputError:  # an empty side
            continue
        pairs.append((pair.source_words, pair.target_words))
    weights = starting_weights({"preset": "classes", "defaults": CURRENT}, classes=bool(knowledge.models.classes))
    decoder = Decoder(knowledge.models, weights)
    decode(decoder, Development.of(pairs[:20]), Bleu(tokenize="none"), threads=1)
    processor = time.process_time()
    found = decode(decoder, Development.of(pairs), Bleu(tokenize="none"), threads=1)
    each = (time.process_time() - processor) / len(pairs)
    found_memory = {"resident": _own_memory("VmRSS"), "private": _own_memory()}
    return {"score": found.score, "best": found.best.tolist(), "milliseconds": 1000 * each} | found_memory


def worked_with(corpus: str, size: str, directory: Path) -> dict[str, Any]:
    """Learn and type in a project over a base; returns what a correction and a key take."""
    languages = corpus.split("-")[-2:]
    segments = [(source, target) for source, target in read(corpus, "test", LEARNED + TYPED) if source and target]
    learning, keys = [], []
    with (
        tempfile.TemporaryDirectory(dir=directory) as place,
        Engine.create(
            Path(place, "project"), source=languages[0], target=languages[1], base=directory / size
        ) as engine,
    ):
        for source, target in segments[:LEARNED]:
            began = time.thread_time()
            engine.learn(source, target, force=True)
            learning.append(time.thread_time() - began)
        for source, target in segments[LEARNED:]:
            with engine.interact(source) as session:
                for n in range(min(KEYS, len(target))):
                    began = time.thread_time()
                    session.suggest(target[:n])
                    keys.append(time.thread_time() - began)
    return {"learning": 1000 * median(learning), "key": 1000 * quantiles(keys, n=100)[98]}


def child(step: str, corpus: str, size: str, directory: Path, given: argparse.Namespace, pairs: int | None) -> Any:
    """Run a step in a process of its own."""
    command = [sys.executable, __file__, corpus, "--step", step, size, str(directory)]
    command += ["--pairs", str(pairs)] if pairs else []
    command += ["--grow"] if given.grow else []
    return json.loads(subprocess.run(command, stdout=subprocess.PIPE, check=True).stdout)


def compare(corpus: str, pairs: int | None, given: argparse.Namespace, directory: Path) -> None:
    """Train and translate with both sizes, and print a row for each."""
    if given.grow:
        child("grow", corpus, "full", directory, given, pairs)
    rows = {"full": child("train", corpus, "full", directory, given, pairs)}
    made = child("small", corpus, "small", directory, given, pairs)
    more = {name: rows["full"][name] + made[name] for name in ("seconds", "processor")}
    rows["small"] = rows["full"] | made | more | {"memory": max(rows["full"]["memory"], made["memory"])}
    for size, row in rows.items():
        row |= child("translate", corpus, size, directory, given, pairs)
        row |= child("work", corpus, size, directory, given, pairs)
    best = [np.array(row["best"]) for row in rows.values()]
    difference = bootstrap(Bleu(tokenize="none"), *best).difference
    for size, row in rows.items():
        number = row["pairs"]
        print(f"| {corpus} | {number:,} | {size} | {1e3 * row['processor'] / number:.2f} ms | ", end="")
        print(f"{row['seconds'] / 60:.0f} min | {row['memory'] / 1e9:.1f} GB | ", end="")
        print(f"{row['bytes'] / 1e9:.2f} GB | {row['bytes'] / 1e3 / number:.2f} kB | ", end="")
        print(f"{row['resident'] / 1e6:,.0f} MB | {row['milliseconds']:.1f} ms | ", end="")
        print(f"{row['learning']:.1f} ms | {row['key']:.1f} ms | {row['score']:.2f} | ", end="")
        print(f"{difference.score:+.2f} ± {difference.margin:.2f} |" if size == "small" else "|")
    for size, row in rows.items():
        told = (f"{name} {amount / 1e3 / row['pairs']:.2f}" for name, amount in row["tables"].items())
        print(f"<!-- {corpus}, {size}, kB a pair: {', '.join(told)} -->", flush=True)


def step(given: argparse.Namespace) -> dict[str, Any]:
    """One step, in a process of its own."""
    name, size, directory = given.step
    corpus, where, pairs = given.corpora[0], Path(directory), given.pairs[0] if given.pairs else None
    if name == "grow":
        return grown(corpus, pairs or 1_000_000, where)
    if name == "train":
        return trained(corpus, pairs, where)
    if name == "small":
        return made_small(where)
    return worked_with(corpus, size, where) if name == "work" else translated(corpus, size, where)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("corpora", nargs="*", default=["europarl-en-es"], help="directories in the corpora")
    parser.add_argument("--pairs", type=int, nargs="+", help="train on so many pairs; default: all")
    parser.add_argument("--grow", action="store_true", help="make more pairs than there are of those there are")
    parser.add_argument("--keep", type=Path, help="a directory to leave the bases in")
    parser.add_argument("--step", nargs=3, help=argparse.SUPPRESS)
    given = parser.parse_args()
    if not CORPORA.is_dir():
        print(f"no corpora at {CORPORA}")
        return
    if given.step:
        print(json.dumps(step(given)))
        return
    columns = ["training, a pair", "wall", "memory", "on disk", "a pair", "resident"]
    columns += ["translating", "learning", "key", "BLEU", "difference"]
    print("|", " | ".join(["", "pairs", "size", *columns]), "|")
    print("|---|---:|---|" + "---:|" * len(columns))
    for corpus in given.corpora:
        for number in given.pairs or [None]:
            with tempfile.TemporaryDirectory() as temporary:
                where = (given.keep or Path(temporary)) / f"{corpus}-{number or 'all'}"
                where.mkdir(parents=True, exist_ok=True)
                compare(corpus, number, given, where)


if __name__ == "__main__":
    main()
