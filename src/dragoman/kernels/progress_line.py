"""The line on the terminal that says how many kernels are compiled; it is erased afterwards."""

from __future__ import annotations

import sys
import time
from typing import Any

from numba.core import event

from dragoman.kernels import inventory
from dragoman.kernels.lookup import KernelCache

EACH = 10.0  # seconds between two lines where there is no terminal


class ProgressLine:
    """Shows a number that grows; where there is no terminal, in a line every ten seconds."""

    def __init__(self) -> None:
        self._shown, self._printed = "", -EACH

    def show(self, done: int, total: int) -> None:
        """Say how many kernels there are, and how many of them are compiled or being compiled."""
        line = f"compiling kernels, once: {done}/{total}"
        if sys.stderr.isatty():
            if line != self._shown:
                print(f"\r\x1b[K{line}", end="", file=sys.stderr, flush=True)
        elif line != self._shown and time.monotonic() - self._printed >= EACH:
            print(line, file=sys.stderr, flush=True)
            self._printed = time.monotonic()
        self._shown = line

    def erase(self) -> None:
        """Remove the line."""
        if self._shown and sys.stderr.isatty():
            print("\r\x1b[K", end="", file=sys.stderr, flush=True)


class CompileListener(event.Listener):  # type: ignore[misc]
    """Hears from Numba what this process compiles."""

    def __init__(self) -> None:
        self._line = ProgressLine()
        self._compiled: set[str] = set()
        self._depth = 0

    def on_start(self, happening: Any) -> None:
        """A function is about to be compiled, perhaps for another that is being compiled."""
        name = inventory.name_of(happening.data["dispatcher"].py_func)
        if name in inventory.kernels:
            self._compiled.add(name)
            self._depth += 1
            self._line.show(len(self._compiled), len(inventory.kernels))

    def on_end(self, happening: Any) -> None:
        """A function was compiled, or could not be; then it will not be stored, and others may try."""
        dispatcher = happening.data["dispatcher"]
        if inventory.name_of(dispatcher.py_func) in inventory.kernels:
            self._depth -= 1
            if happening.is_failed:
                for cache in (dispatcher._cache, dispatcher.lowered_cache):
                    if isinstance(cache, KernelCache):
                        cache.give_up()
            if self._depth == 0:
                self._line.erase()
