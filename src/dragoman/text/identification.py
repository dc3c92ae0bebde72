"""Names of languages, which of a few languages a text is in, and whether it is in another than it should be.

Frequent words tell languages of one script apart in long sentences, py3langid (`pip install 'dragoman[languages]'`) in
shorter ones too. Among 5,250 lines of eight corpora in English, Spanish and French, none was taken for another
language; of English lines 37 % with 12 to 20 letters were told from Spanish, 79 % with up to 40 and 98 % of longer
ones, in less than a millisecond each; without py3langid 4, 17 and 72 %.

>>> name_of("es-ES"), name_of("spa"), name_of("ger"), name_of("tlh")
('Spanish', 'Spanish', 'German', 'tlh')
>>> detect("Pulse el botón que está en la tapa.", ["en", "es"])
('es', 1.0)
>>> find_other("Schließen Sie den Deckel und die Klappe nicht mit der Hand.", "es")
'de'

Scripts: which ones a language is written in, and which one a letter belongs to.
"""

from __future__ import annotations

import math
import re
import unicodedata
from collections import Counter
from collections.abc import Iterable
from functools import cache, lru_cache
from importlib.util import find_spec
from typing import Any

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


LOOKED_AT = 2_000  # characters of a text
LEAST_LETTERS = 12  # of a text that may be taken for another language
MARGIN = 12.0  # natural logarithms by which another language must be more likely
GIVEAWAYS = 3  # different frequent words of another language, and not half as many of the right one

# Code, name; then words so frequent that they give the language away, for those that share a script.
_TABLE = """
ar Arabic|bg Bulgarian на и в е да се за от с по|bn Bengali
ca Catalan de la i el que els amb per una és|cs Czech a v se na je že do s to jako|cy Welsh yn y i o ac
da Danish og i at det er en til af ikke på|de German der die und in den von zu das mit ist nicht ein eine
el Greek|en English the of and to in is that for it with you this|eo Esperanto la de kaj en estas al
es Spanish de la que el en y los se del las un por con una es|et Estonian ja on ei et ka|eu Basque eta da
fa Persian|fi Finnish ja on ei että se oli|fr French de la le et les des en un une du est que pour dans
ga Irish an agus na ar|gl Galician de a que o e do da en os unha|he Hebrew|hi Hindi
hr Croatian i u je na se da za su|hu Hungarian a az és hogy nem is egy|hy Armenian
id Indonesian yang dan di dengan untuk ini|is Icelandic og að í er sem|it Italian di che e la il un per non
ja Japanese|ka Georgian|ko Korean|lt Lithuanian ir kad yra iš į|lv Latvian un ir ka no ar
mk Macedonian на и во да се со за од|mr Marathi|nb Norwegian og i det er en til av ikke på å
nl Dutch de het een en van in is dat op te niet|nn Nynorsk og i det er ein til av ikkje på å
oc Occitan de la e que los|pl Polish w i na z do się nie że jest|pt Portuguese de que a o e do da em um não
ro Romanian și de în la a că un nu|ru Russian и в не на что с по как это|sk Slovak a v sa na je že do s to
sl Slovenian in je na se v da za so|sq Albanian dhe e të në është|sr Serbian и у је на да се за су
sv Swedish och i att det som en på är av för inte|ta Tamil|te Telugu|th Thai
tr Turkish ve bir bu için ile da|uk Ukrainian і в не на що з та це до|ur Urdu|vi Vietnamese và của là có
zh Chinese
"""
_ROWS = [row.split() for row in re.split(r"[|\n]", _TABLE.strip())]
NAMES = {row[0]: row[1] for row in _ROWS}
_WORDS = {row[0]: frozenset(row[2:]) for row in _ROWS}
_SPOKEN_IN = {word: [row[0] for row in _ROWS if word in row[2:]] for row in _ROWS for word in row[2:]}


def name_of(code: str) -> str:
    """The English name of a language, or its code if the name is not known."""
    return NAMES.get(primary(code), code)


def detect(text: str, languages: Iterable[str]) -> tuple[str, float]:
    """The most likely language of a text, among some, and the confidence; the first one if there is no evidence."""
    candidates = list(dict.fromkeys(languages))
    scripts = {script_of(letter) for letter in text[:LOOKED_AT] if letter.isalpha()}
    fitting = [code for code in candidates if scripts & set(scripts_of(code))] or candidates
    if len(fitting) < 2:
        return (fitting[0], 1.0) if fitting else ("", 0.0)
    words = set(re.findall(r"\w+", text[:LOOKED_AT].lower()))
    counts = {code: len(_frequent(words, code)) for code in fitting}
    most, second = sorted(counts.values(), reverse=True)[:2]
    scores = {} if most > 3 * second else _scores(text)  # where the words have not decided
    if all(_label(code) in scores for code in fitting):
        likely = {code: scores[_label(code)] for code in fitting}
        best = max(fitting, key=lambda code: likely[code])
        return best, round(1 / sum(math.exp(max(-60.0, each - likely[best])) for each in likely.values()), 2)
    best = max(fitting, key=lambda code: counts[code])
    total = sum(counts.values())
    return (best, round(counts[best] / total, 2)) if total else (best, 1 / len(fitting))


def find_other(text: str, language: str) -> str | None:
    """The language that a text is in, if that is clearly another one than it should be; None if in doubt.

    Another language must be known by at least one of its frequent words: nonsense is in no language.
    """
    expected = set(scripts_of(language))
    words = dict.fromkeys(re.findall(r"[^\W\d_]+", text[:LOOKED_AT].lower()))
    fitting = " ".join(word for word in words if script_of(word[0]) in expected)
    if len(fitting) < LEAST_LETTERS:
        return None
    own, hits = _frequent(words, language), {code: set[str]() for code in NAMES if code != primary(language)}
    for word in words:
        for code in _SPOKEN_IN.get(word, ()):
            if code in hits:
                hits[code].add(word)
    most = max(hits, key=lambda code: len(hits[code]))
    if not hits[most] - own or len(own) > len(hits[most]):
        return None
    scores = _scores(fitting)
    if _label(language) in scores:
        best = max(scores, key=lambda label: scores[label])
        known = hits.get({"no": "nb"}.get(best, best), own) - own
        return best if known and scores[best] - scores[_label(language)] > MARGIN else None
    theirs, ours = len(hits[most] - own), len(own - hits[most])
    return most if theirs >= GIVEAWAYS and theirs > 2 * ours else None


def _frequent(words: Iterable[str], language: str) -> frozenset[str]:
    """Those among some words that are frequent in a language."""
    return _WORDS.get(primary(language), frozenset()).intersection(words)


def _label(code: str) -> str:
    """A language as py3langid names it."""
    return {"nb": "no"}.get(primary(code), primary(code))


def _scores(text: str) -> dict[str, float]:
    """The log-likelihood of a text in each language; nothing without the library."""
    identifier = _identifier()
    return dict(identifier.rank(text[:LOOKED_AT])) if identifier else {}


@cache
def _identifier() -> Any:
    """py3langid, restricted to the languages named above; None if it is not installed."""
    if find_spec("py3langid") is None:
        return None
    from py3langid.langid import MODEL_FILE, LanguageIdentifier

    made = LanguageIdentifier.from_model_file(MODEL_FILE)
    made.set_languages([_label(code) for code in NAMES])
    return made
