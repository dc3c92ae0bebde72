"""Spacing for a new sequence of tokens, so that a translation reads like text: by rules, and by what has been seen.

The rules go by classes of tokens (brackets, stops, quotation marks, tags, scripts without spaces …) and work before
anything was learned. Each sentence learned adds the gaps between its tokens to the counts; where these disagree often
enough, they win. What a translation has copied from its source, such as `AT&T` or `{a}{b}`, is spaced as it is there.

>>> from dragoman.text.tokens import split
>>> spacing = Spacing(Vocabulary())
>>> words = ("Ouvrez", "“", "l’", "application", "”", "(", "5", "%", ")", ",", "vite", "!")
>>> spacing.space(words, (False,) * len(words)).text
'Ouvrez “l’application” (5%), vite!'
>>> for text in ("Attention !", "Bravo ! Merci !", "Oui, merci !"):
...     spacing.add(split(text))
>>> spacing.space(words, (False,) * len(words)).text
'Ouvrez “l’application” (5%), vite !'
"""

from __future__ import annotations

import unicodedata
from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from itertools import pairwise
from typing import NamedTuple

import numpy as np

from dragoman.arrays import ArrayTree, Restorable
from dragoman.kernels import exercise
from dragoman.records import Sentence
from dragoman.tables import Table
from dragoman.text import spacing_kernels as kernels
from dragoman.text.spacing_kernels import (
    CLASSES,
    CLOSING,
    CLOSING_QUOTE,
    OPENING_QUOTE,
    POINT,
    Rules,
    SpacingCounts,
    Tokens,
)
from dragoman.text.vocabulary import UNKNOWN, Vocabulary

GAPS = ("", " ", "\u00a0", "\u202f", "  ", "\n", "\t", "\u3000")  # any other gap containing a space counts as a space
NOTHING, SPACE = 0, 1
_KINDS = {gap: kind for kind, gap in enumerate(GAPS)}
_LONGEST_PLACEABLE = 12  # characters: longer ones are rarely seen twice, so only their class is used


class Spacing(Restorable):
    """The gaps seen between tokens, and the choice of gaps that follows from them."""

    def __init__(self, vocabulary: Vocabulary, base: Spacing | None = None) -> None:
        self.vocabulary = vocabulary
        self.table: Table = Table({"count": np.int64}, None if base is None else base.table)

    def add(self, sentence: Sentence) -> None:
        """Learn the spaces of a sentence."""
        self._count(sentence, 1)

    def remove(self, sentence: Sentence) -> None:
        """Undo one `add` of the same sentence."""
        self._count(sentence, -1)

    def space(self, words: Sequence[str], placeable: Sequence[bool], like: Sentence | None = None) -> Sentence:
        """The words with gaps between them, and none before the first or after the last.

        What they have copied from the sentence `like`, which they translate, keeps its gaps.
        """
        if not words:
            return Sentence((), ("",), ())
        gaps = np.full(len(words) - 1, kernels.UNDECIDED, np.int64)
        for place, kind in _kept(words, placeable, like) if like else ():
            gaps[place] = kind
        kernels.predict(self._counts, self._tokens(words, placeable, add=False), _RULES, gaps)
        return Sentence(tuple(words), ("", *(GAPS[kind] for kind in gaps.tolist()), ""), tuple(placeable))

    def _count(self, sentence: Sentence, times: int) -> None:
        if len(sentence) < 2:
            return
        gaps = np.array([_kind_of(gap) for gap in sentence.gaps[1:-1]], np.int64)
        keys = np.empty((gaps.size, kernels.KEYS), np.int64)
        kernels.observe(self._tokens(sentence.words, sentence.placeable, add=True), _RULES, gaps, keys)
        self.table.add(keys[keys >= 0], count=times)

    def _tokens(self, words: Sequence[str], placeable: Sequence[bool], *, add: bool) -> Tokens:
        look_up = self.vocabulary.add if add else self.vocabulary.id
        looks = [look_of(word, fixed) for word, fixed in zip(words, placeable, strict=True)]
        ids = np.array(
            [look_up(word) if look.known else UNKNOWN for word, look in zip(words, looks, strict=True)], np.int64
        )
        ids[ids >= kernels.MOST_WORDS] = UNKNOWN
        return Tokens(
            words=ids,
            classes=np.array([look.kind for look in looks], np.int64),
            pairs=np.array([look.pair for look in looks], np.int64),
        )

    @property
    def _counts(self) -> SpacingCounts:
        below = self.table if self.table.base is None else self.table.base
        return SpacingCounts(self.table.layered, below.columns["count"], self.table.columns["count"])

    def arrays(self) -> ArrayTree:
        """Everything needed to restore this model, except its base and vocabulary."""
        return self.table.arrays()

    def restore(self, arrays: Mapping[str, np.ndarray]) -> None:
        """Return to the state with these `arrays()`, which are used directly, not copied."""
        self.table.restore(arrays)

    @classmethod
    def from_arrays(
        cls, arrays: Mapping[str, np.ndarray], vocabulary: Vocabulary, base: Spacing | None = None
    ) -> Spacing:
        """Restore a model from its `arrays()`, which are used directly, not copied."""
        spacing = cls(vocabulary, base)
        spacing.restore(arrays)
        return spacing


