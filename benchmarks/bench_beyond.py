"""What would pay beyond the features there are? N-best lists of development sets, rescored with candidates.

    python benchmarks/bench_beyond.py                                    # all candidates, four kinds of text
    python benchmarks/bench_beyond.py --corpora captions-en-fr --only bilingual
    python benchmarks/bench_beyond.py --steps                            # how MIRA should take its steps

1. The development set is translated; weights are tuned for some rounds, so that lists are those of a tuned system.
2. Each half of the set is rescored with weights that MIRA found on the other half, with and without a candidate.
3. BLEU of both halves together, the difference from no candidate, with a 95 % interval by paired bootstrap.

A list holds only what the search found without the candidate, so a gain here is less than in the search. No test set is
read. Models are kept in benchmarks/out for the next run.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from dragoman.measure.significance import bootstrap
from dragoman.models.loglinear import Weights
from dragoman.models.modelset import ModelSet
from dragoman.search.decoder import Decoder, Step
from dragoman.tune import Pool, mira, tune
from dragoman.tune.development import Development, decode

sys.path.append(str(Path(__file__).parents[1]))

from benchmarks import beyond_features as candidates
from benchmarks.beyond_features import Candidate, Links, Pairs, Translation
from benchmarks.choose_defaults import CORPORA, MEASURE, OUT, read

LINES = {"captions-en-fr": 29_000, "pydocs-en-es": 30_000, "europarl-en-es": 20_000, "desktop-en-es": 22_720}
NBEST = 200
ROUNDS = 2  # of tuning before the lists are made
SEEDS = (1, 2, 3)

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Corpus:
    """The models of a corpus, what they were trained on, and its development set."""

    models: ModelSet
    pairs: Pairs
    links: Sequence[Links]
    development: Development


@dataclass(frozen=True)
class Lists:
    """N-best lists: translations, features [N, M] and statistics [N, k] of each sentence."""

    start: Floats  # weights [M] that they were made with
    translations: list[list[Translation]]
    features: list[Floats]
    statistics: list[NDArray[np.int64]]


MAKERS: dict[str, Callable[[Corpus], Candidate]] = {
    "words, order 7": lambda c: candidates.WordModel(c.pairs, c.links, order=7),
    "bilingual, order 5": lambda c: candidates.BilingualModel(c.pairs, c.links, order=5),
    "operations, order 5": lambda c: candidates.OperationModel(c.pairs, c.links, order=5),
    "operations, order 7": lambda c: candidates.OperationModel(c.pairs, c.links, order=7),
    "classes 50, order 7": lambda c: candidates.ClassModel(c.pairs, c.links, order=7, classes=50),
    "classes 200, order 7": lambda c: candidates.ClassModel(c.pairs, c.links, order=7, classes=200),
    "classes 200, order 3": lambda c: candidates.ClassModel(c.pairs, c.links, order=3, classes=200),
    "classes 200, order 5": lambda c: candidates.ClassModel(c.pairs, c.links, order=5, classes=200),
    "classes 500, order 7": lambda c: candidates.ClassModel(c.pairs, c.links, order=7, classes=500),
    "classes 200 and count bins": lambda c: candidates.Several(
        candidates.ClassModel(c.pairs, c.links, order=7, classes=200), candidates.CountBins(c.models)
    ),
    "bilingual classes 50, order 7": lambda c: candidates.BilingualClassModel(c.pairs, c.links, order=7, classes=50),
    "sentence lexicon": lambda c: candidates.SentenceLexicon(c.models),
    "inverse lexicon": lambda c: candidates.InverseLexicon(c.models),
    "count bins": lambda c: candidates.CountBins(c.models),
    "rare pairs, k = 1": lambda c: candidates.Rarity(c.models, k=1, of="pairs"),
    "rare pairs, k = 0.3": lambda c: candidates.Rarity(c.models, k=0.3, of="pairs"),
    "rare phrases, k = 1": lambda c: candidates.Rarity(c.models, k=1, of="phrases"),
    "phrase lengths": lambda _: candidates.PhraseLengths(),
    "100 word pairs": lambda c: candidates.WordPairs(c.pairs, c.links, most=100),
    "100 target words": lambda c: candidates.TargetWords(c.pairs, most=100),
}


def trained(name: str) -> ModelSet:
    """Models of the first lines of a corpus, from an earlier run if there was one."""
    directory = OUT / f"beyond-{name}"
    if not directory.is_dir():
        models = ModelSet()
        models.train(read(name, "train", LINES[name]), threads=1)
        models.save(directory)
    return ModelSet.open(directory)


def prepared(name: str, sentences: int) -> Corpus:
    """Models of a corpus, from an earlier run if there was one, and the links of its training pairs."""
    models = trained(name)
    pairs = read(name, "train", LINES[name])
    links = [models.align(models.source.ids(f), models.target.ids(e)).tolist() for f, e in pairs]
    return Corpus(models, pairs, links, Development.of(read(name, "dev", sentences)))


def listed(corpus: Corpus, nbest: int) -> Lists:
    """The lists of a development set, by weights that were tuned on all of it."""
    tuned = tune(corpus.models, Weights("moses"), corpus.development, mira, MEASURE, nbest=100, rounds=ROUNDS)
    print(tuned, flush=True)
    weights = Weights("moses", tuned.weights)
    decoder, found = Decoder(corpus.models, weights), Lists(np.array(list(weights.values())), [], [], [])
    for source, reference in zip(corpus.development.sources, corpus.development.references, strict=True):
        search, inside = decoder.search(source), dict[Step, list[tuple[int, int]]]()
        entries = search.nbest(nbest, distinct=True)
        found.features.append(entries.features)
        found.translations.append(
            [Translation(source, e.words, e.steps, search.alignment(e, inside)) for e in entries[:]]
        )
        texts = [" ".join(words) for words in entries.words]
        found.statistics.append(MEASURE.statistics(texts, [" ".join(reference)], which=[0] * len(texts)))
    return found


def rescored(lists: Lists, extra: Sequence[Floats]) -> Floats:
    """[seeds · sentences, k] statistics of each half, chosen by weights tuned on the other."""
    features = [np.hstack([rows, more]) for rows, more in zip(lists.features, extra, strict=True)]
    start = np.concatenate([lists.start, np.zeros(features[0].shape[1] - lists.start.size)])
    chosen = []
    for seed in SEEDS:
        best = [np.empty(0)] * len(features)
        for half in (0, 1):
            pool = Pool(MEASURE)
            pool.add(features[half::2], lists.statistics[half::2])
            weights = mira(pool, start, seed=seed)
            for s in range(1 - half, len(features), 2):
                best[s] = lists.statistics[s][int(np.argmax(features[s] @ weights))]
        chosen.append(best)
    return np.array(chosen)


def compared(lists: Lists, makers: Sequence[str], corpus: Corpus) -> None:
    """Print a line for each candidate."""
    nothing = [np.zeros((len(rows), 0)) for rows in lists.features]
    base = rescored(lists, nothing)
    print(f"| none | {_score(base):.2f} | | |", flush=True)
    for name in makers:
        candidate = MAKERS[name](corpus)
        extra = [candidate.values(each) for each in lists.translations]
        found = rescored(lists, extra)
        difference = bootstrap(MEASURE, base.sum(0), found.sum(0)).difference
        seeds = " ".join(
            f"{MEASURE.score(each.sum(0)) - MEASURE.score(b.sum(0)):+.2f}" for each, b in zip(found, base, strict=True)
        )
        print(
            f"| {name} | {_score(found):.2f} | {difference.score:+.2f} ± {difference.margin:.2f} | {seeds} |",
            flush=True,
        )


def steps(corpus: Corpus, nbest: int) -> None:
    """Print what MIRA reaches on the half that it is tuned on and on the other, by its largest step."""
    pool, start = Pool(MEASURE), np.array(list(Weights("classes").values()))
    weights = start
    for seed in range(1, 5):
        current = Weights("classes", dict(zip(Weights("classes"), weights.tolist(), strict=True)))
        found = decode(Decoder(corpus.models, current), corpus.development, MEASURE, nbest, threads=1)
        pool.add(found.features, found.statistics)
        weights = mira(pool, start, seed=seed)
    for scale, step in ((False, 0.01), (False, 0.003), (True, 0.01), (True, 0.003), (True, 0.001)):
        seen, other = np.mean([_halves(pool, start, scale, step, seed) for seed in SEEDS], axis=0)
        print(f"| {'divided by spread' if scale else 'as they are'} | {step} | {seen:.2f} | {other:.2f} |", flush=True)


def _halves(pool: Pool, start: Floats, scale: bool, step: float, seed: int) -> tuple[float, float]:
    """BLEU of both halves of a pool with weights tuned on the same, and on the other."""
    halves, seen, chosen = [Pool(MEASURE), Pool(MEASURE)], 0.0, []
    for half, part in enumerate(halves):
        part.add(pool.features[half::2], pool.statistics[half::2])
    for here, there in (halves, halves[::-1]):
        weights = mira(here, start, seed=seed, step=step, scale=scale)
        seen += here.quality(weights) / 2
        chosen += [rows[n] for rows, n in zip(there.statistics, there.choose(weights), strict=True)]
    return seen, MEASURE.score(np.sum(chosen, axis=0))


def _score(statistics: Floats) -> float:
    return MEASURE.score(statistics.sum((0, 1)))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--corpora", nargs="*", default=[*LINES], choices=[*LINES])
    parser.add_argument("--only", nargs="*", default=[""], help="candidates whose names begin with one of these")
    parser.add_argument("--sentences", type=int, default=1200, help="of a development set, at most")
    parser.add_argument("--steps", action="store_true", help="compare steps of MIRA instead of candidates")
    parser.add_argument("--nbest", type=int, default=NBEST)
    arguments = parser.parse_args()
    if not CORPORA.exists():
        raise SystemExit(f"{CORPORA} is not there: candidates are tried on its corpora")
    makers = [name for name in MAKERS if name.startswith(tuple(arguments.only))]
    for name in arguments.corpora:
        corpus = prepared(name, arguments.sentences)
        print(f"\n{name}", flush=True)
        if arguments.steps:
            steps(corpus, arguments.nbest)
        else:
            compared(listed(corpus, arguments.nbest), makers, corpus)


if __name__ == "__main__":
    main()
