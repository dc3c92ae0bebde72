"""Entries of Fluent that are read by a pattern are read as fluent.syntax reads them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
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


def test_a_choice_after_a_changed_line_stays_indented() -> None:
    data = (
        b"studied =\n    Studied { cards }\n    { $unit ->\n        [one] a minute\n       *[other] minutes\n    }\n"
        b"both =\n    { $n ->\n       *[other] { $n } cards\n    } learned in\n    { $m ->\n       *[other] time\n"
        b"    }\n"
    )
    document = FluentDocument.read(data, "a.ftl")
    names = {segment.source: segment.id for segment in document.segments}
    filled = document.fill({names["Studied { cards }"]: "Estudiado { cards }", names["learned in"]: "aprendido en"})
    expected = data.replace(b"Studied", b"Estudiado").replace(b"learned in", b"aprendido en")
    assert filled == expected


def test_a_target_may_begin_with_a_bracket_where_the_source_does() -> None:
    document = FluentDocument.read(b"none = [no deck]\nother = Deck\n", "a.ftl")
    assert document.fill({"none": "[ningún mazo]"}) == "none = [ningún mazo]\nother = Deck\n".encode()
    with pytest.raises(BadInputError, match="take for something else"):
        document.fill({"none": "[ningún]\n[mazo]"})
