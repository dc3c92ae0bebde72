"""The words inside tags are asked for by themselves, and found in the translation of the whole."""

from __future__ import annotations

from dragoman.upstream import Upstream
from dragoman.upstream.contract import Traits
from tests.upstream.support import Scripted

SAYS = {
    "I saw the red car yesterday.": "Ayer vi el coche rojo.",
    "the red car": "El coche rojo",
    "We talked about the old house in Rome.": "En Roma hablamos de la vieja casa.",
    "the old house": "Una mansión",
    "We talked about “the old house” in Rome.": "En Roma hablamos de «la vieja casa».",
    "Nobody eats the red car.": "Nadie se come el coche rojo.",
}


def over(batch: int = 16) -> tuple[Scripted, Upstream]:
    engine = Scripted(SAYS.get, traits=Traits(batch=batch))
    return engine, Upstream(engine, source="en", target="es")


def answer(upstream: Upstream, text: str) -> str:
    found = upstream.ask(text)
    assert found is not None
    return found.text


def test_a_tag_is_put_around_what_the_words_inside_are_called_by_themselves() -> None:
    engine, upstream = over()
    assert answer(upstream, "I saw <b>the red car</b> yesterday.") == "Ayer vi <b>el coche rojo</b>."
    assert engine.asked == [["I saw the red car yesterday."], ["the red car"]]


def test_if_they_are_called_otherwise_the_text_is_asked_for_with_quotes() -> None:
    engine, upstream = over()
    text = "We talked about <b>the old house</b> in Rome."
    assert answer(upstream, text) == "En Roma hablamos de <b>la vieja casa</b>."
    assert engine.texts[1:] == ["the old house", "We talked about “the old house” in Rome."]


def test_the_same_words_are_asked_for_once() -> None:
    engine, upstream = over()
    answer(upstream, "I saw <b>the red car</b> yesterday.")
    assert answer(upstream, "Nobody eats <b>the red car</b>.") == "Nadie se come <b>el coche rojo</b>."
    assert engine.texts.count("the red car") == 1


def test_words_that_stay_as_they_are_and_tags_around_everything_cost_nothing() -> None:
    engine = Scripted(lambda text: text.replace("Press", "Pulse").replace("now", "ahora"))
    upstream = Upstream(engine, source="en", target="es")
    assert answer(upstream, "Press <b>Ctrl+C</b> now") == "Pulse <b>Ctrl+C</b> ahora"
    assert answer(upstream, "<b>Press now</b>") == "<b>Pulse ahora</b>"
    assert engine.texts == ["Press Ctrl+C now", "Press now"]


def test_an_engine_that_says_nothing_of_the_words_alone_still_translates_the_whole() -> None:
    engine = Scripted({"I saw the red car yesterday.": "Ayer vi el coche rojo."}.get)
    upstream = Upstream(engine, source="en", target="es")
    found = answer(upstream, "I saw <b>the red car</b> yesterday.")
    assert found.replace("<b>", "").replace("</b>", "") == "Ayer vi el coche rojo."
    assert (found.count("<b>"), found.count("</b>")) == (1, 1)


def test_an_engine_that_always_says_the_whole_is_not_believed() -> None:
    engine = Scripted(lambda _: "Abra el archivo rojo.")
    upstream = Upstream(engine, source="en", target="es")
    assert answer(upstream, "Open the <b>red file</b>.") == "Abra el <b>archivo rojo</b>."


def test_no_more_texts_are_asked_for_at_once_than_the_engine_takes() -> None:
    engine, upstream = over(batch=2)
    upstream.ask_all([f"See <b>word {letter}</b> and <i>thing {letter}</i> here." for letter in "abcdef"])
    assert max(map(len, engine.asked)) <= 2
