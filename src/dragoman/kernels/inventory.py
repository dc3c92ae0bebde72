"""What has been imported: kernels, the modules that define them, and the functions that exercise them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

kernels: dict[str, Any] = {}  # qualified name -> Numba dispatcher
modules: set[str] = set()  # names of the modules these come from
exercises: list[Callable[[], None]] = []


def name_of(function: Any) -> str:
    """The name under which a function is known."""
    return f"{function.__module__}.{function.__qualname__}"
