"""HTML and XHTML: block elements are pieces, inline elements become tags, and so do comments and template code.

Also pieces: the attributes that people read (`alt`, `title`, `placeholder` …) and the description in `<meta>`. Left
alone: scripts, styles, code, `<pre>`, and whatever says `translate="no"`. White space counts as one space.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from html import unescape

from dragoman.formats.codes import pair_up, words
from dragoman.formats.division import Parts, whole
from dragoman.formats.document import Change
from dragoman.formats.inline import Inline, Kind, Tag
from dragoman.formats.piece_document import Piece, PieceDocument, Replacement

INLINE = words(
    "a abbr acronym b bdi bdo big br button cite data del dfn em font i img input ins label mark meter "
    "nobr object output progress q rb rp rt rtc ruby s small span strike strong sub sup time u wbr "
    "epub:switch"
)
FIXED = words("code kbd samp var tt math svg script style noscript template iframe canvas audio video select")
OPAQUE = words("script style pre textarea xmp plaintext")  # blocks whose contents are left alone
RAW = words("script style textarea title xmp iframe noframes plaintext")  # no tags inside, in HTML
VOID = words("area base br col embed hr img input link meta param source track wbr")
READABLE = words("alt title placeholder aria-label aria-description summary label abbr")
DESCRIPTIONS = words("description keywords og:title og:description og:site_name twitter:title twitter:description")
BUTTONS = words("submit button reset")

CHARSET = re.compile(
    rb"""(?:<meta[^>]{0,300}?charset\s*=\s*["']?|\A\s*<\?xml[^>]{0,200}?\sencoding\s*=\s*["'])([A-Za-z][\w.-]{0,40})""",
    re.IGNORECASE,
)
# No < outside of quotation marks, and no endless quotation: else a file of unfinished tags would take for ever.
_IN_TAG = r"(?:[^<>\"']|\"[^\"]{0,5000}\"|'[^']{0,5000}')"
# The set that begins the pattern lets the search skip what cannot be markup.
_MARKUP = re.compile(
    r"[<{](?:(?<=<)(?:"
    rf"(?P<end>/?)(?P<name>[A-Za-z][^\s/<>]*)(?P<attributes>{_IN_TAG}*?)(?P<empty>/?)>"
    r"|!--.*?(?:-->|\Z)|!\[CDATA\[.*?(?:\]\]>|\Z)|![^<>]*>|\?(?:php\b|=).*?(?:\?>|\Z)|\?[^<>]*>|%.*?(?:%>|\Z))"
    r"|(?<=\{)(?:\{.{0,500}?\}\}|%.{0,500}?%\}))",
    re.DOTALL,
)
_SAYS_NO = re.compile(r"""\stranslate\s*=\s*["']?no\b""", re.IGNORECASE)
_NOTRANSLATE = re.compile(r"""\sclass\s*=\s*["'][^"']*\bnotranslate\b""")
_ATTRIBUTE = re.compile(r"""([^\s"'<>/=]+)\s*(?:=\s*("[^"]*"|'[^']*'|[^\s"'=<>`]+))?""")
_SPACES = re.compile(r"[\t\n\r\f][ \t\n\r\f]*| [ \t\n\r\f]+")  # a single space may stay as it is


@dataclass
class _Block:
    """The text since the last block boundary."""

    parts: Parts = field(default_factory=list)
    start: int = -1
    end: int = 0


class HtmlDocument(PieceDocument):
    """A web page; `lang` of its root becomes the target language."""

    kind = "html"
    prose = True
    hint = CHARSET
    _lacking = "xmlcharrefreplace"

    def _find_pieces(self) -> Iterable[Piece]:
        yield from Scan(self.contents.text, "").pieces()

    @cached_property
    def _root(self) -> tuple[str, int, int] | None:
        """The language that the root states, and where."""
        root = re.search(rf"<html\b{_IN_TAG}*>", self.contents.text[:20_000], re.IGNORECASE)
        found = re.search(r"""\s(?:xml:)?lang\s*=\s*["']?([A-Za-z][\w-]*)""", root[0]) if root else None
        return (found[1], root.start() + found.start(1), root.start() + found.end(1)) if root and found else None

    def _languages(self) -> tuple[str | None, str | None]:
        return (self._root[0] if self._root else None), None

    def _extra(self, _: Mapping[str, Change]) -> list[Replacement]:
        if self._root is None or not self.target_language:
            return []
        root_end = self.contents.text.find(">", self._root[2])
        head = self.contents.text[: root_end if root_end > 0 else self._root[2]]
        begin = head.lower().rfind("<html")
        places = re.finditer(r"""\s(?:xml:)?lang\s*=\s*["']?([A-Za-z][\w-]*)""", head[begin:])
        return [Replacement(begin + one.start(1), begin + one.end(1), self.target_language) for one in places]

    def _normal(self, text: str) -> str:
        return _collapse(text).strip(" ")

    def _render(self, piece: Piece, parts: Parts, inner: list[Replacement]) -> str:
        quote = piece.style or ""
        return "".join(escape(part, quote) if isinstance(part, str) else self.raw(part, inner) for part in parts)


def escape(text: str, quote: str) -> str:
    """Text as written in a page, or in an attribute with these quotation marks."""
    text = text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
    return text.replace(quote, "&quot;" if quote == '"' else "&#39;") if quote else text


class Scan:
    """One pass over a page."""

    def __init__(self, text: str, prefix: str) -> None:
        self.text = text
        self.prefix = prefix
        self.block = _Block()
        self.count = 0
        self.context = ""
        self.is_xml = text[:200].lstrip("\ufeff \n\r\t").startswith("<?xml")

    def pieces(self) -> Iterator[Piece]:
        """All pieces, those in attributes before the one they are in."""
        at = 0
        while at < len(self.text):
            found = _MARKUP.search(self.text, at)
            self._add_text(at, found.start() if found else len(self.text))
            if found is None:
                break
            at = found.end()
            name = (found["name"] or "").lower()
            if not name:
                yield from self._declaration(found)
                continue
            if not found["end"]:
                yield from self._attributes(found, name)
            closed = self._leaves_alone(found, name)
            if closed:
                at = closed
            elif name not in INLINE:
                yield from self._flush()
                self.context = name if not found["end"] else ""
                if name == "title" and not found["end"] and not found["empty"]:
                    end = self._end_of(name, at)
                    self._add_text(at, end)
                    at = end
                    yield from self._flush()
            if name in INLINE and not closed:
                self._add_tag(found, name)
            elif closed and (name in FIXED - OPAQUE or name in INLINE):
                self._add_opaque(found.start(), closed, name)
            elif closed:
                yield from self._flush()
        yield from self._flush()

    def _declaration(self, found: re.Match[str]) -> Iterator[Piece]:
        """A comment or template code is a tag; a doctype divides."""
        if found[0].startswith(("<!--", "<?", "<%", "{")):
            self._add_opaque(found.start(), found.end(), "x")
            return
        yield from self._flush()

    def _leaves_alone(self, found: re.Match[str], name: str) -> int:
        """Where an element that is left alone ends; 0 if this is none."""
        if found["end"] or found["empty"] or name in VOID:
            return 0
        if name in FIXED or name in OPAQUE:
            return self._end_of(name, found.end(), past=True)
        attributes = found["attributes"]
        if not attributes or name in ("html", "body"):
            return 0
        said = _SAYS_NO.search(attributes) or _NOTRANSLATE.search(attributes)
        return self._end_of(name, found.end(), past=True) if said else 0

    def _end_of(self, name: str, at: int, *, past: bool = False) -> int:
        """Where an element ends, also if others of its name are inside."""
        depth = 1
        pattern = re.compile(rf"<(/?){re.escape(name)}(?=[\s/>]){_IN_TAG}*?(/?)>", re.IGNORECASE)
        while True:
            found = pattern.search(self.text, at)
            if found is None:
                return len(self.text)
            if not found[2] and not (name in RAW and not found[1]):
                depth += -1 if found[1] else 1
            if depth == 0:
                return found.end() if past else found.start()
            at = found.end()

    def _add_text(self, start: int, end: int) -> None:
        if start == end:
            return
        raw = self.text[start:end]
        if self.block.start < 0:
            if not raw.strip(" \t\n\r\f"):
                return
            self.block.start = start
        shown = _collapse(unescape(raw) if "&" in raw else raw)
        if self.block.parts and isinstance(self.block.parts[-1], str):
            self.block.parts[-1] += shown
        else:
            self.block.parts.append(shown)
        self.block.end = end

    def _add_tag(self, found: re.Match[str], name: str) -> None:
        kind: Kind = "end" if found["end"] else "alone" if found["empty"] or name in VOID else "start"
        self._put(Tag(_shown(found[0]), b"", kind, name, None, found.span()))

    def _add_opaque(self, start: int, end: int, name: str) -> None:
        inside = re.sub(r"<[^>]*>|[<>\"&\s]+", " ", self.text[start:end]).strip()
        text = f' text="{inside}"' if 0 < len(inside) <= 40 and name != "x" else ""
        number = 1 + sum(isinstance(part, Tag) for part in self.block.parts)
        self._put(Tag(f'<{name} id="{number}"{text}/>', b"", "alone", name, None, (start, end)))

    def _put(self, tag: Tag) -> None:
        if self.block.start < 0 and tag.span:
            self.block.start = tag.span[0]
        self.block.parts.append(tag)
        self.block.end = tag.span[1] if tag.span else self.block.end

    def _flush(self) -> Iterator[Piece]:
        """The end of a block."""
        block, self.block = self.block, _Block()
        if any(isinstance(part, str) and part.strip() for part in block.parts):
            pair_up(block.parts)
            self.count += 1
            yield Piece(f"{self.prefix}{self.count}", Inline(block.parts), block.start, block.end, self.context)

    def _attributes(self, tag: re.Match[str], name: str) -> Iterator[Piece]:
        """The attributes of a start tag that people read."""
        if "=" not in tag["attributes"]:
            return
        base = tag.start("attributes")
        found = {each[1].lower(): each for each in _ATTRIBUTE.finditer(tag["attributes"]) if each[2]}
        values = {key: each[2].strip("\"'") for key, each in found.items()}
        if values.get("translate") == "no":
            return
        readable: set[str] = {*READABLE} & found.keys() - (
            {"label", "abbr", "summary"} if name not in ("option", "track") else set()
        )
        if name == "meta" and {values.get("name"), values.get("property")} & DESCRIPTIONS:
            readable = {"content"} & found.keys()
        elif name == "input" and values.get("type") in BUTTONS:
            readable |= {"value"} & found.keys()
        for key in sorted(readable, key=lambda key: found[key].start()):
            written = found[key][2]
            if written[0] not in "\"'":
                continue
            self.count += 1
            start = base + found[key].start(2) + 1
            text = _collapse(unescape(written[1:-1]))
            inline = Inline([text] if text else [])
            end = start + len(written) - 2
            yield Piece(f"{self.prefix}{self.count}", inline, start, end, f"@{key}", divide=whole, style=written[0])


def _shown(tag: str) -> str:
    """A tag in its usual spelling, so that it is a placeable."""
    return _collapse(tag)


def _collapse(text: str) -> str:
    """White space as single spaces; most texts have no other."""
    if "\n" in text or "  " in text or "\t" in text or "\r" in text or "\f" in text:
        return _SPACES.sub(" ", text)
    return text
