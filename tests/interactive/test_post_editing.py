"""Post-editing, simulated: any text goes through, and what can be learned is."""

from __future__ import annotations

from pathlib import Path

from dragoman import Engine
from dragoman.interactive.post_editing import learning_curves, post_edit


def test_lines_without_words_or_with_too_many_are_scored_and_not_learned(tmp_path: Path) -> None:
    long = " ".join(["x"] * 501)
    others = [("", ""), ("red", " "), ("", "tapa"), ("\u200b", "nada"), (long, "nada"), ("blue", long)]
    text = [("green button", "botón verde"), *others, ("green button", "botón verde")]
    with Engine.create(tmp_path / "p", source="en", target="es") as engine:
        outcomes = list(post_edit(engine, text))
    assert [outcome.translation for outcome in outcomes] == ["green button", *(one for one, _ in others), "botón verde"]
    assert {len(curve) for curve in learning_curves(outcomes).values()} == {8}


def test_over_another_engine_it_is_told_what_changes_of_its_words_are_worth(tmp_path: Path) -> None:
    nouns = {"lid": "tapa", "tray": "bandeja", "hose": "manguera"}
    said = {f"Open the file beside the {noun}.": f"Abra el archivo junto a la {word}." for noun, word in nouns.items()}
    file = tmp_path / "said.tsv"
    file.write_text("".join(f"{source}\t{text}\n" for source, text in said.items()), encoding="utf-8")
    pairs = [(source, text.replace("archivo", "fichero")) for source, text in said.items()]
    with Engine.create(tmp_path / "project", source="en", target="es", upstream=f"recorded:{file}") as engine:
        found = engine.simulate(pairs)
    changed = sum(each.translation != each.answer for each in found.outcomes)
    assert 0 < changed < 3
    assert (found.summary["changed"], found.summary["better"], found.summary["worse"]) == (changed, changed, 0)
    assert found.summary["edits saved per change"] == 1
    assert 0 < found.summary["R0+1"] <= 100
