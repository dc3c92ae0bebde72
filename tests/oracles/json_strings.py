"""The strings of a JSON file with their paths and places, from the whole file as a tree."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass, field

_TOKEN = re.compile(r'"(?:[^"\\]|\\.)*"|[{}\[\],:]|[^\s{}\[\],:"]+')


@dataclass(slots=True)
class Value:
    """A value: its position, and the string, the members or the items it has."""

    start: int
    end: int = 0
    text: str | None = None  # of a string
    members: dict[str, Value] | None = None
    items: list[Value] | None = None


@dataclass
class _OpenValue:
    value: Value
    name: str | None = None
    taken: dict[str, int] = field(default_factory=dict)


def strings(text: str) -> list[tuple[tuple[str, ...], int, int, str]]:
    """Path, start, end and text of every string."""
    return list(_strings(_tree(text), ()))


def _strings(value: Value, path: tuple[str, ...]) -> Iterator[tuple[tuple[str, ...], int, int, str]]:
    if value.text is not None:
        yield path, value.start, value.end, value.text
    for name, member in (value.members or {}).items():
        yield from _strings(member, (*path, name))
    for number, item in enumerate(value.items or []):
        yield from _strings(item, (*path, str(number)))


def _tree(text: str) -> Value:
    root = Value(0)
    stack = [_OpenValue(Value(0, items=[root]))]
    for token in _TOKEN.finditer(text):
        character = text[token.start()]
        top = stack[-1]
        if character in "}]":
            stack.pop().value.end = token.end()
        elif character in ",:":
            continue
        elif character == '"' and top.value.members is not None and top.name is None:
            top.name = json.loads(token[0])
        else:
            value = Value(token.start(), token.end())
            _put(stack[-1], value)
            if character in "{[":
                value.members, value.items = ({}, None) if character == "{" else (None, [])
                stack.append(_OpenValue(value))
            elif character == '"':
                value.text = token[0][1:-1] if "\\" not in token[0] else json.loads(token[0])
    items = stack[0].value.items
    return items[-1] if items else root


def _put(top: _OpenValue, value: Value) -> None:
    if top.value.items is not None:
        top.value.items.append(value)
    elif top.value.members is not None:
        name = top.name or ""
        while name in top.value.members:  # a repeated name; programs take the last, people should see them all
            top.taken[name] = top.taken.get(name, 1) + 1
            name = f"{top.name}#{top.taken[name]}"
        top.value.members[name] = value
        top.name = None
