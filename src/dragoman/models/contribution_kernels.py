"""Numbers in as many bytes as they need: 7 bits a byte, the lowest first, the highest bit telling that more follow."""

# mypy: disallow-untyped-defs=False, check-untyped-defs=False
from __future__ import annotations

import numpy as np

from dragoman.kernels import kernel, lean

MOST_BYTES = 10  # of one number
# Of the second of two positions, as the journal stores them. It is one bit less than in the keys of alignment tables,
# to save bytes, and can no longer change; contribution.py checks that the longest sentence fits.
PACKED_POSITION_BITS = 9


@lean
def pack(numbers, room):
    """Write numbers [n], none negative, into `room` [≥ 10 n] uint8; returns how many bytes they take."""
    at = 0
    for number in numbers:
        rest = np.uint64(number)
        while rest >= np.uint64(128):
            room[at] = np.uint8((rest & np.uint64(127)) | np.uint64(128))
            rest >>= np.uint64(7)
            at += 1
        room[at] = np.uint8(rest)
        at += 1
    return at


@lean
def unpack(data, numbers):
    """Read numbers into `numbers` [≥ bytes]; returns how many, or -1 if the last is cut off or one is too long."""
    n = 0
    number, shift = np.uint64(0), np.uint64(0)
    for byte in data:
        number |= np.uint64(byte & 127) << shift
        if byte < 128:
            numbers[n] = np.int64(number)
            n += 1
            number, shift = np.uint64(0), np.uint64(0)
        else:
            shift += np.uint64(7)
            if shift > np.uint64(56):
                return -1
    return n if shift == np.uint64(0) else -1


@kernel
def steps(rows):
    """[n] from place to place of rows [n, ≥ 2] that begin with two positions; a step back is an odd number."""
    found = np.empty(rows.shape[0], np.int64)
    last = np.int64(0)
    for n in range(rows.shape[0]):
        place = (np.int64(rows[n, 0]) << PACKED_POSITION_BITS) | np.int64(rows[n, 1])
        step = place - last
        found[n] = 2 * step if step >= 0 else -2 * step - 1
        last = place
    return found


@lean
def fill_places(steps, rows):
    """Write the positions that `steps` [n] lead through into the first two columns of rows [n, ≥ 2]."""
    place = np.int64(0)
    for n in range(steps.size):
        step = steps[n]
        place += step >> 1 if step & 1 == 0 else -((step + 1) >> 1)
        rows[n, 0] = place >> PACKED_POSITION_BITS
        rows[n, 1] = place & ((1 << PACKED_POSITION_BITS) - 1)
