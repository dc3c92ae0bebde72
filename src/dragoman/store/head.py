"""The head of a journal in a file: number and digest of the last acknowledged row, in a small file beside it.

SQLite drops what it cannot read at the end of its log without a word, and a file may be replaced by an old copy. Then
acknowledged rows are gone, and every digest of the others is right. So each commit is followed by writing the head,
and opening compares it with the journal. The head is not forced to disk and costs no time. It is never ahead: a row is
on disk before the head names it, so a process that is killed between the two leaves a head that is one commit behind,
which is no loss.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

from dragoman.errors import DamagedFileError

CHECK = 8  # hexadecimal digits after the head, which tell one that is half written


class Head(NamedTuple):
    """The last acknowledged row."""

    id: int
    digest: str  # of all rows up to this one, in hexadecimal


def head_of(file: Path) -> Path:
    """Where the head of a journal is."""
    return file.with_name(f"{file.name}.head")


def write_head(file: Path, head: Head) -> None:
    """Write the head, in one call and always of the same length; without it, a loss is not noticed."""
    text = f"{head.id:020} {head.digest}"
    with suppress(OSError):
        writing = os.open(head_of(file), os.O_WRONLY | os.O_CREAT | getattr(os, "O_BINARY", 0), 0o666)
        try:
            os.write(writing, f"{text} {_check(text)}\n".encode())
        finally:
            os.close(writing)


def read_head(file: Path) -> Head | None:
    """The head as it was last written; None if there is none or it cannot be relied on."""
    try:
        text, _, check = head_of(file).read_text(encoding="utf-8").rstrip("\n").rpartition(" ")
        number, digest = text.split(" ")
        return Head(int(number), digest) if check == _check(text) else None
    except (OSError, ValueError):
        return None


def drop_head(file: Path) -> None:
    """Remove the head, for a journal that begins anew."""
    head_of(file).unlink(missing_ok=True)


def find_loss(head: Head | None, digest_of: Callable[[int], bytes | None]) -> str | None:
    """What is wrong if the journal has not the row that the head names; `head` must have been read before."""
    if head is None:
        return None
    found = digest_of(head.id)
    if found is None:
        return f"acknowledged rows are gone: row {head.id} was the last, and is not here"
    return None if found.hex() == head.digest else f"row {head.id} is not the one that was acknowledged"


def check_head(file: Path, head: Head | None, digest_of: Callable[[int], bytes | None]) -> None:
    """Refuse a journal that has lost acknowledged rows."""
    if found := find_loss(head, digest_of):
        remedy = (
            "restore the project from a copy: a backup (`dragoman project restore`) or a replica; "
            f"to go on without these rows, delete {head_of(file).name}"
        )
        raise DamagedFileError(found, where=file, remedy=remedy)


def _check(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()[:CHECK]
