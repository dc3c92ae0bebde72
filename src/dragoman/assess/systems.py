"""The systems that an assessment compares, and how much each leaves to correct.

| system | what the person starts from |
|---|---|
| memory alone | the target of the most similar source so far, if it is similar enough; else nothing |
| engine alone | the other engine's answer |
| memory plus engine | the memory where it has the very same source, else the other engine |
| similar matches plus engine | the memory where it has a similar source, else the other engine |
| dragoman alone | dragoman, from nothing, with its memory |
| dragoman over the engine | dragoman, from the other engine's answer and what it has learned |

From which similarity on the memory comes before the engine is chosen in hindsight, so that it leaves the least to
correct: what people have without dragoman is to look as good as it can.

Scores are those of `dragoman.measure`. *Words to correct* are the edits of WER; *editing* is key strokes and mouse
actions in an editor for each hundred characters (`dragoman.assess.edit_effort`), *typing* the same with completions, as
`dragoman lab simulate` counts it (KSMR).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dragoman.assess.edit_effort import edit_strokes
from dragoman.assess.replay import ReplayedSegment
from dragoman.assess.system_names import ALONE, BOTH, ENGINE, MEMORY, OVER, SIMILAR, SYSTEMS
from dragoman.languages import primary
from dragoman.measure import Bleu, Chrf, ImmediateRecall, Measure, Ter, Wer, bootstrap, interval
from dragoman.measure.immediate import COLUMNS as RECALLS
from dragoman.measure.immediate import Wanted, recall_counts
from dragoman.measure.significance import Interval
from dragoman.project.memory import LEAST_SIMILARITY
from dragoman.text.tokens import split

WORDS, EDITING, TYPING = "words to correct", "editing", "typing"
UNSPACED = ("zh", "ja", "th", "lo", "km", "my", "bo")  # languages that do not write spaces between words
SAME = 100.0  # percent similarity of the same source
LEVELS = (95.0, 90.0, 85.0, 80.0, 75.0, LEAST_SIMILARITY)  # from which similar matches may come before an engine

Counts = NDArray[np.int64]


def measures(target: str) -> dict[str, Measure]:
    """The measures by name, for a target language; KSMR and editing are rates of edits, as WER is."""
    bleu = Bleu("none") if primary(target) in UNSPACED else Bleu()
    found = {"BLEU": bleu, "chrF": Chrf(), "TER": Ter(), WORDS: Wer(), EDITING: Wer(), TYPING: Wer()}
    return found | {kind: ImmediateRecall(kind) for kind in RECALLS}


@dataclass(frozen=True)
class System:
    """What one system suggests for each sampled segment, and the counts of each measure."""

    name: str
    texts: list[str]
    counts: dict[str, Counts]  # [segments, k]; typing has the typed segments only
    measures: Mapping[str, Measure]

    def score(self, measure: str) -> Interval:
        """The score with its 95 % interval."""
        return interval(self.measures[measure], self.counts[measure])

    def gain_over(self, other: System, measure: str) -> Interval:
        """How much better this system is than another, whether or not higher is better, with its interval."""
        found = bootstrap(self.measures[measure], other.counts[measure], self.counts[measure]).difference
        if self.measures[measure].higher_is_better:
            return found
        return Interval(-found.score, -found.high, -found.low)

    def as_json(self) -> dict[str, Any]:
        """All scores with their intervals."""
        return {name: as_json(self.score(name)) for name in self.counts}


def as_json(found: Interval) -> dict[str, float]:
    """An interval, rounded: the digits after these mean nothing; adding 0.0 makes nothing of minus nothing."""
    numbers = {"score": found.score, "low": found.low, "high": found.high}
    return {name: round(number, 3) + 0.0 for name, number in numbers.items()}


def suggestions(
    alone: Sequence[ReplayedSegment],
    over: Sequence[ReplayedSegment] | None,
    answers: Sequence[str | None],
    references: Sequence[str],
) -> dict[str, list[str]]:
    """What each system suggests for the sampled segments; `answers` are by segment, empty without another engine."""
    found = {
        MEMORY: [each.match if each.similarity >= LEAST_SIMILARITY else "" for each in alone],
        ALONE: [each.text for each in alone],
    }
    if over is not None:
        texts = [answers[each.number] or "" for each in alone]
        found[ENGINE] = texts
        found[BOTH] = _matched(alone, texts, SAME)
        levels = (_matched(alone, texts, level) for level in LEVELS)
        found[SIMILAR] = min(levels, key=lambda texts: _edits(texts, references))
        found[OVER] = [each.text for each in over]
    return {name: found[name] for name in SYSTEMS if name in found}


def _matched(alone: Sequence[ReplayedSegment], texts: Sequence[str], least: float) -> list[str]:
    """The memory's target where it has a source that is similar enough, else the engine's answer."""
    return [one.match if one.similarity >= least else text for one, text in zip(alone, texts, strict=True)]


def _edits(texts: Sequence[str], references: Sequence[str]) -> int:
    return int(Wer().statistics(texts, references)[:, 0].sum())


def scored(
    name: str,
    texts: list[str],
    references: Sequence[str],
    target: str,
    typing: Sequence[Sequence[int] | None] = (),
    wanted: Sequence[Wanted] | None = None,
) -> System:
    """A system with the counts of all measures; `typing` has the strokes of the segments that were typed.

    `wanted` has the words that are new in each reference, or seen once, for the recall of those.
    """
    known = measures(target)
    shown, right = (_spaced(each, target) for each in (texts, references))
    plain = {"chrF": (texts, references)}
    counts = {each: known[each].statistics(*plain.get(each, (shown, right))) for each in ("BLEU", "chrF", "TER", WORDS)}
    strokes = [sum(edit_strokes(*pair)) for pair in zip(texts, references, strict=True)]
    counts[EDITING] = np.array([*zip(strokes, map(len, references), strict=True)], np.int64)
    typed = [(keys[0] + keys[1], len(text)) for keys, text in zip(typing, references, strict=False) if keys]
    if typed:
        counts[TYPING] = np.array(typed, np.int64)
    if wanted is not None:
        counts |= dict.fromkeys(RECALLS, recall_counts(texts, wanted))
    return System(name, list(texts), counts, known)


def _spaced(texts: Sequence[str], language: str) -> list[str]:
    """Texts with spaces between their words, also in languages that are written without."""
    if primary(language) not in UNSPACED:
        return list(texts)
    return [" ".join(split(text).words) for text in texts]
