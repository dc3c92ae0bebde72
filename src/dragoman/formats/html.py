"""HTML and XHTML: block elements are pieces, inline elements become tags, and so do comments and template code.

Also pieces: the attributes that people read (`alt`, `title`, `placeholder` …), the description in `<meta>`, and the
texts inside `<select>`, `<textarea>` and `<noscript>`, which are tags of the text around them. Left alone: scripts,
styles, code, `<pre>`, and whatever says `translate="no"`. White space counts as one space.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from html import unescape
from types import MappingProxyType
from typing import NamedTuple

from dragoman.formats.codes import pair_up, words
from dragoman.formats.contents import Contents, decode_page
from dragoman.formats.division import Parts, whole
from dragoman.formats.document import NewTarget
from dragoman.formats.inline import Inline, Tag
from dragoman.formats.piece_document import Piece, PieceDocument, Replacement
from dragoman.text.markup import Kind

INLINE = words(
    "a abbr acronym b bdi bdo big br button cite data del dfn em font i img input ins label mark meter "
    "nobr object output progress q rb rp rt rtc ruby s small span strike strong sub sup time u wbr "
    "epub:switch"
)
FIXED = words("code kbd samp var tt math svg script style template iframe canvas audio video")
ENCLOSING = words("select textarea noscript")  # tags of a text that have texts of their own inside
OPAQUE = words("script style pre xmp plaintext")  # blocks whose contents are left alone
RAW = words("script style textarea title xmp iframe noframes plaintext")  # no tags inside, in HTML
VOID = words("area base br col embed hr img input link meta param source track wbr")
READABLE = words(
    "alt title placeholder aria-label aria-description aria-placeholder aria-roledescription aria-valuetext"
)
READABLE_IN = {"label": words("option optgroup track"), "abbr": words("th td"), "summary": words("table")}
DESCRIPTIONS = words("description keywords og:title og:description og:site_name twitter:title twitter:description")
LONGEST_SHOWN = 500  # characters of a tag that people want to see
BUTTONS = words("submit button reset")

CHARSET = re.compile(
    rb"""(?:<meta[^>]{0,300}?charset\s*=\s*["']?|\A\s*<\?xml[^>]{0,200}?\sencoding\s*=\s*["'])([A-Za-z][\w.-]{0,40})""",
    re.IGNORECASE,
)
# No < outside of quotation marks, and nothing given back: else a file of unfinished tags would take for ever.
_IN_TAG = r"(?:[^<>\"'/]++|\"[^\"]*+\"|'[^']*+'|/(?!>))*+"
_DOCTYPE = r"!(?i:doctype)[^<>\[]*+\[[^\]]*+(?:\](?!\s*+>)[^\]]*+)*+\]\s*+>"  # with declarations of its own
# The set that begins the pattern lets the search skip what cannot be markup.
_MARKUP = re.compile(
    r"[<{](?:(?<=<)(?:"
    rf"(?P<end>/?)(?P<name>[A-Za-z][^\s/<>]*+)(?P<attributes>{_IN_TAG})(?P<empty>/?)>"
    rf"|{_DOCTYPE}"
    r"|!--.*?(?:-->|\Z)|!\[CDATA\[.*?(?:\]\]>|\Z)|![^<>]*>|\?(?:php\b|=).*?(?:\?>|\Z)|\?[^<>]*>|%.*?(?:%>|\Z))"
    r"|(?<=\{)(?:\{.{0,500}?\}\}|%.{0,500}?%\}))",
    re.DOTALL,
)
_OWN_ENTITY = re.compile(r"&(?!(?:amp|lt|gt|quot|apos);)[A-Za-z_][\w.-]*;")  # which the document declares
_SAYS_NO = re.compile(r"""\s(?:its:)?translate\s*=\s*["']?no\b""", re.IGNORECASE)
_NOTRANSLATE = re.compile(r"""\sclass\s*=\s*["'][^"']*\bnotranslate\b""")
_ATTRIBUTE = re.compile(r"""([^\s"'<>/=]+)\s*(?:=\s*("[^"]*"|'[^']*'|[^\s"'=<>`]+))?""")
_SPACES = re.compile(r"[\t\n\r\f][ \t\n\r\f]*| [ \t\n\r\f]+")  # a single space may stay as it is


class MarkupVocabulary(NamedTuple):
    """What the elements of a language of markup are; a language is this list, and nothing else."""

    inline: frozenset[str]  # tags of the text around them
    fixed: frozenset[str] = frozenset()  # the same, with contents that are left alone
    opaque: frozenset[str] = frozenset()  # blocks whose contents are left alone
    readable: frozenset[str] = frozenset()  # attributes that people read
    enclosing: frozenset[str] = frozenset()
    readable_in: Mapping[str, frozenset[str]] = MappingProxyType({})
    raw: frozenset[str] = frozenset()
    void: frozenset[str] = frozenset()
    is_html: bool = False


HTML = MarkupVocabulary(INLINE, FIXED, OPAQUE, READABLE, ENCLOSING, READABLE_IN, RAW, VOID, is_html=True)


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

    @classmethod
    def _decode(cls, data: bytes, name: str) -> Contents:
        return decode_page(data, name, hint=cls.hint)

    def _find_pieces(self) -> Iterable[Piece]:
        yield from Scan(self.contents.text, "").pieces()

    @cached_property
    def _root(self) -> tuple[str, int, int] | None:
        """The language that the root states, and where."""
        root = re.search(rf"<html\b{_IN_TAG}>", self.contents.text[:20_000], re.IGNORECASE)
        found = re.search(r"""\s(?:xml:)?lang\s*=\s*["']?([A-Za-z][\w-]*)""", root[0]) if root else None
        return (found[1], root.start() + found.start(1), root.start() + found.end(1)) if root and found else None

    def _languages(self) -> tuple[str | None, str | None]:
        return (self._root[0] if self._root else None), None

    def _extra(self, _: Mapping[str, NewTarget]) -> list[Replacement]:
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

    def __init__(
        self, text: str, prefix: str, begin: int = 0, end: int | None = None, vocabulary: MarkupVocabulary = HTML
    ) -> None:
        self.text = text
        self.words = vocabulary
        self.begin, self.end = begin, len(text) if end is None else end
        self.prefix = prefix
        self.block = _Block()
        self.count = 0
        self.context = ""
        self.is_xml = text[:200].lstrip("\ufeff \n\r\t").startswith("<?xml")

    def pieces(self) -> Iterator[Piece]:
        """All pieces, those in attributes before the one they are in."""
        at = self.begin
        while at < self.end:
            found = _MARKUP.search(self.text, at, self.end)
            self._add_text(at, found.start() if found else self.end)
            if found is None:
                break
            at = found.end()
            name = self._name(found)
            if not name:
                yield from self._declaration(found)
                continue
            if not found["end"]:
                yield from self._attributes(found, name)
            closed = self._leaves_alone(found, name)
            if closed and name in self.words.enclosing:
                if name == "noscript":
                    yield from self._flush()
                yield from self._inside(name, at, closed)
            if closed:
                at = closed
            elif name not in self.words.inline:
                yield from self._flush()
                self.context = name if not found["end"] else ""
                if name == "title" and self.words.is_html and not found["end"] and not found["empty"]:
                    end = self._end_of(name, at)
                    self._add_text(at, end)
                    at = end
                    yield from self._flush()
            if name in self.words.inline and not closed:
                self._add_tag(found, name)
            elif (
                closed
                and name != "noscript"
                and (
                    name in self.words.fixed - self.words.opaque
                    or name in self.words.inline
                    or name in self.words.enclosing
                )
            ):
                self._add_opaque(found.start(), closed, name)
            elif closed:
                yield from self._flush()
        yield from self._flush()

    def _inside(self, name: str, start: int, closed: int) -> Iterator[Piece]:
        """The pieces inside an element that is a tag of the text around it."""
        end = self.text.rfind("<", start, closed)
        if end < start:
            return
        inner = Scan(self.text, self.prefix, start, end, self.words)
        inner.count, inner.context, inner.is_xml = self.count, name, self.is_xml
        if name in self.words.raw and not self.is_xml:
            inner._add_text(start, end)
            yield from inner._flush()
        else:
            yield from inner.pieces()
        self.count = inner.count

    def _name(self, found: re.Match[str]) -> str:
        """The name of an element; in XML without its prefix, which says only where the name comes from."""
        name: str = (found["name"] or "").lower()
        return name if self.words.is_html else name.rpartition(":")[2]

    def _declaration(self, found: re.Match[str]) -> Iterator[Piece]:
        """A comment or template code is a tag; a doctype divides."""
        if found[0].startswith(("<!--", "<?", "<%", "{")):
            self._add_opaque(found.start(), found.end(), "x")
            return
        yield from self._flush()

    def _leaves_alone(self, found: re.Match[str], name: str) -> int:
        """Where an element that is left alone ends; 0 if this is none."""
        if found["end"] or found["empty"] or name in self.words.void:
            return 0
        if name in self.words.fixed or name in self.words.opaque or (name in self.words.enclosing and self.begin == 0):
            return self._end_of(name, found.end(), past=True)
        attributes = found["attributes"]
        if not attributes or (self.words.is_html and name in ("html", "body")):
            return 0
        said = _SAYS_NO.search(attributes) or _NOTRANSLATE.search(attributes)
        return self._end_of(name, found.end(), past=True) if said else 0

    def _end_of(self, name: str, at: int, *, past: bool = False) -> int:
        """Where an element ends, also if others of its name are inside."""
        depth = 1
        prefix = "" if self.words.is_html else r"(?:[\w.-]+:)?"
        pattern = re.compile(rf"<(/?){prefix}{re.escape(name)}(?=[\s/>]){_IN_TAG}(/?)>", re.IGNORECASE)
        while True:
            found = pattern.search(self.text, at)
            if found is None:
                return len(self.text)
            if not found[2] and not (name in self.words.raw and not found[1]):
                depth += -1 if found[1] else 1
            if depth == 0:
                return found.end() if past else found.start()
            at = found.end()

    def _add_text(self, start: int, end: int) -> None:
        if not self.words.is_html and "&" in self.text[start:end]:
            for entity in _OWN_ENTITY.finditer(self.text, start, end):
                self._add_characters(start, entity.start())
                self._add_opaque(entity.start(), entity.end(), "entity")
                start = entity.end()
        self._add_characters(start, end)

    def _add_characters(self, start: int, end: int) -> None:
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
        kind: Kind = "end" if found["end"] else "alone" if found["empty"] or name in self.words.void else "start"
        shown = _collapse(found[0])
        if len(shown) > LONGEST_SHOWN:
            number = 1 + sum(isinstance(part, Tag) for part in self.block.parts)
            shown = f'<{name} id="{number}"{"/" if kind == "alone" else ""}>'
        self._put(Tag(shown, b"", kind, name, None, found.span()))

    def _add_opaque(self, start: int, end: int, name: str) -> None:
        inside = re.sub(r"<[^<>]*>|[<>\"&\s]+", " ", self.text[start : min(end, start + 500)]).strip()
        text = f' text="{inside}"' if 0 < len(inside) <= 40 and name != "x" and name not in self.words.enclosing else ""
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
        own = {key for key, elements in self.words.readable_in.items() if name in elements}
        readable: set[str] = {*self.words.readable, *own} & found.keys()
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


def _collapse(text: str) -> str:
    """White space as single spaces; most texts have no other."""
    if "\n" in text or "  " in text or "\t" in text or "\r" in text or "\f" in text:
        return _SPACES.sub(" ", text)
    return text
