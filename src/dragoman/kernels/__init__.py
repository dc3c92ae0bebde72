"""Compiled functions: the decorators that all of them use.

1. A module whose name ends in `kernels` defines its functions with `@kernel`. It imports nothing but NumPy and other
   kernel modules, and its functions take numbers, arrays and named tuples of arrays, never Python objects.
2. A function is compiled when it is first called with new types, releases the GIL, and is stored on disk under a key:
   the hash of its module's source and of the kernel modules that this one imports (`sources.py`, `cache.py`). Numba
   itself does not notice when a function imported from another file has changed; with this key it does not have to.
3. `@exercise` marks a plain function that calls the kernels of a module once on tiny data. `warm()` has all of these
   run by worker processes, so that a server or a test suite compiles up front, on all cores (`warm_up.py`).
4. Kernels can be compiled elsewhere and shipped (`manifest.py`, `shipped.py`). `lookup.py` says what is used when.

The cache and the progress line use parts of Numba that are not public. pyproject.toml therefore limits its version, and
tests/test_kernels.py says what has changed when they stop working.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from dragoman.kernels import inventory
from dragoman.kernels.cache_places import cache_directory
from dragoman.kernels.dispatchers import make_dispatcher
from dragoman.kernels.warm_up import warm

__all__ = ["cache_directory", "exercise", "inlined", "kernel", "lean", "warm"]


def kernel(function: Callable[..., Any]) -> Callable[..., Any]:
    """Compile a function with Numba on its first call; cached on disk, GIL released."""
    return make_dispatcher(function, {})


def lean(function: Callable[..., Any]) -> Callable[..., Any]:
    """A kernel without Numba's reference counting, for functions that make no arrays and return only numbers.

    Where tuples of arrays are passed from function to function, reference counting costs more than everything else.
    """
    return make_dispatcher(function, {"_nrt": False})


def inlined(function: Callable[..., Any]) -> Callable[..., Any]:
    """A lean kernel that is always made part of its callers.

    Tuples of arrays are passed by value, some kilobytes of them: in the innermost loops, that costs more than the work.
    """
    return make_dispatcher(function, {"_nrt": False, "forceinline": True})


def exercise(function: Callable[[], None]) -> Callable[[], None]:
    """Mark a function that calls the kernels of its module once, with the types of real use."""
    inventory.exercises.append(function)
    return function
