"""Fluent (FTL): messages, their attributes and the variants of a choice are segments; fluent.syntax finds them."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import Any

from dragoman.errors import BadInputError
from dragoman.extras import load
from dragoman.formats.division import Parts, whole
from dragoman.formats.document import DocumentSegment
from dragoman.formats.inline import Inline, Tag
from dragoman.formats.piece_document import Piece, PieceDocument, Replacement

_BREAK = re.compile(r"\n[ \t]*")


class FluentDocument(PieceDocument):
    """Messages, which their translations replace."""

    kind = "fluent"
    tags_are_text = True

    def _find_pieces(self) -> Iterable[Piece]:
        syntax: Any = load("fluent.syntax", "files")
        text = self.contents.text
        if "\r" in text:
            raise BadInputError("has line endings of Windows", where=self.contents.name, remedy="convert them to \\n")
        resource = syntax.FluentParser(with_spans=True).parse(text)
        for entry in resource.body:
            kind = type(entry).__name__
            if kind == "Junk":
                line = text.count("\n", 0, entry.span.start) + 1
                what = f"line {line} is not Fluent ({entry.annotations[0].message if entry.annotations else 'unknown'})"
                raise BadInputError(what, where=self.contents.name, remedy="correct it")
            if kind not in ("Message", "Term"):
                continue
            name = ("-" if kind == "Term" else "") + entry.id.name
            note = entry.comment.content if entry.comment else ""
            if entry.value is not None:
                yield from self._pattern(name, entry.value, note)
            for attribute in entry.attributes:
                yield from self._pattern(f"{name}.{attribute.id.name}", attribute.value, note)

    def _pattern(self, name: str, pattern: Any, note: str) -> Iterator[Piece]:
        """The pieces of a pattern: between its choices, and in each variant of them."""
        parts: Parts = []
        begin = pattern.span.start
        at = begin
        for element in pattern.elements:
            choice: Any = getattr(element, "expression", None)
            if choice is not None and type(choice).__name__ == "SelectExpression":
                yield from self._piece(name, parts, begin, at, note)
                for variant in choice.variants:
                    key = getattr(variant.key, "name", None) or getattr(variant.key, "value", "")
                    yield from self._pattern(f"{name}/{key}", variant.value, note)
                parts, begin = [], element.span.end
            elif choice is not None:
                shown = _BREAK.sub(" ", self._slice(element.span.start, element.span.end))
                parts.append(Tag(shown, shown.encode(), "alone", shown, None))
            else:
                parts.append(element.value)
            at = element.span.end
        yield from self._piece(name, parts, begin, at, note)

    def _piece(self, name: str, parts: Parts, start: int, end: int, note: str) -> Iterator[Piece]:
        if not parts:
            return
        text = self.contents.text
        line = text[text.rfind("\n", 0, start) + 1 : start]
        if not line:  # a pattern that begins on a line of its own; its indentation is not part of it
            indent = len(self._slice(start, end)) - len(self._slice(start, end).lstrip(" "))
            start, column = start + indent, indent
        else:
            column = len(line) - len(line.lstrip(" ")) + 4
        yield Piece(name, Inline(parts), start, end, name, note, divide=whole, style=max(4, column))

    def _render(self, piece: Piece, parts: Parts, _: list[Replacement]) -> str:
        """The lines of a pattern; all but the first are indented, as the syntax wants it."""
        first, *others = Inline(parts).text.split("\n")
        break_ = "\n" + " " * piece.style
        return "".join([first, *((break_ + line) if line else "\n" for line in others)])

    def _find_unwritable(self, segment: DocumentSegment, target: str) -> tuple[str, str] | None:
        bare = target
        for tag in segment.tags:
            bare = bare.replace(tag, "")
        if "{" in bare or "}" in bare:
            return "has a brace that the source has not", "take it out"
        if re.search(r"(?:\A|\n)[ ]*[.*\[]|\r|\A\n|\n\Z|\n ", bare):
            return "has a line that Fluent would take for something else", "begin it with another character"
        return super()._find_unwritable(segment, target)
