"""Compiled gettext catalogues (.mo): pairs to learn from. Only read: they are made from the PO file."""

from __future__ import annotations

import re
import struct
from collections.abc import Iterator, Mapping
from typing import Self

from dragoman.errors import BadInputError
from dragoman.formats.contents import NOTHING, decode
from dragoman.formats.document import Document, DocumentSegment, Names, NewTarget, State
from dragoman.formats.document_segments import CompactSegments
from dragoman.formats.inline import Inline

_MAGIC = 0x950412DE
_CHARSET = re.compile(rb"^content-type:.*?charset=([\w.-]+)", re.IGNORECASE | re.MULTILINE)
_LANGUAGE = re.compile(r"^language:\s*([A-Za-z][\w@-]*)", re.IGNORECASE | re.MULTILINE)


class MoDocument(Document):
    """A catalogue; each plural form that it has is a segment."""

    @classmethod
    def read(cls, data: bytes, name: str, source: str | None = None, target: str | None = None) -> Self:
        """Read a file; the language in its header, if there is one, is that of the targets."""
        rows = list(_rows(data, name))
        header = next((translated for original, translated in rows if not original), b"")
        stated = _CHARSET.search(header)
        charset = stated[1].decode() if stated else "utf-8"
        contents = decode(b"", name, hint=NOTHING)
        try:
            texts = [
                (original.decode(charset), translated.decode(charset)) for original, translated in rows if original
            ]
            language = _LANGUAGE.search(header.decode(charset))
        except (LookupError, UnicodeDecodeError):
            raise BadInputError(f"is not in {charset}, as its header says", where=name) from None
        segments = CompactSegments(_segments(texts))
        return cls(
            "mo", source, (language[1].replace("_", "-") if language else None) or target, segments, data, contents
        )

    def _find_fault(self, _segment: DocumentSegment, _target: str) -> tuple[str, str]:
        return "cannot be written: this format is compiled", "fill the PO file instead, and compile it with msgfmt"

    def _write(self, _changes: Mapping[str, NewTarget]) -> bytes:
        raise BadInputError("cannot be written", where=self.contents.name, remedy="fill the PO file instead")


def _segments(texts: list[tuple[str, str]]) -> Iterator[DocumentSegment]:
    names = Names()
    for original, translated in texts:
        context, _, rest = original.rpartition("\x04")
        sources, targets = rest.split("\0"), translated.split("\0")
        for number, target in enumerate(targets):
            text = sources[0] if number == 0 else sources[-1]
            name = names.unique(f"{text}/{number}" if len(targets) > 1 else text)
            state: State = "confirmed" if target else "new"
            yield DocumentSegment(name, text, target, state, Inline([text]), context)


def _rows(data: bytes, name: str) -> Iterator[tuple[bytes, bytes]]:
    """Originals and translations; every offset is checked before it is followed."""
    order = {struct.pack("<I", _MAGIC): "<", struct.pack(">I", _MAGIC): ">"}.get(data[:4])
    try:
        if order is None:
            raise ValueError
        _, count, originals, translations = struct.unpack_from(f"{order}4I", data, 4)
        if count * 16 > len(data):
            raise ValueError
        for number in range(count):
            pair = (struct.unpack_from(f"{order}2I", data, table + 8 * number) for table in (originals, translations))
            (a, at), (b, to) = pair
            if max(a + at, b + to) > len(data):
                raise ValueError
            yield data[at : at + a], data[to : to + b]
    except (struct.error, ValueError):
        raise BadInputError(
            "is not a compiled catalogue, or is damaged", where=name, remedy="use the PO file"
        ) from None
