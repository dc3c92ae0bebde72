"""Whoever asks, and however, gets the same translation of a text: one, many, the best of a list, a file, a session."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from dragoman.engine import Engine
from dragoman.formats import read_document
from dragoman.formats.filled_document import translate_segment
from dragoman.measure.wer import Wer
from dragoman.project.correction_record import answer_in
from dragoman.sample import pairs

pytestmark = pytest.mark.kernels
LEARNED, ASKED = 40, 30


def clumsy(target: str) -> str:
    """A translation as an engine would give it that knows other words."""
    words = {"la máquina": "el aparato", "la bandeja": "el plato", "botón": "tecla", "agua": "líquido"}
    return re.sub("|".join(words), lambda found: words[found[0]], target)


@pytest.fixture(scope="module")
def engine(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Engine]:
    folder = tmp_path_factory.mktemp("one")
    segments = pairs()[: LEARNED + ASKED]
    long = tuple(" ".join(each) for each in zip(*segments[LEARNED:], strict=True))
    said = folder / "said.tsv"
    said.write_text("".join(f"{source}\t{clumsy(target)}\n" for source, target in [*segments, long]), encoding="utf-8")
    with Engine.create(folder / "p", source="en", target="es", upstream=f"recorded:{said}") as engine:
        for source, target in segments[:LEARNED]:
            engine.learn(source, target, force=True)
        yield engine


@pytest.fixture(scope="module")
def texts() -> list[str]:
    return [source for source, _ in pairs()[LEARNED : LEARNED + ASKED]]


def test_all_agree_on_the_best_translation(engine: Engine, texts: list[str]) -> None:
    best = [engine.translate(text).text for text in texts]
    assert any(engine.translate(text).upstream != wanted for text, wanted in zip(texts, best, strict=True))
    assert [engine.translate_text(text).text for text in texts] == best
    assert [each.text for each in engine.translate_all(texts)] == best
    assert [engine.translate(text, n=5).nbest[0].text for text in texts] == best
    document = read_document("\n".join(texts).encode(), "texts.txt", source="en", target="es")
    assert [translate_segment(engine, document, each) for each in document.segments] == best
    for text, wanted in zip(texts, best, strict=True):
        with engine.interact(text) as session:
            first = session.suggest("")
            assert (first.suffix, first.origin) == (wanted, "memory" if engine.exact_match(text) else "best")
            assert "".join(each.text for each in first.words).replace(" ", "") == wanted.replace(" ", "")
            for at in (1, len(wanted) // 2, len(wanted) - 1):
                assert session.suggest(wanted[:at]).text == wanted


def long_texts(texts: list[str]) -> list[str]:
    """Texts of several lines, with and without words, one with a line that is known, and one over 150 words."""
    known = pairs()[0][0]
    lines = "\n".join(texts[:4]), f"{texts[4]}\r\n\r\n  {texts[5]}\n", f"{texts[6]}\n{known}\n---\n{texts[7]}"
    return [*lines, " ".join(texts)]


def test_all_agree_on_texts_that_are_long_or_of_several_lines(engine: Engine, texts: list[str]) -> None:
    for text in long_texts(texts):
        found = engine.translate_text(text)
        assert engine.translate_text(text, n=3).nbest[0].text == found.text
        with engine.interact(text) as session:
            first = session.suggest("")
            assert (first.suffix, first.origin, session.upstream) == (found.text, "best", found.upstream)
            for at in (1, len(found.text) // 2):
                assert session.suggest(found.text[:at]).text == found.text
            assert [round(word.confidence, 3) for word in session.suggest("").words] == engine.confidences(found)
            assert session.suggest("Zz").text.startswith("Zz")  # another way than the best goes by the graph


def test_a_text_of_several_lines_says_why_the_engine_is_silent(engine: Engine, texts: list[str]) -> None:
    with engine.interact(f"{texts[0]}\nNobody has recorded this.") as session:
        assert (session.upstream, session.silence) == (None, "empty")
        assert session.suggest("").text == engine.translate_text(session.source.text).text


def test_a_correction_of_several_lines_is_learned_with_what_was_said_for_each(tmp_path: Path) -> None:
    said = tmp_path / "said.sh"
    said.write_text("tr a-z A-Z\n", encoding="utf-8")
    with Engine.create(tmp_path / "p", source="en", target="es", upstream=f"command:sh {said}") as engine:
        text = "Open the lid.\nWait a moment."
        assert engine.translate_text(text).text == text.upper()
        answer = answer_in(engine.correction(engine.learn(text, "Abra la tapa.\nEspere un momento.")))
        assert answer
        assert answer.text == text.upper()


def test_another_suggestion_is_another_translation(engine: Engine, texts: list[str]) -> None:
    with engine.interact(texts[0]) as session:
        first = session.suggest("").text
        assert session.reject().text != first


def test_how_sure_a_word_is_does_not_depend_on_who_asks(engine: Engine, texts: list[str]) -> None:
    found = engine.translate(texts[1])
    with engine.interact(texts[1]) as session:
        shown = [round(word.confidence, 3) for word in session.suggest("").words]
    assert shown == engine.confidences(found)


def test_nothing_wild_happens_after_the_first_correction(tmp_path: Path) -> None:
    segments = pairs()
    for start in range(0, 200, 20):
        (source, target), *others = segments[start : start + 6]
        with Engine.create(tmp_path / str(start), source="en", target="es") as engine:
            engine.learn(source, target, upstream=clumsy(target), force=True)
            for text, reference in others:
                answer = clumsy(reference)
                made = engine.translate(text, upstream=answer).text
                assert _edits(made, reference) <= _edits(answer, reference) + 2, made


def _edits(text: str, reference: str) -> int:
    return int(Wer().statistics([text], [reference])[0][0])


PARAGRAPH = "Open the lid.  Close the lid. Wait e.g. a moment.\nOpen it!"


def test_a_paragraph_is_translated_sentence_by_sentence_with_the_spacing_of_its_source(tmp_path: Path) -> None:
    with Engine.create(tmp_path / "p", source="en", target="es") as engine:
        engine.learn("Open the lid.", "Abra la tapa.")
        engine.learn("Close the lid.", "Cierre la tapa.")
        found = engine.translate(PARAGRAPH, memory=False)
        assert found.text.startswith("Abra la tapa.  Cierre la tapa. ")
        assert [line.source.text for line in found.lines] == [
            "Open the lid.  ",
            "Close the lid. ",
            "Wait e.g. a moment.\n",
            "Open it!",
        ]
        with engine.interact(PARAGRAPH, memory=False) as session:
            assert session.suggest("").text == found.text
        engine.learn(PARAGRAPH, "Todo.", force=True)
        assert engine.translate(PARAGRAPH).text == "Todo."


@pytest.mark.parametrize("sentence", ["Open the lid. ", "a. a. a. ", "open the lid, and "])
def test_a_line_of_twenty_thousand_characters_is_translated_everywhere(tmp_path: Path, sentence: str) -> None:
    line = (sentence * 20_000)[:20_000].strip()
    with Engine.create(tmp_path / "p", source="en", target="es") as engine:
        engine.learn("Open the lid.", "Abra la tapa.")
        text = engine.translate(line).text
        assert len(text) > 15_000
        assert engine.translate(line, upstream=line.replace("lid", "tapa")).text
        if len(engine.translate(line).source) < 5_000:
            with engine.interact(line) as session:
                assert session.suggest("").text == text
                assert session.suggest("Zzz").prefix == "Zzz"
