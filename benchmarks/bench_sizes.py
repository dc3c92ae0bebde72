"""Full and small bases: bytes by table, and what leaving out does to translations of the test set, nothing tuned.

    python benchmarks/bench_sizes.py europarl-en-es pydocs-en-es captions-en-fr
    python benchmarks/bench_sizes.py europarl-en-es --pairs 15000 60000      # the first pairs only, for growth

Difference with a 95 % interval by paired bootstrap. Times are processor time; memory is what a process that has
translated the test set holds, pages of the mapped base included.
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
from typing import Any

CORPORA = Path(os.environ.get("DRAGOMAN_CORPORA", Path(__file__).parents[2] / "shared" / "corpora"))
SIZES = ("full", "small")
LINES = 2500  # of a test set
TABLES = {  # by the beginning of an array's name
    "phrase pairs": "models.phrases.pairs.",
    "phrases": "models.phrases.",
    "n-grams": "models.language.",
    "n-grams of classes": "models.classes.",
    "links": ("models.inverse.", "models.direct."),
    "words and spelling": ("models.source.", "models.target.", "source.", "target."),
}


def read(corpus: str, part: str, lines: int | None) -> list[tuple[str, str]]:
    """The pairs of a part of a corpus."""
    from dragoman.cluster.corpus_files import read_corpus

    source, target = corpus.split("-")[-2:]
    files = [str(CORPORA / corpus / f"{part}.{language}.gz") for language in (source, target)]
    return list(islice(read_corpus(files, (source, target)), lines))


def trained(corpus: str, pairs: int | None, size: Any, directory: Path) -> dict[str, Any]:
    """Train a base; returns what it took and how large it is."""
    from dragoman.cluster.trainer import train
    from dragoman.files import MANIFEST

    texts = read(corpus, "train", pairs)
    train(texts[:50], directory / "warm", size=size)
    began, processor = time.perf_counter(), time.process_time()
    learned = train(texts, directory / size, size=size)
    found = {
        "pairs": learned.pairs,
        "seconds": time.perf_counter() - began,
        "processor": time.process_time() - processor,
    }
    manifest = json.loads((directory / size / MANIFEST).read_bytes())
    tables: Counter[str] = Counter()
    for name, entry in manifest["arrays"].items():
        tables[next((table for table, begins in TABLES.items() if name.startswith(begins)), "other")] += entry["bytes"]
    return found | {"bytes": tables.total(), "tables": dict(tables)}


def translated(corpus: str, size: str, directory: Path) -> dict[str, Any]:
    """Translate the test set; returns what counts for BLEU, and what it took."""
    from dragoman.errors import BadInputError
    from dragoman.measure import Bleu
    from dragoman.models.defaults import CURRENT, starting_weights
    from dragoman.models.knowledge import Knowledge
    from dragoman.search.decoder import Decoder
    from dragoman.tune import Development, decode

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
    resident = int(Path("/proc/self/status").read_text().split("VmRSS:")[1].split()[0]) * 1024
    return {"score": found.score, "best": found.best.tolist(), "milliseconds": 1000 * each, "resident": resident}


def child(step: str, corpus: str, size: str, directory: Path, pairs: int | None) -> dict[str, Any]:
    """Run a step in a process of its own."""
    command = [sys.executable, __file__, corpus, "--step", step, size, str(directory)]
    command += ["--pairs", str(pairs)] if pairs else []
    result: dict[str, Any] = json.loads(subprocess.run(command, stdout=subprocess.PIPE, check=True).stdout)
    return result


def compare(corpus: str, pairs: int | None) -> None:
    """Train and translate with both sizes, and print a row for each."""
    import numpy as np

    from dragoman.measure import Bleu, bootstrap

    with tempfile.TemporaryDirectory() as directory:
        rows = {}
        for size in SIZES:
            rows[size] = child("train", corpus, size, Path(directory), pairs)
            rows[size] |= child("translate", corpus, size, Path(directory), pairs)
        best = [np.array(rows[size]["best"]) for size in SIZES]
        difference = bootstrap(Bleu(tokenize="none"), *best).difference
    for size, row in rows.items():
        each = 1e3 * row["processor"] / row["pairs"], row["bytes"] / 1e3 / row["pairs"]
        print(f"| {corpus} | {row['pairs']:,} | {size} | {each[0]:.2f} ms | {each[1]:.2f} kB | ", end="")
        print(f"{row['resident'] / 1e6:,.0f} MB | {row['milliseconds']:.1f} ms | {row['score']:.2f} | ", end="")
        print(f"{difference.score:+.2f} ± {difference.margin:.2f} |" if size != SIZES[0] else "|")
    for size, row in rows.items():
        told = (f"{name} {amount / 1e3 / row['pairs']:.2f}" for name, amount in row["tables"].items())
        print(f"<!-- {corpus}, {size}, kB a pair: {', '.join(told)} -->", flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("corpora", nargs="+", help="directories in the corpora")
    parser.add_argument("--pairs", type=int, nargs="+", help="train on so many pairs only")
    parser.add_argument("--step", nargs=3, help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if not CORPORA.is_dir():
        print(f"no corpora at {CORPORA}")
        return
    pairs = arguments.pairs or [None]
    if arguments.step:
        step, size, directory = arguments.step
        corpus, where = arguments.corpora[0], Path(directory)
        found = trained(corpus, pairs[0], size, where) if step == "train" else translated(corpus, size, where)
        print(json.dumps(found))
        return
    print("| | pairs | size | training, a pair | on disk, a pair | resident | translating | BLEU | difference |")
    print("|---|---:|---|---:|---:|---:|---:|---:|---:|")
    for corpus in arguments.corpora:
        for number in pairs:
            compare(corpus, number)


if __name__ == "__main__":
    main()
