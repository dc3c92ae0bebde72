"""Better defaults are for new projects: one that exists keeps those it was created with."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from dragoman import Engine
from dragoman.models.defaults import CURRENT, VERSIONS
from dragoman.models.loglinear import CLASSES, EARLIER_MOSES, MOSES
from dragoman.sample import pairs

PAIRS = [
    ("Press the green button.", "Pulse el botón verde."),
    ("The lamp is green.", "La lámpara es verde."),
    ("Press the lamp.", "Pulse la lámpara."),
]


def made_with(path: Path, version: int | None) -> Path:
    """A project as an earlier version made it; the first one did not record its defaults."""
    Engine.create(path, source="en", target="es", preset="moses").close()
    file = path / "project.json"
    about = json.loads(file.read_text())
    del about["settings"]["defaults"]
    about["settings"] |= {"defaults": version} if version else {}
    file.write_text(json.dumps(about))
    return path


def test_a_new_project_records_the_version_of_its_defaults(tmp_path: Path) -> None:
    with Engine.create(tmp_path / "new", source="en", target="es") as engine:
        assert engine.opened.store.settings["defaults"] == CURRENT
        assert engine.weights == CLASSES | MOSES  # there are no word classes yet
        assert engine.opened.state.knowledge.models.symmetrisation == "posterior"


def test_a_trained_project_starts_from_weights_for_word_classes(tmp_path: Path) -> None:
    with Engine.create(tmp_path / "new", source="en", target="es") as engine:
        engine.train(pairs()[:100])
        assert engine.weights == CLASSES
        assert engine.translate(pairs()[101][0]).features["class_language"] < 0.0
    with Engine.create(tmp_path / "moses", source="en", target="es", base=tmp_path / "new", preset="moses") as engine:
        assert engine.weights == MOSES


@pytest.mark.parametrize(("version", "symmetrisation"), [(None, "grow-diag-final-and"), (1, "grow-diag-final-and")])
def test_an_earlier_project_goes_on_aligning_as_before(
    tmp_path: Path, version: int | None, symmetrisation: str
) -> None:
    path = made_with(tmp_path / "old", version)
    with Engine.open(path) as engine:
        assert engine.weights == EARLIER_MOSES
        numbers = [engine.learn(*pair) for pair in PAIRS]
        models = engine.opened.state.knowledge.models
        assert models.symmetrisation == symmetrisation == VERSIONS[version or 1].symmetrisation
        for number in numbers:
            engine.forget(number)
        assert engine.opened.state.knowledge.models.symmetrisation == symmetrisation
        engine.learn(*PAIRS[0])
    with Engine.open(path) as engine:  # from its snapshot
        assert engine.opened.state.knowledge.models.symmetrisation == symmetrisation


def test_a_base_is_trained_as_its_project_learns(tmp_path: Path) -> None:
    trained = {}
    for name, version in (("old", None), ("new", CURRENT)):
        with Engine.open(made_with(tmp_path / name, version)) as engine:
            engine.train(PAIRS)
            base = engine.opened.state.knowledge.base
            assert base is not None
            trained[name] = base.models.phrases.statistics()
    assert trained["old"] != trained["new"]


def test_a_copy_gets_the_current_defaults(tmp_path: Path) -> None:
    Engine.copy(made_with(tmp_path / "old", None), tmp_path / "copy")
    with Engine.open(tmp_path / "copy", write=False) as engine:
        assert engine.opened.state.knowledge.models.symmetrisation == VERSIONS[CURRENT].symmetrisation


@pytest.mark.parametrize("version", [1, 2])
def test_an_earlier_project_keeps_its_tokens_and_every_correction(tmp_path: Path, version: int) -> None:
    path = made_with(tmp_path / "old", version)
    pairs = [("Copied %1 of :count files.", "Se copiaron %1 de :count archivos."), *PAIRS]
    with Engine.open(path) as engine:
        for pair in pairs:
            engine.learn(*pair)
        assert "%1" not in engine.translate(pairs[0][0]).source.words
    (path / "snapshots").rename(tmp_path / "snapshots")  # so that the journal is replayed
    with Engine.open(path) as engine:
        assert engine.warnings == []
        assert [engine.translate(source).text for source, _ in pairs] == [target for _, target in pairs]
    with Engine.open(path) as engine:  # from its snapshot
        assert engine.warnings == []
        engine.forget(engine.learn("Copied %1 more.", "Se copió %1 más."))
    assert Engine.copy(path, tmp_path / "copy").learned == len(pairs)
    with Engine.open(tmp_path / "copy") as engine:
        assert "%1" in engine.translate(pairs[0][0]).source.words
