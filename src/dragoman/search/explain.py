"""Why a sentence was translated the way it was: the options, those chosen with their scores, and the runners-up.

>>> from dragoman.models.loglinear import Weights
>>> from dragoman.models.modelset import ModelSet
>>> from dragoman.search.decoder import Decoder
>>> models = ModelSet()
>>> _ = models.add(["green", "button"], ["botón", "verde"])
>>> told = explain(Decoder(models, Weights("moses")).search(["green", "button"]))
>>> [word for account in told.accounts if account.step for word in account.step.words]
['botón', 'verde']
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from html import escape
from itertools import groupby
from typing import TYPE_CHECKING, Any

from dragoman.records import Change, Match, ProposedChange
from dragoman.search.hypotheses import Hypothesis, Step
from dragoman.search.options_kernels import SURCHARGE
from dragoman.search.sentence_search import SearchResult

if TYPE_CHECKING:  # imported below where a terminal is drawn on: translating does not need it
    from rich.table import Table as RichTable
    from rich.text import Text

if TYPE_CHECKING:  # imported below where a terminal is drawn on: translating does not need it
    from rich.table import Table as RichTable
    from rich.text import Text

# Features that answer one question together
GROUPS = {
    "language": ("language", "class_language"),
    "translation": ("phrase_inverse", "phrase_direct", "lexical_inverse", "lexical_direct"),
    "order": ("distortion", "linear_distortion", "previous_", "next_"),
    "length": ("source_length", "target_phrase_length", "source_phrase_length", "word_penalty", "phrase_penalty"),
}
DERIVED = ("source", "target", "kind", *GROUPS, "surcharge", "total")
WEIGHED = ("feature", "weight", "value", "contribution")
MOST_WEIGHED = 10  # changes of another engine's answer that are shown with their evidence
RANKED = ("translation", "score", "behind")


@dataclass(frozen=True)
class Offer:
    """One option of a span, its score including an estimate of the language model's, and whether it was taken."""

    step: Step
    score: float
    taken: bool


@dataclass(frozen=True)
class Account:
    """One step of the winning derivation, or its end, and what each feature contributes: weight × value."""

    step: Step | None
    contributions: dict[str, float]
    surcharge: float = 0.0

    @property
    def total(self) -> float:
        """What the step adds to the score."""
        return sum(self.contributions.values()) + self.surcharge

    def group(self, name: str) -> float:
        """What the features of one of the GROUPS contribute."""
        return sum(value for feature, value in self.contributions.items() if feature.startswith(GROUPS[name]))


