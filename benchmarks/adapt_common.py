"""What the measurements of adapting weights share: texts, systems, n-best lists decoded once, methods, learning rates.

A system is trained on the first 25,000 pairs of europarl and its weights are tuned there by MIRA on BLEU. The learning
rates are those that are best on the development set of newstest-en-es with lists of 500 ([M] §5.2 does the same with
NC08); all sets and all sizes are run with them. TER and BLEU are those of words as the models see them.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from itertools import islice
from pathlib import Path

import numpy as np

from dragoman.adapt import Adapter, Bayes, PassiveAggressive, Perceptron, Ridge
from dragoman.adapt.lists import Candidates
from dragoman.measure import Bleu
from dragoman.models.knowledge import Knowledge
from dragoman.models.loglinear import Weights
from dragoman.text.text_files import pairs
from dragoman.tune import Development, mira, tune
from dragoman_laboratory.reranking import Counts, Lists, decode, rerank

CORPORA = Path(os.environ.get("DRAGOMAN_CORPORA", Path(__file__).parents[2] / "shared" / "corpora"))
OUT = Path(__file__).parent / "out"
TRAIN, DEVELOPMENT, LONGEST = 25_000, 400, 2000
SETS = {"newstest-en-es": 1000, "pydocs-en-es": 1000, "newstest-en-fr": 1000}
RATES = (1e-5, 3e-5, 1e-4, 3e-4, 0.001, 0.003, 0.01, 0.03, 0.1, 0.3, 1.0)
METHODS: dict[str, Callable[[float], Adapter]] = {
    "PA, λ": lambda rate: PassiveAggressive(alpha=rate),
    "heuristic PA, λ": lambda rate: PassiveAggressive(alpha=rate, heuristic=True),
    "PA as printed, λ": lambda rate: PassiveAggressive(alpha=rate, printed=True),
    "perceptron, λ": lambda rate: Perceptron(alpha=rate),
    "ridge, λ": lambda rate: Ridge(alpha=rate),
    "Bayes, λ": lambda rate: Bayes(delta=1 / rate),
    "PA, u": lambda rate: PassiveAggressive(alpha=rate, parameters="factors"),
    "heuristic PA, u": lambda rate: PassiveAggressive(alpha=rate, heuristic=True, parameters="factors"),
    "perceptron, u": lambda rate: Perceptron(alpha=rate, parameters="factors"),
    "perceptron, u, all decay": lambda rate: Perceptron(alpha=rate, parameters="factors", decay="all"),
    "ridge, u": lambda rate: Ridge(alpha=rate, parameters="factors"),
}

Texts = list[tuple[str, str]]


def texts(corpus: str, part: str, count: int) -> Texts:
    source, target = corpus.split("-")[-2:]
    files = (CORPORA / corpus / f"{part}.{language}.gz" for language in (source, target))
    return [pair for pair in islice(pairs(*files), count) if all(side.strip() for side in pair)]


def system(target: str) -> tuple[Knowledge, Weights]:
    """Models of europarl and weights tuned on it, from the run before if there was one."""
    corpus = f"europarl-en-{target}"
    models, weights = OUT / f"knowledge-{corpus}-{TRAIN}", OUT / f"weights-{corpus}-{TRAIN}.json"
    if not models.is_dir():
        print(f"training on {corpus} …", flush=True)
        knowledge = Knowledge()
        knowledge.train(texts(corpus, "train", TRAIN))
        knowledge.save(models)
    knowledge = Knowledge.open(models)
    if not weights.exists():
        print(f"tuning on {corpus} …", flush=True)
        development = Development.read(knowledge, texts(corpus, "dev", DEVELOPMENT))
        report = tune(knowledge.models, Weights("moses"), development, mira, Bleu("none"), rounds=5, beam="fast")
        weights.write_text(json.dumps(report.weights), encoding="utf-8")
    return knowledge, Weights("moses", json.loads(weights.read_text(encoding="utf-8")))


def lists(corpus: str, part: str, count: int) -> Lists:
    """N-best lists, decoded once."""
    directory = OUT / f"lists-{corpus}-{part}-{count}-{LONGEST}"
    if not directory.is_dir():
        print(f"decoding {count} segments of {corpus} …", flush=True)
        knowledge, weights = system(corpus.split("-")[-1])
        decode(knowledge, weights, texts(corpus, part, count), LONGEST).save(directory)
    return Lists.open(directory)


def chosen_on() -> Lists:
    """What rates are chosen on."""
    return lists("newstest-en-es", "dev", 500)


def tested(corpus: str) -> Lists:
    """What methods are compared on."""
    return lists(corpus, "test", SETS[corpus])


@dataclass(frozen=True)
class Picked(Lists):
    """Some of the sentences of other lists, in another order."""

    order: Sequence[int] = ()

    def __len__(self) -> int:
        return len(self.order)

    def candidates(self, sentence: int, n: int, *, factors: bool) -> Candidates:
        """The n best of a sentence."""
        return super().candidates(int(self.order[sentence]), n, factors=factors)

    def counts(self, measure: str, sentence: int, n: int) -> Counts:
        """The counts of a measure for each of them."""
        return super().counts(measure, int(self.order[sentence]), n)


def picked(found: Lists, order: Iterable[int]) -> Picked:
    return Picked(found.arrays, found.weights, found.n, found.texts, list(order))


def rates() -> dict[str, float]:
    """The best learning rate of each method on the set they are chosen on, with lists of 500."""
    known = OUT / "adapt-rates.json"
    if known.exists():
        return dict(json.loads(known.read_text(encoding="utf-8")))
    base, best = rerank(chosen_on(), None, 500), {}
    print(f"\nnewstest-en-es dev, 500-best: TER {base.score('ter'):.2f}, BLEU {base.score('bleu'):.2f}\n")
    print(f"| TER | {' | '.join(f'{rate:g}' for rate in RATES)} |\n|---|{'---:|' * len(RATES)}")
    for name, make in METHODS.items():
        found = [rerank(chosen_on(), make(rate), 500).score("ter") for rate in RATES]
        best[name] = RATES[int(np.argmin(found))]
        print(f"| {name} | {' | '.join(f'{ter:.2f}' for ter in found)} |", flush=True)
    known.write_text(json.dumps(best), encoding="utf-8")
    return best
