"""Scripts: which ones a language is written in, and which one a letter belongs to."""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Iterable
from functools import lru_cache

from dragoman.languages import primary

_LANGUAGES = {  # by the script names in the Unicode names of their characters
    "ARABIC": "ar fa ur ps sd ug ckb",
    "ARMENIAN": "hy",
    "BENGALI": "bn as",
    "CYRILLIC": "ru uk be bg mk sr kk ky tg mn",
    "DEVANAGARI": "hi mr ne sa",
    "ETHIOPIC": "am ti",
    "GEORGIAN": "ka",
    "GREEK": "el",
    "GUJARATI": "gu",
    "GURMUKHI": "pa",
    "HEBREW": "he iw yi",
    "CJK HIRAGANA KATAKANA KATAKANA-HIRAGANA": "ja",
    "CJK BOPOMOFO": "zh yue",
    "HANGUL CJK": "ko",
    "KANNADA": "kn",
    "KHMER": "km",
    "LAO": "lo",
    "LATIN": "af ca cs cy da de en eo es et eu fi fil fo fr ga gl ht hr hu id is it lb lt lv mi mt ms nb nl nn no oc pl"
    " pt rm ro sk sl so sq st su sv sw tl tr vi xh yo zu",
    "MALAYALAM": "ml",
    "MYANMAR": "my",
    "ORIYA": "or",
    "SINHALA": "si",
    "TAMIL": "ta",
    "TELUGU": "te",
    "THAI": "th",
    "TIBETAN": "bo dz",
}
_SCRIPTS = {code: tuple(scripts.split()) for scripts, codes in _LANGUAGES.items() for code in codes.split()}
_SUBTAGS = {"latn": "LATIN", "cyrl": "CYRILLIC", "arab": "ARABIC", "deva": "DEVANAGARI", "guru": "GURMUKHI"}


@lru_cache(1 << 10)
def scripts_of(language: str) -> tuple[str, ...]:
    """The scripts that a language is written in; empty if unknown or if usage varies.

    >>> scripts_of("pt-BR"), scripts_of("sr-Latn"), scripts_of("rus"), scripts_of("tlh")
    (('LATIN',), ('LATIN',), ('CYRILLIC',), ())
    """
    for subtag in re.split("[-_]", language.lower())[1:]:
        if subtag in _SUBTAGS:
            return (_SUBTAGS[subtag],)
    return _SCRIPTS.get(primary(language), ())


@lru_cache(1 << 14)
def script_of(letter: str) -> str:
    """The script of a letter: the first word of its Unicode name.

    >>> script_of("ñ"), script_of("ж"), script_of("水")
    ('LATIN', 'CYRILLIC', 'CJK')
    """
    name = unicodedata.name(letter, "unknown")
    return name.removeprefix("FULLWIDTH ").removeprefix("HALFWIDTH ").split()[0]


def count_scripts(text: str, *, wide: int = 1) -> Counter[str]:
    """The number of letters of each script in a text, in the order in which the scripts begin.

    Wide letters, which carry more meaning each, count `wide` times.

    >>> count_scripts("Madrid, Москва 2")
    Counter({'LATIN': 6, 'CYRILLIC': 6})
    >>> count_scripts("水", wide=3)
    Counter({'CJK': 3})
    """
    found: Counter[str] = Counter()
    for letter, times in Counter(text).items():  # far fewer than the text has
        if letter.isalpha():
            found[script_of(letter)] += times * (wide if unicodedata.east_asian_width(letter) in "WF" else 1)
    return found


def count_letters(words: Iterable[str]) -> int:
    """The number of letters and digits; wide characters, which carry more meaning each, count three times.

    >>> count_letters(["Tab", "2", "!"]), count_letters(["水"])
    (4, 3)
    """
    text = "".join(words)
    narrow = sum(map(str.isalnum, text))
    if text.isascii():
        return narrow
    return narrow + 2 * sum(unicodedata.east_asian_width(c) in "WF" for c in text if c > "\x7f" and c.isalnum())
