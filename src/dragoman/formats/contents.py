"""The bytes of a document as text, and back: encoding, byte order mark and line endings are preserved."""

from __future__ import annotations

import codecs
import re
from collections.abc import Iterable
from dataclasses import dataclass, replace
from functools import cached_property
from io import BytesIO

from dragoman.errors import BadInputError

LARGEST = 100 << 20  # bytes: what can be held in memory a few times over
PACKED = (b"PK\x03\x04", b"PK\x05\x06", b"\x1f\x8b", b"BZh", b"\xfd7zXZ\x00")
MARKS = {
    codecs.BOM_UTF8: "utf-8",
    codecs.BOM_UTF32_LE: "utf-32-le",  # before UTF-16, whose mark it begins with
    codecs.BOM_UTF32_BE: "utf-32-be",
    codecs.BOM_UTF16_LE: "utf-16-le",
    codecs.BOM_UTF16_BE: "utf-16-be",
}
UNMARKED = {b"<\0?\0": "utf-16-le", b"\0<\0?": "utf-16-be"}
DECLARED = re.compile(rb"""\A\s*<\?xml[^>]{0,200}?\sencoding\s*=\s*["']([A-Za-z][\w.-]{0,40})["']""")
CHARSET = re.compile(rb"^(?!#)[^\n]{0,2000}?Content-Type:[^\n]{0,200}?charset=([A-Za-z][\w.-]{0,40})", re.MULTILINE)
NOTHING = re.compile(rb"(?!)")
# Encodings of files; Python's others are notations (unicode_escape, idna), or change state on the way (utf-7).
USUAL = re.compile(r"ascii|utf-(8|16|32)(-[lb]e)?|iso8859-\d+|cp\d+|koi8-[rut]|shift_jis\w*|euc_\w+|gb\w+|big5\w*")


@dataclass(frozen=True)
class Contents:
    """A document's text, and how to turn it back into bytes."""

    name: str  # of the document, for messages
    text: str
    encoding: str
    mark: bytes  # byte order mark

    @cached_property
    def newline(self) -> str:
        """The line ending of the file: that of its first line."""
        end = self.text.find("\n")
        return "\r\n" if end > 0 and self.text[end - 1] == "\r" else "\n"

    def encode(self, text: str, *, errors: str = "strict") -> bytes:
        """The bytes of another text in the same encoding."""
        try:
            return self.mark + text.encode(self.encoding, errors)
        except UnicodeEncodeError as error:
            what = f"{text[error.start]!r} is not in {self.encoding}, the encoding of this file"
            raise BadInputError(what, where=self.name, remedy="convert the file to UTF-8 first") from None

    def encode_all(self, texts: Iterable[str], *, errors: str = "strict") -> bytes:
        """The bytes of a text that comes in parts, each of which is encoded on its own."""
        out = BytesIO()
        out.write(self.mark)
        bare = replace(self, mark=b"") if self.mark else self
        for text in texts:
            out.write(bare.encode(text, errors=errors))
        return out.getvalue()

    def encode_again(self, data: bytes, *, errors: str = "strict") -> bytes:
        """The bytes of another text in the same encoding, from those in UTF-8."""
        if self.encoding == "utf-8":  # no need to make two copies of a large file
            return self.mark + data if self.mark else data
        return self.encode(data.decode(), errors=errors)


@dataclass(frozen=True)
class WindowsContents(Contents):
    """Text whose lines all end as in Windows: it is read as if they did not, and written so that they do."""

    def encode(self, text: str, *, errors: str = "strict") -> bytes:
        """The bytes of another text in the same encoding, with the line endings of Windows."""
        return super().encode(text.replace("\n", "\r\n"), errors=errors)


def with_unix_lines(contents: Contents) -> Contents:
    """The same with line endings of Unix, if that can be undone; otherwise as it is."""
    plain = contents.text.replace("\r\n", "\n")
    if plain == contents.text or "\r" in plain or plain.count("\n") != contents.text.count("\r\n"):
        return contents
    return WindowsContents(contents.name, plain, contents.encoding, contents.mark)


def in_utf8(contents: Contents, data: bytes) -> bytes:
    """The text of a file in UTF-8: the file itself, if it is that."""
    return data if contents.encoding == "utf-8" and not contents.mark else contents.text.encode()


def check_size(data: bytes, name: str) -> None:
    """Refuse a file that is too large; one that we have written may be larger than what was read."""
    if len(data) > LARGEST:
        what = f"is {len(data) >> 20:,} MB, over the limit of {LARGEST >> 20} MB"
        raise BadInputError(what, where=name, remedy="split it")


# What browsers take these names for: supersets of them, which most pages are in.
ON_THE_WEB = {"ascii": "cp1252", "iso8859-1": "cp1252", "gb2312": "gb18030", "gbk": "gb18030", "shift_jis": "cp932"}


def decode_page(data: bytes, name: str, *, hint: re.Pattern[bytes]) -> Contents:
    """The text of a page, in the encoding that browsers take the stated one for, if its bytes can be had back."""
    stated = decode(data, name, hint=hint)
    wider = ON_THE_WEB.get(stated.encoding)
    try:
        text = data.decode(wider) if wider else ""
    except UnicodeDecodeError:
        return stated
    if wider is None or text == stated.text or text.encode(wider) != data:
        return stated
    return Contents(name, text, wider, stated.mark)


def decode(data: bytes, name: str, *, hint: re.Pattern[bytes]) -> Contents:
    """The text of a document, in the encoding of its byte order mark, or the one that `hint` finds, or UTF-8."""
    if data.startswith(PACKED):
        raise BadInputError("is a compressed file", where=name, remedy="extract it first")
    mark = next((mark for mark in MARKS if data.startswith(mark)), b"")
    encoding = MARKS.get(mark) or UNMARKED.get(data[:4]) or _named(data, name, hint)
    try:
        text = data[len(mark) :].decode(encoding)
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, len(mark) + error.start) + 1
        what = f"line {line} is not {encoding} (byte 0x{error.object[error.start]:02X})"
        raise BadInputError(what, where=name, remedy="convert it to UTF-8, for example with iconv") from None
    contents = Contents(name, text, encoding, mark)
    if encoding not in MARKS.values() and contents.encode(text) != data:
        what = f"its bytes cannot be reproduced exactly in {encoding}"
        raise BadInputError(what, where=name, remedy="convert it to UTF-8, for example with iconv")
    return contents


def _named(data: bytes, name: str, hint: re.Pattern[bytes]) -> str:
    found = hint.search(data[:20_000])
    declared = found[1].decode("ascii") if found else "utf-8"
    if declared.upper() == "CHARSET":  # the blank to be filled in, of templates
        return "utf-8"
    try:
        encoding = codecs.lookup(declared).name
    except LookupError:
        encoding = ""
    if not USUAL.fullmatch(encoding):
        what = f"it declares the unknown encoding {declared!r}"
        raise BadInputError(what, where=name, remedy="convert it to UTF-8 and declare that")
    return encoding
