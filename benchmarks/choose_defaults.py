"""Choose the default weights: one set for all kinds of text, on the development sets of all corpora together.

    python -m benchmarks.choose_defaults                          # all tasks, about ten minutes on a free core
    python -m benchmarks.choose_defaults --preset moses           # the weights of projects without word classes
    python -m benchmarks.choose_defaults --start 1                # from the weights of defaults version 1
    python -m benchmarks.choose_defaults --tasks captions pydocs  # only tasks whose names begin so
    python -m benchmarks.choose_defaults --rounds 0 --settings    # other β, thresholds and smoothing, same weights

A task is a development set with the models that translate it: trained on the same corpus, learning from nothing, or
learning over a base of another domain. Text is tokenised and lower-cased, BLEU is sacrebleu's with tokenize none.

1. Half of each development set is decoded, and the n-best lists of each task go into a pool of its own. K-best MIRA on
   one pool alone finds what that task could reach: the difference from it is the task's regret.
2. From the weights of every version of the defaults and those of the round before, weights are changed at random as
   long as the root mean square of all regrets goes down, in which the worst counts most. All tasks are decoded with
   the best that was found, the lists join the pools, and so for some rounds.
3. The weights of every round, and their mean, translate the other half of each set. Chosen are those whose worst regret
   (here beside the best of all candidates) is least: no kind of text pays for another. No test set is read.
4. With `--settings`, other values of β, of the link threshold and of smoothing are compared in the same way.

Models are kept in benchmarks/out for the next run.
"""

from __future__ import annotations

import argparse
import os
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import islice
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from dragoman.measure import Bleu
from dragoman.models.defaults import CURRENT, VERSIONS, starting_weights
from dragoman.models.language import MODIFIED
from dragoman.models.loglinear import DEFAULT as DEFAULT_PRESET
from dragoman.models.loglinear import Weights
from dragoman.models.modelset import ModelSet
from dragoman.models.symmetry import DEFAULT, link_agreed
from dragoman.models.symmetry_kernels import THRESHOLD
from dragoman.search.decoder import Decoder, Estimates
from dragoman.text.text_files import lines
from dragoman.text.tokens import split
from dragoman.tune import Pool, mira
from dragoman.tune.development import Decoded, Development, decode
from dragoman.tune.pool import rescaled

CORPORA = Path(os.environ.get("DRAGOMAN_CORPORA", Path(__file__).parents[2] / "shared" / "corpora"))
OUT = Path(__file__).parent / "out"
LONGEST = 80  # words of a sentence
SENTENCES = 300  # of each half of a development set
NBEST = 100
ROUNDS = 4
TRIALS = 600  # of random changes in each round
MEASURE = Bleu(tokenize="none")

Words = tuple[str, ...]
Pairs = list[tuple[Words, Words]]
Vector = NDArray[np.float64]


@dataclass(frozen=True)
class Setting:
    """What is chosen besides the weights."""

    symmetrisation: str = DEFAULT
    threshold: float = THRESHOLD
    smoothing: str = MODIFIED
    beta: float = Estimates().beta

    def __str__(self) -> str:
        links = f"links {self.symmetrisation}" + (f" above {self.threshold}" if self.symmetrisation == DEFAULT else "")
        return f"{links}, smoothing {self.smoothing}, β = {self.beta}"

    def models(self, base: ModelSet | None = None) -> ModelSet:
        """Empty models over a base."""
        models = LinkedModels(base, symmetrisation=self.symmetrisation, smoothing=self.smoothing)
        models.threshold = self.threshold
        return models


