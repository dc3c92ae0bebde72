"""JSON with the strings of programs: nested objects, Flutter's ARB, messages of browser extensions.

Every string that has words is a segment, except in ARB, where `@key` describes `key`, and in the messages of
extensions, where `description` describes `message`. Plural and select forms of ICU messages are segments of their own.
Plurals of i18next (`files_one`, `files_other`) and those that are objects (`{"one": …, "other": …}`) get the forms of
their new language.

A file is read from its beginning to its end: strings with their paths, and objects as they end; nothing is kept.
A repeated name gets a number (`title#2`): programs take the last, people should see them all. Which names are repeated
takes a pass of its own, which also makes sure that the file is JSON.
"""

from __future__ import annotations

import json
import re
from array import array
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property, partial
from typing import ClassVar, NamedTuple

from dragoman.errors import BadInputError
from dragoman.formats.contents import Contents
from dragoman.formats.division import Divide, Parts
from dragoman.formats.document import DocumentSegment, NewTarget, find_repeated
from dragoman.formats.icu_messages import divide_message, finished_message
from dragoman.formats.inline import Inline
from dragoman.formats.piece_document import Piece, Replacement
from dragoman.formats.plural_forms import CATEGORIES, PluralForm, PluralFormsDocument, is_plural

_KEY = re.compile(r'"(?:[^"\\]*_)?(other)"\s*:\s*\Z')
_divide_chrome = partial(divide_message, codes=("chrome",))
DEEPEST = 900
MOST_DIGITS = 4300  # of a number, as Python has it
_STRING = r'"(?:[^"\\\x00-\x1f]++|\\(?:["\\/bfnrt]|u[0-9A-Fa-f]{4}))*+"'
_NAME = re.compile(rf"[ \t\n\r]*+(?:({_STRING})[ \t\n\r]*+:|(\}}))")
_VALUE = re.compile(
    rf"[ \t\n\r]*+(?:(?P<string>{_STRING})|(?P<open>[{{\[])"
    r"|(?P<other>-?(?:0|[1-9][0-9]*+)(?:\.[0-9]++)?(?:[eE][+-]?[0-9]++)?|true|false|null|NaN|-?Infinity))"
)
_END = re.compile(r"[ \t\n\r]*+\]")
_AFTER = re.compile(r"[ \t\n\r]*+([,}\]])")
_REST = re.compile(r"[ \t\n\r]*+\Z")


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
            before = text[max(0, key.start() - 200) : key.start()]
            after = f",{before[len(before.rstrip()) :]}"
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


class JsonItem(NamedTuple):
    """A value that has ended; only strings have a text, only objects have members."""

    path: tuple[str, ...]
    start: int
    end: int
    text: str | None = None
    members: JsonMembers | None = None


class NamedPlace(NamedTuple):
    """Where the value of a member is."""

    start: int
    end: int
    is_string: bool


@dataclass(slots=True)
class JsonMembers:
    """What there is to know of the members of an object."""

    count: int = 0
    plurals: dict[str, NamedPlace] = field(default_factory=dict)  # those that are named like forms of a plural

    def add(self, name: str, start: int, end: int, *, is_string: bool) -> None:
        """Add a member."""
        self.count += 1
        if name.rpartition("_")[2] in CATEGORIES:
            self.plurals[name] = NamedPlace(start, end, is_string)


@dataclass(slots=True)
class _Open:
    """An object or array that has begun."""

    path: tuple[str, ...]
    hash: int
    start: int
    members: JsonMembers | None  # of an object
    number: int = 0  # of values so far
    taken: dict[str, int] = field(default_factory=dict)  # names that are repeated

    @property
    def end(self) -> str:
        return "]" if self.members is None else "}"

    def ended(self, at: int) -> JsonItem:
        return JsonItem(self.path, self.start, at, None, self.members)


