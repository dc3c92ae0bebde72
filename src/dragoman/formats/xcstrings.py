"""Apple's string catalogues (.xcstrings): one file with all languages, each string with a state."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property

from dragoman.errors import BadInputError
from dragoman.formats.codes import read_codes
from dragoman.formats.contents import Contents
from dragoman.formats.division import Chunk, Parts, is_translatable
from dragoman.formats.document import State
from dragoman.formats.inline import Inline
from dragoman.formats.json_files import JsonScan, write_string
from dragoman.formats.piece_document import Piece, PieceDocument, Replacement
from dragoman.languages import same_language

READ: dict[str, State] = {"new": "new", "needs_review": "translated", "translated": "confirmed", "stale": "translated"}
WRITTEN = {"new": "new", "translated": "needs_review", "confirmed": "translated"}


@dataclass(slots=True)
class Value:
    """A value: its position, and the string or the members it has."""

    start: int
    end: int = 0
    text: str | None = None  # of a string
    members: dict[str, Value] | None = None

    def get(self, *path: str) -> Value | None:
        """The value of a member, of a member of that, and so on."""
        found: Value | None = self
        for name in path:
            found = found.members.get(name) if found and found.members else None
        return found

    @property
    def string(self) -> str:
        """The text of a string; empty for anything else."""
        return self.text or ""


def _read_values(contents: Contents) -> Value:
    """The value in a file, with all that is inside it."""
    inside: dict[tuple[str, ...], dict[str, Value]] = defaultdict(dict)
    value = Value(0)
    for item in JsonScan(contents):  # the whole comes last
        members = inside.pop(item.path, {}) if item.members is not None else None
        value = Value(item.start, item.end, item.text, members)
        if item.path:
            inside[item.path[:-1]][item.path[-1]] = value
    return value


def _one(parts: Parts) -> list[Chunk]:
    return [Chunk(read_codes(Inline(parts).text).parts, is_translatable(parts))]


class XcstringsDocument(PieceDocument):
    """A catalogue; a string that lacks the target language gets it."""

    kind = "xcstrings"
    tags_are_text = True

    @cached_property
    def _root(self) -> Value:
        root = _read_values(self.contents)
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
        sources = {path: unit.get("value") for path, unit in _forms(ours)} if ours else {}
        if theirs is None and any(sources):
            return  # see `warnings`
        if theirs is not None:
            for path, unit in _forms(theirs):
                yield from self._unit(key, path, unit, sources, note)
            return
        value = sources.get(())
        text = value.string if value else key
        if text:
            yield Piece(key, Inline([text]), *self._gap(entry), key, note, None, _one, "", "new", entry)

    def _unit(
        self, key: str, path: tuple[str, ...], unit: Value, sources: dict[tuple[str, ...], Value | None], note: str
    ) -> Iterator[Piece]:
        """A form that the file has in the target language; its source is the same form, else the general one."""
        value = sources.get(path) or sources.get((*path[:-1], "other")) or sources.get(())
        text = value.string if value else key
        old, said = unit.get("value"), unit.get("state")
        target = old.string if old else ""
        state = READ.get(said.string if said else "", "translated") if target else "new"
        if text:
            name = "/".join((key, *path))
            yield Piece(name, Inline([text]), unit.start, unit.end, name, note, None, _one, target, state)

    @property
    def warnings(self) -> list[str]:
        """How many strings have plural or device forms that the target language lacks: only Xcode can tell which."""
        strings, stated = self._root.get("strings"), self._root.get("sourceLanguage")
        source, target = stated.string if stated else "", self.target_language or ""
        entries = (strings.members or {}).values() if strings else ()
        pairs = ((_of_language(entry, source), _of_language(entry, target)) for entry in entries)
        left = sum(theirs is None and ours is not None and ours.get("variations") is not None for ours, theirs in pairs)
        if not left:
            return []
        return [f"strings with plural or device forms that are left out: {left}; add {target} to them in Xcode first"]

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


def _forms(value: Value, path: tuple[str, ...] = ()) -> Iterator[tuple[tuple[str, ...], Value]]:
    """The string, or all of its plural and device forms and those of its substitutions, with what leads to each."""
    unit = value.get("stringUnit")
    if unit is not None:
        yield path, unit
    for kind in ("variations", "substitutions"):
        for name, forms in ((value.get(kind) or Value(0)).members or {}).items():
            if kind == "substitutions":
                yield from _forms(forms, (*path, name))
                continue
            for form, each in (forms.members or {}).items():
                yield from _forms(each, (*path, form))


def _of_language(entry: Value, language: str) -> Value | None:
    languages = entry.get("localizations")
    for code, value in ((languages.members or {}) if languages else {}).items():
        if language and same_language(code, language):
            return value
    return None
