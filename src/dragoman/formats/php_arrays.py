"""Messages in PHP: `return ['title' => 'My page'];` as Laravel has them, or `$lang['title'] = 'My page';`."""

from __future__ import annotations

import re
from collections.abc import Iterator

from dragoman.errors import BadInputError
from dragoman.formats.division import Chunk, Parts, whole
from dragoman.formats.literals import Literal, LiteralDocument, escaped, unescaped

_TOKEN = re.compile(
    r"(?P<gap>\s++|//[^\n]*+|\#(?!\[)[^\n]*+|/\*.*?\*/)"
    r"|(?P<string>'(?:[^'\\]|\\.)*+'|\"(?:[^\"\\]|\\.)*+\")"
    r"|(?P<word>\$?[\w\\]++)|(?P<sign>=>|->|::|\?>|<\?php|[^\w\s])",
    re.DOTALL,
)
_IS_ARRAY = re.compile(
    r"\breturn\s*(?:\[|array\s*\()|\$\w+\s*\[\s*['\"][^'\"]*['\"]\s*\]\s*=|\$\w+\s*=\s*(?:\[|array\s*\()"
)
_FILLED_IN = re.compile(r"(?<!\\)(?:\$\w|\{\$)")  # a variable inside a string
_OPENING = {"[": "[", "(": "(", "{": "{"}


def _divide_forms(parts: Parts) -> list[Chunk]:
    """The forms of a plural, between which Laravel has a |, as segments of their own."""
    found, form = list[Chunk](), Parts()
    for part in parts:
        first, *others = part.split("|") if isinstance(part, str) else [part]
        form.append(first)
        for text in others:
            found += [*whole(form), Chunk(["|"], False)]
            form = [text]
    return [*found, *whole(form)]


class PhpDocument(LiteralDocument):
    """Arrays of messages, which their translations replace."""

    kind = "php"
    codes = ("laravel",)
    divide = _divide_forms

    def _literals(self) -> Iterator[Literal]:
        text = self.contents.text
        if not text.lstrip().startswith("<?php") or _IS_ARRAY.search(text) is None:
            what = "is a program, not an array of messages"
            raise BadInputError(what, where=self.contents.name, remedy="return an array: return ['key' => 'text'];")
        stack: list[list[str]] = []  # what is open: its sign, and the key or number that comes next
        before, waiting, last, assigned, at = "", None, "", "", 0
        while token := _TOKEN.match(text, at):
            at = token.end()
            if token.lastgroup == "gap":
                continue
            shown = token[0]
            if waiting and shown in (",", "]", ")", ";"):
                names = [key for _, key in stack] or [assigned]
                quote, inside = waiting[0][0], waiting[0][1:-1]
                yield Literal(".".join(names), waiting.start() + 1, waiting.end() - 1, _read(inside, quote), quote)
            waiting = None
            if token.lastgroup == "string":
                waiting = token if _is_value(before, stack, assigned) and not _is_filled_in(shown) else None
                last = shown[1:-1]
            elif shown in _OPENING:
                shown = _opened(shown, before)
                stack.append([shown, "0"])
            elif shown in ("]", ")", "}"):
                closed = stack.pop()[0] if stack else ""
                assigned = last if closed == "index" else assigned
            elif shown == "=>" and stack:
                stack[-1][1] = last
            elif shown == "," and stack and stack[-1][1].isdigit():
                stack[-1][1] = str(int(stack[-1][1]) + 1)
            elif token.lastgroup == "word":
                last = shown
            assigned = "" if shown == ";" else assigned
            before = shown

    def _written(self, text: str, quote: str) -> str:
        if quote == '"':
            return escaped(text, quote).replace("$", "\\$")
        return text.replace("\\", "\\\\").replace("'", "\\'")


def _opened(shown: str, before: str) -> str:
    """What a bracket begins: an array, an index, a call or a block."""
    if shown == "(" and before.lower() == "array":
        return "array("
    is_index = shown == "[" and re.match(r"[\w$\])]", before) and before.lower() != "return"
    return "index" if is_index else shown


def _is_value(before: str, stack: list[list[str]], assigned: str) -> bool:
    if not stack:
        return before == "=" and bool(assigned)
    in_array = all(sign in ("[", "array(") for sign, _ in stack)
    return in_array and before in ("=>", "[", ",", "array(")


def _is_filled_in(shown: str) -> bool:
    return shown[0] == '"' and _FILLED_IN.search(shown) is not None


def _read(inside: str, quote: str) -> str:
    return unescaped(inside) if quote == '"' else re.sub(r"\\([\\'])", r"\1", inside)
