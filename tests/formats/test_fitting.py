"""Tags that a translation has lost are put back by the word alignment, and subtitles get their share."""

from __future__ import annotations

import re
from types import SimpleNamespace
from typing import Any

from dragoman.formats import read_document
from dragoman.formats.filled_document import translate_segment
from dragoman.text.tokens import split


class Reversing:
    """Translates a text to its words in reverse, in capitals, and loses all tags."""

    memory = False

    def translate_text(self, text: str) -> SimpleNamespace:
        source = split(re.sub("<[^<>]*>", "", text))
        words = [word.upper() for word in source.words[::-1]]
        target = split(" ".join(words))
        links = [(s, len(words) - 1 - s) for s in range(len(words))]
        said = {"memory": None, "upstream": None, "lines": ()}
        return SimpleNamespace(text=target.text, source=source, target=target, alignment=links, **said)


def translated(name: str, text: str) -> list[str]:
    engine: Any = Reversing()
    document = read_document(text.encode(), name, source="en", target="es")
    done = {one.id: translate_segment(engine, document, one) for one in document.segments}
    document.fill(done)
    return list(done.values())


def test_a_pair_goes_around_the_words_that_are_aligned_to_those_inside() -> None:
    assert translated("a.html", "<p>press <b>the green</b> button") == ["BUTTON <b>GREEN THE</b> PRESS"]
    assert translated("a.html", "<p>a <b>b <i>c d</i></b> e") == ["E <b><i>D C</i> B</b> A"]


def test_a_single_tag_follows_the_word_before_it() -> None:
    assert translated("a.html", "<p>one two<br>three four") == ["FOUR THREE TWO<br>ONE"]


def test_a_text_without_alignment_is_translated_piece_by_piece() -> None:
    class Silent(Reversing):
        def translate_text(self, text: str) -> SimpleNamespace:
            return SimpleNamespace(text=super().translate_text(text).text, alignment=[], upstream=None)

    engine: Any = Silent()
    document = read_document(b"<p>a b <b>c</b>", "a.html")
    assert translate_segment(engine, document, document.segments[0]) == "B A<b>C</b>"


def test_each_subtitle_gets_its_share_of_the_sentence() -> None:
    cue = "{0}\n00:00:0{0},000 --> 00:00:0{1},000\n{2}\n\n"
    film = cue.format(1, 2, "one two three") + cue.format(2, 3, "four") + cue.format(3, 4, "five six seven.")
    assert translated("a.srt", film) == [". SEVEN SIX FIVE <cue1/> FOUR <cue2/> THREE TWO ONE"]
