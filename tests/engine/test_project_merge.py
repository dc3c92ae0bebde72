"""Merged projects are, to the bit, the project in which all corrections were made, in the order of their times."""

from __future__ import annotations

import shutil
from datetime import UTC, datetime, timedelta
from pathlib import Path

import numpy as np
import pytest
from typer.testing import CliRunner

from dragoman.cli import app
from dragoman.engine import Engine
from dragoman.errors import BadInputError
from dragoman.project.glossary import TermRule
from dragoman.project.project_merge import merge
from tests.engine.support import PAIRS, arrays_of, assert_same, new

pytestmark = pytest.mark.kernels
BEGIN = datetime(2026, 1, 2, tzinfo=UTC)


def teach(engine: Engine, numbers: range, user: str) -> None:
    for n in numbers:
        answer = PAIRS[n][1].replace("la", "una") if n % 3 == 0 else None
        name, time = "other" if answer else None, BEGIN + timedelta(minutes=n)
        engine.learn(*PAIRS[n], upstream=answer, upstream_name=name, user=user, time=time, force=True)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("merging")
    for user, numbers in {"ana": range(0, 30, 2), "ben": range(1, 30, 2)}.items():
        with new(folder / user) as engine:
            teach(engine, numbers, user)
    return folder


def learned(path: Path) -> dict[str, np.ndarray]:
    with Engine.open(path, write=False) as engine:
        return arrays_of(engine)


def test_a_merged_project_is_the_one_in_which_both_worked(folder: Path, tmp_path: Path) -> None:
    with new(tmp_path / "one") as engine:
        for n in range(30):
            teach(engine, range(n, n + 1), "ben" if n % 2 else "ana")
    for name, order in {"ab": ("ana", "ben"), "ba": ("ben", "ana")}.items():
        found = merge(Engine, [folder / each for each in order], tmp_path / name)
        assert (found.learned, found.shared, found.refused) == (30, 0, [])
        assert_same(learned(tmp_path / name), learned(tmp_path / "one"))
    with Engine.open(tmp_path / "ab") as engine:
        assert [row.user for row in engine.history(2)] == ["ben", "ana"]
        assert len(Engine.open(folder / "ana", write=False).history()) == 15  # as it was


def test_what_was_merged_can_be_merged_again(folder: Path, tmp_path: Path) -> None:
    with new(tmp_path / "eva") as engine:
        teach(engine, range(30, 34), "eva")
    merge(Engine, [folder / "ana", folder / "ben"], tmp_path / "two")
    merge(Engine, [tmp_path / "two", tmp_path / "eva"], tmp_path / "in-steps")
    merge(Engine, [tmp_path / "eva", folder / "ben", folder / "ana"], tmp_path / "at-once")
    assert_same(learned(tmp_path / "in-steps"), learned(tmp_path / "at-once"))
    again = merge(Engine, [tmp_path / "at-once", tmp_path / "two"], tmp_path / "again")
    assert (again.learned, again.shared) == (34, 30)
    assert_same(learned(tmp_path / "again"), learned(tmp_path / "at-once"))


def test_what_one_has_forgotten_of_what_both_share_is_forgotten(folder: Path, tmp_path: Path) -> None:
    shutil.copytree(folder / "ana", tmp_path / "copy")
    with Engine.open(tmp_path / "copy") as engine:
        engine.forget(1)
    for name, order in {
        "one": (folder / "ana", tmp_path / "copy"),
        "other": (tmp_path / "copy", folder / "ana"),
    }.items():
        assert merge(Engine, order, tmp_path / name).learned == 14
        with Engine.open(tmp_path / name) as engine:
            assert engine.exact_match(PAIRS[0][0]) is None


def test_terms_are_added_and_conflicts_named(tmp_path: Path) -> None:
    terms = {"ana": {"lid": "tapa", "tray": "bandeja"}, "ben": {"lid": "cubierta", "jug": "jarra", "cup": "taza"}}
    for n, (user, given) in enumerate(terms.items()):
        with new(tmp_path / user) as engine:
            engine.glossary = given
            teach(engine, range(n, n + 1), user)
            if user == "ben":
                engine.remove_term("cup")
    done = CliRunner().invoke(app, ["project", "merge", *(str(tmp_path / name) for name in ("both", "ana", "ben"))])
    assert done.exit_code == 0
    assert done.stdout == f"{tmp_path / 'both'} has learned 2 corrections; 0 were in several projects\n"
    assert f"term kept: 'lid' is 'tapa'; {tmp_path / 'ben'} has 'cubierta'" in done.stderr
    with Engine.open(tmp_path / "both") as engine:
        assert engine.glossary == {"lid": "tapa", "tray": "bandeja", "jug": "jarra"}


