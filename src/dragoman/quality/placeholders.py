"""Tags and placeholders: a translation has those of its source, as often, and tags in an order that makes sense."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from dragoman.quality.finding import Finding
from dragoman.records import Sentence
from dragoman.text.markup import find_unopened
from dragoman.text.placeholders import slot_key
from dragoman.text.tokens import PICTURE, is_slot

ENDS_OF_FORMS = frozenset({"}", "}}", "|"})
_SIGN = re.compile(rf"[#@]\D*|{PICTURE}")


class Slot(NamedTuple):
    """A tag or placeholder, and where it is."""

    text: str
    start: int
    end: int


def find_slots(source: Sentence, target: Sentence) -> Iterator[Finding]:
    """Tags and placeholders that are missing, added or badly nested.

    >>> from dragoman.text.tokens import split
    >>> [finding.what for finding in find_slots(split("Press <b>%(key)s</b>."), split("Pulse </b>%s<b>."))]
    ['%(key)s is missing', '%s is not in the source', '</b> closes nothing']
    """
    wanted, found = _slots(source), _slots(target)
    for slot in _beyond(wanted, found):
        yield Finding(_check(slot), f"{slot.text} is missing", source_start=slot.start, source_end=slot.end)
    known = {slot_key(slot.text) for slot in wanted}
    for slot in _beyond(found, wanted):
        what = (
            f"{slot.text} is there too often" if slot_key(slot.text) in known else f"{slot.text} is not in the source"
        )
        yield Finding(_check(slot), what, slot.start, slot.end)
    for slot in found:
        before = target.text[max(slot.start - 2, 0) : slot.start]
        hides = slot.text.startswith("{") and not slot.text.startswith("{{") and before.endswith("'")
        if hides and before != "''" and f"'{slot.text}" not in source.text:
            what = f"the apostrophe before {slot.text} hides it in an ICU message; write ’ or ''"
            yield Finding("placeholders", what, slot.start - 1, slot.end)
    lost = find_unopened(slot.text for slot in found)
    if lost is not None and find_unopened(slot.text for slot in wanted) is None:
        yield Finding("tags", f"{found[lost].text} closes nothing", found[lost].start, found[lost].end)


def find_signs(source: Sentence, target: Sentence) -> Iterator[Finding]:
    """Emoji and references that are missing, and what ends the forms of a choice, such as `}` and `|`.

    >>> from dragoman.text.tokens import split
    >>> [finding.what for finding in find_signs(split("Well done, @ana! 🎉"), split("¡Bien hecho, Ana!"))]
    ['@ana is missing', '🎉 is missing']
    """
    left = Counter(target.words)
    for word, (start, end), is_copied in zip(source.words, source.spans, source.placeable, strict=True):
        is_end = word in ENDS_OF_FORMS  # of which another language may have more or fewer
        if not is_copied or is_slot(word) or not (is_end or _SIGN.fullmatch(word)):
            continue
        left[word] -= 1
        if left[word] < 0 and not (is_end and word in target.words):
            check = "placeholders" if is_end else "punctuation"
            yield Finding(check, f"{word} is missing", source_start=start, source_end=end)


def _check(slot: Slot) -> str:
    return "tags" if slot.text.startswith("<") else "placeholders"


def _slots(sentence: Sentence) -> list[Slot]:
    words = zip(sentence.words, sentence.spans, sentence.placeable, strict=True)
    return [Slot(word, *span) for word, span, placeable in words if placeable and is_slot(word)]


def _beyond(some: Iterable[Slot], others: Iterable[Slot]) -> Iterator[Slot]:
    """The slots of some that the others have less often; of equal ones, the last."""
    left = Counter(slot_key(slot.text) for slot in others)
    for slot in some:
        key = slot_key(slot.text)
        left[key] -= 1
        if left[key] < 0:
            yield slot
