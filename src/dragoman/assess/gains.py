"""Where gains come from: which right words one system has that another lacks, and what kind of words they are.

| kind | a right word is of this kind if |
|---|---|
| repeated sentences | the memory has the very same source |
| markup | it is a tag, a placeholder or code |
| terms | it is a word with letters that is not among the commonest of the text |
| style | it is anything else: little words, punctuation, word forms that are common |

Words are compared as bags, so order does not count here; the measures see to that.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from itertools import zip_longest
from typing import Any, NamedTuple

from rapidfuzz.distance import Levenshtein

from dragoman.text.tokens import is_slot, split

REPEATED, MARKUP, TERMS, STYLE = "repeated sentences", "markup", "terms", "style"
KINDS = REPEATED, TERMS, MARKUP, STYLE
COMMON = 100  # commonest words of the references, which are no terms
MARKS = frozenset("`<>{}\\/_=@*|~#$^")  # characters of code and markup
SHOWN = 6  # examples of each sort
READABLE = 160  # characters of a source that is quickly read


class Example(NamedTuple):
    """A segment in which two systems differ."""

    source: str
    before: str  # the rival's
    after: str  # the system's
    reference: str
    kind: str  # that most of the words gained, or lost, are of
    words: int  # fewer to correct; negative if more

    @property
    def is_long(self) -> bool:
        """Whether it takes long to read, so that shorter ones come first."""
        return len(self.source) > READABLE


def common_words(references: Sequence[str]) -> frozenset[str]:
    """The commonest words, lowercased."""
    counts = Counter(word.lower() for text in references for word in split(text).words)
    return frozenset(word for word, _ in counts.most_common(COMMON))


def differences(before: str, after: str, reference: str) -> tuple[Counter[str], Counter[str]]:
    """The right words that the second text has and the first lacks, and the other way round.

    >>> differences("Pulse la tecla verde.", "Pulse el botón verde", "Pulse el botón verde.")
    (Counter({'el': 1, 'botón': 1}), Counter({'.': 1}))
    """
    right, had, has = (Counter(split(text).words) for text in (reference, before, after))
    return (right & has) - (right & had), (right & had) - (right & has)


def kind_of(word: str, common: frozenset[str]) -> str:
    """The kind of a word, in a sentence that is not repeated.

    >>> [kind_of(word, frozenset({"de"})) for word in ("{name}", "impresora", "de", ".")]
    ['markup', 'terms', 'style', 'style']
    """
    if is_slot(word) or any(mark in MARKS for mark in word):
        return MARKUP
    return STYLE if word.lower() in common or not any(map(str.isalpha, word)) else TERMS


def find_gains(
    sources: Sequence[str],
    before: Sequence[str],
    after: Sequence[str],
    references: Sequence[str],
    repeated: Sequence[bool],
) -> dict[str, Any]:
    """How many right words of each kind were gained and lost, and the segments with the most of them."""
    common = common_words(references)
    gained, lost = Counter[str](), Counter[str]()
    examples: list[Example] = []
    for source, old, new, reference, again in zip(sources, before, after, references, repeated, strict=True):
        if old == new:
            continue
        more, fewer = differences(old, new, reference)
        kinds = [Counter({REPEATED: each.total()}) if again else _kinds(each, common) for each in (more, fewer)]
        gained += kinds[0]
        lost += kinds[1]
        saved = _edits(old, reference) - _edits(new, reference)
        mostly = (kinds[0] if saved >= 0 else kinds[1]).most_common(1)
        examples.append(Example(source, old, new, reference, mostly[0][0] if mostly else STYLE, saved))
    best = sorted((each for each in examples if each.words > 0), key=lambda each: (each.is_long, -each.words))
    worst = sorted((each for each in examples if each.words < 0), key=lambda each: (each.is_long, each.words))
    return {
        "kinds": {kind: {"gained": gained[kind], "lost": lost[kind]} for kind in KINDS},
        "changed": {"better": len(best), "worse": len(worst), "as good": len(examples) - len(best) - len(worst)},
        "best": [each._asdict() for each in _varied(best)],
        "worst": [each._asdict() for each in worst[:SHOWN]],
    }


def _kinds(words: Counter[str], common: frozenset[str]) -> Counter[str]:
    found = Counter[str]()
    for word, times in words.items():
        found[kind_of(word, common)] += times
    return found


def _edits(text: str, reference: str) -> int:
    return Levenshtein.distance(text.split(), reference.split())


def _varied(best: list[Example]) -> list[Example]:
    """The best examples, each kind in turn, so that one kind does not hide the others; no source twice."""
    by_kind = {kind: [each for each in best if each.kind == kind] for kind in KINDS}
    in_turn = (each for row in zip_longest(*by_kind.values()) for each in row if each)
    found: dict[str, Example] = {}
    for each in in_turn:
        found.setdefault(each.source, each)
        if len(found) == SHOWN:
            break
    return list(found.values())
