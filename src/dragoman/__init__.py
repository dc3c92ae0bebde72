"""dragoman: an adaptive translation engine. It translates, you correct, it learns at once."""

from importlib import import_module
from typing import TYPE_CHECKING, Any

__version__ = "0.2.0"
__all__ = ["Engine", "__version__"]

if TYPE_CHECKING:
    from dragoman.engine import Engine


def __getattr__(name: str) -> Any:
    """Import the engine, and Numba with it, only when it is asked for."""
    if name == "Engine":
        return import_module("dragoman.engine").Engine
    raise AttributeError(f"module 'dragoman' has no attribute {name!r}")
