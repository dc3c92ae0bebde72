"""Reading segments: what is a line, what is refused, and how the refusal reads."""

from __future__ import annotations

import gzip
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from dragoman.errors import BadInputError
from dragoman.text.text_files import lines, pairs


def written(directory: Path, content: bytes, name: str = "text.txt") -> Path:
    path = directory / name
    path.write_bytes(gzip.compress(content) if name.endswith(".gz") else content)
    return path


@pytest.mark.parametrize("name", ["text.txt", "text.gz", "no suffix"])
@pytest.mark.parametrize(
    ("content", "segments"),
    [
        (b"", []),
        (b"\n", [""]),
        (b"one", ["one"]),
        (b"one\ntwo\n", ["one", "two"]),
        (b"one\ntwo", ["one", "two"]),
        (b"\n\none\n\n", ["", "", "one", ""]),
        ("español\n日本語\n".encode(), ["español", "日本語"]),
    ],
)
def test_one_segment_a_line(tmp_path: Path, name: str, content: bytes, segments: list[str]) -> None:
    assert list(lines(written(tmp_path, content, name))) == segments


def test_carriage_return_stays_in_the_segment(tmp_path: Path) -> None:
    assert list(lines(written(tmp_path, b"one\r\ntwo\rthree\r\n"))) == ["one\r", "two\rthree\r"]


def test_pairs_of_windows_files_are_those_of_others(tmp_path: Path) -> None:
    windows = written(tmp_path, b"one\r\ntw\ro\r\n\r\n", "w.en"), written(tmp_path, b"uno\r\ndos\r\nnada", "w.es")
    assert list(pairs(*windows)) == [("one", "uno"), ("tw\ro", "dos"), ("", "nada")]


@pytest.mark.parametrize("character", ["\x0b", "\x0c", "\x1c", "\x1d", "\x1e", "\x85", "\u2028", "\u2029"])
def test_only_the_newline_ends_a_line(tmp_path: Path, character: str) -> None:
    assert list(lines(written(tmp_path, f"a{character}b\nc".encode()))) == [f"a{character}b", "c"]


def test_byte_order_mark_is_dropped_at_the_start_of_the_file_only(tmp_path: Path) -> None:
    content = "\ufeffone\n\ufefftwo\nth\ufeffree".encode()
    assert list(lines(written(tmp_path, content))) == ["one", "\ufefftwo", "th\ufeffree"]


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.lists(st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\n\ufeff"))))
def test_what_is_written_is_read(tmp_path: Path, segments: list[str]) -> None:
    content = "".join(segment + "\n" for segment in segments).encode()
    assert list(lines(written(tmp_path, content))) == segments


@pytest.mark.parametrize(
    ("content", "line", "offset"),
    [
        (b"\xff", 1, 0),
        (b"caf\xe9\n", 1, 3),
        ("á\nbé\n".encode() + b"xy\xfez\n", 3, 9),
        (b"one\ntwo \xe2\x82", 2, 8),  # a character cut short
        (b"ok\n\xed\xa0\x80\n", 2, 3),  # half a surrogate pair
        (b"\xc0\x80", 1, 0),  # not the shortest form
    ],
)
def test_invalid_utf8_is_refused_with_file_line_and_offset(
    tmp_path: Path, content: bytes, line: int, offset: int
) -> None:
    path = written(tmp_path, content)
    with pytest.raises(BadInputError, match=rf"line {line} is not UTF-8 .*byte offset {offset}\)") as caught:
        list(lines(path))
    assert str(caught.value).startswith(f"{path}: ")
    assert "iconv" in str(caught.value)


def test_segments_before_the_invalid_line_are_read(tmp_path: Path) -> None:
    segments = lines(written(tmp_path, b"one\ntwo\n\xff\n"))
    assert [next(segments), next(segments)] == ["one", "two"]
    with pytest.raises(BadInputError, match="line 3"):
        next(segments)


def test_offset_in_a_packed_file_counts_unpacked_bytes(tmp_path: Path) -> None:
    with pytest.raises(BadInputError, match=r"line 2 .*offset 1003 when uncompressed"):
        list(lines(written(tmp_path, b"a" * 1000 + b"\nbb\xff\n", "text.gz")))


@pytest.mark.parametrize(
    ("content", "remedy"),
    [(gzip.compress(b"one\n", mtime=0), r"ends in \.gz"), ("one\n".encode("utf-16"), "UTF-16")],
)
def test_remedy_fits_what_the_file_looks_like(tmp_path: Path, content: bytes, remedy: str) -> None:
    with pytest.raises(BadInputError, match=remedy):
        list(lines(written(tmp_path, content)))


@pytest.mark.parametrize("name", ["missing.txt", "missing.gz"])
def test_missing_file_is_one_clear_line(tmp_path: Path, name: str) -> None:
    path = tmp_path / name
    with pytest.raises(BadInputError) as caught:
        list(lines(path))
    assert str(caught.value) == f"{path}: cannot be read (No such file or directory)"


@pytest.mark.parametrize("name", ["folder", "folder.gz"])
def test_directory_is_one_clear_line(tmp_path: Path, name: str) -> None:
    (tmp_path / name).mkdir()
    with pytest.raises(BadInputError, match=r"folder.*: cannot be read \(Is a directory\)$"):
        list(lines(tmp_path / name))


def packed_and_spoiled(position: int) -> bytes:
    packed = bytearray(gzip.compress(b"one\ntwo\nthree\n"))
    packed[position] ^= 0xFF
    return bytes(packed)


@pytest.mark.parametrize(
    "content",
    [
        pytest.param(b"one\n", id="never packed"),
        pytest.param(gzip.compress(b"one\n" * 9)[:-3], id="cut short"),
        pytest.param(packed_and_spoiled(10), id="spoiled data"),
        pytest.param(packed_and_spoiled(-8), id="wrong checksum"),
    ],
)
def test_broken_gzip_is_one_clear_line(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "text.gz"
    path.write_bytes(content)
    with pytest.raises(BadInputError, match="damaged or incomplete gzip file") as caught:
        list(lines(path))
    assert str(path) in str(caught.value)
    assert "\n" not in str(caught.value)


def test_pairs_go_line_by_line(tmp_path: Path) -> None:
    source = written(tmp_path, b"one\ntwo\n", "a.en")
    target = written(tmp_path, b"uno\ndos\n", "a.es.gz")
    assert list(pairs(source, target)) == [("one", "uno"), ("two", "dos")]


def test_empty_segments_make_pairs(tmp_path: Path) -> None:
    assert list(pairs(written(tmp_path, b"\n\n", "a"), written(tmp_path, b"\nx\n", "b"))) == [("", ""), ("", "x")]


@pytest.mark.parametrize(("left", "right"), [(2, 3), (3, 2), (0, 5), (7, 0)])
def test_pairs_of_different_lengths_name_both_files_and_counts(tmp_path: Path, left: int, right: int) -> None:
    source, target = written(tmp_path, b"x\n" * left, "a.en"), written(tmp_path, b"y\n" * right, "a.es")
    with pytest.raises(BadInputError) as caught:
        list(pairs(source, target))
    assert f"{source} has {left} lines, {target} has {right};" in str(caught.value)
