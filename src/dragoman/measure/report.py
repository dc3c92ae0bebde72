"""Measures of files, as the command line shows them: each figure with its interval and its signature."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from dragoman.errors import BadInputError
from dragoman.measure.bleu import Bleu, BleuParts
from dragoman.measure.chrf import Chrf
from dragoman.measure.measure import Counts, Measure
from dragoman.measure.repetition import Repetition, repetition
from dragoman.measure.significance import Comparison, Interval, bootstrap, interval, randomisation
from dragoman.measure.ter import Ter
from dragoman.measure.wer import Wer
from dragoman.models.knowledge import Knowledge
from dragoman.text.text_files import lines
from dragoman.text.tokens import Mode, split

NAMES = ("wer", "bleu", "ter", "chrf")


@dataclass(frozen=True)
class Report:
    """The score of a file of translations; with a baseline, also how the two compare."""

    signature: str
    sentences: int
    score: Interval
    parts: BleuParts | None = None  # of BLEU
    comparison: Comparison | None = None  # by paired bootstrap
    randomisation: float | None = None  # p-value of the difference by approximate randomisation

    def as_json(self) -> dict[str, Any]:
        """Everything known, for `json.dumps`."""
        return {name: value for name, value in asdict(self).items() if value is not None}

    def __str__(self) -> str:
        text = [f"{self.signature.split('|')[0]} {self.score}"]
        if self.parts:
            precisions = "/".join(f"{precision:.1f}" for precision in self.parts.precisions)
            text.append(f"precisions {precisions}, brevity penalty {self.parts.brevity_penalty:.3f}")
        if self.comparison:
            text.append(
                f"baseline {self.comparison.baseline}, difference {self.comparison.difference}, "
                f"p = {self.comparison.p_value:.3f} (bootstrap), {self.randomisation:.4f} (randomisation)"
            )
        return "\n".join([*text, f"{self.sentences} sentences, {self.signature}"])


def new_measure(name: str, tokenize: str = "13a") -> Measure:
    """A measure by its name; `tokenize` is for BLEU."""
    if name == "bleu":
        return Bleu(tokenize)
    measures: dict[str, type[Measure]] = {"wer": Wer, "ter": Ter, "chrf": Chrf}
    if name not in measures:
        raise BadInputError(f"there is no measure {name!r}", remedy=f"choose one of {', '.join(NAMES)}")
    return measures[name]()


def measure_files(
    measure: Measure, hypotheses: Path, references: Path, baseline: Path | None = None, *, seed: int = 1
) -> Report:
    """Compare a file of translations, and perhaps another system's, with a file of references, line by line."""
    statistics = _statistics(measure, hypotheses, references)
    parts = measure.parts(statistics.sum(0)) if isinstance(measure, Bleu) else None
    if baseline is None:
        return Report(measure.signature, len(statistics), interval(measure, statistics, seed=seed), parts)
    before = _statistics(measure, baseline, references)
    comparison = bootstrap(measure, before, statistics, seed=seed)
    by_chance = randomisation(measure, before, statistics, seed=seed)
    return Report(measure.signature, len(statistics), comparison.system, parts, comparison, by_chance)


def repetition_of_files(text: Path, training: Path | None = None, mode: Mode = "text") -> Repetition:
    """Repetition in a text, split into the engine's tokens, or at spaces in mode "words"."""
    known = None if training is None else (split(line, mode).words for line in lines(training))
    return repetition((split(line, mode).words for line in lines(text)), known)


def repetition_in_project(text: Path, knowledge: Knowledge) -> Repetition:
    """Repetition in a target-language text against everything a project knows: its base and its corrections."""
    side = knowledge.target
    return repetition((side.model_words(side.read(line)) for line in lines(text)), knowledge.models.language)


def _statistics(measure: Measure, hypotheses: Path, references: Path) -> Counts:
    translations, right = list(lines(hypotheses)), list(lines(references))
    if len(translations) != len(right):
        raise BadInputError(
            f"{hypotheses} has {len(translations)} lines, {references} has {len(right)}",
            remedy="use files with the same number of lines",
        )
    if not right:
        raise BadInputError("the file is empty", where=references, remedy="write one sentence per line")
    return measure.statistics(translations, right)
