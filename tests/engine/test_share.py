"""A project's own corrections can be weighted against its base; that is a setting like any other."""

from __future__ import annotations

from pathlib import Path

import pytest

from dragoman.engine import Engine
from dragoman.errors import BadInputError
from tests.engine.support import assert_is_clean_replay, new

pytestmark = pytest.mark.kernels

BASE = [("the press", "la prensa"), ("the press is new", "la prensa es nueva"), ("the light", "la luz")] * 4


def over_base(path: Path) -> Engine:
    with new(path / "base") as base:
        base.train(BASE)
    return Engine.create(path / "p", source="en", target="es", base=path / "base")


def test_a_greater_share_lets_corrections_win_over_the_base(tmp_path: Path) -> None:
    with over_base(tmp_path) as engine:
        engine.learn("the press", "el pulsador", force=True)
        assert (engine.share, engine.language_share) == (0.5, "auto")
        engine.share = None
        assert engine.translate("the press", memory=False).text == "la prensa"
        engine.share = engine.language_share = 0.95
        assert engine.translate("the press", memory=False).text == "el pulsador"
        assert engine.translate("light", memory=False).text == "luz"
        engine.share = engine.language_share = 0.0
        assert engine.translate("the press", memory=False).text == "la prensa"
        engine.share = engine.language_share = None
        assert engine.translate("the press", memory=False).text == "la prensa"


def test_the_share_comes_back_and_outlives_all_corrections(tmp_path: Path) -> None:
    with over_base(tmp_path) as engine:
        engine.share, engine.language_share = 0.6, 0.7
        number = engine.learn("the lamp", "la bombilla", force=True)
        engine.save_snapshot()
        engine.forget(number)
        assert (engine.share, engine.language_share) == (0.6, 0.7)
        assert_is_clean_replay(engine, tmp_path / "copy")
    with Engine.open(tmp_path / "p") as engine:
        assert (engine.share, engine.language_share) == (0.6, 0.7)
        for wrong in (-0.1, 1.1, float("nan")):
            with pytest.raises(BadInputError, match="from 0 to 1"):
                engine.share = wrong
        assert engine.share == 0.6
