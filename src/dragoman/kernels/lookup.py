"""Where a kernel's compiled form comes from.

1. The cache of this machine has it.
2. It is among the shipped kernels (`shipped.py`), which were compiled elsewhere.
3. Another process is compiling it (`claims.py`): wait, and read it from the cache.
4. This process compiles it and stores it in the cache.
"""

from __future__ import annotations

import contextlib
from pathlib import Path
from typing import Any

from numba.core import caching
from numba.core.runtime import rtsys

from dragoman.kernels import claims, shipped
from dragoman.kernels.cache import CacheFiles
from dragoman.kernels.cache_places import place_of


class Cache(caching.Cache):  # type: ignore[misc]
    """Numba's cache of one function, at our place; loading machine code does not load all that compiling needs."""

    def __init__(self, function: Any, kind: type[Any]) -> None:
        self._impl_class = kind
        super().__init__(function)
        self._cache_file = CacheFiles(Path(self.cache_path), self._impl.filename_base)

    def load_overload(self, signature: Any, context: Any) -> Any:
        """The compiled form for these types, if there is one."""
        rtsys.initialize(context)
        return self._load_overload(signature, context)

    @property
    def root(self) -> Path:
        """The directory of the whole cache."""
        return Path(self.cache_path).parent


class KernelCache:
    """What a kernel's dispatcher asks for compiled forms of one kind; whatever goes wrong here only costs time."""

    def __init__(self, function: Any, kind: type[Any]) -> None:
        self._function, self._kind = function, kind
        self._opened: Any = None

    def _open(self) -> Any:
        if self._opened is None:
            try:
                self._opened = Cache(self._function, self._kind)
            except (RuntimeError, OSError):  # there is no directory for it
                self._opened = caching.NullCache()
        return self._opened

    def load_overload(self, signature: Any, context: Any) -> Any:
        """The compiled form for these types; None if this process is to compile it, and then store it."""
        found = self._load(signature, context)
        if found is None:
            found = shipped.load(self._function, self._kind, signature, context)
        if found is None and isinstance(cache := self._open(), Cache):
            claims.take(cache.root, self._claim)
            found = self._load(signature, context)  # another process may have stored it just now
            if found is not None:
                self.give_up()
        return found

    def _load(self, signature: Any, context: Any) -> Any:
        try:
            return self._open().load_overload(signature, context)
        except Exception:  # not what was expected, although nothing is damaged: compile again and overwrite it
            with contextlib.suppress(OSError):
                self._open().flush()
            return None

    def save_overload(self, signature: Any, result: Any) -> None:
        """Store a compiled form."""
        try:
            self._open().save_overload(signature, result)
        except OSError:
            self._opened = caching.NullCache()
        finally:
            self.give_up()

    def give_up(self) -> None:
        """Let others compile this kernel: it is stored, or could not be compiled."""
        if isinstance(cache := self._open(), Cache):
            claims.release(cache.root, self._claim)

    @property
    def _claim(self) -> str:
        return f"{place_of(self._function.__module__)}/{self._function.__qualname__}/{self._kind.__name__}"

    @property
    def cache_path(self) -> str | None:
        """The directory of the kernel's compiled forms."""
        return self._open().cache_path  # type: ignore[no-any-return]
