"""Reading whole texts gives the ids that the vocabulary gives word by word."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dragoman.errors import BadInputError
from dragoman.models.text_reader import TextReader
from dragoman.text.vocabulary import END, START, Vocabulary

pytestmark = pytest.mark.kernels

words = st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=4)
sentences = st.lists(st.lists(words, max_size=5), max_size=5)


def one_by_one(vocabulary: Vocabulary, text: list[list[str]]) -> list[int]:
    return [known for line in text for known in (START, *vocabulary.ids(line).tolist(), END)]


@given(sentences, sentences, sentences)
def test_ids_are_those_of_the_vocabulary_also_when_it_grows(
    known: list[list[str]], learned: list[list[str]], unseen: list[list[str]]
) -> None:
    vocabulary = Vocabulary()
    reader = TextReader(vocabulary)
    for more in (known, learned):
        for line in more:
            vocabulary.ids(line, add=True)
        text = known + learned + unseen
        assert reader.sentences(text).tolist() == one_by_one(vocabulary, text)


@given(sentences)
def test_lines_are_split_at_spaces_however_many(text: list[list[str]]) -> None:
    text = [[word for word in line if " " not in word and "\n" not in word] for line in text]
    vocabulary = Vocabulary()
    for line in text[::2]:
        vocabulary.ids(line, add=True)
    reader = TextReader(vocabulary)
    assert reader.lines(["  " + "  ".join(line) + " " for line in text]).tolist() == one_by_one(vocabulary, text)


def test_what_cannot_be_told_apart_is_refused() -> None:
    reader = TextReader(Vocabulary())
    with pytest.raises(BadInputError, match="line break"):
        reader.lines(["a\nb"])
    with pytest.raises(BadInputError, match="a word is empty"):
        reader.sentences([["a", ""]])
    with pytest.raises(BadInputError, match="not one string"):
        reader.sentences(["ab"])
