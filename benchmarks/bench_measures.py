"""Measures against sacrebleu in the same run: equal scores, and seconds of processor time.

There is no translation system in this: hypotheses are references with words dropped, replaced, added, and blocks moved,
until about half the words are wrong; the entries of an n-best list differ from the first of them by a few such changes.

    python benchmarks/bench_measures.py --corpora DIRECTORY
"""

from __future__ import annotations

import argparse
import os
import random
import time
from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

import numpy as np
import sacrebleu
from numpy.typing import NDArray

from dragoman.measure import Bleu, Chrf, Measure, Ter, interval
from dragoman.sample import pairs as sample
from dragoman.text.text_files import lines

CORPORA = Path(os.environ.get("DRAGOMAN_CORPORA", Path(__file__).parents[2] / "shared" / "corpora"))
LISTS, NBEST = 8, 500
RANDOM_PAIRS, REAL_PAIRS = 6000, 4000

HEADER = "| what | dragoman, s | sacrebleu, s | ratio | equal to 10 decimals |\n|---|---:|---:|---:|---:|"

Result = TypeVar("Result")


def damaged(rng: random.Random, sentence: list[str], rate: float, words: list[str]) -> list[str]:
    result: list[str] = []
    for word in sentence:
        happens = rng.random()
        if happens > rate / 3:
            result.append(word if happens > 2 * rate / 3 else rng.choice(words))
        if happens > 1 - rate / 3:
            result.append(rng.choice(words))
    for _ in range(rng.randrange(3)):
        start, target = rng.randrange(len(result) + 1), rng.randrange(len(result) + 1)
        block = result[start : start + rng.randrange(1, 6)]
        rest = result[:start] + result[start + len(block) :]
        result = rest[:target] + block + rest[target:]
    return result


def random_pairs(rng: random.Random) -> list[tuple[str, str]]:
    """Sentences of up to 15 words, from few words to many."""
    found = []
    for n in range(RANDOM_PAIRS):
        words = [f"w{number}" for number in range(rng.choice([2, 5, 20, 100]))]
        reference = rng.choices(words, k=rng.randrange(16))
        other = rng.choices(words, k=rng.randrange(16))
        found.append((" ".join(damaged(rng, reference, rng.random(), words) if n % 2 else other), " ".join(reference)))
    return found


def real_pairs(rng: random.Random, text: list[str]) -> list[tuple[str, str]]:
    """References of up to 25 words, damaged."""
    chosen = [line.split() for line in rng.choices([line for line in text if len(line.split()) <= 25], k=REAL_PAIRS)]
    return [(" ".join(damaged(rng, words, rng.uniform(0, 0.8), words)), " ".join(words)) for words in chosen]


def nbest_lists(rng: random.Random, text: list[str]) -> list[tuple[list[str], str]]:
    found = []
    for reference in rng.sample([line for line in text if 10 <= len(line.split()) <= 40], LISTS):
        words = reference.split()
        first = damaged(rng, words, 0.45, words)
        entries = [first, *(damaged(rng, first, 0.1, words) for _ in range(NBEST - 1))]
        found.append(([" ".join(entry) for entry in entries], reference))
    return found


def timed(function: Callable[[], Result]) -> tuple[Result, float]:
    start = time.process_time()
    result = function()
    return result, time.process_time() - start


def row(what: str, ours: Callable[[], list[float]], theirs: Callable[[], list[float]]) -> None:
    (our_scores, our_seconds), (their_scores, their_seconds) = timed(ours), timed(theirs)
    equal = sum(f"{a:.10f}" == f"{b:.10f}" for a, b in zip(our_scores, their_scores, strict=True))
    seconds = f"{our_seconds:.3f} | {their_seconds:.2f} | {their_seconds / our_seconds:,.0f}"
    print(f"| {what} | {seconds} | {equal:,} of {len(their_scores):,} |", flush=True)


def sentence_scores(measure: Measure, pairs: list[tuple[str, str]]) -> list[float]:
    hypotheses, references = [h for h, _ in pairs], [r for _, r in pairs]
    scores: list[float] = measure.sentence_scores(measure.statistics(hypotheses, references)).tolist()
    return scores


