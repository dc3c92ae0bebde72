"""Over another engine: nothing is made worse for want of knowledge, and the journal knows all that was learned."""

from __future__ import annotations

import random
from collections.abc import Callable
from pathlib import Path

import pytest

from dragoman import sample
from dragoman.adapt import PassiveAggressive
from dragoman.engine import Engine
from dragoman.project.correction_record import answer_in
from tests.engine.support import PAIRS, arrays_of, assert_is_clean_replay, assert_same

pytestmark = pytest.mark.kernels

ODD = ["  Hola ,  mundo !", "línea\ttab", "😀 <b>x</b> {0}", "«¿Qué?»  …", "e\u0301", "MAYÚSCULAS y minúsculas"]


def new(path: Path) -> Engine:
    return Engine.create(path, source="en", target="es")


def garbled(text: str, chance: random.Random) -> str:
    """What an engine might say that does not know the subject: some words are others."""
    words = text.split(" ")
    return " ".join(word if chance.random() < 0.7 else word[::-1] for word in words)


def learn_some(engine: Engine, count: int) -> list[int]:
    chance = random.Random(5)
    return [engine.learn(f, e, upstream=garbled(e, chance), upstream_name="test", force=True) for f, e in PAIRS[:count]]


@pytest.mark.parametrize("said", ODD)
def test_with_nothing_learned_it_says_what_the_engine_says_to_the_byte(said: str, tmp_path: Path) -> None:
    with new(tmp_path / "p") as engine:
        found = engine.translate("Hello, world!", upstream=said)
        assert (found.text, found.upstream) == (said, said)
        assert engine.translate("Hello, world!", upstream=said, n=5).nbest[0].text == said


@pytest.mark.parametrize("said", ODD)
def test_a_sentence_that_nothing_learned_touches_is_the_engines_to_the_byte(said: str, tmp_path: Path) -> None:
    with new(tmp_path / "p") as engine:
        engine.learn("Descale it monthly.", "Descalcifíquela cada mes.", upstream="Descaleéla mensualmente.")
        assert engine.translate("zum xyzzy quux", upstream=said).text == said


def test_what_corrections_replaced_is_replaced_in_the_next_sentence(tmp_path: Path) -> None:
    with new(tmp_path / "p") as engine:
        for f, e in (
            ("Open", "Abra"),
            ("Close", "Cierre"),
            ("Print", "Imprima"),
            ("Read", "Lea"),
            ("Move", "Mueva"),
        ) * 2:
            engine.learn(f"{f} the file.", f"{e} el fichero.", upstream=f"{e} el archivo.")
        assert (
            engine.translate("Delete the file now.", upstream="Borre el archivo ahora.").text
            == "Borre el fichero ahora."
        )


def test_an_empty_answer_leaves_it_to_what_was_learned(tmp_path: Path) -> None:
    with new(tmp_path / "p") as engine:
        engine.learn("green button", "botón verde")
        assert engine.translate("green button", upstream="", memory=False).text == "botón verde"


def test_a_correction_of_the_same_text_comes_before_the_engine(tmp_path: Path) -> None:
    with new(tmp_path / "p") as engine:
        engine.learn("green button", "botón verde", upstream="verde")
        found = engine.translate("green button", upstream="verde")
        assert (found.text, found.memory, found.upstream) == ("botón verde", 1, "verde")


def test_replaying_needs_no_engine_and_gives_the_same_bits(tmp_path: Path) -> None:
    engine = new(tmp_path / "p")
    numbers = learn_some(engine, 40)
    engine.forget(numbers[3])
    engine.save_snapshot()
    engine.learn(*PAIRS[50])
    engine.revise(numbers[5], PAIRS[5][1] + " ya", force=True)
    assert_is_clean_replay(engine, tmp_path / "copy")
    row = engine.opened.store.journal.get(numbers[0])
    said = answer_in(row)
    assert said is not None
    assert said.engine == "test"
    engine.close()
    with Engine.open(tmp_path / "p", write=False) as reader:
        assert_same(arrays_of(reader), arrays_of(engine))


