"""Messages in TOML and INI: `title = "My page"`, line by line; tables or sections lead to them."""

from __future__ import annotations

import re
from collections.abc import Iterator

from dragoman.formats.document import DocumentSegment
from dragoman.formats.literals import Literal, LiteralDocument, escaped, unescaped

_LONG = r"\"\"\"(?:[^\"\\]|\\.|\"(?!\"\"))*+\"\"\"|'''(?:[^']|'(?!''))*+'''"
_SHORT = r"\"(?:[^\"\\\n]|\\.)*+\"|'[^'\n]*+'"
_TOML = re.compile(
    r"^[ \t]*(?:\[\[?(?P<table>[^\[\]\n]+)\]\]?|(?P<key>[\w.\"'-]+)[ \t]*=[ \t]*"
    rf"(?P<string>{_LONG}|{_SHORT}))[ \t]*(?:\#[^\n]*)?\r?$",
    re.MULTILINE | re.DOTALL,
)
_INI = re.compile(
    r"^(?:[ \t]*+(?:(?P<comment>[;#][^\r\n]*+)|\[(?P<table>[^\]\r\n]*+)\][ \t]*+)"
    r"|(?P<key>[^=\r\n]++)=[ \t]*+(?P<value>[^\r\n]*+))\r?$",
    re.MULTILINE,
)


class TomlDocument(LiteralDocument):
    """Strings of TOML, which their translations replace."""

    kind = "toml"

    def _literals(self) -> Iterator[Literal]:
        table = ""
        for found in _TOML.finditer(self.contents.text):
            if found["table"]:
                table = found["table"].strip() + "."
                continue
            shown = found["string"]
            quote = shown[:3] if shown.startswith(('"""', "'''")) else shown[0]
            start, end = found.start("string") + len(quote), found.end("string") - len(quote)
            inside = self._slice(start, end)
            if len(quote) == 3 and re.search(r"\\\r?\n", inside):
                continue  # lines joined by a backslash: no telling how they are to be broken
            text = inside if quote[0] == "'" else unescaped(inside)
            yield Literal(table + found["key"], start, end, text, quote)

    def _written(self, text: str, quote: str) -> str:
        if quote[0] == "'":
            return text.replace("'", "’")  # such a string cannot hold the plain one
        return escaped(text, '"', lines=len(quote) == 3)

    def _normal(self, text: str) -> str:
        return text.replace("’", "'")


class IniDocument(LiteralDocument):
    """Values of INI files, which their translations replace."""

    kind = "ini"

    def _literals(self) -> Iterator[Literal]:
        table = ""
        for found in _INI.finditer(self.contents.text):
            if found["table"] is not None:
                table = found["table"] + "."
            elif found["value"]:
                value, start = found["value"].rstrip(" \t"), found.start("value")
                quote = value[0] if len(value) > 1 and value[0] == value[-1] and value[0] in "\"'" else ""
                size = len(quote)
                key, end = table + found["key"].strip(" \t"), start + len(value) - size
                yield Literal(key, start + size, end, value[size : len(value) - size], quote)

    def _written(self, text: str, quote: str) -> str:
        return text.replace(quote, "’" if quote == "'" else "”") if quote else text

    def _find_unwritable(self, segment: DocumentSegment, target: str) -> tuple[str, str] | None:
        if "\n" in target or "\r" in target:
            return "has a line break", "use a space"
        return super()._find_unwritable(segment, target)

    def _normal(self, text: str) -> str:
        return text.replace("’", "'").replace("”", '"')
