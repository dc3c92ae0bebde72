"""Translations that keep the markup of their source, for programs that put it back by its place.

Weblate sends `Open [X5X]the lid[X15X] now.`, others `{0}the lid{1}` or `<x id="1"/>the lid<x id="2"/>`. Whatever the
models say, such slots come back complete, in the same order, and with a space beside them only where there was one:

1. A correction of the same text is used, also if its slots are others: `Open <b>the lid</b> now.`
2. Otherwise the text is translated with its slots, and the spaces beside them are made those of the source.
3. If the order is wrong, or a pair no longer encloses anything, the text is translated without its pairs, which are put
   back by the word alignment.
4. If that is not possible either, the pieces between the slots are translated one by one.

Single slots only change their order if a person has taught that, with a correction or a phrase that contains both;
pairs go where their words go.

A character entity, `&amp;`, is read as the character it stands for, and written again as its author wrote it. An entity
in the middle of a sentence is a word like any other; only if the models see `&` can they translate it, and
space it, as they have learned. Entities for spaces and for what cannot be seen are left alone: they are markup.

>>> entities = Entities("Salt &amp; pepper, &quot;fine&quot;")
>>> entities.plain
'Salt & pepper, "fine"'
>>> entities.encode('Sal & pimienta "fina" <aquí>')
'Sal &amp; pimienta &quot;fina&quot; &lt;aquí>'
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from functools import partial
from html import unescape
from itertools import combinations
from typing import TYPE_CHECKING, NamedTuple

from dragoman.formats.filled_document import place_by_alignment
from dragoman.project.glossary import Glossary, extra_terms
from dragoman.records import Phrase, Sentence, Translation
from dragoman.text.markup import Kind, TagPart, take_quotes_along, without
from dragoman.text.tokens import is_slot, split

if TYPE_CHECKING:
    from dragoman.engine import Engine

LIKENESS = 40.0  # percent of the characters that two texts have in common if only their slots differ
CANDIDATES = 10  # corrections that are compared word by word


def translate_marked(engine: Engine, text: str, n: int = 1, terms: Glossary | None = None) -> Translation:
    """Translate a text, line by line, with its markup; alternatives that break the markup are left out.

    The terms are added to those of the project's glossary.
    """
    with extra_terms(terms):
        return _translate(engine, text, n)


def is_corrected(engine: Engine, text: str) -> bool:
    """Whether `translate_marked` takes the translation of a text from a correction with other slots."""
    layout = _Layout(Entities(text).plain)
    return bool(layout.slots) and _from_memory(engine, layout) is not None


def _translate(engine: Engine, text: str, n: int) -> Translation:
    if engine.tokens == "words" or engine.exact_match(text):
        return engine.translate_text(text, n=n)
    entities = Entities(text)
    found = engine.translate_text(entities.plain, n=n)
    layout = _Layout(entities.plain)
    if layout.slots and found.memory is None:
        found = _repaired(layout, found, partial(_from_memory, engine, layout), partial(_without_slots, engine, layout))
    nbest = [replace(one, text=entities.encode(one.text)) for one in found.nbest]
    return replace(found, text=entities.encode(found.text), nbest=nbest)


def _repaired(
    layout: _Layout, found: Translation, known: Callable[[], str | None], otherwise: Callable[[], str]
) -> Translation:
    """The translation and its alternatives with the slots of the source."""
    best = known() or layout.arrange(found) or otherwise()
    texts = dict.fromkeys([best, *filter(None, map(layout.arrange, found.nbest))])
    listed = [replace(found, text=text, nbest=[]) for text in texts]
    return replace(found, text=best, nbest=listed if found.nbest else [])


def _from_memory(engine: Engine, layout: _Layout) -> str | None:
    """What a correction says that differs from this text in nothing but its slots."""
    skeleton = _skeleton(layout.sentence)
    for match in engine.matches(layout.sentence.text, least=LIKENESS, limit=CANDIDATES, codes=False):
        source, target = split(match.source), split(match.target)
        if _skeleton(source) == skeleton and (text := layout.with_own_slots(source, target)) is not None:
            return text
    plain = "".join(part for part in layout.parts() if isinstance(part, str))
    return _around_pairs(engine, layout) if layout.pairs and engine.exact_match(" ".join(plain.split())) else None


def _without_slots(engine: Engine, layout: _Layout) -> str:
    return _around_pairs(engine, layout) or _piece_by_piece(engine, layout)


def _skeleton(sentence: Sentence) -> tuple[str | None, ...]:
    """The words of a sentence, with nothing in the place of its slots."""
    return tuple(None if _keeps_place(word) else word for word in sentence.words)


class _Slot(NamedTuple):
    """A slot of the source, and what is beside it."""

    word: str
    token: int  # of the sentence
    before: str | None  # the gap that a translation must have; None if that depends on what comes before
    after: str | None


class _Layout:
    """The slots of a text: which there are, which belong together, and how they are spaced."""

    def __init__(self, text: str) -> None:
        self.sentence = split(text)
        words, gaps = self.sentence.words, self.sentence.gaps
        places = [place for place, word in enumerate(words) if _keeps_place(word)]
        self.slots = [
            _Slot(words[at], at, self._gap(at, -1, gaps[at]), self._gap(at, 1, gaps[at + 1])) for at in places
        ]
        self.pairs = list(self._pairs())  # of indices in `slots`

    def _gap(self, at: int, step: int, gap: str) -> str | None:
        """The gap on one side; at the ends and beside punctuation it is nothing that the slot would ask for."""
        if not 0 <= at + step < len(self.sentence):
            return None
        if gap == "" and _is_sign(self.sentence.words[at + step]):
            return None
        return gap

    def _pairs(self) -> Iterable[tuple[int, int]]:
        """Slots that enclose words: tags by their names, others by what they are joined to."""
        begun: list[int] = []
        for number, slot in enumerate(self.slots):
            kind = self._kind(number)
            if kind == "start":
                begun.append(number)
            elif kind == "end" and begun and _belong(self.slots[begun[-1]].word, slot.word):
                yield begun.pop(), number

    def _kind(self, number: int) -> Kind:
        """Whether a slot opens a pair, closes one, or stands alone; neighbours without a gap are all of one kind."""
        word = self.slots[number].word
        if word.startswith("<") and not word.endswith("/>"):
            return "end" if word.startswith("</") else "start"
        first, last = number, number
        while first and self._touches(first - 1):
            first -= 1
        while last + 1 < len(self.slots) and self._touches(last):
            last += 1
        left, right = self._hold(self.slots[first].token, -1), self._hold(self.slots[last].token, 1)
        return "alone" if left == right else "end" if left > right else "start"

    def _hold(self, at: int, step: int) -> int:
        """How firmly a slot is joined to what is beside it: 2 to a word, 1 to punctuation, 0 not at all."""
        if not 0 <= at + step < len(self.sentence) or self.sentence.gaps[max(at, at + step)]:
            return 0
        return 1 if _is_sign(self.sentence.words[at + step]) else 2

    def _touches(self, number: int) -> bool:
        """Whether a slot is joined to the next one."""
        one, other = self.slots[number].token, self.slots[number + 1].token
        return other == one + 1 and self.sentence.gaps[other] == ""

    def arrange(self, found: Translation) -> str | None:
        """The text of a translation, spaced around its slots as the source is; None if it cannot be used."""
        return self.space(found.target, found.phrases)

    def space(self, target: Sentence, phrases: Sequence[Phrase] = (), *, moved: bool = False) -> str | None:
        """The same for a sentence; slots may change their order inside one of the phrases, or if pairs were `moved`."""
        places = self._places(target)
        if places is None or not (moved or self._in_order(places, phrases)) or not self._encloses(places, target):
            return None
        gaps = list(target.gaps)
        wanted: dict[int, set[str]] = {}
        for slot, place in zip(self.slots, places, strict=True):
            for at, gap, other in ((place, slot.before, place - 1), (place + 1, slot.after, place + 1)):
                inside = 0 <= other < len(target)
                step = other - place
                if gap == "" and not (inside and self._is_like(slot.token + step, target.words[other])):
                    return None  # what it was joined to has been lost
                if inside and gap is not None and (gap == "" or not _is_sign(target.words[other])):
                    wanted.setdefault(at, set()).add(gap)
        for at, each in wanted.items():
            if "" in each and len(each) > 1:
                return None
            if gaps[at] == "" or "" in each:
                gaps[at] = min(each, key=len)
        return replace(target, gaps=tuple(gaps)).text

    def with_own_slots(self, source: Sentence, target: Sentence) -> str | None:
        """A target whose source has other slots, with ours in their place; None if it is not clear which is which."""
        theirs = [word for word in source.words if _keeps_place(word)]
        ours = dict(zip(theirs, (slot.word for slot in self.slots), strict=True))
        wanted = Counter(ours[word] for word in theirs)
        words = tuple(ours.get(word, word) for word in target.words)
        if len(ours) < len(theirs) or Counter(filter(_keeps_place, words)) != wanted:
            return None
        return replace(target, words=words).text

    def parts(self) -> list[str | TagPart]:
        """The text with its pairs apart; other slots are words of it."""
        kinds: dict[int, Kind] = {}
        for one, other in self.pairs:
            kinds |= {self.slots[one].token: "start", self.slots[other].token: "end"}
        words = (TagPart(word, kinds[n]) if n in kinds else word for n, word in enumerate(self.sentence.words))
        pieces = zip(self.sentence.gaps, words, strict=False)
        return [part for gap, word in pieces for part in (gap, word)] + [self.sentence.gaps[-1]]

    def without_trailing_signs(self, target: Sentence) -> Sentence:
        """A target whose pairs end before the full stop, if they do in the source: alignments may say otherwise."""
        words, gaps, places = list(target.words), list(target.gaps), self._places(target) or []
        ends = [places[other] for _, other in self.pairs if places and not self._ends_with_sign(self.slots[other])]
        for at in sorted(ends):
            while at and _is_sign(words[at - 1]):
                words[at - 1 : at + 1] = reversed(words[at - 1 : at + 1])
                gaps[at - 1 : at + 1] = reversed(gaps[at - 1 : at + 1])
                at -= 1
        return replace(target, words=tuple(words), gaps=tuple(gaps))

    def _ends_with_sign(self, slot: _Slot) -> bool:
        return slot.token > 0 and _is_sign(self.sentence.words[slot.token - 1])

    def _is_like(self, token: int, word: str) -> bool:
        """Whether a word may be where a token of the source was: a word for a word, a slot for a slot."""
        return not _is_sign(word) and (_keeps_place(self.sentence.words[token]) or not _keeps_place(word))

    def _places(self, target: Sentence) -> list[int] | None:
        """Where each slot is in a target; those that look the same come in the order of the source."""
        found: dict[str, list[int]] = {}
        for place, word in enumerate(target.words):
            if _keeps_place(word):
                found.setdefault(word, []).append(place)
        if {word: len(places) for word, places in found.items()} != Counter(slot.word for slot in self.slots):
            return None
        return [found[slot.word].pop(0) for slot in self.slots]

    def _in_order(self, places: list[int], phrases: Sequence[Phrase]) -> bool:
        taught = {token: phrase for phrase in phrases for token in range(*phrase.source) if phrase.kind == "phrase"}
        paired = {number for pair in self.pairs for number in pair}
        for (one, first), (other, second) in combinations(enumerate(places), 2):
            together = taught.get(self.slots[one].token) is not None and (
                taught.get(self.slots[one].token) is taught.get(self.slots[other].token)
            )
            if first > second and (not together or {one, other} & paired):
                return False
        return True

    def _encloses(self, places: list[int], target: Sentence) -> bool:
        """Whether each pair still has words in it, if it had any."""
        inside = [
            (range(self.slots[one].token + 1, self.slots[other].token), range(places[one] + 1, places[other]))
            for one, other in self.pairs
        ]
        return all(_has_words(target, there) or not _has_words(self.sentence, here) for here, there in inside)


def _around_pairs(engine: Engine, layout: _Layout) -> str | None:
    """The text translated without its pairs, which are then put around the words that they belong to."""
    placed = place_by_alignment(engine, without(take_quotes_along(layout.parts()))) if layout.pairs else None
    return None if placed is None else layout.space(layout.without_trailing_signs(split(placed)), moved=True)


def _piece_by_piece(engine: Engine, layout: _Layout) -> str:
    """The pieces between the slots translated one by one: never wrong, if not always fluent."""
    text, done, parts = layout.sentence.text, 0, list[str]()
    for slot in layout.slots:
        begin, end = layout.sentence.spans[slot.token]
        parts += [_translated(engine, text[done:begin]), slot.word]
        done = end
    return "".join([*parts, _translated(engine, text[done:])])


def _translated(engine: Engine, piece: str) -> str:
    """A piece with the spaces and signs at its ends, so that slots stay joined to words where they were."""
    found = re.search(r"\w(?:.*\w)?", piece, re.DOTALL)
    if found is None:
        return piece
    made = re.search(r"\w(?:.*\w)?", engine.translate_text(found[0]).text, re.DOTALL)
    return piece[: found.start()] + (made or found)[0] + piece[found.end() :]


def _keeps_place(word: str) -> bool:
    return is_slot(word) or ENTITY.fullmatch(word) is not None


def _is_sign(word: str) -> bool:
    return not any(map(str.isalnum, word)) and not _keeps_place(word)


def _has_words(sentence: Sentence, tokens: range) -> bool:
    return any(not _keeps_place(sentence.words[token]) for token in tokens)


def _belong(opening: str, closing: str) -> bool:
    """Whether two slots can be a pair: tags of one name, or two placeholders."""
    if opening.startswith("<") and closing.startswith("</"):
        return opening.strip("<>").split()[0] == closing.strip("</>").split()[0]
    return not closing.startswith("</")


# ── Character entities ───────────────────────────────────────────────────────────────────────────────────────────────

ENTITY = re.compile(r"&(?:[A-Za-z][A-Za-z0-9]{1,31}|#\d{1,7}|#[xX][0-9A-Fa-f]{1,6});")
TAG = re.compile(r"""</?[A-Za-z](?:[^<>"']|"[^"<>]*"|'[^'<>]*')*>""")
COMMENT, END = r"<!--.*?-->", "-->"


class Entities:
    """The entities of a text, which has to be written with the same ones when it is translated."""

    def __init__(self, text: str) -> None:
        parts = _parts(text, TAG.pattern)
        self._tags = {each for part, pattern in parts for each in re.findall(pattern, part, re.DOTALL)}
        self._written = {shown: found for found in ENTITY.findall(text) if _is_visible(shown := unescape(found))}
        if self._written and "&" not in ENTITY.sub("", text):  # the whole text is escaped, so everything has to be
            self._written = {"&": "&amp;", "<": "&lt;"} | self._written
        self.plain = ENTITY.sub(_shown, text) if self._written else text

    def encode(self, text: str) -> str:
        """A translation with entities where the source would have had them; the tags of the source stay tags."""
        if not self._written:
            return text
        pieces = (
            piece
            for part, pattern in _parts(text, f"{TAG.pattern}|{ENTITY.pattern}")
            for piece in re.split(f"({pattern})", part, flags=re.DOTALL)
        )
        return "".join(piece if self._is_markup(piece) else self._escape(piece) for piece in pieces)

    def _is_markup(self, part: str) -> bool:
        return part in self._tags or (ENTITY.fullmatch(part) is not None and not _is_visible(unescape(part)))

    def _escape(self, text: str) -> str:
        return "".join(self._written.get(character, character) for character in text)


def _parts(text: str, pattern: str) -> list[tuple[str, str]]:
    """A text in two parts, each with what to look for in it: comments only as far as one of them can end.

    Otherwise a text of nothing but beginnings of comments would be searched to its end for each of them.
    """
    last = text.rfind(END) + len(END) if END in text else 0
    return [(text[:last], f"{COMMENT}|{pattern}"), (text[last:], pattern)]


def _shown(found: re.Match[str]) -> str:
    character = unescape(found[0])
    return character if _is_visible(character) else found[0]


def _is_visible(shown: str) -> bool:
    return len(shown) == 1 and shown.isprintable() and not shown.isspace() and shown != "\ufffd"
