"""N-best lists in the format of Moses, adapted and reranked sentence by sentence.

    0 ||| la casa verde ||| LM0= -12.3 TranslationModel0= -1.2 -0.4 -0.9 -0.3 WordPenalty0= -3 ||| -4.56

One line per entry: the number of the sentence, the text, the features by name, and the score. Features are read by
name, in any order; a name with several values gives as many features. `Name0:` and bare numbers,
which older versions write, are read too. Alignments and anything else after the score are ignored.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from pathlib import Path
from typing import Any

import numpy as np

from dragoman.adapt.protocol import MEASURES, Adapter, Matrix, Vector, check
from dragoman.errors import BadInputError
from dragoman.measure import Bleu, Ter, bootstrap
from dragoman.text.text_files import lines

SEPARATOR = "|||"


@dataclass(frozen=True)
class NBestList:
    """The entries of one sentence, in the order of the file."""

    number: int  # of the sentence, as the file says
    texts: list[str]
    names: tuple[str, ...]  # [M] "LM0", or "TranslationModel0.1", "TranslationModel0.2" … of several values
    features: Matrix  # [N, M]
    scores: Vector | None  # [N] as the decoder gave them


@dataclass(frozen=True)
class _Entry:
    number: int
    text: str
    features: dict[str, float]
    score: float | None


def read(path: Path) -> Iterator[NBestList]:
    """The lists of a file, sentence by sentence; a feature that an entry lacks is 0."""
    entries = (_entry(line, f"line {n}", path) for n, line in enumerate(lines(path), start=1) if line.strip())
    for number, group in groupby(entries, key=lambda entry: entry.number):
        listed = list(group)
        names = tuple(dict.fromkeys(name for entry in listed for name in entry.features))
        rows = np.array([[entry.features.get(name, 0.0) for name in names] for entry in listed])
        scores = [entry.score for entry in listed if entry.score is not None]
        whole = np.array(scores) if len(scores) == len(listed) else None
        yield NBestList(number, [entry.text for entry in listed], names, rows, whole)


def _entry(line: str, where: str, path: Path) -> _Entry:
    fields = [field.strip() for field in line.split(SEPARATOR)]
    try:
        number = int(fields[0])
        features = parse_features(fields[2])
        score = float(fields[3]) if len(fields) > 3 and fields[3] else None
    except (IndexError, ValueError) as error:
        remedy = "write entries as: number ||| text ||| Name= values … ||| score"
        raise BadInputError(f"{where} is not an n-best list entry ({error})", where=path, remedy=remedy) from None
    return _Entry(number, fields[1], features, score)


def parse_features(text: str) -> dict[str, float]:
    """Values by name.

    >>> parse_features("LM0= -12.5 Distortion0= 0 TranslationModel0= -1.5 -0.25")
    {'LM0': -12.5, 'Distortion0': 0.0, 'TranslationModel0.1': -1.5, 'TranslationModel0.2': -0.25}
    >>> parse_features("lm: -3 -4.5 w: -2")
    {'lm.1': -3.0, 'lm.2': -4.5, 'w': -2.0}
    """
    values: dict[str, list[float]] = {}
    name = "feature"
    for word in text.split():
        if word.endswith(("=", ":")):
            name = word[:-1]
        else:
            values.setdefault(name, []).append(float(word))
    return {
        name if len(numbers) == 1 else f"{name}.{place}": number
        for name, numbers in values.items()
        for place, number in enumerate(numbers, start=1)
    }


def aligned(lists: Iterable[NBestList]) -> list[NBestList]:
    """The lists with the same features in the same order, those of the first sentence first."""
    known = list(lists)
    names = tuple(dict.fromkeys(name for each in known for name in each.names))
    answer = []
    for each in known:
        rows = np.zeros((len(each.texts), len(names)))
        rows[:, [names.index(name) for name in each.names]] = each.features
        answer.append(NBestList(each.number, each.texts, names, rows, each.scores))
    return answer


def fitted_weights(lists: Sequence[NBestList]) -> Vector:
    """The decoder's weights, derived from its scores, which are linear in the features.

    Features whose weight makes no difference in these lists get 0.
    """
    scored = [each for each in lists if each.scores is not None]
    if not scored:
        raise BadInputError("the lists have no scores to derive the weights from", remedy="pass the weights")
    rows = np.concatenate([each.features - each.features[0] for each in scored])
    gains = np.concatenate([each.scores - each.scores[0] for each in scored if each.scores is not None])
    if not (np.isfinite(rows).all() and np.isfinite(gains).all()):
        for each in scored:
            check(np.zeros(len(each.names)), each.features, each.names)
        raise BadInputError("a score in the lists is not finite")
    found, *_ = np.linalg.lstsq(rows, gains, rcond=1e-10)
    weights: Vector = np.where(np.abs(found) < 1e-9, 0.0, found)
    return weights


@dataclass(frozen=True)
class Outcome:
    """What was chosen for one sentence."""

    number: int
    chosen: int  # entry of the list
    text: str
    first: str  # what the decoder had chosen


class Reranker:
    """Chooses from lists in order, learning from the references as it goes.

    The lists must be `aligned`; the initial weights are those of the decoder, unless given.
    """

    def __init__(self, adapter: Adapter, lists: Sequence[NBestList], weights: Vector | None = None) -> None:
        if not lists:
            raise BadInputError("there are no n-best lists")
        self.adapter = adapter
        self.weights = fitted_weights(lists) if weights is None else weights
        self.names = lists[0].names
        self._measure = MEASURES[adapter.measure]()

    def next(self, listed: NBestList, reference: str | None) -> Outcome:
        """Choose from a list; then, if there is a reference, learn from it."""
        _, rows = check(self.weights, listed.features, listed.names)
        chosen = self.adapter.rerank(self.weights, rows)
        if reference is not None:
            order = np.r_[chosen, np.delete(np.arange(len(rows)), chosen)]
            losses = self._measure.losses(listed.texts, reference) / 100
            self.weights = self.adapter.update(self.weights, rows[order], losses[order])
        return Outcome(listed.number, chosen, listed.texts[chosen], listed.texts[0])

    def report(self, outcomes: Sequence[Outcome], references: Mapping[int, str]) -> dict[str, Any]:
        """TER and BLEU before and after, with intervals, and the final weights."""
        scored = [each for each in outcomes if each.number in references]
        if not scored:
            raise BadInputError("no sentence in the lists has a reference", remedy="number the sentences from 0")
        right = [references[each.number] for each in scored]
        found: dict[str, Any] = {"sentences": len(outcomes), "changed": sum(each.chosen > 0 for each in outcomes)}
        for measure in (Ter(), Bleu()):
            before = measure.statistics([each.first for each in scored], right)
            after = measure.statistics([each.text for each in scored], right)
            found[measure.name] = str(bootstrap(measure, before, after))
        return found | {"weights": dict(zip(self.names, self.weights.tolist(), strict=True))}
