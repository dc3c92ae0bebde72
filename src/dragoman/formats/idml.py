"""IDML, the exchange format of InDesign: the paragraphs of its stories, also in tables, footnotes and notes.

A story has ranges of one paragraph style, in these ranges of one character style, and in these the text; paragraphs end
with `<Br/>`, wherever that stands. The character style of most of a paragraph goes without saying, others become pairs
of tags, as do links; all else (pictures, tables, footnotes, special characters) becomes single tags. A paragraph that
changes is written anew: it goes on in the range that it begins in, and ends in the one that it ended in.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from functools import cached_property
from html import unescape
from typing import NamedTuple

from dragoman.formats.codes import words
from dragoman.formats.division import Parts
from dragoman.formats.elements import Element, escape
from dragoman.formats.inline import Inline, Tag
from dragoman.formats.packages import Package, PackedDocument
from dragoman.formats.piece_document import Piece, PieceDocument, Replacement
from dragoman.formats.runs import nested_in
from dragoman.formats.xml_pieces import XmlPieceDocument

RANGE = "CharacterStyleRange"
_BOXES = words("Change CrossReferenceSource HyperlinkTextSource XMLElement")  # around some of a paragraph
_SPECIAL = re.compile(r"(<\?[^<]*?\?>)", re.DOTALL)  # a character that XML cannot hold, such as a page number


class _Item(NamedTuple):
    """Something in a paragraph: text, an element, or the beginning or end of a link."""

    kind: str  # "text", "thing", "open", "close"
    format: str  # the start of the range that it is in
    start: int
    end: int
    text: str = ""  # for a special character, as it is written


class _Meaning(NamedTuple):
    """What a tag stands for: the range to be in, and what is copied."""

    format: str | None
    thing: _Item | None


@dataclass
class _StoryStyle:
    """How a paragraph is written: the ranges that it begins and ends in, the usual one, and the meanings of tags."""

    first: str
    last: str
    base: str
    meanings: dict[str, _Meaning] = field(default_factory=dict)


class StoryPart(XmlPieceDocument):
    """A story."""

    kind = "idml"
    prose = True
    wanted = frozenset({"ParagraphStyleRange"})

    @cached_property
    def _counter(self) -> list[int]:
        return [0]

    def _visit(self, element: Element, _: list[Element]) -> Iterable[Piece]:
        nested = list(nested_in(element, self.wanted))
        for paragraph in self._paragraphs(element):
            while nested and nested[0].start < paragraph[-1].end:
                yield from self._visit(nested.pop(0), [])
            yield from self._piece(paragraph)
        for each in nested:
            yield from self._visit(each, [])

    def _piece(self, items: list[_Item]) -> Iterator[Piece]:
        """A paragraph from its first text to its last one."""
        texts = [number for number, item in enumerate(items) if item.kind == "text"]
        if not any(items[number].text.strip() for number in texts):
            return
        first, last = texts[0], texts[-1]
        while any(item.kind == "close" for item in items[first:last]) and not _is_balanced(items[first : last + 1]):
            first -= 1
            if first < 0:
                return
        while not _is_balanced(items[first : last + 1]):
            last += 1
            if last == len(items):
                return
        parts, style = _build(items[first : last + 1])
        self._counter[0] += 1
        yield Piece(str(self._counter[0]), Inline(parts), items[first].start, items[last].end, style=style)

    def _paragraphs(self, element: Element) -> Iterator[list[_Item]]:
        found: list[_Item] = []
        for item in self._items(element, ""):
            if item.kind == "break":
                if found:
                    yield found
                found = []
            else:
                found.append(item)
        if found:
            yield found

    def _items(self, element: Element, format_: str) -> Iterator[_Item]:
        for each in element.elements:
            if each.name == RANGE and not each.empty:
                properties = each.child("Properties")
                end = properties.end if properties else each.inside
                yield from self._items(each, self._slice(each.start, end))
            elif each.name == "Content":
                yield from self._content(each, format_) if format_ else self._alone(each)
            elif each.name == "Br":
                yield _Item("break", "", each.start, each.end)
            elif each.name in _BOXES and not _is_deleted(each) and not each.empty:
                yield from self._box(each, format_)
            elif each.name not in ("Properties", "ParagraphStyleRange"):
                yield _Item("thing", format_, each.start, each.end)

    def _alone(self, element: Element) -> Iterator[_Item]:
        """A text outside of any range, which other programs write: a paragraph of its own."""
        yield _Item("break", "", element.start, element.start)
        yield from self._content(element, "")
        yield _Item("break", "", element.end, element.end)

    def _box(self, element: Element, format_: str) -> Iterator[_Item]:
        """A link or the like; one that has whole paragraphs in it only divides the text."""
        is_part = format_ and element.child("Content") and not any(each.name == "Br" for each in element.descendants())
        yield _Item("open" if is_part else "break", format_, element.start, element.inside)
        yield from self._items(element, format_)
        yield _Item("close" if is_part else "break", format_, element.close, element.end)

    def _content(self, element: Element, format_: str) -> Iterator[_Item]:
        """The text of an element, and special characters in it."""
        if element.empty:
            return
        raw = self._slice(element.inside, element.close)
        for number, part in enumerate(_SPECIAL.split(raw)):
            if number % 2:
                yield _Item("thing", format_, element.start, element.end, f"<Content>{part}</Content>")
            elif part:
                yield _Item("text", format_, element.start, element.end, unescape(part))

    def _render(self, piece: Piece, parts: Parts, inner: list[Replacement]) -> str:
        style: _StoryStyle = piece.style
        formats, current, written = [style.base], style.first, []
        for part in parts:
            meaning = _Meaning(None, None) if isinstance(part, str) else style.meanings[part.shown]
            if not isinstance(part, str) and part.kind == "end":
                formats.pop()
            elif not isinstance(part, str) and part.kind == "start":
                formats.append(meaning.format or formats[-1])
            wanted = formats[-1] if isinstance(part, str) else meaning.format
            if (isinstance(part, str) or meaning.thing) and wanted and wanted != current:
                written.append(f"</{RANGE}>{wanted}")
                current = wanted
            if isinstance(part, str):
                written.append(f"<Content>{escape(part)}</Content>")
            elif meaning.thing:
                thing = meaning.thing
                written.append(thing.text or self.raw(Tag("", b"", "alone", "", None, (thing.start, thing.end)), inner))
        if current != style.last:
            written.append(f"</{RANGE}>{style.last}")
        return "".join(written)

    def _spans(self, piece: Piece, parts: Parts) -> list[tuple[int, int]]:
        style: _StoryStyle = piece.style
        things = [style.meanings[part.shown].thing for part in parts if isinstance(part, Tag)]
        return [(thing.start, thing.end) for thing in things if thing]

    def _is_same(self, piece: Piece, parts: Parts | None, new: Piece) -> bool:
        return self._read_back(piece, parts) == self._read_back(new, None)

    def _read_back(self, piece: Piece, parts: Parts | None) -> str:
        """The text of each format in turn: which of them goes without saying may be another in the new paragraph."""
        style: _StoryStyle = piece.style
        formats, shown, last = [style.base], "", None
        for part in piece.inline.parts if parts is None else parts:
            if isinstance(part, str):
                shown += part if formats[-1] == last else f"\ufffc{formats[-1]}\ufffc{part}"
                last = formats[-1]
                continue
            meaning = style.meanings[part.shown]
            if meaning.thing and not shown.endswith("\ufffd"):
                shown, last = f"{shown}\ufffd", None
            if part.kind == "start":
                formats.append(meaning.format or formats[-1])
            elif part.kind == "end":
                formats.pop()
        return shown.strip("\ufffd")  # things at its ends do not belong to a paragraph that is read


def _is_deleted(element: Element) -> bool:
    return element.attributes.get("ChangeType") == "DeletedText"


def _is_balanced(items: list[_Item]) -> bool:
    """Whether every link that begins here ends here."""
    depth = 0
    for item in items:
        depth += (item.kind == "open") - (item.kind == "close")
        if depth < 0:
            return False
    return depth == 0


def _build(items: list[_Item]) -> tuple[Parts, _StoryStyle]:
    """Text and tags of a paragraph, and what the tags mean."""
    lengths: Counter[str] = Counter()
    for item in items:
        lengths[item.format] += len(item.text) if item.kind == "text" else 0
    base = lengths.most_common(1)[0][0]
    style = _StoryStyle(items[0].format, items[-1].format, base)
    inline, count, opened = Inline(), 0, ""  # the pair that is open for another format
    links: list[int] = []

    def close() -> None:
        nonlocal opened
        if opened:
            shown = f"</{opened}>"
            style.meanings[shown] = _Meaning(None, None)
            inline.parts.append(Tag(shown, b"", "end", opened, None))
            opened = ""

    current = base
    for item in items:
        if item.kind != "text" or item.format != current:
            close()
            current = base
        if item.kind == "text":
            if item.format != current:
                count += 1
                opened, current = f"g{count}", item.format
                style.meanings[f"<{opened}>"] = _Meaning(item.format, None)
                inline.parts.append(Tag(f"<{opened}>", b"", "start", opened, None))
            inline.add(item.text)
            continue
        if item.kind == "close":
            number = links.pop()
            shown, kind, name = f"</g{number}>", "end", f"g{number}"
        else:
            count += 1
            shown, kind, name = f"<x{count}/>", "alone", "x"
            if item.kind == "open":
                links.append(count)
                shown, kind, name = f"<g{count}>", "start", f"g{count}"
        style.meanings[shown] = _Meaning(item.format, item)
        inline.parts.append(Tag(shown, b"", kind, name, None))  # type: ignore[arg-type]
    close()
    return inline.parts, style


class IdmlDocument(PackedDocument):
    """A publication of InDesign."""

    kind = "idml"
    root = "designmap.xml"

    @classmethod
    def find_parts(cls, package: Package) -> Iterable[tuple[str, type[PieceDocument]]]:
        """The stories."""
        return ((path, StoryPart) for path in package.names() if re.fullmatch(r"Stories/[^/]+\.xml", path))
