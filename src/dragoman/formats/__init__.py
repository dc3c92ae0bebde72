r"""Files of translation tools: read as segments, and written back with new targets and everything else unchanged.

1. `read_document` turns the bytes of a file into a `Document`; `file_types` says which class reads it.
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

from dragoman.errors import BadInputError
from dragoman.formats.compact_lists import TooMuchMemoryError
from dragoman.formats.contents import check_size
from dragoman.formats.division import FindBoundaries
from dragoman.formats.document import Document, DocumentSegment, State, Targets, no_collection
from dragoman.formats.file_types import find_kind
from dragoman.formats.packages import PackedDocument
from dragoman.formats.piece_document import PieceDocument

__all__ = ["Document", "DocumentSegment", "State", "Targets", "read_document", "write_document"]


def read_document(
    data: bytes,
    name: str,
    *,
    source: str | None = None,
    target: str | None = None,
    sentences: bool | FindBoundaries = True,
) -> Document:
    """Read a file as a document; the ending of its name says which format it has.

    The languages select two from a memory that has more, and are assumed where a file does not state them. With
    `sentences`, the paragraphs of a text are divided into sentences, by our rules or by those given (see `srx`);
    without, each is a segment.
    """
    check_size(data, name)
    kind = find_kind(data, name)
    try:
        with no_collection():
            if issubclass(kind, PieceDocument | PackedDocument):
                return kind.read(data, name, source, target, sentences=sentences)
            return kind.read(data, name, source, target)
    except TooMuchMemoryError as error:
        raise BadInputError(error.what, where=name, remedy=error.remedy) from None


def write_document(document: Document, targets: Targets) -> bytes:
    """The file of a document with these targets, and states if given, in place of the old ones."""
    return document.fill(targets)
