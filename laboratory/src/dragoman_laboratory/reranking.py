"""Adapting weights online, as in [M] §5: n-best lists decoded once and kept, then every method on the same lists.

1. `decode` searches each sentence once, with fixed weights, and keeps everything that a method may need:
   features, phrase pairs, and the counts of every measure against the reference. All of it goes to disk as arrays.
2. `rerank` goes through the sentences in order: the method chooses from the list, then learns from the losses.
3. `Run` holds the counts of the chosen entries: any measure, its interval, its learning curve.

Shorter lists are prefixes of longer ones, so a sweep over α and over sizes needs no second search.
"""

from __future__ import annotations

import hashlib
import json
import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dragoman.adapt.adaptation import Adaptation
from dragoman.adapt.lists import Candidates, candidates, uses
from dragoman.adapt.lists import losses as list_losses
from dragoman.adapt.protocol import Adapter
from dragoman.errors import BadInputError
from dragoman.files import Arrays, open_arrays, write_arrays
from dragoman.measure import Bleu, Measure, Ter, Wer
from dragoman.models.knowledge import Knowledge
from dragoman.models.loglinear import Weights
from dragoman.progress import Progress
from dragoman.search.decoder import Decoder, NBest

KIND = "n-best lists"
MEASURES: dict[str, Measure] = {"ter": Ter(), "wer": Wer(), "bleu": Bleu("none")}

Counts = NDArray[np.int64]


@dataclass(frozen=True)
class Lists:
    """The n-best lists of a text, one after another in flat arrays."""

    arrays: Arrays
    weights: dict[str, float]  # that they were decoded with
    n: int  # entries that were asked for
    texts: str  # digest of sources, references, and the name of the system

    def __len__(self) -> int:
        return self.arrays["ends"].size

    @cached_property
    def _bounds(self) -> dict[str, list[int]]:
        return {name: [0, *self.arrays[name].tolist()] for name in ("ends", "pair_ends", "use_ends")}

    def candidates(self, sentence: int, n: int, *, factors: bool) -> Candidates:
        """The n best of a sentence; with `factors`, what its entries are made of."""
        begin, end = self._bounds["ends"][sentence : sentence + 2]
        end = min(end, begin + n)
        features = np.array(self.arrays["features"][begin:end])
        if not factors:
            return Candidates(features, [()] * len(features), np.zeros(0, np.int64), np.zeros((len(features), 0)))
        first, last = self._bounds["pair_ends"][sentence : sentence + 2]
        a, b = self._bounds["use_ends"][begin], self._bounds["use_ends"][end]
        entry = np.repeat(np.arange(end - begin), np.diff(self._bounds["use_ends"][begin : end + 1]))
        column = self.arrays["uses"][a:b]
        values = self.arrays["values"][first:last]
        scores = np.zeros((end - begin, last - first))
        np.add.at(scores, (entry, column), values[column])
        used = scores.any(axis=0)
        return Candidates(features, [()] * len(features), self.arrays["pairs"][first:last][used], scores[:, used])

    def counts(self, measure: str, sentence: int, n: int) -> Counts:
        """[N, k] the counts of a measure for each of the n best."""
        begin, end = self._bounds["ends"][sentence : sentence + 2]
        found: Counts = self.arrays[measure][begin : min(end, begin + n)]
        return found

    def losses(self, measure: str, sentence: int, n: int) -> NDArray[np.float64]:
        """[N] the distance of each of the n best from the reference, 1 being the worst."""
        known = MEASURES[measure]
        scores = known.sentence_scores(self.counts(measure, sentence, n)) / 100
        return 1 - scores if known.higher_is_better else scores

    def save(self, directory: Path) -> None:
        """Write them to a directory."""
        about = {"kind": KIND, "weights": self.weights, "n": self.n, "texts": self.texts}
        write_arrays(directory, self.arrays, about)

    def suited_to(self, pairs: Sequence[tuple[str, str]], weights: dict[str, float], n: int, system: str = "") -> Lists:
        """These lists, if they fit the texts, weights and system, and are long enough."""
        if (self.texts, self.weights) != (digest(pairs, system), weights) or self.n < n:
            what = "the saved n-best lists belong to another text, size, weights or state of the models"
            raise BadInputError(what, remedy="name another directory, or delete this one")
        return self

    @classmethod
    def open(cls, directory: Path) -> Lists:
        """Map saved lists into memory."""
        arrays, about = open_arrays(directory)
        if about.get("kind") != KIND:
            raise BadInputError(f"holds a {about.get('kind')}, not {KIND}", where=directory)
        return cls(arrays, about["weights"], about["n"], about["texts"])


