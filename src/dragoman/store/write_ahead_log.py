"""The log beside an SQLite file that holds what was committed last, read without SQLite.

A process that was killed leaves a log. SQLite takes from it what comes before the first byte that is not what was
written, and drops the rest without a word, acknowledged or not. So a log is read here before SQLite sees it
(https://www.sqlite.org/fileformat2.html, section 4):

1. A head with two salts and a checksum, then frames: a page each, with its number, the salts, a mark if it is the last
   of a transaction, and a checksum that goes on from the one before.
2. Frames with other salts are left over from an earlier log in the same file.
3. A transaction is on disk before the next one begins. So if one that is not whole has others after it, it was damaged;
   if it is the last, it may only have been interrupted.
"""

from __future__ import annotations

import struct
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import NamedTuple

import numpy as np

from dragoman.errors import DamagedFileError

PAGE = 4096  # bytes, unless the log says otherwise
HEAD, FRAME_HEAD = 32, 24  # bytes at the beginning of a log, and of each page in it
LITTLE_ENDIAN = 0x377F0682  # how its checksums are computed; one more for the other order
PAUSE = 0.1  # seconds until a log is read again: it may be written just now
MASK = 0xFFFFFFFF


class Frame(NamedTuple):
    """A page in a log."""

    number: int  # of the page
    ends: int  # how many pages the file has after the transaction that ends here; 0 if none does
    page: bytes
    is_sound: bool  # whether SQLite takes it, if it takes all before
    is_whole: bool  # whether the page is what was written, or one altered bit was put right


@dataclass
class Log:
    """What stands in a log, and how much of it SQLite would take."""

    size: int = PAGE  # bytes of a page
    reached: list[Frame] = field(default_factory=list)  # frames before the first that is not whole
    beyond: list[Frame] = field(default_factory=list)  # that one and all after it

    @property
    def lost(self) -> int:
        """How many transactions SQLite would drop."""
        return sum(frame.ends > 0 for frame in self.beyond)

    @property
    def was_interrupted(self) -> bool:
        """Whether only the last transaction is not whole, which may never have been acknowledged."""
        return self.lost == 1 and self.beyond[-1].ends > 0

    def pages(self) -> dict[int, bytes]:
        """The newest committed form of each page, of those that are whole."""
        pages: dict[int, bytes] = {}
        uncommitted: dict[int, bytes] = {}
        for frame in (*self.reached, *self.beyond):
            if frame.is_whole:
                uncommitted[frame.number] = frame.page
            if frame.ends:
                pages |= uncommitted
                uncommitted = {}
        return pages

    def damaged_pages(self) -> dict[int, bytes]:
        """The newest form of each page that is not whole and that no later one replaces."""
        most = max((frame.ends for frame in (*self.reached, *self.beyond) if frame.is_whole), default=0)
        pages: dict[int, bytes] = {}
        for frame in self.beyond:
            pages.pop(frame.number, None)
            if not frame.is_whole and 0 < frame.number <= most:
                pages[frame.number] = frame.page
        return pages


def log_of(file: Path) -> Path:
    """Where the log of an SQLite file is."""
    return file.with_name(f"{file.name}-wal")


def read_log(file: Path) -> Log:
    """What stands in the log of an SQLite file; nothing if there is none."""
    try:
        data = log_of(file).read_bytes()
    except OSError:
        return Log()
    if len(data) < HEAD + FRAME_HEAD:
        return Log()
    size = int.from_bytes(data[8:12])
    size = size if 512 <= size <= 1 << 16 and size & (size - 1) == 0 else PAGE
    log, order = Log(size), ">" if data[3] & 1 else "<"
    is_head_whole = _checksum((0, 0), data[:24], order) == _stored(data, 24)
    is_head_whole = is_head_whole and int.from_bytes(data[:4]) & ~1 == LITTLE_ENDIAN
    for frame in _frames(data, size, order, data[16:24] if is_head_whole else data[HEAD + 8 : HEAD + 16]):
        is_reached = is_head_whole and frame.is_sound and not log.beyond
        (log.reached if is_reached else log.beyond).append(frame)
    return log


