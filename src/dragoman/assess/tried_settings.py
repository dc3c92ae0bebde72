"""Settings found, not guessed: each candidate is tried on the older part of the past work, and checked on the newer.

A setting is chosen only if it is significantly better than the default on the older part, and kept only if it is also
better on the newer part, which had no say in the choice.

The memory needs no replay: from the same outcomes it is known what taking a similar correction instead would have cost.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from dragoman.adapt import PassiveAggressive, Ridge
from dragoman.assess.past_work import PastWork
from dragoman.assess.replay import Outcome, Plan, replay_all
from dragoman.assess.systems import WORDS, System, as_json, scored
from dragoman.measure.significance import Interval
from dragoman.progress import Progress

OLDER = 600  # segments at most
LEAST = 40  # segments of the older part, without which trying makes no sense
MATCHES = (95.0, 90.0, 80.0)  # percent similarity from which the memory might come first
NBEST = 100  # entries that adapters learn from


@dataclass(frozen=True)
class Candidate:
    """A setting to try."""

    name: str
    value: str  # for people
    settings: dict[str, Any]


def candidates(*, over: bool, base: bool) -> Iterator[Candidate]:
    """What is tried: adapters; with a base, its share; over another engine, how far that is trusted."""
    yield Candidate("adapter", "ridge", {"adapter": Ridge(nbest=NBEST).settings()})
    yield Candidate("adapter", "passive-aggressive", {"adapter": PassiveAggressive(nbest=NBEST).settings()})
    if base:
        for share in (0.3, 0.7, 0.9):
            yield Candidate("share", f"{share:g}", {"share": share})
    if over:
        for changed in ({"count": 0.02}, {"count": 0.2}, {"share": 0.0}, {"share": 0.1}):
            name, value = next(iter(changed.items()))
            yield Candidate("trust", f"{name} {value:g}", {"trust": changed})


def try_settings(
    work: PastWork,
    plan: Plan,
    outcomes: Sequence[Outcome],
    directory: Path,
    *,
    jobs: int | None = None,
    cluster: str | None = None,
    progress: Progress | None = None,
) -> dict[str, Any] | None:
    """Try settings for the system of a plan whose outcomes are known; None if there is too little text."""
    size = min(len(work.pairs) // 2, OLDER)
    sampled = tuple(n for n in sorted(plan.wanted) if n < size)
    if len(sampled) < LEAST:
        return None
    tried = list(candidates(over=bool(plan.said), base=plan.base is not None))
    older = replace(plan, pairs=plan.pairs[:size], said=plan.said[:size], sampled=sampled, typed=())
    plans = [replace(older, settings=plan.settings | each.settings) for each in tried]
    running = {"jobs": jobs, "cluster": cluster, "progress": progress}
    found = replay_all(plans, directory, **running)  # type: ignore[arg-type]  # the options of this function
    default = _scored(work, [each for each in outcomes if each.number < size])
    gains = [_scored(work, each).gain_over(default, WORDS) for each in found]
    chosen = _choose(tried, gains)
    rows = [_row(each, gain, each in chosen) for each, gain in zip(tried, gains, strict=True)]
    rows += _memory(work, [each for each in outcomes if each.number < size], default)
    settings = {name: value for each in chosen for name, value in each.settings.items()}
    newer = None
    if settings:
        whole = replay_all([replace(plan, settings=plan.settings | settings, typed=())], directory, **running)[0]  # type: ignore[arg-type]
        newer = _on_newer(work, whole, outcomes, size)
        settings = settings if newer.score > 0 else {}
    sentence = _sentence(tried, chosen, newer, size, len(work.pairs) - size)
    return {"tried": rows, "settings": settings, "newer": newer and as_json(newer), "sentence": sentence}


def _choose(tried: Sequence[Candidate], gains: Sequence[Interval]) -> list[Candidate]:
    """For each setting the value with the greatest gain, if it is significant."""
    best: dict[str, tuple[float, Candidate]] = {}
    for each, gain in zip(tried, gains, strict=True):
        if gain.low > 0 and gain.score > best.get(each.name, (0.0, each))[0]:
            best[each.name] = gain.score, each
    return [each for _, each in best.values()]


def _row(each: Candidate, gain: Interval, chosen: bool) -> dict[str, Any]:
    return {"name": each.name, "value": each.value, "words": as_json(gain), "chosen": chosen}


def _memory(work: PastWork, outcomes: Sequence[Outcome], default: System) -> Iterator[dict[str, Any]]:
    """What similar corrections would have saved, if they came before dragoman's own translation."""
    for least in MATCHES:
        texts = [each.match if each.similarity >= least else each.text for each in outcomes]
        found = _scored(work, [each._replace(text=text) for each, text in zip(outcomes, texts, strict=True)])
        similar = Candidate("memory first", f"from {least:g} % similarity", {})
        yield _row(similar, found.gain_over(default, WORDS), chosen=False)


def _on_newer(work: PastWork, found: Sequence[Outcome], default: Sequence[Outcome], size: int) -> Interval:
    systems = [_scored(work, [each for each in some if each.number >= size]) for some in (found, default)]
    return systems[0].gain_over(systems[1], WORDS)


def _scored(work: PastWork, outcomes: Sequence[Outcome]) -> System:
    references = [work.pairs[each.number].target for each in outcomes]
    return scored("", [each.text for each in outcomes], references, work.target)


def _sentence(
    tried: Sequence[Candidate], chosen: Sequence[Candidate], newer: Interval | None, older: int, rest: int
) -> str:
    begun = f"{len(tried)} settings were tried on the older part ({older:,} segments)"
    if newer is None:
        return f"{begun}; none was significantly better than the default, so the defaults stay."
    names = " and ".join(f"{each.name} = {each.value}" for each in chosen)
    result = f"{newer.score:+.2f} ± {newer.margin:.2f} words in a hundred on the newer part ({rest:,} segments)"
    if newer.score <= 0:
        return f"{begun}; {names} was better there, but brought {result}. The defaults stay."
    return f"{begun}; {names} was better there, and saves {result}, compared with the defaults."