class JsonScan:
    """The values of a file, in the order in which they end."""

    def __init__(self, contents: Contents) -> None:
        self._contents = contents
        self._repeated: frozenset[int] = frozenset()  # hashes of repeated names, with those around them
        hashes = array("q")
        for _ in self._items(hashes):
            pass
        self._repeated = find_repeated(hashes)

    def __iter__(self) -> Iterator[JsonItem]:
        return self._items(None)

    def _items(self, hashes: array[int] | None) -> Iterator[JsonItem]:
        text, at, stack, ended = self._contents.text, 0, list[_Open](), False
        while stack or not ended:
            if ended:
                found = _AFTER.match(text, at)
                if found is None or (found[1] != "," and found[1] != stack[-1].end):
                    raise refusal_of(self._contents)
                at, ended = found.end(), found[1] != ","
                if ended:
                    yield stack.pop().ended(at)
                continue
            path: tuple[str, ...] = ()
            key = 0
            if stack:
                top = stack[-1]
                name, at = self._name(top, at)
                if name is None:
                    yield stack.pop().ended(at)
                    ended = True
                    continue
                key = hash((top.hash, name))
                if hashes is not None:
                    hashes.append(key)
                elif key in self._repeated:
                    name = _unique(name, top.taken)
                path = (*top.path, name)
            value = _VALUE.match(text, at)
            if value is None or len(stack) > DEEPEST or (value["other"] and len(value["other"]) > MOST_DIGITS):
                raise refusal_of(self._contents)
            at, kind = value.end(), value.lastgroup or ""
            if stack and stack[-1].members is not None:
                stack[-1].members.add(path[-1], *value.span(kind), is_string=kind == "string")
            if kind == "open":
                stack.append(_Open(path, key, value.start(kind), JsonMembers() if value[kind] == "{" else None))
                continue
            yield JsonItem(path, *value.span(kind), _unquoted(value[kind]) if kind == "string" else None)
            ended = True
        if not _REST.match(text, at):
            raise refusal_of(self._contents)

    def _name(self, top: _Open, at: int) -> tuple[str | None, int]:
        """The name or number of the next value, and where it begins; None if there is no value."""
        text, is_first = self._contents.text, top.number == 0
        top.number += 1
        if top.members is None:
            end = _END.match(text, at) if is_first else None
            return (None, end.end()) if end else (str(top.number - 1), at)
        found = _NAME.match(text, at)
        if found is None or (found[2] and not is_first):
            raise refusal_of(self._contents)
        return None if found[2] else _unquoted(found[1]), found.end()


def _unquoted(token: str) -> str:
    return json.loads(token) if "\\" in token else token[1:-1]


def _unique(name: str, taken: dict[str, int]) -> str:
    found = name
    while found in taken:
        taken[name] += 1
        found = f"{name}#{taken[name]}"
    taken[found] = 1
    return found


def refusal_of(contents: Contents) -> BadInputError:
    """What is wrong with a file that is not JSON, or that nobody should have to read."""
    return _find_fault(contents) or _too_deep(contents)


def _find_fault(contents: Contents) -> BadInputError | None:
    try:
        json.loads(contents.text)  # what passes here is well-formed, so positions are all that is left to find
    except json.JSONDecodeError as error:
        what = f"line {error.lineno} is not JSON ({error.msg})"
        return BadInputError(what, where=contents.name, remedy="check it with python -m json.tool")
    except (RecursionError, ValueError):
        return _too_deep(contents)
    return None


def _too_deep(contents: Contents) -> BadInputError:
    return BadInputError("is nested too deeply, or has an enormous number", where=contents.name)


def write_string(text: str, like: str, *, ascii_only: bool) -> str:
    r"""A string as written in JSON, with slashes escaped if they were in the old one.

    >>> write_string("a/b \"c\" é", r'"x\/y"', ascii_only=False)
    '"a\\/b \\"c\\" é"'
    """
    written = json.dumps(text, ensure_ascii=ascii_only)
    return written.replace("/", r"\/") if r"\/" in like and not re.search(r"(?<!\\)/", like) else written
