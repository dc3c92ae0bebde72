"""Codes and names of languages, and a guess which of a few languages a text is in.

>>> same_language("es-ES", "es"), same_language("spa", "es"), same_language("pt", "es")
(True, True, False)
>>> detect("Pulse el botón que está en la tapa.", ["en", "es"])
('es', 1.0)
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from dragoman.guard import script_of, scripts_of

# Code of two letters, of three, name; then words so frequent that they tell the language, for some of those that share
# a script.
_TABLE = """
ar ara Arabic|bg bul Bulgarian на и в е да се за от с по|bn ben Bengali
ca cat Catalan de la i el que els amb per una és|cs ces Czech a v se na je že do s to jako|cy cym Welsh yn y i o ac
da dan Danish og i at det er en til af ikke på|de deu German der die und in den von zu das mit ist nicht ein eine
el ell Greek|en eng English the of and to in is that for it with you this|eo epo Esperanto la de kaj en estas al
es spa Spanish de la que el en y los se del las un por con una es|et est Estonian ja on ei et ka|eu eus Basque eta da
fa fas Persian|fi fin Finnish ja on ei että se oli|fr fra French de la le et les des en un une du est que pour dans
ga gle Irish an agus na ar|gl glg Galician de a que o e do da en os unha|he heb Hebrew|hi hin Hindi
hr hrv Croatian i u je na se da za su|hu hun Hungarian a az és hogy nem is egy|hy hye Armenian
id ind Indonesian yang dan di dengan untuk ini|is isl Icelandic og að í er sem|it ita Italian di che e la il un per non
ja jpn Japanese|ka kat Georgian|ko kor Korean|lt lit Lithuanian ir kad yra iš į|lv lav Latvian un ir ka no ar
mk mkd Macedonian на и во да се со за од|mr mar Marathi|nb nob Norwegian og i det er en til av ikke på å
nl nld Dutch de het een en van in is dat op te niet|nn nno Nynorsk og i det er ein til av ikkje på å
oc oci Occitan de la e que los|pl pol Polish w i na z do się nie że jest|pt por Portuguese de que a o e do da em um não
ro ron Romanian și de în la a că un nu|ru rus Russian и в не на что с по как это|sk slk Slovak a v sa na je že do s to
sl slv Slovenian in je na se v da za so|sq sqi Albanian dhe e të në është|sr srp Serbian и у је на да се за су
sv swe Swedish och i att det som en på är av för inte|ta tam Tamil|te tel Telugu|th tha Thai
tr tur Turkish ve bir bu için ile da|uk ukr Ukrainian і в не на що з та це до|ur urd Urdu|vi vie Vietnamese và của là có
zh zho Chinese
"""
_ROWS = [row.split() for row in re.split(r"[|\n]", _TABLE.strip())]
NAMES = {row[0]: row[2] for row in _ROWS}
LONG = {row[0]: row[1] for row in _ROWS}
_SHORT = {long: short for short, long in LONG.items()}
_WORDS = {row[0]: frozenset(row[3:]) for row in _ROWS}


def primary(code: str) -> str:
    """The language alone, without script or country, in two letters if it has such a code."""
    first = re.split("[-_]", code.strip().lower())[0]
    return _SHORT.get(first, first)


def same_language(one: str, other: str) -> bool:
    """Whether two codes mean the same language, countries aside."""
    return primary(one) == primary(other)


def name_of(code: str) -> str:
    """The English name of a language, or its code if that is not known."""
    return NAMES.get(primary(code), code)


def detect(text: str, languages: Iterable[str]) -> tuple[str, float]:
    """The language among some that a text is most likely in, and how sure that is; the first if nothing tells."""
    candidates = list(dict.fromkeys(languages))
    scripts = {script_of(letter) for letter in text[:2000] if letter.isalpha()}
    fitting = [code for code in candidates if scripts & set(scripts_of(code))] or candidates
    words = re.findall(r"\w+", text[:2000].lower())
    counts = {code: sum(word in _WORDS.get(primary(code), ()) for word in words) for code in fitting}
    best = max(fitting, key=lambda code: counts[code], default="")
    total = sum(counts.values())
    if total:
        return best, round(counts[best] / total, 2)
    return best, 1 / len(fitting) if fitting else 0.0
