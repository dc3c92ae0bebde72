"""Documents without markup: tab-separated pairs, and text with one segment a line."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Self

from dragoman.errors import BadInputError
from dragoman.formats.contents import NOTHING, Contents, decode
from dragoman.formats.document import Change, Document, DocumentSegment

NOT_IN_LINES = {"\n": "the end of a line", "\r": "a carriage return"}
NOT_IN_CELLS = NOT_IN_LINES | {"\t": "a tab"}


@dataclass(frozen=True)
class TsvDocument(Document):
    """Source and target in each line, with a tab between them; what has no target yet may have no tab."""

    @classmethod
    def read(cls, data: bytes, name: str, source: str | None = None, target: str | None = None) -> Self:
        """Read pairs; which languages they are in, the file does not say."""
        contents = decode(data, name, hint=NOTHING)
        segments = []
        for number, (line, _) in enumerate(_lines(contents), start=1):
            fields = line.split("\t")
            if len(fields) > 2:
                what = f"line {number} has {len(fields)} fields"
                raise BadInputError(what, where=name, remedy="put one tab between source and target")
            if fields[0]:
                text = fields[1] if len(fields) == 2 else ""
                segments.append(DocumentSegment(str(number), fields[0], text, "confirmed" if text else "new"))
        return cls("tsv", source, target, segments, data, contents)

    def _find_fault(self, _: DocumentSegment, target: str) -> tuple[str, str] | None:
        return _find_forbidden(target, NOT_IN_CELLS)

    def _write(self, changes: Mapping[str, Change]) -> bytes:
        parts = []
        for number, (line, end) in enumerate(_lines(self.contents), start=1):
            change = changes.get(str(number))
            if change:
                line = f"{line.split(chr(9))[0]}\t{change.target}"
            parts += [line, end]
        return self.contents.encode("".join(parts))


@dataclass(frozen=True)
class TextDocument(Document):
    """A segment is a line, and in what is written its target stands in its place."""

    @classmethod
    def read(cls, data: bytes, name: str, source: str | None = None, target: str | None = None) -> Self:
        """Read lines; those without anything to be seen are no segments."""
        contents = decode(data, name, hint=NOTHING)
        lines = enumerate(_lines(contents), start=1)
        segments = [DocumentSegment(str(number), line, "", "new") for number, (line, _) in lines if line.strip()]
        return cls("text", source, target, segments, data, contents)

    def _find_fault(self, _: DocumentSegment, target: str) -> tuple[str, str] | None:
        return _find_forbidden(target, NOT_IN_LINES)

    def _write(self, changes: Mapping[str, Change]) -> bytes:
        parts = []
        for number, (line, end) in enumerate(_lines(self.contents), start=1):
            change = changes.get(str(number))
            parts += [change.target if change else line, end]
        return self.contents.encode("".join(parts))

    def _verify(self, data: bytes, changes: Mapping[str, Change]) -> None:
        """What is written has only targets: there is nothing to compare."""


def write_tsv(pairs: Iterable[tuple[str, str, str]], left_out: list[str] | None = None) -> bytes:
    """Ids, sources and targets as tab-separated pairs, without the ids.

    Pairs that a line cannot hold are left out, and `left_out` is told which and why.
    """
    lines = []
    for name, *texts in pairs:
        found = _find_forbidden("".join(texts), NOT_IN_CELLS)
        if not found:
            lines.append("\t".join(texts) + "\n")
        elif left_out is not None:
            left_out.append(f"correction {name} {found[0]}")
    return "".join(lines).encode()


def _lines(contents: Contents) -> Iterable[tuple[str, str]]:
    """Lines and their ends; a line ends at a line feed, with or without a carriage return, and nowhere else."""
    for line in contents.text.split("\n")[:-1]:
        bare = line.removesuffix("\r")
        yield bare, line[len(bare) :] + "\n"
    rest = contents.text[contents.text.rfind("\n") + 1 :]
    if rest:
        yield rest, ""


def _find_forbidden(text: str, characters: dict[str, str]) -> tuple[str, str] | None:
    for character, called in characters.items():
        if character in text:
            return f"has {called} in it, which such a file cannot hold", "take it out, or use TMX or XLIFF"
    return None
