"""Entries of Fluent that are read by a pattern are read as fluent.syntax reads them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from dragoman.errors import BadInputError
from dragoman.formats.fluent import FluentDocument
from dragoman.formats.piece_document import Piece

LINES = [
    "",
    "  ",
    "# A note",
    "#",
    "## A group",
    "#bad",
    "key = Value",
    "key = Value ",
    "other = { $name } and { -brand } of { other.title }",
    'quoted = { "" }x{"{"}',
    "-brand = Firefox",
    "empty =",
    "block =",
    "    .title = { $a }",
    "    .label=Text. More",
    "    goes on",
    "    { $n ->",
    "        [one] One",
    "       *[other] Many",
    "    }",
    "}",
    "count = { $n ->",
    "call = { NUMBER($n) }",
    "odd = a } b",
    "tab =\tx",
    "ünknown = x",
]


class ReadWhole(FluentDocument):
    """What fluent.syntax makes of the whole file."""

    def _entries(self, _: Any) -> Iterator[Piece]:
        raise ValueError("not tried")


def read(kind: type[FluentDocument], data: bytes) -> object:
    try:
        pieces = kind.read(data, "a.ftl").pieces
    except BadInputError as error:
        return str(error)
    return [(one.id, one.inline.parts, one.start, one.end, one.note, one.style) for one in pieces]


@given(st.lists(st.sampled_from(LINES), max_size=12), st.booleans())
def test_entries_are_read_as_fluent_syntax_reads_the_whole_file(lines: list[str], ends: bool) -> None:
    data = ("\n".join(lines) + "\n" * ends).encode()
    assert read(FluentDocument, data) == read(ReadWhole, data)
