"""Language model: scoring text against KenLM, time of learning a sentence, and bytes per n-gram.

KenLM reads the model that dragoman has written as an ARPA file, so both say the same of the same text.

    python benchmarks/bench_language.py
"""

from __future__ import annotations

import argparse
import gzip
import importlib.util
import math
import os
import statistics
import tempfile
import time
from collections.abc import Callable
from itertools import islice
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from dragoman.models.arpa import write_arpa
from dragoman.models.language import LanguageModel

CORPUS = Path(os.environ.get("DRAGOMAN_CORPORA", Path(__file__).parents[2] / "shared" / "corpora")) / "europarl-en-es"
ROUNDS, IN_A_ROW = 6, 4  # the ways to score take turns, each several times in a row, and the fastest time counts
SAMPLE = 1000  # sentences whose learning is timed

Ids = NDArray[np.int64]


def read(name: str, lines: int | None = None) -> list[str]:
    with gzip.open(CORPUS / f"{name}.es.gz", "rt", encoding="utf-8") as file:
        return [" ".join(line.lower().split()) for line in islice(file, lines)]


def compare_scoring(model: LanguageModel, text: list[str]) -> None:
    """Nanoseconds a word, </s> counted."""
    words = sum(len(line.split()) + 1 for line in text)
    ways: dict[str, Callable[[], float]] = {
        "dragoman, score_lines(lines)": lambda: float(model.score_lines(text).sum()),
        "dragoman, scores(word lists)": lambda: float(model.scores([line.split() for line in text]).sum()),
        "dragoman, score(words) one by one": lambda: sum(model.score(line.split()) for line in text),
    }
    if importlib.util.find_spec("kenlm"):
        import kenlm

        with tempfile.TemporaryDirectory() as directory:
            write_arpa(model, Path(directory) / "model.arpa")
            peer = kenlm.Model(str(Path(directory) / "model.arpa"))
        ways = {"KenLM, score(line) one by one": lambda: math.log(10) * sum(map(peer.score, text)), **ways}
    else:
        print("KenLM is not installed (pip install kenlm): no peer to compare with")
    totals = {name: way() for name, way in ways.items()}
    fastest = dict.fromkeys(ways, math.inf)
    for _ in range(ROUNDS):
        for name, way in ways.items():
            for _ in range(IN_A_ROW):  # the first finds in the caches what the way before has left there
                begin = time.process_time()
                way()
                fastest[name] = min(fastest[name], time.process_time() - begin)
    against = next(iter(fastest.values()))
    print(f"{'scoring ' + format(len(text), ',') + ' sentences':36}  ns/word  times as fast  log probability")
    for name, spent in fastest.items():
        print(f"{name:36}  {1e9 * spent / words:7.0f}  {against / spent:13.2f}  {totals[name]:15.2f}")


def median_time(change: Callable[[Ids], None], sentences: list[Ids]) -> float:
    """Microseconds that a change by one sentence takes."""
    spent = []
    for sentence in sentences:
        begin = time.perf_counter()
        change(sentence)
        spent.append(time.perf_counter() - begin)
    return 1e6 * statistics.median(spent)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--lines", type=int, default=20_000, help="sentences to train on for scoring")
    arguments = parser.parse_args()
    lines, text = read("train"), read("test")
    model = LanguageModel()
    sentences = [model.vocabulary.ids(line.split(), add=True) for line in lines]
    model.train(sentences[: arguments.lines])
    compare_scoring(model, text)

    model = LanguageModel(vocabulary=model.vocabulary)
    model.train(sentences[:500])
    early = median_time(model.add_ids, sentences[500 : 500 + SAMPLE])
    model.train(sentences[500 + SAMPLE : -SAMPLE])
    late = median_time(model.add_ids, sentences[-SAMPLE:])
    forgetting = median_time(model.remove_ids, sentences[-SAMPLE:])
    print(f"\none sentence, {np.mean([sentence.size for sentence in sentences]):.0f} words on average     median µs")
    print(f"learning, after 1,000 sentences  {early:14.0f}")
    print(f"learning, after {len(sentences):,} sentences {late:14.0f}  {late / early:.2f} times as long")
    print(f"forgetting                       {forgetting:14.0f}")
    saved = sum(array.nbytes for array in model.arrays().values())
    print(f"\n{len(model):,} n-grams: {model.nbytes / len(model):.1f} bytes each, {saved / len(model):.1f} on disk")


if __name__ == "__main__":
    main()