class LinkedModels(ModelSet):
    """Models whose threshold for links can be changed."""

    threshold: float = THRESHOLD

    def align(self, source: NDArray[np.int64], target: NDArray[np.int64]) -> NDArray[np.int32]:
        """Links [n, 2] between the words of a sentence pair."""
        if self.symmetrisation != DEFAULT or self.threshold == THRESHOLD:
            return super().align(source, target)
        f, e = self.source.words(source), self.target.words(target)
        best = self.inverse.viterbi(f, e), self.direct.viterbi(e, f)
        return link_agreed(self.inverse.expectations(f, e), self.direct.expectations(e, f), self.threshold, best)


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

    def decode(self, weights: Weights, half: int, setting: Setting, n: int) -> Decoded:
        """N-best lists of half of the development set."""
        base = trained(self.base, self.lines, setting) if self.base else None
        development, estimates = Development.of(self.pairs(half)), Estimates(beta=setting.beta)
        if base and not self.learns:
            return decode(Decoder(base, weights, estimates=estimates), development, MEASURE, n, threads=1)
        models = setting.models(base)
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
USUAL = Setting()
SETTINGS = (
    USUAL,
    *(replace(USUAL, beta=beta) for beta in (0.5, 0.75, 1.0)),
    *(replace(USUAL, threshold=threshold) for threshold in (0.05, 0.2)),
    replace(USUAL, symmetrisation="grow-diag-final-and"),
    replace(USUAL, smoothing="kneser-ney"),
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


def trained(corpus: str, count: int, setting: Setting) -> ModelSet:
    """Models of the first lines of a corpus, from the run before if there was one."""
    made = f"{setting.symmetrisation}-{setting.threshold}-{setting.smoothing}"
    directory = OUT / f"defaults-{corpus}-{count}-{made}"
    if not directory.is_dir():
        print(f"training on {count:,} lines of {corpus} …", flush=True)
        models = setting.models()
        models.train(read(corpus, "train", count), threads=1)
        models.save(directory)
    return ModelSet.open(directory)


def search(tasks: Sequence[Task], start: Weights, rounds: int) -> list[Weights]:
    """The weights that are found in each round on what all tasks found so far."""
    pools, current, found = [Pool(MEASURE) for _ in tasks], start, list[Weights]()
    for number in range(1, rounds + 1):
        lists = [task.decode(current, 0, USUAL, NBEST) for task in tasks]
        for pool, each in zip(pools, lists, strict=True):
            pool.add(each.features, each.statistics)
        print(f"round {number}: {report(tasks, [each.score for each in lists])}", flush=True)
        versions = [starting_weights({"preset": start.preset, "defaults": each}) for each in VERSIONS]
        starts = dict.fromkeys(tuple(each.values()) for each in (current, *versions))
        vector = balanced(pools, [np.array(each) for each in starts], seed=number)
        current = Weights(start.preset, dict(zip(start, vector.tolist(), strict=True)))
        found.append(current)
        print({name: round(value, 3) for name, value in current.items()}, flush=True)
    return found


def balanced(pools: Sequence[Pool], starts: Sequence[Vector], seed: int) -> Vector:
    """Weights with which no pool is far below what it can reach alone; their absolute sum is that of the first."""
    known = [rescaled(weights, starts[0]) for weights in starts]
    reached = [
        max(pool.quality(weights) for weights in (*known, mira(pool, known[0], seed=seed), mira(pool, known[-1])))
        for pool in pools
    ]

    def regrets(weights: Vector) -> Vector:
        return np.array([best - pool.quality(weights) for best, pool in zip(reached, pools, strict=True)])

    def merit(weights: Vector) -> float:
        return -float(np.sqrt(np.mean(regrets(weights) ** 2)))

    random = np.random.default_rng(seed)
    found = max((climbed(merit, weights, random) for weights in known), key=merit)
    print(f"regrets on the pools: worst {regrets(found).max():.2f}, mean {regrets(found).mean():.2f}", flush=True)
    return found


def climbed(merit: Callable[[Vector], float], start: Vector, random: np.random.Generator) -> Vector:
    """Random changes of one to three weights, smaller and smaller, each kept if the merit rises."""
    best, most = start, merit(start)
    for scale in np.geomspace(0.2, 0.01, TRIALS):
        changed = random.choice(start.size, random.integers(1, 4), replace=False)
        candidate = best.copy()
        candidate[changed] += scale * random.standard_normal(changed.size)
        candidate = rescaled(candidate, start)
        if (value := merit(candidate)) > most:
            best, most = candidate, value
    return best


def candidates_from(start: Weights, found: Sequence[Weights]) -> dict[str, Weights]:
    """What is compared, by name; the start comes first."""
    named = {"start": start}
    for version in sorted(VERSIONS):
        named[f"version {version}"] = starting_weights({"preset": start.preset, "defaults": version})
    named |= {f"round {number}": weights for number, weights in enumerate(found, start=1)}
    if found:
        mean = {name: float(np.mean([weights[name] for weights in found])) for name in start}
        named["mean of all rounds"] = Weights(start.preset, mean)
    return {name: weights for name, weights in named.items() if name == "start" or dict(weights) != dict(start)}


def report(tasks: Sequence[Task], scores: Sequence[float]) -> str:
    """The score of each task on one line."""
    return ", ".join(f"{task.name} {score:.2f}" for task, score in zip(tasks, scores, strict=True))


def compare(tasks: Sequence[Task], candidates: dict[str, tuple[Weights, Setting]]) -> str:
    """Print BLEU of every task with every candidate; returns the one whose worst regret is least."""
    scores = {}
    for name, (weights, setting) in candidates.items():
        scores[name] = [task.decode(weights, 1, setting, 1).score for task in tasks]
        print(f"{name}: {report(tasks, scores[name])}", flush=True)
    best = np.max(list(scores.values()), axis=0)
    regret = {name: best - np.array(row) for name, row in scores.items()}
    print(f"\n| other halves | {' | '.join(task.name for task in tasks)} | worst regret | mean |")
    print("|---" + "|---:" * (len(tasks) + 2) + "|")
    for name, row in scores.items():
        cells = " | ".join(f"{score:.2f}" for score in row)
        print(f"| {name} | {cells} | {regret[name].max():.2f} | {regret[name].mean():.2f} |", flush=True)
    return min(scores, key=lambda name: (regret[name].max(), regret[name].mean()))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--preset", default=DEFAULT_PRESET, help="the preset whose weights are chosen")
    parser.add_argument(
        "--start", type=int, choices=VERSIONS, default=CURRENT, help="the version of its weights to start from"
    )
    parser.add_argument("--tasks", nargs="*", default=[""], help="only tasks whose names begin with one of these")
    parser.add_argument("--rounds", type=int, default=ROUNDS, help="of decoding and searching")
    parser.add_argument("--settings", action="store_true", help="compare β, links and smoothing with these weights too")
    arguments = parser.parse_args()
    if not CORPORA.exists():
        raise SystemExit(f"{CORPORA} is not there: weights are chosen on its corpora")
    tasks = [task for task in TASKS if task.name.startswith(tuple(arguments.tasks))]
    if arguments.preset == "classes":  # which start from the weights of `moses` where there is no base
        tasks = [task for task in tasks if task.base]
    start = starting_weights({"preset": arguments.preset, "defaults": arguments.start})
    candidates = candidates_from(start, search(tasks, start, arguments.rounds))
    best = "start"
    if arguments.rounds:
        best = compare(tasks, {name: (weights, USUAL) for name, weights in candidates.items()})
        print(f"\nchosen: {best}\n{ {name: round(value, 2) for name, value in candidates[best].items()} }", flush=True)
    if arguments.settings:
        print(f"\nchosen: {compare(tasks, {str(setting): (candidates[best], setting) for setting in SETTINGS})}")


if __name__ == "__main__":
    main()
