"""Verdicts: what is significantly better is recommended, what is worse by any measure never is."""

from __future__ import annotations

import numpy as np
import pytest

from dragoman.assess.gains import find_gains
from dragoman.assess.replay import ReplayedSegment
from dragoman.assess.system_names import ALONE, BOTH, ENGINE, MEMORY, OVER, SIMILAR
from dragoman.assess.systems import EDITING, WORDS, System, measures, scored, suggestions
from dragoman.assess.verdict import BETTER, LITTLE, NO, UNCLEAR, WORTH, judge

SEGMENTS, WORDS_EACH = 400, 20


def system(name: str, wrong: float, seed: int, spread: float = 2.0) -> System:
    """A system with so many wrong words in a segment, on average."""
    random = np.random.default_rng(seed)
    edits = np.clip(random.normal(wrong, spread, SEGMENTS), 0, WORDS_EACH).round().astype(np.int64)
    rate = np.column_stack([edits, np.full(SEGMENTS, WORDS_EACH)])
    right = WORDS_EACH - edits
    bleu = np.column_stack([np.full(SEGMENTS, WORDS_EACH)] * 2 + [right - n for n in range(4)] + [rate[:, 1]] * 4)
    chrf = np.column_stack([np.full(SEGMENTS, 100), np.full(SEGMENTS, 100), 5 * right] * 6)
    counts = {"BLEU": np.maximum(bleu, 0), "chrF": chrf, "TER": rate, WORDS: rate, EDITING: 5 * rate}
    return System(name, [], counts, measures("es"))


def systems(engine: float, over: float, *, spread: float = 2.0) -> dict[str, System]:
    found = [system(MEMORY, 19, 1), system(ENGINE, engine, 2, spread), system(BOTH, engine, 2, spread)]
    found += [system(ALONE, 15, 3), system(OVER, over, 4, spread)]
    return {each.name: each for each in found}


@pytest.mark.parametrize(
    ("engine", "over", "spread", "kind"),
    [(8, 6, 2.0, WORTH), (8, 7.88, 0.5, LITTLE), (6, 8, 2.0, NO), (8, 8, 0.05, NO), (8, 7.8, 6.0, UNCLEAR)],
)
def test_significance_decides(engine: float, over: float, spread: float, kind: str) -> None:
    assert judge(systems(engine, over, spread=spread), "", SEGMENTS * WORDS_EACH).kind == kind


def test_a_few_segments_are_too_few_to_tell() -> None:
    few = {
        name: System(name, [], {measure: counts[:20] for measure, counts in each.counts.items()}, each.measures)
        for name, each in systems(8, 6).items()
    }
    verdict = judge(few, "", 20 * WORDS_EACH)
    assert verdict.kind == UNCLEAR
    assert verdict.reason.startswith("20 segments are too few")


def test_what_is_worse_by_another_measure_is_not_recommended() -> None:
    found = systems(8, 6)
    worse = found[OVER].counts | {"chrF": system("", 14, 5).counts["chrF"]}
    found[OVER] = System(OVER, [], worse, measures("es"))
    verdict = judge(found, "", SEGMENTS * WORDS_EACH)
    assert verdict.kind == UNCLEAR
    assert "chrF became significantly worse" in verdict.reason


def test_of_two_ways_one_that_can_be_recommended_is() -> None:
    found = systems(12, 8)
    fewest = system(ALONE, 6, 3).counts | {"chrF": system("", 14, 5).counts["chrF"]}
    found[ALONE] = System(ALONE, [], fewest, measures("es"))
    verdict = judge(found, "", SEGMENTS * WORDS_EACH)
    assert (verdict.kind, verdict.system) == (WORTH, OVER)


def test_without_an_engine_the_memory_is_the_rival() -> None:
    found = {name: each for name, each in systems(8, 6).items() if name in (MEMORY, ALONE)}
    verdict = judge(found, "", SEGMENTS * WORDS_EACH)
    assert (verdict.rival, verdict.system) == (MEMORY, ALONE)


@pytest.mark.parametrize(
    ("wrong", "begins"), [(15, "Better than a memory, but poor: "), (10, "Better than a memory: ")]
)
def test_without_an_engine_nothing_is_worth_it(wrong: float, begins: str) -> None:
    found = {MEMORY: system(MEMORY, 19, 1), ALONE: system(ALONE, wrong, 3)}
    verdict = judge(found, "The gain comes from terms.", SEGMENTS * WORDS_EACH)
    assert verdict.kind == BETTER
    assert verdict.gains
    assert not verdict.recommends
    assert verdict.sentence.startswith(begins)
    assert "orth it" not in verdict.sentence
    assert "compare with an engine, by --upstream" in verdict.reason


