"""Tags put into a translation at the words that they are at in the source.

1. Each pair is put around the run of target words that have most to do with the words inside it in the source; a pair
   inside another stays inside, and neighbours stay apart.
2. A tag that stands alone follows the word that it follows in the source, if it is joined to one; otherwise it divides
   the translation where it divides the source.
3. Spaces beside a tag are on the side on which they are in the source.

>>> markup = take_out("The <b>red car</b> is <i>mine</i>.")
>>> place(markup, "El coche rojo es mío.", [(1, 2, 1.0), (2, 1, 1.0), (3, 3, 1.0), (4, 4, 1.0)])
'El <b>coche rojo</b> es <i>mío</i>.'
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import takewhile
from types import MappingProxyType
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from dragoman.records import Sentence
from dragoman.text.affinity import Link, affinity, is_short
from dragoman.text.markup import Kind, Marker, Markup, TagPart, find_dividers, take_out, without
from dragoman.text.tokens import split
from dragoman.text.wordings import Wording

__all__ = ["place", "rearrange", "take_out"]

AGREED = 0.2  # what it counts for that a pair was at these very words already
SAID = 8.0  # what it counts for that a run of words is what those inside the pair are called by themselves


class _Span(NamedTuple):
    """The target tokens that a pair encloses."""

    first: int
    end: int


def place(
    markup: Markup,
    translation: str,
    links: Iterable[Link] = (),
    before: dict[int, tuple[int, int]] | None = None,
    wordings: Mapping[int, Sequence[str]] = MappingProxyType({}),
) -> str:
    """The translation with all tags of the source.

    `before` has the tokens that pairs were put around by others, `wordings` what the words inside a pair are called by
    themselves; both by the number of the pair's first tag.

    >>> place(take_out("I saw <b>the old house</b> there."), "Allí vi la casa vieja.", wordings={0: ["La casa vieja"]})
    'Allí vi <b>la casa vieja</b>.'
    """
    source, target = split(markup.bare), split(translation)
    if not len(target):
        return "".join(marker.shown for marker in markup.markers) + translation
    said = affinity(source, target, links) if len(source) else np.zeros((0, len(target)))
    known = {pair: [Wording.of(each, target.words) for each in texts] for pair, texts in wordings.items()}
    placing = _Placing(markup, source, target, said, before or {}, known)
    return placing.text()


def rearrange(source: Sentence, target: Sentence, links: Iterable[Link]) -> str | None:
    """A translation that has its tags, with the pairs around the right words; None if they are there, or missing.

    >>> rearrange(split("The <b>red car</b>"), split("El <b>coche</b> rojo"), [(0, 0, 1.0), (3, 2, 1.0), (2, 4, 1.0)])
    'El <b>coche rojo</b>'
    """
    markup = take_out(source.text)
    shown = Counter(marker.shown for marker in markup.markers)
    tags = [t for t, word in enumerate(target.words) if word in shown]
    if not shown or Counter(target.words[t] for t in tags) != shown:
        return None
    alone = {marker.shown for marker in markup.markers if marker.partner is None}
    bare = without(_parts(target, {t: "alone" if target.words[t] in alone else "start" for t in tags})).bare
    ours = renumber(source, markup.bare, find_dividers(source.words))
    theirs = renumber(target, bare, frozenset(tags))
    kept = [(ours[s], theirs[t], weight) for s, t, weight in links if s in ours and t in theirs]
    text = place(markup, bare, kept, _spans_before(markup, target.words, theirs, tags))
    return None if text == target.text else text


def _parts(sentence: Sentence, tags: Mapping[int, Kind]) -> Iterator[str | TagPart]:
    for number, word in enumerate(sentence.words):
        yield sentence.gaps[number]
        yield TagPart(word, tags[number]) if number in tags else word
    yield sentence.gaps[-1]


def renumber(sentence: Sentence, bare: str, tags: frozenset[int] = frozenset()) -> dict[int, int]:
    """The token of a bare text that each token is in: where a tag is inside a word, two tokens become one.

    >>> renumber(split("<b>S</b>ave it"), "Save it", frozenset({0, 2}))
    {1: 0, 3: 0, 4: 1}
    """
    found: dict[int, int] = {}
    # A project may divide text otherwise than `split` does, so what is compared is not how many tokens there are.
    for one, other in zip(_tokens_of_characters(sentence, tags), _tokens_of_characters(split(bare)), strict=False):
        if one is not None and other is not None:
            found.setdefault(one, other)
    return found


def _tokens_of_characters(sentence: Sentence, left_out: frozenset[int] = frozenset()) -> list[int | None]:
    """The token that each character is in, except spaces, which come and go with tags."""
    found: list[int | None] = []
    for number, gap in enumerate(sentence.gaps):
        found += [None] * len(gap.replace(" ", ""))
        if number < len(sentence) and number not in left_out:
            found += [number] * len(sentence.words[number].replace(" ", ""))
    return found


def _spans_before(
    markup: Markup, words: Sequence[str], numbers: dict[int, int], tags: list[int]
) -> dict[int, tuple[int, int]]:
    """The tokens that each pair is around already."""
    waiting: dict[str, list[int]] = {}
    for t in tags:
        waiting.setdefault(words[t], []).append(len({number for at, number in numbers.items() if at < t}))
    found = [waiting[marker.shown].pop(0) for marker in markup.markers]
    pairs = [(number, marker.partner) for number, marker in enumerate(markup.markers) if marker.partner is not None]
    return {number: (found[number], found[end]) for number, end in pairs if number < end}


class _Placing:
    """The places of all tags of one text."""

    def __init__(
        self,
        markup: Markup,
        source: Sentence,
        target: Sentence,
        said: NDArray[np.float64],
        before: dict[int, tuple[int, int]],
        wordings: Mapping[int, Sequence[Wording]],
    ) -> None:
        self._markers, self._source, self._target, self._said = markup.markers, source, target, said
        self._before, self._wordings = before, wordings
        self._spans: dict[int, _Span] = {}
        self._place_pairs([number for number, one in enumerate(self._markers) if self._opens(number, one)])

    def _opens(self, number: int, marker: Marker) -> bool:
        return marker.partner is not None and marker.partner > number

    def _closing(self, number: int) -> int:
        partner = self._markers[number].partner
        return number if partner is None else partner

    def _inside(self, number: int) -> list[int]:
        """The source tokens inside a pair."""
        start, end = self._markers[number].at, self._markers[self._closing(number)].at
        return [s for s, (first, last) in enumerate(self._source.spans) if start <= first and last <= end]

    # ── Pairs ────────────────────────────────────────────────────────────────────────────────────────────────────────

    def _place_pairs(self, pairs: list[int]) -> None:
        """Outer pairs before those inside them; of neighbours, those first whose words are surest."""
        outer = [n for n in pairs if not any(m < n and self._closing(n) < self._closing(m) for m in pairs)]
        allowed = _Span(0, len(self._target))
        self._place_level(outer, pairs, allowed)

    def _place_level(self, level: list[int], pairs: list[int], allowed: _Span) -> None:
        shares = {n: self._shares(n) for n in level}
        taken: list[_Span] = []
        for number in sorted(level, key=lambda n: -self._sureness(n, shares[n][allowed.first : allowed.end])):
            span = self._best_span(number, shares[number], allowed, taken)
            self._spans[number] = span
            taken.append(span)
            inner = [n for n in pairs if number < n and self._closing(n) < self._closing(number)]
            direct = [n for n in inner if not any(m < n and self._closing(n) < self._closing(m) for m in inner)]
            if direct:
                self._place_level(direct, pairs, span)

    def _sureness(self, number: int, shares: NDArray[np.float64]) -> float:
        said = (min(sum(each.fits) / max(each.size, 1), 1.0) for each in self._wordings.get(number, ()))
        return float(np.max(shares, initial=0.0)) + max(said, default=0.0)

    def _shares(self, number: int) -> NDArray[np.float64]:
        """[T] how much of each target word comes from inside a pair."""
        return np.asarray(self._said[self._inside(number)].sum(axis=0), dtype=np.float64)

    def _best_span(self, number: int, shares: NDArray[np.float64], allowed: _Span, taken: list[_Span]) -> _Span:
        """The run of words with the largest sum of what is above one half, and nearest to what is known to be said."""
        if not self._inside(number):
            return self._nowhere(number, allowed)
        free = [t for t in range(allowed.first, allowed.end) if not any(a <= t < b for a, b in taken)]
        if not free:
            return _Span(allowed.end, allowed.end)
        best, (surest, _) = -1.0, max(((t, shares[t]) for t in free), key=lambda one: one[1])
        chosen = _Span(surest, surest + 1)
        for first in free:
            for t, total in self._runs(number, shares, first, allowed.end):
                if any(a <= t < b for a, b in taken):
                    break
                if total > best + 1e-9:
                    best, chosen = total, _Span(first, t + 1)
        return self._trimmed(number, chosen, allowed, taken)

    def _runs(self, number: int, shares: NDArray[np.float64], first: int, end: int) -> Iterator[tuple[int, float]]:
        """The last word of each run that begins with a word, and how good a place it is."""
        wordings, before = self._wordings.get(number, ()), self._before.get(number)
        fitting, total, count = [0.0] * len(wordings), 0.0, 0
        for t in range(first, end):
            total += float(shares[t]) - 0.5
            count += not _is_sign(self._target.words[t])
            fitting = [one + each.fits[t] for one, each in zip(fitting, wordings, strict=True)]
            alike = (each.likeness(first, one, count) for one, each in zip(fitting, wordings, strict=True))
            agreed = AGREED if before == (first, t + 1) else 0.0
            yield t, total + agreed + SAID * max(alike, default=0.0)

    def _trimmed(self, number: int, span: _Span, allowed: _Span, taken: list[_Span]) -> _Span:
        """Without signs at its ends, unless the source has signs there."""
        inside, (first, end) = self._inside(number), span
        words = self._target.words
        if not _is_sign(self._source.words[inside[0]]):
            while first < end - 1 and _is_sign(words[first]) and words[first] not in ("¿", "¡"):
                first += 1
        if not _is_sign(self._source.words[inside[-1]]):
            while end - 1 > first and _is_sign(words[end - 1]):
                end -= 1
        free = max([allowed.first, *(other for _, other in taken if other <= first)])
        return self._with_article(number, inside, _Span(first, end), _Span(free, allowed.end))

    def _with_article(self, number: int, inside: list[int], span: _Span, allowed: _Span) -> _Span:
        """A span that begins with as many short words as the source, where one more or one less is a guess."""
        gaps, words, (first, end) = self._target.gaps, self._target.words, span
        wanted = sum(1 for _ in takewhile(self._is_article, inside))
        said = max((each.leading_short for each in self._wordings.get(number, ())), default=0)
        if not wanted and is_short(self._source.words[inside[0]]):
            wanted = min(said, 1)
        if wanted == len(inside):
            return span
        while first < end - 1 and gaps[first + 1] and _leading_short(words[first:end]) > max(wanted, said, 1):
            first += 1
        if wanted == 1 and first > allowed.first and gaps[first] and not is_short(words[first]):
            first -= is_short(words[first - 1])
        return _Span(first, end)

    def _is_article(self, token: int) -> bool:
        """Whether a source word is short, and what stands for it is."""
        said = self._target.words[int(self._said[token].argmax())]
        return is_short(self._source.words[token]) and is_short(said)

    def _nowhere(self, number: int, allowed: _Span) -> _Span:
        """The place of a pair without words in it."""
        at = min(max(self._cut(self._markers[number]), allowed.first), allowed.end)
        return _Span(at, at)

    # ── Tags that stand alone ────────────────────────────────────────────────────────────────────────────────────────

    def _cut(self, marker: Marker) -> int:
        """The boundary, 0 to T, at which a tag that stands alone goes."""
        spans = self._source.spans
        before = sum(last <= marker.at for _, last in spans)
        if before == 0 or before == len(spans):
            return 0 if before == 0 else len(self._target)
        touches_before = spans[before - 1][1] == marker.at and not marker.space_before
        touches_after = spans[before][0] == marker.at and not marker.space_after
        if touches_before and not touches_after:
            return int(self._said[before - 1].argmax()) + 1
        if touches_after and not touches_before:
            return int(self._said[before].argmax())
        gains = self._said[:before].sum(axis=0) - 0.5
        return int(np.concatenate([[0.0], np.cumsum(gains)]).argmax())

    # ── The text ─────────────────────────────────────────────────────────────────────────────────────────────────────

    def text(self) -> str:
        """The translation with its tags."""
        ends: dict[int, list[int]] = {}
        middles: dict[int, list[int]] = {}
        starts: dict[int, list[int]] = {}
        for number, marker in enumerate(self._markers):
            if marker.partner is None:
                middles.setdefault(self._bounded(number, self._cut(marker)), []).append(number)
            elif marker.partner > number:
                first, end = self._spans[number]
                if first == end:
                    middles.setdefault(self._bounded(number, first), []).extend([number, marker.partner])
                else:
                    starts.setdefault(first, []).append(number)
                    ends.setdefault(end, []).insert(0, marker.partner)
        pieces: list[str] = []
        for at, gap in enumerate(self._target.gaps):
            pieces.append(self._boundary(at, gap, ends.get(at, []), middles.get(at, []), starts.get(at, [])))
            if at < len(self._target):
                pieces.append(self._target.words[at])
        return "".join(pieces)

    def _bounded(self, number: int, at: int) -> int:
        """A boundary inside the pairs that a tag is inside of, and outside of the others."""
        for opening, (first, end) in self._spans.items():
            if opening < number < self._closing(opening) and first < end:
                at = min(max(at, first), end)
            elif not opening <= number <= self._closing(opening) and first < at < end:
                at = first if at - first < end - at else end
        return at

    def _boundary(self, at: int, gap: str, ends: list[int], middles: list[int], starts: list[int]) -> str:
        """What is between two words: tags that close, those that stand alone, tags that open."""
        inside = {n for n in middles if any((self._markers[end].partner or 0) < n < end for end in ends)}
        begun = {
            n for n in middles if n not in inside and any(n > start and n < self._closing(start) for start in starts)
        }
        alone = [n for n in sorted(middles) if n not in inside and n not in begun]
        closing, opening = self._shown([*ends, *inside]), self._shown([*starts, *begun])
        if not alone:
            if ends and not starts and all(self._leans(n, "end") for n in ends):
                return gap + closing
            if starts and not ends and all(self._leans(n, "start") for n in starts):
                return opening + gap
            return closing + gap + opening
        space = gap or " "
        text = closing + (space if self._markers[alone[0]].space_before and at > 0 else "")
        for count, number in enumerate(alone, start=1):
            marker = self._markers[number]
            goes_on = at < len(self._target) or count < len(alone)
            text += marker.shown + (space if marker.space_after and goes_on else "")
        return text + opening

    def _shown(self, numbers: list[int]) -> str:
        return "".join(self._markers[number].shown for number in sorted(numbers))

    def _leans(self, number: int, kind: str) -> bool:
        """Whether a tag of the source has a space on its inner side and none on its outer."""
        marker = self._markers[number]
        inner, outer = (marker.space_before, marker.space_after)[:: 1 if kind == "end" else -1]
        return inner and not outer


def _leading_short(words: Iterable[str]) -> int:
    return sum(1 for _ in takewhile(is_short, words))


def _is_sign(word: str) -> bool:
    return not any(map(str.isalnum, word)) and not word.startswith(("<", "{", "%", "$", "["))
