"""Word graphs: all translations that a search has kept, with their scores and features, as a graph of phrases.

State 0 is the first, the highest the end; arcs stand in the order of their origins and lead to higher states. A graph
is self-contained: it stays valid when the models learn.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, fields, replace
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from dragoman.errors import BadInputError
from dragoman.search import nbest_kernels
from dragoman.search import wordgraph_kernels as kernels
from dragoman.search.hypotheses import KINDS, Hypothesis, NBest, Step, patience
from dragoman.search.options_kernels import SURCHARGE
from dragoman.tables import Ids

END = KINDS.index("end")

Floats = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class WordGraph:
    """States and arcs in flat arrays; the words of arc a are words[begin[a]:begin[a + 1]], places in `vocabulary`."""

    source: tuple[str, ...]
    names: tuple[str, ...]  # [M] of the features
    vocabulary: tuple[str, ...]  # the words that occur, sorted
    origin: Ids  # [A] state
    target: Ids  # [A] state
    span: Ids  # [A, 2] first source word, one past the last; equal where nothing is covered
    kind: Ids  # [A] place in KINDS
    score: Floats  # [A] weighted sum of the features, and SURCHARGE × surcharges
    surcharges: Ids  # [A]
    features: Floats  # [A, M]
    begin: Ids  # [A + 1]
    words: Ids  # [·]

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, WordGraph):
            return NotImplemented
        names = [field.name for field in fields(self)]
        return all(np.array_equal(getattr(self, name), getattr(other, name)) for name in names)

    def __len__(self) -> int:
        """Number of arcs."""
        return self.origin.size

    @property
    def nbytes(self) -> int:
        """Memory that it takes, in bytes; words are estimated."""
        arrays = (getattr(self, field.name) for field in fields(self))
        return 60 * len(self.vocabulary) + sum(each.nbytes for each in arrays if isinstance(each, np.ndarray))

    def without_features(self) -> WordGraph:
        """The same paths and scores, for those who need no features: they take most of the memory."""
        return replace(self, names=(), features=np.empty((len(self), 0)))

    @property
    def states(self) -> int:
        """Number of states."""
        return int(self.target[-1]) + 1

    @cached_property
    def first(self) -> Ids:
        """[S + 1] the arcs out of state s are first[s] … first[s + 1] - 1."""
        return np.searchsorted(self.origin, np.arange(self.states + 1))

    @cached_property
    def from_start(self) -> Floats:
        """[S] score of the best path from the first state to each."""
        best = np.empty(self.states)
        kernels.fill_from_start(self.origin, self.target, self.score, best)
        return best

    @cached_property
    def to_end(self) -> Floats:
        """[S] score of the best path from each state to the end."""
        best = np.empty(self.states)
        kernels.fill_to_end(self.origin, self.target, self.score, best)
        return best

    @property
    def best(self) -> Hypothesis:
        """The best translation."""
        return self._listed(self._best_way)[0]

    @property
    def _best_way(self) -> tuple[Ids, Ids, Floats]:
        way = kernels.best_way(self.origin, self.target, self.score, self.from_start)
        return np.array([way.size]), way, self.from_start[-1:]

    def nbest(self, n: int, *, distinct: bool = False) -> NBest:
        """The n best translations, or as many as there are."""
        ways = self._ways(n, distinct)
        return self._listed(ways if ways[0].size else self._best_way)

    def _ways(self, n: int, distinct: bool) -> tuple[Ids, Ids, Floats]:
        most = patience(n, len(self.source))
        begin, arcs = nbest_kernels.arcs_by(self.target, self.states)
        graph = nbest_kernels.Graph(
            score=self.from_start,
            begin=begin,
            arcs=arcs,
            origin=self.origin,
            gain=self.score,
            label=np.arange(len(self)),
            first=self.begin[:-1],
            last=self.begin[1:],
            words=self.words,
        )
        ways: tuple[Ids, Ids, Floats] = nbest_kernels.best_ways(graph, self.states - 1, n, distinct, most)
        return ways

    def _listed(self, ways: tuple[Ids, Ids, Floats]) -> NBest:
        return NBest(self.names, ways, ways[1], self.features, self.surcharges, self._step_of)

    def _step_of(self, arc: int) -> Step | None:
        if self.kind[arc] == END:
            return None
        if arc not in self._steps:
            self._steps[arc] = self.step(arc)
        return self._steps[arc]

    @cached_property
    def _steps(self) -> dict[int, Step]:
        """Steps that were asked for: the entries of an n-best list share most of them."""
        return {}

    def step(self, arc: int) -> Step:
        """The source words and the target words of an arc."""
        words = tuple(self.vocabulary[n] for n in self.words[self.begin[arc] : self.begin[arc + 1]])
        first, last = self.span[arc].tolist()
        return Step((first, last), words, KINDS[self.kind[arc]])

    def posteriors(self, scale: float = 1.0) -> Floats:
        """[A] the probability of each arc, if that of a path is proportional to exp(scale · score)."""
        probability: Floats = kernels.posteriors(self.origin, self.target, self.score, self.states, float(scale))
        return probability

    def confidences(self, hypothesis: Hypothesis, scale: float = 1.0) -> list[float]:
        """The confidence in each word of a translation.

        It is the probability that the word is part of the translation of its source words: of all arcs that cover a
        source word of its phrase, the share that contains it, averaged over these source words. A word that translates
        no source word, since it was given, is certain.
        """
        probability, known = self.posteriors(scale), {word: n for n, word in enumerate(self.vocabulary)}
        answer = []
        for step in hypothesis.steps:
            shares = np.empty(step.source[1] - step.source[0])
            for word in step.words:
                wanted = known.get(word, -1)
                kernels.fill_shares(self.begin, self.words, self.span, probability, wanted, *step.source, shares)
                answer.append(min(float(shares.mean()), 1.0) if shares.size else 1.0)
        return answer

    def pruned(self, *, posterior: float = 0.0, arcs: int | None = None, scale: float = 1.0) -> WordGraph:
        """The graph without arcs less probable than `posterior`, and with at most `arcs` out of each state.

        The best path is always kept.
        """
        probability = self.posteriors(scale)
        wanted = probability >= posterior
        if arcs is not None:
            wanted &= kernels.most_probable(self.origin, probability, arcs)
        wanted[kernels.best_way(self.origin, self.target, self.score, self.from_start)] = True
        kept = kernels.on_a_way(self.origin, self.target, wanted, self.states, self.states - 1)
        return self._only(np.flatnonzero(kept))

    def _only(self, kept: Ids) -> WordGraph:
        """The graph of these arcs, each of which is on a complete path."""
        begin, ids = kernels.gather(self.begin[:-1][kept], self.begin[1:][kept], self.words)
        different, words = np.unique(ids, return_inverse=True)
        origin, target = renumbered(self.origin[kept], self.target[kept])
        return replace(
            self,
            vocabulary=tuple(self.vocabulary[n] for n in different),
            origin=origin,
            target=target,
            span=self.span[kept],
            kind=self.kind[kept],
            score=self.score[kept],
            surcharges=self.surcharges[kept],
            features=self.features[kept],
            begin=begin,
            words=words,
        )

    def rescored(self, weights: Mapping[str, float]) -> WordGraph:
        """The same paths, scored with other weights."""
        if set(weights) != set(self.names):
            raise BadInputError(f"the features of the graph are {', '.join(self.names)}, not {', '.join(weights)}")
        vector = np.array([weights[name] for name in self.names])
        return replace(self, score=self.features @ vector + SURCHARGE * self.surcharges)

    @classmethod
    def joined(cls, graphs: Iterable[WordGraph]) -> WordGraph:
        """The graphs of the pieces of a sentence, one after another."""
        parts = list(graphs)
        vocabulary = sorted({word for part in parts for word in part.vocabulary})
        place = {word: n for n, word in enumerate(vocabulary)}
        states = np.cumsum([0, *(part.states - 1 for part in parts)])
        lengths = np.cumsum([0, *(len(part.source) for part in parts)])
        texts = np.cumsum([0, *(part.words.size for part in parts)])
        here = [np.array([place[word] for word in part.vocabulary], np.int64) for part in parts]
        unchanged = "kind", "score", "surcharges", "features"
        return cls(
            source=tuple(word for part in parts for word in part.source),
            names=parts[0].names,
            vocabulary=tuple(vocabulary),
            origin=np.concatenate([part.origin + n for part, n in zip(parts, states, strict=False)]),
            target=np.concatenate([part.target + n for part, n in zip(parts, states, strict=False)]),
            span=np.concatenate([part.span + n for part, n in zip(parts, lengths, strict=False)]),
            **{name: np.concatenate([getattr(part, name) for part in parts]) for name in unchanged},
            begin=np.append(np.concatenate([p.begin[:-1] + n for p, n in zip(parts, texts, strict=False)]), texts[-1]),
            words=np.concatenate([places[part.words] for part, places in zip(parts, here, strict=True)]),
        )


def renumbered(origin: Ids, target: Ids) -> tuple[Ids, Ids]:
    """Renumber the states of some arcs without gaps; the first state, which no arc enters, is 0."""
    number = np.cumsum(np.bincount(target) > 0, dtype=np.int64)
    return number[origin], number[target]
