"""Kernels that are called without Numba: for programs that translate a text and end.

Importing Numba takes longer than a translation, and more memory than its models. Machine code that is in the cache or
was shipped is loaded here (`object_file.py`) with the small part of Numba that it calls (`numba_runtime.py`).

1. `prefer()` asks for it, before any module of kernels is imported. At each call, finding the code for the arguments
   takes longer than in Numba: it is not for programs that translate or learn a lot.
2. The machine code is what Numba would run, so the results are the same.
3. If anything is missing or not as expected, Numba is imported, and from then on does everything (`_leave`).
"""

from __future__ import annotations

import os
import pickle
import platform
import sys
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from dragoman.kernels import inventory, manifest, processor
from dragoman.kernels.argument_types import types_of_values
from dragoman.kernels.cache_places import cache_directory, place_of

WRAPPER = "_ZN7cpython"  # begins the name of what Python calls
SETTINGS = ".numba_config.yaml"

_lock = threading.RLock()
_preferred = False


def prefer() -> None:
    """Call kernels without Numba where that works; has no effect once Numba or kernels are imported."""
    global _preferred
    known = sys.platform == "linux" and platform.machine() == "x86_64" and sys.implementation.name == "cpython"
    as_usual = not any(name.startswith("NUMBA_") for name in os.environ) and not Path(SETTINGS).exists()
    _preferred = known and as_usual and "numba" not in sys.modules and not inventory.modules


def preferred() -> bool:
    """Whether kernels are called without Numba."""
    return _preferred


class DirectKernel:
    """A kernel that is called without Numba, for as long as machine code is found for all kernels that are called."""

    def __init__(self, function: Callable[..., Any], options: dict[str, bool]) -> None:
        self.py_func, self.options = function, options
        self.dispatcher: Any = None  # Numba's, once that is imported
        self._loaded: dict[str, Any] = {}  # types of the arguments -> what to call

    def __call__(self, *arguments: Any, **named: Any) -> Any:
        """Run the machine code for these arguments."""
        if self.dispatcher is None and not named:
            types = types_of_values(arguments)
            found = self._loaded.get(types) or self._load(types)  # type: ignore[arg-type]
            if found is not None:
                return found(*arguments)
        if self.dispatcher is None:
            _leave()
        return self.dispatcher(*arguments, **named)

    def _load(self, types: str | None) -> Any:
        """What to call for these types; None if it has to be Numba."""
        with _lock:
            if types is None or types in self._loaded or self.dispatcher is not None:
                return self._loaded.get(types)  # type: ignore[arg-type]
            try:
                found = next((each for each in _stored(self.py_func) if each["types"] == types), None)
                if found is not None:
                    self._loaded[types] = _made_callable(self.py_func, found)
            except Exception:  # a damaged file, another Numba than expected: whatever it is, Numba can do without
                return None
            return self._loaded.get(types)


def _stored(function: Any) -> Iterator[dict[str, Any]]:
    """The compiled forms of a kernel that this processor can run: those of this machine first, then shipped ones."""
    place = place_of(function.__module__)
    version = "".join(map(str, sys.version_info[:2])) + sys.abiflags
    name = f"{function.__module__.rpartition('.')[2]}.{function.__qualname__}-{function.__code__.co_firstlineno}"
    files = f"{place}/{name}.py{version}"
    if root := cache_directory():
        for content in _numbered(lambda file: (root / file).read_bytes(), files):
            if content["processor"] is not None and content["processor"] == processor.identity():
                yield content
    if shipped := manifest.find():
        yield from _numbered(shipped.read, files)


def _numbered(read: Callable[[str], bytes], files: str) -> Iterator[dict[str, Any]]:
    """What Python needs of the files of a kernel, which are numbered from 1."""
    number = 1
    while True:
        try:
            content = read(f"{files}.{number}.nbc")
        except FileNotFoundError:
            return
        yield pickle.loads(content)[0]  # noqa: S301 (only we can write to the cache; shipped files have been checked)
        number += 1


def _made_callable(function: Any, stored: dict[str, Any]) -> Any:
    """What to call to run machine code."""
    from dragoman.kernels.numba_runtime import runtime
    from dragoman.kernels.object_file import LoadedObject

    numba = runtime()
    code = LoadedObject(stored["code"], numba.address, numba.protect)
    environments = []
    for name, constants in stored["environments"]:
        environments.append(numba.environment(constants))
        code.set_pointer(name, id(environments[-1]))
    (wrapper,) = (address for name, address in code.names.items() if name.startswith(WRAPPER))
    return numba.callable_at(wrapper, function, environments[0], (code, environments))


def _leave() -> None:
    """Import Numba, and let it do everything from now on."""
    global _preferred
    with _lock:
        if not _preferred:
            return
        _preferred = False
        from dragoman.kernels.dispatchers import make_dispatcher

        direct = [each for each in inventory.kernels.values() if isinstance(each, DirectKernel)]
        for each in direct:
            each.dispatcher = make_dispatcher(each.py_func, each.options)
        for name in inventory.modules:  # kernels that call kernels have to find those that Numba knows
            globals_ = vars(sys.modules[name])
            globals_ |= {name: each.dispatcher for name, each in globals_.items() if isinstance(each, DirectKernel)}