def test_forgetting_restores_every_array(tmp_path: Path) -> None:
    with new(tmp_path / "p") as engine:
        empty = arrays_of(engine)
        numbers = learn_some(engine, 30)
        random.Random(2).shuffle(numbers)
        for number in numbers:
            engine.forget(number)
        assert_same(arrays_of(engine), empty)


def test_forgetting_the_newest_restores_what_was_counted(tmp_path: Path) -> None:
    with new(tmp_path / "p") as engine:
        learn_some(engine, 10)
        before = engine.opened.state.replacements.table.contents()
        number = engine.learn(*PAIRS[20], upstream="algo del todo distinto", force=True)
        engine.forget(number)
        after = engine.opened.state.replacements.table.contents()
        assert all((before[name] == after[name]).all() for name in before)


def test_weights_over_an_engine_adapt_by_themselves_and_replay(tmp_path: Path) -> None:
    with new(tmp_path / "p") as engine:
        engine.adapter = PassiveAggressive(nbest=20, mode="live")
        before = dict(engine.opened.state.fused_weights), dict(engine.weights)
        learn_some(engine, 40)
        assert dict(engine.opened.state.fused_weights) != before[0]
        assert engine.weights == before[1]
        assert_is_clean_replay(engine, tmp_path / "copy")


def test_long_texts_are_joined_or_left_to_the_engine(tmp_path: Path) -> None:
    with new(tmp_path / "p") as engine:
        engine.learn("a word", "una palabra", upstream="una palabra")
        for words in (70, 200, 600):
            source, said = " ".join(["word"] * words), " ".join(f"w{n}" for n in range(words))
            assert engine.translate(source, upstream=said).text


VERBS = {"Open": "Abra", "Close": "Cierre", "Print": "Imprima", "Read": "Lea", "Move": "Mueva"}


def test_a_long_text_is_joined_sentence_by_sentence(tmp_path: Path) -> None:
    with new(tmp_path / "p") as engine:
        for f, e in list(VERBS.items()) * 3:
            engine.learn(f"{f} the file.", f"{e} el fichero.", upstream=f"{e} el archivo.")
        source = " ".join(f"{f} the file." for f in VERBS for _ in range(10))
        said = " ".join(f"{e} el archivo." for e in VERBS.values() for _ in range(10))
        found = engine.translate(source, upstream=said, memory=False)
        assert found.text == said.replace("archivo", "fichero")
        assert [phrase.replaces for phrase in found.phrases if phrase.replaces] == ["archivo"] * 50
        with engine.interact(source, upstream=said, memory=False) as session:
            assert session.suggest("").text == found.text


def test_a_long_sentence_is_cut_where_the_alignment_allows(tmp_path: Path) -> None:
    with new(tmp_path / "p") as engine:
        for f, e in list(VERBS.items()) * 3:
            engine.learn(f"{f} the file,", f"{e} el fichero,", upstream=f"{e} el archivo,")
        source = " ".join(f"{f} the file," for f in VERBS for _ in range(10))
        said = " ".join(f"{e} el archivo," for e in VERBS.values() for _ in range(10))
        found = engine.translate(source, upstream=said)
        assert found.text.replace("fichero", "archivo") == said
        assert found.text.count("fichero") > 25


def test_a_long_text_that_cannot_be_cut_is_left_to_the_engine(tmp_path: Path) -> None:
    with new(tmp_path / "p") as engine:
        engine.learn("Open the file.", "Abra el fichero.", upstream="Abra el archivo.")
        said = " ".join(f"w{n}" for n in range(500))
        assert engine.translate("Open the file " * 60, upstream=said).text == said


def test_the_sample_is_translated_better_than_by_either_alone(tmp_path: Path) -> None:
    chance, pairs = random.Random(1), sample.pairs()[:150]
    heard = [garbled(e, chance) for _, e in pairs]
    right = {"alone": 0, "engine": 0, "fused": 0}
    with new(tmp_path / "alone") as alone, new(tmp_path / "fused") as fused:
        for (f, e), m in zip(pairs, heard, strict=True):
            texts = {"alone": alone.translate(f).text, "engine": m, "fused": fused.translate(f, upstream=m).text}
            for name, text in texts.items():
                right[name] += len(set(text.split()) & set(e.split()))
            alone.learn(f, e, force=True)
            fused.learn(f, e, upstream=m, force=True)
    assert right["fused"] > max(right["alone"], right["engine"])


