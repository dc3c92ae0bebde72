"""JSON with the strings of programs: nested objects, Flutter's ARB, messages of browser extensions.

Every string that has words is a segment, except in ARB, where `@key` describes `key`, and in the messages of
extensions, where `description` describes `message`. Plural and select forms of ICU messages are segments of their own.
Plurals of i18next (`files_one`, `files_other`) and those that are objects (`{"one": …, "other": …}`) get the forms of
their new language.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from functools import cached_property
from typing import ClassVar

from dragoman.formats.division import Parts
from dragoman.formats.document import DocumentSegment, NewTarget
from dragoman.formats.icu_messages import divide_message, finished_message
from dragoman.formats.inline import Inline
from dragoman.formats.json_tree import Value, read_json, write_string
from dragoman.formats.piece_document import Piece, Replacement
from dragoman.formats.plural_forms import CATEGORIES, PluralForm, PluralFormsDocument, is_plural

_KEY = re.compile(r'"(?:[^"\\]*_)?(other)"\s*:\s*\Z')
_SPACE = re.compile(r"\s*\Z")


class JsonDocument(PluralFormsDocument):
    """Strings in JSON, which their translations replace."""

    kind = "json"
    tags_are_text = True

    @cached_property
    def _root(self) -> Value:
        return read_json(self.contents)

    @cached_property
    def _ascii_only(self) -> bool:
        return self.contents.text.isascii() and "\\u" in self.contents.text

    def _find_pieces(self) -> Iterable[Piece]:
        members = self._root.members or {}
        if members and all(each.get("message") for each in members.values()):
            for name, each in members.items():
                message, note = each.get("message"), each.get("description")
                if message is not None and message.text is not None:
                    yield self._piece(name, message, note.string if note else "")
            return
        for path, value in self._root.strings():
            yield self._piece(".".join(path), value, "")
        self.plural_forms.extend(self._plurals(self._root))

    def _plurals(self, value: Value) -> Iterator[PluralForm]:
        """The plurals in an object, and in those inside it."""
        members = value.members or {}
        for member in (*members.values(), *(value.items or [])):
            if member.text is None:
                yield from self._plurals(member)
        for name, member in members.items():
            stem, _, form = name.rpartition("_")
            if form != "other" or member.text is None or stem.endswith("_ordinal"):
                continue
            start = f"{stem}_" if stem else ""
            present = [each for each in CATEGORIES if start + each in members]
            if is_plural(present) and (stem or is_plural(members)):
                yield from self._plural_form(member, present)

    def _plural_form(self, other: Value, present: list[str]) -> Iterator[PluralForm]:
        text = self.contents.text
        key = _KEY.search(text, max(0, other.start - 500), other.start)
        if key is not None:
            gap = _SPACE.search(text, max(0, key.start() - 200), key.start())
            after = f",{gap[0] if gap else ' '}"
            yield PluralForm(key.start(), other.end, key.span(1), tuple(present), after=after)

    def _piece(self, name: str, value: Value, note: str) -> Piece:
        inline = Inline([value.string] if value.text else [])
        return Piece(name, inline, value.start, value.end, name, note, divide=divide_message)

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
        members = self._root.members or {}
        for name, value in members.items():
            if not name.startswith("@") and value.text is not None:
                note = self._root.get(f"@{name}", "description")
                yield self._piece(name, value, note.string if note else "")

    def _languages(self) -> tuple[str | None, str | None]:
        locale = self._root.get(self._locale)
        return (locale.string.replace("_", "-") or None if locale else None), None

    def _extra(self, _: Mapping[str, NewTarget]) -> list[Replacement]:
        locale = self._root.get(self._locale)
        if locale is None or locale.text is None or not self.target_language:
            return []
        language = self.target_language.replace("-", "_" if "-" not in locale.text else "-")
        return [Replacement(locale.start, locale.end, f'"{language}"')]


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
