"""Where compiled kernels are kept, and under which keys. Nothing here imports Numba.

<cache>/<module>-<key>/<function>-<line>.py311.nbi              which types there are compiled forms for
<cache>/<module>-<key>/<function>-<line>.py311.1.nbc            one of these, for Python to call
<cache>/<module>-<key>/<function>-<line>.py311-lowered.1.nbc    what kernels that call it need
"""

from __future__ import annotations

import functools
import hashlib
import importlib.util
import os
import re
import sys
import tempfile
from pathlib import Path
from typing import Any

import platformdirs

from dragoman.kernels.sources import digest

FORMAT = 8  # of what the cache keeps: one more when kernel_compiler.py makes other code, or keeps other parts
OPTIONS = {"nogil": True, "error_model": "numpy"}  # how every kernel is compiled
USUAL = "None _OptLevel(3)"  # Numba's own settings if there are no others: no checks of bounds, all optimisations
_VERSION = re.compile(r"""["_]version"?\s*[:=]\s*["']([^"']+)""")  # in the `_version.py` of both


def cache_directory() -> Path | None:
    """Where compiled kernels are kept; None if no directory can be used, so that every run compiles again."""
    for candidate in _cache_candidates():
        try:
            candidate.mkdir(mode=0o700, parents=True, exist_ok=True)
        except OSError:
            continue
        if _is_ours(candidate) and (os.access(candidate, os.W_OK) or any(candidate.iterdir())):
            return candidate
    return None


def _cache_candidates() -> list[Path]:
    if chosen := os.environ.get("DRAGOMAN_CACHE"):
        return [Path(chosen)]
    user = os.getuid() if hasattr(os, "getuid") else os.environ.get("USERNAME", "user")
    cache = platformdirs.user_cache_path("dragoman", appauthor=False, opinion=False)
    return [cache / "kernels", Path(tempfile.gettempdir()) / f"dragoman-kernels-{user}"]


def _is_ours(directory: Path) -> bool:
    """Whether only we, or root, can write to a directory: what is in it will be executed."""
    status = directory.stat()
    return not hasattr(os, "getuid") or (status.st_uid in (os.getuid(), 0) and not status.st_mode & 0o022)


def key_of(module: str) -> str:
    """What the compiled forms of a module's kernels are stored under: all that they depend on but the processor."""
    config: Any = sys.modules.get("numba.core.config")
    chosen = f"{config.BOUNDSCHECK} {config.OPT}" if config else USUAL
    settings = f"{version_of('numba')} {sys.version_info[:2]} {OPTIONS} {FORMAT} {chosen}"
    return hashlib.sha256((digest(module) + settings).encode()).hexdigest()[:16]


def place_of(module: str) -> str:
    """The directory, inside a cache, of a module's kernels."""
    return f"{module}-{key_of(module)}"


@functools.cache
def version_of(package: str) -> str:
    """The version of Numba or llvmlite, read from its files if it is not imported."""
    if imported := sys.modules.get(package):
        return str(imported.__version__)
    written = _VERSION.search((package_directory(package) / "_version.py").read_text())
    if written is None:
        raise ImportError(f"the version of {package} is not where it used to be")
    return written[1]


def package_directory(package: str) -> Path:
    """Where an installed package is."""
    found = importlib.util.find_spec(package)
    if found is None or found.origin is None:
        raise ImportError(f"{package} is not installed")
    return Path(found.origin).parent
