r"""Text to tokens and back, losing nothing: ``join(split(text)) == text``.

One compiled pattern describes what a token is, from the most particular (a tag, a URL) to the least (any visible
character); what it does not match is the gap between two tokens. So no character can be lost, whatever the pattern
says. It has two halves: *placeables*, which are copied into a translation unchanged, and ordinary tokens, which are
translated. docs/understand/text.md says which is which and why.

Rules for changing the pattern, so that it stays fast whatever the text:

1. Repetitions are possessive (``++``, ``*+``: they never give back what they took) or have an upper limit.
2. A construct that may turn out not to be one (a tag that never ends) must not run past the next character that could
   open another, or must be limited in length; otherwise a line of such openings takes quadratic time.
3. An alternative starts with a character or a class, and looks behind afterwards, ``%(?<!\d.)`` for ``(?<!\d)%``:
   then `re` drops it at one glance. That, the short cut at the end, and `re` instead of `regex` (which knows more
   classes of characters, but takes more than three times as long here) make most of the speed.

Texts and pairs of texts as callers give them: anything else is refused, and the one that is wrong is named.

>>> list(checked_pairs([("green", "verde"), ("red", None)]))
Traceback (most recent call last):
...
dragoman.errors.BadInputError: pair 2 is ('red', None), not two texts; give pairs such as zip(sources, targets)
>>> list(checked_texts(["green", 3]))
Traceback (most recent call last):
...
dragoman.errors.BadInputError: text 2 is 3, not a string; leave it out, or give "" in its place
"""

from __future__ import annotations

import hashlib
import re
import unicodedata
from collections.abc import Iterable, Iterator, Mapping
from functools import cache, lru_cache
from typing import Any, Literal

from dragoman.errors import BadInputError
from dragoman.records import Sentence
from dragoman.text.character_classes import HIGH_LETTERS, LETTERS, MARKS
from dragoman.text.patterns import compile_pattern
from dragoman.text.placeholders import SLOT, SYNTAXES

UNCASED = 0  # nothing in it has case
LOWER = 1
CAPITAL = 2  # its first letter, and no other
LETTER = 3  # its only letter
UPPER = 4  # all of two or more
MIXED = 5  # iPhone, McDonald
FIXED = 6  # digits, underscores, dots: mp3, setup.py


@lru_cache(1 << 16)
def shape(word: str) -> int:
    """How a word is written: UNCASED, LOWER, CAPITAL, LETTER, UPPER, MIXED or FIXED.

    >>> [shape(word) for word in ("水", "sea", "Sea", "I", "USB", "iOS", "mp3")] == list(range(7))
    True
    """
    letters = [c for c in word if c.title() != c.lower()]  # Georgian has capitals, but sentences do not start with them
    if not letters:
        return UNCASED
    if not all(map(_may_be_in_word, word)) and not _is_initials(word):
        return FIXED
    capitals = [c != c.lower() for c in letters]
    if not any(capitals):
        return LOWER
    if len(letters) == 1:
        return LETTER
    if capitals == [True] + [False] * (len(letters) - 1):
        return CAPITAL
    return UPPER if all(capitals) and letters[0] == letters[0].upper() else MIXED


def _may_be_in_word(c: str) -> bool:
    return c.isalpha() or c in "'’‘ʼ·՛՜՞" or unicodedata.category(c) in ("Mn", "Mc", "Pd", "Cf")


def _is_initials(word: str) -> bool:
    """Whether a word looks like e.g. or U.S."""
    return word.endswith(".") and all(len(part) == 1 and part.isalpha() for part in word[:-1].split("."))


def lower(word: str, dotless: bool) -> str:
    """The word in lower case, in a language with a dotless i or without."""
    return (word.replace("İ", "i").replace("I", "ı") if dotless else word).lower()


def upper(word: str, dotless: bool) -> str:
    """The word in capitals, in a language with a dotless i or without."""
    return (word.replace("i", "İ") if dotless else word).upper()


def capital(word: str, dotless: bool) -> str:
    """The word with a capital for its first letter, in a language with a dotless i or without."""
    for i, c in enumerate(word):
        if c.title() != c.lower():
            return word[:i] + ("İ" if dotless and c == "i" else c.title()) + word[i + 1 :]
    return word


Mode = Literal["text", "words"]
CURRENT = 2  # the version of tokens: 1 had fewer placeholders, and projects that were created with it keep it


