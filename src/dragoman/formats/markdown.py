"""Markdown: paragraphs, headings, list items and table cells are pieces; code is left alone.

markdown-it-py finds the blocks. Inside a block, emphasis and links become pairs of tags, and code spans, images,
addresses, markup and template code single ones. The title and description in the front matter are pieces, too. A
paragraph that changes is written on one line; lines break only where the page shows it.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterable, Iterator
from typing import Any, NamedTuple

from dragoman.extras import load
from dragoman.formats.codes import pair_up
from dragoman.formats.division import Parts, whole
from dragoman.formats.inline import Inline, Kind, Tag
from dragoman.formats.piece_document import Piece, PieceDocument, Replacement
from dragoman.formats.yaml_files import Scalar, read_scalars, write_scalar

FRONT_KEYS = ("title", "description", "summary", "subtitle", "excerpt", "sidebar_label", "linkTitle")
_FRONT = re.compile(r"\A---[ \t]*\r?\n(.*?)^(?:---|\.\.\.)[ \t]*(?:\r?\n|\Z)", re.DOTALL | re.MULTILINE)
_BLOCK_START = re.compile(r"(?:[#>+-]|\d{1,9}[.)]|[*](?=\s)|=+\s*\Z|-+\s*\Z|```|~~~|\||:::)")
# The look ahead lets the search give up quickly wherever nothing of this can begin.
_CODE = re.compile(
    r"(?=[\\`!\[\]<{$:&*_~]| {2}|http)(?:"
    r"(?P<escape>\\[!-/:-@\[-`{-~])"
    r"|(?P<code>(?P<ticks>`+)(?!`).*?(?<!`)(?P=ticks)(?!`))"
    r"|(?P<break>(?: {2,}|\\)\n\ufdd0*)"
    r"|(?P<image>!\[(?:[^\[\]\\]|\\.)*\](?:\([^()\s]*(?:\([^()]*\)[^()\s]*)*(?:\s+(?:\"[^\"]*\"|'[^']*'))?\s*\)|\[[^\[\]]*\]))"
    r"|(?P<note>\[\^[^\[\]\s]+\]:?)"
    r"|(?P<open>\[(?=(?:[^\[\]\\]|\\.|!?\[(?:[^\[\]\\]|\\.){0,200}+\](?:\([^()]{0,300}+\))?){0,500}+\](?:\(|\[)))"
    r"|(?P<close>\](?:\((?:<[^<>\n]*>|[^()\s]*(?:\([^()]*\)[^()\s]*)*)(?:\s+(?:\"[^\"]*\"|'[^']*'|\([^()]*\)))?\s*\)|\[[^\[\]]*\]))"
    r"|(?P<address><(?:https?|mailto|ftp):[^<>\s]+>|<[\w.+-]+@[\w.-]+>|https?://[^\s<>()\[\]*`]+(?<![.,;:!?'\"]))"
    r"|(?P<tag><!--.*?-->|</?[A-Za-z][\w:.-]*(?:\s(?:[^<>\"']|\"[^\"]*\"|'[^']*')*)?/?>)"
    r"|(?P<template>\{\{.{0,500}?\}\}|\{%.{0,500}?%\}|\$\$[^$]{1,500}\$\$|:[a-z0-9_+-]+:)"
    r"|(?P<entity>&(?:[A-Za-z]\w{1,31}|\#\d{1,7}|\#x[0-9A-Fa-f]{1,6});)"
    r"|(?P<mark>\*{1,3}|(?<![^\W_])_{1,3}(?=\S)|(?<=\S)_{1,3}(?![^\W_])|~~))",
    re.DOTALL,
)
_MAY_BEGIN = re.compile(r"[\\`!\[\]<{$:&*_~\n]")  # any of these, except an address, which has a colon


_BREAK = "\ufffa"  # stands for one where texts are compared; spaces around it do not count
_AROUND_BREAK = re.compile(f" *{_BREAK} *")
_SPACES = re.compile(r"[\t\r\n][ \t\r\n]*| [ \t\r\n]+")  # a single space may stay as it is


class _Line(NamedTuple):
    """Some text of a block on one line of the file."""

    start: int
    end: int


class MarkdownDocument(PieceDocument):
    """A page in Markdown."""

    kind = "markdown"
    prose = True
    gap = re.compile(r"\n[ \t]*\r?\n")

    def _find_pieces(self) -> Iterable[Piece]:
        text = self.contents.text
        front = _FRONT.match(text)
        at = 0
        if front:
            at = front.end()
            yield from self._front_matter(front)
        lines = _lines(text, at)
        parser = (
            load("markdown_it", "files").MarkdownIt("commonmark", {"maxNesting": 60}).enable("table").disable("inline")
        )
        body = text[at:].replace("\r\n", "\n").replace("\0", "\ufffd")
        yield from self._blocks(parser.parse(body), lines)

    def _blocks(self, tokens: list[Any], lines: list[_Line]) -> Iterator[Piece]:
        number, context, cells = 0, "", dict[int, int]()
        for token in tokens:
            kind = token.type
            if kind != "inline":
                if kind == "tr_open":
                    cells = {}
                if kind.endswith("_open"):
                    context = token.tag
                continue
            if not token.map or not token.content.strip():
                continue
            number += 1
            in_table = context in ("th", "td")
            found = self._locate(token.content.split("\n"), lines[slice(*token.map)], cells if in_table else None)
            if found and not _is_definition(token.content):
                yield self._piece(str(number), found, context)

    def _locate(self, content: list[str], lines: list[_Line], cells: dict[int, int] | None) -> list[_Line]:
        """Where the lines of a block are; nothing if they cannot be found as they are."""
        found = []
        for wanted, line in zip(content, lines, strict=False):
            written = self._slice(*line)
            text = wanted.strip()
            if cells is None:
                at = written.rfind(text)
            else:
                text = text.replace("|", r"\|") if text not in written else text
                at = written.find(text, cells.get(line.start, 0))
                cells[line.start] = at + len(text)
            if at < 0:
                return []
            found.append(_Line(line.start + at, line.start + at + len(text)))
        return found

    def _piece(self, name: str, lines: list[_Line], context: str) -> Piece:
        start, end = lines[0].start, lines[-1].end
        inline = Inline(list(self._parts_of(lines)))
        return Piece(name, inline, start, end, context, divide=whole if context in ("th", "td") else None)

    def _parts_of(self, lines: list[_Line]) -> Iterable[str | Tag]:
        """The text and tags of a block; a line break is a space, unless it is meant."""
        if len(lines) == 1:
            text = self._slice(*lines[0])
            if _MAY_BEGIN.search(text) is None:  # most have no tags
                return [text]
        texts, begins, size = list[str](), list[int](), 0  # the text, and where each line begins in it
        for number, line in enumerate(lines):
            if number:
                gap = self._slice(lines[number - 1].end, line.start)
                joint = "  \n" if gap.startswith("  ") else "\n" if texts[-1].endswith("\\") else " "
                texts.append(joint)
                size += len(joint)
            texts.append(self._slice(*line))
            begins.append(size)
            size += len(texts[-1])
        flat = "".join(texts)
        if _MAY_BEGIN.search(flat) is None:
            return [flat]

        def place(at: int) -> int:
            number = bisect_right(begins, at) - 1
            return min(lines[number].start + at - begins[number], lines[number].end)

        parts: Parts = []
        at = 0
        for found in _CODE.finditer(flat):
            if found.start() > at:
                parts.append(flat[at : found.start()])
            parts.append(_tag(found, (place(found.start()), place(found.end()))))
            at = found.end()
        if at < len(flat):
            parts.append(flat[at:])
        return _numbered(parts)

    def _render(self, piece: Piece, parts: Parts, inner: list[Replacement]) -> str:
        if isinstance(piece.style, Scalar):  # in the front matter
            return write_scalar(Inline(parts).text, piece.style, self.contents)
        written = "".join(part if isinstance(part, str) else self.raw(part, inner) for part in parts)
        if piece.context in ("th", "td"):
            written = re.sub(r"(?<!\\)\|", r"\\|", written)
        if isinstance(parts[0], str) and _BLOCK_START.match(written) and not _BLOCK_START.match(piece.inline.text):
            written = re.sub(r"\A(\d*)(.)", r"\1\\\2", written)
        return written

    def _normal(self, text: str) -> str:
        return _SPACES.sub(" ", text).strip()

    def _read_back(self, piece: Piece, parts: Parts | None) -> str:
        """An escaped character counts as the character: a target may need an escape where the source had none."""
        parts = piece.inline.parts if parts is None else parts
        plain = [part.raw.decode()[1:] if isinstance(part, Tag) and part.raw else part for part in parts]
        broken = [_BREAK if isinstance(part, Tag) and part.name == "br" else part for part in plain]
        return _AROUND_BREAK.sub(_BREAK, super()._read_back(piece, broken))

    def _front_matter(self, front: re.Match[str]) -> Iterator[Piece]:
        scalars = list(read_scalars(front[1].replace("\r\n", "\n"), self.contents.name))
        if "\r" in front[1]:
            return
        for each in scalars:
            if not each.is_key and each.path[-1:] and each.path[-1] in FRONT_KEYS and len(each.path) == 1:
                moved = each._replace(start=each.start + front.start(1), end=each.end + front.start(1))
                name = f"front/{each.path[0]}"
                yield Piece(name, Inline([each.text]), moved.start, moved.end, name, divide=whole, style=moved)


def _lines(text: str, at: int) -> list[_Line]:
    found = []
    while at < len(text):
        end = text.find("\n", at)
        end = len(text) if end < 0 else end
        found.append(_Line(at, end - (text[end - 1 : end] == "\r")))
        at = end + 1
    return found


def _is_definition(content: str) -> bool:
    return content.lstrip().startswith((":::", "import ", "export ")) or (
        content[0] == "[" and re.match(r"\[[^\]]+\]:\s*\S+\s*\Z", content) is not None
    )


def _tag(found: re.Match[str], span: tuple[int, int]) -> Tag:
    """A tag without its number yet."""
    kind: Kind = "alone"
    name = str(found.lastgroup if found.lastgroup != "ticks" else "code")
    if name == "mark":
        name = found[0]
        kind = "start"
    elif name in ("open", "close"):
        name, kind = "link", "start" if name == "open" else "end"
    elif name == "tag" and not found[0].startswith("<!") and not found[0].endswith("/>"):
        kind = "end" if found[0].startswith("</") else "start"
        name = re.findall(r"[\w:.-]+", found[0])[0].lower()
    return Tag(found[0], found[0].encode() if name == "escape" else b"", kind, name, None, span)


def _numbered(parts: Parts) -> Parts:
    """Emphasis in pairs, and every tag with a name that tells it from all others."""
    if all(isinstance(part, str) for part in parts):
        return parts
    begun: dict[str, int] = {}
    for number, part in enumerate(parts):
        if isinstance(part, Tag) and part.name[0] in "*_~" and part.kind == "start":
            if part.name in begun:
                parts[number] = part._replace(kind="end")
                del begun[part.name]
            else:
                begun[part.name] = number
    for name, number in begun.items():  # a mark that nothing closes is a character
        parts[number] = name
    pair_up(parts)
    names: list[str] = []
    count = 0
    for number, part in enumerate(parts):
        if not isinstance(part, Tag):
            continue
        if part.kind == "end":
            name = names.pop()
            parts[number] = part._replace(shown=f"</{name}>", name=name)
            continue
        count += 1
        if part.kind == "start":
            names.append(f"g{count}")
            parts[number] = part._replace(shown=f"<g{count}>", name=f"g{count}")
        else:
            parts[number] = part._replace(shown=_shown(part, count), name="br" if part.name == "break" else "code")
    return _merged(parts)


def _shown(tag: Tag, number: int) -> str:
    text = re.sub(r"[\s<>\"&]+", " ", tag.shown).strip()
    return f'<x{number} text="{text}"/>' if text and len(text) <= 60 else f"<x{number}/>"


def _merged(parts: Parts) -> Parts:
    inline = Inline()
    for part in parts:
        if isinstance(part, str):
            inline.add(part)
        else:
            inline.parts.append(part)
    return inline.parts
