"""A request is read once: one translation, or all keys of a session, share what was made of it."""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from importlib import import_module
from pathlib import Path
from types import FrameType
from typing import Any

import pytest

from dragoman.engine import Engine
from dragoman.project import translator
from dragoman.project.glossary import Glossary, TermRules
from dragoman.project.memory import Memory
from dragoman.project.request import Request
from dragoman.records import Match, Sentence
from dragoman.search.constrained import Prefix
from dragoman.search.decoder import Decoder
from dragoman.search.options import SentenceOptions
from dragoman.upstream.checks import refuse_sentence
from dragoman.upstream.contract import Silence
from tests.engine.support import PAIRS

pytestmark = pytest.mark.kernels

SOURCE, SAID = "Press the green button.", "Apriete el botón verde."
PACKAGES = "engine", "project.", "search.", "upstream.", "interactive.", "adapt."
DECIDING = tuple(f"dragoman.{each}" for each in PACKAGES)
PREFIXES = [(), ("pulse",), ("zzz",), ("zzz", "el"), ("apriete", "la"), ("qq", "zzz")]


@pytest.fixture
def engine(tmp_path: Path) -> Engine:
    engine = Engine.create(tmp_path / "p", source="en", target="es")
    for f, e in PAIRS[:20]:
        engine.learn(f, e, force=True)
    engine.learn("Press the red button.", "Pulse el botón rojo.", upstream="Apriete el botón rojo.", force=True)
    return engine


@pytest.mark.parametrize("said", [SAID, None])
@pytest.mark.parametrize("terms", [{}, {"green button": "pulsador verde"}])
def test_searches_with_options_that_were_kept_find_the_same(
    engine: Engine, said: str | None, terms: dict[str, str]
) -> None:
    for term, target in terms.items():
        engine.set_term(term, target)
    with engine.opened.reading() as state:
        source = state.knowledge.source.read(SOURCE)
        request = Request(state, source, said)
        for words in [*PREFIXES, *PREFIXES]:
            kept = request.search(Prefix(words), "fast")
            fresh = Request(state, source, said).search(Prefix(words), "fast")
            assert [(each.words, each.score) for each in kept.nbest(20)] == [
                (each.words, each.score) for each in fresh.nbest(20)
            ]


def test_options_are_collected_once_for_all_keys_until_something_is_learned(
    engine: Engine, monkeypatch: pytest.MonkeyPatch
) -> None:
    collected: list[str] = []

    collect = SentenceOptions.collect

    def counted(options: SentenceOptions, **named: Any) -> SentenceOptions:
        collected.append("")
        return collect(options, **named)

    monkeypatch.setattr(SentenceOptions, "collect", counted)
    with engine.interact(SOURCE, mode="search", upstream=SAID) as session:
        for end in range(1, len(SAID)):
            session.suggest(SAID[:end])
        assert len(collected) == 1
        assert session.nbytes > 0
        engine.learn("green", "verdoso", force=True)
        session.suggest("Apriete el bot")
        assert len(collected) <= 2
        session.suggest("Oprima el bot")
        assert len(collected) == 2


@contextmanager
def counting(monkeypatch: pytest.MonkeyPatch) -> Iterator[Counter[str]]:
    """Count what a translation makes: tokens, searches of the glossary, lists of banned words, decoders."""
    made: Counter[str] = Counter()

    def count(owner: Any, name: str, what: str) -> None:
        original = getattr(owner, name)

        def counted(*given: Any, **named: Any) -> Any:
            made[what] += 1
            return original(*given, **named)

        monkeypatch.setattr(owner, name, counted)

    for module in ("text.language_side", "upstream.checks", "project.glossary", "interactive.session_search"):
        count(import_module(f"dragoman.{module}"), "split", "texts split")
    count(Glossary, "find", "searches of the glossary")
    count(TermRules, "banned", "lists of banned words")
    count(Decoder, "__init__", "decoders")
    count(SentenceOptions, "collect", "collections of options")
    yield made
    monkeypatch.undo()


ONCE = {"searches of the glossary": 1, "lists of banned words": 1, "decoders": 1, "collections of options": 1}


