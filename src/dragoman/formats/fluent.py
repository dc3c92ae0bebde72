"""Fluent (FTL): messages, their attributes and the variants of a choice are segments.

Most entries are patterns of one line with names filled in; these are matched here, and fluent.syntax, which reads
character by character, gets only the others. If an entry cannot be read by itself, it reads the whole file and says
what is wrong. A choice by number gets the variants of its new language.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import Any

from dragoman.errors import BadInputError
from dragoman.extras import load
from dragoman.formats.contents import Contents, with_unix_lines
from dragoman.formats.division import Parts, whole
from dragoman.formats.document import DocumentSegment
from dragoman.formats.document_pieces import CompactPieces
from dragoman.formats.inline import Inline, Tag
from dragoman.formats.piece_document import Piece, Replacement
from dragoman.formats.plural_forms import CATEGORIES, PluralForm, PluralFormsDocument

_BREAK = re.compile(r"\n[ \t]*")
_NAME = r"[A-Za-z][\w-]*+"
_PLACE = rf"\{{ *+(?:\$?{_NAME}|-{_NAME}|{_NAME}\.{_NAME}|\"[^\"\\\n]*+\") *+\}}"
_PATTERN = rf"(?:[^{{}}\n]++|{_PLACE})++(?<! )(?=\n|\Z)"
_ENTRY = re.compile(
    rf"(?P<comment>(?:# [^\n]*+\n)*+)(?P<name>-?{_NAME}) *+=(?: *+(?P<value>{_PATTERN}))?"
    rf"(?P<attributes>(?:\n++ ++\.{_NAME} *+= *+{_PATTERN})*+)"
    r"(?:\n|\Z)(?= *+(?:\n *+)*+(?:(?<![^\n])[A-Za-z#-]|\Z))",  # nothing that could go on with it
    re.ASCII,
)
_ATTRIBUTE = re.compile(rf"(?<=\n)(?P<before> *+)\.(?P<name>{_NAME}) *+= *+(?P<value>{_PATTERN})", re.ASCII)
_PLACES = re.compile(rf"({_PLACE})", re.ASCII)
_INDENT = re.compile(r"\n( *)(?=[^ \n])")
_SPECIAL_START = re.compile(r" *[.*\[]")  # only on the line of its name may a text begin so
# Blank lines, and comments that belong to no entry: those with nothing or something else than an entry after them.
_LINE = r"(?: [^\n]*+(?:\n|\Z)|\n)"  # the rest of a comment
_BLANK = re.compile(rf"(?: *+\n)++| ++\Z|(?:#{{2,3}}{_LINE})++|(?:#{_LINE})++(?![A-Za-z-])")
_ANY = re.compile(r"(?:#[^\n]*+\n)*+[^\n]*+(?:\n(?![A-Za-z#-])[^\n]*+)*+(?:\n|\Z)")  # up to the next entry


class FluentDocument(PluralFormsDocument):
    """Messages, which their translations replace."""

    kind = "fluent"
    tags_are_text = True
    gap = re.compile(r"\n(?=[A-Za-z#-])")

    @classmethod
    def _decode(cls, data: bytes, name: str) -> Contents:
        return with_unix_lines(super()._decode(data, name))

    def _find_pieces(self) -> Iterable[Piece]:
        syntax: Any = load("fluent.syntax", "files")
        text = self.contents.text
        if "\r" in text:
            what = "has line endings of several kinds"
            raise BadInputError(what, where=self.contents.name, remedy="convert them to one kind")
        parser = syntax.FluentParser(with_spans=True)
        try:
            return CompactPieces(text, self._entries(parser))
        except ValueError:  # something cannot be read by itself
            return self._parsed(parser.parse(text).body, 0)

    def _entries(self, parser: Any) -> Iterator[Piece]:
        """The pieces entry by entry."""
        text, at = self.contents.text, 0
        while at < len(text):
            entry = _ENTRY.match(text, at)
            if entry is not None and (entry["value"] or entry["attributes"]):
                yield from self._simple(entry)
                at = entry.end()
                continue
            blank = _BLANK.match(text, at)
            if blank is not None:
                at = blank.end()
                continue
            found = _ANY.match(text, at)
            if found is None or found.end() == at:
                raise ValueError("no entry")
            body = parser.parse(found[0]).body
            if any(type(each).__name__ == "Junk" for each in body):
                raise ValueError("not an entry by itself")
            yield from self._parsed(body, at)
            at = found.end()

    def _simple(self, entry: re.Match[str]) -> Iterator[Piece]:
        """The pieces of an entry whose patterns have one line each."""
        name = entry["name"]
        note = "\n".join(line[2:] for line in entry["comment"].split("\n")[:-1]) if entry["comment"] else ""
        if entry["value"]:
            yield Piece(name, _inline(entry["value"]), *entry.span("value"), name, note, divide=whole, style=4)
        for each in _ATTRIBUTE.finditer(self.contents.text, *entry.span("attributes")) if entry["attributes"] else ():
            full = f"{name}.{each['name']}"
            yield Piece(
                full,
                _inline(each["value"]),
                *each.span("value"),
                full,
                note,
                divide=whole,
                style=len(each["before"]) + 4,
            )

    def _parsed(self, body: list[Any], offset: int) -> Iterator[Piece]:
        """The pieces of what fluent.syntax has read from a position on."""
        for entry in body:
            kind = type(entry).__name__
            if kind == "Junk":
                line = self.contents.text.count("\n", 0, entry.span.start + offset) + 1
                what = f"line {line} is not Fluent ({entry.annotations[0].message if entry.annotations else 'unknown'})"
                raise BadInputError(what, where=self.contents.name, remedy="correct it")
            if kind not in ("Message", "Term"):
                continue
            name = ("-" if kind == "Term" else "") + entry.id.name
            note = entry.comment.content if entry.comment else ""
            if entry.value is not None:
                yield from self._pattern(name, entry.value, note, offset)
            for attribute in entry.attributes:
                yield from self._pattern(f"{name}.{attribute.id.name}", attribute.value, note, offset)

    def _pattern(self, name: str, pattern: Any, note: str, offset: int) -> Iterator[Piece]:
        """The pieces of a pattern: between its choices, and in each variant of them."""
        parts: Parts = []
        begin = pattern.span.start + offset
        at = begin
        indent = self._indent_after_choice(pattern, offset)
        for element in pattern.elements:
            choice: Any = getattr(element, "expression", None)
            if _is_choice(element):
                yield from self._piece(name, parts, begin, at, note, indent)
                for variant in choice.variants:
                    key = getattr(variant.key, "name", None) or getattr(variant.key, "value", "")
                    yield from self._pattern(f"{name}/{key}", variant.value, note, offset)
                self.plural_forms.extend(self._plural_form(choice, offset))
                parts, begin = [], element.span.end + offset
            elif choice is not None:
                shown = _BREAK.sub(" ", self._slice(element.span.start + offset, element.span.end + offset))
                parts.append(_place(shown))
            else:
                parts.append(element.value)
            at = element.span.end + offset
        yield from self._piece(name, parts, begin, at, note, indent)

    def _plural_form(self, choice: Any, offset: int) -> Iterator[PluralForm]:
        """The default variant of a choice by number, if it is called “other”."""
        names = [getattr(variant.key, "name", "") for variant in choice.variants]  # numbers have none
        variant = next(each for each in choice.variants if each.default)
        selector = self._slice(choice.selector.span.start + offset, choice.selector.span.end + offset)
        by_number = {*names} - {"", "other"} and {*names} <= {"", *CATEGORIES} and "ordinal" not in selector
        if not by_number or getattr(variant.key, "name", "") != "other":
            return
        start = variant.span.start + offset
        line = self._slice(self.contents.text.rfind("\n", 0, start) + 1, start)
        name = start, variant.key.span.end + offset  # with the asterisk and the bracket, which only one variant has
        yield PluralForm(start, variant.span.end + offset, name, tuple(names), before=" [", after=f"\n{line}")

    def _indent_after_choice(self, pattern: Any, offset: int) -> int | None:
        """How far the lines of a pattern with choices are indented, if there are any lines outside of the choices."""
        if not any(_is_choice(element) for element in pattern.elements):
            return None
        spans = [each.span for each in pattern.elements if not _is_choice(each)]
        outside = "{".join(self._slice(span.start + offset, span.end + offset) for span in spans) + "{"
        return min((len(found[1]) for found in _INDENT.finditer(outside)), default=None)

    def _piece(
        self, name: str, parts: Parts, start: int, end: int, note: str, after_choice: int | None
    ) -> Iterator[Piece]:
        if not parts:
            return
        text = self.contents.text
        line = text[text.rfind("\n", 0, start) + 1 : start]
        if not line:  # a pattern that begins on a line of its own; its indentation is not part of it
            indent = len(self._slice(start, end)) - len(self._slice(start, end).lstrip(" "))
            start, column = start + indent, indent
        else:
            column = len(line) - len(line.lstrip(" ")) + 4
        if after_choice is not None:
            column = after_choice
        yield Piece(name, Inline(parts), start, end, name, note, divide=whole, style=max(4, column))

    def _render(self, piece: Piece, parts: Parts, _: list[Replacement]) -> str:
        """The lines of a pattern; all but the first are indented, as the syntax wants it."""
        lines = Inline(parts).text.split("\n")
        break_ = "\n" + " " * piece.style
        last = len(lines) - 1  # if empty, a choice follows on this line, and must be indented, too
        return lines[0] + "".join(
            break_ + line if line or number == last else "\n" for number, line in enumerate(lines[1:], start=1)
        )

    def _find_unwritable(self, segment: DocumentSegment, target: str) -> tuple[str, str] | None:
        bare = target
        for tag in segment.tags:
            bare = bare.replace(tag, "")
        if "{" in bare or "}" in bare:
            return "has a brace that the source lacks", "take it out"
        special = _SPECIAL_START.match(bare) and not _SPECIAL_START.match(segment.source)
        if special or re.search(r"\n[ ]*[.*\[]|\r|\A\n|\n\Z|\n ", bare):
            return "has a line that Fluent would take for something else", "begin it with another character"
        return super()._find_unwritable(segment, target)


def _is_choice(element: Any) -> bool:
    return type(getattr(element, "expression", None)).__name__ == "SelectExpression"


def _inline(pattern: str) -> Inline:
    """A pattern of one line: text, and names that are filled in."""
    if "{" not in pattern:
        return Inline([pattern])
    found = _PLACES.split(pattern)
    return Inline([_place(part) if number % 2 else part for number, part in enumerate(found) if part])


def _place(shown: str) -> Tag:
    return Tag(shown, shown.encode(), "alone", shown, None)
