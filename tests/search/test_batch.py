"""Many sentences: in order, the same on any number of threads, and a bad one is named."""

from __future__ import annotations

import pytest

from dragoman.errors import BadInputError
from dragoman.models.loglinear import Weights
from dragoman.search.batch import search_all, translate_all
from dragoman.search.decoder import Decoder
from tests.search.test_decoder import sample

pytestmark = pytest.mark.kernels

LINES = [("the red button is on " * (n % 7 + 1)).split()[: n + 1] for n in range(60)]


@pytest.mark.parametrize("threads", [1, 2, 3, None])
def test_the_same_as_one_by_one_in_order(threads: int | None) -> None:
    decoder = Decoder(sample(), Weights("full"), "fast")
    heard: list[int] = []
    together = list(translate_all(decoder, LINES, threads=threads, progress=heard.append))
    assert together == [decoder.search(line).best for line in LINES]
    assert heard == list(range(1, len(LINES) + 1))


def test_anything_can_be_wanted_of_a_search() -> None:
    decoder = Decoder(sample(), Weights("moses"), "fast")
    sizes = list(search_all(decoder, LINES[:5], wanted=lambda search: len(search.graph()), threads=2))
    assert sizes == [len(decoder.search(line).graph()) for line in LINES[:5]]


def test_marks_go_with_their_sentences() -> None:
    decoder = Decoder(sample(), Weights("moses"))
    found = translate_all(decoder, [["press"], ["press"]], [[True], None])
    assert [best.words for best in found] == [("press",), ("pulse",)]
    with pytest.raises(ValueError, match="shorter"):
        list(translate_all(decoder, [["press"], ["press"]], [[True]]))


def test_no_sentences_give_no_translations() -> None:
    assert list(translate_all(Decoder(sample(), Weights("moses")), [])) == []


def test_sentences_are_taken_as_they_are_needed() -> None:
    taken = []

    def lines() -> object:
        for n in range(10_000):
            taken.append(n)
            yield ["press"]

    found = translate_all(Decoder(sample(), Weights("thot"), "fast"), lines(), threads=2)  # type: ignore[arg-type]
    next(found)
    assert len(taken) < 100


def test_a_bad_sentence_is_named() -> None:
    found = translate_all(Decoder(sample(), Weights("thot")), [["press"], []], threads=2)
    with pytest.raises(BadInputError, match="sentence 2: no words to translate"):
        list(found)
