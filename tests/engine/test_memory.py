"""The translation memory: exact matches come first, near ones beside; it follows what is learned and forgotten."""

from __future__ import annotations

import random
from pathlib import Path
from unittest import mock

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from rapidfuzz import fuzz

from dragoman.engine import Engine
from dragoman.project.memory import LEAST_SIMILARITY, MAX_PORTION, MAX_WORK, MOST_MATCHES, Memory
from dragoman.records import Match
from tests.engine.support import PAIRS, new


def test_the_newest_correction_of_the_same_source_comes_first(tmp_path: Path) -> None:
    path = tmp_path / "project"
    with new(path) as engine:
        for pair in PAIRS[:30]:
            engine.learn(*pair)
        first = engine.learn("Close the lid.", "Cierra la tapa.")
        second = engine.learn(" Close the lid. ", "Cierre la tapa")
        found = engine.translate("Close the lid.\n", n=3)
        assert (found.text, found.memory) == ("Cierre la tapa\n", second)
        assert found.matches[0] == Match(100, second, " Close the lid. ", "Cierre la tapa")
        assert [each.memory for each in found.nbest] == [second, None, None]
        assert found.nbest[1].text != found.text
        assert found.features.keys() == engine.weights.keys()
        assert (0, 0) in found.alignment
        engine.forget(second)
        assert engine.translate("Close the lid.").memory == first
        third = engine.revise(first, "¡Cierra la tapa!")
        assert engine.translate("Close the lid.").text == "¡Cierra la tapa!"
    with Engine.open(path) as engine:
        assert engine.translate("Close the lid.").memory == third
        engine.forget(third)
        assert engine.translate("Close the lid.").memory is None


def test_similar_sources_are_offered_beside(tmp_path: Path) -> None:
    with new(tmp_path / "project") as engine:
        engine.learn("Press the green button twice.", "Pulse dos veces el botón verde.")
        engine.learn("Close the lid.", "Cierre la tapa.")
        found = engine.translate("Press the red button twice.")
        assert found.memory is None
        assert [match.id for match in found.matches] == [1]
        assert 80 < found.matches[0].similarity < 100


def test_the_memory_can_be_switched_off(tmp_path: Path) -> None:
    path = tmp_path / "project"
    with new(path) as engine:
        engine.learn("Close the lid.", "Cierre la tapa.")
        for without in (engine.translate("Close the lid.", memory=False),):
            assert (without.memory, without.matches) == (None, [])
            assert without.phrases[0].kind == "phrase"
        engine.memory = False
        assert engine.translate("Close the lid.").memory is None
        assert engine.translate("Close the lid.", memory=True).memory == 1
    with Engine.open(path, memory=False) as engine:
        assert engine.translate("Close the lid.").memory is None


def similar(memory: Memory, text: str) -> list[tuple[float, int]]:
    return [(match.similarity, match.id) for match in memory.similar(text)]


words = st.text("ab ", max_size=8)
actions = st.lists(st.one_of(words, st.integers(0, 20)), max_size=30)


@settings(max_examples=200)
@given(actions, words, st.sampled_from([1, MAX_PORTION]))
def test_matches_are_those_of_comparing_with_every_source(actions: list[str | int], query: str, portion: int) -> None:
    with mock.patch("dragoman.project.memory.MAX_PORTION", portion):
        check_matches(actions, query)


def check_matches(actions: list[str | int], query: str) -> None:
    memory = Memory()
    texts: dict[int, str] = {}
    for number, action in enumerate(actions):
        if isinstance(action, str):
            memory.add(number, action, f"target {number}")
            texts[number] = action
        else:
            memory.remove(action)
            texts.pop(action, None)
    newest = {text.strip(): number for number, text in texts.items()}
    scores = [(fuzz.ratio(query.strip(), text), text, number) for text, number in newest.items()]
    ranked = sorted((-score, len(text), text, number) for score, text, number in scores if score >= LEAST_SIMILARITY)
    expected = [(-score, number) for score, _, _, number in ranked][:MOST_MATCHES]
    assert similar(memory, query) == expected
    exact = memory.exact(query)
    assert (exact and exact.id) == newest.get(query.strip())
    again = Memory.from_arrays(memory.arrays())
    assert similar(again, query) == expected
    assert len(again) == len(memory) == len(texts)


def test_any_text_comes_back_from_the_arrays() -> None:
    memory = Memory()
    texts = {3: ("", "ñ"), 5: ("🙂\x00", ""), 9: ("水", "a\nb")}
    for number, pair in texts.items():
        memory.add(number, *pair)
    again = Memory.from_arrays(memory.arrays())
    assert again._texts == texts


def test_the_same_text_comes_first_however_many_are_as_long() -> None:
    memory = Memory()
    for number in range(12_000):
        memory.add(number + 1, f"Error {number:06}", "…")
    assert similar(memory, " Error 011999 ")[0] == (100.0, 12_000)
    assert len(similar(memory, "Error 011999")) == 5


def long_text(chance: random.Random, words: int) -> str:
    return " ".join("".join(chance.choices("abcdefghijklmnopqrstuvwxyz", k=8)) for _ in range(words))


def test_of_long_texts_the_most_similar_are_found_and_their_similarity_is_exact() -> None:
    chance, memory = random.Random(1), Memory()
    texts = [long_text(chance, chance.randrange(350, 500)) for _ in range(100)]
    for number, text in enumerate(texts, start=1):
        memory.add(number, text, "…")
    words = texts[41].split()
    query = " ".join([*words[:100], "something", "else", *words[120:]])
    assert similar(memory, query) == [(fuzz.ratio(query, texts[41]), 42)]


@pytest.mark.parametrize(("characters", "sources"), [(30, 2_000), (1_900, 2_000), (19_800, 50)])
def test_the_work_of_comparing_is_bounded_whatever_the_length(
    characters: int, sources: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    chance, memory, done = random.Random(1), Memory(), list[int]()
    for number in range(sources):
        memory.add(number, "".join(chance.choices("abc ", k=characters)), "…")
    query = "".join(chance.choices("abc ", k=characters))

    def count(text: str, candidates: list[str], **_: object) -> list[tuple[str, float, int]]:
        done.extend(len(candidate) * len(text) // 64 for candidate in candidates)
        return []

    monkeypatch.setattr("dragoman.project.memory.process.extract", count)
    memory.similar(query)
    assert 0 < sum(done) < 2 * MAX_WORK
