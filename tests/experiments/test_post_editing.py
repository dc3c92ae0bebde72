"""Post-editing, simulated: any text goes through, and what can be learned is."""

from __future__ import annotations

from pathlib import Path

from dragoman import Engine
from dragoman.experiments.post_editing import learning_curves, post_edit


def test_lines_without_words_or_with_too_many_are_scored_and_not_learned(tmp_path: Path) -> None:
    long = " ".join(["x"] * 501)
    others = [("", ""), ("red", " "), ("", "tapa"), ("\u200b", "nada"), (long, "nada"), ("blue", long)]
    text = [("green button", "botón verde"), *others, ("green button", "botón verde")]
    with Engine.create(tmp_path / "p", source="en", target="es") as engine:
        outcomes = list(post_edit(engine, text))
    assert [outcome.translation for outcome in outcomes] == ["green button", *(one for one, _ in others), "botón verde"]
    assert {len(curve) for curve in learning_curves(outcomes).values()} == {8}
