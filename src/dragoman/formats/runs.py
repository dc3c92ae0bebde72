"""Paragraphs made of runs, as office programs write them: text of one format each, and other things between them.

The format that most of a paragraph has goes without saying; other formats become pairs of tags, `<g1>…</g1>`, and so do
links and fields. Whatever else is there (pictures, notes, bookmarks, breaks) becomes single tags, `<x2/>`. When a
paragraph changes, its runs are written anew from the text and these tags.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from functools import cached_property, lru_cache
from typing import ClassVar, NamedTuple

from dragoman.formats.division import Parts
from dragoman.formats.document import DocumentSegment
from dragoman.formats.elements import Element, escape
from dragoman.formats.inline import Inline, Tag
from dragoman.formats.piece_document import Piece, Replacement
from dragoman.formats.xml_pieces import XmlPieceDocument

_CONTROLS = re.compile(r"[\n\r\t]")


class Thing(NamedTuple):
    """Part of the file that is copied; in a run with this format, if any."""

    format: str | None
    start: int
    end: int


@dataclass
class Run:
    """Some text in one format."""

    format: str  # its properties, as written in the file
    text: str


@dataclass
class Other:
    """Things without text of the paragraph."""

    things: list[Thing]
    fields: int = 0  # that it begins, less those that it ends


@dataclass
class Box:
    """What is around some of a paragraph, such as a link."""

    start: list[Thing]
    end: list[Thing]
    items: list[Run | Other | Box] = field(default_factory=list)


Items = list[Run | Other | Box]


class Meaning(NamedTuple):
    """What a tag of a paragraph stands for: things to copy, and the format of the text after it, if that changes."""

    things: list[Thing]
    format: str | None


@dataclass
class Style:
    """How a paragraph is written: the format that goes without saying, and the meanings of tags by their looks."""

    base: str
    meanings: dict[str, Meaning] = field(default_factory=dict)

    @property
    def packed(self) -> Style | tuple[str]:
        """The base alone, if there are no tags, as in most paragraphs."""
        return self if self.meanings else (self.base,)


def style_of(piece: Piece) -> Style:
    """How a paragraph is written."""
    return Style(*piece.style) if isinstance(piece.style, tuple) else piece.style  # type: ignore[no-any-return]


class RunDocument(XmlPieceDocument):
    """A part of an office document."""

    prose = True
    run: ClassVar[str] = "r"
    properties: ClassVar[str] = "rPr"
    text: ClassVar[str] = "t"
    skipped: ClassVar[frozenset[str]]  # children of a paragraph that come before all runs
    boxes: ClassVar[frozenset[str]]  # elements around runs
    noise: ClassVar[frozenset[str]] = frozenset()  # elements that programs add again as they like
    preserve: ClassVar[str] = ""  # attribute that keeps white space

    @cached_property
    def _counter(self) -> list[int]:
        return [0]

    def _visit(self, element: Element, around: list[Element]) -> Iterable[Piece]:
        for nested in nested_in(element, self.wanted):
            yield from self._visit(nested, [*around, element])
        children = [each for each in element.elements if local(each) not in self.skipped]
        if not children:
            return
        items = _with_fields(_merged(self._items(children)))
        if not _length(items):
            return
        self._counter[0] += 1
        builder = Builder(items)
        inline = Inline(builder.parts)
        yield Piece(str(self._counter[0]), inline, children[0].start, children[-1].end, style=builder.style.packed)

    def _items(self, children: list[Element]) -> Iterator[Run | Other | Box]:
        for each in children:
            name = local(each)
            if name == self.run:
                yield from self._run(each)
            elif name in self.boxes and not each.empty:
                inner = [child for child in each.elements if local(child) not in self.skipped]
                items = _merged(self._items(inner))
                if _length(items):
                    start = Thing(None, each.start, inner[0].start)
                    end = Thing(None, inner[-1].end, each.end)
                    yield Box([start], [end], items)
                else:
                    yield Other([Thing(None, each.start, each.end)])
            elif name not in self.noise:
                yield Other([Thing(None, each.start, each.end)])

    def _run(self, run: Element) -> Iterator[Run | Other]:
        children = [(local(each), each) for each in run.elements]
        properties = next((each for name, each in children if name == self.properties), None)
        written = self._slice(properties.start, properties.end) if properties else ""
        for name, each in children:
            if each is properties or name in self.noise:
                continue
            if name == self.text and not each.elements:
                yield Run(written, "".join(part for part in each.content if isinstance(part, str)))
            else:
                kind = next((value for key, value in each.attributes.items() if key.endswith("fldCharType")), "")
                yield Other([Thing(written, each.start, each.end)], (kind == "begin") - (kind == "end"))

    def _render(self, piece: Piece, parts: Parts, inner: list[Replacement]) -> str:
        style = style_of(piece)
        formats = [style.base]
        written = []
        for part in parts:
            if isinstance(part, str):
                written.append(self._write_run(formats[-1], self._write_text(part)))
                continue
            meaning = style.meanings[part.shown]
            for thing in meaning.things:
                copied = self.raw(Tag("", b"", "alone", "", None, (thing.start, thing.end)), inner)
                written.append(copied if thing.format is None else self._write_run(thing.format, copied))
            if part.kind == "start":
                formats.append(meaning.format if meaning.format is not None else formats[-1])
            elif part.kind == "end" and len(formats) > 1:
                formats.pop()
        return "".join(written)

    def _spans(self, piece: Piece, parts: Parts) -> list[tuple[int, int]]:
        style = style_of(piece) if piece.style is not None else None
        if style is None:
            return []
        tags = [part for part in parts if isinstance(part, Tag)]
        return [(thing.start, thing.end) for tag in tags for thing in style.meanings[tag.shown].things]

    @cached_property
    def _prefix(self) -> str:
        """The prefix of elements in a paragraph, as the file has it."""
        found = re.search(rf"<((?:[\w.-]+:)?){self.run}[\s>]", self.contents.text)
        return found[1] if found else ""

    def _write_run(self, properties: str, content: str) -> str:
        name = f"{self._prefix}{self.run}"
        return f"<{name}>{properties}{content}</{name}>"

    def _write_text(self, text: str) -> str:
        name = f"{self._prefix}{self.text}"
        return f"<{name}{self.preserve}>{escape(text)}</{name}>"

    def _is_same(self, piece: Piece, parts: Parts | None, new: Piece) -> bool:
        """The same texts may have other formats."""
        return self._read_back(piece, parts) == self._read_back(new, None)

    def _read_back(self, piece: Piece, parts: Parts | None) -> str:
        """The text of each format in turn: which of them goes without saying may be another in the new paragraph."""
        style = style_of(piece)
        formats, shown, last = [style.base], "", None
        for part in piece.inline.parts if parts is None else parts:
            if isinstance(part, str):
                bare = _bare(formats[-1])
                shown += part if bare == last else f"\ufffc{bare}\ufffc{part}"
                last = bare
                continue
            meaning = style.meanings[part.shown]
            if meaning.things and not shown.endswith("\ufffd"):  # neighbours may have become one
                shown, last = f"{shown}\ufffd", None
            if part.kind == "start":
                formats.append(meaning.format if meaning.format is not None else formats[-1])
            elif part.kind == "end":
                formats.pop()
        return shown

    def _find_unwritable(self, segment: DocumentSegment, target: str) -> tuple[str, str] | None:
        if _CONTROLS.search(target) and not _CONTROLS.search(segment.source):
            return "has a line break or a tab", "use a space"
        return super()._find_unwritable(segment, target)


class Builder:
    """Makes text and tags of the items of a paragraph."""

    def __init__(self, items: Items) -> None:
        self.style = Style(_main_format(items))
        self.parts: Parts = []
        self.count = 0
        self._show(items, self.style.base)

    def _show(self, items: Items, base: str) -> None:
        for item in items:
            if isinstance(item, Run):
                if _same(item.format, base):
                    self._add(item.text)
                else:
                    self._pair([], [], item.format, [Run(item.format, item.text)])
            elif isinstance(item, Box):
                self._pair(item.start, item.end, _main_format(item.items) if _length(item.items) else None, item.items)
            else:
                self.count += 1
                shown = f"<x{self.count}/>"
                self.style.meanings[shown] = Meaning(item.things, None)
                self.parts.append(Tag(shown, b"", "alone", "x", None))

    def _pair(self, start: list[Thing], end: list[Thing], inside: str | None, items: Items) -> None:
        self.count += 1
        name = f"g{self.count}"
        self.style.meanings[f"<{name}>"] = Meaning(start, inside)
        self.style.meanings[f"</{name}>"] = Meaning(end, None)
        self.parts.append(Tag(f"<{name}>", b"", "start", name, None))
        self._show(items, inside or "")
        self.parts.append(Tag(f"</{name}>", b"", "end", name, None))

    def _add(self, text: str) -> None:
        if self.parts and isinstance(self.parts[-1], str):
            self.parts[-1] += text
        else:
            self.parts.append(text)


def local(element: Element) -> str:
    """The name of an element without its namespace."""
    return element.name.rpartition(" ")[2]


def nested_in(element: Element, wanted: frozenset[str]) -> Iterator[Element]:
    """The outermost elements of some names inside another."""
    if not element.nests:
        return
    for each in element.elements:
        if each.name in wanted:
            yield each
        else:
            yield from nested_in(each, wanted)


_NOISE = re.compile(
    r"<(?:[\w.-]+:)?(?:lang|noProof|webHidden|kern)\b[^<>]*/>|\s(?:lang|dirty|err|altLang|smtClean)=\"[^\"]*\""
)


def _same(one: str, other: str) -> bool:
    """Whether two formats look the same; languages and marks of spelling checkers do not count."""
    return one == other or _bare(one) == _bare(other)


@lru_cache(maxsize=1000)
def _bare(properties: str) -> str:
    bare = _NOISE.sub("", properties)
    return "" if re.fullmatch(r"<([\w.:-]+)\s*(?:/>|></\1>)", bare) else bare


def _length(items: Items) -> int:
    """The number of characters of text."""
    return sum(
        len(item.text) if isinstance(item, Run) else _length(item.items) if isinstance(item, Box) else 0
        for item in items
    )


def _main_format(items: Items) -> str:
    """The format of most of the text that is directly there, or else of what is deeper inside."""
    lengths: Counter[str] = Counter()
    looks: dict[str, str] = {}
    for item in items:
        if isinstance(item, Run):
            lengths[_bare(item.format)] += len(item.text)
            looks.setdefault(_bare(item.format), item.format)
    if lengths:
        return looks[lengths.most_common(1)[0][0]]
    return next((_main_format(item.items) for item in items if isinstance(item, Box) and _length(item.items)), "")


def _merged(items: Iterable[Run | Other | Box]) -> Items:
    """Neighbours of one kind as one: runs that look the same, and things between texts."""
    found: Items = []
    for item in items:
        last = found[-1] if found else None
        if isinstance(item, Run) and not item.text:
            continue
        if isinstance(item, Run) and isinstance(last, Run) and _same(item.format, last.format):
            last.text += item.text
        elif isinstance(item, Other) and isinstance(last, Other):
            last.things += item.things
            last.fields += item.fields
        else:
            found.append(item)
    return found


def _with_fields(items: Items) -> Items:
    """A field whose begin and end are in one paragraph becomes a box around its result."""
    found: Items = []
    begun: list[int] = []
    for item in items:
        found.append(item)
        if not isinstance(item, Other) or item.fields == 0:
            continue
        if item.fields > 0:
            begun += [len(found) - 1] * item.fields
        elif begun and item.fields == -1:
            first = begun.pop()
            opening = found[first]
            inside = found[first + 1 : -1]
            if isinstance(opening, Other) and opening.fields == 1 and _length(inside):
                found[first:] = [Box(opening.things, item.things, inside)]
        else:
            begun = []
    return found
