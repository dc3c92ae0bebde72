r"""The texts in a message: the strings of a JSON value, the items of a numbered list, parts between separators, or all.

Each is a text of its own, so that a correction of it is found in the memory; the rest of the message stays as it is.

>>> take_apart('["Open.", "Close."]')[0], take_apart("1. Open.\n2. Close.")[0], take_apart("Open.\n---\nClose.")[0]
(['Open.', 'Close.'], ['Open.', 'Close.'], ['Open.', 'Close.'])
>>> texts, put_together = take_apart('{"title": "Open.", "size": 3}')
>>> put_together(["Abra."])
'{"title": "Abra.", "size": 3}'
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Sequence
from typing import Any

# A line that separates texts, such as Weblate's ==WEBLATE_PART==, is no text
_SEPARATOR = re.compile(r"(\n[ ]*(?:[=#*~-]{4,}|[=#*~-]{2,}[A-Z0-9_ ]+[=#*~-]{2,}|-{3}|={3})[ ]*\n)")
_NUMBER = re.compile(r"\s*(?:\d+\s*[.:)]|\[\d+\])\s+(?=\S)")
Join = Callable[[Sequence[str]], str]


def take_apart(text: str) -> tuple[list[str], Join]:
    """The texts in a message, and a function that puts their translations in their places."""
    return _json(text) or _numbered(text) or _separated(text)


def _separated(text: str) -> tuple[list[str], Join]:
    pieces = _SEPARATOR.split(text)

    def join(made: Sequence[str]) -> str:
        return "".join(made[at // 2] if at % 2 == 0 else piece for at, piece in enumerate(pieces))

    return pieces[::2], join


def _numbered(text: str) -> tuple[list[str], Join] | None:
    lines = text.splitlines(keepends=True)
    items = [(line, _NUMBER.match(line)) for line in lines if line.strip()]
    if len(items) < 2:
        return None
    parts: list[tuple[str, str, str]] = []
    for line, number in items:
        if number is None:
            return None
        item = line[number.end() :].rstrip()
        parts.append((number[0], item, line[number.end() + len(item) :]))
    return [item for _, item, _ in parts], lambda made: "".join(
        f"{before}{one}{after}" for (before, _, after), one in zip(parts, made, strict=True)
    )


def _json(text: str) -> tuple[list[str], Join] | None:
    if not text.lstrip().startswith(("{", "[")):
        return None
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        return None
    texts: list[str] = []
    _collect(value, texts)

    def join(made: Sequence[str]) -> str:
        return json.dumps(_filled(value, iter(made)), ensure_ascii=False)

    return (texts, join) if texts else None


def _collect(value: Any, texts: list[str]) -> None:
    if isinstance(value, str):
        texts.append(value)
    for each in value.values() if isinstance(value, dict) else value if isinstance(value, list) else ():
        _collect(each, texts)


def _filled(value: Any, made: Any) -> Any:
    if isinstance(value, str):
        return next(made)
    if isinstance(value, dict):
        return {key: _filled(each, made) for key, each in value.items()}
    return [_filled(each, made) for each in value] if isinstance(value, list) else value
