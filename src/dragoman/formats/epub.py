"""EPUB: the pages of a book, in the order of its manifest, and its table of contents."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterable, Mapping
from html import unescape
from urllib.parse import unquote

from dragoman.errors import BadInputError
from dragoman.formats.document import NewTarget
from dragoman.formats.elements import Element
from dragoman.formats.html import HtmlDocument
from dragoman.formats.inline import Inline
from dragoman.formats.packages import Package, PackedDocument
from dragoman.formats.piece_document import Piece, PieceDocument, Replacement
from dragoman.formats.xml_pieces import XmlPieceDocument

_ROOTFILE = re.compile(rb"""<(?:\w+:)?rootfile\b[^<>]*?full-path\s*=\s*["']([^"']+)["']""")
_ITEM = re.compile(rb"<(?:\w+:)?item\b[^>]*>")
_DC = "http://purl.org/dc/elements/1.1/"


class NcxPart(XmlPieceDocument):
    """The table of contents of EPUB 2."""

    kind = "epub"
    wanted = frozenset({"text"})

    def _visit(self, element: Element, around: list[Element]) -> Iterable[Piece]:
        if not element.empty and not element.elements:
            text = "".join(part for part in element.content if isinstance(part, str))
            yield Piece(
                f"{element.start}", Inline([text]), element.inside, element.close, around[-1].name if around else ""
            )


class OpfPart(XmlPieceDocument):
    """Title and description of the book; its language becomes the target language."""

    kind = "epub"
    wanted = frozenset({f"{_DC} title", f"{_DC} description", f"{_DC} subject", f"{_DC} language"})

    def _visit(self, element: Element, _: list[Element]) -> Iterable[Piece]:
        name = element.name.rpartition(" ")[2]
        if element.empty or element.elements:
            return
        text = "".join(part for part in element.content if isinstance(part, str))
        if name == "language":
            self.outside["language"] = element
        else:
            yield Piece(f"{name}{element.start}", Inline([text]), element.inside, element.close, name)

    def _extra(self, _: Mapping[str, NewTarget]) -> list[Replacement]:
        language = self.outside.get("language")
        if language is None or not self.target_language:
            return []
        return [Replacement(language.inside, language.close, self.target_language)]


class EpubDocument(PackedDocument):
    """A book; one whose pages are encrypted is refused."""

    kind = "epub"
    root = "META-INF/container.xml"

    @classmethod
    def find_parts(cls, package: Package) -> Iterable[tuple[str, type[PieceDocument]]]:
        """The description of the book, then its pages."""
        container = package.read(cls.root) if cls.root in package else b""
        locked = package.read("META-INF/encryption.xml") if "META-INF/encryption.xml" in package else b""
        for root in _ROOTFILE.findall(container):
            path = unquote(root.decode("utf-8", "replace"))
            if path not in package:
                continue
            yield path, OpfPart
            for item in _ITEM.findall(package.read(path)):
                href, kind = _attribute(item, "href"), _attribute(item, "media-type")
                page = posixpath.normpath(posixpath.join(posixpath.dirname(path), unquote(href)))
                if kind not in ("application/xhtml+xml", "text/html", "application/x-dtbncx+xml"):
                    continue
                if page.encode() in locked:
                    raise BadInputError(
                        "its pages are encrypted", where=package.where, remedy="remove the protection first"
                    )
                yield page, NcxPart if "ncx" in kind else HtmlDocument


def _attribute(tag: bytes, name: str) -> str:
    found = re.search(rf"""\s{name}\s*=\s*["']([^"']*)["']""".encode(), tag)
    return unescape(found[1].decode("utf-8", "replace")) if found else ""
