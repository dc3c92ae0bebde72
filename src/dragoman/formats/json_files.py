"""JSON with the strings of programs: nested objects, Flutter's ARB, messages of browser extensions.

Every string that has words is a segment, except in ARB, where `@key` describes `key`, and in the messages of
extensions, where `description` describes `message`. Plural and select forms of ICU messages are segments of their own.
Plurals of i18next (`files_one`, `files_other`) and those that are objects (`{"one": …, "other": …}`) get the forms of
their new language.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from functools import cached_property, partial
from typing import ClassVar

from dragoman.formats.division import Divide, Parts
from dragoman.formats.document import DocumentSegment, NewTarget
from dragoman.formats.icu_messages import divide_message, finished_message
from dragoman.formats.inline import Inline
from dragoman.formats.json_scan import JsonItem, JsonMembers, JsonScan, NamedPlace
from dragoman.formats.json_tree import write_string
from dragoman.formats.piece_document import Piece, Replacement
from dragoman.formats.plural_forms import CATEGORIES, PluralForm, PluralFormsDocument, is_plural

_KEY = re.compile(r'"(?:[^"\\]*_)?(other)"\s*:\s*\Z')
_divide_chrome = partial(divide_message, codes=("chrome",))
_SPACE = re.compile(r"\s*\Z")


class JsonDocument(PluralFormsDocument):
    """Strings in JSON, which their translations replace."""

    kind = "json"
    tags_are_text = True

    @cached_property
    def _scan(self) -> JsonScan:
        return JsonScan(self.contents)

    @cached_property
    def _ascii_only(self) -> bool:
        return self.contents.text.isascii() and "\\u" in self.contents.text

    def _find_pieces(self) -> Iterable[Piece]:
        if self._has_messages():
            yield from self._messages()
            return
        for item in self._scan:
            if item.text is not None:
                yield self._piece(".".join(item.path), item, "")
            elif item.members is not None and item.members.plurals:
                self.plural_forms.extend(self._plurals(item.members))

    def _has_messages(self) -> bool:
        """Whether every value is an object with a `message`, as in extensions of browsers."""
        members = with_message = 0
        for item in self._scan:
            members += len(item.path) == 1
            with_message += len(item.path) == 2 and item.path[1] == "message"
            if members > with_message:
                return False
        return members > 0

    def _messages(self) -> Iterator[Piece]:
        parts: dict[str, JsonItem] = {}
        for item in self._scan:
            if len(item.path) == 2:
                parts[item.path[1]] = item
            elif len(item.path) == 1:
                message, note = parts.get("message"), parts.get("description")
                if message is not None and message.text is not None:
                    yield self._piece(item.path[0], message, note.text or "" if note else "", _divide_chrome)
                parts = {}

    def _plurals(self, members: JsonMembers) -> Iterator[PluralForm]:
        """The plurals of an object; those inside it have come before."""
        for name, other in members.plurals.items():
            stem, _, form = name.rpartition("_")
            if form != "other" or not other.is_string or stem.endswith("_ordinal"):
                continue
            start = f"{stem}_" if stem else ""
            present = [each for each in CATEGORIES if start + each in members.plurals]
            is_whole = len(members.plurals) == members.count and is_plural(members.plurals)
            if is_plural(present) and (stem or is_whole):
                yield from self._plural_form(other, present)

    def _plural_form(self, other: NamedPlace, present: list[str]) -> Iterator[PluralForm]:
        text = self.contents.text
        key = _KEY.search(text, max(0, other.start - 500), other.start)
        if key is not None:
            gap = _SPACE.search(text, max(0, key.start() - 200), key.start())
            after = f",{gap[0] if gap else ' '}"
            yield PluralForm(key.start(), other.end, key.span(1), tuple(present), after=after)

    def _piece(self, name: str, value: JsonItem, note: str, divide: Divide = divide_message) -> Piece:
        inline = Inline([value.text] if value.text else [])
        return Piece(name, inline, value.start, value.end, name, note, divide=divide)

    def _render(self, piece: Piece, parts: Parts, _: list[Replacement]) -> str:
        old = self._slice(piece.start, piece.end)
        return write_string(self._finished(piece, Inline(parts).text), old, ascii_only=self._ascii_only)

    def _finished(self, piece: Piece, text: str) -> str:
        return finished_message(piece.inline.text, text, self.target_language)

    def _is_same(self, piece: Piece, parts: Parts | None, new: Piece) -> bool:
        if parts is not None and new.inline.text == self._finished(piece, Inline(parts).text):
            return True
        return super()._is_same(piece, parts, new)

    def _find_unwritable(self, segment: DocumentSegment, target: str) -> tuple[str, str] | None:
        return super()._find_unwritable(segment, target) or _find_brace(segment, target)


class ArbDocument(JsonDocument):
    """Application resources of Flutter; `@@locale` becomes the target language."""

    kind = "arb"
    _locale: ClassVar[str] = "@@locale"

    def _find_pieces(self) -> Iterable[Piece]:
        notes = {
            item.path[0]: item.text
            for item in self._scan
            if item.text and len(item.path) == 2 and item.path[0].startswith("@") and item.path[1] == "description"
        }
        for item in self._scan:
            if len(item.path) == 1 and item.text is not None and not item.path[0].startswith("@"):
                yield self._piece(item.path[0], item, notes.get(f"@{item.path[0]}", ""))

    @cached_property
    def _stated(self) -> JsonItem | None:
        """The language that the file states, and where."""
        return next((item for item in self._scan if item.path == (self._locale,)), None)

    def _languages(self) -> tuple[str | None, str | None]:
        stated = self._stated
        return (stated.text.replace("_", "-") or None if stated and stated.text else None), None

    def _extra(self, _: Mapping[str, NewTarget]) -> list[Replacement]:
        stated = self._stated
        if stated is None or stated.text is None or not self.target_language:
            return []
        language = self.target_language.replace("-", "_" if "-" not in stated.text else "-")
        return [Replacement(stated.start, stated.end, f'"{language}"')]


def _find_brace(segment: DocumentSegment, target: str) -> tuple[str, str] | None:
    """A brace would begin an argument of a message; one is fine where the source has one, too."""
    if "{" not in target and "}" not in target:
        return None
    text = "".join(part for part in segment.inline.parts if isinstance(part, str))
    for brace in "{}":
        bare = target
        for tag in segment.tags:
            bare = bare.replace(tag, "")
        if bare.count(brace) > text.count(brace):
            return f"has a {brace} that the source lacks", "take it out"
    return None
