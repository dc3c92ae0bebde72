"""Kernels that Numba calls, and compiles where it has to."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

from numba.core import config, event

from dragoman.kernels import inventory
from dragoman.kernels.cache import Lowered, MachineCode
from dragoman.kernels.cache_places import OPTIONS
from dragoman.kernels.kernel_compiler import KernelDispatcher
from dragoman.kernels.lookup import KernelCache
from dragoman.kernels.progress_line import CompileListener


def make_dispatcher(function: Callable[..., Any], options: dict[str, bool]) -> Callable[..., Any]:
    """The kernel of a function, compiled with the options of all kernels and these."""
    if config.DISABLE_JIT:
        return function
    dispatcher = KernelDispatcher(function, OPTIONS)
    dispatcher.targetoptions |= options
    if Path(function.__code__.co_filename).is_file():  # a function typed at a prompt has no source to hash
        dispatcher._cache = KernelCache(function, MachineCode)
        dispatcher.lowered_cache = KernelCache(function, Lowered)
    inventory.kernels[inventory.name_of(function)] = dispatcher
    inventory.modules.add(function.__module__)
    return dispatcher


event.register("numba:compile", CompileListener())