def split(text: str, mode: Mode = "text", *, normalise: bool = False, version: int = CURRENT) -> Sentence:
    """The tokens of a text and the gaps around them; in mode "words" tokens are separated by spaces.

    With `normalise` the text is first converted to NFC, so that a separate accent does not make a different word;
    otherwise the text can be restored byte for byte.

    >>> split("Don't press :kbd:`Esc` (3.5 times)!").words
    ('Don', "'t", 'press', ':kbd:', '`Esc`', '(', '3.5', 'times', ')', '!')
    >>> split("Don't press :kbd:`Esc`!", mode="words").words
    ("Don't", 'press', ':kbd:`Esc`!')
    """
    refuse_surrogates(text)
    if normalise:
        text = unicodedata.normalize("NFC", text)
    if mode == "words":
        parts = _WORDS_MODE.split(text)
        words = tuple(parts[1::2])
        return Sentence(words, gaps=tuple(parts[::2]), placeable=(False,) * len(words))

    # A token adds four parts: the gap before it, the token, the token again if placeable, a character of punctuation.
    parts = token_pattern(version).split(text)
    return Sentence(words=tuple(parts[1::4]), gaps=tuple(parts[::4]), placeable=tuple(map(bool, parts[2::4])))


def has_words(text: str) -> bool:
    """Whether a text has any tokens: one with only spaces or invisible characters has none."""
    return any(map(str.isalnum, text)) or bool(split(text).words)


def is_slot(word: str) -> bool:
    """Whether a token is a tag or a placeholder: a translation has those of its source and no others.

    >>> [word for word in ("{0}", "%s", "<b>", "$name", "&nbsp;", "`x`", "%") if is_slot(word)]
    ['{0}', '%s', '<b>', '$name']
    """
    return SLOT.fullmatch(word) is not None


def join(sentence: Sentence) -> str:
    """The text of a sentence.

    >>> join(split(" ¿Qué   tal?  "))
    ' ¿Qué   tal?  '
    """
    return sentence.text


def refuse_surrogates(text: str) -> None:
    """Refuse what no UTF-8 file can hold: a string of Python's can have half a surrogate pair."""
    try:
        text.encode()
    except UnicodeEncodeError as error:
        raise BadInputError(
            f"the text has half a surrogate pair (U+{ord(text[error.start]):04X}) at character {error.start + 1}, "
            "which no UTF-8 file can hold",
            remedy="decode the text with the encoding it was written in",
        ) from None


# Classes of characters, written as the inside of [ ] ─────────────────────────────────────────────────────────────────

# Space, and what shows as nothing: controls, zero-width spaces, direction marks.
_GAP = r"\s\x00-\x1f\x7f-\x9f\u061c\u180e\u200b\u200e\u200f\u202a-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb"

# Scripts written without spaces, digits not included: a syllable or a character with its marks is a token.
_THAI_LAO = r"\u0e01-\u0e3a\u0e40-\u0e4e\u0e81-\u0ece\u0edc-\u0edf"
_MYANMAR = r"\u1000-\u103f\u104c-\u108f\u109a-\u109f\ua9e0-\ua9ef\ua9fa-\ua9fe\uaa60-\uaa7f"
_KHMER = r"\u1780-\u17d3\u17d7\u17dc\u17dd"
_TIBETAN = r"\u0f40-\u0fbc"
_KANA = r"\u3031-\u3035\u303b\u303c\u3041-\u30fa\u30fc-\u312f\u31a0-\u31ff\uff66-\uff9f"
_HAN = r"\u3005-\u3007\u3021-\u302f\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff"
UNSPACED = _THAI_LAO + _MYANMAR + _KHMER + _TIBETAN + _KANA + _HAN

# Words are made of letters, marks and digits, also of the joiners that Persian and Indic words need, of soft hyphens,
# the Armenian signs of tone and the Hebrew geresh. In `re` a class is one look-up in a bitmap if it ends at U+FFFF, and
# range after range if not; hence two.
_MARK = MARKS + "\U000e0100-\U000e01ef"  # the latter choose between variants of an ideograph
_LOW = LETTERS + r"\xad\u055b\u055c\u055e\u05f3\u200c\u200d"
_LETTERS = rf"(?:[{_LOW}]++|(?![\x00-\uffff])[{HIGH_LETTERS}]++)++"

_LATIN = r"A-Za-zª-ʯ\u0300-\u036fḀ-ỿ"
_GREEK_TO_ARABIC = r"\u0370-\u06ff"
_HEBREW = r"א-ת"
_EMOJI = r"\u2190-\u21ff\u2300-\u23ff\u2600-\u27bf\u2b00-\u2bff\U0001f000-\U0001faff"
_EMOJI_SIGN = rf"{_MARK}\U0001f3fb-\U0001f3ff\U000e0020-\U000e007f"  # also skin colours, and tags that make flags

# Ordinary tokens ─────────────────────────────────────────────────────────────────────────────────────────────────────

