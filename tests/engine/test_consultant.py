"""A project over another engine: asked once, without being waited for, and learned with each correction."""

from __future__ import annotations

import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from dragoman import engine as engine_module
from dragoman.engine import Engine
from dragoman.errors import BadInputError
from dragoman.project.correction_record import answer_in
from dragoman.project.multiline import joined
from dragoman.project.provenance import changes_of
from dragoman.upstream import Answer, Scored
from dragoman.upstream.contract import Silence
from tests.engine.support import assert_is_clean_replay

pytestmark = pytest.mark.kernels

SAID = {
    "Open the lid.": "Abre la tapadera.",
    "Close the lid.": "Cierra la tapadera.",
    "Clean the lid now.": "Limpia la tapadera ahora.",
    "Dry the lid.": "Seca la tapadera.",
    "Wash the lid.": "Lava la tapadera.",
    "Lift the lid.": "Levanta la tapadera.",
    "  Open it slowly. ": "  Ábrela   despacio. ",
}
CORRECTED = {source: SAID[source].replace("tapadera", "tapa") for source in list(SAID)[:5]}


@pytest.fixture
def recorded(tmp_path: Path) -> str:
    file = tmp_path / "said.tsv"
    file.write_text("".join(f"{source}\t{said}\n" for source, said in SAID.items()), encoding="utf-8")
    return f"recorded:{file}"


@pytest.fixture
def engine(tmp_path: Path, recorded: str) -> Iterator[Engine]:
    with Engine.create(tmp_path / "p", source="en", target="es", upstream=recorded) as engine:
        yield engine


def test_with_nothing_learned_the_translation_is_the_engines_to_the_byte(engine: Engine) -> None:
    for source, said in SAID.items():
        found = engine.translate(source)
        assert (found.text, found.upstream) == (said, said)
    assert [each.text for each in engine.translate_all(SAID)] == list(SAID.values())


def test_corrections_change_what_the_engine_says_of_other_texts(engine: Engine) -> None:
    for source, target in CORRECTED.items():
        engine.learn(source, target)
    found = engine.translate("Lift the lid.")
    assert (found.text, found.upstream) == ("Levanta la tapa.", "Levanta la tapadera.")
    assert "tapadera" in " ".join(phrase.replaces for phrase in found.phrases)
    with engine.interact("Lift the lid.") as session:
        assert session.suggest("").text == "Levanta la tapa."
        assert session.suggest("L").text.startswith("Levanta la tapa")


def test_lines_from_the_engine_and_from_the_memory_are_joined(engine: Engine) -> None:
    engine.learn("Close the lid.", "Cierra la tapa.")
    fused, known, blank = (engine.translate(text) for text in ("Open the lid.", "Close the lid.", " "))
    assert fused.features.keys() > known.features.keys()
    for lines in ([fused, known], [known, fused]):
        found = joined(lines)
        assert (found.text, found.upstream) == ("".join(line.text for line in lines), None)
        assert found.features.keys() == fused.features.keys()
    assert joined([fused, blank, fused]).upstream == "Abre la tapadera. Abre la tapadera."


def test_an_explanation_names_the_corrections_that_changed_the_engines_words(engine: Engine) -> None:
    assert "That is the translation." in engine.explain("Open the lid.").note
    first, second = (engine.learn(source, CORRECTED[source]) for source in ("Close the lid.", "Dry the lid."))
    told = engine.explain("Open the lid.")
    assert [set(change.corrections) for change in told.changes] == [{first, second}]
    said, words = told.changes[0][:2]
    assert f"The engine said “{said}”; corrections {first} and {second} say “{words}”." in told.note
    assert words == said.replace("tapadera", "tapa") != said


def test_one_correction_is_enough_for_the_same_words(engine: Engine) -> None:
    engine.learn("Close the lid.", "Cierra la tapa.")
    assert engine.translate("Open the lid.").text == "Abre la tapa."


def test_an_engine_that_is_silent_leaves_dragomans_own_translation(engine: Engine) -> None:
    for source, target in CORRECTED.items():
        engine.learn(source, target)
    found = engine.translate("the lid")
    assert (found.text, found.upstream) == ("la tapa", None)


def test_a_correction_is_kept_with_what_the_engine_said_and_replayed_without_it(
    engine: Engine, tmp_path: Path, recorded: str
) -> None:
    numbers = [engine.learn(source, target) for source, target in CORRECTED.items()]
    said = [answer_in(engine.correction(number)) for number in numbers]
    assert [each and each.text for each in said] == [SAID[source] for source in CORRECTED]
    (tmp_path / "said.tsv").unlink()
    assert_is_clean_replay(engine, tmp_path / "again")
    Engine.copy(_closed(engine), tmp_path / "copy")
    with Engine.open(tmp_path / "copy") as copy:
        texts = [answer_in(row) for row in copy.corrections()]
        assert [each and each.text for each in texts] == [SAID[source] for source in CORRECTED]
        assert copy.upstream == recorded


def _closed(engine: Engine) -> Path:
    engine.close()
    return engine.path


