"""Where sentences end: rules of our own for the scripts we know.

A sentence ends after its final punctuation and the quotation marks and brackets that follow it, if there is white space
after that and the next word may begin a sentence; in scripts written without spaces the punctuation is enough. A full
stop after an abbreviation, an initial or an ordinal number ends nothing.

>>> split_sentences("Ask Dr. Who. He knows (e.g. the time).  Ask him!", "en")
['Ask Dr. Who. ', 'He knows (e.g. the time).  ', 'Ask him!']
>>> split_sentences("閉じる。開く。", "ja")
['閉じる。', '開く。']

Engines, models and memory see sentences, so every text is divided before it is translated: `divide`.
"""

from __future__ import annotations

import re
import unicodedata
from bisect import bisect_left
from collections.abc import Sequence
from functools import lru_cache
from itertools import pairwise

from dragoman.languages import primary
from dragoman.records import Sentence
from dragoman.text.markup import pair_tags
from dragoman.text.tokens import Mode, split

STAND_IN = "\ufffc"  # for a tag, where the rules look at the text
MOST_WORDS = 150  # of a sentence that is translated as a whole
MOST_WORDS_CUT = 100  # of each piece that a longer one is cut into

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
_UNSPACED_ENDS = frozenset("。！？｡”’」』）】")
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


def divide(text: str, language: str | None, mode: Mode = "text") -> list[str]:
    """The sentences that a line is translated in, each with the space after it; joined, they are the line.

    None ends inside a token or between a pair of tags. One of more than MOST_WORDS words is cut at punctuation.

    >>> divide("Open it. <b>Close it. Wait.</b> Press `a. B`!", "en")
    ['Open it. ', '<b>Close it. Wait.</b> ', 'Press `a. B`!']
    """
    if len(text) <= MOST_WORDS and (mode == "words" or _END.search(text) is None):
        return [text]
    sentence = split(text, mode)
    spans, inside = sentence.spans, _inside_pairs(sentence.words)
    begins = [begin for begin, _ in spans]
    found = find_boundaries(_without_fixed(sentence), language) if mode == "text" else []
    starts = {n: at for at in found if 0 < (n := bisect_left(begins, at)) < len(begins) and n not in inside}
    for first, last in pairwise([0, *sorted(starts)]):
        if not any(map(str.isalpha, "".join(sentence.words[first:last]))):  # a number belongs to what it numbers
            del starts[last]
    for first, last in pairwise([0, *sorted(starts), len(begins)]):
        if last - first > MOST_WORDS:
            starts |= {first + n: begins[first + n] for n, _ in _cut(sentence.words[first:last]) if n}
    ends = [0, *(starts[n] for n in sorted(starts)), len(text)]
    return [text[begin:end] for begin, end in pairwise(ends)]


def _without_fixed(sentence: Sentence) -> str:
    """The text with stand-ins for tags and placeholders: full stops in these end no sentence."""
    words = zip(sentence.words, sentence.placeable, strict=True)
    shown = (STAND_IN * len(word) if fixed else word for word, fixed in words)
    return "".join(part for pair in zip(sentence.gaps, (*shown, ""), strict=True) for part in pair)


def _inside_pairs(words: tuple[str, ...]) -> frozenset[int]:
    """The tokens that stand between a tag and the one that closes it, which included."""
    inside, depth = set(), 0
    kinds = pair_tags(words)
    for number in range(len(words)):
        if depth:
            inside.add(number)
        depth += {"start": 1, "end": -1}.get(kinds.get(number, ""), 0)
    return frozenset(inside)


def _cut(words: Sequence[str], most: int = MOST_WORDS_CUT) -> list[tuple[int, int]]:
    """Pieces of at most so many words, as (first word, one past the last).

    A piece ends with a sentence if possible, or else after other punctuation.

    >>> _cut("one . two , three four five".split(), 4)
    [(0, 2), (2, 4), (4, 7)]
    >>> _cut("one two three four five".split(), 4)
    [(0, 4), (4, 5)]
    """
    pieces, begin = [], 0
    while len(words) - begin > most:
        size = max(range(1, most + 1), key=lambda n: (_closes(words[begin + n - 1]) if 3 * n > most else 0, n))
        pieces.append((begin, begin + size))
        begin += size
    return [*pieces, (begin, len(words))]


def _closes(word: str) -> int:
    """How good a place to cut there is after a word: 2 at the end of a sentence, 1 after other punctuation, else 0."""
    if word in ".!?;:…。！？；：":
        return 2
    return 1 if all(unicodedata.category(character).startswith("P") for character in word) else 0


def space_between(source: str, target: str) -> str:
    """What has to be put behind a translated sentence: a space, if its language needs one that the source's does not.

    >>> space_between("閉じる。", "Cierre."), space_between("閉じる。", "关闭。"), space_between("Close.", "Cierre.")
    (' ', '', '')
    """
    return " " if source[-1:] in _UNSPACED_ENDS and target and target[-1] not in {" ", *_UNSPACED_ENDS} else ""


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
