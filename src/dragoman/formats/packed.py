"""Documents packed in archives: each part with text is a document of its own, and all others stay as they are."""

from __future__ import annotations

from abc import abstractmethod
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import ClassVar, Self

from dragoman.errors import BadInputError
from dragoman.formats.contents import Contents
from dragoman.formats.division import FindBoundaries
from dragoman.formats.document import Document, DocumentSegment, NewTarget, UnwritableError
from dragoman.formats.document_segments import CompactSegments, NewTargets
from dragoman.formats.packages import Package
from dragoman.formats.piece_document import PieceDocument

MOST_TEXT = 64 << 20  # bytes of the parts with text, unpacked
MOST_SEGMENTS = 150_000
SIGNATURES = ("meta-inf/documentsignatures.xml", "meta-inf/signatures.xml")  # of OpenDocument, of EPUB


class Budget:
    """What a document may unpack: an archive of a few megabytes can hold more text than there is memory for."""

    def __init__(self, where: str) -> None:
        self.where, self.bytes, self.segments = where, MOST_TEXT, MOST_SEGMENTS

    def spend_bytes(self, count: int) -> None:
        """Count a part that is about to be unpacked."""
        self.bytes -= count
        if self.bytes < 0:
            what = f"has more than {MOST_TEXT >> 20} MB of text when unpacked, more than can be held in memory"
            raise BadInputError(what, where=self.where, remedy="split it in the program that wrote it")

    def spend_segments(self, count: int) -> None:
        """Count the segments of a part."""
        self.segments -= count
        if self.segments < 0:
            what = f"has more than {MOST_SEGMENTS:,} segments"
            raise BadInputError(what, where=self.where, remedy="split it in the program that wrote it")


@dataclass(frozen=True)
class PackedDocument(Document):
    """An archive; the id of a segment is the name of its part, a colon and its id there."""

    package: Package = field(repr=False)
    parts: dict[str, PieceDocument] = field(repr=False)
    sentences: bool | FindBoundaries = True

    kind: ClassVar[str]
    root: ClassVar[str]  # a part that every such file has

    @classmethod
    @abstractmethod
    def find_parts(cls, package: Package) -> Iterable[tuple[str, type[PieceDocument]]]:
        """The names of the parts with text, and what reads them."""

    @classmethod
    def find_fixed(cls, package: Package) -> set[str]:  # noqa: ARG003
        """Texts that must stay as they are, because something else refers to them."""
        return set()

    @classmethod
    def read(
        cls,
        data: bytes,
        name: str,
        source: str | None = None,
        target: str | None = None,
        *,
        sentences: bool | FindBoundaries = True,
    ) -> Self:
        """Read an archive."""
        package = Package(data, name)
        parts: dict[str, PieceDocument] = {}
        budget = Budget(name)
        for path, kind in cls.find_parts(package):
            if path in package and path not in parts:
                budget.spend_bytes(package.infos[path].file_size)
                parts[path] = kind.read(package.read(path), f"{name}/{path}", source, target, sentences=sentences)
                budget.spend_segments(len(parts[path].segments))
        if not parts and cls.root not in package:
            what = f"has no text that a {cls.kind} file would have"
            raise BadInputError(what, where=name, remedy="check that its name fits what is in it")
        stated = next((part.source_language for part in parts.values() if part.source_language), None)
        nothing = Contents(name, "", "utf-8", b"")
        document = cls(cls.kind, stated or source, target, (), data, nothing, package, parts, sentences)
        object.__setattr__(document, "segments", CompactSegments(document.segments_of_parts()))
        return document

    def segments_of_parts(self) -> Iterator[DocumentSegment]:
        """The segments of all parts, under their names here."""
        fixed = self.find_fixed(self.package)
        for path, part in self.parts.items():
            for segment in part.segments:
                yield DocumentSegment(
                    f"{path}:{segment.id}",
                    segment.source,
                    segment.target,
                    "locked" if segment.source in fixed else segment.state,
                    segment.inline,
                    segment.context,
                    segment.note,
                    segment.limit,
                )

    @property
    def warnings(self) -> list[str]:
        """Signatures, which no longer hold once anything changes, and macros, which are kept."""
        names = [name.lower() for name in self.package.names()]
        found = []
        if any("_xmlsignatures/" in name or name in SIGNATURES for name in names):
            found.append("the file is signed; the signature will no longer be valid once it is filled")
        if any(name.endswith("vbaproject.bin") or name.startswith("basic/") for name in names):
            found.append("the file has macros; they are kept, and their texts are not translated")
        return found

    def _find_fault(self, segment: DocumentSegment, target: str) -> tuple[str, str] | None:
        path = segment.id.partition(":")[0]
        return self.parts[path]._find_fault(segment, target)

    def _write(self, changes: Mapping[str, NewTarget]) -> bytes:
        by_part: defaultdict[str, NewTargets] = defaultdict(NewTargets)
        for name, change in changes.items():
            path, _, inside = name.partition(":")
            by_part[path].add(inside, *change)
        changed = {}
        for path, some in by_part.items():
            try:
                changed[path] = self.parts[path]._write_checked(some)
            except UnwritableError as error:
                raise UnwritableError(f"{path}:{error.segment}", self.contents.name) from None
        return self.package.write(changed)

    def _verify(self, data: bytes, changes: Mapping[str, NewTarget]) -> None:
        """Make sure that every other part is the same; those that changed were compared when they were written."""
        again = Package(data, self.contents.name)
        touched = {name.partition(":")[0] for name in changes}
        same = again.names() == self.package.names() and all(
            again.infos[name].CRC == info.CRC for name, info in self.package.infos.items() if name not in touched
        )
        for path in touched:
            again.read(path)
        if not same:
            raise BadInputError("cannot be written with its other parts unchanged", where=self.contents.name)
