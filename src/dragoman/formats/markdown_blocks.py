"""A page in Markdown, parsed some blocks at a time, since the parser takes a hundred times the size of its text.

A page is cut before a line of text that follows a blank line: whatever came before ends there, but a block of code or
of HTML that has not been closed. If the last block may be one, more of the page is parsed with it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any, NamedTuple

from dragoman.extras import load

PART = 1 << 16  # characters that are parsed at once
OPEN = ("fence", "html_block", "code_block")  # blocks that may go on after a blank line
_CUT = re.compile(r"\n[ \t]*\r?\n(?=[A-Za-z#])")


class MarkdownBlocks(NamedTuple):
    """Some blocks of a page."""

    tokens: list[Any]
    references: list[str]  # labels that are defined in them
    first_line: int


def blocks_of(text: str, at: int) -> Iterator[MarkdownBlocks]:
    """The blocks of a page from a position on."""
    parser = load("markdown_it", "files").MarkdownIt("commonmark", {"maxNesting": 60}).enable("table").disable("inline")
    line, size = 0, PART
    while at < len(text):
        cut = _CUT.search(text, at + size) if at + size < len(text) else None
        end = cut.end() if cut else len(text)
        body = text[at:end].replace("\r\n", "\n").replace("\0", "\ufffd")
        defined: dict[str, Any] = {}
        tokens = parser.parse(body, defined)
        if cut and tokens and tokens[-1].type in OPEN:
            size *= 2
            continue
        yield MarkdownBlocks(tokens, list(defined.get("references", ())), line)
        line += body.count("\n")
        at, size = end, PART
