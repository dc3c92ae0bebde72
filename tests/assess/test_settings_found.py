"""Settings that are found: chosen by significance on the older part, and written into a new project."""

from __future__ import annotations

import sys
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any

import pytest
from typer.testing import CliRunner

from dragoman.assess import tried_settings
from dragoman.assess.assessment import Options, assess
from dragoman.assess.replay import Outcome, Plan
from dragoman.assess.tried_settings import Candidate, candidates, try_settings
from dragoman.cli import app
from dragoman.engine import Engine
from dragoman.errors import BadInputError
from tests.assess.support import recorded, shipped

pytestmark = pytest.mark.kernels
SIZE = 120


def outcomes(plan: Plan, wrong: int) -> list[Outcome]:
    """What a system of which every so many-th translation is wrong would say."""
    texts = [pair[1] if n % wrong else "no" for n, pair in enumerate(plan.pairs)]
    return [Outcome(n, text, 0.0, "", None, 1.0, []) for n, text in enumerate(texts)]


def plan() -> Plan:
    pairs = tuple((pair.source, pair.target) for pair in shipped(SIZE).pairs)
    return Plan("dragoman alone", ("en", "es"), pairs)


@pytest.fixture
def replayed(monkeypatch: pytest.MonkeyPatch) -> dict[str, int]:
    """How good settings are by their names, in place of a replay: every so many-th translation is wrong."""
    quality = {"older": 3, "newer": 3}

    def pretend(plans: list[Plan], *_: Any, **__: Any) -> list[list[Outcome]]:
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
    assert try_settings(small, Plan("", ("en", "es"), pairs), [], tmp_path) is None


def test_every_candidate_is_a_setting_that_a_project_takes(tmp_path: Path) -> None:
    with Engine.create(tmp_path / "p", source="en", target="es") as engine:
        for each in candidates(over=True, base=True):
            engine.change_settings(each.settings)
    assert {each.name for each in candidates(over=False, base=False)} == {"adapter"}


def test_a_project_is_created_with_engine_and_settings(
    tmp_path: Path, replayed: dict[str, int], monkeypatch: pytest.MonkeyPatch
) -> None:
    work = shipped(24)
    (tmp_path / "memory.tsv").write_text("".join(f"{p.source}\t{p.target}\n" for p in work.pairs), encoding="utf-8")
    monkeypatch.setattr(tried_settings, "LEAST", 2)
    monkeypatch.setattr(tried_settings, "candidates", lambda **_: [Candidate("share", "0.7", {"share": 0.7})])
    replayed |= {"older": 50, "newer": 50}
    engine = recorded(work, tmp_path / "answers.tsv")
    arguments = ["assess", "memory.tsv", "--source", "en", "--target", "es", "--upstream", engine, "--typed", "0"]
    monkeypatch.chdir(tmp_path)
    done = CliRunner().invoke(app, [*arguments, "--jobs", "1", "--create", "new"])
    assert done.exit_code == 0, done.output
    with Engine.open(tmp_path / "new") as opened:
        assert (opened.upstream, opened.share) == (engine, 0.7)
    again = CliRunner().invoke(app, [*arguments, "--create", "new"])
    assert isinstance(again.exception, BadInputError)


def test_a_second_opinion_is_asked_of_a_model_on_this_machine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    class Model:
        def predict(self, rows: list[dict[str, str]], **_: Any) -> SimpleNamespace:
            return SimpleNamespace(scores=[float(row["mt"] == row["ref"]) for row in rows])

    library = ModuleType("comet")
    library.load_from_checkpoint = lambda _: Model()  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "comet", library)
    (tmp_path / "model.ckpt").write_bytes(b"")
    found = assess(shipped(6), tmp_path / "out", Options(typed=0, jobs=1, comet=tmp_path / "model.ckpt"))
    for scores in found["parts"][0]["systems"].values():
        assert 0 <= scores["COMET"]["low"] <= scores["COMET"]["score"] <= scores["COMET"]["high"] <= 100


def test_a_missing_model_is_an_error_that_names_it(tmp_path: Path) -> None:
    with pytest.raises(BadInputError, match="no such COMET model"):
        assess(shipped(4), tmp_path / "out", Options(typed=0, jobs=1, comet=tmp_path / "none.ckpt"))
