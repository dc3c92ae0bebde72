"""Apple's string catalogues (.xcstrings): one file with all languages, each string with a state."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from functools import cached_property

from dragoman.errors import BadInputError
from dragoman.formats.codes import read_codes
from dragoman.formats.division import Chunk, Parts, is_translatable
from dragoman.formats.document import State
from dragoman.formats.inline import Inline
from dragoman.formats.json_tree import Value, read_json, write_string
from dragoman.formats.piece_document import Piece, PieceDocument, Replacement
from dragoman.languages import same_language

READ: dict[str, State] = {"new": "new", "needs_review": "translated", "translated": "confirmed", "stale": "translated"}
WRITTEN = {"new": "new", "translated": "needs_review", "confirmed": "translated"}


def _one(parts: Parts) -> list[Chunk]:
    return [Chunk(read_codes(Inline(parts).text).parts, is_translatable(parts))]


class XcstringsDocument(PieceDocument):
    """A catalogue; a string that lacks the target language gets it."""

    kind = "xcstrings"
    tags_are_text = True

    @cached_property
    def _root(self) -> Value:
        root = read_json(self.contents)
        if root.get("sourceLanguage") is None or root.get("strings") is None:
            raise BadInputError(
                "has no sourceLanguage or no strings", where=self.contents.name, remedy="open it in Xcode"
            )
        return root

    def _languages(self) -> tuple[str | None, str | None]:
        stated = self._root.get("sourceLanguage")
        return (stated.string or None if stated else None), self.target_language

    def _find_pieces(self) -> Iterable[Piece]:
        strings, stated = self._root.get("strings"), self._root.get("sourceLanguage")
        if self.target_language is None or strings is None or stated is None:
            raise BadInputError(
                "the target language is unknown", where=self.contents.name, remedy="pass the languages when reading"
            )
        for key, entry in (strings.members or {}).items():
            skipped = entry.get("shouldTranslate")
            if skipped is not None and self._slice(skipped.start, skipped.end) == "false":
                continue
            comment = entry.get("comment")
            yield from self._units(key, entry, stated.string, comment.string if comment else "")

    def _units(self, key: str, entry: Value, source: str, note: str) -> Iterator[Piece]:
        ours = _of_language(entry, source)
        theirs = _of_language(entry, self.target_language or "")
        if ours is not None and ours.get("variations") is not None:
            return  # plural and device forms need structure that only Xcode should make
        if theirs is not None and theirs.get("stringUnit") is None:
            return
        value = ours.get("stringUnit", "value") if ours else None
        text = value.string if value else key
        if not text:
            return
        unit = theirs.get("stringUnit") if theirs else None
        old = theirs.get("stringUnit", "value") if theirs else None
        if unit is not None:
            said = theirs.get("stringUnit", "state") if theirs else None
            state = READ.get(said.string if said else "", "translated") if old and old.string else "new"
            place = (unit.start, unit.end)
        else:
            state, place = "new", self._gap(entry)
        target = old.string if old else ""
        yield Piece(key, Inline([text]), *place, key, note, None, _one, target, state, entry if unit is None else None)

    def _gap(self, entry: Value) -> tuple[int, int]:
        """Where a new language goes: after the last one, or at the end of the entry."""
        within = entry.get("localizations") or entry
        last = max((each.end for each in (within.members or {}).values()), default=within.start + 1)
        return last, last

    def _render(self, piece: Piece, parts: Parts, _: list[Replacement]) -> str:
        value = write_string(Inline(parts).text, "", ascii_only=False)
        if piece.style is None:
            step = self._indent(piece.start)
            return f'{{{step}  "state" : "{WRITTEN[piece.state]}",{step}  "value" : {value}{step}}}'
        entry: Value = piece.style
        languages = entry.get("localizations")
        step = self._indent(entry.start) + "    "  # of the new language
        unit = (
            f'{json.dumps(self.target_language)} : {{{step}  "stringUnit" : {{{step}    "state" : '
            f'"{WRITTEN[piece.state]}",{step}    "value" : {value}{step}  }}{step}}}'
        )
        if languages is not None:
            return f",{step}{unit}" if languages.members else f"{step}{unit}"
        outer = step[:-2]
        return f'{"," if entry.members else ""}{outer}"localizations" : {{{step}{unit}{outer}}}'

    def _indent(self, at: int) -> str:
        """A line break and the indentation of the line at a position."""
        begin = self.contents.text.rfind("\n", 0, at) + 1
        line = self.contents.text[begin:at]
        return self.contents.newline + line[: len(line) - len(line.lstrip())]


def _of_language(entry: Value, language: str) -> Value | None:
    languages = entry.get("localizations")
    for code, value in ((languages.members or {}) if languages else {}).items():
        if language and same_language(code, language):
            return value
    return None