def digest(pairs: Sequence[tuple[str, str]], system: str = "") -> str:
    """A digest of texts, translated by some system."""
    return hashlib.sha256(json.dumps([*pairs, system] if system else pairs).encode()).hexdigest()


def decode(
    knowledge: Knowledge,
    weights: Weights,
    pairs: Sequence[tuple[str, str]],
    n: int,
    *,
    system: str = "",
    progress: Progress | None = None,
) -> Lists:
    """The n-best lists of the sources, with counts against the references; `seconds` are for search and lists."""
    decoder, parts = Decoder(knowledge.models, weights), list[Arrays]()
    read = [(knowledge.source.read(source), knowledge.target.read(reference)) for source, reference in pairs]
    given = [(source, reference) for source, reference in read if source.words and reference.words]
    if not given:
        raise BadInputError("no text to decode")
    for number, (source, reference) in enumerate(given, start=1):
        began = time.perf_counter()
        found = decoder.search(knowledge.source.model_words(source), source.placeable)
        _ = found.best
        searched = time.perf_counter()
        nbest = found.nbest(n, distinct=True)
        listed = candidates(found, nbest, factors=True)
        seconds = np.array([[searched - began, time.perf_counter() - searched]])
        words = knowledge.target.model_words(reference)
        parts.append(_part(listed, nbest, words) | {"seconds": seconds})
        if progress:
            progress("decoding n-best lists", number, len(given))
    arrays = {name: np.concatenate([part[name] for part in parts]) for name in parts[0]}
    arrays["use_ends"] = np.cumsum(arrays.pop("use_sizes"))
    arrays["ends"] = np.cumsum([len(part["features"]) for part in parts])
    arrays["pair_ends"] = np.cumsum([len(part["pairs"]) for part in parts])
    return Lists(arrays, dict(weights), n, digest(pairs, system))


def _part(listed: Candidates, nbest: NBest, reference: Sequence[str]) -> Arrays:
    """What is kept of one list; `values` are g of each pair, that `scores` have as often as the pair is used."""
    ids: dict[str, int] = {}
    numbered = [np.array([ids.setdefault(word, len(ids)) for word in each], np.int64) for each in listed.words]
    wanted = np.array([ids.setdefault(word, len(ids)) for word in reference], np.int64)
    which = np.zeros(len(numbered), np.int64)
    entry, pair = uses(nbest)
    columns = np.searchsorted(listed.pairs, pair)
    often = np.bincount(columns, minlength=listed.pairs.size)
    counts = {name: measure.statistics(numbered, [wanted], which) for name, measure in MEASURES.items()}
    return {
        "features": listed.features,
        "pairs": listed.pairs,
        "values": listed.scores.sum(axis=0) / often,
        "uses": columns.astype(np.int32),
        "use_sizes": np.bincount(entry, minlength=len(listed)),
        **{name: rows.astype(np.int32) for name, rows in counts.items()},
    }


@dataclass(frozen=True)
class Run:
    """What a method chose, sentence by sentence."""

    chosen: Counts  # [sentences]
    counts: dict[str, Counts]  # for each measure [sentences, k]
    seconds: float  # a sentence, choosing and learning

    @property
    def counted(self) -> dict[str, Counts]:
        """Counts of the measures that are reported."""
        return {"TER": self.counts["ter"], "BLEU": self.counts["bleu"]}

    def score(self, measure: str) -> float:
        """The measure of all sentences together, in percent."""
        return MEASURES[measure].score(self.counts[measure].sum(0))

    def curve(self, measure: str) -> NDArray[np.float64]:
        """[sentences] the measure of the first, of the first two, and so on: the learning curve of [M] Fig. 9."""
        return MEASURES[measure].scores(np.cumsum(self.counts[measure], axis=0))