# Inside a word: hyphen and middle dot; full stop before a small letter (setup.py); separators between digits; the
# apostrophe in scripts where it is a letter (п'ять), the turned comma where it is one (o‘zbek, ho‘omaka) and the Hebrew
# sign for abbreviations (צה"ל). But a Hebrew prefix before a number or a foreign word is a token of its own, which the
# hyphen ends (ב-|2024).
_BEFORE_FOREIGN = rf"(?<=[{_HEBREW}].)(?=[0-9A-Za-z])"
_INSIDE = (
    rf"(?:[-\u05be\u2010\u2011·](?!{_BEFORE_FOREIGN})|\.(?=[a-z_])|[.,:/'’٫٬](?<=\d.)(?=\d)"
    rf"|['’](?<=[{_GREEK_TO_ARABIC}].)(?=[{_GREEK_TO_ARABIC}])|[\"״](?<=[{_HEBREW}].)(?=[{_HEBREW}])"
    rf"|‘(?<=[aeiouāēīōūgAEIOUĀĒĪŌŪG].)(?<![qQ][uU].)(?=[{_LATIN}]))"
)
# In Latin script an apostrophe starts the second token if that is an English ending (don|'t, John|'s), and ends the
# first if not (l'|eau, dell'|arte). Before markup (l':term:`x`) only what is surely an elision has one.
_ENDING = r"(?:[sStTdDmM]|[rRvV][eE]|[lL][lL])(?!\w)"
_ELIDED = (
    rf"['’](?:(?<=[{_LATIN}].)(?=[{_LATIN}])(?!{_ENDING})"
    r"|(?:(?<=\b[cdjlmnstCDJLMNST].)|(?<=[qQ][uU].))(?=[`*:«“\"<{]))"
)
_WORD = rf"{_LETTERS}(?:{_INSIDE}{_LETTERS})*+(?:{_ELIDED}|[-\u05be]{_BEFORE_FOREIGN})?+"
_COUNTED = r"\d++(?:[-.,:/]\d++)*+(?=[\u1100-\u11ff가-힣])"  # Korean joins what is counted to the number: 5|분
_INITIAL = rf"[{_LATIN}{_GREEK_TO_ARABIC}]\."
_INITIALS = rf"{_INITIAL}(?:{_INITIAL}){{1,7}}(?!\w)"  # e.g., U.S.
_CLITIC = rf"['’](?<=[\w`*>)].){_ENDING}"

_MARKS = rf"[{_MARK}]*+"
# With its marks go a Khmer or Myanmar consonant under another, Thai and Lao AM, and half-width voicing signs.
_CLUSTER = rf"(?:[\u1039\u17d2][\u1000-\u1021\u1780-\u17a2]|[\u0e33\u0eb3\uff9e\uff9f]|[{_MARK}])*+"
_CHARACTER = rf"[{UNSPACED}]{_CLUSTER}"
# Thai and Lao: a vowel in front, the consonant, vowels behind, and consonants that are not spoken.
_THAI_SYLLABLE = (
    rf"[ก-ฮเ-ไກ-ຮເ-ໄໜ-ໟ](?:(?<=[เ-ไເ-ໄ])[ก-ฮກ-ຮໜ-ໟ])?+{_CLUSTER}[ะาๅະາ]{{0,2}}+(?:[ก-ฮ][ิุ]?\u0e4c|[ກ-ຮ]\u0ecc)*+"
)
# Myanmar: the consonants that end a syllable have a sign that says so. Tibetan: syllables end with a dot.
_MYANMAR_SYLLABLE = rf"[{_MYANMAR}]{_CLUSTER}(?:[\u1000-\u1021](?=\u1037?[\u1039\u103a]){_CLUSTER})*+"
_TIBETAN_SYLLABLE = rf"[{_TIBETAN}]++[\u0f0b\u0f0c]?+"
# Japanese: foreign words, and the endings of others, are runs of one kind of kana; を is always a word.
_KANA_RUN = rf"[ァ-ヺㇰ-ㇿｦ-ﾝ][ァ-ヺー-ヿㇰ-ㇿｦ-ﾟ{_MARK}]*+|[ぁ-ゑん-ゖ][ぁ-ゑん-ゖゝゞー{_MARK}]*+"
_SYLLABLE = "|".join([_KANA_RUN, _THAI_SYLLABLE, _MYANMAR_SYLLABLE, _TIBETAN_SYLLABLE])

PICTURE = rf"[\U0001f1e6-\U0001f1ff]{{2}}|[{_EMOJI}][{_EMOJI_SIGN}]*+(?:\u200d[{_EMOJI}][{_EMOJI_SIGN}]*+)*+"
_PUNCTUATION = rf"([^{_GAP}()\[\]（）「」『』])\3*+{_MARKS}|[^{_GAP}]{_MARKS}"  # brackets do not run: "))" is two

_ORDINARY = "|".join([_INITIALS, _WORD, _CLITIC, _SYLLABLE, _CHARACTER, PICTURE, _PUNCTUATION])

