"""Every derivation of a sentence, one by one; features are the models' own public functions ([O] §3.4, [M] §5.1)."""

from __future__ import annotations

import math
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

from dragoman.models.modelset import ModelSet
from dragoman.models.reordering import reordering_scores

FLOOR = 1e-7
MONOTONE, SWAP, DISCONTINUOUS = range(3)

Words = tuple[str, ...]


@dataclass(frozen=True)
class Choice:
    """A phrase that may be said for a span; equal spans are words that nothing gave."""

    start: int
    end: int
    words: Words
    kind: str = "phrase"
    features: Mapping[str, float] = field(default_factory=dict, compare=False)
    turns: tuple[tuple[float, ...], ...] = field(default=(), compare=False)  # log p(orientation), previous and next
    surcharges: int = field(default=0, compare=False)


Derivation = tuple[Choice, ...]
Near = Mapping[int, Sequence[Choice]]  # what says nearly the words of a prefix, by the words that stand before it


class Exhaustive:
    """All that can be said of a sentence, with nothing pruned."""

    def __init__(
        self,
        models: ModelSet,
        weights: Mapping[str, float],
        source: Sequence[str],
        placeable: Sequence[bool] | None = None,
        beta: float = 0.9,
        delta: float = 0.3,
        slots: Collection[str] = (),
    ) -> None:
        self.slots = slots
        self.models, self.weights, self.source = models, weights, tuple(source)
        self.fixed = list(placeable or [False] * len(source))
        self.beta, self.delta = beta, delta
        base = models.phrases.base
        self.totals = models.phrases.orientations + (0 if base is None else base.orientations)
        self.choices = [choice for s in range(len(source)) for choice in self._choices_from(s)]

    def _choices_from(self, s: int) -> Iterator[Choice]:
        for end in range(s + 1, min(len(self.source), s + self.models.phrases.longest) + 1):
            found = 0
            for option in self.models.phrases.options(self.models.source.ids(self.source[s:end]), 1000):
                words = tuple(self.models.target.words(option.target))
                if self._keeps(words, s, end):
                    totals = option.count, option.source_total, option.target_total
                    yield self._choice(s, end, words, "phrase", totals, (option.previous, option.next))
                    found += 1
            if end == s + 1 and not found:
                yield self._choice(s, end, self.source[s:end], "copy")

    def _keeps(self, words: Words, s: int, end: int) -> bool:
        kept = {word for word, fixed in zip(self.source, self.fixed, strict=True) if fixed}
        made_up = set(words) & set(self.slots) - set(self.source)
        return not made_up and all(words.count(word) == self.source[s:end].count(word) for word in kept)

    def _choice(
        self,
        s: int,
        end: int,
        words: Words,
        kind: str,
        counts: tuple[int, int, int] = (0, 0, 0),
        turns: Sequence[Sequence[int]] = ((0, 0, 0), (0, 0, 0)),
    ) -> Choice:
        f, J, I = self.source[s:end], end - s, len(words)
        features = {"word_penalty": -float(I)}
        if s < end:
            features |= {"phrase_penalty": 1.0, **self._lengths(J, I), **self._probabilities(f, words, kind, counts)}
        scores = reordering_scores(turns, self.totals)
        turned = tuple(tuple(row.tolist()) for row in scores)
        return Choice(s, end, words, kind, features, turned, {"given": 5, "inserted": 10}.get(kind, 0))

    def _lengths(self, J: int, I: int) -> dict[str, float]:
        d = self.delta
        tau = sum(d * (1 - d) ** i for i in range(1, I))
        return {
            "target_phrase_length": math.log(d * (1 - d) ** I),
            "source_phrase_length": math.log(d * (1 - d) ** abs(J - I) / (1 + tau)),
        }

    def _probabilities(self, f: Words, e: Words, kind: str, counts: tuple[int, int, int]) -> dict[str, float]:
        names = "phrase_inverse", "phrase_direct", "lexical_inverse", "lexical_direct"
        if kind == "copy":
            return dict.fromkeys(names, math.log(FLOOR))
        count, of_source, of_target = counts
        inverse, direct = self.models.inverse, self.models.direct
        by_words = inverse.phrase_probability(f, e), direct.phrase_probability(e, f)
        frequency = (count / of_target, count / of_source) if count else (0.0, 0.0)
        phrase = [self.beta * p + (1 - self.beta) * q for p, q in zip(frequency, by_words, strict=True)]
        lexical = [
            sum(math.log(max(FLOOR, *(model.lexical(a, b) for b in (None, *given)))) for a in said)
            for model, said, given in ((inverse, f, e), (direct, e, f))
        ]
        return dict(zip(names, [*(math.log(max(FLOOR, p)) for p in phrase), *lexical], strict=True))

    def derivations(self, limit: int = -1) -> list[Derivation]:
        """All ways to cover the source, jumping over at most `limit` words."""
        return list(self._go_on((), frozenset(), limit))

    def _go_on(self, so_far: Derivation, covered: frozenset[int], limit: int) -> Iterator[Derivation]:
        if len(covered) == len(self.source):
            yield so_far
        for choice in self.choices:
            if self._may_follow(choice, so_far, covered, limit):
                yield from self._go_on((*so_far, choice), covered | set(range(choice.start, choice.end)), limit)

    def _may_follow(self, choice: Choice, so_far: Derivation, covered: frozenset[int], limit: int) -> bool:
        if covered & set(range(choice.start, choice.end)):
            return False
        if limit < 0 or choice.start == choice.end:
            return True
        last = next((step.end for step in reversed(so_far) if step.start < step.end), 0)
        gap = min(set(range(len(self.source) + 1)) - covered)
        return abs(choice.start - last) <= limit and (choice.start == gap or choice.end - gap <= limit)

    def constrained(
        self,
        prefix: Words,
        *,
        unfinished: bool = False,
        whole: bool = False,
        limit: int = -1,
        near: Near | None = None,
    ) -> list[Derivation]:
        """All ways to begin with these words, or to say nothing else; strictly, unless there is something near."""
        return list(self._constrained((), frozenset(), prefix, unfinished, whole, limit, near))

    def _constrained(
        self,
        so_far: Derivation,
        covered: frozenset[int],
        prefix: Words,
        unfinished: bool,
        whole: bool,
        limit: int,
        near: Near | None,
    ) -> Iterator[Derivation]:
        said = sum(len(step.words) for step in so_far)
        if said >= len(prefix) and (whole or len(covered) == len(self.source)):
            yield so_far
        if said >= len(prefix) and whole:
            return
        choices = self.choices
        if said < len(prefix):
            choices = [choice for choice in choices if agrees(choice.words, prefix, said, unfinished, whole)]
            if near is None:
                choices = choices + self._given(prefix, said, unfinished)
            else:
                choices = [*choices, *near[said], self.inserted(prefix[said])]
        for choice in choices:
            if self._may_follow(choice, so_far, covered, limit):
                now = covered | set(range(choice.start, choice.end))
                yield from self._constrained((*so_far, choice), now, prefix, unfinished, whole, limit, near)

    def inserted(self, word: str) -> Choice:
        """A word that stands by itself, where that is forgiven; more dearly if nobody knows it."""
        return replace(self._choice(0, 0, (word,), "inserted"), surcharges=3 if word in self.models.target else 4)

    def _given(self, prefix: Words, said: int, unfinished: bool) -> list[Choice]:
        words = {prefix[said]}
        if unfinished and said == len(prefix) - 1:
            known = {*prefix[:-1], *(word for choice in self.choices for word in choice.words)}
            words |= {word for word in known if word.startswith(prefix[said])}
        offered = {(choice.start, choice.end, choice.words) for choice in self.choices}
        copied = {choice.words[0] for choice in self.choices if choice.kind == "copy"}
        free = [s for s in range(len(self.source)) if not self.fixed[s]]
        made = [self._choice(0, 0, (word,), "inserted") for word in words]
        pairs = [(s, word) for s in free for word in words - copied]
        spans = [(s, s + 1, (word,)) for s, word in pairs if (s, s + 1, (word,)) not in offered]
        return made + [self._choice(*span, "given") for span in spans]

    def features(self, derivation: Derivation) -> dict[str, float]:
        """The features of a translation that came about in this way."""
        words = [word for step in derivation for word in step.words]
        total = dict.fromkeys(self.weights, 0.0)

        def add(name: str, value: float) -> None:
            if name in total:
                total[name] += value

        add("language", self.models.language.score(words))
        add("class_language", self.models.classes.score(self.models.target.ids(words)))
        add("source_length", self.models.lengths.score(len(self.source), len(words)))
        for step in derivation:
            for name, value in step.features.items():
                add(name, value)
        previous, last = None, 0
        for step in (step for step in derivation if step.start < step.end):
            jump = abs(step.start + 1 - last)
            add("distortion", math.log(self.delta * (1 - self.delta) ** jump / (2 - self.delta)))
            add("linear_distortion", -abs(step.start - last))
            turn = orientation(step.start, step.end, previous)
            add(f"previous_{turn}", dict(zip(ORIENTATIONS, step.turns[0], strict=True))[turn])
            if previous:
                add(f"next_{turn}", dict(zip(ORIENTATIONS, previous.turns[1], strict=True))[turn])
            previous, last = step, step.end
        if previous:
            turn = orientation(len(self.source), len(self.source) + 1, previous)
            turn = "monotone" if turn == "monotone" else "discontinuous"
            add(f"next_{turn}", dict(zip(ORIENTATIONS, previous.turns[1], strict=True))[turn])
        return total

    def score(self, derivation: Derivation) -> float:
        """λ·h, and what was charged for words that only the prefix has, and for source words left over."""
        features = self.features(derivation)
        left = len(self.source) - sum(step.end - step.start for step in derivation)
        charges = 5 * left + sum(step.surcharges for step in derivation)
        return sum(self.weights[name] * features[name] for name in self.weights) + charges * math.log(FLOOR) / 10

    def find(self, start: int, end: int, words: Words, kind: str) -> Choice:
        """The choice that a step of the search stands for."""
        if kind in ("given", "inserted"):
            return self._choice(start, end, words, kind)
        wanted = start, end, words, kind
        return next(c for c in self.choices if (c.start, c.end, c.words, c.kind) == wanted)


ORIENTATIONS = "monotone", "swap", "discontinuous"


def orientation(start: int, end: int, previous: Choice | None) -> str:
    """How a phrase lies to the one before it."""
    if start == (previous.end if previous else 0):
        return "monotone"
    return "swap" if previous and end == previous.start else "discontinuous"


def agrees(words: Words, prefix: Words, said: int, unfinished: bool, whole: bool) -> bool:
    """Whether words may follow the first `said` words of a prefix."""
    if whole and said + len(words) > len(prefix):
        return False
    for place, word in enumerate(words, start=said):
        if place >= len(prefix):
            break
        last = unfinished and place == len(prefix) - 1
        if not (word.startswith(prefix[place]) if last else word == prefix[place]):
            return False
    return True
