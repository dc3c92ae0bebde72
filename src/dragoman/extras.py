"""Optional libraries, which are installed with an extra of the package."""

from __future__ import annotations

from importlib import import_module
from typing import Any

from dragoman.errors import BadInputError


def load(module: str, extra: str) -> Any:
    """Import a module of an optional library; if it is missing, the error says how to install it.

    >>> load("no_such_library", "plots")
    Traceback (most recent call last):
    dragoman.errors.BadInputError: this needs no_such_library; install it with: pip install 'dragoman[plots]'
    """
    try:
        return import_module(module)
    except ImportError:
        library = module.split(".")[0]
        remedy = f"install it with: pip install 'dragoman[{extra}]'"
        raise BadInputError(f"this needs {library}", remedy=remedy) from None
