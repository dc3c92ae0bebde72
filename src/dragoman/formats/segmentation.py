"""Where sentences end: rules of our own for the scripts we know.

A sentence ends after its final punctuation and the quotation marks and brackets that follow it, if there is white space
after that and the next word may begin a sentence; in scripts written without spaces the punctuation is enough. A full
stop after an abbreviation, an initial or an ordinal number ends nothing.

>>> split_sentences("Ask Dr. Who. He knows (e.g. the time).  Ask him!", "en")
['Ask Dr. Who. ', 'He knows (e.g. the time).  ', 'Ask him!']
>>> split_sentences("閉じる。開く。", "ja")
['閉じる。', '開く。']
"""

from __future__ import annotations

import re
from functools import lru_cache
from itertools import pairwise

from dragoman.languages import primary

_CLOSERS = r"[\"'”’»›)\]】」』）\ufffc]*+"
_MARKS, _SPACED_MARKS, _FULL_WIDTH = "[.!?…]", "[؟۔।॥։።]", "[。！？｡]"
# The set that begins the pattern lets the search skip to the next candidate; then what it was decides how it goes on.
# Of several marks in a row, only the first is tried: the others would fail at the same place.
_END = re.compile(
    r"[.!?…؟۔।॥։።。！？｡](?:"
    rf"(?<={_MARKS})(?<!{_MARKS}{{2}}){_MARKS}*+{_CLOSERS}(?=\s)"
    rf"|(?<={_SPACED_MARKS})(?<!{_SPACED_MARKS}{{2}}){_SPACED_MARKS}*+{_CLOSERS}(?=\s|\Z)"
    rf"|(?<={_FULL_WIDTH}){_FULL_WIDTH}*+[”’」』）】]*+)\s*+"
)
_OPENERS = "\"'“‘«‹([{¿¡„‚「『（【\ufffc-–—*•"
_GOING_ON = frozenset("とってのがはをにでもや")  # after a quotation, the sentence that quotes it goes on so in Japanese
_DOUBLED = re.compile(r"([A-ZÁÉÍÓÚ])\1(?!\w)")  # abbreviates a plural in Spanish
_WORD = re.compile(r"[\w.'’-]*+")
_BREAK = re.compile(r"\n\s*\n\s*")

# Abbreviations that a name, a number or a small letter follows; without their last full stop.
_COMMON = (
    "etc vs approx ca cf ed eds et al fig figs vol no nos nr pp p tel ext inc ltd co corp jr sr st e.g i.e e.g. i.e."
)
_ABBREVIATIONS = {
    "en": "mr mrs ms dr prof gen col capt lt sgt rev hon gov sen rep mt ave blvd dept est min max a.m p.m ch sec "
    "jan feb mar apr jun jul aug sep sept oct nov dec incl resp",
    "es": "sr sra srta sres dr dra prof d dña ud uds pág págs núm art cap p.ej p. ej ee.uu aprox avda tel máx mín",
    "fr": "m mm mme mlle dr pr p.ex env av boul chap art éd ex réf n° tél max min",
    "de": "z.b d.h u.a usw bzw ca dr prof hr fr nr str abs art bd evtl ggf inkl max min mio mrd vgl z.t zzgl st",
    "it": "sig sig.ra dott dott.ssa prof ing avv pag pagg art cap es p.es ecc tel max min",
    "pt": "sr sra dr dra prof pág págs art cap ex p.ex av tel máx mín ilmo exmo",
    "nl": "dhr mevr dr prof bijv bv d.w.z enz blz art max min o.a m.b.t i.v.m nl",
    "ru": "г гг т.е т.д т.п др пр см рис стр ул им напр руб коп тыс млн млрд",
    "pl": "np tzn itd itp ul al dr prof mgr inż im str nr tel ok",
}


def split_sentences(text: str, language: str | None) -> list[str]:
    """The sentences of a text, each with the white space after it; joined, they are the text."""
    places = [0, *find_boundaries(text, language), len(text)]
    return [text[begin:end] for begin, end in pairwise(places) if begin < end]


def find_boundaries(text: str, language: str | None) -> list[int]:
    """The positions where a sentence begins, except the first."""
    found = [match.end() for match in _END.finditer(text) if _is_end(text, match, language)]
    if "\n" in text:
        found = sorted({*found, *(match.end() for match in _BREAK.finditer(text))})
    return [at for at in found if 0 < at < len(text)]


def _is_end(text: str, match: re.Match[str], language: str | None) -> bool:
    start, end = match.span()
    after = text[end : end + 1]
    if text[start] not in ".!?…":
        return not (match[0].rstrip()[-1:] in "”’」』" and after in _GOING_ON)
    if not after or after.islower():
        return False
    if text[start] == "." and text[start + 1] != ".":
        before = text[max(0, start - 40) : start].rpartition(" ")[2]
        if not before.isalpha():
            word = _WORD.match(before[::-1])
            before = word[0][::-1] if word else ""
        if _DOUBLED.fullmatch(before) and _DOUBLED.match(text, end):  # EE. UU.
            return False
        if _is_abbreviation(before, language) or (before.isdigit() and _goes_on_after_number(text, match, language)):
            return False
    return after.isupper() or after.isdigit() or after in _OPENERS or not after.isascii()


def _is_abbreviation(word: str, language: str | None) -> bool:
    bare = word.lower().lstrip(".'’-")
    initial = len(bare) == 1 and bare.isalpha() and word[-1:].isupper() and word != "I"
    return initial or bare in _abbreviations(language or "")


def _goes_on_after_number(text: str, match: re.Match[str], language: str | None) -> bool:
    """In German and some other languages `3.` is an ordinal number; anywhere, a number that begins a line counts."""
    nearby = max(0, match.start() - 80)  # a paragraph may be a megabyte of numbers
    line = text.rfind("\n", nearby, match.start()) + 1
    begins_line = (line > 0 or nearby == 0) and text[line : match.start()].strip().isdigit()
    return begins_line or (language or "")[:2] in ("de", "cs", "da", "nb", "no", "fi", "pl", "sk", "sl", "hr", "hu")


@lru_cache
def _abbreviations(language: str) -> frozenset[str]:
    return frozenset(f"{_COMMON} {_ABBREVIATIONS.get(primary(language) if language else '', '')}".split())
