"""Every setting is told once: the engine's properties, journal, command and documentation follow from the registry."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from dragoman.adapt import Ridge
from dragoman.cli import app
from dragoman.engine import Engine
from dragoman.errors import BadInputError
from dragoman.project.glossary import TermRule
from dragoman.project.guard import Guard
from dragoman.project.settings import SETTINGS
from dragoman.search.decoder import Estimates
from dragoman.search.upstream_options import Trust
from tests.engine.support import PAIRS, arrays_of, assert_same, new

pytestmark = pytest.mark.kernels

ROOT = Path(__file__).parents[2]
VALUES: dict[str, list[Any]] = {  # as Python has them, then as JSON
    "weights": [{"language": 0.7}, {"language": 0.7}],
    "adapter": [Ridge(alpha=0.02), None],
    "estimates": [Estimates(beta=0.8), {"beta": 0.8, "delta": 0.3}],
    "share": [0.7, None],
    "language_share": ["auto", 0.4],
    "limit": [1000, None],
    "glossary": [{"drip tray": "bandeja"}, {"lid": "tapa"}],
    "term_rules": [{"lid": TermRule("of a box", "same", ("cubierta",), ("tapadera",))}, {"lid": {"forbidden": ["x"]}}],
    "guard": [Guard(repeats=math.inf), {"repeats": None}],
    "memory_threshold": [90.0, 75],
    "guess_unknown": [False, True],
    "upstream": ["libretranslate:http://127.0.0.1:1", None],
    "trust": [Trust(share=0.1), {"count": 0.2}],
    "weigh_changes": [False, True],
    "newest_first": [True, False],
    "least_confidence": [0.4, 1],
    "refused_changes": [(("archivo", "fichero"),), [["la tapa", "tapa"]]],
}


def test_all_settings_are_tried_here() -> None:
    assert VALUES.keys() == SETTINGS.keys()


@pytest.mark.parametrize(("name", "value"), [(name, value) for name, values in VALUES.items() for value in values])
def test_a_setting_comes_back_on_opening(tmp_path: Path, name: str, value: Any) -> None:
    with new(tmp_path / "p") as engine:
        setattr(engine, name, value)
        shown, dumped = getattr(engine, name), engine.settings
        json.dumps(dumped, allow_nan=False)
    with Engine.open(tmp_path / "p") as engine:  # from the snapshot
        assert (getattr(engine, name), engine.settings) == (shown, dumped)
    with Engine.open(tmp_path / "p") as engine:  # what is dumped can be given again, and says the same
        engine.change_settings({name: dumped[name]})
        assert engine.settings == dumped


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("weights", {"language": "much"}),
        ("weights", 3),
        ("adapter", "ridge"),
        ("adapter", {"name": "Magic"}),
        ("estimates", {"gamma": 1}),
        ("share", 2),
        ("language_share", "both"),
        ("limit", 0),
        ("limit", 1.5),
        ("limit", True),
        ("glossary", {"": "nada"}),
        ("guard", {"repeats": 0}),
        ("guard", ["repeats"]),
        ("upstream", "nmt"),
        ("least_confidence", 1.5),
        ("least_confidence", True),
        ("trust", {"count": 0}),
        ("trust", {"share": 2}),
        ("trust", {"faith": 1}),
        ("sharing", 1),
    ],
)
def test_what_cannot_be_is_refused_and_nothing_changes(tmp_path: Path, name: str, value: Any) -> None:
    with new(tmp_path / "p") as engine:
        before, revision = engine.settings, engine.revision
        with pytest.raises(BadInputError):
            engine.change_settings({"share": 0.2, name: value} if name != "share" else {name: value})
        assert (engine.settings, engine.revision) == (before, revision)


def test_a_limit_bounds_what_is_kept_and_replays_exactly(tmp_path: Path) -> None:
    with new(tmp_path / "p") as engine:
        engine.limit = 300
        numbers = [engine.learn(*pair, force=True) for pair in PAIRS[:60]]
        sizes = engine.statistics()
        assert sizes["phrase pairs"] <= 300
        assert sizes["dropped phrase pairs"] > 0
        engine.forget(numbers[3])
        expected = arrays_of(engine)
    with Engine.open(tmp_path / "p") as engine:
        assert_same(arrays_of(engine), expected)


def test_the_command_shows_and_changes_settings(tmp_path: Path) -> None:
    new(tmp_path / "p").close()
    run = CliRunner().invoke
    assert run(app, ["project", "settings", str(tmp_path / "p"), "share", "0.7"]).exit_code == 0
    assert run(app, ["project", "settings", str(tmp_path / "p"), "language_share", "auto"]).exit_code == 0
    shown = run(app, ["project", "settings", str(tmp_path / "p"), "--json"])
    assert json.loads(shown.output)["share"] == 0.7
    listed = run(app, ["project", "settings", str(tmp_path / "p")]).output
    assert all(setting.about in listed for setting in SETTINGS.values())
    for wrong in (["sharing"], ["share", "much of it"], ["share", "7"]):
        assert isinstance(run(app, ["project", "settings", str(tmp_path / "p"), *wrong]).exception, BadInputError)


def test_the_documentation_lists_every_setting() -> None:
    page = (ROOT / "docs" / "understand" / "settings.md").read_text(encoding="utf-8")
    for name, setting in SETTINGS.items():
        assert f"| `{name}` | {setting.about} |" in page
