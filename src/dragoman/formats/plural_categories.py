"""Which plural forms a language has: the categories of CLDR for whole numbers, in the order in which they are written.

>>> categories("pl"), categories("pt-BR"), categories("ja")
(('one', 'few', 'many', 'other'), ('one', 'many', 'other'), ('other',))
"""

from __future__ import annotations

_LANGUAGES = {
    "other": "bm bo dz id ig ii ja jbo jv jw kde kea km ko lkt lo ms my nqo osa sah ses sg su th to vi wo yo yue zh",
    "one two other": "iu naq sat se sma smi smj smn sms",
    "one few other": "bs hr mo ro sh shi sr",
    "one many other": "ca es fr ht it lld pt scn vec",
    "one few many other": "be cs lt pl ru sk uk",
    "one two few other": "dsb gd hsb sl",
    "one two few many other": "br ga gv mt",
    "zero one other": "blo ksh lag lv prg",
    "zero one two few many other": "ar ars cy kw",
    "one two many other": "he iw",
}
_CATEGORIES = {code: tuple(forms.split()) for forms, codes in _LANGUAGES.items() for code in codes.split()}
_LARGE = frozenset(
    {"ca", "es", "fr", "ht", "it", "lld", "pt", "scn", "vec"}
)  # "many" is for millions only: nobody misses it


def categories(language: str | None) -> tuple[str, ...]:
    """The categories of a language; one and other for those not listed."""
    return _CATEGORIES.get((language or "").replace("_", "-").split("-")[0].lower(), ("one", "other"))


def missing_categories(language: str | None, present: list[str]) -> list[str]:
    """The categories that a message in this language must have and lacks."""
    code = (language or "").replace("_", "-").split("-")[0].lower()
    wanted = [each for each in categories(language) if not (each == "many" and code in _LARGE)]
    return [each for each in wanted if each not in present and each != "other"]
