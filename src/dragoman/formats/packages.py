"""Zip archives that documents are packed in: bounded before anything is unpacked; other parts are written untouched.

Parts that do not change are copied as they are in the archive, compressed, with their times and attributes.
"""

from __future__ import annotations

import struct
import zipfile
import zlib
from collections.abc import Mapping
from io import BytesIO

from dragoman.errors import BadInputError

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
