"""Word ids for whole texts at once, which is faster than looking up word by word in a vocabulary."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from dragoman.errors import BadInputError
from dragoman.kernels import exercise
from dragoman.models import text_reader_kernels as kernels
from dragoman.tables import Ids, Table
from dragoman.text.vocabulary import SPECIAL, START, Vocabulary

WORD_END, SENTENCE_END = "\udcff", "\udcfe"  # written as the bytes FF and FE, which no UTF-8 text contains


class TextReader:
    """An index of a vocabulary by the bytes of its words, updated whenever it is used.

    >>> vocabulary = Vocabulary()
    >>> vocabulary.add("botón"), vocabulary.add("verde")
    (4, 5)
    >>> TextReader(vocabulary).lines(["botón rojo", "verde"]).tolist()
    [1, 4, 0, 2, 1, 5, 2]
    """

    def __init__(self, vocabulary: Vocabulary) -> None:
        self.vocabulary = vocabulary
        self._index = Table({})  # hash of a word -> its id, counted from the first that is not special

    def lines(self, lines: Sequence[str]) -> Ids:
        """Ids of the space-separated words of lines, with `<s>` … `</s>` around each line."""
        tokens = self._read([*lines, ""], " ", "\n")
        if np.count_nonzero(tokens == START) != len(lines):
            raise BadInputError("a line contains a line break", remedy="split the text into lines first")
        return tokens

    def sentences(self, sentences: Sequence[Sequence[str]]) -> Ids:
        """Ids of the words of sentences, with `<s>` … `</s>` around each."""
        if any(isinstance(words, str) for words in sentences):
            raise BadInputError("a sentence is a list of words, not one string", remedy="split it first")
        tokens = self._read([*map(WORD_END.join, sentences), ""], WORD_END, SENTENCE_END)
        if tokens.size != sum(map(len, sentences)) + 2 * len(sentences):
            raise BadInputError("a word is empty")
        return tokens

    def _read(self, lines: list[str], gap: str, stop: str) -> Ids:
        self._catch_up()
        code = stop.join(lines).encode("utf-8", "surrogateescape")
        tokens = np.empty(len(code) + 2 * len(lines), np.int64)
        separators = (separator.encode("utf-8", "surrogateescape")[0] for separator in (gap, stop))
        text = np.frombuffer(code, np.uint8)
        return tokens[: kernels.read_words(self._index.index, len(SPECIAL), text, *separators, tokens)]

    def _catch_up(self) -> None:
        """Add the words that are new in the vocabulary."""
        entered = len(SPECIAL) + len(self._index)
        if entered < len(self.vocabulary):
            codes = [word.encode() for word in self.vocabulary.words(range(entered, len(self.vocabulary)))]
            self._index.reserve(len(codes))
            ends = np.cumsum([len(code) for code in codes])
            kernels.enter_words(self._index.index, np.frombuffer(b"".join(codes), np.uint8), ends)


@exercise
def _exercise() -> None:
    vocabulary = Vocabulary()
    vocabulary.add("a")
    TextReader(vocabulary).lines(["a b"])
