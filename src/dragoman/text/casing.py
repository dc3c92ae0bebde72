"""Letter case in one language: truecase on the way in, recase on the way out, learned from counts.

At the start of a sentence a capital says nothing about the word; elsewhere it does. So forms are counted separately at
starts and inside sentences, and a word at a start takes the form that is usual inside. On the way out, the start gets
its capital back if the source sentence has one. Only the case of a word changes, and only if the change can be undone:
what cannot be undone (Straße in capitals) and what carries meaning (iOS, USB, mp3) stays as it is.

>>> from dragoman.text.tokens import split
>>> casing = Casing(Vocabulary())
>>> casing.add(split("We flew from Madrid to the sea. Madrid was hot."))
>>> casing.truecase(split("Madrid is by the sea."))
('Madrid', 'is', 'by', 'the', 'sea', '.')
>>> casing.truecase(split("The USB port"))
('the', 'USB', 'port')
>>> casing.recase(["the", "sea", "at", "madrid"], like=split("El mar en Madrid"))
['The', 'sea', 'at', 'Madrid']

Where sentences start in a sequence of tokens: the places where a capital may mean nothing.

A segment may hold several sentences, and its first word may follow a quote, a tag, a bullet or a number.

>>> from dragoman.text.tokens import split
>>> sentence = split("2) “Stop! Is it on?” 3 lamps")
>>> [(sentence.words[start.at], start.mark) for start in find_starts(sentence.words, sentence.placeable)]
[('Stop', 0), ('Is', 2), ('lamps', 1)]
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from typing import NamedTuple

import numpy as np

from dragoman.arrays import Restorable
from dragoman.records import Sentence
from dragoman.tables import Table
from dragoman.text.tokens import CAPITAL, FIXED, LETTER, LOWER, MIXED, UNCASED, UPPER, capital, lower, shape, upper
from dragoman.text.vocabulary import Vocabulary

# What the start of a sentence follows.
INSIDE = -1  # no start
BEGIN = 0  # nothing, or the number of an item: "3."
NUMBER = 1  # a number that belongs to the sentence
FINAL = 2
ELLIPSIS = 3
COLON = 4
WORD = 5
OTHER = 6

_FINAL_MARKS = frozenset(".!?‽؟։。！？।")
_ITEM_MARKS = frozenset(".):]-–—·•")
_INVISIBLE_PLACEABLES = ("<", "&", "\\")  # tags, entities and escapes: the sentence starts after them


class Start(NamedTuple):
    """A place where a sentence starts."""

    at: int  # position of its first word
    mark: int  # BEGIN, NUMBER, FINAL, ELLIPSIS or COLON
    before: str  # the token before the mark; "" if there is none or it is a placeable


def find_starts(words: Sequence[str], placeable: Sequence[bool]) -> Iterator[Start]:
    """The starts of sentences: the first word after quotes, tags, item numbers and the like, and words after marks."""
    mark, before = BEGIN, ""
    for i, word in enumerate(words):
        kind = _kind(word)
        if placeable[i]:
            if not word.startswith(_INVISIBLE_PLACEABLES):
                mark = INSIDE
        elif kind == WORD:
            if mark != INSIDE and not (len(word) == 1 and i + 1 < len(words) and words[i + 1] == ")"):
                yield Start(i, mark, before)
                mark, before = INSIDE, ""
        elif mark == NUMBER and word in _ITEM_MARKS:
            mark, before = BEGIN, ""
        elif mark != INSIDE and kind == NUMBER:
            mark, before = NUMBER, ""
        elif mark == INSIDE and kind in (FINAL, ELLIPSIS, COLON):
            mark, before = kind, "" if placeable[i - 1] else words[i - 1]


@lru_cache(1 << 16)
def _kind(word: str) -> int:
    """The role of a token for `find_starts`: FINAL, ELLIPSIS, COLON, NUMBER, WORD or OTHER."""
    if any(c.isalpha() for c in word):
        return WORD
    if any(c.isnumeric() for c in word):
        return NUMBER
    if word in ("...", "…"):
        return ELLIPSIS
    if word in (":", "："):
        return COLON
    return FINAL if _FINAL_MARKS.issuperset(word) else OTHER


SEEN_ENOUGH = 3  # times a word must have been followed by a full stop to count as an abbreviation
DOTLESS_SHARE = 20  # a language has a dotless i if one in this many words with any kind of i has ı or İ
LONGEST_UNIT = 3  # letters: words of mixed case up to this long are units (kHz), and stay so among capitals

_CAPITAL_BY_DEFAULT = {BEGIN: True, NUMBER: False, FINAL: True, ELLIPSIS: False, COLON: False}
_DOTLESS = 7  # key of a habit, as those above are


class Casing(Restorable):
    """The forms in which words were seen, at starts and inside sentences, and habits such as capitals after a colon."""

    parts = ("forms", "mixed", "habits")

    def __init__(self, vocabulary: Vocabulary, base: Casing | None = None) -> None:
        self.vocabulary = vocabulary
        # id of a form -> how often it was seen
        self.forms: Table = Table({"inside": np.int64, "start": np.int64}, None if base is None else base.forms)
        # id of a lower-case form -> how often its forms of mixed case were seen, and the sum of their ids
        self.mixed: Table = Table({"count": np.int64, "sum": np.int64}, None if base is None else base.mixed)
        # a kind of start -> how often it had a capital, and how often not
        self.habits: Table = Table({"yes": np.int64, "no": np.int64}, None if base is None else base.habits)
        self._dotless_known: bool | None = None

    def add(self, sentence: Sentence) -> None:
        """Learn how the words of a sentence are written."""
        self._count(sentence, 1)

    def remove(self, sentence: Sentence) -> None:
        """Undo one `add` of the same sentence."""
        self._count(sentence, -1)

    def truecase(self, sentence: Sentence) -> tuple[str, ...]:
        """The words as the models see them: each in the form that is usual inside a sentence."""
        words = list(sentence.words)
        if in_capitals(sentence):
            at = [i for i, word in enumerate(words) if shape(word) in (LETTER, UPPER) and not sentence.placeable[i]]
            for i, form in zip(at, self._usual_forms([words[i] for i in at]), strict=True):
                words[i] = form
            return tuple(words)
        starts = [s for s in find_starts(words, sentence.placeable) if shape(words[s.at]) in (CAPITAL, LETTER)]
        lowered = [self._lowered(words[start.at]) for start in starts]
        evidence = self._evidence([words[start.at] for start in starts] + lowered)
        for n, start in enumerate(starts):
            if evidence[n] <= evidence[len(starts) + n] and not self._follows_abbreviation(start):
                words[start.at] = lowered[n]
        return tuple(words)

    def recase(self, words: Sequence[str], like: Sentence, placeable: Sequence[bool] = ()) -> list[str]:
        """The words as they should appear in a translation of the sentence `like`."""
        placeable = placeable or (False,) * len(words)
        if in_capitals(like):
            return [word if fixed else self._among_capitals(word) for word, fixed in zip(words, placeable, strict=True)]
        written = self._with_names(words, placeable)
        starts, guides = list(find_starts(words, placeable)), list(find_starts(like.words, like.placeable))
        if [start.mark for start in starts] != [guide.mark for guide in guides]:
            # The two are divided differently, so only their beginnings can be compared.
            guides = [guide for guide in guides[:1] if starts and starts[0].mark == guide.mark]
        for n, start in enumerate(starts):
            if shape(written[start.at]) == LOWER:
                seen = shape(like.words[guides[n].at]) if n < len(guides) else UNCASED
                if seen in (CAPITAL, LETTER, UPPER) or (seen != LOWER and self._usually_capital(start)):
                    written[start.at] = self._capitalised(written[start.at])
        return written

    # ── Counting ─────────────────────────────────────────────────────────────────────────────────────────────────────

    def _count(self, sentence: Sentence, times: int) -> None:
        self._dotless_known = None
        if in_capitals(sentence):
            return  # it says nothing about how its words are written elsewhere
        words = sentence.words
        starts = list(find_starts(words, sentence.placeable))
        at_start = {start.at for start in starts}
        cased = [i for i, word in enumerate(words) if LOWER <= shape(word) <= MIXED and not sentence.placeable[i]]
        ids = self.vocabulary.ids((words[i] for i in cased), add=True)
        start = np.array([times if i in at_start else 0 for i in cased], np.int64)
        self.forms.add(ids, inside=times - start, start=start)
        mixed = [n for n, i in enumerate(cased) if shape(words[i]) == MIXED]
        lower_ids = self.vocabulary.ids((words[cased[n]].lower() for n in mixed), add=True)
        self.mixed.add(lower_ids, count=times, sum=ids[mixed] * times)
        self._count_habits(words, starts, times)

    def _count_habits(self, words: Sequence[str], starts: Sequence[Start], times: int) -> None:
        seen: list[tuple[int, bool]] = []
        for start in starts:
            written = shape(words[start.at])
            if written in (LOWER, CAPITAL, LETTER):
                seen.append((start.mark, written != LOWER))
                if start.before:
                    seen.append((_habit(start.mark, self.vocabulary.add(start.before)), written != LOWER))
        seen += [(_DOTLESS, "ı" in word or "İ" in word) for word in words if not _ANY_I.isdisjoint(word)]
        yes = np.array([times if answer else 0 for _, answer in seen], np.int64)
        self.habits.add([habit for habit, _ in seen], yes=yes, no=times - yes)

    # ── What has been learned ────────────────────────────────────────────────────────────────────────────────────────

    def _evidence(self, forms: Sequence[str]) -> list[int]:
        """How often each form was seen where its case is informative; a capital at a start is not."""
        if not forms:
            return []
        ids = self.vocabulary.ids(forms)
        means = np.array([shape(form) in (LOWER, MIXED) for form in forms])
        evidence: list[int] = (self.forms.get(ids, "inside") + self.forms.get(ids, "start") * means).tolist()
        return evidence

    def _habits(self, *keys: int) -> list[tuple[int, int]]:
        """How often yes and how often no, for each habit."""
        yes, no = self.habits.get(keys, "yes").tolist(), self.habits.get(keys, "no").tolist()
        return list(zip(yes, no, strict=True))

    def _usually_capital(self, start: Start) -> bool:
        """Whether a sentence starting here takes a capital, by what was seen after this word or else this mark."""
        after_word, after_mark = self._habits(_habit(start.mark, self.vocabulary.id(start.before)), start.mark)
        yes, no = after_word if start.before and sum(after_word) > 1 else after_mark
        return _CAPITAL_BY_DEFAULT[start.mark] if yes == no else yes > no

    def _follows_abbreviation(self, start: Start) -> bool:
        """Whether the full stop before a start belongs to an abbreviation, a word seldom seen without one (Mr.)."""
        if start.mark != FINAL:
            return False
        known = self.vocabulary.id(start.before)
        seen = int(self.forms.get([known], "inside")[0] + self.forms.get([known], "start")[0])
        if seen == 0:
            return False
        [(yes, no)] = self._habits(_habit(FINAL, known))
        return yes + no >= max(SEEN_ENOUGH, seen / 2)

    def _usual_forms(self, words: Sequence[str]) -> list[str]:
        """For each of these words in capitals, the form seen most often inside sentences; lower case if none was."""
        lowered = [self._lowered(word) for word in words]
        candidates = [lowered, [self._capitalised(word) for word in lowered], self._mixed_forms(lowered), words]
        evidence = [self._evidence(forms) for forms in candidates]
        best = [max(range(len(candidates)), key=lambda c: evidence[c][n]) for n in range(len(words))]
        return [candidates[c][n] for n, c in enumerate(best)]

    def _mixed_forms(self, lowered: Sequence[str]) -> list[str]:
        """The only mixed-case form seen of each word; the word itself if there is none or more than one."""
        ids = self.vocabulary.ids(lowered)
        forms = list(lowered)
        for n, (count, total) in enumerate(zip(self.mixed.get(ids, "count"), self.mixed.get(ids, "sum"), strict=True)):
            if count and total % count == 0:  # if all occurrences have the same id, it is their mean
                form = self.vocabulary.word(int(total // count))
                if form.lower() == lowered[n] and self._evidence([form]) == [count]:
                    forms[n] = form
        return forms

    def _with_names(self, words: Sequence[str], placeable: Sequence[bool]) -> list[str]:
        """The words, with capitals restored to names that `truecase` lowered at a start before it knew them.

        These were seen with a capital both at starts and inside, and never in lower case.
        """
        written = list(words)
        places = [i for i, word in enumerate(words) if shape(word) == LOWER and not placeable[i]]
        lower_ids = self.vocabulary.ids(words[i] for i in places)
        seen = self.forms.get(lower_ids, "inside") + self.forms.get(lower_ids, "start")
        unseen = [places[n] for n in np.flatnonzero(seen == 0)]
        if not unseen:
            return written
        capital_ids = self.vocabulary.ids(self._capitalised(words[i]) for i in unseen)
        names = (self.forms.get(capital_ids, "inside") > 0) & (self.forms.get(capital_ids, "start") > 0)
        for n in np.flatnonzero(names):
            written[unseen[n]] = self._capitalised(words[unseen[n]])
        return written

    # ── Changing case, if it can be undone ───────────────────────────────────────────────────────────────────────────

    @property
    def _dotless(self) -> bool:
        """Whether the language has a dotless i, as Turkish does; then I is not the capital of i."""
        if self._dotless_known is None:
            [(yes, no)] = self._habits(_DOTLESS)
            self._dotless_known = yes * DOTLESS_SHARE > yes + no
        return self._dotless_known

    def _lowered(self, word: str) -> str:
        result = lower(word, self._dotless)
        back = upper(result, self._dotless) if shape(word) == UPPER else capital(result, self._dotless)
        return result if back == word else word

    def _capitalised(self, word: str) -> str:
        result = capital(word, self._dotless)
        return result if lower(result, self._dotless) == word else word

    def _among_capitals(self, word: str) -> str:
        if shape(word) == FIXED or (shape(word) == MIXED and len(word) <= LONGEST_UNIT):
            return word
        result = upper(word, self._dotless)
        return result if lower(result, self._dotless) == lower(word, self._dotless) else word

    # ── Saving ───────────────────────────────────────────────────────────────────────────────────────────────────────

    @classmethod
    def from_arrays(
        cls, arrays: Mapping[str, np.ndarray], vocabulary: Vocabulary, base: Casing | None = None
    ) -> Casing:
        """Restore a model from its `arrays()`, which are used directly, not copied."""
        casing = cls(vocabulary, base)
        casing.restore(arrays)
        return casing


_ANY_I = frozenset("iIıİ")


def _habit(mark: int, before: int) -> int:
    """Key of the habit after a given word and mark; word ids come after the special ids."""
    return before << 3 | mark


def in_capitals(sentence: Sentence) -> bool:
    """Whether a sentence is all capitals: at least two words, one of them with two letters.

    >>> from dragoman.text.tokens import split
    >>> [in_capitals(split(text)) for text in ("DO NOT OPEN", "USB", "Do NOT open")]
    [True, False, False]
    """
    shapes = [shape(word) for word, fixed in zip(sentence.words, sentence.placeable, strict=True) if not fixed]
    if LOWER in shapes or CAPITAL in shapes or MIXED in shapes:
        return False
    return UPPER in shapes and shapes.count(UPPER) + shapes.count(LETTER) > 1