def rerank(lists: Lists, adapter: Adapter | None, n: int, *, oracle: bool = False) -> Run:
    """Choose sentence by sentence, with a method or without; with `oracle`, always the best entry by TER."""
    if n < 1:
        raise BadInputError(f"an n-best list needs at least one entry, not {n}")
    adaptation = Adaptation(adapter.settings() | {"mode": "rerank"}, lists.weights) if adapter else None
    chosen, seconds = list[int](), 0.0
    for sentence in range(len(lists)):
        if adaptation is None:
            chosen.append(int(np.argmin(lists.losses("ter", sentence, n))) if oracle else 0)
            continue
        offered = lists.candidates(sentence, n, factors=adaptation.wants_factors)
        losses = lists.losses(adaptation.policy.measure, sentence, n)
        began = time.perf_counter()
        chosen.append(adaptation.choose(offered))
        adaptation.learn(offered, losses, chosen[-1])
        seconds += time.perf_counter() - began
    counts = {name: np.array([lists.counts(name, s, n)[c] for s, c in enumerate(chosen)]) for name in MEASURES}
    return Run(np.array(chosen), counts, seconds / max(len(lists), 1))


def live(knowledge: Knowledge, weights: Weights, pairs: Iterable[tuple[str, str]], adapter: Adapter) -> Run:
    """The same, but each sentence is searched with the adapted weights and factors; models do not learn."""
    adaptation, rows, seconds = Adaptation(adapter.settings() | {"mode": "live"}, weights), list[Arrays](), 0.0
    for source, reference in pairs:
        current = Weights(weights.preset, dict(zip(weights, adaptation.weights.tolist(), strict=True)))
        read = knowledge.source.read(source)
        words = knowledge.target.model_words(knowledge.target.read(reference))
        if not (read.words and words):
            continue
        decoder = Decoder(knowledge.models, current, factors=adaptation.factors)
        found = decoder.search(knowledge.source.model_words(read), read.placeable)
        listed = candidates(
            found, found.nbest(adaptation.policy.nbest, distinct=True), factors=adaptation.wants_factors
        )
        began = time.perf_counter()
        chosen = adaptation.choose(listed)
        adaptation.learn(listed, list_losses(MEASURES[adaptation.policy.measure], listed.words, words), chosen)
        seconds += time.perf_counter() - began
        rows.append({name: _counts(measure, listed.words[chosen], words) for name, measure in MEASURES.items()})
    if not rows:
        raise BadInputError("no text to translate")
    counts = {name: np.concatenate([row[name] for row in rows]) for name in MEASURES}
    return Run(np.zeros(len(rows), np.int64), counts, seconds / max(len(rows), 1))


def _counts(measure: Measure, words: Sequence[str], reference: Sequence[str]) -> Counts:
    ids: dict[str, int] = {}
    numbered = [np.array([ids.setdefault(word, len(ids)) for word in each], np.int64) for each in (words, reference)]
    return measure.statistics(numbered[:1], numbered[1:])


def sweep(
    lists: Lists, make: Callable[[float], Adapter], rates: Sequence[float], sizes: Sequence[int]
) -> dict[tuple[float, int], Run]:
    """Every learning rate with every size of list."""
    return {(rate, n): rerank(lists, make(rate), n) for rate in rates for n in sizes}


def table(runs: dict[str, Run]) -> list[dict[str, Any]]:
    """TER and BLEU of each run, with the difference from the first by paired bootstrap."""
    from dragoman.measure import bootstrap

    base = next(iter(runs.values()))
    rows = []
    for name, run in runs.items():
        row: dict[str, Any] = {"run": name, "seconds": run.seconds}
        for measure in ("ter", "bleu"):
            compared = bootstrap(MEASURES[measure], base.counts[measure], run.counts[measure])
            row[measure] = compared.system.score
            row[f"{measure} margin"] = compared.system.margin
            row[f"{measure} difference"] = compared.difference.score
            row[f"{measure} p"] = compared.p_value
        rows.append(row)
    return rows