def as_ids(lists: list[tuple[list[str], str]]) -> list[tuple[list[NDArray[np.int64]], NDArray[np.int64]]]:
    ids: dict[str, int] = {}

    def number(sentence: str) -> NDArray[np.int64]:
        return np.array([ids.setdefault(word, len(ids)) for word in sentence.lower().split()])

    return [([number(entry) for entry in nbest], number(reference)) for nbest, reference in lists]


def rows_of_nbest_lists(lists: list[tuple[list[str], str]]) -> None:
    """Lists as strings, as a user has them, and as arrays of ids, as a decoder has them."""
    mean = np.mean([len(reference.split()) for _, reference in lists])
    error = np.mean([Ter().losses(nbest, reference).mean() for nbest, reference in lists])
    print(f"\n{LISTS} n-best lists of {NBEST}, {mean:.0f} words a sentence, TER {error:.0f}:\n\n{HEADER}")
    sacre_ter = sacrebleu.TER()
    sacre_bleu = sacrebleu.BLEU(effective_order=True), sacrebleu.BLEU(effective_order=True, tokenize="none")
    lower = [([entry.lower() for entry in nbest], reference.lower()) for nbest, reference in lists]
    ids = as_ids(lists)

    def theirs(peer: sacrebleu.TER | sacrebleu.BLEU, pairs: list[tuple[list[str], str]]) -> list[float]:
        return [peer.sentence_score(entry, [reference]).score for nbest, reference in pairs for entry in nbest]

    row("TER", lambda: [x for pair in lists for x in Ter().losses(*pair).tolist()], lambda: theirs(sacre_ter, lists))
    row("TER, ids", lambda: [x for pair in ids for x in Ter().losses(*pair).tolist()], lambda: theirs(sacre_ter, lists))
    row(
        "sentence BLEU",
        lambda: [100 - x for pair in lists for x in Bleu().losses(*pair).tolist()],
        lambda: theirs(sacre_bleu[0], lists),
    )
    row(
        "sentence BLEU, ids",
        lambda: [100 - x for pair in ids for x in Bleu().losses(*pair).tolist()],
        lambda: theirs(sacre_bleu[1], lower),
    )


def rows_of_corpora(hypotheses: list[str], references: list[str]) -> None:
    what = f"a corpus of {len(references):,}"
    for measure, peer in ((Bleu(), sacrebleu.BLEU()), (Chrf(), sacrebleu.CHRF())):

        def theirs(peer: sacrebleu.BLEU | sacrebleu.CHRF = peer) -> list[float]:
            return [peer.corpus_score(hypotheses, [references]).score]

        row(f"{measure.name}, {what}", lambda measure=measure: [measure(hypotheses, references)], theirs)  # type: ignore[misc]
    counts = Bleu().statistics(hypotheses, references)
    _, ours = timed(lambda: interval(Bleu(), counts))
    _, theirs_too = timed(lambda: sacrebleu.BLEU().corpus_score(hypotheses, [references], n_bootstrap=1000))
    print(f"| BLEU, bootstrap of 1,000 samples, {what} | {ours:.3f} | {theirs_too:.2f} | {theirs_too / ours:,.0f} | |")


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--corpora", type=Path, default=CORPORA, help="directory of the corpora")
    path = options.parse_args().corpora / "pydocs-en-es" / "test.es.gz"
    if path.is_file():
        text = list(lines(path))
    else:
        print(f"bench_measures: there is no {path}; measuring on the sample that comes with dragoman")
        text = [target for _, target in sample()] * 4
    rng = random.Random(1)
    for measure in (Ter(), Bleu(), Chrf()):  # kernels are compiled before the clock starts
        measure.losses(["a b c"], "c a b")
    rows_of_nbest_lists(nbest_lists(rng, text))
    peer = sacrebleu.TER()
    print(f"\nSingle pairs and corpora:\n\n{HEADER}")
    for name, pairs in (("random pairs", random_pairs(rng)), ("real pairs", real_pairs(rng, text))):
        row(
            f"TER, {len(pairs):,} {name}",
            lambda pairs=pairs: sentence_scores(Ter(), pairs),  # type: ignore[misc]
            lambda pairs=pairs: [peer.sentence_score(h, [r]).score for h, r in pairs],  # type: ignore[misc]
        )
    rows_of_corpora([" ".join(damaged(rng, line.split(), 0.4, line.split())) for line in text], text)


if __name__ == "__main__":
    main()
