"""Zip archives that documents are packed in: bounded before anything is unpacked; other parts are written untouched.

Parts that do not change are copied as they are in the archive, compressed, with their times and attributes. Each part
with text is a document of its own.
"""

from __future__ import annotations

import struct
import zipfile
import zlib
from abc import abstractmethod
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from io import BytesIO
from typing import ClassVar, Self

from dragoman.errors import BadInputError
from dragoman.formats.contents import Contents
from dragoman.formats.division import FindBoundaries
from dragoman.formats.document import CompactSegments, Document, DocumentSegment, NewTarget, NewTargets, UnwritableError
from dragoman.formats.piece_document import PieceDocument

MOST_ENTRIES = 10_000
MOST_BYTES = 500 << 20  # of all parts, unpacked
MOST_RATIO = 200  # unpacked to packed, of a part of more than a megabyte
LARGE = 8 << 20  # bytes of a part that is compressed a little less, in a third of the time
ELSEWHERE = 0xFFFFFFFF  # a size or position that only the 64-bit form has room for
COMPOUND = bytes.fromhex("d0cf11e0a1b11ae1")  # what Office wraps a protected file in, and files before 2007
_LOCAL = struct.Struct("<4s5H3L2H")
_CENTRAL = struct.Struct("<4s6H3L5H2L")
_END = struct.Struct("<4s4H2LH")


class Package:
    """An archive in memory."""

    def __init__(self, data: bytes, name: str) -> None:
        self.data = data
        self.where = name
        if data.startswith(COMPOUND):
            remedy = "remove the password, or save it in today's format,"
            raise self._refusal("is protected by a password, or in the format of Office 97", remedy)
        try:
            with zipfile.ZipFile(BytesIO(data)) as archive:
                self.infos = {info.filename: info for info in archive.infolist()}
                self._check(archive.infolist())
                self._start = archive.start_dir
                self._records()  # what could not be written is refused now, not when it has been translated
        except BadInputError:
            raise
        except (zipfile.BadZipFile, NotImplementedError, struct.error, ValueError, OverflowError):
            raise self._refusal("is damaged, or not the archive that its name says", "save it again") from None

    def _check(self, infos: list[zipfile.ZipInfo]) -> None:
        if len(infos) > MOST_ENTRIES or len(infos) != len(self.infos):
            raise self._refusal(f"has more than {MOST_ENTRIES:,} parts, or two of the same name", "save it again")
        if sum(info.file_size for info in infos) > MOST_BYTES:
            raise self._refusal(f"would be more than {MOST_BYTES >> 20} MB unpacked", "split it")
        for info in infos:
            if info.flag_bits & 1:
                raise self._refusal("is encrypted", "remove the password")
            if info.file_size > 1 << 20 and info.file_size > MOST_RATIO * max(1, info.compress_size):
                raise self._refusal(
                    f"has a part that is compressed suspiciously well ({info.filename})", "save it again"
                )

    def _refusal(self, what: str, remedy: str) -> BadInputError:
        return BadInputError(what, where=self.where, remedy=f"{remedy} in the program that wrote it")

    def __contains__(self, name: str) -> bool:
        return name in self.infos

    def names(self) -> list[str]:
        """The names of all parts, in the order of the archive."""
        return list(self.infos)

    def read(self, name: str) -> bytes:
        """A part, unpacked; never more than its header says."""
        info = self.infos[name]
        try:
            with zipfile.ZipFile(BytesIO(self.data)) as archive, archive.open(info) as part:
                data = part.read(info.file_size + 1)
        except (zipfile.BadZipFile, zlib.error, EOFError, RuntimeError, OSError, ValueError, struct.error):
            raise self._refusal(f"has a damaged part ({name})", "save it again") from None
        if len(data) > info.file_size:
            raise self._refusal(f"has a part that is larger than it says ({name})", "save it again")
        return data

    def write(self, changed: Mapping[str, bytes]) -> bytes:
        """The archive with some parts replaced."""
        out = bytearray()
        records = self._records()
        order = sorted(self.infos.values(), key=lambda info: info.header_offset)
        ends = [*(info.header_offset for info in order[1:]), self._start]
        for info, end in zip(order, ends, strict=True):
            record = records[info.filename]
            new = changed.get(info.filename)
            offset = len(out)
            if new is None:
                out += self.data[info.header_offset : end]
            else:
                local, record = _packed(info, new, record)
                out += local
            records[info.filename] = record[:42] + struct.pack("<L", offset) + record[46:]
        directory = b"".join(records.values())
        comment = self.data[self.data.rfind(b"PK\x05\x06") + 22 :]
        end_record = _END.pack(b"PK\x05\x06", 0, 0, len(order), len(order), len(directory), len(out), len(comment))
        return bytes(out + directory + end_record + comment)

    def _records(self) -> dict[str, bytes]:
        """The record of each part in the central directory."""
        found: dict[str, bytes] = {}
        at = self._start
        names = list(self.infos)
        while self.data[at : at + 4] == b"PK\x01\x02" and len(found) < len(names):
            fields = _CENTRAL.unpack_from(self.data, at)
            size = _CENTRAL.size + sum(fields[10:13])
            if ELSEWHERE in (fields[8], fields[9], fields[16]):
                break
            found[names[len(found)]] = self.data[at : at + size]
            at += size
        if len(found) != len(names):
            raise self._refusal("is in the 64-bit form of archives", "save it again")
        return found


def _packed(info: zipfile.ZipInfo, data: bytes, record: bytes) -> tuple[bytes, bytes]:
    """A new part with its local header, and its record in the directory; method, time and attributes stay."""
    if info.compress_type == zipfile.ZIP_STORED:
        packed, method = data, zipfile.ZIP_STORED
    else:
        compressor = zlib.compressobj(6 if len(data) < LARGE else 5, zlib.DEFLATED, -15)
        packed, method = compressor.compress(data) + compressor.flush(), zipfile.ZIP_DEFLATED
    sizes = zlib.crc32(data), len(packed), len(data)
    fields = list(_CENTRAL.unpack_from(record))
    flags = fields[3] & ~8  # sizes stand in the header, not after the data
    name = record[_CENTRAL.size : _CENTRAL.size + fields[10]]
    local = _LOCAL.pack(b"PK\x03\x04", fields[2], flags, method, fields[5], fields[6], *sizes, len(name), 0)
    fields[3:5] = flags, method
    fields[7:10] = sizes
    return local + name + packed, _CENTRAL.pack(*fields) + record[_CENTRAL.size :]


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
