"""Compiled functions: the decorator that all of them use, and the cache that keeps them from one run to the next.

1. A module whose name ends in `kernels` defines its functions with `@kernel`. It imports nothing but NumPy and other
   kernel modules, and its functions take numbers, arrays and named tuples of arrays, never Python objects.
2. A function is compiled when it is first called with new types, releases the GIL, and is stored on disk under a key:
   the hash of its module's source and of the kernel modules that this one imports. Numba itself does not notice when a
   function imported from another file has changed; with this key it does not have to.
3. `@exercise` marks a plain function that calls the kernels of a module once on tiny data. `warm()` runs all of these,
   so that a server or a test suite compiles up front.

The cache and the progress line use parts of Numba that are not public. pyproject.toml therefore limits its version, and
tests/test_kernels.py says what has changed when they stop working.
"""

from __future__ import annotations

import ast
import contextlib
import hashlib
import importlib.util
import os
import pkgutil
import re
import shutil
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numba
import platformdirs
from numba.core import caching, config, event
from numba.core.runtime import rtsys

from dragoman.kernel_compiler import FORMAT, KernelDispatcher, LoweredCache, MachineCodeCache

KEYS_KEPT = 3  # per module, so that two checkouts, or a branch and its parent, do not evict each other's kernels
_STATEMENT = re.compile(rb"^[ \t]*(?:import|from)\b[^\n#(]*(?:\([^)]*\))?[^\n]*", re.MULTILINE)
_IMPORT = re.compile(rb"\bimport\b")
OPTIONS = {"nogil": True, "error_model": "numpy"}

_kernels: dict[str, Any] = {}  # qualified name -> Numba dispatcher
_modules: set[str] = set()  # names of the modules these come from
_exercises: list[Callable[[], None]] = []
_digests: dict[str, str] = {}  # module name -> hash of its source and of what it imports


def kernel(function: Callable[..., Any]) -> Callable[..., Any]:
    """Compile a function with Numba on its first call; cached on disk, GIL released."""
    if config.DISABLE_JIT:
        return function
    dispatcher = KernelDispatcher(function, OPTIONS)
    if Path(function.__code__.co_filename).is_file():  # a function typed at a prompt has no source to hash
        dispatcher._cache = _KernelCache(function, _MachineCode)
        dispatcher.lowered_cache = _KernelCache(function, _Lowered)
    _kernels[f"{function.__module__}.{function.__qualname__}"] = dispatcher
    _modules.add(function.__module__)
    return dispatcher


def lean(function: Callable[..., Any]) -> Callable[..., Any]:
    """A kernel without Numba's reference counting, for functions that make no arrays and return only numbers.

    Where tuples of arrays are passed from function to function, reference counting costs more than everything else.
    """
    dispatcher: Any = kernel(function)
    if not config.DISABLE_JIT:
        dispatcher.targetoptions["_nrt"] = False
    return dispatcher  # type: ignore[no-any-return]


def exercise(function: Callable[[], None]) -> Callable[[], None]:
    """Mark a function that calls the kernels of its module once, with the types of real use."""
    _exercises.append(function)
    return function


def warm(without: tuple[str, ...] = ()) -> int:
    """Compile every kernel of the package or load it from the cache; returns the number of kernels.

    Those of modules whose name begins with one of `without` are left until they are used.
    """
    package = importlib.import_module("dragoman")
    for found in pkgutil.walk_packages(package.__path__, "dragoman."):
        if found.name.endswith("kernels") and not found.name.startswith(without):
            importlib.import_module(found.name)
            served = found.name.removesuffix("_kernels")  # the module beside it, with its exercise
            if importlib.util.find_spec(served):
                importlib.import_module(served)
    for function in _exercises:
        if not function.__module__.startswith(without):
            function()
    return len(_kernels)


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


def digest(module: str) -> str:
    """The hash of a module's source and, recursively, of the kernel modules that it imports."""
    if module not in _digests:
        source = Path(str(sys.modules[module].__file__)).read_bytes()
        inherited = [digest(name) for name in sorted(_imported(module, source))]
        _digests[module] = hashlib.sha256(source + "".join(inherited).encode()).hexdigest()
    return _digests[module]


