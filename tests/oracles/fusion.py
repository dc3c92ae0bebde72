"""Every derivation of a sentence over another engine, one by one, from the options of a search."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass

from dragoman.models.loglinear import PLACES
from dragoman.search.sentence_search import SearchResult

NAMES = tuple(PLACES)


@dataclass(frozen=True)
class Choice:
    """An option as plain values."""

    number: int
    start: int
    end: int
    words: tuple[str, ...]
    place: int | None  # in the other engine's translation
    reach: int


class Fused:
    """All that can be said of a sentence with the options of a search, with nothing pruned."""

    def __init__(self, found: SearchResult, said: tuple[str, ...], aligned: list[bool], share: float) -> None:
        self.found, self.said, self.aligned, self.share = found, said, aligned, share
        self.J = len(found.source)
        self.choices = [self._choice(n) for n in range(found.options.row.size)]

    def _choice(self, n: int) -> Choice:
        row, step = self.found.options.row[n], self.found.step(n)
        place = int(row["place"]) if row["place"] >= 0 else None
        return Choice(n, *step.source, step.words, place, int(row["reach"]))

    def derivations(self) -> Iterator[tuple[Choice, ...]]:
        """All ways to cover the source."""
        yield from self._go_on((), frozenset())

    def _go_on(self, so_far: tuple[Choice, ...], covered: frozenset[int]) -> Iterator[tuple[Choice, ...]]:
        if len(covered) == self.J:
            yield so_far
        for choice in self.choices:
            span = frozenset(range(choice.start, choice.end))
            if not span & covered:
                yield from self._go_on((*so_far, choice), covered | span)

    def features(self, derivation: tuple[Choice, ...]) -> dict[str, float]:
        """The features of a derivation, as docs/understand/fusion.md has them."""
        total = dict.fromkeys(NAMES, 0.0)
        history: list[str] = []
        place: int | None = 0
        previous: Choice | None = None
        for choice in derivation:
            for name, value in zip(NAMES, self.found.options.features[choice.number].tolist(), strict=True):
                total[name] += value
            goes_on = self._goes_on(place, choice.place)
            at, predicted = (
                (choice.place, goes_on and choice.place == place) if choice.place is not None else (place, True)
            )
            for word in choice.words:
                total["language"] += self._language(word, history, at if predicted else None)
                at = at + 1 if at is not None and at < len(self.said) and self.said[at] == word else None
                predicted = True
                history.append(word)
            if goes_on and choice.place is not None and place is not None:
                total["upstream_left"] -= choice.place - place
            else:
                total["upstream_breaks"] -= 1
                self._order(total, previous, choice)
            place = choice.reach if choice.place is not None else at
            previous = choice
        self._end(total, history, place, previous)
        return total

    def _goes_on(self, place: int | None, begins: int | None) -> bool:
        if place is None or begins is None or begins < place:
            return False
        return not any(self.aligned[place:begins])

    def _language(self, word: str, history: list[str], at: int | None) -> float:
        p = self.found.models.language.prob(word, ["<s>", *history])
        if at is None:
            return math.log(p)
        same = word == "</s>" if at == len(self.said) else self.said[at] == word
        return math.log((1 - self.share) * p + self.share * same)

    def _order(self, total: dict[str, float], previous: Choice | None, choice: Choice) -> None:
        last = previous.end if previous else 0
        total["linear_distortion"] -= abs(choice.start - last)
        turn = 0 if choice.start == last else 1 if previous and choice.end == previous.start else 2
        scores = self.found.options.orientations
        names = "monotone", "swap", "discontinuous"
        total[f"previous_{names[turn]}"] += scores[choice.number, 0, turn]
        if previous:
            total[f"next_{names[turn]}"] += scores[previous.number, 1, turn]

    def _end(self, total: dict[str, float], history: list[str], place: int | None, previous: Choice | None) -> None:
        total["language"] += self._language("</s>", history, place)
        if self._goes_on(place, len(self.said)) and place is not None:
            total["upstream_left"] -= len(self.said) - place
        else:
            total["upstream_breaks"] -= 1
        if previous:
            name = "monotone" if previous.end == self.J else "discontinuous"
            total[f"next_{name}"] += self.found.options.orientations[previous.number, 1, 0 if name == "monotone" else 2]

    def score(self, derivation: tuple[Choice, ...]) -> float:
        """λ·h."""
        features = self.features(derivation)
        return sum(weight * features[name] for name, weight in self.found.weights.items())
