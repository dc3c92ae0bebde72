"""CSV with named columns: one for the source and one for the target, others for keys and notes.

The first row names them: `source` and `target`, or the languages (`en`, `es-MX`); where nobody says which languages
are wanted, the first two count. A first column without a name holds keys. Cells are separated by commas, semicolons or
tabs, whichever the first row has most of.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from functools import cached_property
from typing import NamedTuple

from dragoman.errors import BadInputError
from dragoman.formats.codes import read_codes
from dragoman.formats.division import Chunk, Parts
from dragoman.formats.inline import Inline
from dragoman.formats.piece_document import Piece, PieceDocument, Replacement
from dragoman.languages import is_language, primary, same_language

KEYS = ("key", "keys", "id", "identifier", "name", "string id", "term id")
NOTES = ("note", "notes", "comment", "comments", "description", "context")
_CODE = re.compile(r"[A-Za-z]{2,3}(?:[-_][A-Za-z0-9]{2,8})*")


class Cell(NamedTuple):
    """A cell: its text and its position, quotation marks included."""

    text: str
    start: int
    end: int
    quoted: bool


def _one(parts: Parts) -> list[Chunk]:
    return [Chunk(parts, True)]


class CsvDocument(PieceDocument):
    """Rows with a source and a target."""

    kind = "csv"
    tags_are_text = True

    @cached_property
    def _separator(self) -> str:
        line = self.contents.text.partition("\n")[0]
        return max(",;\t", key=line.count)

    def _find_pieces(self) -> Iterable[Piece]:
        rows = read_rows(self.contents.text, self._separator, self.contents.name)
        header = next(rows, [])
        names = [cell.text.strip().lower() for cell in header]
        source = self._column(names, "source", self.source_language, 0)
        target = self._column(names, "target", self.target_language, 1)
        key = next((names.index(name) for name in KEYS if name in names), None if names[0] else 0)
        note = next((names.index(name) for name in NOTES if name in names), None)
        for number, row in enumerate(rows, start=2):
            if len(row) <= source or not row[source].text.strip():
                continue
            if len(row) <= target:
                what = f"row {number} has {len(row)} cells and none for the target"
                raise BadInputError(what, where=self.contents.name, remedy="give each row as many cells as the first")
            cell = row[target]
            name = row[key].text if key is not None and len(row) > key and row[key].text else str(number)
            said = row[note].text if note is not None and len(row) > note else ""
            inline = read_codes(row[source].text)
            state = "confirmed" if cell.text else "new"
            yield Piece(name, inline, cell.start, cell.end, name, said, None, _one, cell.text, state, cell.quoted)  # type: ignore[arg-type]

    def _column(self, names: list[str], role: str, language: str | None, place: int) -> int:
        """The column of a role: the one with its name, or its language, or the first or second with any language."""
        if role in names:
            return names.index(role)
        codes = [name.removeprefix(f"{role}_").removeprefix(f"{role} ").replace("_", "-") for name in names]
        if language is None:
            known = [number for number, code in enumerate(codes) if code not in KEYS and _is_known(code)]
            if len(known) > 1:
                return known[place]
        for number, code in enumerate(codes):
            if language and _CODE.fullmatch(code) and same_language(code, language):
                return number
        what = f"the first row names no column {role!r}" + (f" or {language!r}" if language else "")
        raise BadInputError(what, where=self.contents.name, remedy="name the columns in the first row")

    def _render(self, piece: Piece, parts: Parts, _: list[Replacement]) -> str:
        return write_cell(Inline(parts).text, self._separator, quoted=piece.style)


def _is_known(code: str) -> bool:
    return bool(_CODE.fullmatch(code)) and len(primary(code)) == 2 and is_language(primary(code))


def read_rows(text: str, separator: str, name: str) -> Iterator[list[Cell]]:
    """The rows of a file; blank lines are none."""
    cell = re.compile(rf'"(?:[^"]|"")*+"|[^"\r\n{re.escape(separator)}][^\r\n{re.escape(separator)}]*+|')
    at, row = 0, list[Cell]()
    while at <= len(text):
        found = cell.match(text, at)
        end = found.end() if found else at
        after = text[end : end + 1]
        if found is None or after not in ("", separator, "\r", "\n"):
            what = f"line {text.count(chr(10), 0, at) + 1} has a quotation mark in the wrong place"
            raise BadInputError(what, where=name, remedy="write it twice, inside quotation marks")
        quoted = found[0].startswith('"')
        row.append(Cell(found[0][1:-1].replace('""', '"') if quoted else found[0], at, end, quoted))
        at = end + 1
        if after == separator:
            continue
        if len(row) > 1 or row[0].end > row[0].start:
            yield row
        row = []
        if after == "\r" and text[at : at + 1] == "\n":
            at += 1


def write_cell(text: str, separator: str, *, quoted: bool) -> str:
    """A cell, in quotation marks if it was, or needs them.

    >>> write_cell("one, two", ",", quoted=False)
    '"one, two"'
    """
    if quoted or re.search(rf'["\r\n{re.escape(separator)}]', text):
        return '"' + text.replace('"', '""') + '"'
    return text
