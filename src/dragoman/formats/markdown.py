"""Markdown: paragraphs, headings, list items and table cells are pieces; code is left alone.

markdown-it-py finds the blocks. Inside a block, emphasis and links become pairs of tags, and code spans, images,
addresses, markup and template code single ones. Blocks of HTML, what is shown instead of pictures, the titles of links
and notes, and the title and description in the front matter are pieces, too. A link that only names a label says it
in full when its words change. A
paragraph that changes is written on one line; lines break only where the page shows it.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import cached_property
from typing import Any, NamedTuple

from dragoman.formats.codes import pair_up
from dragoman.formats.division import Parts, whole
from dragoman.formats.file_lines import LineList
from dragoman.formats.html import Scan, escape
from dragoman.formats.inline import Inline, Tag
from dragoman.formats.markdown_blocks import MarkdownBlocks, blocks_of
from dragoman.formats.piece_document import Piece, PieceDocument, Replacement
from dragoman.formats.yaml_files import Scalar, read_scalars, write_scalar
from dragoman.text.markup import Kind

FRONT_KEYS = ("title", "description", "summary", "subtitle", "excerpt", "sidebar_label", "linkTitle")
_FRONT = re.compile(r"\A---[ \t]*\r?\n(.*?)^(?:---|\.\.\.)[ \t]*(?:\r?\n|\Z)", re.DOTALL | re.MULTILINE)
_BLOCK_START = re.compile(r"(?:[#>+-]|\d{1,9}[.)]|[*](?=\s)|=+\s*\Z|-+\s*\Z|```|~~~|\||:::)")
# The look ahead lets the search give up quickly wherever nothing of this can begin.
_CODE = re.compile(
    r"(?=[\\`!\[\]<{$:&*_~]| {2}|http)(?:"
    r"(?P<escape>\\[!-/:-@\[-`{-~])"
    r"|(?P<code>(?P<ticks>(?<!`)`++).{1,3000}?(?<!`)(?P=ticks)(?!`))"
    r"|(?P<break>(?:(?<! ) {2,}+|\\)\n\ufdd0*)"
    r"|(?P<image>!\[(?:[^\[\]\\]|\\.)*\](?:\([^()\s]*(?:\([^()]*\)[^()\s]*)*(?:\s+(?:\"[^\"]*\"|'[^']*'))?\s*\)|\[[^\[\]]*\]))"
    r"|(?P<note>\[\^[^\[\]\s]+\]:?)"
    r"|(?P<open>\[(?=(?:[^\[\]\\]|\\.|!?\[(?:[^\[\]\\]|\\.){0,200}+\](?:\([^()]{0,300}+\))?){0,500}+\](?:\(|\[)))"
    r"|(?P<close>\](?:\((?:<[^<>\n]*>|[^()\s]*(?:\([^()]*\)[^()\s]*)*)(?:\s+(?:\"[^\"]*\"|'[^']*'|\([^()]*\)))?\s*\)|\[[^\[\]]*\]))"
    r"|(?P<address><(?:https?|mailto|ftp):[^<>\s]+>|<[\w.+-]+@[\w.-]+>|https?://[^\s<>()\[\]*`]+(?<![.,;:!?'\"]))"
    r"|(?P<tag><!--[^<]*+(?:<(?!!--)[^<]*+)*?-->|</?[A-Za-z][\w:.-]*(?:\s(?:[^<>\"']|\"[^\"]*\"|'[^']*')*)?/?>)"
    r"|(?P<template>\{\{.{0,500}?\}\}|\{%.{0,500}?%\}|\$\$[^$]{1,500}\$\$|:[a-z0-9_+-]+:)"
    r"|(?P<entity>&(?:[A-Za-z]\w{1,31}|\#\d{1,7}|\#x[0-9A-Fa-f]{1,6});)"
    r"|(?P<mark>\*{1,3}|(?<![^\W_])_{1,3}(?=\S)|(?<=\S)_{1,3}(?![^\W_])|~~))",
    re.DOTALL,
)
_MAY_BEGIN = re.compile(r"[\\`!\[\]<{$:&*_~\n]")  # any of these, except an address, which has a colon


_BREAK = "\ufffa"  # stands for one where texts are compared; spaces around it do not count
_AROUND_BREAK = re.compile(f"(?:(?<! ) ++)?{_BREAK} *+")
_SPACES = re.compile(r"[\t\r\n][ \t\r\n]*| [ \t\r\n]+")  # a single space may stay as it is


# Lines that say what the lines after them are, with a title that people read.
_DIRECTIVE = re.compile(
    r"(?::{3,}+\s*+[\w-]*+(?:\{[^{}]*\})?(?:\[(?P<bracketed>[^\[\]]+)\]"
    r"|(?:[ \t]++|(?<=[ \t]))(?P<plain>[^\s{\[].*?))?(?:\{[^{}]*\})?"
    r"|\[![A-Za-z]+\][+-]?(?:[ \t]+(?P<own>\S.*?))?"
    r"|(?:!!!|\?\?\?\+?)[ \t]+[\w-]+(?:[ \t]+[\w-]+)*?(?:[ \t]+\"(?P<quoted>[^\"]+)\")?)"
)
_DEFINITION = re.compile(
    r"^ {0,3}\[((?:[^\[\]\\\n]|\\.){1,500})\]:[ \t]*\S+(?:\s+(?P<title>\"[^\"\n]+\"|'[^'\n]+'))?", re.MULTILINE
)
_SHORTCUT = re.compile(r"(?<![\]!\\])\[(?P<label>[^\[\]]{1,500})\](?:\[\])?(?![\[(:])")
_TITLE = re.compile(r"\s(?P<title>\"[^\"]+\"|'[^']+')\s*\)\Z")


class _Line(NamedTuple):
    """Some text of a block on one line of the file."""

    start: int
    end: int


class _Markup(NamedTuple):
    """The style of a piece of HTML."""

    quote: str  # around an attribute


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
        if self._definitions:
            known = {label.casefold() for block in blocks_of(text, at) for label in block.references}
            for label in [label for label in self._definitions if label not in known]:  # in code, say
                del self._definitions[label]
        yield from self._blocks(_moved_tokens(blocks_of(text, at)), _BlockLines(text, at))

    @cached_property
    def _definitions(self) -> dict[str, re.Match[str]]:
        """What references refer to, by their labels."""
        return {_label(found[1]): found for found in _DEFINITION.finditer(self.contents.text)}

    @cached_property
    def _shortcuts(self) -> dict[int, str]:
        """Where references end that have no label of their own, and what it is: the words may change, it may not."""
        return {}

    def _blocks(self, tokens: Iterable[Any], lines: Sequence[_Line]) -> Iterator[Piece]:
        number, context, cells = 0, "", dict[int, int]()
        for token in tokens:
            kind = token.type
            if kind == "html_block" and token.level == 0 and token.map:
                number += 1
                yield from self._html(f"{number}h", lines[slice(*token.map)])
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
                yield from self._directed(str(number), found, context)
        yield from self._definition_titles()

    def _html(self, name: str, lines: Sequence[_Line]) -> Iterator[Piece]:
        """The pieces of a block of HTML."""
        for piece in Scan(self.contents.text, f"{name}.", lines[0].start, lines[-1].end).pieces():
            piece.style = _Markup(piece.style or "")
            yield piece

    def _directed(self, name: str, lines: list[_Line], context: str) -> Iterator[Piece]:
        """The pieces of a block: lines that name a kind of note divide it, and only their titles are text."""
        some: list[_Line] = []
        count = 0
        for line in (*lines, None):
            found = _DIRECTIVE.fullmatch(self._slice(*line).rstrip(" \t")) if line else None
            if line and not found:
                some.append(line)
                continue
            if some:
                count += 1
                yield from self._piece(name if count == 1 else f"{name}.{count}", some, context)
            some = []
            if line and found and found.lastgroup:
                begin, end = found.span(found.lastgroup)
                yield Piece(
                    f"{name}.title",
                    Inline([found[found.lastgroup]]),
                    line.start + begin,
                    line.start + end,
                    context,
                    divide=whole,
                )

    def _definition_titles(self) -> Iterator[Piece]:
        for label, found in self._definitions.items():
            if found["title"]:
                start, end = found.span("title")
                text = found["title"]
                yield Piece(
                    f"title {label}", Inline([text[1:-1]]), start + 1, end - 1, "title", divide=whole, style=text[0]
                )

    def _locate(self, content: list[str], lines: Sequence[_Line], cells: dict[int, int] | None) -> list[_Line]:
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

    def _piece(self, name: str, lines: list[_Line], context: str) -> Iterator[Piece]:
        start, end = lines[0].start, lines[-1].end
        inline = Inline(list(self._parts_of(lines)))
        yield from self._inside_tags(name, inline)
        yield Piece(name, inline, start, end, context, divide=whole if context in ("th", "td") else None)

    def _inside_tags(self, name: str, inline: Inline) -> Iterator[Piece]:
        """The texts inside links and images: what is shown instead of a picture, and titles."""
        count = 0
        for tag in inline.tags:
            if tag.span is None:
                continue
            start, end = tag.span
            text = self._slice(start, end)
            spans: list[tuple[int, int, str]] = []
            if text.startswith("![") and "](" in text and "\n" not in text:
                spans.append((2, text.index("]("), "["))
            if title := _TITLE.search(text) if text.startswith(("![", "](")) else None:
                spans.append((title.start("title") + 1, title.end("title") - 1, title["title"][0]))
            for first, last, quote in spans:
                shown = text[first:last]
                if shown.strip():
                    count += 1
                    place = start + first, start + last
                    yield Piece(f"{name}.{count}i", Inline([shown]), *place, "alt", divide=whole, style=quote)

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
        at = begun = 0
        for found in _CODE.finditer(flat):
            if found.lastgroup == "open":
                begun = found.end()
            elif found[0] == "][]":
                self._shortcuts[place(found.start())] = flat[begun : found.start()]
            if found.start() > at:
                parts += self._references(flat, at, found.start(), place)
            parts.append(_tag(found, (place(found.start()), place(found.end()))))
            at = found.end()
        if at < len(flat):
            parts += self._references(flat, at, len(flat), place)
        return _numbered(parts)

    def _references(self, flat: str, at: int, end: int, place: Callable[[int], int]) -> Parts:
        """Text in which `[label]` is a link, if the file defines the label."""
        parts: Parts = []
        for found in _SHORTCUT.finditer(flat, at, end) if self._definitions else ():
            label = found["label"]
            if _label(label) not in self._definitions or found.start() < at:
                continue
            first, last = found.span("label")
            parts += [flat[at : found.start()]] if found.start() > at else []
            parts.append(Tag("[", b"", "start", "link", None, (place(found.start()), place(first))))
            parts.append(label)
            parts.append(Tag("]", b"", "end", "link", None, (place(last), place(found.end()))))
            self._shortcuts[place(last)] = label
            at = found.end()
        return [*parts, flat[at:end]] if at < end else parts

    def _render(self, piece: Piece, parts: Parts, inner: list[Replacement]) -> str:
        if isinstance(piece.style, Scalar):  # in the front matter
            return write_scalar(Inline(parts).text, piece.style, self.contents)
        if isinstance(piece.style, _Markup):
            quote = piece.style.quote
            return "".join(escape(part, quote) if isinstance(part, str) else self.raw(part, inner) for part in parts)
        if isinstance(piece.style, str):
            text = Inline(parts).text
            return re.sub(r"(?<!\\)[\[\]]", r"\\\g<0>", text) if piece.style == "[" else text.replace(piece.style, "”")
        written = "".join(part if isinstance(part, str) else self._raw(part, inner) for part in parts)
        if piece.context in ("th", "td"):
            written = re.sub(r"(?<!\\)\|", r"\\|", written)
        if isinstance(parts[0], str) and _BLOCK_START.match(written) and not _BLOCK_START.match(piece.inline.text):
            written = re.sub(r"\A(\d*)(.)", r"\1\\\2", written)
        return written

    def _raw(self, tag: Tag, inner: list[Replacement]) -> str:
        """A tag as written; a reference whose words may have changed names its label."""
        label = self._shortcuts.get(tag.span[0]) if tag.span and tag.kind == "end" else None
        return f"][{label}]" if label else self.raw(tag, inner)

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


class _BlockLines(LineList[_Line]):
    """The lines of a page, without their line breaks."""

    def _line(self, start: int, end: int) -> _Line:
        return _Line(start, end - (self._text[end - 1 : end] == "\r"))


def _moved_tokens(blocks: Iterable[MarkdownBlocks]) -> Iterator[Any]:
    """The tokens of a page, with the numbers that lines have in it."""
    for block in blocks:
        for token in block.tokens:
            if token.map:
                token.map = [line + block.first_line for line in token.map]
            yield token


def _label(text: str) -> str:
    return " ".join(text.split()).casefold()


def _is_definition(content: str) -> bool:
    return content.lstrip().startswith(("import ", "export ")) or (
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
