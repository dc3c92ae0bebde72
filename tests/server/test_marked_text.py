"""Markup over the interfaces: slots come back complete, in order, and spaced as they were sent."""

from __future__ import annotations

import random
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from dragoman.engine import Engine
from dragoman.server.marked_text import Entities, translate_marked
from tests.server.support import PAIRS

MORE = [
    ("Open the lid now.", "Abra ahora la tapa."),
    ("Use clean water and close the lid.", "Use agua limpia y cierre la tapa."),
    ("Fill it with water & clean the tray.", "Llénelo de agua y limpie la bandeja."),
    ("Salt & pepper", "Sal & pimienta"),
    ("the file of {owner} in {folder} now", "ahora en {folder} el archivo de {owner}"),
]
STYLES = ["[X{}X]", "{{{}}}", '<x id="{}"/>', "%({})s", '<g id="{}">', "${{v{}}}"]
SLOT = re.compile(r'\[X\d+X\]|\{\d+\}|<x id="\d+"/>|%\(\d+\)s|</?g(?: id="\d+")?>|\$\{v\d+\}')


@pytest.fixture(scope="module")
def engine(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Engine]:
    with Engine.create(tmp_path_factory.mktemp("marked") / "manual", source="en", target="es") as made:
        for source, target in PAIRS + MORE:
            made.learn(source, target)
        yield made


@pytest.mark.parametrize(
    ("source", "target"),
    [
        ("Open [X5X]the lid[X15X] now.", "Abra ahora [X5X]la tapa[X15X]."),
        ("Open {0}the lid{1} again.", "Abra {0}la tapa{1} again."),
        ('Open <x id="1"/>the lid<x id="2"/> again.', 'Abra <x id="1"/>la tapa<x id="2"/> again.'),
        ("Fill it with water &amp; clean the tray.", "Llénelo de agua y limpie la bandeja."),
        ("Salt &amp; pepper", "Sal &amp; pimienta"),
        ("&lt;b&gt;Open the lid.&lt;/b&gt;", "&lt;b&gt;Abra la tapa.&lt;/b&gt;"),
    ],
)
def test_pairs_and_entities_come_back_as_they_were_sent(engine: Engine, source: str, target: str) -> None:
    assert translate_marked(engine, source).text == target


def test_a_taught_phrase_may_change_the_order_of_its_slots(engine: Engine) -> None:
    found = translate_marked(engine, "the file of {owner} in {folder} now").text
    assert found == "ahora en {folder} el archivo de {owner}"


def test_a_correction_with_other_slots_is_used_with_those_of_the_text(engine: Engine) -> None:
    number = engine.learn("Wipe <b>the tray</b> of {name}.", "Limpie <b>la bandeja</b> de {name}.")
    assert translate_marked(engine, "Wipe [X5X]the tray[X9X] of [X3X].").text == "Limpie [X5X]la bandeja[X9X] de [X3X]."
    engine.forget(number)


def test_entities_for_spaces_stay_where_they_are(engine: Engine) -> None:
    assert "&nbsp;" in translate_marked(engine, "Press&nbsp;the green button.").text


def test_an_ampersand_that_was_not_escaped_is_not_escaped() -> None:
    assert Entities("R & D &nbsp; x").encode("I & D &nbsp; x") == "I & D &nbsp; x"
    assert Entities("a &lt; b").encode("a < b & c") == "a &lt; b &amp; c"
    assert Entities('<b title="x">a &amp; b</b>').encode('<b title="x">a & b</b>') == '<b title="x">a &amp; b</b>'


def marked(dice: random.Random) -> str:
    """A sentence with one to three pairs of slots around some of its words."""
    words = " ".join(dice.choice([source for source, _ in PAIRS]) for _ in range(dice.randint(1, 2))).split()
    style, numbers = dice.choice(STYLES), iter(dice.sample(range(1, 60), 10))
    places = sorted(dice.sample(range(len(words) + 1), 2 * dice.randint(1, min(3, len(words) // 2))))
    for begin, end in reversed(list(zip(places[::2], places[1::2], strict=True))):
        opening = style.format(next(numbers))
        closing = "</g>" if style.startswith("<g") else style.format(next(numbers))
        stop = re.sub(r"\w+", "", words[end - 1]) if dice.random() < 0.5 else ""
        words[end - 1] = words[end - 1].removesuffix(stop) + closing + stop
        words[begin] = opening + words[begin]
    return " ".join(words)


def spacing(text: str) -> list[tuple[str, bool, bool]]:
    """Each slot, and whether it is joined to a word before and after it."""
    found = SLOT.finditer(text)
    return [(one[0], text[: one.start()][-1:].isalnum(), text[one.end() :][:1].isalnum()) for one in found]


def faults(engine: Engine, count: int, seed: int) -> list[tuple[str, str]]:
    """Random segments whose slots do not come back as they were sent, with their translations."""
    dice = random.Random(seed)
    wrong = []
    for _ in range(count):
        source = marked(dice)
        target = translate_marked(engine, source).text
        if spacing(source) != spacing(target):
            wrong.append((source, target))
    return wrong


def test_pairs_are_never_swapped_lost_or_respaced(engine: Engine) -> None:
    assert faults(engine, 300, seed=5) == []


def test_projects_of_words_are_translated_as_they_are(tmp_path: Path) -> None:
    with Engine.create(tmp_path / "words", source="en", target="es", tokens="words") as made:
        made.learn("a & b", "c & d")
        assert translate_marked(made, "x &amp; y").text == "x &amp; y"
