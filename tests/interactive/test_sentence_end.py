"""A finished sentence gets no tail."""

from __future__ import annotations

import pytest

from dragoman.interactive.typed_text import is_finished

FINISHED = [
    ("Press the button.", "Pulse el botón.", " Window la"),
    ("Is it open?", "¿Está abierta?", " Si es necesario"),
    ("Note:", "Nota:", " la"),
    ("Press <b>OK.</b>", "Pulse <b>OK.</b>", " la"),
    ("(see below)", "(véase abajo)", " de la"),
    ("He said “stop.”", "Dijo «alto».", " de"),
    ("Press it. Then wait.", "Púlselo y luego espere un momento.", " Luego"),  # two sentences become one
    ("Close the lid.", "أغلق الغطاء.", " إذا"),
    ("Is it open?", "هل هو مفتوح؟", " لا"),
    ("Close the lid.", "蓋を閉めます。", "必要"),
    ("Use e.g. water.", "Use, p. ej., agua.", " la"),
]
GOES_ON = [
    ("Press the button.", "Pulse", " el botón."),
    ("Press it. Then close the lid.", "Púlselo.", " Luego cierre la tapa."),
    ("Settings", "Ajustes", " de la"),  # the source has no end to compare with
    ("Note: close the lid.", "Nota:", " cierre la tapa."),
    ("1. Open the lid.", "1.", " Abra la tapa."),
    ("閉めます。次に開けます。", "Close it.", " Then open it."),
    ("Close the lid.", "", "Cierre la tapa."),
]


@pytest.mark.parametrize(("source", "prefix", "suffix"), FINISHED)
def test_a_finished_translation_is_recognised(source: str, prefix: str, suffix: str) -> None:
    assert is_finished(source, prefix, suffix)


@pytest.mark.parametrize(("source", "prefix", "suffix"), GOES_ON)
def test_an_unfinished_one_goes_on(source: str, prefix: str, suffix: str) -> None:
    assert not is_finished(source, prefix, suffix)
