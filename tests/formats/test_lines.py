"""TSV and text: lines, their ends, and what they cannot hold."""

from __future__ import annotations

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from dragoman.errors import BadInputError
from dragoman.formats import read_document, write_document
from dragoman.formats.lines import write_tsv

CELL = st.text(st.characters(exclude_characters="\t\r\n", codec="utf-8"))


def test_pairs() -> None:
    document = read_document(b"a\tb\r\nc\r\n\r\nd\t\n\te\n", "w.tsv")
    assert [(one.id, one.source, one.target, one.state) for one in document.segments] == [
        ("1", "a", "b", "confirmed"),
        ("2", "c", "", "new"),
        ("4", "d", "", "new"),
    ]
    assert write_document(document, {"2": "x", "4": "y"}) == b"a\tb\r\nc\tx\r\n\r\nd\ty\n\te\n"


def test_lines_of_text_are_replaced() -> None:
    document = read_document(b"one\n\n  two\x0bhalf  \nlast", "t.txt")
    assert [one.source for one in document.segments] == ["one", "  two\x0bhalf  ", "last"]
    assert write_document(document, {"3": "dos", "4": "fin"}) == b"one\n\ndos\nfin"


@pytest.mark.parametrize(
    ("name", "target", "said"),
    [("w.tsv", "a\tb", "a tab"), ("w.tsv", "a\nb", "a line break"), ("t.txt", "a\r", "a carriage return")],
)
def test_what_a_line_cannot_hold(name: str, target: str, said: str) -> None:
    with pytest.raises(BadInputError, match=f"segment '1' contains {said}"):
        write_document(read_document(b"x\n", name), {"1": target})


def test_bad_pairs() -> None:
    with pytest.raises(BadInputError, match="line 2 is not utf-8"):
        read_document(b"a\n\xe9\n", "t.txt")


def test_further_columns_stay_as_they_are() -> None:
    document = read_document(b"lid\t\tpart 7\tnote\ntray\tbandeja\tpart 8\n", "w.tsv")
    assert [(one.source, one.target) for one in document.segments] == [("lid", ""), ("tray", "bandeja")]
    assert write_document(document, {"1": "tapa"}) == b"lid\ttapa\tpart 7\tnote\ntray\tbandeja\tpart 8\n"


def test_writing_pairs() -> None:
    assert write_tsv([("1", "a", "b"), ("2", "c", "é")]) == "a\tb\nc\té\n".encode()


@given(st.lists(st.tuples(CELL.filter(bool), CELL), min_size=1))
@example([("C:\\temp\\new", "\\\\server\\")])
@example([("\ufeffa", "b"), ("\ufeff", "")])
@example([("PK\x03\x04", "a"), ("<\0?\0", "b")])
@example([("<\0?\0", "a")])
def test_pairs_that_were_written_are_read_back_as_they_were(pairs: list[tuple[str, str]]) -> None:
    document = read_document(write_tsv((str(n), *pair) for n, pair in enumerate(pairs)), "w.tsv")
    assert [(one.source, one.target) for one in document.segments] == pairs


def test_a_pair_that_no_line_can_hold_is_left_out_of_many() -> None:
    left_out: list[str] = []
    pairs = [("1", "a", "b"), ("2", "c", "d\n"), ("3", "e\tf", "g"), ("4", "\a", "h")]
    assert write_tsv(pairs, left_out) == b"a\tb\n\a\th\n"
    assert left_out == [
        "correction 2 contains a line break, which such a file cannot hold",
        "correction 3 contains a tab, which such a file cannot hold",
    ]
