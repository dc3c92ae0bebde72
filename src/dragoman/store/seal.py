"""Seals of SQLite files: a checksum of each page, written when a file is closed, removed before it is written again.

Rows have checksums of their own, which say whether what is read is what was written. But much of an SQLite file is not
read: free pages, the room between rows, headers of which half is in reserve. Damage there harms nothing today, and
says that a disk has begun to fail. While a file is open there is no seal, and none where a process was killed: then
only what is read can be checked.

A seal also tells what a page was in which a single bit has changed: the one of its 32,768 neighbours that has the
checksum. So such damage, the most frequent one, costs nothing (`heal`).
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

from dragoman.files import sync_directory, write_durably

ENDING = ".seal"
HEAD = b"dragoman seal 1\n"
PAGE = 4096  # bytes, as SQLite's pages usually are
EACH, WHOLE = 8, 32  # bytes of the checksum of a page, and of that of the seal
LARGEST = 1 << 30  # bytes of a file that is sealed: closing must not take long
HEALED = 100  # damaged pages that are tried, a quarter of a second each; with more of them, not only bits are lost


def seal_of(file: Path) -> Path:
    """Where the seal of a file is."""
    return file.with_name(file.name + ENDING)


def break_seal(file: Path) -> None:
    """Remove the seal, before and after a file is opened for writing: somebody else may just be sealing it."""
    with suppress(FileNotFoundError, PermissionError):
        seal_of(file).unlink()
        sync_directory(file.parent)


def seal(file: Path) -> None:
    """Seal a file, unless somebody has it open or wrote to it meanwhile; whoever cannot write here does without."""
    with suppress(OSError):
        before = _state(file)
        if before[0] > LARGEST or _is_open(file):
            return
        body = HEAD + b"".join(_checksums(file))
        write_durably(seal_of(file), body + hashlib.sha256(body).digest())
        if _is_open(file) or _state(file) != before:
            break_seal(file)


def is_gone(file: Path) -> bool:
    """Whether a file that was sealed is missing or empty."""
    return seal_of(file).exists() and not (file.exists() and file.stat().st_size)


def check_seal(file: Path) -> Iterator[str]:
    """What is wrong with a file that was sealed, or with its seal."""
    if not seal_of(file).exists():
        return
    sealed = _sealed(file)
    if sealed is None:
        yield "its seal is not what was written"
        return
    found = list(_checksums(file))
    if len(found) != len(sealed):
        yield f"has {len(found):,} pages instead of {len(sealed):,}: it was damaged, or changed by another program"
        return
    if wrong := _wrong(sealed, found):
        pages = ", ".join(map(str, wrong[:10])) + (" …" if len(wrong) > 10 else "")
        yield f"page {pages} is not what was written, in bytes that hold nothing now"


def heal(file: Path) -> list[int]:
    """Put right every page of a sealed file in which one bit has changed; their numbers, from 1."""
    sealed = _sealed(file)
    if not sealed:
        return []
    healed = []
    with file.open("r+b") as editing:
        for number in _wrong(sealed, list(_checksums(file)))[:HEALED]:
            editing.seek((number - 1) * PAGE)
            page = bytearray(editing.read(PAGE))
            if _flip_back(page, sealed[number - 1]):
                editing.seek((number - 1) * PAGE)
                editing.write(page)
                healed.append(number)
    return healed


def _flip_back(page: bytearray, checksum: bytes) -> bool:
    """Change the one bit with which a page has a checksum, if there is one."""
    for at in range(len(page)):
        for bit in range(8):
            page[at] ^= 1 << bit
            if _checksum(page) == checksum:
                return True
            page[at] ^= 1 << bit
    return False


def _sealed(file: Path) -> list[bytes] | None:
    """The checksums of all pages, as they were; None if there is no whole seal."""
    try:
        data = seal_of(file).read_bytes()
    except OSError:
        return None
    body, whole = data[:-WHOLE], data[-WHOLE:]
    if not body.startswith(HEAD) or hashlib.sha256(body).digest() != whole:
        return None
    return [body[at : at + EACH] for at in range(len(HEAD), len(body), EACH)]


def _wrong(sealed: list[bytes], found: list[bytes]) -> list[int]:
    """The numbers of the pages that are not what they were."""
    return [number for number, pair in enumerate(zip(sealed, found, strict=False), start=1) if pair[0] != pair[1]]


def _checksum(page: bytes | bytearray) -> bytes:
    return hashlib.blake2b(page, digest_size=EACH).digest()


def _checksums(file: Path) -> Iterator[bytes]:
    with file.open("rb") as reading:
        while page := reading.read(PAGE):
            yield _checksum(page)


def _state(file: Path) -> tuple[int, int, int]:
    status = file.stat()
    return status.st_size, status.st_mtime_ns, status.st_ino


def _is_open(file: Path) -> bool:
    """Whether any process has an SQLite file open, or has left something that is not in it yet."""
    return any(file.with_name(file.name + ending).exists() for ending in ("-wal", "-journal"))
