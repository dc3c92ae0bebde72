"""When a correction last made a change of another engine's answer is found in the journal, and shown."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

import pytest

from dragoman.engine import Engine

pytestmark = pytest.mark.kernels

MAY, JUNE = datetime(2026, 5, 1, 9, tzinfo=UTC), datetime(2026, 6, 2, 9, tzinfo=UTC)
SAID = "Limpie la tapa con agua, dos veces."


@pytest.fixture
def engine(tmp_path: Path) -> Engine:
    engine = Engine.create(tmp_path / "project", source="en", target="es")
    for noun, source, when in (("agua", "water", MAY), ("aceite", "oil", JUNE)):
        said = f"Limpie la tapa con {noun}."
        engine.learn(f"Clean the lid with {source}.", said.replace("tapa", "cubierta"), upstream=said, time=when)
    return engine


def test_a_change_has_the_date_of_the_newest_correction_that_made_it(engine: Engine) -> None:
    found = engine.translate("Clean the lid with water, twice.", upstream=SAID)
    assert {each.last for each in found.changes} == {None}  # nobody has asked
    [change] = [each for each in engine.date_changes(found).changes if each.used]
    assert (change.said, change.words, change.last) == ("tapa", ("cubierta",), JUNE)
    assert "replaced 2 of 2 times, last on 2026-06-02" in change.sentence
    assert change.as_dict()["last"] == "2026-06-02T09:00:00+00:00"


def test_a_forgotten_correction_is_no_evidence(engine: Engine) -> None:
    engine.forget(2)
    found = engine.translate("Clean the lid with water, twice.", upstream=SAID)
    [change] = [each for each in engine.date_changes(found).changes if each.used]
    assert change.last == MAY


def test_what_was_left_out_has_a_date_too(engine: Engine) -> None:
    for noun in ("mano", "cera"):
        said = f"Frote bien la pieza a {noun}."
        engine.learn(f"Rub the part by {noun}.", said.replace("bien ", ""), upstream=said, time=JUNE)
    found = engine.translate("Rub the part by foot.", upstream="Frote bien la pieza a pie.")
    dated = {each.said: each.last for each in engine.date_changes(found).changes if not each.words}
    assert dated == {"bien": JUNE}


def test_each_line_of_a_text_has_its_dates(engine: Engine, tmp_path: Path) -> None:
    source = "Clean the lid with water, twice."
    (tmp_path / "said.tsv").write_text(f"{source}\t{SAID}\n", encoding="utf-8")
    engine.upstream = f"recorded:{tmp_path / 'said.tsv'}"
    found = engine.date_changes(engine.translate_text(f"{source}\n{source}"))
    assert {each.last for line in found.lines for each in line.changes if each.used} == {JUNE}
    assert "last on 2026-06-02" in engine.explain(source).note