def test_what_holds_for_a_term_comes_with_it(tmp_path: Path) -> None:
    for n, (user, given) in enumerate({"ana": {"lid": "tapa"}, "ben": {"lid": "tapa", "jug": "jarra"}}.items()):
        with new(tmp_path / user) as engine:
            engine.glossary = given
            teach(engine, range(n, n + 1), user)
    mine, his = TermRule(note="of the kettle"), TermRule(case="same", forbidden=("jarro",))
    for user, rules in {"ana": {"cup": mine}, "ben": {"cup": TermRule(note="small"), "jug": his, "tray": mine}}.items():
        with Engine.open(tmp_path / user) as engine:
            engine.change_terms({}, {**rules, "lid": mine if user == "ben" else None})
    found = merge(Engine, [tmp_path / "ana", tmp_path / "ben"], tmp_path / "both")
    assert [line.partition(";")[0] for line in found.conflicts] == ["what holds for 'cup' is {'note': 'of the kettle'}"]
    with Engine.open(tmp_path / "both") as engine:
        assert engine.glossary == {"jug": "jarra", "lid": "tapa"}
        assert engine.term_rules == {"cup": mine, "jug": his, "lid": mine, "tray": mine}


def test_the_remedy_for_projects_with_and_without_a_base_works(folder: Path, tmp_path: Path) -> None:
    with new(tmp_path / "trained") as engine:
        engine.train(PAIRS[:20])
    for order in ((folder / "ana", tmp_path / "trained"), (tmp_path / "trained", folder / "ana")):
        with pytest.raises(BadInputError) as raised:
            merge(Engine, order, tmp_path / "new")
        assert raised.value.remedy
        copied = raised.value.remedy.partition("dragoman ")[2].split()
        assert copied[2] == str(folder / "ana")  # the one without a base
        done = CliRunner().invoke(app, [str(tmp_path / each) if each == "NEW" else each for each in copied])
        assert done.exit_code == 0, done.output
        assert merge(Engine, [tmp_path / "trained", tmp_path / "NEW"], tmp_path / "new").learned == 15
        shutil.rmtree(tmp_path / "NEW")
        shutil.rmtree(tmp_path / "new")


def test_projects_over_the_same_base_keep_it(tmp_path: Path) -> None:
    with new(tmp_path / "trained") as engine:
        engine.train(PAIRS[:60])
    for n, name in enumerate(("ana", "ben")):
        with new(tmp_path / name, tmp_path / "trained") as engine:
            teach(engine, range(60 + n, 61 + n), name)
    merge(Engine, [tmp_path / "ana", tmp_path / "ben"], tmp_path / "both")
    with new(tmp_path / "one", tmp_path / "trained") as engine:
        teach(engine, range(60, 61), "ana")
        teach(engine, range(61, 62), "ben")
    assert_same(learned(tmp_path / "both"), learned(tmp_path / "one"))


def test_projects_that_do_not_fit_are_refused(folder: Path, tmp_path: Path) -> None:
    Engine.create(tmp_path / "french", source="en", target="fr").close()
    with new(tmp_path / "trained") as engine:
        engine.train(PAIRS[:20])
    Engine.create(tmp_path / "words", source="en", target="es", tokens="words").close()
    for others, message in {
        (): "one project is nothing to merge",
        (folder / "ana",): "a project is named twice",
        (tmp_path / "french",): "translates en to fr, not en to es",
        (tmp_path / "trained",): "is built on another base",
        (tmp_path / "words",): r"has tokens words, and .*ana has text; merge projects that were created alike",
    }.items():
        with pytest.raises(BadInputError, match=message):
            merge(Engine, [folder / "ana", *others], tmp_path / "new")
    assert not (tmp_path / "new").exists()
