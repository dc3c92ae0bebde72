"""Settings found, not guessed: each candidate is tried on the older part of the past work, and checked on the newer.

A setting is chosen only if it is significantly better than the default on the older part, and kept only if it is also
better on the newer part, which had no say in the choice. If only a sample of the past work was translated, settings are
tried on its beginning.

The memory threshold needs no replay: what a correction of a similar text would have cost is known from the outcomes.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, NamedTuple

from dragoman.adapt import PassiveAggressive, Ridge
from dragoman.assess.page_parts import signed
from dragoman.assess.past_work import PastWork
from dragoman.assess.replay import ReplayedSegment, ReplayPlan
from dragoman.assess.replay_workers import replay_all
from dragoman.assess.systems import WORDS, System, as_json, scored
from dragoman.measure.significance import Interval
from dragoman.progress import Progress

OLDER = 600  # segments at most
LEAST = 40  # segments of the older part, without which trying makes no sense
BEGINNING = 2 * OLDER  # segments of a large text that are all translated, where the engine's answers are known
SPARSE = 3_000  # segments of a large text of which only the sampled ones have answers
THRESHOLDS = (95.0, 90.0, 80.0)  # percent similarity from which the memory might come first
NBEST = 100  # entries that adapters learn from
THRESHOLD = "memory_threshold"  # the setting


@dataclass(frozen=True)
class Candidate:
    """A setting to try."""

    name: str
    value: str  # for people
    settings: dict[str, Any]


class _Trial(NamedTuple):
    """A candidate, and the words it saves on the older part."""

    candidate: Candidate
    gain: Interval


def candidates(*, over: bool, base: bool) -> Iterator[Candidate]:
    """What is replayed: adapters; with a base, its share; over another engine, how far that is trusted."""
    yield Candidate("adapter", "ridge", {"adapter": Ridge(nbest=NBEST).settings()})
    yield Candidate("adapter", "passive-aggressive", {"adapter": PassiveAggressive(nbest=NBEST).settings()})
    if base:
        for share in (0.3, 0.7, 0.9):
            yield Candidate("share", f"{share:g}", {"share": share})
    if over:
        for changed in ({"count": 0.02}, {"count": 0.2}, {"share": 0.0}, {"share": 0.1}):
            name, value = next(iter(changed.items()))
            yield Candidate("trust", f"{name} {value:g}", {"trust": changed})


def thresholds() -> Iterator[Candidate]:
    """The memory thresholds, which need no replay."""
    for least in THRESHOLDS:
        yield Candidate("memory threshold", f"{least:g} %", {THRESHOLD: least})


def try_settings(
    work: PastWork,
    plan: ReplayPlan,
    outcomes: Sequence[ReplayedSegment],
    directory: Path,
    *,
    jobs: int | None = None,
    cluster: str | None = None,
    progress: Progress | None = None,
) -> dict[str, Any] | None:
    """Try settings for the system of a plan whose outcomes are known; None if there is too little text."""

    def replayed(*plans: ReplayPlan) -> list[list[ReplayedSegment]]:
        return replay_all(plans, directory, jobs=jobs, cluster=cluster, progress=progress, what="trying settings")

    whole = _beginning(plan)
    size = min(len(whole.pairs) // 2, OLDER) if whole is plan else len(whole.pairs) // 2
    sampled = tuple(n for n in sorted(whole.wanted) if n < size)
    if len(sampled) < LEAST:
        return None
    known = outcomes if whole is plan else replayed(whole)[0]
    trials = _tried(work, whole, known, size, replayed)
    chosen = _choose(trials)
    settings = {name: value for each in chosen for name, value in each.settings.items()}
    newer = None
    if settings:
        if settings.keys() == {THRESHOLD}:
            found = with_threshold(known, settings[THRESHOLD])
        else:
            (found,) = replayed(replace(whole, settings=plan.settings | settings, typed=()))
        newer = _on_newer(work, found, known, size)
        settings = settings if newer.score > 0 else {}
    rows = [_row(each, each.candidate in chosen) for each in trials]
    sentence = _sentence(trials, chosen, newer, size, len(whole.pairs) - size)
    return {"tried": rows, "settings": settings, "newer": newer and as_json(newer), "sentence": sentence}


def _beginning(plan: ReplayPlan) -> ReplayPlan:
    """The plan itself if all was translated; otherwise the beginning of the text."""
    if len(plan.wanted) == len(plan.pairs):
        return plan
    dense = tuple(range(min(BEGINNING, len(plan.pairs))))
    answered = not plan.answers or any(plan.answers[n] is not None for n in dense if n not in plan.wanted)
    size = len(dense) if answered else min(SPARSE, len(plan.pairs))
    sampled = dense if answered else tuple(n for n in sorted(plan.wanted) if n < size)
    return replace(plan, pairs=plan.pairs[:size], answers=plan.answers[:size], sampled=sampled, typed=())


def _tried(
    work: PastWork,
    whole: ReplayPlan,
    known: Sequence[ReplayedSegment],
    size: int,
    replayed: Callable[..., list[list[ReplayedSegment]]],
) -> list[_Trial]:
    """What each candidate saves on the older part."""
    before = [each for each in known if each.number < size]
    sampled = tuple(each.number for each in before)
    older = replace(whole, pairs=whole.pairs[:size], answers=whole.answers[:size], sampled=sampled, typed=())
    default = _scored(work, before)
    tried = list(candidates(over=bool(whole.answers), base=whole.base is not None))
    found = replayed(*(replace(older, settings=whole.settings | each.settings) for each in tried))
    trials = [
        _Trial(each, _scored(work, some).gain_over(default, WORDS)) for each, some in zip(tried, found, strict=True)
    ]
    for each in thresholds():
        similar = with_threshold(before, each.settings[THRESHOLD])
        trials.append(_Trial(each, _scored(work, similar).gain_over(default, WORDS)))
    return trials


def with_threshold(outcomes: Sequence[ReplayedSegment], least: float) -> list[ReplayedSegment]:
    """The outcomes as they would have been with this memory threshold."""
    return [
        each._replace(text=each.match) if each.is_usable and each.similarity >= least else each for each in outcomes
    ]


def _choose(trials: Sequence[_Trial]) -> list[Candidate]:
    """For each setting the value with the greatest gain, if it is significant."""
    best: dict[str, _Trial] = {}
    for each in trials:
        name = each.candidate.name
        if each.gain.low > 0 and (name not in best or each.gain.score > best[name].gain.score):
            best[name] = each
    return [each.candidate for each in best.values()]


def _row(trial: _Trial, chosen: bool) -> dict[str, Any]:
    each = trial.candidate
    return {"name": each.name, "value": each.value, "words": as_json(trial.gain), "chosen": chosen}


def _on_newer(
    work: PastWork, found: Sequence[ReplayedSegment], default: Sequence[ReplayedSegment], size: int
) -> Interval:
    systems = [_scored(work, [each for each in some if each.number >= size]) for some in (found, default)]
    return systems[0].gain_over(systems[1], WORDS)


def _scored(work: PastWork, outcomes: Sequence[ReplayedSegment]) -> System:
    references = [work.pairs[each.number].target for each in outcomes]
    return scored("", [each.text for each in outcomes], references, work.target)


def _sentence(
    trials: Sequence[_Trial], chosen: Sequence[Candidate], newer: Interval | None, older: int, rest: int
) -> str:
    begun = f"{len(trials)} settings were tried on the older part ({older:,} segments)"
    if newer is None:
        return f"{begun}; none was significantly better than the default, so the defaults stay."
    names = " and ".join(f"{each.name} = {each.value}" for each in chosen)
    saved = f"{signed(newer.score, 2)} ± {newer.margin:.2f} words in a hundred"
    result = f"{saved} on the newer part ({rest:,} segments)"
    was = "was" if len(chosen) == 1 else "were"
    if newer.score <= 0:
        return f"{begun}; {names} {was} better there, but brought {result}. The defaults stay."
    return f"{begun}; {names} {was} better there, and saved {result}, compared with the defaults."
