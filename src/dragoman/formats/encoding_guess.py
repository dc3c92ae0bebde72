"""The encoding of a text that does not state it, as old subtitles do not: told from its bytes.

UTF-16 has zeros, UTF-8 is hardly ever met by chance, and the double bytes of East Asia come in even runs. What is left
is Cyrillic if most letters are beyond ASCII, otherwise Western.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass

from dragoman.errors import BadInputError
from dragoman.formats.contents import MARKS, NOTHING, Contents, decode

SAMPLE = 200_000  # bytes that are looked at
_HIGH = re.compile(rb"[\x80-\xff]+")
_PAIRS = re.compile(rb"(?:[\xa1-\xfe][\xa1-\xfe])+")


@dataclass(frozen=True)
class GuessedContents(Contents):
    """Text in a guessed encoding; a text that does not fit into it is written in UTF-8."""

    def encode(self, text: str, *, errors: str = "strict") -> bytes:
        """The bytes of another text in the same encoding, or in UTF-8 with its mark."""
        try:
            return text.encode(self.encoding, errors)
        except UnicodeEncodeError:
            return b"\xef\xbb\xbf" + text.encode()

    def encode_all(self, texts: Iterable[str], *, errors: str = "strict") -> bytes:
        """The bytes of a text that comes in parts; all of them are in one encoding."""
        return self.encode("".join(texts), errors=errors)


def decode_guessing(data: bytes, name: str) -> Contents:
    """The text of a file in UTF-8 or in the encoding that its bytes look like."""
    if any(data.startswith(mark) for mark in MARKS):
        return decode(data, name, hint=NOTHING)
    wide = _is_wide(data[:SAMPLE])
    if wide is None:
        try:
            return decode(data, name, hint=NOTHING)
        except BadInputError:
            if not _HIGH.search(data):
                raise
    for encoding in (wide,) if wide else (_narrow(data[:SAMPLE]), "cp1252", "iso8859-1"):
        try:
            text = data.decode(encoding)
        except UnicodeDecodeError:
            continue
        if text.encode(encoding) == data:
            return GuessedContents(name, text, encoding, b"")
    return decode(data, name, hint=NOTHING)


def _is_wide(data: bytes) -> str | None:
    """UTF-16, if every second byte is mostly zero."""
    even, odd = data[::2], data[1::2]
    if len(data) < 20 or b"\0" not in data:
        return None
    if odd.count(0) > 0.3 * len(odd) > 10 * even.count(0):
        return "utf-16-le"
    return "utf-16-be" if even.count(0) > 0.3 * len(even) > 10 * odd.count(0) else None


def _narrow(data: bytes) -> str:
    """The encoding that runs of bytes beyond ASCII look like."""
    runs = _HIGH.findall(data)
    high = sum(map(len, runs))
    if all(len(run) % 2 == 0 and _PAIRS.fullmatch(run) for run in runs[:-1]):
        leads = b"".join(run[::2] for run in runs)
        if sum(leads.count(each) for each in (0xA4, 0xA5)) > 0.2 * len(leads):
            return "euc_jp"
        korean = sum(0xB0 <= each <= 0xC8 for each in leads)
        return "cp949" if korean > 0.98 * len(leads) > 40 else "gb18030"
    letters = sum(bytes([each]).isalpha() for each in data)
    return "cp1251" if high > letters else "cp1252"