def _kind_of(gap: str) -> int:
    """The kind of a gap; zero-width spaces and direction marks alone do not count, since they are invisible."""
    return _KINDS.get(gap, SPACE if any(map(str.isspace, gap)) else NOTHING)


# ── Classes of tokens ────────────────────────────────────────────────────────────────────────────────────────────────

# Ordinary words; then the signs: OPENING_QUOTE, CLOSING_QUOTE, CLOSING and POINT, which the kernels know, and the rest.
WORD, LETTER, NUMBER, ELIDED, CLITIC, UNSPACED, CODE, PLACEHOLDER = range(kernels.FIRST_SIGN)
OPENING, HYPHEN, DASH, SLASH, PERCENT, DEGREE, CURRENCY, PREFIX, SYMBOL, FULL_WIDTH = range(POINT + 1, POINT + 11)
OPENING_TAG, CLOSING_TAG, ROLE, TARGET, FOOTNOTE, ESCAPE = range(FULL_WIDTH + 1, FULL_WIDTH + 7)

_SIGNS = {",.;:!?…‽·": POINT, "-−": HYPHEN, "–—―": DASH, "/\\⁄": SLASH, "%‰‱٪": PERCENT, "°′″": DEGREE}
_SIGNS |= {"¿¡": OPENING, "#@~±": PREFIX}
# Stops of Arabic, Armenian, Hebrew, Indic, Ethiopic, Khmer, Myanmar and Tibetan script
_SIGNS |= {"،؛؟۔։՝׃।॥॰።፣፤፥፦፧។៕៖။၊།༎": POINT}
_CLASS_OF_SIGN = {sign: kind for signs, kind in _SIGNS.items() for sign in signs}
_CLASS_OF_CATEGORY = {"Ps": OPENING, "Pi": OPENING, "Pe": CLOSING, "Pf": CLOSING, "Sc": CURRENCY, "Pd": DASH}
_APOSTROPHES = ("'", "’", "ʼ")
_ENDING_ELIDED = (*_APOSTROPHES, "-", "\u05be")  # of what is joined to the next word: l', and ב- in Hebrew
_UNSPACED_SCRIPTS: tuple[str, ...] = ("CJK", "IDEOGRAPHIC", "HIRAGANA", "KATAKANA", "BOPOMOFO")
_UNSPACED_SCRIPTS += ("THAI", "LAO", "MYANMAR", "KHMER", "TIBETAN")

# Signs that come in pairs, and what each of them closes. All but dashes are quotation marks; “ ” « » serve as either in
# some language. The apostrophe comes first (kernels.APOSTROPHE).
_CLOSES: dict[str, Sequence[str]] = {sign: (sign,) for sign in ("'", '"', "''", "*", "**", "`", "``", "-", "–", "—")}
_CLOSES |= {"“": "„‟", "”": "“„‟”", "„": "", "‟": "", "‘": "‚", "’": "‘‚", "‚": ""}
_CLOSES |= {"«": "»", "»": "«»", "‹": "›", "›": "‹›", "״": "״"}
_CLOSING_IF_ALONE = "”’»›"
_PAIRS = {sign: number for number, sign in enumerate(_CLOSES, 1)}


class Look(NamedTuple):
    """How a token affects the spaces around it."""

    kind: int  # its class
    pair: int  # which of the paired signs, 0 if none
    known: bool  # whether it also counts as itself


@lru_cache(1 << 16)
def look_of(word: str, placeable: bool) -> Look:
    """How a token affects the spaces around it."""
    if placeable:
        return Look(_class_of_placeable(word), 0, len(word) <= _LONGEST_PLACEABLE)
    kind = _class_of(word)
    return Look(kind, _PAIRS.get(word, 0), kind != NUMBER)


def _class_of_placeable(word: str) -> int:
    if word.startswith("</"):
        return CLOSING_TAG
    if word.startswith("<"):
        if word.endswith(("`", "_")):
            return TARGET
        return PLACEHOLDER if word.endswith(("/>", "-->")) else OPENING_TAG
    if word.startswith("[^"):
        return FOOTNOTE
    return {":": ROLE, "`": CODE, "\\": ESCAPE, "&": ESCAPE}.get(word[0], PLACEHOLDER)