def _imported(module: str, source: bytes) -> set[str]:
    """Names of the kernel modules that the source imports, except this one, whose OPTIONS are part of the key."""
    package = str(sys.modules[module].__package__)
    names: set[str] = set()
    for node in ast.walk(_import_statements(source)):
        if isinstance(node, ast.Import):
            names.update(alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            above = package.rsplit(".", node.level - 1)[0] if node.level else ""
            origin = ".".join(part for part in (above, node.module) if part)
            names.update([origin, *(f"{origin}.{alias.name}" for alias in node.names)])
    ours = {name for name in names if name.startswith("dragoman.") or name in _modules}
    files = {name for name in ours if name in sys.modules and not hasattr(sys.modules[name], "__path__")}
    return files - {__name__, module}


def _import_statements(source: bytes) -> ast.Module:
    """The import statements of a module, or all of it; parsing only these makes a tenth of a second at each start."""
    found = b"\n".join(each[0].strip() for each in _STATEMENT.finditer(source))
    if len(_IMPORT.findall(found)) == len(_IMPORT.findall(source)):  # otherwise some are not on lines of their own
        with contextlib.suppress(SyntaxError):  # a line of a docstring that begins with "from"
            return ast.parse(found)
    return ast.parse(source)


class _Locator(caching._CacheLocator):  # type: ignore[misc]
    """Tells Numba where the compiled forms of one function are kept: <cache>/<module>-<key>/."""

    def __init__(self, function: Any, root: Path) -> None:
        settings = f"{numba.__version__} {sys.version_info[:2]} {OPTIONS} {FORMAT} {config.BOUNDSCHECK} {config.OPT}"
        self.key = hashlib.sha256((digest(function.__module__) + settings).encode()).hexdigest()[:16]
        self.directory = root / f"{function.__module__}-{self.key}"
        self.line = function.__code__.co_firstlineno
        self._py_file = function.__code__.co_filename

    def get_cache_path(self) -> str:
        return str(self.directory)

    def get_source_stamp(self) -> str:
        return self.key

    def get_disambiguator(self) -> str:
        return str(self.line)

    def ensure_cache_path(self) -> None:
        if not self.directory.is_dir():
            self.directory.mkdir(mode=0o700, parents=True, exist_ok=True)
            self._drop_old_keys()

    def _drop_old_keys(self) -> None:
        siblings = self.directory.parent.glob(self.directory.name.removesuffix(self.key) + "*")
        newest_first = sorted(siblings, key=lambda path: path.stat().st_mtime, reverse=True)
        for old in newest_first[KEYS_KEPT:]:
            shutil.rmtree(old, ignore_errors=True)

    @classmethod
    def from_function(cls, py_func: Any, py_file: str) -> _Locator | None:  # noqa: ARG003 (Numba's signature)
        root = cache_directory()
        return None if root is None else cls(py_func, root)


class _MachineCode(MachineCodeCache):
    _locator_classes = (_Locator,)


class _Lowered(LoweredCache):
    _locator_classes = (_Locator,)


class _Cache(caching.Cache):  # type: ignore[misc]
    """Numba's cache, except that loading machine code does not load everything that compiling needs."""

    def __init__(self, function: Any, kind: type[Any]) -> None:
        self._impl_class = kind
        super().__init__(function)

    def load_overload(self, signature: Any, context: Any) -> Any:
        rtsys.initialize(context)
        return self._load_overload(signature, context)


class _KernelCache:
    """Numba's cache of one function, opened at first use; if it cannot be read or written, that only costs time."""

    def __init__(self, function: Any, kind: type[Any]) -> None:
        self._function = function
        self._kind = kind
        self._opened: Any = None

    def _open(self) -> Any:
        if self._opened is None:
            try:
                self._opened = _Cache(self._function, self._kind)
            except (RuntimeError, OSError):  # there is no directory for it
                self._opened = caching.NullCache()
        return self._opened

    def load_overload(self, signature: Any, context: Any) -> Any:
        try:
            return self._open().load_overload(signature, context)
        except Exception:  # a damaged file in the cache: compile again and overwrite it
            with contextlib.suppress(OSError):
                self._open().flush()
            return None

    def save_overload(self, signature: Any, result: Any) -> None:
        try:
            self._open().save_overload(signature, result)
        except OSError:
            self._opened = caching.NullCache()

    @property
    def cache_path(self) -> str | None:
        return self._open().cache_path  # type: ignore[no-any-return]


class _ProgressLine(event.Listener):  # type: ignore[misc]
    """Shows on the terminal how many kernels are being compiled; the line is erased afterwards."""

    def __init__(self) -> None:
        self.compiled: set[str] = set()
        self.depth = 0

    def on_start(self, happening: Any) -> None:
        function = happening.data["dispatcher"].py_func
        name = f"{function.__module__}.{function.__qualname__}"
        if name not in _kernels:
            return
        self.compiled.add(name)
        self.depth += 1
        line = f"compiling kernels, once: {len(self.compiled)}/{len(_kernels)}"
        if sys.stderr.isatty():
            print(f"\r\x1b[K{line}", end="", file=sys.stderr, flush=True)
        elif len(self.compiled) == 1:
            print(line, file=sys.stderr, flush=True)

    def on_end(self, happening: Any) -> None:
        function = happening.data["dispatcher"].py_func
        if f"{function.__module__}.{function.__qualname__}" in _kernels:
            self.depth -= 1
            if self.depth == 0 and sys.stderr.isatty():
                print("\r\x1b[K", end="", file=sys.stderr, flush=True)


event.register("numba:compile", _ProgressLine())
