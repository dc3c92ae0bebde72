"""The manifest of shipped kernels: which of them this machine may use.

They are a copy of a cache (`cache_places.py`) with a manifest. Numba's files are pickles, and loading one can run any
code, so nothing is unpickled unless

1. directory and file belong to us, to root, or to whoever owns dragoman's own code, and nobody else can write to them;
2. the manifest is for this version of Python, Numba and llvmlite, for this system, and for processor features that this
   machine has;
3. the file's content has the hash that the manifest lists.

A kernel that fails any of this is compiled as if nothing had been shipped. The hashes protect from damage and half-made
upgrades; from people, the permissions do, as they do for the Python files beside them.

DRAGOMAN_KERNELS names another directory; or it is `native`, to use no shipped kernels at all, or `replace`, to use them
and compile native ones in the background, for the next start.
"""

from __future__ import annotations

import functools
import hashlib
import importlib.util
import json
import os
import platform
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import llvmlite
import llvmlite.binding as llvm
import numba
from numba.core import config

from dragoman.kernels.sources import PACKAGE

DISTRIBUTION = "dragoman_kernels"  # the package that holds them
FOLDER = "compiled"
MANIFEST = "manifest.json"
FORMAT = 1
NATIVE, REPLACE = "native", "replace"


class UnusableError(Exception):
    """Why shipped kernels, or one of their files, are not used."""


@dataclass(frozen=True, eq=False)
class ShippedKernels:
    """A directory of kernels that this machine can run."""

    root: Path
    fingerprint: str  # of the sources that they were compiled from
    processor: tuple[str, str, str]  # LLVM's triple, name and features of the processor that they were compiled for
    hashes: Mapping[str, str]  # path in the directory -> SHA-256

    def magic_tuple(self) -> tuple[str, str, str]:
        """What Numba's index has for the processor; the manifest says who may use it, so we claim to be that one."""
        return self.processor

    def read(self, name: str) -> bytes:
        """The content of a file, once it is known to be what the manifest lists."""
        with (self.root / name).open("rb") as file:
            _check_owner(os.fstat(file.fileno()), name)
            content = file.read()
        if hashlib.sha256(content).hexdigest() != self.hashes.get(name):
            raise UnusableError(f"{name} is not as listed in the manifest")
        return content


def find() -> ShippedKernels | None:
    """The shipped kernels, if there are any that this machine may use."""
    found = _examine(os.environ.get("DRAGOMAN_KERNELS", ""))
    return found if isinstance(found, ShippedKernels) else None


def problem() -> str | None:
    """Why the shipped kernels that are installed are not used; None if they are, or there are none."""
    found = _examine(os.environ.get("DRAGOMAN_KERNELS", ""))
    return str(found) if isinstance(found, UnusableError) else None


@functools.cache
def _examine(chosen: str) -> ShippedKernels | UnusableError | None:
    root = _installed() if chosen in ("", REPLACE) else None if chosen == NATIVE else Path(chosen)
    if root is None or config.DISABLE_JIT:
        return None
    try:
        return open_kernels(root)
    except UnusableError as error:
        return error
    except (OSError, ValueError, KeyError, TypeError, AttributeError) as error:
        return UnusableError(f"the manifest cannot be read ({type(error).__name__})")


def _installed() -> Path | None:
    specification = importlib.util.find_spec(DISTRIBUTION)
    places = (specification.submodule_search_locations or []) if specification else []
    return next((Path(place) / FOLDER for place in places), None)


def open_kernels(root: Path) -> ShippedKernels:
    """The kernels in a directory, or an error that says why this machine cannot use them."""
    for path in (root, root / MANIFEST):
        _check_owner(path.stat(), path.name)
    about = json.loads((root / MANIFEST).read_bytes())
    for name, ours in environment().items():
        if about["environment"].get(name) != ours:
            raise UnusableError(f"they are for {name} {about['environment'].get(name)}, this is {ours}")
    processor = about["processor"]
    triple, name, features = (str(processor[part]) for part in ("triple", "name", "features"))
    _check_processor(name, features)
    for place in {Path(each).parent for each in about["files"]}:
        if place.is_absolute() or ".." in place.parts:
            raise UnusableError("the manifest names files elsewhere")
        _check_owner((root / place).stat(), str(place))
    return ShippedKernels(root, str(about["fingerprint"]), (triple, name, features), about["files"])


def environment() -> dict[str, Any]:
    """What has to be the same where kernels are compiled and where they are used."""
    return {
        "format": FORMAT,
        "python": f"{sys.implementation.name} {sys.version_info.major}.{sys.version_info.minor}",
        "numba": numba.__version__,
        "llvmlite": llvmlite.__version__,
        "system": f"{sys.platform} {platform.machine()}",
    }


def _check_processor(name: str, features: str) -> None:
    """Refuse kernels that need features this machine lacks, or that differ from what Numba was told to compile for."""
    if config.CPU_NAME not in (None, name) or config.CPU_FEATURES not in (None, features):
        raise UnusableError(f"they are for {name}, and Numba's settings ask for {config.CPU_NAME or 'other features'}")
    ours = llvm.get_host_cpu_features()
    needed = [each[1:] for each in features.split(",") if each.startswith("+")]
    missing = [each for each in needed if not ours.get(each)]
    if missing:
        raise UnusableError(f"this processor lacks {', '.join(missing)}")


def _check_owner(status: os.stat_result, name: str) -> None:
    """Refuse what others could have written."""
    if not hasattr(os, "getuid"):
        return
    if status.st_uid not in (os.getuid(), 0, PACKAGE.stat().st_uid):
        raise UnusableError(f"{name} belongs to another user")
    if status.st_mode & 0o022:
        raise UnusableError(f"others can write to {name}")
