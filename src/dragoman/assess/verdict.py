"""Is it worth it? One sentence, decided by significance: nothing is recommended that is worse by any measure.

The best of what people have without dragoman is the rival: the engine, or the memory before the engine, with the same
or with similar matches. Dragoman's ways, alone and over the engine, are held against it by words to correct. By the
other measures they must not be significantly worse than any of the ways that people have without it. Of those that can
be recommended, the one with the fewest words to correct is; if neither can, the verdict is about the one with the
fewest.

Without an engine the rival is the memory, which leaves nearly everything to be typed. To be better than that does not
mean to be worth it: an engine that people could have may be better still.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from dragoman.assess.system_names import ALONE, BOTH, ENGINE, MEMORY, OVER, SIMILAR
from dragoman.assess.systems import EDITING, WORDS, System, as_json
from dragoman.measure.significance import Interval

WORTH, LITTLE, NO, UNCLEAR = "worth it", "worth little", "not worth it", "unclear"
BETTER = "better than a memory"  # as much as can be said without an engine to compare with
WORTHWHILE = 1.0  # words in a hundred that must be saved to be worth the trouble
OTHERS = {"BLEU": "BLEU", "chrF": "chrF", "TER": "TER", EDITING: "the number of strokes"}  # none may be worse
ENOUGH = 50  # segments; the intervals of fewer are not to be relied on
POOR = 200 / 3  # words to correct in a hundred: those who leave more are quicker without
WORDS_A_DAY = 2_500  # source words that a professional translates in a day


TOO_FEW = "{} segments are too few to tell. Give at least a few hundred, in the order in which they were translated."
NO_ENGINE = (
    "Whether it is worth it depends on what else you could have: compare with an engine, by --upstream. "
    "dragoman over an engine usually leaves less to correct than dragoman alone."
)


@dataclass(frozen=True)
class Verdict:
    """Whether to use dragoman on such texts, and why."""

    kind: str  # one of the five above
    sentence: str
    reason: str
    rival: str
    system: str
    words: Interval  # saved in each hundred
    saved: dict[str, int]  # words and strokes a day

    @property
    def recommends(self) -> bool:
        """Whether it says to use dragoman."""
        return self.kind in (WORTH, LITTLE)

    @property
    def gains(self) -> bool:
        """Whether dragoman leaves less to correct than the rival."""
        return self.recommends or self.kind == BETTER

    def as_json(self) -> dict[str, Any]:
        """For a report."""
        return {
            "kind": self.kind,
            "sentence": self.sentence,
            "reason": self.reason,
            "rival": self.rival,
            "system": self.system,
            "words": as_json(self.words),
            "saved": self.saved,
        }


def judge(systems: Mapping[str, System], why: str, source_words: int, words_a_day: int = WORDS_A_DAY) -> Verdict:
    """The verdict; `why` says of the text, in a sentence, what there was to gain from."""
    names = (ENGINE, BOTH, SIMILAR) if ENGINE in systems else (MEMORY,)
    rival, rivals = _best(systems, names), [systems[name] for name in names if name in systems]
    system, words, worse = _way(systems, rival, rivals)
    segments = len(system.counts[WORDS])
    kind = _kind(words, worse) if segments >= ENOUGH else UNCLEAR
    if kind in (WORTH, LITTLE) and ENGINE not in systems:
        kind = BETTER
    reason = _reason(kind, words, worse, why) if segments >= ENOUGH else TOO_FEW.format(segments)
    saved = _saved(rival, system, source_words, words_a_day)
    sentence = _sentence(kind, rival, system, words, saved)
    return Verdict(kind, sentence, reason, rival.name, system.name, words, saved)


def _way(systems: Mapping[str, System], rival: System, rivals: Iterable[System]) -> tuple[System, Interval, list[str]]:
    """The way to use dragoman that the verdict is about: what it saves, and the measures by which it is worse."""
    ways = [
        (systems[name], systems[name].gain_over(rival, WORDS), worse_measures(systems[name], rivals))
        for name in (OVER, ALONE)
        if name in systems
    ]
    good = [each for each in ways if _kind(*each[1:]) in (WORTH, LITTLE)]
    return min(good or ways, key=lambda each: each[0].score(WORDS).score)


def worse_measures(system: System, rivals: Iterable[System]) -> list[str]:
    """The measures by which a system is significantly worse than one of its rivals, as people call them."""
    known = list(rivals)
    return [shown for name, shown in OTHERS.items() if any(system.gain_over(each, name).high < 0 for each in known)]


def _kind(words: Interval, worse: list[str]) -> str:
    if words.high < WORTHWHILE:
        return LITTLE if words.low > 0 and not worse else NO
    if words.low > 0 and not worse:
        return WORTH if words.score >= WORTHWHILE else LITTLE
    return UNCLEAR


def _best(systems: Mapping[str, System], names: tuple[str, ...]) -> System:
    """The system with the fewest words to correct; the first, if equal."""
    return min((systems[name] for name in names if name in systems), key=lambda each: each.score(WORDS).score)


def _saved(rival: System, system: System, source_words: int, words_a_day: int) -> dict[str, int]:
    """Words and strokes that a person saves in a day; fewer than none if there are more to correct."""
    days = source_words / words_a_day
    return {
        name: round(int((rival.counts[measure] - system.counts[measure])[:, 0].sum()) / max(days, 1e-9))
        for name, measure in (("words", WORDS), ("strokes", EDITING))
    }


def _sentence(kind: str, rival: System, system: System, words: Interval, saved: dict[str, int]) -> str:
    before, after = rival.score(WORDS).score, system.score(WORDS).score
    numbers = f"{after:.1f} of 100 words to correct; the best without it, {_the(rival.name)}, leaves {before:.1f}"
    day = f"{abs(saved['words']):,} words and {abs(saved['strokes']):,} key strokes and clicks a day"
    if kind == BETTER:
        lead = "Better than a memory" if after <= POOR else "Better than a memory, but poor"
        return f"{lead}: {system.name} leaves {numbers}. That is about {day} less to type."
    if kind in (WORTH, LITTLE):
        lead = "Worth it" if kind == WORTH else "Worth it, but only just"
        return f"{lead}: {system.name} leaves {numbers}. That saves about {day}."
    if kind == NO:
        return f"Not worth it: {system.name} leaves {numbers}."
    return f"Unclear: {system.name} leaves {numbers}. The difference is {abs(words.score):.1f} ± {words.margin:.1f}."


def _reason(kind: str, words: Interval, worse: list[str], why: str) -> str:
    if kind in (WORTH, LITTLE, BETTER):
        least = f"At 95 % confidence it saves between {words.low:.1f} and {words.high:.1f} words in a hundred."
        return f"{least} {why}{f' {NO_ENGINE}' if kind == BETTER else ''}"
    if words.high < 0:
        return f"It makes more work, by {-words.high:.1f} words in a hundred or more at 95 % confidence. {why}"
    disagree = f"{_capitalised(' and '.join(worse))} became significantly worse. " if worse else ""
    if kind == NO:
        most = abs(max(words.high, 0))  # no -0.0
        few = f"At best it saves {most:.1f} words in a hundred, fewer than the {WORTHWHILE:.0f} asked for."
        return f"{few} {disagree}{why}"
    if worse:
        return f"The measures disagree. {disagree}{why}"
    return f"The difference may be chance. Assess more text: it takes about four times as much to halve the ±. {why}"


def _capitalised(text: str) -> str:
    """A text as the beginning of a sentence; chrF keeps its spelling."""
    return text[:1].upper() + text[1:] if text.startswith("the ") else text


def _the(name: str) -> str:
    return name if name == SIMILAR else f"the {name}"
