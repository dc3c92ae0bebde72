"""Settings that are found: chosen by significance on the older part, and written into a new project."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from dragoman.adapt import Ridge
from dragoman.assess import tried_settings
from dragoman.assess.past_work import PastWork
from dragoman.assess.replay import ReplayedSegment, ReplayPlan, replay
from dragoman.assess.tried_settings import (
    THRESHOLD,
    Candidate,
    candidates,
    thresholds,
    try_settings,
    with_threshold,
)
from dragoman.cli import app
from dragoman.engine import Engine
from dragoman.errors import BadInputError
from tests.assess.support import recorded, shipped

pytestmark = pytest.mark.kernels
SIZE = 120


def outcomes(plan: ReplayPlan, wrong: int) -> list[ReplayedSegment]:
    """What a system of which every so many-th translation is wrong would say."""
    texts = [pair[1] if n % wrong else "no" for n, pair in enumerate(plan.pairs)]
    return [ReplayedSegment(n, text, 0.0, "", None, 1.0, []) for n, text in enumerate(texts)]


def plan() -> ReplayPlan:
    pairs = tuple((pair.source, pair.target) for pair in shipped(SIZE).pairs)
    return ReplayPlan("dragoman alone", ("en", "es"), pairs)


@pytest.fixture
def replayed(monkeypatch: pytest.MonkeyPatch) -> dict[str, int]:
    """How good settings are by their names, in place of a replay: every so many-th translation is wrong."""
    quality = {"older": 3, "newer": 3}

    def pretend(plans: list[ReplayPlan], *_: Any, **__: Any) -> list[list[ReplayedSegment]]:
        whole = [len(each.pairs) == SIZE for each in plans]
        return [outcomes(each, quality["newer" if all_ else "older"]) for each, all_ in zip(plans, whole, strict=True)]

    monkeypatch.setattr(tried_settings, "replay_all", pretend)
    return quality


def test_without_a_significant_gain_the_defaults_stay(tmp_path: Path, replayed: dict[str, int]) -> None:
    found = try_settings(shipped(SIZE), plan(), outcomes(plan(), replayed["older"]), tmp_path)
    assert found is not None
    assert found["settings"] == {}
    assert found["newer"] is None
    assert "none was significantly better" in found["sentence"]


def test_a_significant_gain_is_chosen_if_it_holds_on_the_newer_part(tmp_path: Path, replayed: dict[str, int]) -> None:
    replayed |= {"older": 50, "newer": 50}
    found = try_settings(shipped(SIZE), plan(), outcomes(plan(), 3), tmp_path)
    assert found is not None
    assert set(found["settings"]) == {"adapter"}
    assert [each["chosen"] for each in found["tried"] if each["name"] == "adapter"] == [True, False]
    assert found["newer"]["score"] > 0


def test_a_gain_that_does_not_hold_on_the_newer_part_is_not_kept(tmp_path: Path, replayed: dict[str, int]) -> None:
    replayed |= {"older": 50, "newer": 2}
    found = try_settings(shipped(SIZE), plan(), outcomes(plan(), 3), tmp_path)
    assert found is not None
    assert found["settings"] == {}
    assert "The defaults stay" in found["sentence"]


def test_too_little_text_has_no_settings_to_find(tmp_path: Path) -> None:
    small = shipped(20)
    pairs = tuple((pair.source, pair.target) for pair in small.pairs)
    assert try_settings(small, ReplayPlan("", ("en", "es"), pairs), [], tmp_path) is None


def test_every_candidate_is_a_setting_that_a_project_takes(tmp_path: Path) -> None:
    with Engine.create(tmp_path / "p", source="en", target="es") as engine:
        for each in [*candidates(over=True, base=True), *thresholds()]:
            engine.change_settings(each.settings)
    assert {each.name for each in candidates(over=False, base=False)} == {"adapter"}


def test_outcomes_with_a_memory_threshold_are_those_of_a_project_that_is_set_to_it(tmp_path: Path) -> None:
    default = plan()
    least = 72.0
    known = replay(default, tmp_path / "default")
    found = replay(replace(default, settings={THRESHOLD: least}), tmp_path / "threshold")
    texts = [each.text.strip() for each in found]
    assert texts == [each.text.strip() for each in with_threshold(known, least)]
    assert texts != [each.text.strip() for each in known]


def test_a_memory_threshold_is_chosen_if_it_saves_words(tmp_path: Path, replayed: dict[str, int]) -> None:
    replayed["older"] = 3
    known = [
        each._replace(similarity=92.0, match=pair[1])
        for each, pair in zip(outcomes(plan(), 3), plan().pairs, strict=True)
    ]
    found = try_settings(shipped(SIZE), plan(), known, tmp_path)
    assert found is not None
    assert found["settings"] == {THRESHOLD: 90.0}
    assert found["newer"]["score"] > 0


@pytest.fixture
def asked(monkeypatch: pytest.MonkeyPatch) -> list[ReplayPlan]:
    """What is to be replayed, instead of replaying it."""
    plans: list[ReplayPlan] = []

    def pretend(some: list[ReplayPlan], *_: Any, **__: Any) -> list[list[ReplayedSegment]]:
        plans.extend(some)
        return [[each for each in outcomes(one, 3) if each.number in one.wanted] for one in some]

    monkeypatch.setattr(tried_settings, "replay_all", pretend)
    return plans


def test_of_a_large_text_that_was_sampled_the_beginning_is_tried(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, asked: list[ReplayPlan]
) -> None:
    monkeypatch.setattr(tried_settings, "BEGINNING", 100)
    sparse = replace(plan(), sampled=tuple(range(0, SIZE, 10)))
    found = try_settings(shipped(SIZE), sparse, [], tmp_path)
    assert found is not None
    assert "(50 segments)" in found["sentence"]
    assert [(len(each.pairs), len(each.wanted)) for each in asked] == [(100, 100), (50, 50), (50, 50)]


def test_an_engine_that_was_only_asked_for_the_sample_is_not_asked_for_more(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, asked: list[ReplayPlan]
) -> None:
    monkeypatch.setattr(tried_settings, "LEAST", 10)
    sampled = tuple(range(0, SIZE, 4))
    sparse = replace(plan(), sampled=sampled, answers=tuple("si" if n in sampled else None for n in range(SIZE)))
    assert try_settings(shipped(SIZE), sparse, [], tmp_path) is not None
    assert all(each.answers[n] is not None for each in asked for n in each.wanted)


def test_a_project_is_created_with_exactly_the_engine_and_settings_that_were_found(
    tmp_path: Path, replayed: dict[str, int], monkeypatch: pytest.MonkeyPatch
) -> None:
    work = shipped(24)
    (tmp_path / "memory.tsv").write_text("".join(f"{p.source}\t{p.target}\n" for p in work.pairs), encoding="utf-8")
    wanted: dict[str, Any] = {"share": 0.7, "trust": {"count": 0.2}, "adapter": Ridge(nbest=100).settings()}
    monkeypatch.setattr(tried_settings, "LEAST", 2)
    tried = [Candidate(name, "", {name: value}) for name, value in wanted.items()]
    monkeypatch.setattr(tried_settings, "candidates", lambda **_: tried)
    monkeypatch.setattr(tried_settings, "with_threshold", lambda outcomes, least: perfect(work, outcomes, least))
    replayed |= {"older": 50, "newer": 50}
    engine = recorded(work, tmp_path / "answers.tsv")
    arguments = ["assess", "memory.tsv", "--source", "en", "--target", "es", "--upstream", engine, "--typed", "0"]
    monkeypatch.chdir(tmp_path)
    done = CliRunner().invoke(app, [*arguments, "--jobs", "1", "--create", "new"])
    assert done.exit_code == 0, done.output
    with (
        Engine.open(tmp_path / "new") as opened,
        Engine.create(tmp_path / "plain", source="en", target="es") as plain,
    ):
        changed = {name: value for name, value in opened.settings.items() if value != plain.settings[name]}
        plain.change_settings(wanted | {"upstream": engine, THRESHOLD: 80.0})
        assert opened.settings == plain.settings
    assert set(changed) == {"share", "trust", "adapter", "upstream", THRESHOLD}
    again = CliRunner().invoke(app, [*arguments, "--create", "new"])
    assert isinstance(again.exception, BadInputError)


def perfect(work: PastWork, outcomes: list[ReplayedSegment], least: float) -> list[ReplayedSegment]:
    """As if the memory were right from 80 % similarity on."""
    return [each._replace(text=work.pairs[each.number].target) for each in outcomes] if least == 80 else outcomes