def _class_of(word: str) -> int:
    first = word[0]
    if word in _PAIRS and first not in _CLASS_OF_SIGN:
        return OPENING_QUOTE
    if any(map(str.isalnum, word)):
        return _class_of_word(word)
    if unicodedata.east_asian_width(first) in "WF" and unicodedata.category(first).startswith(("P", "Sm")):
        return FULL_WIDTH
    kind = _CLASS_OF_SIGN.get(first) or _CLASS_OF_CATEGORY.get(unicodedata.category(first), SYMBOL)
    return DASH if kind == HYPHEN and len(word) > 1 else kind


def _class_of_word(word: str) -> int:
    if word.startswith(_APOSTROPHES):
        return CLITIC
    if word.endswith(_ENDING_ELIDED):
        return ELIDED
    if unicodedata.name(word[0], "").removeprefix("HALFWIDTH ").startswith(_UNSPACED_SCRIPTS):
        return UNSPACED
    if not any(map(str.isalpha, word)):
        return NUMBER
    return LETTER if len(word) == 1 and word.isupper() else WORD


# ── Rules ────────────────────────────────────────────────────────────────────────────────────────────────────────────


def _rules() -> Rules:
    gaps = np.full((CLASSES, CLASSES), SPACE, np.int64)
    gaps[[OPENING, OPENING_QUOTE, ELIDED, SLASH, PREFIX, OPENING_TAG, ROLE, ESCAPE, FULL_WIDTH, UNSPACED]] = NOTHING
    gaps[:, [CLOSING, CLOSING_QUOTE, POINT, CLITIC, SLASH, PERCENT, DEGREE]] = NOTHING
    gaps[:, [CLOSING_TAG, FOOTNOTE, ESCAPE, FULL_WIDTH, UNSPACED]] = NOTHING
    gaps[DEGREE, LETTER] = gaps[CURRENCY, NUMBER] = gaps[HYPHEN, NUMBER] = NOTHING
    closes = np.zeros(len(_CLOSES) + 1, np.int64)
    closed_by = np.zeros(len(_CLOSES) + 1, np.int64)
    for sign, others in _CLOSES.items():
        for other in others:
            closes[_PAIRS[sign]] |= 1 << _PAIRS[other]
            closed_by[_PAIRS[other]] |= 1 << _PAIRS[sign]
    return Rules(gaps, closes, closed_by, np.array([False, *(sign in _CLOSING_IF_ALONE for sign in _CLOSES)]))


_RULES = _rules()


# ── What is copied ───────────────────────────────────────────────────────────────────────────────────────────────────

_TYPESET = {
    OPENING_QUOTE,
    CLOSING,
    POINT,
    DASH,
    PERCENT,
    DEGREE,
    CURRENCY,
    FULL_WIDTH,
}  # what some languages put a space before


def _kept(words: Sequence[str], placeable: Sequence[bool], like: Sentence) -> Iterator[tuple[int, int]]:
    """Places and kinds of the gaps kept from the source: between its neighbours, and beside joined symbols."""
    neighbours = dict(zip(pairwise(like.words), like.gaps[1:], strict=False))
    to_left, to_right = _joined(like)
    for place, pair in enumerate(pairwise(words)):
        joined = pair[0] in to_right or pair[1] in to_left
        if (joined or pair in neighbours) and look_of(pair[1], placeable[place + 1]).kind not in _TYPESET:
            yield place, _kind_of(neighbours.get(pair, ""))


def _joined(sentence: Sentence) -> tuple[set[str], set[str]]:
    """The symbols that are always joined to the left, and to the right, in the source; translations join them likewise.

    The `&` of "Save &As" is to be that of "Guardar &como".
    """
    joined: tuple[set[str], set[str]] = set(), set()
    apart: tuple[set[str], set[str]] = set(), set()
    looks = [look_of(word, fixed).kind for word, fixed in zip(sentence.words, sentence.placeable, strict=True)]
    for place, (word, kind) in enumerate(zip(sentence.words, looks, strict=True)):
        gaps = sentence.gaps[place : place + 2]
        separates = kind == PLACEHOLDER and word.endswith("/>") and gaps == ("", "")
        if kind in (SYMBOL, PREFIX) or separates:
            for side, (left, right) in enumerate(((place - 1, place), (place, place + 1))):
                by_rule = left < 0 or right == len(looks) or _RULES.gaps[looks[left], looks[right]] == NOTHING
                (joined if gaps[side] == "" and not by_rule else apart)[side].add(word)
    return joined[0] - apart[0], joined[1] - apart[1]


@exercise
def _exercise() -> None:
    spacing = Spacing(Vocabulary(), Spacing(Vocabulary()))
    spacing.add(Sentence(("a", "b"), ("", " ", ""), (False, False)))
    spacing.space(("a", "b"), (False, False))
