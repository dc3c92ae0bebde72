"""JSON as values that know their position in the file."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass, field

from dragoman.errors import BadInputError
from dragoman.formats.contents import Contents

_TOKEN = re.compile(r'"(?:[^"\\]|\\.)*"|[{}\[\],:]|[^\s{}\[\],:"]+')
_STRING = re.compile(r'"(?:[^"\\]|\\.)*"')


@dataclass(slots=True)
class Value:
    """A value: its position, and the string, the members or the items it has."""

    start: int
    end: int = 0
    text: str | None = None  # of a string
    members: dict[str, Value] | None = None
    items: list[Value] | None = None

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


@dataclass
class _OpenValue:
    value: Value
    name: str | None = None
    taken: dict[str, int] = field(default_factory=dict)


def read_json(contents: Contents) -> Value:
    """The value in a file; what is not JSON is refused with its line."""
    if fault := _find_fault(contents):
        raise fault
    return _tree(contents.text)


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


def write_string(text: str, like: str, *, ascii_only: bool) -> str:
    r"""A string as written in JSON, with slashes escaped if they were in the old one.

    >>> write_string("a/b \"c\" é", r'"x\/y"', ascii_only=False)
    '"a\\/b \\"c\\" é"'
    """
    written = json.dumps(text, ensure_ascii=ascii_only)
    return written.replace("/", r"\/") if r"\/" in like and not re.search(r"(?<!\\)/", like) else written
