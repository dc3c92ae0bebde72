"""The small part of Numba that compiled kernels need to run, loaded without the rest.

Machine code calls functions of C in three extension modules of Numba: they unpack arguments, count references to
arrays, and raise exceptions. They are loaded from their files; a later `import numba` finds the same ones.
"""

from __future__ import annotations

import builtins
import ctypes
import functools
import importlib.util
import pickle
import sys
from collections.abc import Callable
from importlib.machinery import EXTENSION_SUFFIXES, ExtensionFileLoader
from types import ModuleType
from typing import Any

from dragoman.kernels.cache_places import package_directory

HASH_SIZE = 20  # bytes


class Runtime:
    """Numba's functions of C, and where machine code finds them."""

    def __init__(self) -> None:
        self._functions = _extension("numba._dynfunc")
        memory = _extension("numba.core.runtime._nrt_python")
        memory.memsys_use_cpython_allocator()
        self._helpers = _extension("numba._helperlib").c_helpers
        self._found = {"_Py_NoneStruct": id(None)}  # as Numba names them: numba/core/base.py, numba/core/runtime/nrt.py
        for name, address in (self._helpers | self._functions.c_helpers).items():
            self._found[f"numba_{name}"] = address
        for name, address in memory.c_helpers.items():
            self._found[name if name.startswith("_") else f"NRT_{name}"] = address
        for each in vars(builtins).values():
            if isinstance(each, type) and issubclass(each, BaseException):
                self._found[f"PyExc_{each.__name__}"] = id(each)
        self._process = ctypes.CDLL(None)
        self._unpickle_without_numba()

    def address(self, name: str) -> int:
        """Where a function or an object is that machine code refers to; KeyError if there is none."""
        if name not in self._found:
            if name in self._helpers:  # functions of mathematics: Numba takes those of Python's own C library
                self._found[name] = self._helpers[name]
            elif hasattr(self._process, name):
                self._found[name] = ctypes.cast(getattr(self._process, name), ctypes.c_void_p).value or 0
            else:
                raise KeyError(name)
        return self._found[name]

    def protect(self, start: int, size: int, rights: int) -> None:
        """Say what memory may be used for."""
        if self._process.mprotect(ctypes.c_void_p(start), ctypes.c_size_t(size), rights):
            raise OSError("this system does not allow new machine code")

    def environment(self, constants: list[Any]) -> Any:
        """What holds the constants of a compiled function."""
        made = self._functions.Environment({})
        made.consts.extend(constants)
        return made

    def callable_at(self, address: int, function: Any, environment: Any, kept: Any) -> Callable[..., Any]:
        """The function of Python whose machine code is at an address; it keeps what it needs."""
        module = sys.modules[function.__module__]
        arguments = module, function.__name__, function.__doc__ or "", address, environment, kept
        return self._functions.make_function(*arguments)  # type: ignore[no-any-return]

    def _unpickle_without_numba(self) -> None:
        """Have Numba's C code unpickle what is in machine code with our function instead of one that it imports.

        It imports its own when it is first called, and keeps what it has found: so that call is made here, where it
        finds a module that only has this function.
        """
        if "numba" in sys.modules:
            return
        substitute: Any = ModuleType("numba.core.serialize")
        substitute._numba_unpickle = _unpickled
        call = ctypes.PYFUNCTYPE(ctypes.py_object, ctypes.c_char_p, ctypes.c_int, ctypes.c_char_p)
        nothing = pickle.dumps(None)
        names = ("numba", "numba.core.serialize")  # the first is looked for with the second
        sys.modules |= dict.fromkeys(names, substitute)
        try:
            call(self.address("numba_unpickle"))(nothing, len(nothing), bytes(HASH_SIZE))
        finally:
            for name in names:
                del sys.modules[name]


@functools.cache
def runtime() -> Runtime:
    """Numba's runtime in this process."""
    return Runtime()


@functools.cache
def _unpickled(address: int, content: bytes, digest: bytes) -> Any:  # noqa: ARG001 (they tell objects apart, as in Numba)
    """An object in machine code: a type of array or tuple to be made, or an exception with its arguments."""
    return pickle.loads(content)  # noqa: S301 (as trusted as the code around it)


def _extension(name: str) -> Any:
    """An extension module of Numba, which is not noted as imported."""
    if name in sys.modules:
        return sys.modules[name]
    *folders, last = name.split(".")[1:]
    place = package_directory("numba").joinpath(*folders)
    path = next(path for suffix in EXTENSION_SUFFIXES if (path := place / f"{last}{suffix}").is_file())
    loader = ExtensionFileLoader(name, str(path))
    specification = importlib.util.spec_from_file_location(name, path, loader=loader)
    assert specification is not None  # noqa: S101
    module = importlib.util.module_from_spec(specification)
    loader.exec_module(module)
    sys.modules.pop(name, None)
    return module
