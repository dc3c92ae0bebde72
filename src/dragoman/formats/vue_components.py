"""Messages in components of Vue: blocks `<i18n>` in JSON, JSON5 or YAML, with a part for each language.

A component has its languages side by side, so the target language is put beside the source: its part, or its block if
each language has one (`<i18n locale="en">`), is a copy with the translations in it. If it is there already, its
messages are the targets; messages that it lacks are left out.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from functools import cached_property
from itertools import pairwise
from typing import NamedTuple

from dragoman.errors import BadInputError
from dragoman.formats.codes import read_codes
from dragoman.formats.division import Parts, whole
from dragoman.formats.document import NewTarget, State
from dragoman.formats.inline import Inline, Tag
from dragoman.formats.literals import Literal, escaped
from dragoman.formats.piece_document import Piece, PieceDocument, Replacement, ReplacementList, splice
from dragoman.formats.script_modules import TOKEN, ScriptDocument
from dragoman.formats.yaml_files import NOT_STRINGS, Scalar, read_scalars, write_scalar
from dragoman.languages import same_language

_BLOCK = re.compile(r"^<i18n\b([^>]*)>(.*?)</i18n>", re.DOTALL | re.MULTILINE)
_ATTRIBUTE = re.compile(r"""\b(lang|locale|src)\s*=\s*["']([^"']*)["']""")
_LINK = re.compile(r"(@(?:\.\w+)?:(?:\([\w.]+\)|[\w.]+))")  # to another message
_SPACE = re.compile(r"\s*\Z")


class _Language(NamedTuple):
    """What a file says in a language: where that is, and each message by its name."""

    code: str
    start: int
    end: int
    name: tuple[int, int]  # where the language is named
    before: str  # between it and a copy that comes after it
    messages: dict[str, Literal | Scalar]


class VueDocument(PieceDocument):
    """A component, which gets a part for its target language."""

    kind = "vue"
    tags_are_text = True

    def _find_pieces(self) -> Iterable[Piece]:
        for number, block in enumerate(self._blocks):
            source = self._chosen(block, self.source_language)
            target = self._chosen(block, self.target_language) if self.target_language else None
            if source is None or source is target:
                continue
            self._copied.extend([] if target or not self.target_language else [source])
            for name, message in source.messages.items():
                there = target.messages.get(name) if target else None
                if target is None or there is not None:
                    yield self._piece(f"{number}:{name}" if number else name, name, message, there)

    def _piece(self, path: str, name: str, message: Literal | Scalar, there: Literal | Scalar | None) -> Piece:
        place, inline = there or message, _with_links(message.text)
        known = None if there is None else there.text.strip()
        state: State = "new" if known is None or known in ("", message.text.strip()) else "confirmed"
        return Piece(path, inline, place.start, place.end, name, divide=whole, target=known, state=state, style=place)

    @cached_property
    def _copied(self) -> list[_Language]:
        """The parts of the source language that have none of the target language beside them."""
        return []

    def _chosen(self, block: list[_Language], wanted: str | None) -> _Language | None:
        """A language of a block; if nobody says which, English, or else the first."""
        if wanted is None:
            return next((each for each in block if same_language(each.code, "en")), block[0] if block else None)
        return next((each for each in block if same_language(each.code, wanted)), None)

    @cached_property
    def _blocks(self) -> list[list[_Language]]:
        """The languages of each block; blocks of one language each count as one."""
        found: list[list[_Language]] = []
        single: list[_Language] = []
        for block in _BLOCK.finditer(self.contents.text):
            said = dict(_ATTRIBUTE.findall(block[1]))
            if "src" in said or not block[2].strip():
                continue
            is_object = said.get("lang", "json" if block[2].lstrip().startswith("{") else "yaml") not in ("yaml", "yml")
            if "locale" in said:
                messages = self._messages(block.start(2), block.end(2), is_object)
                place = re.compile(r"locale\s*=\s*[\"']").search(self.contents.text, block.start(1))
                at = place.end() if place else block.start(1)
                name = at, at + len(said["locale"])
                before = self.contents.newline * 2
                single.append(_Language(said["locale"], block.start(), block.end(), name, before, messages))
            else:
                members = self._members if is_object else self._keys
                found.append(list(members(block.start(2), block.end(2))))
        return [*found, single] if single else found

    def _messages(self, start: int, end: int, is_object: bool) -> dict[str, Literal | Scalar]:
        """The strings of an object, or of a mapping in YAML, by their paths."""
        text = self.contents.text
        if not is_object:
            scalars = read_scalars(text[start:end], self.contents.name, start)
            return {".".join(each.path): each for each in scalars if not each.is_key and not _is_fixed(each)}
        opened = text.find("{", start, end)
        if opened < 0:
            raise BadInputError("a block <i18n> has no object in it", where=self.contents.name, remedy="check it")
        literals = list(ScriptDocument.in_object(self.contents, opened))
        return {each.name: each for each in literals}

    def _members(self, start: int, end: int) -> Iterator[_Language]:
        """The languages of an object."""
        messages = self._messages(start, end, is_object=True)
        text, depth, key = self.contents.text, 0, None
        at = text.find("{", start, end)
        while token := TOKEN.match(text, at, end):
            at = token.end()
            depth += (token[0] in "{[(") - (token[0] in "}])")
            if depth == 1 and key is None and token.lastgroup in ("word", "string"):
                key = token
            elif key is not None and depth == 1 and token[0] == "}":
                yield self._member(key, token.end(), messages)
            elif depth == 1 and token[0] == ",":
                key = None

    def _member(self, key: re.Match[str], end: int, messages: Mapping[str, Literal | Scalar]) -> _Language:
        code = key[0].strip("'\"")
        space = _SPACE.search(self.contents.text, 0, key.start())
        inside = {name[len(code) + 1 :]: each for name, each in messages.items() if name.startswith(f"{code}.")}
        return _Language(code, key.start(), end, key.span(), f",{space[0] if space else ' '}", inside)

    def _keys(self, start: int, end: int) -> Iterator[_Language]:
        """The languages of a mapping in YAML."""
        messages = self._messages(start, end, is_object=False)
        scalars = read_scalars(self.contents.text[start:end], self.contents.name, start)
        keys = [each for each in scalars if each.is_key and len(each.path) == 1]
        for key, following in pairwise([*keys, None]):
            if key is None:
                return
            stop = following.start if following else end
            stop = key.start + len(self._slice(key.start, stop).rstrip())
            inside = {
                name[len(key.text) + 1 :]: each for name, each in messages.items() if key.start < each.start < stop
            }
            indent = key.start - self.contents.text.rfind("\n", 0, key.start) - 1
            before = self.contents.newline + " " * indent
            yield _Language(key.text, key.start, stop, (key.start, key.end), before, inside)

    def _render(self, piece: Piece, parts: Parts, _: list[Replacement]) -> str:
        text, place = Inline(parts).text, piece.style
        if isinstance(place, Scalar):
            return write_scalar(text, place, self.contents)
        return escaped(text, place.quote, lines=place.quote == "`")

    def _normal(self, text: str) -> str:
        return text.strip()

    def _replacements(self, changes: Mapping[str, NewTarget]) -> ReplacementList:
        """What is replaced; where the target language is new, in a copy of the source."""
        done = list(super()._replacements(changes))
        for each in self._copied:
            inside = [one for one in done if each.start <= one.start and one.end <= each.end]
            if inside:
                done = [one for one in done if one not in inside]
                done.append(Replacement(each.end, each.end, self._copy(each, inside)))
        found = ReplacementList()
        found.extend(done)
        return found

    def _copy(self, each: _Language, inside: list[Replacement]) -> str:
        written, language = self._slice(*each.name), self.target_language or ""
        quote = (
            written[0]
            if written[0] in "'\""
            else ""
            if language.isidentifier() or "=" in self._slice(each.start, each.name[0])
            else '"'
        )
        named = Replacement(*each.name, f"{quote}{language}{quote}")
        moved = [Replacement(one.start - each.start, one.end - each.start, one.new) for one in (*inside, named)]
        return each.before + splice(self._slice(each.start, each.end), moved)


def _is_fixed(each: Scalar) -> bool:
    return each.style is None and NOT_STRINGS.fullmatch(each.text) is not None


def _with_links(text: str) -> Inline:
    """A message with what is filled in, and links to others, as tags."""
    found = Inline()
    for part in read_codes(text).parts:
        if isinstance(part, Tag):
            found.parts.append(part)
            continue
        for number, piece in enumerate(_LINK.split(part)):
            if number % 2:
                found.parts.append(Tag(piece, piece.encode(), "alone", piece, None))
            elif piece:
                found.add(piece)
    return found
