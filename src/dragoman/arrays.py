"""Arrays with dotted names: one tree for all that is saved, and what a model says about itself to be saved.

>>> tree = ArrayTree()
>>> tree.put("models", {"source.ends": np.arange(3), "source.bytes": np.frombuffer(b"ab", np.uint8)})
>>> list(tree)
['models.source.ends', 'models.source.bytes']
>>> tree.under("models.source")["ends"] is tree["models.source.ends"]
True

A tree is stored in one of three ways:

1. In a directory, one file an array, memory-mapped when it is opened (`dragoman.files`).
2. In one block, which is one file or one array (`pack`): forcing a hundred files to disk takes a hundred times as long.
3. In the bytes of a journal row (`to_bytes`), where it has to be small.
"""

from __future__ import annotations

import io
import json
from collections.abc import Mapping
from typing import Any, BinaryIO, ClassVar

import numpy as np
from numpy.lib import format as npy
from numpy.typing import NDArray

from dragoman.errors import BadInputError, DamagedFileError

ALIGNMENT = 64  # bytes; the header of the .npy format is padded to a multiple of it too


class ArrayTree(dict[str, np.ndarray]):
    """A mapping of dotted names to arrays; everything whose name begins with `prefix.` is a branch of it."""

    def put(self, prefix: str, part: Mapping[str, np.ndarray]) -> None:
        """Add a branch: the arrays themselves, not copies."""
        self.update({f"{prefix}.{name}": array for name, array in part.items()})

    def under(self, prefix: str) -> ArrayTree:
        """The branch with this prefix, which its names lack: the arrays themselves, not copies."""
        start = f"{prefix}."
        return ArrayTree({name[len(start) :]: array for name, array in self.items() if name.startswith(start)})

    # ── One block ────────────────────────────────────────────────────────────────────────────────────────────────────

    def pack(self) -> tuple[NDArray[np.uint8], dict[str, int]]:
        """All arrays copied into one block, and the place at which each begins.

        >>> block, places = ArrayTree(counts=np.arange(3)).pack()
        >>> ArrayTree.unpack(block, places)
        {'counts': array([0, 1, 2])}
        """
        file = io.BytesIO()
        places = self.write_block(file)
        return np.frombuffer(file.getbuffer(), np.uint8), places

    def write_block(self, file: BinaryIO) -> dict[str, int]:
        """Write all arrays to a new file, each in the .npy format; returns the place at which each begins."""
        places = {}
        for name, array in self.items():
            file.write(bytes(-file.tell() % ALIGNMENT))
            places[name] = file.tell()
            npy.write_array(file, np.ascontiguousarray(array), version=(1, 0), allow_pickle=False)
        return places

    @classmethod
    def unpack(cls, block: NDArray[np.uint8], places: Mapping[str, int]) -> ArrayTree:
        """The arrays of a block: views, writable if the block is."""
        return cls({name: _view(block[place:]) for name, place in places.items()})

    # ── Bytes in a journal row ───────────────────────────────────────────────────────────────────────────────────────

    def to_bytes(self, label: str) -> bytes:
        """A line of JSON with the label and the names, types and shapes, then the arrays one after the other.

        >>> ArrayTree.from_bytes(ArrayTree(weights=np.array([0.5, 1.0])).to_bytes("Ridge"))
        ({'weights': array([0.5, 1. ])}, 'Ridge')
        """
        for name, array in self.items():
            if array.dtype.kind not in "biuf":
                raise BadInputError(f"array {name!r} has the type {array.dtype}", remedy="use numbers")
        little = {name: array.astype(array.dtype.newbyteorder("<")) for name, array in self.items()}
        listed = [[name, array.dtype.str, list(array.shape)] for name, array in little.items()]
        line = json.dumps([label, listed], separators=(",", ":")).encode()
        return b"\n".join([line, b"".join(array.tobytes() for array in little.values())])

    @classmethod
    def from_bytes(cls, data: bytes) -> tuple[ArrayTree, str]:
        """The tree that `to_bytes` was called on, copied, and its label."""
        line, _, body = data.partition(b"\n")
        label, listed = json.loads(line)
        tree, at = cls(), 0
        for name, kind, shape in listed:
            dtype = np.dtype(kind)
            size = dtype.itemsize * int(np.prod(shape))
            tree[name] = np.frombuffer(body[at : at + size], dtype).reshape(shape).astype(dtype.newbyteorder("="))
            at += size
        return tree, label


def _view(block: NDArray[np.uint8]) -> np.ndarray:
    """The array at the beginning of a block."""
    header = io.BytesIO(block[: 1 << 16].tobytes())
    try:
        npy.read_magic(header)
        shape, _, dtype = npy.read_array_header_1_0(header)
        size = int(np.prod(shape)) * dtype.itemsize
        return block[header.tell() :][:size].view(dtype).reshape(shape)
    except (TypeError, ValueError) as error:
        raise DamagedFileError(f"an array cannot be read: {error}") from error


class Restorable:
    """Something whose state is arrays: its own, and those of its parts. A class names both, and saving follows.

    >>> class Totals(Restorable):
    ...     own_arrays = ("sums",)
    ...     def __init__(self):
    ...         self.sums = np.zeros(2)
    >>> class Model(Restorable):
    ...     parts = ("totals",)
    ...     def __init__(self):
    ...         self.totals = Totals()
    >>> model = Model()
    >>> model.restore({"totals.sums": np.ones(2)})
    >>> model.arrays()
    {'totals.sums': array([1., 1.])}
    """

    parts: ClassVar[tuple[str, ...]] = ()  # names of attributes that are restorable themselves
    own_arrays: ClassVar[tuple[str, ...]] = ()  # names of attributes that are arrays

    def part(self, name: str) -> Any:
        """The part with this name."""
        return getattr(self, name)

    def arrays(self) -> ArrayTree:
        """Everything needed to restore this, except what was given when it was made: its base, for example."""
        tree = ArrayTree({name: getattr(self, name) for name in self.own_arrays})
        for name in self.parts:
            tree.put(name, self.part(name).arrays())
        return tree

    def restore(self, arrays: Mapping[str, np.ndarray]) -> None:
        """Return to the state with these `arrays()`; they are used as they are, not copied."""
        tree = ArrayTree(arrays)
        for name in self.own_arrays:
            setattr(self, name, tree[name])
        for name in self.parts:
            self.part(name).restore(tree.under(name))
