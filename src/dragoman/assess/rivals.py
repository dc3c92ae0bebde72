"""Other ways to learn from corrections, to compare with: `dragoman assess --rivals`.

| system | what the person starts from |
|---|---|
| exact memory alone | the newest translation of the same source; else nothing |
| replacement learner | the engine's words with the replacements of a crude learner (`replacement_learner`) |
| engine trusted as a whole | dragoman over the engine with one level of trust, instead of evidence for each change |
| weights by … | dragoman over the engine, its weights adapted as well, by each of the papers' methods ([M] §4) |

The memory with the engine is among the systems of every assessment.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from dragoman.adapt import Bayes, PassiveAggressive, Perceptron, Ridge
from dragoman.assess.past_work import PastWork
from dragoman.assess.replacement_learner import ReplacementLearner
from dragoman.assess.replay import SETTLING, ReplayedSegment
from dragoman.assess.system_names import ADAPTED, EXACT, LEVELS, REPLACED

NBEST = 100  # entries of the lists that weights adapt to
ADAPTERS = (
    PassiveAggressive(nbest=NBEST),
    Perceptron(alpha=0.001, nbest=NBEST),
    Ridge(nbest=NBEST),
    Bayes(nbest=NBEST),
)
# Rivals that are dragoman with other settings, so that they take a replay each
SETTINGS: dict[str, dict[str, Any]] = {LEVELS: {"weigh_changes": False}} | {
    name: {"adapter": adapter.settings()} for name, adapter in zip(ADAPTED, ADAPTERS, strict=True)
}

Replays = Mapping[str, Sequence[ReplayedSegment]]  # by rival


def rival_texts(
    work: PastWork, alone: Sequence[ReplayedSegment], answers: Sequence[str | None], replayed: Replays
) -> dict[str, list[str]]:
    """What each rival suggests for the sampled segments; those with other SETTINGS were `replayed`."""
    return {
        EXACT: _remembered(work, [each.number for each in alone]),
        REPLACED: _replaced(work, [each.number for each in alone], answers),
    } | {name: [each.text for each in found] for name, found in replayed.items()}


def _remembered(work: PastWork, sampled: Sequence[int]) -> list[str]:
    wanted, known, found = frozenset(sampled), dict[str, str](), list[str]()
    for number, pair in enumerate(work.pairs):
        if number in wanted:
            found.append(known.get(pair.source.strip(), ""))
        known[pair.source.strip()] = pair.target
    return found


def _replaced(work: PastWork, sampled: Sequence[int], answers: Sequence[str | None]) -> list[str]:
    """It learns, as trust in the engine does, from the first segments and from the sampled ones."""
    wanted, learner, found = frozenset(sampled), ReplacementLearner(), list[str]()
    for number in sorted(wanted.union(range(min(SETTLING, len(work.pairs))))):
        source, target = work.pairs[number].source, work.pairs[number].target
        answer = answers[number]
        if number in wanted:
            found.append(learner.translate(source, answer) if answer else "")
        if answer:
            learner.learn(source, answer, target)
    return found
