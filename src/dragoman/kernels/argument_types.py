"""The types of a kernel's arguments as text: the same from Numba's types, and from the values without Numba.

`(3, Pair(left=array of int32, right=…))`  →  `(int64,pairs.Pair(<i4 1CW,…))`

What has no description here (`None`) is left to Numba.
"""

from __future__ import annotations

import functools
from typing import Any

import numpy as np

NUMBERS = {bool: "bool", int: "int64", float: "float64"}
LARGEST = 63  # bits of an `int64`


def types_of_values(value: Any) -> str | None:
    """The description of what is passed to a kernel: a tuple of arguments, or one of them."""
    kind = type(value)
    if kind is np.ndarray or kind is np.memmap:
        flags = value.flags
        return _array(value.dtype, value.ndim, flags.c_contiguous, flags.f_contiguous, flags.writeable)
    if isinstance(value, tuple):
        return _tuple(kind, [types_of_values(each) for each in value])
    if kind in NUMBERS:
        return NUMBERS[kind] if kind is not int or value.bit_length() <= LARGEST else None
    if isinstance(value, np.generic):
        return str(value.dtype) if value.dtype.kind in "biuf" else None
    return "none" if value is None else None


def types_of_signature(types: Any) -> str | None:
    """The same description from Numba's types."""
    from numba.core.types import Array, Boolean, Number
    from numba.core.types.containers import BaseTuple
    from numba.np.numpy_support import as_dtype

    if isinstance(types, Array):
        layout = types.layout
        return _array(as_dtype(types.dtype), types.ndim, layout == "C", layout == "F", types.mutable)
    if isinstance(types, (tuple, BaseTuple)):
        kind = getattr(types, "instance_class", tuple)
        return _tuple(kind, [types_of_signature(each) for each in types])
    if isinstance(types, (Number, Boolean)):
        return str(as_dtype(types))
    return "none" if str(types) == "none" else None


def _tuple(kind: type, members: list[str | None]) -> str | None:
    name = "" if kind is tuple else f"{kind.__module__}.{kind.__qualname__}"
    return None if None in members else f"{name}({','.join(members)})"  # type: ignore[arg-type]


@functools.cache
def _array(dtype: Any, dimensions: int, c_order: bool, fortran_order: bool, writable: bool) -> str | None:
    layout = "C" if c_order else "F" if fortran_order else "A"
    inside = _element(dtype)
    return None if inside is None else f"{inside} {dimensions}{layout}{'W' if writable else 'R'}"


def _element(dtype: Any) -> str | None:
    """The type of an array's elements: a number, or a record of fields with their places."""
    if dtype.names is None:
        return str(dtype.str) if dtype.kind in "biuf" else None
    fields = [(name, _element(dtype.fields[name][0]), dtype.fields[name][1]) for name in dtype.names]
    if any(element is None for _, element, _ in fields):
        return None
    inside = ";".join(f"{name}:{element}@{place}" for name, element, place in fields)
    return f"[{inside}]{dtype.itemsize}{'aligned' if dtype.isalignedstruct else ''}"
