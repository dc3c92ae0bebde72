"""XML as elements that know their position in the file, so that one can be replaced without changing any other byte.

The parser is expat, which tells where each tag begins. Nothing in a document is trusted: entity declarations are
refused, nothing is ever fetched, and depth is limited.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import NamedTuple
from xml.parsers import expat

from dragoman.errors import BadInputError
from dragoman.formats.contents import Contents

BLOCK = 1 << 16  # bytes that are parsed at once
DEEPEST = 200  # elements inside each other
XML = "http://www.w3.org/XML/1998/namespace"
UNWRITABLE = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")  # what XML 1.0 calls no Char
_ATTRIBUTE = rb"""\s++([^\s=>"']++)\s*+=\s*+("[^"]*"|'[^']*')"""
_START = re.compile(rb"<([^\s/>]+)((?:" + _ATTRIBUTE.replace(b"(", b"(?:") + rb")*+)(\s*)(/?)>")
_ATTRIBUTES = re.compile(rb"(?<!\s)" + _ATTRIBUTE)
_NAME = re.compile(rb"[^\s/>]+")


@dataclass(slots=True, eq=False)
class Element:
    """An element of the file: its position and contents. Names are local names in the root's namespace."""

    name: str
    attributes: dict[str, str]
    start: int  # of the start tag, in bytes
    inside: int  # one past the start tag
    close: int = 0  # of the end tag, if there is one
    end: int = 0  # one past the element
    content: list[str | Element] = field(default_factory=list)
    nests: bool = False  # whether an element that is wanted for itself is inside

    @property
    def empty(self) -> bool:
        """Whether it is written as one tag."""
        return self.inside == self.end

    @property
    def elements(self) -> list[Element]:
        """The elements directly in this one."""
        return [each for each in self.content if isinstance(each, Element)]

    def child(self, name: str) -> Element | None:
        """The first element of this name that is directly in this one."""
        for each in self.content:
            if isinstance(each, Element) and each.name == name:
                return each
        return None

    @property
    def only_text(self) -> str | None:
        """The text if there is nothing else; None if there are elements."""
        content = self.content
        if len(content) == 1:
            return content[0] if isinstance(content[0], str) else None
        texts = [each for each in content if isinstance(each, str)]
        return "".join(texts) if len(texts) == len(content) else None

    def descendants(self) -> Iterator[Element]:
        """All elements in this one, in the order of the file."""
        for each in self.content:
            if isinstance(each, Element):
                yield each
                if each.content:
                    yield from each.descendants()


class Edit(NamedTuple):
    """Bytes that replace others."""

    start: int
    end: int
    new: bytes


Visit = Callable[[Element, list[Element]], None]
Start = Callable[[str, dict[str, str]], None]


class Scanner:
    """Goes through a file and visits complete elements of given names, with their ancestors, outermost first."""

    def __init__(self, data: bytes, contents: Contents, wanted: str | frozenset[str], visit: Visit) -> None:
        self.data = data  # in UTF-8, whatever the file is in
        self.where = contents.name
        self.wanted = frozenset([wanted]) if isinstance(wanted, str) else wanted
        self.visit = visit
        self.outside: dict[str, Element] = {}  # the first of each name that is in no wanted one
        self.open: list[Element] = []

    def scan(self) -> None:
        """Go through the whole file; visits happen as elements end."""
        for _ in self.steps():
            pass

    def steps(self) -> Iterator[None]:
        """Go through the file block by block, so that what was visited can be taken in between."""
        self.parser = parser = expat.ParserCreate("UTF-8", " ")
        parser.buffer_text = True
        parser.StartElementHandler, parser.EndElementHandler, parser.CharacterDataHandler = self._handlers(parser)
        parser.StartDoctypeDeclHandler = self._doctype
        parser.EntityDeclHandler = self._entity
        parser.SkippedEntityHandler = self._entity
        try:
            for at in range(0, len(self.data), BLOCK):
                parser.Parse(self.data[at : at + BLOCK], False)
                yield
            parser.Parse(b"", True)
        except expat.ExpatError as error:
            what = f"line {error.lineno} is not well-formed XML ({expat.ErrorString(error.code)})"
            remedy = "open it in the tool that created it, and save it again"
            raise BadInputError(what, where=self.where, remedy=remedy) from None

    def _handlers(self, parser: expat.XMLParserType) -> tuple[Start, Callable[[str], None], Callable[[str], None]]:
        """What expat calls for each tag and text: closures, since nearly all of the time is spent in them."""
        opened, wanted, data, find, match = self.open, self.wanted, self.data, self.data.find, _START.match
        prefix = ""  # the root's namespace, as expat puts it before names
        inside = 0  # how many of those that are open belong to an element that is wanted

        def start(name: str, attributes: dict[str, str]) -> None:
            nonlocal prefix, inside
            if len(opened) == DEEPEST:
                raise self._refusal(f"has more than {DEEPEST} elements inside each other", "simplify it")
            if not opened:
                prefix = name.rpartition(" ")[0] + " "
            at = parser.CurrentByteIndex
            end = find(b">", at) + 1
            if find(b"=", at, end) >= 0:  # a > may be in an attribute
                tag = match(data, at)
                if tag is None:
                    raise self._refusal("has a tag that cannot be understood", "write it in the usual way")
                end = tag.end()
            local = name.removeprefix(prefix)
            element = Element(local, attributes, at, end)
            if inside:
                opened[-1].content.append(element)
                if local in wanted:
                    for each in opened[-inside:]:
                        each.nests = True
                inside += 1
            elif local in wanted:
                inside = 1
            elif local not in self.outside:
                self.outside[local] = element
            opened.append(element)

        def end(_: str) -> None:
            nonlocal inside
            element = opened.pop()
            element.close = at = parser.CurrentByteIndex
            tagged = at != element.inside or data[at - 2 : at] != b"/>"
            element.end = find(b">", at) + 1 if tagged else at
            if inside:
                inside -= 1
                if not inside:
                    self.visit(element, opened)

        def text(text: str) -> None:
            if inside:
                opened[-1].content.append(text)

        return start, end, text

    def _doctype(self, _name: str, _system: str | None, _public: str | None, has_declarations: bool) -> None:
        if has_declarations:
            raise self._refusal("has declarations in its <!DOCTYPE … [ … ]>", "remove the declarations")

    def _entity(self, *_: object) -> None:
        raise self._refusal("uses an entity that is not XML's own", "write the characters instead")

    def _refusal(self, what: str, remedy: str) -> BadInputError:
        line = self.parser.CurrentLineNumber
        return BadInputError(f"line {line} {what}, which is not accepted", where=self.where, remedy=remedy)


class _Found(Exception):  # noqa: N818 (not an error)
    """Ends a scan once its question is answered."""


def find_root(data: bytes, contents: Contents) -> Element:
    """The outermost element, with its start tag only."""

    class Root(Scanner):
        def _handlers(self, parser: expat.XMLParserType) -> tuple[Start, Callable[[str], None], Callable[[str], None]]:
            start, end, text = super()._handlers(parser)

            def stop(name: str, attributes: dict[str, str]) -> None:
                start(name, attributes)
                raise _Found

            return stop, end, text

    scanner = Root(data, contents, "", lambda *_: None)
    try:
        scanner.scan()
    except _Found:
        return scanner.open[0]
    raise AssertionError("expat accepts no document without an element")


def tag_name(data: bytes, element: Element) -> str:
    """The name of an element as it is written, with its prefix."""
    name = _NAME.match(data, element.start + 1)
    return name[0].decode() if name else ""


def tag_attributes(data: bytes, element: Element) -> list[tuple[str, str]]:
    """The attributes of an element as they are written, without the quotes."""
    return [(name.decode(), value[1:-1].decode()) for name, value in _ATTRIBUTES.findall(_tag(data, element)[2])]


def start_tag(data: bytes, element: Element, changes: dict[str, str | None], *, empty: bool) -> bytes:
    """The start tag of an element with some attributes set, or removed if None, and all others unchanged."""
    tag = _tag(data, element)
    attributes = tag[2]
    for name, value in changes.items():
        there = next((each for each in _ATTRIBUTES.finditer(attributes) if each[1] == name.encode()), None)
        if value is None and there is not None:
            attributes = attributes[: there.start()] + attributes[there.end() :]
        elif value is not None and there is not None:
            written = quote(value, there[2][:1].decode()).encode()
            attributes = attributes[: there.start(2)] + written + attributes[there.end() :]
        elif value is not None:
            attributes += f" {name}={quote(value)}".encode()
    return b"<" + tag[1] + attributes + tag[3] + (b"/>" if empty else b">")


def _tag(data: bytes, element: Element) -> re.Match[bytes]:
    tag = _START.match(data, element.start)
    assert tag is not None  # noqa: S101 (the scanner has seen it)
    return tag


def escape(text: str) -> str:
    """Text as written in an element; an unescaped carriage return would be read as a line break."""
    for character, written in (("&", "&amp;"), ("<", "&lt;"), (">", "&gt;"), ("\r", "&#13;")):
        text = text.replace(character, written)
    return text


def quote(text: str, mark: str = '"') -> str:
    """Text as written in an attribute, quotation marks included."""
    text = escape(text)
    for character in (mark, "\n", "\t"):
        text = text.replace(character, f"&#{ord(character)};")
    return f"{mark}{text}{mark}"


def apply(data: bytes, edits: list[Edit]) -> bytes:
    """The data with all edits made; they must not overlap."""
    parts, done = [], 0
    for edit in sorted(edits):
        parts += [data[done : edit.start], edit.new]
        done = edit.end
    return b"".join([*parts, data[done:]])
