"""Candidate features of whole translations: what `bench_beyond` tries.

Each takes the models and the training pairs, counts what it needs, and gives every translation one or a few numbers.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from dragoman.models.classes import find_classes
from dragoman.models.language import MODIFIED, LanguageModel
from dragoman.models.modelset import ModelSet
from dragoman.search.hypotheses import Step
from dragoman.text.vocabulary import SPECIAL

Words = tuple[str, ...]
Pairs = Sequence[tuple[Words, Words]]
Links = Sequence[tuple[int, int]]
Floats = NDArray[np.float64]


class Linked(NamedTuple):
    """A sentence pair and the links between its words."""

    source: Words
    target: Words
    links: Links

    @property
    def partners(self) -> list[list[int]]:
        """[target words] the source words that each is linked to."""
        found: list[list[int]] = [[] for _ in self.target]
        for j, i in sorted(self.links):
            found[i].append(j)
        return found


@dataclass(frozen=True)
class Translation:
    """One entry of an n-best list: the words, the phrases they are made of, and their links to the source."""

    source: Words
    words: Words
    steps: tuple[Step, ...]
    links: Links


class Candidate(ABC):
    """A feature to try, or a few that belong together."""

    @abstractmethod
    def values(self, translations: Sequence[Translation]) -> Floats:
        """[translations, features]."""


class Several(Candidate):
    """Candidates tried together."""

    def __init__(self, *members: Candidate) -> None:
        self.members = members

    def values(self, translations: Sequence[Translation]) -> Floats:
        """The features of all, side by side."""
        return np.hstack([each.values(translations) for each in self.members])


class TokenModel(Candidate):
    """An n-gram model of a sequence of tokens that is made from each translation."""

    def __init__(self, pairs: Pairs, links: Sequence[Links], *, order: int) -> None:
        self.model = LanguageModel(order=order, smoothing=MODIFIED)
        for pair, each in zip(pairs, links, strict=True):
            self.model.add(self.tokens(Linked(*pair, each)))

    @abstractmethod
    def tokens(self, pair: Linked) -> list[str]:
        """What the model counts and predicts."""

    def values(self, translations: Sequence[Translation]) -> Floats:
        """The logarithm of the probability of each."""
        tokens = [self.tokens(Linked(each.source, each.words, each.links)) for each in translations]
        return self.model.scores(tokens)[:, None]


class BilingualModel(TokenModel):
    """Each target word together with the source words that it is linked to (Niehues et al. 2011)."""

    def tokens(self, pair: Linked) -> list[str]:
        """For example `botón|button`."""
        linked = zip(pair.target, pair.partners, strict=True)
        return [f"{e}|{'_'.join(pair.source[j] for j in js)}" for e, js in linked]


class OperationModel(TokenModel):
    """A simple operation-sequence model: word pairs, with jumps and deleted source words between them."""

    def tokens(self, pair: Linked) -> list[str]:
        """For example `botón|button`, `<jump -2>`, `verde|green`."""
        tokens, at = list[str](), 0
        said = {j for j, _ in pair.links}
        for e, js in zip(pair.target, pair.partners, strict=True):
            if js:
                tokens += _moves(pair.source, said, at, js[0])
                at = js[-1] + 1
            tokens.append(f"{e}|{'_'.join(pair.source[j] for j in js)}")
        return tokens


def _moves(source: Words, said: set[int], at: int, to: int) -> list[str]:
    if to < at:
        return [f"<back {min(at - to, 4)}>"]
    if any(j in said for j in range(at, to)):
        return [f"<jump {min(to - at, 4)}>"]
    return [f"<drop {source[j]}>" for j in range(at, to)]


class ClassModel(TokenModel):
    """An n-gram model of word classes, which are found by exchange on the training text."""

    def __init__(self, pairs: Pairs, links: Sequence[Links], *, order: int, classes: int) -> None:
        self.classes = classes_of([target for _, target in pairs], classes)
        super().__init__(pairs, links, order=order)

    def tokens(self, pair: Linked) -> list[str]:
        """The number of the class of each word; unseen words have one of their own."""
        return [str(self.classes.get(word, "?")) for word in pair.target]


class BilingualClassModel(TokenModel):
    """Pairs of linked words, both as classes."""

    def __init__(self, pairs: Pairs, links: Sequence[Links], *, order: int, classes: int) -> None:
        self.source = classes_of([source for source, _ in pairs], classes)
        self.target = classes_of([target for _, target in pairs], classes)
        super().__init__(pairs, links, order=order)

    def tokens(self, pair: Linked) -> list[str]:
        """Numbers of classes, for example `17|4`."""
        spelled = [[str(self.source.get(pair.source[j], "?")) for j in js] for js in pair.partners]
        return [f"{self.target.get(e, '?')}|{'_'.join(fs)}" for e, fs in zip(pair.target, spelled, strict=True)]


class SentenceLexicon(Candidate):
    """Log p(e|f) of IBM model 1 with the whole source sentence: each target word, whatever phrase it is in."""

    def __init__(self, models: ModelSet) -> None:
        self.models = models
        self.known: dict[tuple[str, str | None], float] = {}

    def lexical(self, e: str, f: str | None) -> float:
        """p(e|f), looked up once."""
        if (e, f) not in self.known:
            self.known[e, f] = self.models.direct.lexical(e, f)
        return self.known[e, f]

    def values(self, translations: Sequence[Translation]) -> Floats:
        """Sums over target words of the logarithm of the mean over source words."""
        answer = []
        for each in translations:
            fs = (None, *each.source)
            answer.append(sum(math.log(sum(self.lexical(e, f) for f in fs) / len(fs)) for e in each.words))
        return np.array(answer)[:, None]


class InverseLexicon(SentenceLexicon):
    """Log p(f|e) of IBM model 1: whether every source word is explained."""

    def lexical(self, e: str, f: str | None) -> float:
        """p(e|f) of the other direction."""
        if (e, f) not in self.known:
            self.known[e, f] = self.models.inverse.lexical(e, f)
        return self.known[e, f]

    def values(self, translations: Sequence[Translation]) -> Floats:
        """Sums over source words."""
        answer = []
        for each in translations:
            es = (None, *each.words)
            answer.append(sum(math.log(sum(self.lexical(f, e) for e in es) / len(es)) for f in each.source))
        return np.array(answer)[:, None]


class CountBins(Candidate):
    """How many phrases of a translation were seen once, twice, up to 4, up to 9 times."""

    bins = (1, 2, 4, 9)

    def __init__(self, models: ModelSet) -> None:
        self.models = models
        self.known: dict[tuple[Words, Words], int] = {}

    def values(self, translations: Sequence[Translation]) -> Floats:
        """One number for each of the bins."""
        return np.array([self._one(each) for each in translations], np.float64)

    def _one(self, each: Translation) -> list[int]:
        found = [0] * len(self.bins)
        for step in each.steps:
            count = self._count(each.source[step.source[0] : step.source[1]], step.words)
            if 0 < count <= self.bins[-1]:
                found[int(np.searchsorted(self.bins, count))] += 1
        return found

    def _count(self, f: Words, e: Words) -> int:
        if (f, e) not in self.known:
            ids = self.models.source.ids(f), self.models.target.ids(e)
            self.known[f, e] = self.models.phrases.count(*ids) if min(map(np.min, ids)) >= 0 else 0
        return self.known[f, e]


class Rarity(CountBins):
    """What rare phrases lose if counts are smoothed: Σ log c / (c + k), of pairs, of source and of target phrases."""

    def __init__(self, models: ModelSet, *, k: float, of: str) -> None:
        super().__init__(models)
        self.k, self.of = k, of
        self.totals: dict[tuple[Words, Words], tuple[int, int, int]] = {}

    def _one(self, each: Translation) -> list[float]:  # type: ignore[override]
        totals = [self._totals(each.source[s.source[0] : s.source[1]], s.words) for s in each.steps if s.pair >= 0]
        wanted = {"pairs": (0,), "phrases": (1, 2)}[self.of]
        return [sum(math.log(each[n] / (each[n] + self.k)) for each in totals) for n in wanted]

    def _totals(self, f: Words, e: Words) -> tuple[int, int, int]:
        if (f, e) not in self.totals:
            ids = self.models.source.ids(f), self.models.target.ids(e)
            count, (inverse, direct) = self.models.phrases.count(*ids), self.models.phrases.probabilities(*ids)
            self.totals[f, e] = (count, round(count / direct), round(count / inverse)) if count else (1, 1, 1)
        return self.totals[f, e]


class PhraseLengths(Candidate):
    """How many phrases have so many source words and so many target words, up to 4 of each."""

    def values(self, translations: Sequence[Translation]) -> Floats:
        """[translations, 8]: by source length, and by target length."""
        table = np.zeros((len(translations), 8))
        for n, each in enumerate(translations):
            for step in each.steps:
                table[n, min(step.source[1] - step.source[0], 4) - 1] += 1
                table[n, 4 + min(len(step.words), 4) - 1] += 1
        return table


class WordModel(TokenModel):
    """A longer n-gram model of the words themselves."""

    def tokens(self, pair: Linked) -> list[str]:
        """The words."""
        return list(pair.target)


class WordPairs(Candidate):
    """How often a translation has each of the most frequent pairs of linked words (sparse features)."""

    def __init__(self, pairs: Pairs, links: Sequence[Links], *, most: int) -> None:
        seen: Counter[tuple[str, str]] = Counter()
        for (f, e), each in zip(pairs, links, strict=True):
            seen.update((f[j], e[i]) for j, i in each)
        self.places = {pair: n for n, (pair, _) in enumerate(seen.most_common(most))}

    def values(self, translations: Sequence[Translation]) -> Floats:
        """A tenth for each: they are many, and must not run away."""
        table = np.zeros((len(translations), len(self.places)))
        for n, each in enumerate(translations):
            for j, i in each.links:
                place = self.places.get((each.source[j], each.words[i]))
                if place is not None:
                    table[n, place] += 0.1
        return table


class TargetWords(Candidate):
    """How often a translation has each of the most frequent target words, and how many target words have no link."""

    def __init__(self, pairs: Pairs, *, most: int) -> None:
        seen = Counter(word for _, target in pairs for word in target)
        self.places = {word: n for n, (word, _) in enumerate(seen.most_common(most))}

    def values(self, translations: Sequence[Translation]) -> Floats:
        """A tenth for each."""
        table = np.zeros((len(translations), len(self.places) + 2))
        for n, each in enumerate(translations):
            for word in each.words:
                if word in self.places:
                    table[n, self.places[word]] += 0.1
            table[n, -1] = 0.1 * (len(each.words) - len({i for _, i in each.links}))
            table[n, -2] = 0.1 * (len(each.source) - len({j for j, _ in each.links}))
        return table


def classes_of(sentences: Iterable[Words], classes: int) -> dict[str, int]:
    """The class of each word, found from its neighbours."""
    language = LanguageModel(order=2)
    for words in sentences:
        language.add(words)
    of = find_classes(language, classes)
    ids = np.arange(len(SPECIAL), of.size)
    return dict(zip(language.vocabulary.words(ids), of[ids].tolist(), strict=True))