def _frames(data: bytes, size: int, order: str, salts: bytes) -> Iterator[Frame]:
    """All frames of this log, up to the last that has its salts, or else goes on from one of its frames."""
    # The checksum that a frame goes on from: as stored, or as computed
    before = {_stored(data, 24), _checksum((0, 0), data[:24], order)}
    waiting: list[Frame] = []
    is_before_own = True  # what is left over from an earlier log is whole too, but goes on from frames of that one
    for at in range(HEAD, len(data) - FRAME_HEAD - size + 1, FRAME_HEAD + size):
        head, page = data[at : at + FRAME_HEAD], data[at + FRAME_HEAD : at + FRAME_HEAD + size]
        stored, content = _stored(head, 16), head[:8] + page
        computed = {_checksum(each, content, order) for each in before}
        has_salts = head[8:16] == salts
        is_whole = stored in computed and (has_salts or is_before_own)
        if has_salts and not is_whole:
            mended = [found for each in computed if (found := _mended(content, each, stored, order))]
            content, is_whole = mended[0] if mended else content, bool(mended)
        number, ends = int.from_bytes(content[:4]), int.from_bytes(content[4:8])
        waiting.append(Frame(number, ends, content[8:], has_salts and stored in computed, is_whole))
        is_before_own = has_salts or is_whole
        if is_before_own:
            yield from waiting
            waiting = []
        before = {stored} if has_salts and stored in computed else {stored, *list(computed)[:2]}


def _mended(data: bytes, computed: tuple[int, int], stored: tuple[int, int], order: str) -> bytes | None:
    """The one form of some data, with at most one other bit, that has the checksum stored with it; None if not one."""
    if sum((one ^ other).bit_count() for one, other in zip(computed, stored, strict=True)) == 1:
        return data  # it is the checksum that was altered
    words = np.frombuffer(data, f"{order}u4").astype(np.uint32)
    fibonacci = _fibonacci(len(words) + 2)
    missing = [np.uint32(one - other & MASK) for one, other in zip(stored, computed, strict=True)]
    found: list[tuple[int, int]] = []
    for bit in range(32):
        change = np.where(words >> np.uint32(bit) & np.uint32(1), -(1 << bit) & MASK, 1 << bit).astype(np.uint32)
        fits = (change * fibonacci[-3::-1] == missing[0]) & (change * fibonacci[-2:0:-1] == missing[1])
        found += [(int(at), bit) for at in np.flatnonzero(fits)]
    if len(found) != 1:  # the highest bits of several words count the same
        return None
    words[found[0][0]] ^= np.uint32(1 << found[0][1])
    return words.astype(f"{order}u4").tobytes()


def _stored(data: bytes, at: int) -> tuple[int, int]:
    first, second = struct.unpack_from(">II", data, at)
    return first, second


def _checksum(before: tuple[int, int], data: bytes, order: str) -> tuple[int, int]:
    """The checksum after some data: for each two words, first += word + second, second += other word + first.

    So each word counts as often as the Fibonacci number of its place from the end says.
    """
    words = np.frombuffer(data, f"{order}u4").astype(np.uint32)
    fibonacci = _fibonacci(len(words) + 2)
    added = int(fibonacci[-3::-1] @ words), int(fibonacci[-2:0:-1] @ words)
    one, two, three = (int(each) for each in fibonacci[-3:])
    return (before[0] * one + before[1] * two + added[0]) & MASK, (
        before[0] * two + before[1] * three + added[1]
    ) & MASK


@cache
def _fibonacci(count: int) -> np.ndarray:
    """So many Fibonacci numbers from 0, 1 on, of 32 bits."""
    numbers = [0, 1]
    while len(numbers) < count:
        numbers.append(numbers[-1] + numbers[-2] & MASK)
    return np.array(numbers, np.uint32)


def find_log_damage(file: Path, *, interrupted: bool = True) -> str | None:
    """What is wrong with the log of a file; without `interrupted`, not that it ends within a transaction."""
    if _lost(file, interrupted) == 0:
        return None
    time.sleep(PAUSE)  # who writes just now has gone on
    lost = _lost(file, interrupted)
    if lost == 0:
        return None
    changes = "the last change" if lost == 1 else f"the last {lost:,} changes"
    return f"is not what was written: SQLite would drop {changes}"


def _lost(file: Path, interrupted: bool) -> int:
    log = read_log(file)
    return 0 if log.was_interrupted and not interrupted else log.lost


def check_log(file: Path) -> None:
    """Refuse to open a file whose log was damaged: SQLite would drop what was acknowledged."""
    if found := find_log_damage(file, interrupted=False):
        remedy = "save all that is whole with `dragoman project repair`"
        raise DamagedFileError(found, where=log_of(file), remedy=remedy)


def apply_log(file: Path) -> None:
    """Write all pages of a damaged log into its file, and remove the log: what SQLite itself would not do."""
    log = read_log(file)
    with file.open("r+b") as editing:
        for number, page in {**log.pages(), **log.damaged_pages()}.items():
            editing.seek((number - 1) * log.size)
            editing.write(page)
    log_of(file).unlink()