def test_a_correction_of_the_same_text_is_not_asked_for(engine: Engine, monkeypatch: pytest.MonkeyPatch) -> None:
    engine.learn("Open the lid.", "Abra la tapa.")
    monkeypatch.setattr(engine._consultant, "ask", lambda *_, **__: pytest.fail("asked"))
    assert engine.translate("Open the lid.").text == "Abra la tapa."


def test_a_slow_engine_is_waited_for_no_longer_than_allowed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(engine_module, "UPSTREAM_SECONDS", 0.3)
    program = tmp_path / "slow.py"
    program.write_text("import time; time.sleep(60)", encoding="utf-8")
    with Engine.create(tmp_path / "p", source="en", target="es") as engine:
        engine.learn("Open the lid.", "Abra la tapa.")
        engine.upstream = f"command:{sys.executable} {program} #seconds=1"
        began = time.monotonic()
        found = engine.translate("the lid")
        assert (found.text, found.upstream) == ("la tapa", None)
        assert time.monotonic() - began < 20
        engine.upstream = None
        assert engine.translate("the lid").upstream is None


def test_names_are_checked_before_they_are_kept(engine: Engine) -> None:
    for wrong in ("nmt", "deepl:#key=abc", 3):
        with pytest.raises(BadInputError):
            engine.change_settings({"upstream": wrong})


def test_the_explanation_tells_what_the_engine_said(engine: Engine) -> None:
    for source, target in CORRECTED.items():
        engine.learn(source, target)
    assert "The other engine said: Levanta la tapadera." in engine.explain("Lift the lid.").note


@pytest.mark.parametrize("taught", [False, True])
def test_a_term_that_overrides_the_engine_is_marked_and_explained(engine: Engine, taught: bool) -> None:
    if taught:
        for verb, said in (("Print", "Imprima"), ("Read", "Lea")):
            engine.learn(f"{verb} the page.", f"{said} la página.", upstream=f"{said} la página.")
    engine.set_term("file", "fichero")
    found = engine.translate("Open the file.", upstream="Abra el archivo.")
    assert found.text == "Abra el fichero."
    assert [(phrase.kind, phrase.replaces) for phrase in found.phrases if phrase.replaces] == [("term", "archivo")]
    [change] = changes_of(found, engine.provenance(found))
    assert change.sentence == "The engine said “archivo”; the glossary says “fichero”."


def test_a_term_that_the_engine_uses_itself_replaces_nothing(engine: Engine) -> None:
    engine.set_term("file", "archivo")
    found = engine.translate("Open the file.", upstream="Abra el archivo.")
    assert found.text == "Abra el archivo."
    assert not any(phrase.replaces for phrase in found.phrases)


def test_other_translations_of_an_n_best_list_are_on_offer(tmp_path: Path) -> None:
    file = tmp_path / "nbest.tsv"
    entries = ("Abra el archivo.", -0.1), ("Abra el documento.", -0.3), ("", -5.0)
    file.write_text("".join(f"Open the file.\t{said}\t{score}\n" for said, score in entries), encoding="utf-8")
    with Engine.create(tmp_path / "n", source="en", target="es", upstream=f"recorded:{file}") as engine:
        assert engine.translate("Open the file.").text == "Abra el archivo."
        engine.learn("Close the window.", "Cierre la ventana.")
        found = engine.translate("Open the file.", n=30)
        assert (found.text, found.upstream) == ("Abra el archivo.", "Abra el archivo.")
        assert "Abra el documento." in [each.text for each in found.nbest]
        with engine.interact("Open the file.") as session:
            assert session.suggest("Abra el d").text == "Abra el documento."
            session.accept("Abra el documento.")
        assert engine.translate("Open the file.").text == "Abra el documento."


def test_a_caller_may_give_an_n_best_list(engine: Engine) -> None:
    engine.learn("Close the window.", "Cierre la ventana.")
    answer = Answer("Abra el archivo.", (Scored("Abra el archivo."), Scored("Abra el documento.")))
    found = engine.translate("Open the file.", upstream=answer, n=30)
    assert {"Abra el archivo.", "Abra el documento."} <= {each.text for each in found.nbest}


@pytest.mark.parametrize(
    "said", ["I'm sorry, but I can't help with that.", "Heben Sie den Deckel und die Klappe nicht."]
)
def test_what_failed_a_check_is_never_joined_with_what_was_learned(engine: Engine, said: str) -> None:
    engine.learn("Close the lid.", "Cierre la tapa.", upstream="Cierra la tapa.")
    assert engine.translate("Raise quickly both heavy wooden covers.", upstream=said).text == said  # the caller's word
    found = engine.translate("Close the lid and the cover.", upstream=said)
    assert (found.upstream, "lid" in found.text) == (None, False)


def test_a_text_that_a_live_engine_refuses_stays_as_it_is(tmp_path: Path) -> None:
    script = tmp_path / "refuses.py"
    script.write_text('import sys\nfor _ in sys.stdin: print("I am sorry, but I cannot help with that.")\n')
    name = f"command:{sys.executable} {script}"
    with Engine.create(tmp_path / "q", source="en", target="es", upstream=name) as engine:
        found = engine.translate("Raise both covers.")
        assert (found.text, found.upstream_flaw) == ("Raise both covers.", Silence.REFUSED)
