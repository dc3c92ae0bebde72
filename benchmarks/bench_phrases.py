"""Phrase model: time of one update, of training and of listing translations, and bytes per phrase pair.

Words are linked by a cheap co-occurrence alignment (Dice coefficient, both directions, grow-diag-final-and), which
stands in for the alignment models and is not timed. The peer counts the same phrase pairs in dictionaries of tuples.

    python benchmarks/bench_phrases.py --lines 5000
"""

from __future__ import annotations

import argparse
import gzip
import os
import statistics
import time
import tracemalloc
from collections import Counter
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from dragoman.models import phrases_options_kernels
from dragoman.models.contribution import extract
from dragoman.models.phrases import PhraseModel, new_options
from dragoman.models.symmetry import symmetrise
from dragoman.text.vocabulary import Vocabulary

CORPUS = Path(os.environ.get("DRAGOMAN_CORPORA", Path(__file__).parents[2] / "shared" / "corpora")) / "europarl-en-es"
DICE_LINES = 5000  # the co-occurrence counts come from so many lines; words first seen later are linked by position
PEER_LINES = 500
NEW = 200  # sentence pairs after those trained on, for single updates

Ids = NDArray[np.int64]
Sample = tuple[Ids, Ids, NDArray[np.int32]]


def read(language: str, lines: int) -> list[Ids]:
    vocabulary = Vocabulary()
    with gzip.open(CORPUS / f"train.{language}.gz", "rt", encoding="utf-8") as file:
        return [vocabulary.ids(line.lower().split(), add=True) for line, _ in zip(file, range(lines), strict=False)]


class Dice:
    """Links words that occur in the same sentence pairs: 2 c(f, e) / (c(f) + c(e)), near the diagonal if in doubt."""

    def __init__(self, pairs: list[tuple[Ids, Ids]]) -> None:
        keys = [(np.unique(f)[:, None] << 31 | np.unique(e)).ravel() for f, e in pairs]
        self.keys, self.both = np.unique(np.concatenate(keys), return_counts=True)
        self.source = np.bincount(np.concatenate([np.unique(f) for f, _ in pairs]))
        self.target = np.bincount(np.concatenate([np.unique(e) for _, e in pairs]))

    def links(self, f: Ids, e: Ids) -> NDArray[np.int32]:
        """Links of one sentence pair."""
        keys = (f[:, None] << 31) | e
        at = np.minimum(np.searchsorted(self.keys, keys), self.keys.size - 1)
        both = np.where(self.keys[at] == keys, self.both[at], 0)
        of_source = self.source[np.minimum(f, self.source.size - 1)]
        of_target = self.target[np.minimum(e, self.target.size - 1)]
        score = 2 * both / (of_source[:, None] + of_target)
        score -= 0.3 * np.abs(np.linspace(0, 1, f.size)[:, None] - np.linspace(0, 1, e.size))
        return symmetrise(score.argmax(1) + 1, score.argmax(0) + 1)


def in_dictionaries(samples: list[Sample]) -> dict[tuple[tuple[int, ...], tuple[int, ...]], list[int]]:
    pairs: dict[tuple[tuple[int, ...], tuple[int, ...]], list[int]] = {}
    sources: Counter[tuple[int, ...]] = Counter()
    targets: Counter[tuple[int, ...]] = Counter()
    for f, e, links in samples:
        source, target = f.tolist(), e.tolist()
        for pair in extract(links, f.size, e.size):
            key = tuple(source[slice(*pair.source)]), tuple(target[slice(*pair.target)])
            row = pairs.setdefault(key, [0, 0, 0, 0, 0])
            row[0] += 1
            row[1] += pair.previous == "monotone"
            row[2] += pair.previous == "swap"
            row[3] += pair.next == "monotone"
            row[4] += pair.next == "swap"
            sources[key[0]] += 1
            targets[key[1]] += 1
    return pairs


def peer(samples: list[Sample]) -> tuple[float, float]:
    """Microseconds a sentence pair and bytes a phrase pair of the same counts in dictionaries."""
    begin = time.process_time()
    in_dictionaries(samples)
    elapsed = time.process_time() - begin
    tracemalloc.start()
    pairs = in_dictionaries(samples)
    held = tracemalloc.get_traced_memory()[0]
    tracemalloc.stop()
    return 1e6 * elapsed / len(samples), held / len(pairs)


def updates(model: PhraseModel, samples: list[Sample]) -> tuple[float, float]:
    """Median microseconds of adding and of taking back one sentence pair."""
    times: tuple[list[float], list[float]] = ([], [])
    for sample in samples:
        for change, taken in zip((model.add, model.remove), times, strict=True):
            begin = time.perf_counter()
            change(*sample)
            taken.append(time.perf_counter() - begin)
    return 1e6 * statistics.median(times[0]), 1e6 * statistics.median(times[1])


def listing(model: PhraseModel, samples: list[Sample]) -> float:
    """Median microseconds of listing 20 translations of every phrase of a source sentence."""
    found = new_options(model.longest, 20)
    times = []
    for f, _, _ in samples:
        view = model.view
        begin = time.perf_counter()
        for start in range(f.size):
            phrases_options_kernels.options(view, f, start, 20, found)
        times.append(time.perf_counter() - begin)
    return 1e6 * statistics.median(times)


def report(train: list[Sample], new: list[Sample]) -> None:
    model = PhraseModel()
    begin = time.process_time()
    model.train(train)
    per_sentence = 1e6 * (time.process_time() - begin) / len(train)
    words = sum(f.size for f, _, _ in train) / len(train)
    pairs = model.phrase_count
    print(f"{len(train):,} sentence pairs of {words:.1f} source words, {pairs:,} phrase pairs (co-occurrence links)")
    print(f"training                  {per_sentence:8.0f} µs a sentence pair")
    print("one update, then undone   {:8.0f} and {:.0f} µs, median".format(*updates(model, new)))
    print(f"listing a sentence        {listing(model, new):8.0f} µs, median")
    print(f"memory                    {model.nbytes / pairs:8.1f} bytes a phrase pair")
    begin = time.process_time()
    model.compact()
    elapsed = time.process_time() - begin
    print(f"compacting                {elapsed:8.2f} s, then {model.nbytes / pairs:.1f} bytes a phrase pair")
    layer = PhraseModel(model)
    print("one update over a base    {:8.0f} and {:.0f} µs, median".format(*updates(layer, new)))
    layer.train(new)
    print(f"listing over a base       {listing(layer, new):8.0f} µs, median")
    slow, large = peer(train[:PEER_LINES])
    ratio = slow / per_sentence
    print(f"the same in dictionaries  {slow:8.0f} µs a sentence pair ({ratio:.1f}×), {large:.0f} bytes a phrase pair")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--lines", type=int, default=5000, help="sentence pairs to train on (default 5000)")
    lines = parser.parse_args().lines
    if not CORPUS.is_dir():
        raise SystemExit(f"{CORPUS} is not there: nothing to measure")
    sides = read("en", lines + NEW), read("es", lines + NEW)
    pairs = [(f, e) for f, e in zip(*sides, strict=True) if f.size and e.size]
    dice = Dice(pairs[:DICE_LINES])
    samples = [(f, e, dice.links(f, e)) for f, e in pairs]
    updates(PhraseModel(), samples[:1])  # compile
    report(samples[:-NEW], samples[-NEW:])


if __name__ == "__main__":
    main()
