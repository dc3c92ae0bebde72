"""Terms of the glossary are translated as it says, at once, and for as long as it says so."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dragoman.engine import Engine
from dragoman.errors import BadInputError
from dragoman.models.loglinear import Weights
from dragoman.models.modelset import ModelSet
from dragoman.project.glossary import Glossary
from dragoman.search.decoder import Decoder
from dragoman.types import Term
from tests.engine.support import assert_is_clean_replay, new

pytestmark = pytest.mark.kernels


def translated(engine: Engine, text: str) -> str:
    return engine.translate(text, memory=False).text


def test_a_term_takes_effect_at_once_and_until_it_is_removed(tmp_path: Path) -> None:
    with new(tmp_path / "p") as engine:
        for _ in range(3):
            engine.learn("Clean the drip tray.", "Limpie la bandeja.")
        before = translated(engine, "Clean the drip tray.")
        engine.set_term("drip tray", "colector de goteo")
        found = engine.translate("Clean the drip tray.", memory=False)
        assert "colector de goteo" in found.text
        assert [phrase.target_words for phrase in found.phrases if phrase.kind == "term"] == [
            ("colector", "de", "goteo")
        ]
        assert [origin.corrections for origin in engine.provenance(found) if origin.phrase.kind == "term"] == [()]
        assert all(
            "colector de goteo" in each.text.lower() for each in engine.translate("Clean the drip tray.", n=9).nbest[1:]
        )
        engine.remove_term("drip tray")
        assert translated(engine, "Clean the drip tray.") == before
        with pytest.raises(BadInputError, match="not in the glossary"):
            engine.remove_term("drip tray")


def test_an_empty_project_knows_its_terms_in_any_case(tmp_path: Path) -> None:
    with new(tmp_path / "p") as engine:
        engine.glossary = {"lid": "tapa", "WD-40": "WD-40", "red lid": "tapadera roja"}
        assert translated(engine, "Lid") == "Tapa"
        assert translated(engine, "THE RED LID") == "THE TAPADERA ROJA"
        assert translated(engine, "<b>lid</b>") == "<b>tapa</b>"


@pytest.mark.parametrize("size", [1, 7, 8, 30])
@pytest.mark.parametrize("translated_size", [1, 7, 8, 400])
def test_terms_may_be_longer_than_phrases(tmp_path: Path, size: int, translated_size: int) -> None:
    term, settled = " ".join(f"t{n}" for n in range(size)), " ".join(f"s{n}" for n in range(translated_size))
    text = f"Clean the {term} and close the lid."
    with new(tmp_path / "p") as engine:
        engine.learn("Clean the tray and close the lid.", "Limpie la bandeja y cierre la tapa.")
        engine.set_term(term, settled)
        for found in engine.translate(text, n=5, memory=False).nbest:
            assert settled in found.text.lower()
        with engine.interact(text) as session:
            assert settled in session.suggest("Limpie la ").text
            assert session.suggest("Vacíe la otra bandeja, ").text.startswith("Vacíe la otra bandeja, ")


def test_longer_phrases_stay_that_say_the_same(tmp_path: Path) -> None:
    with new(tmp_path / "p") as engine:
        for _ in range(3):
            engine.learn("the drip tray", "la bandeja de goteo")
        engine.set_term("tray", "bandeja")
        assert translated(engine, "the drip tray") == "la bandeja de goteo"


def test_a_glossary_comes_back_after_opening_again_and_after_a_replay(tmp_path: Path) -> None:
    with new(tmp_path / "p") as engine:
        engine.set_term("lid", "tapa")
        engine.save_snapshot()
        engine.set_term("tray", "bandeja")
        engine.glossary = engine.glossary | {"lid": "cubierta"}
        engine.remove_term("tray")
        assert_is_clean_replay(engine, tmp_path / "copy")
    with Engine.open(tmp_path / "p") as engine:
        assert engine.glossary == {"lid": "cubierta"}


@pytest.mark.parametrize("term", [("", "x"), ("x", ""), (" ", "x"), ("a " * 31, "x"), ("x", "\ud800")])
def test_what_is_no_term_is_refused_and_nothing_changes(tmp_path: Path, term: tuple[str, str]) -> None:
    with new(tmp_path / "p") as engine:
        engine.set_term("lid", "tapa")
        rows = engine._project.journal.last_id
        with pytest.raises(BadInputError):
            engine.set_term(*term)
        assert engine.glossary == {"lid": "tapa"}
        assert engine._project.journal.last_id == rows


def test_a_prefix_that_says_something_else_still_has_an_answer() -> None:
    models = ModelSet()
    source = ["clean", "the", "drip", "tray"]
    for _ in range(2):
        models.add(source, ["limpie", "la", "bandeja"])
    decoder = Decoder(models, Weights("moses"))
    terms = [Term(2, 4, ("colector", "de", "goteo"))]
    found = decoder.search(source, prefix=["limpie", "el"], terms=terms).best
    assert found.words[:2] == ("limpie", "el")
    assert "colector de goteo" in " ".join(found.words)
    other = decoder.search(source, prefix=["vacíe", "la", "bandeja", "negra"], terms=terms).best
    assert other.words[:4] == ("vacíe", "la", "bandeja", "negra")


words = st.sampled_from(["a", "B", "b", "c", "<i>"])


@settings(deadline=None)
@given(st.dictionaries(st.lists(words, min_size=1, max_size=3).map(" ".join), words), st.lists(words, max_size=8))
def test_terms_are_found_from_left_to_right_the_longest_first(terms: dict[str, str], sentence: list[str]) -> None:
    glossary = Glossary(terms, "words")
    found = {(term.start, term.end): term.words for term in glossary.find(sentence)}
    at = 0
    while at < len(sentence):  # the obvious way: try all lengths at each place
        for size in range(min(7, len(sentence) - at), 0, -1):
            here = sentence[at : at + size]
            fitting = [term for term in terms if _same(term.split(), here)]
            if fitting:
                assert found.pop((at, at + size)) in [(terms[term],) for term in fitting]
                at += size
                break
        else:
            at += 1
    assert not found


def _same(term: list[str], here: list[str]) -> bool:
    return len(term) == len(here) and all(
        t == w or (t.islower() and t == w.lower()) for t, w in zip(term, here, strict=True)
    )