@dataclass(frozen=True)
class Explanation:
    """The explanation of a translation."""

    source: tuple[str, ...]
    weights: dict[str, float]
    best: Hypothesis
    offers: tuple[Offer, ...]  # best first within each span, spans by start and end
    accounts: tuple[Account, ...]  # in the order of the translation
    rivals: tuple[Hypothesis, ...]  # the translations that came next
    memory: Match | None = None  # a correction of exactly this text, which is used instead
    upstream: str | None = None  # another engine's answer for this text
    learning: str | None = None  # what that has done if it learns itself
    is_kept: bool = False  # what it said is the translation, unchanged
    changes: tuple[Change, ...] = ()  # where the translation has other words than it, and why
    evidence: tuple[ProposedChange, ...] = ()  # the changes of it that were weighed, made or not

    @property
    def note(self) -> str:
        """A remark to show first, if any."""
        return "\n".join(self._remarks())

    def _remarks(self) -> Iterator[str]:
        if self.upstream is not None:
            yield f"The other engine said: {self.upstream}"
            if self.learning is not None:
                yield f"It has {self.learning}"
        if self.memory is not None:
            known = self.memory
            yield f"The translation comes from the translation memory (correction {known.id}): {known.target}"
            yield "The models alone would translate as follows:"
        elif self.is_kept:
            yield "That is the translation. The models would change it as follows:"
        yield from (change.sentence for change in self.changes)
        likely = sorted(self.evidence, key=lambda each: (not each.used, -each.probability))
        yield from (change.sentence for change in likely[:MOST_WEIGHED])

    def source_words(self, step: Step) -> str:
        """The source words of a step."""
        return " ".join(self.source[slice(*step.source)])

    def spans(self) -> Iterator[tuple[str, list[Offer]]]:
        """The words of each span with its options."""
        for _, offers in groupby(self.offers, key=lambda offer: offer.step.source):
            listed = list(offers)
            yield self.source_words(listed[0].step), listed

    def derived(self) -> Iterator[tuple[tuple[str, str, str], list[float]]]:
        """Of each step: source, target and kind; what each of the GROUPS, surcharges, and all together contribute."""
        for account in self.accounts:
            step = account.step
            words = (self.source_words(step), " ".join(step.words), step.account) if step else ("", "", "end")
            yield words, [*map(account.group, GROUPS), account.surcharge, account.total]

    def weighed(self) -> Iterator[tuple[str, float, float]]:
        """Name, weight and value of each part of the score."""
        for name, weight in self.weights.items():
            yield name, weight, self.best.features[name]
        if self.best.surcharges:
            yield "surcharge", SURCHARGE, float(self.best.surcharges)

    def ranked(self) -> Iterator[tuple[str, float, float]]:
        """Words, score, and distance from the best score, of the translation and the runners-up."""
        for hypothesis in (self.best, *self.rivals):
            yield " ".join(hypothesis.words), hypothesis.score, self.best.score - hypothesis.score

    def tables(self) -> list[RichTable | Text]:
        """The explanation as tables for a terminal."""
        from rich.table import Table as RichTable
        from rich.text import Text

        offered = RichTable("source", "options", title="Options: best first, with score; those taken are in bold")
        for words, offers in self.spans():
            offered.add_row(Text(words), Text("  ·  ").join(map(_shown, offers)))
        derived = _table("Derivation: what each step adds to the score", DERIVED, 3)
        for texts, numbers in self.derived():
            derived.add_row(*map(Text, texts), *(f"{number:.2f}" for number in numbers))
        weighed = _table("The score: Σ weight × value", WEIGHED, 1)
        for name, weight, value in self.weighed():
            weighed.add_row(name, f"{weight:.3f}", f"{value:.3f}", f"{weight * value:.3f}")
        weighed.add_row("score", "", "", f"{self.best.score:.3f}")
        ranked = _table("The translation and the runners-up", RANKED, 1)
        for said, score, behind in self.ranked():
            ranked.add_row(Text(said), f"{score:.2f}", f"{behind:.2f}")
        return [*([Text(self.note)] if self.note else []), offered, derived, weighed, ranked]

    def as_dict(self) -> dict[str, Any]:
        """The explanation for programs: plain values, as `dragoman project explain --json` prints them."""
        taken = [dict(zip(("source", "target", "kind"), words, strict=True)) for words, _ in self.derived()]
        return {
            "source": list(self.source),
            "translation": list(self.best.words),
            "score": self.best.score,
            "memory": None if self.memory is None else {"id": self.memory.id, "target": self.memory.target},
            "upstream": self.upstream,
            "learning": self.learning,
            "changes": [change.as_dict() for change in self.evidence],
            "options": [{"source": words, "options": list(map(_plain, offers))} for words, offers in self.spans()],
            "derivation": [
                step | {"contributions": account.contributions, "surcharge": account.surcharge, "total": account.total}
                for step, account in zip(taken, self.accounts, strict=True)
            ],
            "features": [dict(zip(WEIGHED[:3], part, strict=True)) for part in self.weighed()],
            "runners_up": [{"translation": list(other.words), "score": other.score} for other in self.rivals],
        }

    def _repr_html_(self) -> str:
        """The page as notebooks show it, in a frame, since it has a style of its own."""
        return f'<iframe srcdoc="{escape(self.html())}" width="100%" height="480" style="border: 0"></iframe>'

    def html(self) -> str:
        """The explanation as a self-contained page: a picture of the derivation, and the tables."""
        from dragoman.search.explain_html import page  # which imports this module

        return page(self)


def _plain(offer: Offer) -> dict[str, Any]:
    return {"target": " ".join(offer.step.words), "score": offer.score, "taken": offer.taken}


def _table(title: str, columns: tuple[str, ...], texts: int) -> RichTable:
    """A table whose first columns are text and the others numbers."""
    from rich.table import Table as RichTable

    table = RichTable(title=title)
    for number, name in enumerate(columns):
        table.add_column(name, justify="left" if number < texts else "right", overflow="fold")  # nothing is cut
    return table


def _shown(offer: Offer) -> Text:
    from rich.text import Text

    return Text(f"{' '.join(offer.step.words)} {offer.score:.1f}", "bold green" if offer.taken else "")


def explain(search: SearchResult, *, options: int = 5, rivals: int = 5) -> Explanation:
    """Explain the best translation, with up to `options` options of each span and `rivals` runners-up."""
    others = [other for other in search.nbest(rivals + 1, distinct=True) if other.words != search.best.words]
    offers, accounts = tuple(_offers(search, options)), tuple(_accounts(search))
    return Explanation(search.source, search.weights, search.best, offers, accounts, tuple(others[:rivals]))


def _offers(search: SearchResult, most: int) -> Iterator[Offer]:
    """The best options of each span, and those that were taken."""
    first = search.options.first
    taken = set(search.work.arcs["option"][search.best_arcs()].tolist())
    words = {search.step(option) for option in taken if option >= 0}  # a prefix may have the same option again
    for start in range(first.shape[0]):
        for length in range(1, first.shape[1]):
            begin, end = first[start, length - 1 : length + 1].tolist()
            for option in range(begin, end):
                step = search.step(option)
                if option < begin + most or step in words:
                    yield Offer(step, float(search.options.row[option]["estimate"]), step in words)


def _accounts(search: SearchResult) -> Iterator[Account]:
    arcs = search.best_arcs()
    weights = search.weights
    charges = search.arc_surcharges(arcs).tolist()
    for arc, row, charged in zip(arcs.tolist(), search.arc_features(arcs).tolist(), charges, strict=True):
        option = int(search.work.arcs[arc]["option"])
        step = search.step(option) if option >= 0 else None
        contributions = {name: weights[name] * value for name, value in zip(weights, row, strict=True)}
        yield Account(step, contributions, SURCHARGE * charged if charged else 0.0)