# The whole ───────────────────────────────────────────────────────────────────────────────────────────────────────────

# A shortcut that does not change the result: a word followed by a space or similar is complete, and most words are.
_WHOLE_WORD = rf"[{_LOW}]++(?![^\s,.;)!?»”\]}}\"]|[,.\"]\S)"


@cache
def token_pattern(version: int = CURRENT) -> re.Pattern[str]:
    """What is a token: its groups are all of it, the same if it is copied, and a character of punctuation."""
    copied = [syntax.pattern for syntax in SYNTAXES if syntax.is_plain and syntax.since <= version]
    whole_word = _WHOLE_WORD
    if version > 1:
        copied.append(PICTURE)
        whole_word = f"(?!__){_WHOLE_WORD}"  # which may be a placeholder
    return compile_pattern(rf"(?=[^{_GAP}])({_COUNTED}|{whole_word}|({'|'.join(copied)})|{_ORDINARY})")


@cache
def signature(version: int = CURRENT) -> str:
    """Of the tokens of a version: counts that were made with other tokens are none of these."""
    return hashlib.sha256(token_pattern(version).pattern.encode()).hexdigest()[:16]


_WORDS_MODE = re.compile(r"(\S+)")


PAIRS = "give pairs such as zip(sources, targets)"
MOST_SHOWN = 80  # characters of what was given


def check_one_text(given: object) -> None:
    """Refuse anything but a string, and say what to call instead."""
    if isinstance(given, str):
        return
    if isinstance(given, bytes):
        raise BadInputError("expected one text, not bytes", remedy="decode them first, such as data.decode()")
    many = isinstance(given, Iterable)
    remedy = "call translate_all(texts) for many" if many else "give a string"
    raise BadInputError(f"expected one text, not {_kind(given) if many else _shown(given)}", remedy=remedy)


def checked_texts(texts: Iterable[str]) -> Iterator[str]:
    """The same texts; an error at the first that is not one, and for what only looks like texts."""
    given: Any = texts
    if isinstance(given, str | bytes):
        raise BadInputError("expected many texts, not one", remedy="call translate(text) for one")
    if not isinstance(given, Iterable):
        raise BadInputError(f"expected many texts, not {_shown(given)}", remedy="give a list of strings")
    if hasattr(given, "columns"):
        first, *_ = [*map(str, given.columns), "source"]
        raise BadInputError(f"{_kind(given)} is not a list of texts", remedy=f"give a column: table[{first!r}]")
    return _each(given)


def _each(texts: Iterable[Any]) -> Iterator[str]:
    for number, text in enumerate(texts, start=1):
        if not isinstance(text, str):
            what = f"text {number} is {_shown(text)}, not a string"
            raise BadInputError(what, remedy='leave it out, or give "" in its place')
        try:
            refuse_surrogates(text)
        except BadInputError as error:
            raise BadInputError(error.what, where=f"text {number}", remedy=error.remedy) from None
        yield text


def checked_pairs(pairs: Iterable[tuple[str, str]]) -> Iterator[tuple[str, str]]:
    """The same pairs; an error at the first that is not two texts, and for what only looks like pairs."""
    given: Any = pairs
    if isinstance(given, Mapping):
        raise BadInputError(f"expected pairs of texts, not {_kind(given)}", remedy=f"{PAIRS}, or pairs.items()")
    if isinstance(given, str | bytes) or not isinstance(given, Iterable):
        found = _kind(given) if isinstance(given, str | bytes) else _shown(given)
        raise BadInputError(f"expected pairs of texts, not {found}", remedy=PAIRS)
    if hasattr(given, "columns"):  # iterating over a table gives the names of its columns
        first, second, *_ = [*map(str, given.columns), "source", "target"]
        remedy = f"give zip(table[{first!r}], table[{second!r}])"
        raise BadInputError(f"{_kind(given)} is not a list of pairs", remedy=remedy)
    if isinstance(given, list | tuple) and len(given) == 2 and all(isinstance(each, list) for each in given):
        what = "two lists could be two pairs, or all sources and all targets"
        raise BadInputError(what, remedy="give pairs as tuples: zip(sources, targets)")
    for number, pair in enumerate(given, start=1):
        if not isinstance(pair, tuple | list) or len(pair) != 2 or not all(isinstance(text, str) for text in pair):
            raise BadInputError(f"pair {number} is {_shown(pair)}, not two texts", remedy=PAIRS)
        yield pair[0], pair[1]


def _kind(given: object) -> str:
    """The name of the type of what was given, with its article."""
    name = type(given).__name__
    return f"{'an' if name[:1].lower() in 'aeiou' else 'a'} {name}"


def _shown(given: object) -> str:
    text = repr(given)
    return text if len(text) <= MOST_SHOWN else f"{text[: MOST_SHOWN - 1]}…"
