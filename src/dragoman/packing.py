"""Many arrays as one, so that they go to disk as one file: forcing a hundred files there takes a hundred times as long.

>>> packed, places = pack({"counts": np.arange(3), "names": np.frombuffer(b"ab", np.uint8)})
>>> {name: array.tolist() for name, array in unpack(packed, places).items()}
{'counts': [0, 1, 2], 'names': [97, 98]}
"""

from __future__ import annotations

import io
from collections.abc import Mapping

import numpy as np
from numpy.lib import format as npy
from numpy.typing import NDArray

from dragoman.files import Arrays

ALIGNMENT = 64  # bytes; the header of the .npy format is padded to a multiple of it too


def pack(arrays: Mapping[str, np.ndarray]) -> tuple[NDArray[np.uint8], dict[str, int]]:
    """Copies of the arrays, each in the .npy format, one after the other; and where each of them begins."""
    file, places = io.BytesIO(), {}
    for name, array in arrays.items():
        file.write(bytes(-file.tell() % ALIGNMENT))
        places[name] = file.tell()
        npy.write_array(file, np.ascontiguousarray(array), version=(1, 0), allow_pickle=False)
    return np.frombuffer(file.getbuffer(), np.uint8), places


def unpack(packed: NDArray[np.uint8], places: Mapping[str, int]) -> Arrays:
    """The arrays that were packed: views, which can be written to if `packed` can."""
    return {name: _array(packed[place:]) for name, place in places.items()}


def _array(packed: NDArray[np.uint8]) -> np.ndarray:
    header = io.BytesIO(packed[: 1 << 16].tobytes())
    npy.read_magic(header)
    shape, _, dtype = npy.read_array_header_1_0(header)
    size = int(np.prod(shape)) * dtype.itemsize
    return packed[header.tell() :][:size].view(dtype).reshape(shape)
