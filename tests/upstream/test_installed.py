"""`engine:en-es`: engines that packages bring, or that lie in the user's directory of engines."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from dragoman.editor.sample_project import make_sample
from dragoman.engine import Engine
from dragoman.errors import BadInputError
from dragoman.upstream import from_name
from dragoman.upstream.installed import find, installed


@pytest.fixture
def fetched(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A directory of engines with one that was fetched: the one in the box, under another name."""
    monkeypatch.setenv("DRAGOMAN_ENGINES", str(tmp_path / "engines"))
    place = tmp_path / "engines" / "mine"
    (place / "model").mkdir(parents=True)
    for each in find("en-es").model.iterdir():
        (place / "model" / each.name).symlink_to(each)
    (place / "engine.json").write_text(json.dumps({"source": "en", "target": "es", "licence": "CC0"}))
    return place


def test_the_engine_in_the_box_translates_under_its_own_name() -> None:
    engine = from_name("engine:en-es", source="en", target="es-MX")
    assert engine.name == "engine:en-es"
    (answer,) = engine.translate(["The house is green."], seconds=60)
    assert answer is not None
    assert "verde" in answer.text


def test_what_was_fetched_is_found_beside_what_packages_bring(fetched: Path) -> None:
    by_name = {each.name: each for each in installed()}
    assert by_name["mine"].path == fetched
    assert (by_name["mine"].licence, by_name["mine"].is_packaged) == ("CC0", False)
    assert by_name["en-es"].is_packaged
    assert by_name["en-es"].size > 40e6
    assert from_name("engine:mine", source="en", target="es").translate(["Yes."], seconds=60)[0] is not None


def test_half_an_engine_is_none(fetched: Path) -> None:
    (fetched / "engine.json").write_text("{")
    assert "mine" not in {each.name for each in installed()}


def test_another_pair_is_refused() -> None:
    with pytest.raises(BadInputError, match=r"translates from en to es; get one from en to fr"):
        from_name("engine:en-es", source="en", target="fr")


@pytest.mark.parametrize("name", ["none", "../mine", "/etc", ""])
def test_a_name_that_is_none_says_what_to_do(fetched: Path, name: str) -> None:
    assert fetched.is_dir()
    with pytest.raises(BadInputError, match=r"there is no engine .*; (fetch it with:|see) dragoman engine"):
        from_name(f"engine:{name}", source="en", target="es")


def test_the_sample_is_over_the_engine_in_the_box(tmp_path: Path) -> None:
    with Engine.open(make_sample(tmp_path)) as engine:
        assert engine.upstream == "engine:en-es"
        assert engine.translate("The house is green.").upstream
