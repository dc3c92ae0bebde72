"""Names of languages, and a guess at which of a few languages a text is in.

>>> name_of("es-ES"), name_of("spa"), name_of("ger"), name_of("tlh")
('Spanish', 'Spanish', 'German', 'tlh')
>>> detect("Pulse el botón que está en la tapa.", ["en", "es"])
('es', 1.0)
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from dragoman.languages import primary
from dragoman.text.scripts import script_of, scripts_of

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


def name_of(code: str) -> str:
    """The English name of a language, or its code if the name is not known."""
    return NAMES.get(primary(code), code)


def detect(text: str, languages: Iterable[str]) -> tuple[str, float]:
    """The most likely language of a text, among some, and the confidence; the first one if there is no evidence."""
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
