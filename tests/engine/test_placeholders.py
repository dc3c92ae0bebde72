"""Placeholders in what is learned: one that a correction alters is asked back, and never comes from memory."""

from __future__ import annotations

from pathlib import Path

import pytest

from dragoman import Engine, FlaggedError
from dragoman.text.tokens import split
from dragoman.upstream import changes

SOURCE, ALTERED, RIGHT = "Open the file {name} now.", "Abra ahora el archivo {nombre}.", "Abra ahora el archivo {name}."
FILES = ["report", "letter", "table", "picture", "note"]


@pytest.mark.parametrize(
    ("source", "target", "reason"),
    [
        (SOURCE, ALTERED, r"lacks \{name\} and has \{nombre\}, which the source lacks"),
        ("Copied %1 files.", "Se copiaron archivos.", "lacks %1"),
        ("You have :count messages.", "Tiene :cuenta mensajes.", "lacks :count and has :cuenta"),
        ("Welcome, { $user }!", "¡Le damos la bienvenida, { $usuario }!", r"lacks \{ \$user \} and has"),
    ],
)
def test_a_correction_that_alters_a_placeholder_is_asked_back(
    tmp_path: Path, source: str, target: str, reason: str
) -> None:
    with Engine.create(tmp_path / "project", source="en", target="es") as engine:
        with pytest.raises(FlaggedError, match=reason):
            engine.learn(source, target)
        assert "lacks" in str(engine.check(source, target).suspicious)
        engine.learn(source, target, force=True)


@pytest.mark.parametrize(
    ("source", "target"),
    [
        ("Welcome, { $user }!", "¡Le damos la bienvenida, {$user}!"),
        ("Press <b>OK</b>.", "Pulse Aceptar."),
        ("The __init__ method", "El método ``__init__``"),
        ("{n, plural, one {# file} other {# files}}", "{n, plural, one {# plik} few {# pliki} other {# pliku}}"),
        ("{name} and {name}", "{name}, {name} y {name}"),
    ],
)
def test_a_placeholder_written_otherwise_is_no_slip(tmp_path: Path, source: str, target: str) -> None:
    with Engine.create(tmp_path / "project", source="en", target="es") as engine:
        engine.learn(source, target)
        assert engine.translate(source).text == target


def test_text_that_is_only_words_has_no_placeholders(tmp_path: Path) -> None:
    with Engine.create(tmp_path / "project", source="en", target="es", tokens="words") as engine:
        assert engine.learn(SOURCE, ALTERED) == 1
        assert engine.translate(SOURCE).text == ALTERED


def test_a_correction_that_alters_a_placeholder_is_never_recalled(tmp_path: Path) -> None:
    with Engine.create(tmp_path / "project", source="en", target="es") as engine:
        engine.learn(SOURCE, ALTERED, force=True)
        assert engine.exact_match(SOURCE) is engine.same_words(SOURCE) is None
        assert [match.target for match in engine.matches(SOURCE)] == [ALTERED]
        assert engine.translate(SOURCE).memory is None
        assert "{nombre}" not in engine.translate(SOURCE).text
        engine.learn(SOURCE, RIGHT)
        engine.learn(SOURCE, ALTERED, force=True)
        assert engine.translate(SOURCE).text == engine.translate(SOURCE, upstream="Abra {name}.").text == RIGHT
        engine.memory_threshold = 80.0
        assert "{nombre}" not in engine.translate("Open the file {name} now!").text


@pytest.mark.parametrize(
    ("answer", "correction", "asked", "said"),
    [
        ("Abra FILE { $pcmg } ahora.", "Abra FILE { $pcmac } ahora.", "{ $pcmag }", "{ $pcmg }"),
        ("Abra FILE {name} ahora.", "Abra FILE {nombre} ahora.", "{name}", "{name}"),
        ("Abra FILE {name} ahora.", "Abra FILE ahora.", "{name}", "{name}"),
    ],
)
def test_no_change_brings_in_a_placeholder_or_takes_one_away(
    tmp_path: Path, answer: str, correction: str, asked: str, said: str
) -> None:
    with Engine.create(tmp_path / "project", source="en", target="es") as engine:
        for file in FILES:
            texts = [f"Open the {file} {{name}} now.", *(text.replace("FILE", file) for text in (correction, answer))]
            engine.learn(texts[0], texts[1], upstream=texts[2], force=True)
        made = engine.translate(f"Open the book {asked} now.", upstream=f"Abra book {said} ahora.")
        assert set(split(made.text).words) & {asked, said}
        assert not set(split(made.text).words) & {"{nombre}", "{ $pcmac }"}


def test_a_change_keeps_the_placeholders_of_the_source() -> None:
    source = {"open", "{name}", "<b>"}
    assert changes.keeps_slots(("archivo",), ("fichero",), source)
    assert not changes.keeps_slots(("{name}",), ("nombre",), source)
    assert not changes.keeps_slots(("nombre",), ("{nombre}",), source)
    assert changes.keeps_slots(("nombre",), ("{name}",), source)
    assert changes.keeps_slots(("{x}", "el"), ("el",), source)
