"""One language of a project: from text as people write it to words as the models see them, and back.

>>> side = LanguageSide(Vocabulary())
>>> sentence = side.read("Press the «green» button.")
>>> side.add(sentence)
>>> side.model_words(sentence)
('press', 'the', '«', 'green', '»', 'button', '.')
>>> side.write(["pulse", "el", "botón", "."], like=sentence).text
'Pulse el botón.'
"""

from __future__ import annotations

import unicodedata
from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from dragoman.arrays import Restorable
from dragoman.errors import BadInputError
from dragoman.text.casing import Casing
from dragoman.text.slots import Slots
from dragoman.text.spacing import Spacing
from dragoman.text.tokens import CURRENT, Mode, split
from dragoman.text.vocabulary import Vocabulary
from dragoman.types import Sentence


class LanguageSide(Restorable):
    """How one language is tokenised, cased and spaced; in mode `words`, text is just words separated by spaces."""

    parts = ("casing", "spacing")

    casing: Casing
    spacing: Spacing
    _slots: Slots

    def __init__(
        self, vocabulary: Vocabulary, mode: Mode = "text", base: LanguageSide | None = None, version: int = CURRENT
    ) -> None:
        self.mode: Mode = mode
        self.version = version  # of the tokens
        self.casing = Casing(vocabulary, base.casing if base else None)
        self.spacing = Spacing(vocabulary, base.spacing if base else None)
        self._slots = Slots(vocabulary, base._slots if base else None)

    @property
    def slots(self) -> NDArray[np.bool_] | None:
        """[V] which words are tags or placeholders; none are in mode `words`."""
        return self._slots.marks() if self.mode == "text" else None

    def read(self, text: str) -> Sentence:
        """The tokens of a text."""
        if not isinstance(text, str):
            raise BadInputError(f"expected a text, not {text!r}", remedy="give a string")
        return split(text, self.mode, version=self.version)

    def model_words(self, sentence: Sentence) -> tuple[str, ...]:
        """The tokens as the models see them: in their usual case, with accents composed."""
        return sentence.words if self.mode == "words" else self.casing.truecase(_composed(sentence))

    def write(self, words: Sequence[str], like: Sentence, placeable: Sequence[bool] | None = None) -> Sentence:
        """The models' words as text: cased like the sentence they translate, with gaps between them."""
        fixed = tuple(placeable) if placeable is not None else (False,) * len(words)
        if self.mode == "words":
            gaps = ("", *(" " for _ in words[1:]), "") if words else ("",)
            return Sentence(tuple(words), gaps, fixed)
        return self.spacing.space(self.casing.recase(words, like, fixed), fixed, like)

    def add(self, sentence: Sentence) -> None:
        """Learn how a sentence is written."""
        if self.mode == "text":
            sentence = _composed(sentence)
            self.casing.add(sentence)
            self.spacing.add(sentence)

    def remove(self, sentence: Sentence) -> None:
        """Undo one `add` of the same sentence."""
        if self.mode == "text":
            sentence = _composed(sentence)
            self.casing.remove(sentence)
            self.spacing.remove(sentence)

    @classmethod
    def from_arrays(
        cls,
        arrays: Mapping[str, np.ndarray],
        vocabulary: Vocabulary,
        mode: Mode = "text",
        base: LanguageSide | None = None,
    ) -> LanguageSide:
        """Restore a side from its `arrays()`, which are used directly, not copied."""
        side = cls(vocabulary, mode, base)
        side.restore(arrays)
        return side


def _composed(sentence: Sentence) -> Sentence:
    """The same tokens with separate accents composed; letters that NFC would decompose stay as they are."""
    if unicodedata.is_normalized("NFC", sentence.text):
        return sentence
    forms = ((word, unicodedata.normalize("NFC", word)) for word in sentence.words)
    return replace(sentence, words=tuple(whole if len(whole) <= len(word) else word for word, whole in forms))