def test_without_an_engine_what_is_no_better_than_the_memory_is_not_worth_it() -> None:
    found = {MEMORY: system(MEMORY, 15, 1), ALONE: system(ALONE, 19, 3)}
    assert judge(found, "", SEGMENTS * WORDS_EACH).kind == NO


def test_savings_are_those_of_a_day() -> None:
    found = systems(8, 6)
    saved = judge(found, "", SEGMENTS * WORDS_EACH, words_a_day=SEGMENTS * WORDS_EACH).saved
    edits = (found[ENGINE].counts[WORDS] - found[OVER].counts[WORDS])[:, 0].sum()
    assert saved == {"words": edits, "strokes": 5 * edits}


def test_gains_are_counted_by_the_kind_of_word() -> None:
    sources = ["Open {name}.", "Clean the filter.", "Clean the filter."]
    before = ["Abra el nombre.", "Limpie la coladera.", "Limpie la coladera."]
    after = ["Abra {name}.", "Limpie el filtro.", "Limpie el filtro."]
    found = find_gains(sources, before, after, after, [False, False, True])
    assert found["kinds"]["markup"] == {"gained": 1, "lost": 0}
    assert found["kinds"]["repeated sentences"] == {"gained": 2, "lost": 0}
    assert found["changed"] == {"better": 3, "worse": 0, "as good": 0}
    assert {each["source"] for each in found["best"]} == {"Open {name}.", "Clean the filter."}


def test_similar_matches_come_before_the_engine_from_the_similarity_that_is_best_for_them() -> None:
    alone = [
        ReplayedSegment(0, "", 96.0, "uno dos", None, 0.0, []),
        ReplayedSegment(1, "", 81.0, "tres cuatro", None, 0.0, []),
        ReplayedSegment(2, "", 71.0, "mal mal", None, 0.0, []),
    ]
    heard = ["mal dos", "mal mal", "cinco seis"]
    found = suggestions(alone, alone, heard, ["uno dos", "tres cuatro", "cinco seis"])
    assert found[BOTH] == heard
    assert found[SIMILAR] == ["uno dos", "tres cuatro", "cinco seis"]


def test_the_rival_is_the_best_of_what_people_have_without_dragoman() -> None:
    found = systems(8, 6)
    found[SIMILAR] = system(SIMILAR, 7, 6)
    assert judge(found, "", SEGMENTS * WORDS_EACH).rival == SIMILAR


def test_languages_without_spaces_are_counted_by_their_tokens() -> None:
    found = scored("engine", ["打开文件"], ["打开文档"], "zh")
    assert found.counts[WORDS][0, 1] > 1


@pytest.mark.parametrize("seed", range(12))
def test_nothing_is_recommended_that_is_significantly_worse_than_what_people_have(seed: int) -> None:
    random = np.random.default_rng(seed)
    found = systems(*random.uniform(4, 9, 2), spread=random.uniform(0.1, 6))
    found[SIMILAR] = system(SIMILAR, random.uniform(4, 9), seed + 100)
    for name in (OVER, ALONE):  # measures that do not agree with the words to correct
        odd = system(name, random.uniform(3, 12), seed + 200).counts
        chosen = {each: odd[each] for each in ("BLEU", "chrF", "TER", EDITING) if random.random() < 0.2}
        found[name] = System(name, [], found[name].counts | chosen, found[name].measures)
    verdict = judge(found, "", SEGMENTS * WORDS_EACH)
    if verdict.recommends:
        ours = found[verdict.system]
        for rival in (ENGINE, BOTH, SIMILAR):
            gains = {name: ours.gain_over(found[rival], name) for name in ("BLEU", "chrF", "TER", EDITING, WORDS)}
            assert all(gain.high >= 0 for gain in gains.values()), rival
            assert gains[WORDS].low > 0 or rival != verdict.rival


def test_more_strokes_are_worse_too() -> None:
    found = systems(8, 6)
    found[OVER] = System(OVER, [], found[OVER].counts | {EDITING: system("", 14, 5).counts[EDITING]}, measures("es"))
    verdict = judge(found, "", SEGMENTS * WORDS_EACH)
    assert verdict.kind == UNCLEAR
    assert "The number of strokes became significantly worse" in verdict.reason