def test_a_translation_over_an_answer_makes_everything_once(engine: Engine, monkeypatch: pytest.MonkeyPatch) -> None:
    engine.set_term("green button", "pulsador verde")
    with counting(monkeypatch) as made:
        translation = engine.translate("Press the green button twice.", upstream="Apriete el botón verde dos veces.")
    assert translation.upstream and "pulsador verde" in translation.text
    assert made == {"texts split": 2, **ONCE}  # the source and the answer


def test_a_translation_without_another_engine_makes_everything_once(
    engine: Engine, monkeypatch: pytest.MonkeyPatch
) -> None:
    with counting(monkeypatch) as made:
        engine.translate("Press the green button twice.")
    assert made == {"texts split": 1, **ONCE}


def test_without_another_engine_nobody_looks_whether_it_need_not_be_asked(
    engine: Engine, monkeypatch: pytest.MonkeyPatch
) -> None:
    exact, asked = Memory.exact, list[str]()

    def counted(memory: Memory, text: str) -> Match | None:
        asked.append(text)
        return exact(memory, text)

    monkeypatch.setattr(Memory, "exact", counted)
    engine.translate("Press the green button twice.")
    assert not asked


def test_a_session_makes_one_decoder_for_each_beam(engine: Engine, monkeypatch: pytest.MonkeyPatch) -> None:
    with counting(monkeypatch) as made, engine.interact(SOURCE, mode="search", upstream=SAID) as session:
        for end in range(1, len(SAID)):
            session.suggest(SAID[:end])
    assert made["searches of the glossary"] == made["lists of banned words"] == made["collections of options"] == 1
    assert made["decoders"] <= 3  # to open, between two keys, and where there is time


def module_of(frame: FrameType | None) -> str | None:
    """The module of the nearest function of the packages that decide; values are made, not walked through."""
    while frame is not None:
        module, code = str(frame.f_globals.get("__name__")), frame.f_code
        if module.startswith(DECIDING) and not module.endswith("_kernels") and code.co_filename != "<string>":
            return module
        frame = frame.f_back
    return None


def test_few_modules_have_a_part_in_a_translation(engine: Engine) -> None:
    """Those that hand control on are what one reads to follow it; the others are asked one thing, and answer.

    Of the packages that decide, kernels not counted: models, texts and tables do what they are told.
    """
    text, answer = "Press the green button twice.", "Apriete el botón verde dos veces."
    engine.translate(text, upstream=answer)
    met, handing_on = set[str](), set[str]()

    def note(frame: FrameType, event: str, _: object) -> None:
        module, caller = module_of(frame), module_of(frame.f_back)
        if event == "call" and module is not None:
            met.add(module)
            if caller not in (None, module):
                handing_on.add(str(caller))

    engine.learn("The lid.", "La tapa.", force=True)
    sys.setprofile(note)
    try:
        engine.translate(text, upstream=answer)
    finally:
        sys.setprofile(None)
    assert len(handing_on - {__name__}) <= 15, sorted(handing_on)
    assert len(met) <= 15, sorted(met)


def test_an_answer_that_was_just_translated_with_is_not_checked_again(
    engine: Engine, monkeypatch: pytest.MonkeyPatch
) -> None:
    checked: list[str] = []

    def counted(source: Sentence, answer: Sentence, language: str) -> Silence | None:
        checked.append(answer.text)
        return refuse_sentence(source, answer, language)

    monkeypatch.setattr(translator, "refuse_sentence", counted)
    engine.translate(SOURCE, upstream=SAID)
    engine.learn(SOURCE, "Pulse el botón verde.", upstream=SAID)
    assert checked == [SAID]
    engine.learn("Press the red button.", "Pulse el botón rojo.", upstream=SAID)
    assert checked == [SAID, SAID]


def test_several_people_translate_before_each_learns_and_nothing_is_searched_twice(
    engine: Engine, monkeypatch: pytest.MonkeyPatch
) -> None:
    said = {text: f"Apriete {number}." for number, text in enumerate(("Press one.", "Press two.", "Press three."))}
    for text, answer in said.items():
        engine.translate(text, upstream=answer)
    with counting(monkeypatch) as made:
        for text, answer in said.items():
            engine.translate(text, upstream=answer)
    assert made["decoders"] == made["collections of options"] == 0
