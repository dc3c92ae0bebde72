"""A term that the other engine uses itself is said once, as the engine says it; one that it does not use is put in."""

from __future__ import annotations

import random
from collections.abc import Iterator

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dragoman.engine import Engine

pytestmark = pytest.mark.kernels

TERMS = {"drip tray": "bandeja de goteo", "lid": "tapa", "hot water tap": "grifo", "cup": "taza de café de la casa"}
WORDS = {"empty": "vacíe", "the": "la", "clean": "limpie", "and": "y", "of": "de", "now": "ahora", "red": "roja"}
piece = st.sampled_from(sorted((TERMS | WORDS).items()))


@pytest.fixture(scope="module")
def engines(tmp_path_factory: pytest.TempPathFactory) -> Iterator[list[Engine]]:
    """A new project, and one that has learned something else."""
    names = "new", "taught"
    found = [Engine.create(tmp_path_factory.mktemp(name) / "p", source="en", target="es") for name in names]
    for engine in found:
        engine.glossary = TERMS
    for verb, said in (("Print", "Imprima"), ("Read", "Lea")):
        found[1].learn(f"{verb} this page.", f"{said} esta página.", upstream=f"{said} esta página.")
    yield found
    for engine in found:
        engine.close()


@settings(deadline=None, max_examples=60)
@given(st.lists(piece, min_size=1, max_size=9), st.randoms(use_true_random=False))
def test_an_engine_that_says_the_terms_is_not_changed(
    engines: list[Engine], pieces: list[tuple[str, str]], chance: random.Random
) -> None:
    source, said = ([each[side] for each in pieces] for side in (0, 1))
    in_order, shuffled = (_sentence(words) for words in (said, chance.sample(said, len(said))))
    assert engines[0].translate(_sentence(source), upstream=shuffled).text == shuffled
    for engine in engines:
        assert engine.translate(_sentence(source), upstream=in_order).text == in_order


def _sentence(words: list[str]) -> str:
    return " ".join(words).capitalize() + "."


@pytest.mark.parametrize("taught", [0, 1])
def test_what_the_engine_says_otherwise_is_replaced_and_nothing_doubled(engines: list[Engine], taught: int) -> None:
    source = "Close the lid and empty the drip tray."
    for said in ("Cierre la tapadera y vacíe la bandeja de goteo.", "Cierre la tapa y vacíe la bandeja recogegotas."):
        found = engines[taught].translate(source, upstream=said).text
        assert found == "Cierre la tapa y vacíe la bandeja de goteo."
