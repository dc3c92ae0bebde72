"""The whole assessment: past work in, a report out, as values for JSON; everything but the times is the same each time.

1. Which segments are translated and scored is drawn evenly from all (`spread`); every segment is learned.
2. The other engines are asked, once: what they say is kept in the working directory.
3. The past work is replayed with and without each engine (`dragoman.assess.replay`).
4. Systems are scored and compared, and a verdict is found.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from dragoman import __version__
from dragoman.assess.charts import stretches
from dragoman.assess.gains import find_gains
from dragoman.assess.past_work import PastWork
from dragoman.assess.replay import ReplayedSegment, ReplayPlan
from dragoman.assess.replay_workers import replay_all
from dragoman.assess.system_names import ALONE, ENGINE, MEMORY, OVER
from dragoman.assess.systems import SAME, WORDS, System, as_json, scored, suggestions
from dragoman.assess.verdict import WORDS_A_DAY, Verdict, judge
from dragoman.errors import BadInputError
from dragoman.measure import improvement
from dragoman.measure.immediate import wanted_words
from dragoman.progress import Progress
from dragoman.project.consultant import LEARNS
from dragoman.store import Project
from dragoman.upstream import AnswerOrSilence, Upstream

SAMPLE = 2_000  # segments that are translated and scored
TYPED = 200  # of these, segments that the simulated user types
DOCUMENTS = 20  # that are listed
LEAST_SEGMENTS = 5  # of a document that is listed
ANSWERS = "answers"  # directory of the project that keeps what engines said


class EngineAnswers(NamedTuple):
    """An engine's answer for each segment, None where it says nothing or was not asked."""

    texts: tuple[str | None, ...]
    usable: tuple[str | None, ...]  # the same without what dragoman refuses to use


@dataclass(frozen=True)
class AssessmentOptions:
    """What the user may choose."""

    engines: tuple[str, ...] = ()
    sample: int = SAMPLE
    typed: int = TYPED
    words_a_day: int = WORDS_A_DAY
    base: str | None = None
    jobs: int | None = None


def assess(
    work: PastWork, directory: Path, options: AssessmentOptions, progress: Progress | None = None
) -> dict[str, Any]:
    """Replay past work in a directory, and report."""
    sampled = spread(range(len(work.pairs)), options.sample)
    answered = {name: ask(name, work, sampled, directory, progress) for name in options.engines}
    plans = make_plans(work, options, sampled, {name: each.usable for name, each in answered.items()})
    alone, *over = replayed = replay_all(plans, directory, jobs=options.jobs, progress=progress)
    parts = [
        _part(work, options, alone, found, name, answered[name].texts)
        for (name, found) in zip(options.engines, over, strict=True)
    ] or [_part(work, options, alone, None, None, ())]
    return {
        "version": __version__,
        "text": _about(work, sampled, alone),
        "options": {"words a day": options.words_a_day, "base": options.base},
        "parts": parts,
        "best engine": options.engines[_best(parts)] if over else None,
        "times": {plan.system: _times(found) for plan, found in zip(plans, replayed, strict=True)},
    }


def _best(parts: Sequence[dict[str, Any]]) -> int:
    """The engine over which dragoman leaves the least to correct."""
    return min(range(len(parts)), key=lambda n: parts[n]["systems"][OVER][WORDS]["score"])


def spread(numbers: Sequence[int], most: int) -> tuple[int, ...]:
    """At most so many of some numbers, at equal distances.

    >>> spread(range(10), 4), spread(range(3), 4)
    ((1, 3, 6, 8), (0, 1, 2))
    """
    if most >= len(numbers):
        return tuple(numbers)
    return tuple(numbers[int((n + 0.5) * len(numbers) / most)] for n in range(most))


def make_plans(
    work: PastWork, options: AssessmentOptions, sampled: tuple[int, ...], answers: Mapping[str, tuple[str | None, ...]]
) -> list[ReplayPlan]:
    """What is replayed: dragoman alone, and dragoman over each engine."""
    pairs = tuple((pair.source, pair.target) for pair in work.pairs)
    languages, typed = (work.source, work.target), spread(sampled, options.typed)
    common: dict[str, Any] = {"sampled": sampled, "typed": typed, "base": options.base}
    alone = ReplayPlan(ALONE, languages, pairs, **common)
    return [
        alone,
        *(
            ReplayPlan(f"over {name}", languages, pairs, engine=name, **common)
            if LEARNS in name
            else ReplayPlan(f"over {name}", languages, pairs, texts, **common)
            for name, texts in answers.items()
        ),
    ]