@pytest.mark.parametrize("damage", [str.upper, str.lower])
def test_the_case_of_an_engine_that_gets_it_wrong_is_corrected(damage: Callable[[str], str], tmp_path: Path) -> None:
    with new(tmp_path / "p") as engine:
        for f, e in VERBS.items():
            engine.learn(
                f"{f} the file in Madrid.", f"{e} el fichero de Madrid.", upstream=damage(f"{e} el fichero de Madrid.")
            )
        assert engine.translate("Delete it now.", upstream=damage("Bórrelo ahora.")).text == "Bórrelo ahora."
        assert_is_clean_replay(engine, tmp_path / "copy")
        for row in engine.history(10):
            engine.forget(row.id)
        assert engine.translate("Delete it now.", upstream=damage("Bórrelo ahora.")).text == damage("Bórrelo ahora.")


def test_the_case_of_an_engine_that_gets_it_right_is_kept(tmp_path: Path) -> None:
    with new(tmp_path / "p") as engine:
        for f, e in VERBS.items():
            engine.learn(f"{f} the file.", f"{e} el Fichero.", upstream=f"{e} el Fichero.")
        assert engine.translate("Delete the Inbox now.", upstream="Borre ya la Bandeja.").text == "Borre ya la Bandeja."


@pytest.mark.parametrize(
    "said", ["la " * 40, "Press the green button on the lid.", "Нажмите зелёную кнопку на крышке."]
)
def test_what_looks_wrong_is_not_used_where_dragoman_knows_the_words(said: str, tmp_path: Path) -> None:
    with new(tmp_path / "p") as engine:
        for f, e in (("Press the green button.", "Pulse el botón verde."), ("on the lid", "de la tapa")):
            engine.learn(f, e, upstream=e)
        found = engine.translate("Press the green button on the lid.", upstream=said)
        assert (found.text, found.upstream) == ("Pulse el botón verde de la tapa.", None)
        assert engine.translate("Close your seven valves now please.", upstream="la " * 40).upstream == "la " * 40


NAMES = "击败 了 FLuffy Gangster, Flidi3 和 HellRaiser 决赛."


def test_an_answer_that_only_looks_wrong_is_used_and_marked(tmp_path: Path) -> None:
    source = "OpTic defeated the Gangsters, Flipdi3 and HellRaisers to reach the final."
    with Engine.create(tmp_path / "p", source="en", target="zh") as engine:
        for f, e in (("They defeated the team.", "他们 击败 了 球队."), ("They reach the final.", "他们 到达 决赛.")):
            engine.learn(f, e, upstream=e)
        found = engine.translate(source, upstream=NAMES)
        assert (found.text, found.upstream, found.upstream_flaw) == (NAMES, NAMES, "wrong language")
        assert engine.translate(source, upstream="...").upstream is None  # that says nothing at all


def test_a_list_of_names_stays_what_the_engine_says(tmp_path: Path) -> None:
    source = "anna, bertha, carla, dora and emma"
    with Engine.create(tmp_path / "p", source="en", target="de") as engine:
        engine.learn("carla and emma wait", "carla und emma warten", upstream="carla und emma warten")
        found = engine.translate(source, upstream=source)
        assert (found.text, found.upstream_flaw) == (source, "wrong language")


def test_an_answer_that_has_lost_half_of_its_source_is_marked(tmp_path: Path) -> None:
    with new(tmp_path / "p") as engine:
        for f, e in list(VERBS.items()) * 5:
            engine.learn(f"{f} the old file of the other user.", f"{e} el viejo archivo del otro usuario.")
        source = "Print the old file, close the window and move the other file to the folder of the user."
        assert engine.translate(source, upstream="Imprima el archivo antiguo.").upstream_flaw == "short"
        whole = "Imprima el archivo antiguo, cierre la ventana y mueva el otro a la carpeta del usuario."
        assert engine.translate(source, upstream=whole).upstream_flaw is None
