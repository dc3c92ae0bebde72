"""Documents in XML, whose root element says which format they have."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Self

from dragoman.errors import BadInputError
from dragoman.formats.contents import DECLARED, decode, in_utf8
from dragoman.formats.document import Document, DocumentSegment, NewTarget
from dragoman.formats.elements import UNWRITABLE, find_root
from dragoman.formats.inline import find_broken_tag
from dragoman.formats.layout import Layout
from dragoman.formats.qt import QtTs
from dragoman.formats.tmx import Tmx
from dragoman.formats.xliff import Xliff
from dragoman.formats.xliff2 import Xliff2
from dragoman.formats.xliff2_rules import check_rules, has_moved

# By the name of the root and the first digit of its version.
LAYOUTS: dict[str, type[Layout]] = {"xliff 1": Xliff, "xliff 2": Xliff2, "tmx 1": Tmx}


def _version(text: str) -> str:
    """The version that only the namespace of an XLIFF file tells, as old tools write them."""
    found = re.search(r"""xmlns(?::\w+)?\s*=\s*["']urn:oasis:names:tc:xliff:document:(\d[\d.]*)["']""", text[:5_000])
    return found[1] if found else ""


@dataclass(frozen=True)
class XmlDocument(Document):
    """A document in XML."""

    layout: type[Layout] = field(repr=False)

    @classmethod
    def read(cls, data: bytes, name: str, source: str | None = None, target: str | None = None) -> Self:
        """Read a file; the languages select from several in the file, and are assumed if it states none."""
        contents = decode(data, name, hint=DECLARED)
        root = find_root(in_utf8(contents, data), contents)
        kind = f"{root.name} {(root.attributes.get('version') or _version(contents.text))[:1]}"
        layout = QtTs if root.name == "TS" else LAYOUTS.get(kind)  # TS files have the version of Qt, if any
        if layout is None:
            version = root.attributes.get("version")
            what = f"the root is <{root.name}>" + (f" of version {version}" if version else "")
            raise BadInputError(what, where=name, remedy="use XLIFF 1.x or 2.x, TMX 1.x or Qt TS")
        one_pass = layout(data, contents, source, target)
        segments = one_pass.segments()
        if layout is Xliff2:
            check_rules(in_utf8(contents, data), name)
        said = one_pass.languages()
        return cls(one_pass.format, said[0] or source, said[1] or target, segments, data, contents, layout)

    def _find_fault(self, segment: DocumentSegment, target: str) -> tuple[str, str] | None:
        found = UNWRITABLE.search(target)
        if found:
            return f"has the character U+{ord(found[0]):04X}, which XML cannot hold", "take it out"
        broken = find_broken_tag(segment.inline, target, self.layout.inline)
        if broken:
            return broken, "put the tags of the source into it, each once, and in pairs"
        is_moved = self.layout is Xliff2 and has_moved([tag.shown for tag in segment.inline.tags], target)
        return ("has moved codes that must stay together", "put them in the order of the source") if is_moved else None

    def _write(self, changes: Mapping[str, NewTarget]) -> bytes:
        written = self.layout(self.data, self.contents, self.source_language, self.target_language).write(changes)
        return self.contents.encode_again(written, errors="xmlcharrefreplace")

    def _each_target(self, data: bytes, visit: Callable[[str, str], None]) -> None:
        contents = decode(data, self.contents.name, hint=DECLARED)
        self.layout(data, contents, self.source_language, self.target_language).each_target(visit)
