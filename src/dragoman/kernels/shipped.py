"""Kernels that were compiled elsewhere, for a baseline processor, as the package `dragoman-kernels` ships them.

How Numba loads them, once `manifest.py` has settled that this machine may use them, and how their manifest is written.
"""

from __future__ import annotations

import functools
import hashlib
import json
import pickle
from pathlib import Path
from typing import Any

from numba.core import caching
from numba.core.registry import cpu_target
from numba.core.runtime import rtsys

from dragoman import __version__
from dragoman.kernels.cache import Locator
from dragoman.kernels.cache_places import place_of
from dragoman.kernels.manifest import MANIFEST, ShippedKernels, environment, find


def load(function: Any, kind: type[Any], signature: Any, context: Any) -> Any:
    """The shipped form, of one kind, of a kernel for these types; None if there is none that may be used."""
    kernels = find()
    if kernels is None:
        return None
    try:
        return _load(kernels, function, kind, signature, context)
    except Exception:  # whatever is wrong with the file: it is compiled instead
        return None


def _load(kernels: ShippedKernels, function: Any, kind: Any, signature: Any, context: Any) -> Any:
    cache, place = _shipped_cache(kernels, kind)(function), place_of(function.__module__)
    index = f"{place}/{cache._impl.filename_base}.nbi"
    if index not in kernels.hashes:  # the source differs from what was compiled
        return None
    names = pickle.loads(kernels.read(index))  # noqa: S301 (the hash was checked)
    rtsys.initialize(context)
    name = names.get(cache._index_key(signature, kernels))
    if name is None:
        return None
    return cache._impl.rebuild(context, pickle.loads(kernels.read(f"{place}/{name}")))  # noqa: S301


@functools.cache
def _shipped_cache(kernels: ShippedKernels, kind: type[Any]) -> Any:
    """Numba's cache class for a directory of shipped kernels; it names files and keys, and reads nothing."""

    class ShippedLocator(Locator):
        @classmethod
        def from_function(cls, py_func: Any, py_file: str) -> Locator:  # noqa: ARG003 (Numba's signature)
            return cls(py_func, kernels.root)

    implementation = type("ShippedImpl", (kind,), {"_locator_classes": (ShippedLocator,)})
    return type("ShippedCache", (caching.Cache,), {"_impl_class": implementation})


def write_manifest(root: Path, fingerprint: str) -> None:
    """List the files of a directory, with what they were compiled with and for: this process's settings of Numba."""
    from importlib.metadata import distribution  # which takes longer to import than all the rest here

    triple, name, features = cpu_target.target_context.codegen().magic_tuple()
    tags = [
        line.split()[1] for line in str(distribution("numba").read_text("WHEEL")).splitlines() if line[:4] == "Tag:"
    ]
    files = {path.relative_to(root).as_posix(): path for path in sorted(root.rglob("*.nb?"))}
    manifest = {
        "dragoman": __version__,
        "environment": environment(),
        "platforms": [tag.split("-")[2] for tag in tags],  # where this Numba runs, its code does
        "processor": {"triple": triple, "name": name, "features": features},
        "fingerprint": fingerprint,
        "files": {name: hashlib.sha256(path.read_bytes()).hexdigest() for name, path in files.items()},
    }
    (root / MANIFEST).write_text(json.dumps(manifest, indent=1) + "\n", encoding="utf-8")
    (root / MANIFEST).chmod(0o644)