def ask(
    name: str, work: PastWork, sampled: Sequence[int], directory: Path, progress: Progress | None = None
) -> EngineAnswers:
    """An engine's answer for each segment; only the sampled ones are asked for, unless the answers are recorded.

    Answers are kept in the directory. An answer that dragoman would not use, since a placeholder is missing for
    instance, is still what a person would be given without dragoman.
    """
    wanted = range(len(work.pairs)) if name.startswith("recorded:") else sampled
    texts = list(dict.fromkeys(work.pairs[n].source for n in wanted))
    place = directory / ANSWERS
    with _kept_answers(place, work) as project:
        upstream = Upstream(name, project.answers, source=work.source, target=work.target)
        try:
            outcomes = upstream.outcomes(texts, progress=progress)
        finally:
            upstream.close()
    found = {text: _without_copy(text, outcome) for text, outcome in zip(texts, outcomes, strict=True)}
    if not any(each.answer or each.refused for each in found.values()):
        raise _silent(name, upstream.problem)
    asked = frozenset(wanted)
    by_segment = [found[pair.source] if n in asked else AnswerOrSilence(None) for n, pair in enumerate(work.pairs)]
    given = tuple(answer.text if (answer := each.answer or each.refused) else None for each in by_segment)
    return EngineAnswers(given, tuple(each.answer.text if each.answer else None for each in by_segment))


def _without_copy(text: str, outcome: AnswerOrSilence) -> AnswerOrSilence:
    """What an engine said, without a text that stays as it is because the engine cannot do it."""
    return outcome._replace(refused=None) if outcome.refused and outcome.refused.text == text else outcome


def _silent(name: str, problem: str | None) -> BadInputError:
    """Why an engine is of no use; what the engine's own error says, where and remedy included, is not said twice."""
    if problem is None:
        remedy = "check the name with `dragoman upstream test`, and that the engine is running"
        return BadInputError("the engine has no answer for any segment", where=name, remedy=remedy)
    return BadInputError(problem.removeprefix(f"{name}: "), where=name)


def _kept_answers(place: Path, work: PastWork) -> Project:
    """The project that keeps what engines say."""
    if place.exists():
        return Project.open(place, write=True)
    return Project.create(place, {}, source=work.source, target=work.target)


# ── One engine, or none ──────────────────────────────────────────────────────────────────────────────────────────────


def score_systems(
    work: PastWork,
    alone: Sequence[ReplayedSegment],
    over: Sequence[ReplayedSegment] | None,
    answers: Sequence[str | None],
) -> dict[str, System]:
    """All systems, scored on the sampled segments."""
    references = [work.pairs[each.number].target for each in alone]
    typing = {ALONE: [each.typing for each in alone], OVER: [each.typing for each in over or ()]}
    found = suggestions(alone, over, answers, references)
    words = wanted_words(pair.target for pair in work.pairs)  # all of them: what is new depends on what came before
    wanted = [words[each.number] for each in alone]
    return {
        name: scored(name, texts, references, work.target, typing.get(name, ()), wanted)
        for name, texts in found.items()
    }


def _changes(systems: Mapping[str, System], references: Sequence[str]) -> dict[str, dict[str, Any]] | None:
    """What each system has changed in the engine's words, and what that was worth."""
    if ENGINE not in systems:
        return None
    before = systems[ENGINE].texts
    others = (each for name, each in systems.items() if name not in (ENGINE, MEMORY, ALONE))
    return {each.name: improvement(before, each.texts, references).as_json() for each in others}


def _part(
    work: PastWork,
    options: AssessmentOptions,
    alone: Sequence[ReplayedSegment],
    over: Sequence[ReplayedSegment] | None,
    engine: str | None,
    answers: Sequence[str | None],
) -> dict[str, Any]:
    """The part of the report on one engine."""
    systems = score_systems(work, alone, over, answers)
    pairs = [work.pairs[each.number] for each in alone]
    source_words = sum(len(pair.source.split()) for pair in pairs)
    repeated = [each.similarity >= SAME for each in alone]
    first = judge(systems, "", source_words, options.words_a_day)
    before, after = systems[first.rival].texts, systems[first.system].texts
    gains = find_gains([pair.source for pair in pairs], before, after, [pair.target for pair in pairs], repeated)
    verdict = judge(systems, _why(first, gains, repeated), source_words, options.words_a_day)
    return {
        "engine": engine,
        "answered": sum(answers[each.number] is not None for each in alone) if engine else None,
        "systems": {name: each.as_json() for name, each in systems.items()},
        "gains over": _gains_over(systems),
        "changes": _changes(systems, [pair.target for pair in pairs]),
        "verdict": verdict.as_json(),
        "curve": _curve(alone, systems),
        "documents": _documents([pair.document for pair in pairs], systems),
        "sources of gains": gains,
    }


