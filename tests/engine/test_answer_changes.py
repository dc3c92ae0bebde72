"""Each change of another engine's answer is made on its own evidence, learned, forgotten and replayed exactly."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from dragoman.engine import Engine
from dragoman.errors import BadInputError

pytestmark = pytest.mark.kernels

NOUNS = {"lid": "tapa", "tray": "bandeja", "hose": "manguera", "valve": "válvula", "pump": "bomba", "key": "llave"}


@pytest.fixture
def engine(tmp_path: Path) -> Engine:
    return Engine.create(tmp_path / "project", source="en", target="es")


def teach(engine: Engine, nouns: list[str]) -> None:
    """What the engine calls "archivo" is always corrected to "fichero", whatever stands around it."""
    for noun in nouns:
        source = f"Open the file beside the {noun}."
        said = f"Abra el archivo junto a la {NOUNS[noun]}."
        engine.learn(source, said.replace("archivo", "fichero"), upstream=said)


def test_a_piece_corrected_once_is_changed_in_the_same_context(engine: Engine) -> None:
    engine.learn("Clean the lid with water.", "Limpie la cubierta con agua.", upstream="Limpie la tapa con agua.")
    found = engine.translate("Clean the lid with water, twice.", upstream="Limpie la tapa con agua, dos veces.")
    assert found.text == "Limpie la cubierta con agua, dos veces."
    [change] = [each for each in found.changes if each.used]
    assert (change.said, change.words, change.times, change.seen) == ("tapa", ("cubierta",), 1, 1)


def test_a_piece_that_was_kept_is_not_changed_elsewhere(engine: Engine) -> None:
    engine.learn("Clean the lid with water.", "Limpie la cubierta con agua.", upstream="Limpie la tapa con agua.")
    for noun in ("tray", "hose", "valve", "pump"):
        said = f"Ponga la tapa sobre la {NOUNS[noun]}."
        engine.learn(f"Put the lid on the {noun}.", said, upstream=said)
    said = "Ponga la tapa sobre la llave."
    assert engine.translate("Put the lid on the key.", upstream=said).text == said


def test_what_is_always_corrected_is_changed_with_its_evidence(engine: Engine) -> None:
    teach(engine, ["lid", "tray", "hose", "valve", "pump"])
    found = engine.translate("Open the file beside the key.", upstream="Abra el archivo junto a la llave.")
    assert found.text == "Abra el fichero junto a la llave."
    used = [each for each in found.changes if each.used]
    assert [(each.said, each.times, each.seen) for each in used] == [("archivo", 5, 5)]
    assert used[0].probability > 0.5


def test_a_refused_change_is_never_made_again(engine: Engine) -> None:
    teach(engine, ["lid", "tray", "hose", "valve", "pump"])
    engine.refused_changes = [("archivo", "fichero")]
    said = "Abra el archivo junto a la llave."
    assert engine.translate("Open the file beside the key.", upstream=said).text == said
    engine.refused_changes = []
    assert engine.translate("Open the file beside the key.", upstream=said).text != said
    with pytest.raises(BadInputError, match="refused change"):
        engine.refused_changes = [("archivo",)]


def test_changes_are_refused_one_by_one(engine: Engine) -> None:
    engine.refuse_change("archivo", "fichero")
    engine.refuse_change("tapa", "cubierta")
    engine.refuse_change("archivo", "fichero")
    refused = (("archivo", "fichero"), ("tapa", "cubierta"))
    assert engine.refused_changes == refused
    with engine.opened.reading():
        rows = [row.settings for row in engine.opened.store.reader.rows() if row.kind == "settings"]
    assert rows[1] == {"refused_changes": {"add": [["tapa", "cubierta"]]}}  # not all of them each time
    engine.close()
    with Engine.open(engine.path, write=False) as again:
        assert again.refused_changes == refused


def test_a_refused_change_is_compared_without_its_case(engine: Engine) -> None:
    teach(engine, ["lid", "tray", "hose", "valve", "pump"])
    engine.refuse_change("Archivo", "FICHERO")
    said = "Abra el archivo junto a la llave."
    assert engine.translate("Open the file beside the key.", upstream=said).text == said


def test_an_explanation_shows_changes_with_their_evidence(engine: Engine, tmp_path: Path) -> None:
    said = "Abra el archivo junto a la llave."
    file = tmp_path / "said.tsv"
    file.write_text(f"Open the file beside the key.\t{said}\n", encoding="utf-8")
    teach(engine, ["lid", "tray", "hose", "valve", "pump"])
    engine.upstream = f"recorded:{file}"
    told = engine.explain("Open the file beside the key.")
    [used] = [each for each in told.as_dict()["changes"] if each["used"]]
    assert (used["said"], used["words"], used["times"], used["seen"]) == ("archivo", "fichero", 5, 5)
    likely = f"{round(100 * used['probability'])} % likely to help"
    assert f"“archivo” → “fichero”: replaced 5 of 5 times, last on {used['last'][:10]}, {likely}" in told.note


def test_learning_and_forgetting_restores_what_is_known_of_changes(engine: Engine) -> None:
    teach(engine, ["lid", "tray"])
    before = state_arrays(engine)
    said = "Abra el archivo junto a la manguera."
    number = engine.learn("Open the file beside the hose.", said.replace("archivo", "fichero"), upstream=said)
    assert not same(before, state_arrays(engine))
    engine.forget(number)
    assert same(before, state_arrays(engine))


def test_a_replay_gives_the_same_decisions(engine: Engine, tmp_path: Path) -> None:
    teach(engine, list(NOUNS)[:5])
    said = "Abra el archivo junto a la llave."
    before, found = state_arrays(engine), engine.translate("Open the file beside the key.", upstream=said)
    engine.close()
    for snapshot in (tmp_path / "project" / "snapshots").glob("*"):
        if snapshot.is_dir():
            for file in snapshot.iterdir():
                file.unlink()
            snapshot.rmdir()
    with Engine.open(tmp_path / "project") as again:
        assert same(before, state_arrays(again))
        assert again.translate("Open the file beside the key.", upstream=said).changes == found.changes


def state_arrays(engine: Engine) -> dict[str, np.ndarray]:
    with engine.opened.reading() as state:
        tree = dict(state.evidence.arrays()) | {"trust": state.change_trust.counts}
        tree |= state.evidence.table.contents()
    return {name: np.array(array) for name, array in tree.items() if not name.startswith("table")}


def same(one: dict[str, np.ndarray], other: dict[str, np.ndarray]) -> bool:
    return one.keys() == other.keys() and all(np.array_equal(array, other[name]) for name, array in one.items())
