"""One language of a project: from text as people write it to words as the models see them, and back.

>>> side = LanguageSide(Vocabulary())
>>> sentence = side.read("Press the «green» button.")
>>> side.add(sentence)
>>> side.model_words(sentence)
('press', 'the', '«', 'green', '»', 'button', '.')
>>> side.write(["pulse", "el", "botón", "."], like=sentence).text
'Pulse el botón.'

Slots are tags and placeholders, which a search never produces of its own accord:

>>> vocabulary = Vocabulary()
>>> slots = Slots(vocabulary)
>>> _ = vocabulary.ids(["archivo", "{0}", "%", "<b>"], add=True)
>>> vocabulary.words(np.flatnonzero(slots.marks()))
['{0}', '<b>']

Completing a text that a person has begun: how words are compared with it, and how the rest is written.

Typed words are compared in Unicode's form NFC, ignoring case, character by character, so that it is known how much of
a word is there already. What was typed is never changed; the rest follows its case.

>>> compared("ÁRBOL") == compared("árbol")
True
>>> rest_of("Mad", "madrid", 3), rest_of("MAD", "madrid", 3), rest_of("i", "iOS", 1)
('rid', 'RID', 'OS')
"""

from __future__ import annotations

import unicodedata
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from dragoman.arrays import Restorable
from dragoman.errors import BadInputError
from dragoman.records import Sentence
from dragoman.text.casing import Casing
from dragoman.text.spacing import Spacing, look_of
from dragoman.text.tokens import CURRENT, UPPER, Mode, is_slot, shape, split
from dragoman.text.vocabulary import Vocabulary, with_room

SIGNS = b"<{%$[@:#\\\xe2_"  # every slot contains one of them; \xe2 is the first byte of ⟦


class Slots:
    """Marks for words, computed on demand; those of a base are computed once."""

    def __init__(self, vocabulary: Vocabulary, base: Slots | None = None) -> None:
        self._vocabulary, self._base = vocabulary, base
        self._marks: NDArray[np.bool_] | None = None  # [capacity]
        self._known = vocabulary.first  # ids below it have been looked at

    def marks(self) -> NDArray[np.bool_]:
        """[V] whether each word of the vocabulary, as it is now, is a slot."""
        size, marks = len(self._vocabulary), self._marks
        if marks is None:
            marks = np.zeros(size, np.bool_) if self._base is None else with_room(self._base.marks(), size)
        if self._known < size:
            marks = with_room(marks, size)
            new = self._vocabulary.with_any(SIGNS, self._known)
            marks[new] = [is_slot(self._vocabulary.word(int(known))) for known in new]
        self._marks, self._known = marks, size  # if several threads do this at once, they all find the same
        return marks[:size]


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


_ANY_WORD = "xx"  # stands for whatever word is before


@lru_cache(1 << 16)
def compared(word: str) -> str:
    """A word in the form in which it is compared: as many characters as it has in NFC, without case."""
    lowered = [(c, c.lower()) for c in unicodedata.normalize("NFC", word)]
    return "".join(low if len(low) == 1 else c for c, low in lowered).replace("ς", "σ")


def rest_of(typed: str, word: str, stands: int) -> str:
    """The missing rest of a word of which this many characters (in NFC) have been typed."""
    whole = unicodedata.normalize("NFC", word)
    begun, rest = whole[:stands], whole[stands:]
    for at in range(len(word)):  # if it can be, as it is written: for some letters that is not NFC
        if unicodedata.normalize("NFC", word[:at]) == begun:
            rest = word[at:]
            break
    in_capitals = shape(typed) == UPPER and shape(begun) != UPPER
    return rest.upper() if in_capitals and compared(rest.upper()) == compared(rest) else rest


def take_gaps(side: LanguageSide, words: Sequence[str]) -> NDArray[np.bool_]:
    """[n] which words have a gap before them when they follow a word; what may open a quotation always does."""
    if side.mode == "words":
        return np.ones(len(words), np.bool_)
    paired = np.array([look_of(word, False).pair != 0 for word in words], np.bool_)
    alone = np.flatnonzero(~paired).tolist()
    row = [each for n in alone for each in (_ANY_WORD, words[n])]
    spaced = side.spacing.space(row, (False,) * len(row))
    answer = np.ones(len(words), np.bool_)
    answer[alone] = [gap != "" for gap in spaced.gaps[1:-1:2]]
    return answer
