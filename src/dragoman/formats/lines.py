r"""Documents without markup: tab-separated pairs, and text with one segment per line.

In both, a backslash is just a backslash: real files are full of paths and of `\n` as programmers write it, so nothing
is escaped. What a line cannot hold, such as a tab in a TSV file, is refused or left out, never changed.

>>> read = TsvDocument.read(write_tsv([("1", r"C:\temp", r"C:\temp")]), "paths.tsv")
>>> print(read.segments[0].source)
C:\temp
"""

from __future__ import annotations

import codecs
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Self

from dragoman.formats.contents import NOTHING, PACKED, UNMARKED, Contents, decode
from dragoman.formats.document import CompactSegments, Document, DocumentSegment, NewTarget

NOT_IN_LINES = {"\n": "a line break", "\r": "a carriage return"}
NOT_IN_CELLS = NOT_IN_LINES | {"\t": "a tab"}


@dataclass(frozen=True)
class TsvDocument(Document):
    """Source, tab and target on each line; the tab is optional where there is no target yet.

    Further columns, such as an id or a comment, stay as they are.
    """

    @classmethod
    def read(cls, data: bytes, name: str, source: str | None = None, target: str | None = None) -> Self:
        """Read pairs; the file does not say which languages they are in."""
        contents = decode(data, name, hint=NOTHING)
        segments = CompactSegments()
        for number, (line, _) in enumerate(_lines(contents), start=1):
            fields = line.split("\t")
            if fields[0]:
                text = fields[1] if len(fields) > 1 else ""
                segments.append(DocumentSegment(str(number), fields[0], text, "confirmed" if text else "new"))
        return cls("tsv", source, target, segments, data, contents)

    def _find_fault(self, _: DocumentSegment, target: str) -> tuple[str, str] | None:
        return _find_forbidden(target, NOT_IN_CELLS)

    def _write(self, changes: Mapping[str, NewTarget]) -> bytes:
        def parts() -> Iterator[str]:
            for number, (line, end) in enumerate(_lines(self.contents), start=1):
                change = changes.get(str(number))
                if change:
                    source, *others = line.split("\t")
                    line = "\t".join([source, change.target, *others[1:]])
                yield line + end

        return self.contents.encode_all(parts())

    def _each_target(self, data: bytes, visit: Callable[[str, str], None]) -> None:
        for number, (line, _) in enumerate(_lines(decode(data, self.contents.name, hint=NOTHING)), start=1):
            fields = line.split("\t")
            visit(str(number), fields[1] if fields[0] and len(fields) > 1 else "")


@dataclass(frozen=True)
class TextDocument(Document):
    """Each line is a segment, and is replaced by its target when the file is written."""

    @classmethod
    def read(cls, data: bytes, name: str, source: str | None = None, target: str | None = None) -> Self:
        """Read lines; blank ones are not segments."""
        contents = decode(data, name, hint=NOTHING)
        lines = enumerate(_lines(contents), start=1)
        segments = CompactSegments(
            DocumentSegment(str(number), line, "", "new") for number, (line, _) in lines if line.strip()
        )
        return cls("text", source, target, segments, data, contents)

    def _find_fault(self, _: DocumentSegment, target: str) -> tuple[str, str] | None:
        return _find_forbidden(target, NOT_IN_LINES)

    def _write(self, changes: Mapping[str, NewTarget]) -> bytes:
        def parts() -> Iterator[str]:
            for number, (line, end) in enumerate(_lines(self.contents), start=1):
                change = changes.get(str(number))
                yield (change.target if change else line) + end

        return self.contents.encode_all(parts())

    def _verify(self, data: bytes, changes: Mapping[str, NewTarget]) -> None:
        """Nothing to compare: the file that was written holds only targets."""


def write_tsv(pairs: Iterable[tuple[str, str, str]], left_out: list[str] | None = None) -> bytes:
    """Tab-separated pairs from (id, source, target); the ids are not written.

    Pairs that a line cannot hold are left out, and the reasons added to `left_out`.
    """
    lines = []
    for name, source, target in pairs:
        fault = tsv_fault(source, target)
        if not fault:
            lines.append(f"{source}\t{target}\n")
        elif left_out is not None:
            left_out.append(f"correction {name} {fault}")
    data = "".join(lines).encode()
    # A text may begin with what a reader would take for a byte order mark or an archive; a real mark prevents that.
    return codecs.BOM_UTF8 + data if data.startswith((codecs.BOM_UTF8, *PACKED, *UNMARKED)) else data


def tsv_fault(source: str, target: str) -> str | None:
    r"""Why a TSV file cannot hold this pair.

    >>> tsv_fault("two\nlines", "dos líneas")
    'contains a line break, which such a file cannot hold'
    """
    found = _find_forbidden(source + target, NOT_IN_CELLS)
    return found[0] if found else None


def _lines(contents: Contents) -> Iterable[tuple[str, str]]:
    """Lines and their endings: a line feed, with or without a carriage return before it, and nothing else."""
    text, at = contents.text, 0
    while (end := text.find("\n", at)) >= 0:
        bare = text[at:end].removesuffix("\r")
        yield bare, text[at + len(bare) : end + 1]
        at = end + 1
    if at < len(text):
        yield text[at:], ""


def _find_forbidden(text: str, characters: dict[str, str]) -> tuple[str, str] | None:
    for character, called in characters.items():
        if character in text:
            return f"contains {called}, which such a file cannot hold", "remove it, or use TMX or XLIFF"
    return None
