r"""Segments from text files: one per line, UTF-8, plain or compressed with gzip (a name ending in ``.gz``).

A line ends at ``\n`` and nowhere else, since other separators (U+2028, form feed, NEL…) may be part of the text. So
``\r`` before ``\n`` is the last character of its segment, and writing the segments back with ``\n`` gives the bytes
that were read. The one exception is a byte order mark at the very start of a file, which some editors put there to mark
UTF-8: it is not part of the first segment and is dropped. Anywhere else it is a character like any other. In `pairs`,
which are learned and never written back, ``\r\n`` ends a line just as ``\n`` does.
"""

from __future__ import annotations

import gzip
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from io import BufferedIOBase
from itertools import zip_longest
from pathlib import Path

from dragoman.errors import BadInputError


def lines(path: Path) -> Iterator[str]:
    """The segments of a file, in order; a file that cannot be read or is not UTF-8 raises `BadInputError`."""
    offset = 0
    with _opened(path) as file:
        for number, raw in enumerate(file, start=1):
            try:
                line = raw.decode()
            except UnicodeDecodeError as error:
                raise _not_utf8(path, number, raw, offset, error) from None
            offset += len(raw)
            if number == 1:
                line = line.removeprefix("\ufeff")
            yield line.removesuffix("\n")


def pairs(source: Path, target: Path) -> Iterator[tuple[str, str]]:
    """The segments of two files, line by line; if one file is longer, an error is raised at the end of the other."""
    rest_of_source, rest_of_target = lines(source), lines(target)
    for done, (left, right) in enumerate(zip_longest(rest_of_source, rest_of_target)):
        if left is None or right is None:
            in_source = done + (left is not None) + sum(1 for _ in rest_of_source)
            in_target = done + (right is not None) + sum(1 for _ in rest_of_target)
            raise BadInputError(
                f"{source} has {in_source} lines, {target} has {in_target}",
                remedy="line n of one file must be the translation of line n of the other",
            )
        yield left.removesuffix("\r"), right.removesuffix("\r")


@contextmanager
def _opened(path: Path) -> Iterator[BufferedIOBase]:
    """The bytes of a file, uncompressed; problems opening or reading it raise `BadInputError`."""
    try:
        with gzip.open(path) if path.suffix == ".gz" else path.open("rb") as file:
            yield file
    except (gzip.BadGzipFile, EOFError, zlib.error) as error:
        raise BadInputError(
            f"damaged or incomplete gzip file ({str(error).rstrip('.')})",
            where=path,
            remedy="download or compress it again; check it with gzip -t",
        ) from error
    except OSError as error:
        raise BadInputError(f"cannot be read ({error.strerror or error})", where=path) from error


def _not_utf8(path: Path, number: int, raw: bytes, offset: int, error: UnicodeDecodeError) -> BadInputError:
    if offset == 0 and raw.startswith(b"\x1f\x8b"):
        remedy = "it looks like a gzip file: give it a name that ends in .gz"
    elif offset == 0 and raw.startswith((b"\xff\xfe", b"\xfe\xff")):
        remedy = "it looks like UTF-16: convert it with iconv -f UTF-16 -t UTF-8"
    else:
        remedy = "convert the file, for example with iconv -f WINDOWS-1252 -t UTF-8"
    inside = " when uncompressed" if path.suffix == ".gz" else ""
    return BadInputError(
        f"line {number} is not UTF-8 (byte 0x{raw[error.start]:02X} at byte offset {offset + error.start}{inside})",
        where=path,
        remedy=remedy,
    )
