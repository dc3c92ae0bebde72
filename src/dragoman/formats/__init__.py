r"""Files of translation tools: read as segments, and written back with new targets and everything else unchanged.

1. `read_document` turns the bytes of a file into a `Document`: XLIFF 1.x and 2.x, TMX, PO, TSV or text.
2. Its `segments` have ids, sources, targets and states. Inline tags appear as tags in the texts.
3. `write_document` returns the same bytes with new targets, replacing these and nothing else.

>>> data = b'hello\thola\ngood night\n'
>>> document = read_document(data, "words.tsv")
>>> [(segment.id, segment.source, segment.target, segment.state) for segment in document.segments]
[('1', 'hello', 'hola', 'confirmed'), ('2', 'good night', '', 'new')]
>>> write_document(document, {"2": "buenas noches"})
b'hello\thola\ngood night\tbuenas noches\n'
"""

from __future__ import annotations

from pathlib import PurePath

from dragoman.errors import BadInputError
from dragoman.formats.document import Document, DocumentSegment, State, Targets
from dragoman.formats.lines import TextDocument, TsvDocument
from dragoman.formats.po import PoDocument
from dragoman.formats.xml_document import XmlDocument

__all__ = ["Document", "DocumentSegment", "State", "Targets", "read_document", "write_document"]

KINDS: dict[type[Document], str] = {
    XmlDocument: ".xlf .xliff .sdlxliff .mqxliff .mxliff .tmx .xml",
    PoDocument: ".po .pot",
    TsvDocument: ".tsv .tab",
    TextDocument: ".txt .text",
}
BY_ENDING = {ending: kind for kind, endings in KINDS.items() for ending in endings.split()}


def read_document(data: bytes, name: str, *, source: str | None = None, target: str | None = None) -> Document:
    """Read a file as a document; the ending of its name says which format it has.

    The languages select two from a memory that has more, and are assumed where a file does not state them.
    """
    kind = BY_ENDING.get(PurePath(name).suffix.lower())
    if kind is None:
        raise BadInputError("cannot tell the file type from its name", where=name, remedy=f"use {_endings()}")
    return kind.read(data, name, source, target)


def write_document(document: Document, targets: Targets) -> bytes:
    """The file of a document with these targets, and states if given, in place of the old ones."""
    return document.fill(targets)


def _endings() -> str:
    *some, last = BY_ENDING
    return f"{', '.join(some)} or {last}"
