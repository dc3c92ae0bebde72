"""Resources of .NET (RESX): strings with names and comments; images, sizes and other objects are left alone."""

from __future__ import annotations

import re
from collections.abc import Iterable

from dragoman.formats.codes import read_codes
from dragoman.formats.division import Parts
from dragoman.formats.elements import Element, escape
from dragoman.formats.inline import Inline
from dragoman.formats.piece_document import Piece, Replacement
from dragoman.formats.xml_pieces import XmlPieceDocument

# Properties of controls that designers store as strings.
_NOT_TEXT = re.compile(r">>|\$this\.(?:Name|Icon)|.*\.(?:Type|Parent|ZOrder|FieldName|DataPropertyName)\Z")
_DESIGNED = re.compile(r".*\.Name\Z")  # of a control, unless the name is a text for those who cannot see it


class ResxDocument(XmlPieceDocument):
    """Strings, which their translations replace."""

    kind = "resx"
    wanted = frozenset({"data"})
    tags_are_text = True

    def _visit(self, element: Element, _: list[Element]) -> Iterable[Piece]:
        about, value, comment = element.attributes, element.child("value"), element.child("comment")
        name = about.get("name", "")
        if value is None or value.empty or "type" in about or "mimetype" in about or _NOT_TEXT.match(name):
            return
        if value.elements or (_DESIGNED.match(name) and not self._is_modern):
            return
        note = "".join(each for each in comment.content if isinstance(each, str)) if comment else ""
        text = "".join(each for each in value.content if isinstance(each, str))
        yield Piece(name, read_codes(text), value.inside, value.close, name, note)

    @property
    def _is_modern(self) -> bool:
        """Whether the file belongs to an app of Windows 8 or later, whose names are what a screen reader says."""
        return self.contents.name.lower().endswith(".resw") or "AutomationProperties" in self.contents.text

    def _render(self, _: Piece, parts: Parts, __: list[Replacement]) -> str:
        return escape(Inline(parts).text).replace("\n", self.contents.newline)
