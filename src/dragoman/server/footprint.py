"""Memory that is needed to start, and not afterwards, is given back to the system.

Numba keeps the LLVM code of every kernel that it has loaded, in case another function is compiled into which it could
be inlined. In a server whose kernels are all compiled that hardly ever happens, and this code takes more room than the
kernels themselves. It is kept packed, and unpacked when it is asked for.
"""

from __future__ import annotations

import ctypes
import gc
import sys
import zlib
from contextlib import suppress
from pathlib import Path
from typing import Any

import llvmlite.binding as llvm
from numba.core.codegen import JITCodeLibrary

NOT_NEEDED = 4  # MADV_DONTNEED of Linux: these pages are not needed soon
ARENAS, MAPPED, TRIMMED = -8, -3, -1  # options of glibc's mallopt: M_ARENA_MAX, M_MMAP_THRESHOLD, M_TRIM_THRESHOLD
LARGE = 1 << 20  # bytes: what is larger is given back to the system when it is freed
FASTEST = 1  # level of compression: LLVM's code shrinks to a third even so


class PackedLibrary(JITCodeLibrary):  # type: ignore[misc]
    """A compiled library of Numba whose LLVM code is packed."""

    @property
    def _shared_module(self) -> Any:
        """The code as Numba wants it, unpacked anew each time; None if there is none."""
        packed = self.__dict__.get("_packed")
        return None if packed is None else llvm.parse_bitcode(zlib.decompress(packed))

    @_shared_module.setter
    def _shared_module(self, module: Any) -> None:
        self.__dict__["_packed"] = None if module is None else zlib.compress(module.as_bitcode(), FASTEST)


def bound_heaps() -> None:
    """Let what is freed go back to the system, instead of staying with the thread that had it.

    glibc gives each of our many threads a heap of its own, and, once a large array was freed, keeps others as large in
    there. Under attack that held 300 MB more than was in use.
    """
    if sys.platform == "linux":
        with suppress(OSError, AttributeError):  # another C library than glibc
            library = ctypes.CDLL("libc.so.6")
            for option, value in ((ARENAS, 2), (MAPPED, LARGE), (TRIMMED, LARGE)):
                library.mallopt(option, value)


def pack_kernels() -> int:
    """Pack the LLVM code of all kernels that are loaded; returns how many there were."""
    found = [each for each in gc.get_objects() if type(each) is JITCodeLibrary and each._finalized]
    for library in found:
        module = library.__dict__.pop("_shared_module", None)
        library.__class__ = PackedLibrary
        library._shared_module = module
    return len(found)


def give_back(*, settled: bool) -> None:
    """Return memory that is free to the system, and that of the compiler, which has done its work.

    If the process is `settled`, what is left stays for good, and Python's collector need not look through it again: all
    threads would wait for that, for a third of a second.
    """
    gc.collect()
    if settled:
        gc.freeze()
    if sys.platform == "linux":
        with suppress(OSError, AttributeError):  # another C library than glibc
            library = ctypes.CDLL("libc.so.6")
            library.malloc_trim(0)
            for start, end in _code_of("llvmlite"):
                library.madvise(ctypes.c_void_p(start), ctypes.c_size_t(end - start), NOT_NEEDED)


def _code_of(name: str) -> list[tuple[int, int]]:
    """Where the machine code of a library is mapped: read-only, so the system reads it again if it is needed."""
    lines = [line.split() for line in Path("/proc/self/maps").read_text().splitlines()]
    mapped = [line[0].split("-") for line in lines if len(line) > 5 and line[1] == "r-xp" and name in line[5]]
    return [(int(start, 16), int(end, 16)) for start, end in mapped]
