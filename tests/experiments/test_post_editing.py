"""Post-editing, simulated: any text goes through, and what can be learned is."""

from __future__ import annotations

from pathlib import Path

from dragoman import Engine
from dragoman.experiments.post_editing import learning_curves, post_edit


def test_lines_without_words_are_scored_and_not_learned(tmp_path: Path) -> None:
    empty = [("", ""), ("red", " "), ("", "tapa"), ("\u200b", "nada")]
    text = [("green button", "botón verde"), *empty, ("green button", "botón verde")]
    with Engine.create(tmp_path / "p", source="en", target="es") as engine:
        outcomes = list(post_edit(engine, text))
    assert [outcome.translation for outcome in outcomes] == ["green button", "", "red", "", "\u200b", "botón verde"]
    assert {len(curve) for curve in learning_curves(outcomes).values()} == {6}
