"""The sources of kernels: what a compiled form depends on, and what there is to compile.

Everything here reads files and imports nothing, so that a program can tell whether the cache is complete before it
loads a single kernel.
"""

from __future__ import annotations

import ast
import contextlib
import functools
import hashlib
import re
import sys
from pathlib import Path

from dragoman.kernels import inventory

PACKAGE = Path(__file__).parents[1]
NAME = PACKAGE.name
_STATEMENT = re.compile(rb"^[ \t]*(?:import|from)\b[^\n#(]*(?:\([^)]*\))?[^\n]*", re.MULTILINE)
_IMPORT = re.compile(rb"\bimport\b")
_DECORATED = re.compile(r"^@\w.*\ndef (\w+)", re.MULTILINE)
_EXERCISE = re.compile(r"^@exercise\n(def (\w++).*\n(?:(?:[ \t].*)?\n)*)", re.MULTILINE)

_digests: dict[str, str] = {}  # module name -> hash of its source and of what it imports


def digest(module: str) -> str:
    """The hash of a module's source and, recursively, of the kernel modules that it imports."""
    if module not in _digests:
        file = _file_of(module)
        assert file is not None, f"{module} has no file"  # noqa: S101 (kernels typed at a prompt are not cached)
        source = file.read_bytes()
        inherited = [digest(name) for name in sorted(_imported(module, source))]
        _digests[module] = hashlib.sha256(source + "".join(inherited).encode()).hexdigest()
    return _digests[module]


def _file_of(module: str) -> Path | None:
    """The file of a module, imported or not; None for packages and for what is no module of ours."""
    if imported := sys.modules.get(module):
        file = getattr(imported, "__file__", None)
        return None if file is None or hasattr(imported, "__path__") else Path(file)
    first, _, rest = module.partition(".")
    file = PACKAGE.joinpath(*rest.split(".")).with_suffix(".py")
    return file if first == NAME and rest and file.is_file() else None


def _imported(module: str, source: bytes) -> set[str]:
    """Names of the kernel modules that a source imports; the decorators' options are part of the key elsewhere."""
    imported = sys.modules.get(module)
    package = str(imported.__package__) if imported else module.rpartition(".")[0]
    names: set[str] = set()
    for node in ast.walk(_import_statements(source)):
        if isinstance(node, ast.Import):
            names.update(alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            above = package.rsplit(".", node.level - 1)[0] if node.level else ""
            origin = ".".join(part for part in (above, node.module) if part)
            names.update([origin, *(f"{origin}.{alias.name}" for alias in node.names)])
    ours = {name for name in names if name.startswith(f"{NAME}.") or name in inventory.modules}
    return {name for name in ours if _file_of(name)} - {module}


def _import_statements(source: bytes) -> ast.Module:
    """The import statements of a module, or all of it; parsing only these saves a tenth of a second at each start."""
    found = b"\n".join(each[0].strip() for each in _STATEMENT.finditer(source))
    if len(_IMPORT.findall(found)) == len(_IMPORT.findall(source)):  # otherwise some are not on lines of their own
        with contextlib.suppress(SyntaxError):  # a line of a docstring that begins with "from"
            return ast.parse(found)
    return ast.parse(source)


@functools.cache
def kernel_modules() -> dict[str, int]:
    """The modules of this package that hold kernels, and how many each has."""
    found = ((_module_of(path), path.read_text(encoding="utf-8")) for path in sorted(PACKAGE.rglob("*_kernels.py")))
    return {name: len(_DECORATED.findall(text)) for name, text in found}


@functools.cache
def exercises() -> dict[str, str]:
    """The functions of this package that are marked `@exercise`: their names, and their text."""
    files = ((_module_of(path), path.read_text(encoding="utf-8")) for path in sorted(PACKAGE.rglob("*.py")))
    return {f"{module}.{name}": text for module, whole in files for text, name in _EXERCISE.findall(whole)}


def _module_of(path: Path) -> str:
    return ".".join((NAME, *path.relative_to(PACKAGE).with_suffix("").parts))
