"""Choose the default weights: one set for all kinds of text, on the development sets of all corpora together.

    python -m benchmarks.choose_defaults                          # all tasks, about ten minutes on a free core
    python -m benchmarks.choose_defaults --start 1                # from the weights of defaults version 1
    python -m benchmarks.choose_defaults --tasks captions pydocs  # only tasks whose names begin so
    python -m benchmarks.choose_defaults --symmetrisation grow-diag-final-and --beta 0.75 1

A task is a development set with the models that translate it: trained on the same corpus, learning from nothing, or
learning over a base of another domain. Text is tokenised and lower-cased, BLEU is sacrebleu's with tokenize none.

1. Every second sentence of each development set, as many of each, goes into one pool. K-best MIRA finds weights on it;
   all tasks are decoded with them; what they find joins the pool. So for some rounds.
2. Candidates are the mean of the weights of all rounds, and this mean with lower penalties: MIRA stays near those
   that it starts from, and it is these that texts differ in most.
3. All candidates translate the other half of each set. Chosen are the weights whose worst difference from the start
   over all tasks is best. No test set is read.

Models are kept in benchmarks/out for the next run.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from dragoman.measure import Bleu
from dragoman.models.defaults import CURRENT, VERSIONS, starting_weights
from dragoman.models.loglinear import Weights
from dragoman.models.modelset import ModelSet
from dragoman.search.decoder import Decoder, Estimates
from dragoman.text.reading import lines
from dragoman.text.tokens import split
from dragoman.tune import Pool, mira
from dragoman.tune.development import Decoded, Development, decode

CORPORA = Path(__file__).parents[2] / "shared" / "corpora"
OUT = Path(__file__).parent / "out"
LONGEST = 80  # words of a sentence
SENTENCES = 200  # of each half of a development set
NBEST = 100
ROUNDS = 3
PENALTIES = ((0.5, -0.7), (0.35, -0.6), (0.2, -0.5), (0.0, -0.4))  # of phrases and words
MEASURE = Bleu(tokenize="none")

Words = tuple[str, ...]
Pairs = list[tuple[Words, Words]]
Rows = list[NDArray[np.float64]]


@dataclass(frozen=True)
class Task:
    """A development set, what was trained before, and whether references are learned after they were used."""

    name: str
    corpus: str
    base: str | None  # the corpus that a base is trained on
    lines: int = 0  # of that
    learns: bool = False

    def pairs(self, half: int) -> Pairs:
        """Every second sentence of the development set; a text that is learned is read in its order."""
        pairs = read(self.corpus, "dev", 2 * SENTENCES)
        if self.learns:
            return pairs[half * SENTENCES : (half + 1) * SENTENCES]
        return pairs[half::2]

    def decode(self, weights: Weights, half: int, symmetrisation: str, beta: float, n: int) -> Decoded:
        """N-best lists of half of the development set."""
        base = trained(self.base, self.lines, symmetrisation) if self.base else None
        development, estimates = Development.of(self.pairs(half)), Estimates(beta=beta)
        if base and not self.learns:
            return decode(Decoder(base, weights, estimates=estimates), development, MEASURE, n, threads=1)
        models = ModelSet(base, symmetrisation=symmetrisation)
        found = [
            each
            for source, target in zip(development.sources, development.references, strict=True)
            for each in self._learned(models, weights, estimates, source, target, n)
        ]
        return Decoded(MEASURE, [each.features[0] for each in found], [each.statistics[0] for each in found])

    def _learned(
        self, models: ModelSet, weights: Weights, estimates: Estimates, source: Words, target: Words, n: int
    ) -> Iterator[Decoded]:
        decoder = Decoder(models, weights, estimates=estimates)
        yield decode(decoder, Development.of([(source, target)]), MEASURE, n, threads=1)
        models.add(source, target)


TASKS = (
    Task("captions-en-fr", "captions-en-fr", "captions-en-fr", 29_000),
    Task("pydocs-en-es", "pydocs-en-es", "pydocs-en-es", 30_000),
    Task("pydocs-en-fr", "pydocs-en-fr", "pydocs-en-fr", 28_000),
    Task("europarl-en-es", "europarl-en-es", "europarl-en-es", 20_000),
    Task("europarl-en-fr", "europarl-en-fr", "europarl-en-fr", 20_000),
    Task("desktop-en-es", "desktop-en-es", "desktop-en-es", 20_000),
    Task("newstest-en-es over europarl", "newstest-en-es", "europarl-en-es", 20_000),
    Task("desktop-en-es online over europarl", "desktop-en-es", "europarl-en-es", 20_000, learns=True),
    Task("desktop-en-es online", "desktop-en-es", None, learns=True),
    Task("pydocs-en-fr online", "pydocs-en-fr", None, learns=True),
)


def read(corpus: str, part: str, count: int) -> Pairs:
    """The first pairs of a corpus, as lower-cased tokens; those with an empty or overlong side are left out."""
    folder = CORPORA / corpus
    texts = (lines(folder / f"{part}.{language}.gz") for language in corpus.split("-")[-2:])
    tokenised = corpus.startswith("captions")
    pairs = []
    for source, target in islice(zip(*texts, strict=True), count):
        pair = [tuple(text.split()) if tokenised else split(text.lower()).words for text in (source, target)]
        if all(1 <= len(side) <= LONGEST for side in pair):
            pairs.append((pair[0], pair[1]))
    return pairs


def trained(corpus: str, count: int, symmetrisation: str) -> ModelSet:
    """Models of the first lines of a corpus, from the run before if there was one."""
    directory = OUT / f"defaults-{corpus}-{count}-{symmetrisation}"
    if not directory.is_dir():
        print(f"training on {count:,} lines of {corpus} …", flush=True)
        models = ModelSet(symmetrisation=symmetrisation)
        models.train(read(corpus, "train", count), threads=1)
        models.save(directory)
    return ModelSet.open(directory)


def search(tasks: Sequence[Task], start: Weights, symmetrisation: str, beta: float) -> list[Weights]:
    """The weights that MIRA finds in each round on what all tasks found so far."""
    pool, current, found = Pool(MEASURE), start, list[Weights]()
    for number in range(ROUNDS):
        lists = [task.decode(current, 0, symmetrisation, beta, NBEST) for task in tasks]
        print(f"round {number}: {report(tasks, [each.score for each in lists])}", flush=True)
        features: Rows = [rows for each in lists for rows in each.features]
        pool.add(features, [rows for each in lists for rows in each.statistics])
        vector = mira(pool, np.array(list(start.values())), seed=number + 1)
        current = Weights(start.preset, dict(zip(start, vector.tolist(), strict=True)))
        found.append(current)
        print({name: round(value, 3) for name, value in current.items()}, flush=True)
    return found


def candidates_from(start: Weights, found: Sequence[Weights]) -> dict[str, Weights]:
    """What is compared, by name; the start comes first."""
    mean = {name: float(np.mean([weights[name] for weights in found])) for name in start}
    named = {"start": start, "mean of all rounds": Weights(start.preset, mean)}
    if "phrase_penalty" in start:
        for phrases, words in PENALTIES:
            lower = mean | {"phrase_penalty": phrases, "word_penalty": words}
            named[f"mean, penalties {phrases} and {words}"] = Weights(start.preset, lower)
    return named


def report(tasks: Sequence[Task], scores: Sequence[float]) -> str:
    """The score of each task on one line."""
    return ", ".join(f"{task.name} {score:.2f}" for task, score in zip(tasks, scores, strict=True))


def compare(tasks: Sequence[Task], candidates: dict[str, Weights], symmetrisation: str, beta: float) -> str:
    """Print BLEU of every task with every candidate; returns the one whose worst difference from the first is best."""
    print(
        f"\nother halves, {symmetrisation}, β = {beta}\n| weights | {' | '.join(task.name for task in tasks)} | worst |"
    )
    print("|---" * (len(tasks) + 2) + "|")
    first, worst = list[float](), dict[str, float]()
    for name, weights in candidates.items():
        scores = [task.decode(weights, 1, symmetrisation, beta, 1).score for task in tasks]
        first = first or scores
        worst[name] = min(score - start for score, start in zip(scores, first, strict=True))
        print(f"| {name} | {' | '.join(f'{score:.2f}' for score in scores)} | {worst[name]:+.2f} |", flush=True)
    return max(worst, key=lambda name: worst[name])


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--preset", default="moses", help="the preset whose weights are chosen")
    parser.add_argument(
        "--start", type=int, choices=VERSIONS, default=CURRENT, help="the version of its weights to start from"
    )
    parser.add_argument("--tasks", nargs="*", default=[""], help="only tasks whose names begin with one of these")
    parser.add_argument("--symmetrisation", default="posterior", help="how links are made from both directions")
    parser.add_argument("--beta", nargs="*", type=float, default=[], help="values of β to try with the chosen weights")
    arguments = parser.parse_args()
    if not CORPORA.exists():
        raise SystemExit(f"{CORPORA} is not there: weights are chosen on its corpora")
    tasks = [task for task in TASKS if task.name.startswith(tuple(arguments.tasks))]
    start = starting_weights({"preset": arguments.preset, "defaults": arguments.start})
    usual = Estimates().beta
    candidates = candidates_from(start, search(tasks, start, arguments.symmetrisation, usual))
    best = compare(tasks, candidates, arguments.symmetrisation, usual)
    print(f"\nchosen: {best}\n{ {name: round(value, 2) for name, value in candidates[best].items()} }")
    for beta in arguments.beta:
        compare(tasks, {best: candidates[best]}, arguments.symmetrisation, beta)


if __name__ == "__main__":
    main()
