"""The checks of `dragoman doctor`: each finding is fine, or says what to do about it."""

from __future__ import annotations

import json
import os
import platform
import shutil
import time
from collections.abc import Callable
from dataclasses import asdict, dataclass
from importlib.metadata import version
from pathlib import Path

import numpy as np
from rich.console import Console
from rich.table import Table as Grid
from rich.text import Text

from dragoman import __version__, kernels
from dragoman.kernels import manifest, warm_up
from dragoman.tables import Table
from dragoman.text.tokens import join, split

LEAST_DISK = 1 << 30
LEAST_MEMORY = 1 << 30


@dataclass(frozen=True)
class Diagnosis:
    """The result of one check."""

    what: str
    found: str
    remedy: str = ""  # empty when all is well


def examine() -> list[Diagnosis]:
    """Run all checks."""
    checks: list[Callable[[], Diagnosis]] = [_versions, _processor, _memory, _disk, _kernel_cache]
    checks += [_shipped_kernels, _self_test]
    return [check() for check in checks]


def show(findings: list[Diagnosis], *, as_json: bool) -> None:
    """Print the findings for people, or for programs."""
    if as_json:
        print(json.dumps([asdict(finding) for finding in findings], indent=1))
        return
    grid = Grid.grid(padding=(0, 2))
    for finding in findings:
        mark = Text(f"→ {finding.remedy}", "yellow") if finding.remedy else Text("ok", "green")
        grid.add_row(Text(finding.what, "bold"), Text(finding.found), mark)
    Console(soft_wrap=True).print(grid)


def _versions() -> Diagnosis:
    parts = [f"{name} {version(name)}" for name in ("numba", "numpy")]
    return Diagnosis("versions", f"dragoman {__version__}, Python {platform.python_version()}, {', '.join(parts)}")


def _processor() -> Diagnosis:
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    return Diagnosis("processor", f"{platform.machine()}, {cores} core{'s' if cores > 1 else ''}")


def _memory() -> Diagnosis:
    free = _free_memory()
    if free is None:
        return Diagnosis("memory", "unknown on this system")
    remedy = "close other programs: a trained base needs about 1 GB" if free < LEAST_MEMORY else ""
    return Diagnosis("memory", f"{free / 2**30:.1f} GB free", remedy)


def _free_memory() -> int | None:
    """Bytes of memory available, if the system says so."""
    try:
        lines = Path("/proc/meminfo").read_text().splitlines()
        return next(int(line.split()[1]) << 10 for line in lines if line.startswith("MemAvailable:"))
    except (OSError, StopIteration):
        return None


def _disk() -> Diagnosis:
    free = shutil.disk_usage(Path.cwd()).free
    remedy = "free some space: corrections are only learned once they are safe on disk" if free < LEAST_DISK else ""
    return Diagnosis("disk", f"{free / 2**30:.1f} GB free here", remedy)


def _kernel_cache() -> Diagnosis:
    directory = kernels.cache_directory()
    if directory is None:
        remedy = "set DRAGOMAN_CACHE to a directory that only you can write to, or every start compiles for minutes"
        return Diagnosis("kernel cache", "none", remedy)
    size = sum(path.stat().st_size for path in directory.rglob("*.nbc"))
    state = f"{directory}, {warm_up.compiled()} compiled kernels, {size / 2**20:.1f} MB"
    if not os.access(directory, os.W_OK):
        state += ", read-only"
    return Diagnosis("kernel cache", state)


def _shipped_kernels() -> Diagnosis:
    if reason := manifest.problem():
        return Diagnosis("shipped kernels", f"not used: {reason}")
    found = manifest.find()
    if found is None:
        return Diagnosis("shipped kernels", "none; install dragoman[kernels] to start without compiling")
    fits = "" if found.fingerprint == warm_up.fingerprint() else ", from other sources: some kernels are compiled here"
    return Diagnosis("shipped kernels", f"for {found.processor[1]}, in {found.root}{fits}")


def _self_test() -> Diagnosis:
    began = time.perf_counter()
    can_keep = kernels.cache_directory() is not None or warm_up.is_complete()
    count = kernels.warm() if can_keep else 0  # otherwise compiling would be for nothing
    warmed = time.perf_counter() - began
    table = Table({"count": np.int64})
    table.add([3, 4, 3], count=1)
    text = "Pulse el «botón» verde {name}: 1,8 l."
    if table.get([3, 4, 5], "count").tolist() != [2, 1, 0] or join(split(text)) != text:
        return Diagnosis("self-test", "wrong results", "delete the kernel cache directory and reinstall dragoman")
    ready = f"{count} kernels ready in {warmed:.1f} s, " if count else ""
    return Diagnosis("self-test", f"{ready}tables and text work")
