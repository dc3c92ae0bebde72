"""JSON read from its beginning to its end: strings with their paths, and objects as they end; nothing is kept of them.

A repeated name gets a number (`title#2`): programs take the last, people should see them all. Which names are repeated
takes a pass of its own, which also makes sure that the file is JSON.
"""

from __future__ import annotations

import json
import re
from array import array
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import NamedTuple

from dragoman.formats.contents import Contents
from dragoman.formats.document_segments import find_repeated
from dragoman.formats.json_tree import refusal_of
from dragoman.formats.plural_forms import CATEGORIES

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
            path, key = (), 0
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
