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
from dragoman.project import glossary as module
from dragoman.project.glossary import Glossary
from dragoman.records import Term
from dragoman.search.decoder import Decoder
from dragoman.text.tokens import Mode
from tests.engine.support import assert_is_clean_replay, new
from tests.oracles import glossary as oracle

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


@pytest.mark.parametrize(
    "term", [("", "x"), ("x", ""), (" ", "x"), ("a " * 31, "x"), ("x", "\ud800"), ("x", "y " * 501), ("x" * 4001, "y")]
)
def test_what_is_no_term_is_refused_and_nothing_changes(tmp_path: Path, term: tuple[str, str]) -> None:
    with new(tmp_path / "p") as engine:
        engine.set_term("lid", "tapa")
        rows = engine.opened.store.journal.last_id
        with pytest.raises(BadInputError):
            engine.set_term(*term)
        assert engine.glossary == {"lid": "tapa"}
        assert engine.opened.store.journal.last_id == rows


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


words = st.sampled_from(["a", "B", "b", "Ab", "ab", "AB", ".", "<i>"])
terms = st.dictionaries(st.lists(words, min_size=1, max_size=4).map(" ".join), words, max_size=12)
modes: st.SearchStrategy[Mode] = st.sampled_from(["text", "words"])


@settings(deadline=None)
@given(terms, st.dictionaries(st.sampled_from(["a", "a B", "Ab"]), st.none() | words), st.data(), modes)
def test_terms_are_found_from_left_to_right_the_longest_first(
    first: dict[str, str], changes: dict[str, str | None], data: st.DataObject, mode: Mode
) -> None:
    glossary = Glossary(first, mode)
    glossary.change(changes)
    wanted = {source: target for source, target in (first | changes).items() if target is not None}
    assert list(glossary.terms.items()) == sorted(wanted.items())
    sentence = data.draw(st.lists(words, max_size=8))
    fixed = data.draw(st.lists(st.booleans(), min_size=len(sentence), max_size=len(sentence)))
    assert glossary.find(sentence, fixed) == oracle.find(wanted, mode, sentence, fixed)


@settings(deadline=None)
@given(terms, terms)
def test_terms_that_were_added_and_removed_leave_no_trace(before: dict[str, str], more: dict[str, str]) -> None:
    glossary, added = Glossary(before), {source: said for source, said in more.items() if source not in before}
    glossary.change(added)
    glossary.change(dict.fromkeys(added))
    assert vars(glossary) | {"_in_order": None} == vars(Glossary(before)) | {"_in_order": None}


@pytest.mark.parametrize("shared", [1, 29])
def test_terms_that_begin_alike_are_not_compared_one_by_one(shared: int, monkeypatch: pytest.MonkeyPatch) -> None:
    compared = []
    monkeypatch.setattr(module, "_stands_for", lambda *words: compared.append(words))
    glossary = Glossary({" ".join([*["the"] * shared, f"w{n}"]): "x" for n in range(2_000)})
    assert glossary.find(["the"] * 1_000) == []
    assert not compared


def test_terms_that_prescribe_too_long_a_translation_are_refused(tmp_path: Path) -> None:
    with new(tmp_path / "p") as engine:
        engine.set_term("lid", "tapa " * 500)
        assert translated(engine, "lid " * 10).lower().count("tapa") == 5_000
        with pytest.raises(BadInputError, match="glossary"):
            engine.translate("lid " * 1_000)


def test_many_single_terms_are_covered_by_a_snapshot(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("dragoman.engine.SNAPSHOT_EVERY", 5)
    with new(tmp_path / "p") as engine:
        for n in range(7):
            engine.set_term(f"lid {n}", "tapa")

        engine.opened._saver.wait()
        assert engine.opened.state.saved >= 5


def test_terms_of_an_old_journal_stay_in_force_whatever_the_limits(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with new(tmp_path / "p") as engine:
        engine.set_term("lid", "la tapa")
        engine.set_term("drip tray", "bandeja")
    monkeypatch.setattr(module, "MAX_TRANSLATION_WORDS", 1)
    monkeypatch.setattr(module, "MAX_CHARACTERS", 3)
    with Engine.open(tmp_path / "p") as engine:
        assert engine.glossary == {"drip tray": "bandeja", "lid": "la tapa"}
        with pytest.raises(BadInputError):
            engine.set_term("lid", "una tapa")