def _gains_over(systems: dict[str, System]) -> dict[str, dict[str, dict[str, float]]]:
    """By how much dragoman's best is better than each other system, for each measure that both have."""
    best = systems.get(OVER, systems[ALONE])
    others = [each for name, each in systems.items() if name != best.name]
    return {
        each.name: {name: as_json(best.gain_over(each, name)) for name in ("BLEU", "chrF", "TER", WORDS, "editing")}
        for each in others
    }


def _why(verdict: Verdict, gains: dict[str, Any], repeated: Sequence[bool]) -> str:
    """What there was to gain from, in a sentence."""
    again = 100 * sum(repeated) / len(repeated)
    gained = {kind: max(each["gained"] - each["lost"], 0) for kind, each in gains["kinds"].items()}
    total = sum(gained.values())
    share = f"{again:.0f} % of the segments repeat earlier ones"
    if not verdict.gains or not total:
        return f"There was little to learn from: {share}." if again < 10 else f"In this text {share}."
    parts = [f"{kind} ({100 * n / total:.0f} %)" for kind, n in Counter(gained).most_common() if 200 * n >= total]
    return f"The gain comes from {_listed(parts)}; {share}."


def _listed(parts: Sequence[str]) -> str:
    *some, last = parts
    return f"{', '.join(some)} and {last}" if some else last


def _curve(outcomes: Sequence[ReplayedSegment], systems: dict[str, System]) -> dict[str, Any]:
    """Words to correct in each hundred, for each system, in equal stretches of the text."""
    parts = stretches(len(outcomes))
    points = {name: [_rate(each, stretch) for stretch in parts] for name, each in systems.items()}
    return {"segments": [outcomes[each.stop - 1].number + 1 for each in parts], "systems": points}


def _rate(system: System, which: slice | Sequence[int]) -> float:
    return round(system.measures[WORDS].score(system.counts[WORDS][which].sum(0)), 2)


def _documents(documents: Sequence[str], systems: dict[str, System]) -> list[dict[str, Any]]:
    """Words to correct in each hundred for each of the largest documents, in the order of the text."""
    places: dict[str, list[int]] = {}
    for number, document in enumerate(documents):
        places.setdefault(document, []).append(number)
    large = [name for name, which in places.items() if len(which) >= LEAST_SEGMENTS]
    largest = frozenset(sorted(large, key=lambda name: -len(places[name]))[:DOCUMENTS])
    return [
        {"name": name, "segments": len(which), "systems": {each: _rate(systems[each], which) for each in systems}}
        for name, which in places.items()
        if name in largest
    ]


# ── The text ─────────────────────────────────────────────────────────────────────────────────────────────────────────


def _about(work: PastWork, sampled: Sequence[int], alone: Sequence[ReplayedSegment]) -> dict[str, Any]:
    sources = [pair.source for pair in work.pairs]
    return {
        "source": work.source,
        "target": work.target,
        "segments": len(work.pairs),
        "words": sum(len(text.split()) for text in sources),
        "documents": len({pair.document for pair in work.pairs}),
        "order": work.order,
        "left out": work.left_out,
        "sampled": len(sampled),
        "typed": sum(each.typing is not None for each in alone),
        "repeated": round(100 * sum(each.similarity >= SAME for each in alone) / len(alone), 2),
        "repetition": {name: round(value, 2) for name, value in asdict(work.repetition).items()},
        "digest": work.digest[:16],
    }


def _times(outcomes: Sequence[ReplayedSegment]) -> dict[str, float]:
    translating = [each.translating for each in outcomes]
    learning = [took for each in outcomes for took in each.learning] or [0.0]
    return {
        "translating, median": round(float(np.median(translating)), 1),
        "translating, 95 %": round(float(np.percentile(translating, 95)), 1),
        "learning, median": round(float(np.median(learning)), 1),
    }
