"""Apple's `.stringsdict`: the plural forms of strings, in a property list.

Each form is a segment, and so is the sentence that they are put into. A form that only the target language has cannot
be added here: the file must have it (with any text) before it is filled.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from dragoman.formats.codes import read_codes
from dragoman.formats.division import Parts
from dragoman.formats.elements import Element, escape
from dragoman.formats.inline import Inline
from dragoman.formats.piece_document import Piece, Replacement
from dragoman.formats.xml_pieces import XmlPieceDocument

FORMS = frozenset({"zero", "one", "two", "few", "many", "other", "NSStringLocalizedFormatKey"})


class StringsDictDocument(XmlPieceDocument):
    """Plural forms, which their translations replace."""

    kind = "stringsdict"
    wanted = frozenset({"dict"})
    tags_are_text = True

    def _visit(self, element: Element, _: list[Element]) -> Iterable[Piece]:
        yield from _pieces(element, ())

    def _render(self, _: Piece, parts: Parts, __: list[Replacement]) -> str:
        return escape(Inline(parts).text).replace("\n", self.contents.newline)


def _pieces(dictionary: Element, path: tuple[str, ...]) -> Iterator[Piece]:
    key = ""
    for element in dictionary.elements:
        if element.name == "key":
            key = _text(element)
        elif element.name == "dict":
            yield from _pieces(element, (*path, key))
        elif element.name == "string" and key in FORMS and not element.empty:
            name = "/".join((*path, key))
            yield Piece(name, read_codes(_text(element)), element.inside, element.close, name)


def _text(element: Element) -> str:
    return "".join(each for each in element.content if isinstance(each, str))
