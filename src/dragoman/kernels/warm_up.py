"""Warming up: what the cache lacks is compiled before anybody waits for it, by worker processes on all cores.

1. Each function marked `@exercise` is a task. Those in `FIRST`, which the first suggestion of the workbench needs, come
   before all others.
2. Worker processes (`compile_worker.py`) take tasks one by one. What they compile ends up in the cache; two that need
   the same kernel compile it once (`claims.py`). A worker that has grown large is replaced: memory stays bounded.
3. When all is done, a stamp in the cache says so, and the next start needs no workers. A second program that starts
   meanwhile waits for the first one's workers instead of starting its own.

Where there is no cache to write to, nothing is done here, and kernels are compiled when they are first used.
"""

from __future__ import annotations

import atexit
import functools
import hashlib
import importlib
import os
import subprocess
import sys
import threading
import time
from collections.abc import Collection, Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

import llvmlite.binding as llvm
from numba.core import config

from dragoman.kernels import claims, inventory, manifest
from dragoman.kernels.cache_places import cache_directory, place_of
from dragoman.kernels.progress_line import ProgressLine
from dragoman.kernels.sources import NAME, PACKAGE, exercises, kernel_modules

FIRST = tuple(f"{NAME}.first_suggestion.{each}" for each in ("suggest", "learn", "learn_and_suggest"))
SETTING = "DRAGOMAN_KERNELS"
CLAIM = "warming up"  # held by the one process whose workers compile
LARGE = 800 << 20  # bytes of memory beyond which a worker is replaced
STAMPS_KEPT = 8
PAUSE = 0.2  # seconds between two looks at what another process has done


@dataclass(frozen=True)
class Status:
    """How far warming up has come."""

    done: int  # kernels in the cache
    total: int
    seconds_left: float | None  # as far as can be told from the speed so far


class Warming:
    """Worker processes that compile what the cache lacks; `first` and `finished` are set when they are done with it."""

    def __init__(self) -> None:
        self.first, self.finished = threading.Event(), threading.Event()
        self._root = cache_directory()
        self._tasks = [*FIRST, *(name for name in exercises() if name not in FIRST)]
        self._left = set(self._tasks)
        self._failed: list[str] = []
        self._processes: list[subprocess.Popen[str]] = []
        self._lock = threading.Lock()
        self.stopped = False
        self._began, self._already = time.monotonic(), 0

    def start(self) -> Warming:
        """Begin, unless everything is there already."""
        if self._root is None or config.DISABLE_JIT or not os.access(self._root, os.W_OK) or is_complete(native=True):
            self._finish()
            return self
        if is_complete():  # everything was shipped
            self._finish()
            if os.environ.get(SETTING) != manifest.REPLACE:
                return self
        self._already = compiled()
        atexit.register(self.stop)
        threading.Thread(target=self._run, name="warming up", daemon=True).start()
        return self

    def status(self) -> Status:
        """How far it has come."""
        total = sum(kernel_modules().values())
        if self.finished.is_set():
            return Status(total, total, 0.0)
        done = min(compiled(), total)
        speed = (done - self._already) / max(time.monotonic() - self._began, 0.1)
        return Status(done, total, (total - done) / speed if done > self._already + total // 20 else None)

    def stop(self) -> None:
        """End the workers; what they have compiled is kept."""
        self.stopped = True
        for process in list(self._processes):
            with suppress(OSError):
                process.terminate()

    def _finish(self) -> None:
        self.first.set()
        self.finished.set()

    def _run(self) -> None:
        """Have the workers compile, or wait for those of another process; take over if it ends without finishing."""
        assert self._root is not None  # noqa: S101
        try:
            while not self.stopped and not is_complete(native=True):
                if (self._root / _stamp("first")).exists():
                    self.first.set()
                if claims.attempt(self._root, CLAIM):
                    try:
                        self._compile()
                    finally:
                        claims.release(self._root, CLAIM)
                    return
                time.sleep(PAUSE)
        finally:
            self._finish()

    def _compile(self) -> None:
        threads = [threading.Thread(target=self._work, daemon=True) for _ in range(_workers())]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        if not self._failed and not self.stopped:
            self._write_stamp("all")

    def _work(self) -> None:
        """Keep one worker busy until there are no tasks left."""
        process: subprocess.Popen[str] | None = None
        while (task := self._next()) is not None:
            process = process or self._start_worker()
            answer = _ask(process, task) if process else ""
            if not answer.startswith("done"):
                self._failed.append(task)
            self._done(task)
            if process and (not answer or int(answer.split()[1]) > LARGE):
                _end(process)
                process = None
        if process:
            _end(process)

    def _next(self) -> str | None:
        """The next task; the last of `FIRST` needs the others done, and is passed over until they are."""
        with self._lock:
            early = FIRST[-1] if self._left & set(FIRST[:-1]) else None
            task = None if self.stopped else next((each for each in self._tasks if each != early), None)
            if task is not None:
                self._tasks.remove(task)
            return task

    def _done(self, task: str) -> None:
        with self._lock:
            self._left.discard(task)
            if not self.first.is_set() and not self._left & set(FIRST):
                if not self._failed:
                    self._write_stamp("first")
                self.first.set()

    def _start_worker(self) -> subprocess.Popen[str] | None:
        path = os.pathsep.join(filter(None, [str(PACKAGE.parent), os.environ.get("PYTHONPATH")]))
        settings = {"PYTHONPATH": path, "NUMBA_NUM_THREADS": "1"}
        if os.environ.get(SETTING) == manifest.REPLACE:
            settings[SETTING] = manifest.NATIVE
        command = [sys.executable, "-P", "-m", f"{NAME}.kernels.compile_worker"]
        with suppress(OSError):
            process = subprocess.Popen(  # noqa: S603 (our own module)
                command,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
                text=True,
                env=os.environ | settings,
            )
            self._processes.append(process)
            return process
        return None

    def _write_stamp(self, what: str) -> None:
        assert self._root is not None  # noqa: S101
        with suppress(OSError):
            (self._root / _stamp(what)).touch()
            stamps = sorted(self._root.glob("warm-*"), key=lambda path: path.stat().st_mtime, reverse=True)
            for old in stamps[STAMPS_KEPT:]:
                old.unlink(missing_ok=True)


def warm(*, load: bool = True, only_first: bool = False) -> int:
    """Compile every kernel that is in no cache, on all cores, and load all of them; returns their number.

    Without `load`, they are compiled only. With `only_first`, return when what learning, translating and completing
    need is there; the workers go on with the rest for as long as this process lives.
    """
    line = ProgressLine()
    warming = Warming().start()
    enough = warming.first if only_first else warming.finished
    while not enough.wait(PAUSE):
        status = warming.status()
        line.show(status.done, status.total)
    line.erase()
    if load:
        load_kernels(FIRST[-1:] if only_first else ())
    return len(inventory.kernels)


def load_kernels(only: Collection[str] = (), without: tuple[str, ...] = ()) -> None:
    """Run exercises in this process: all, or only some; what is in no cache is compiled."""
    names = only or exercises()
    for module in {name.rpartition(".")[0]: None for name in names if not name.startswith(without)}:
        importlib.import_module(module)
    for function in inventory.exercises:
        name = inventory.name_of(function)
        if not name.startswith(without) and (not only or name in only):
            function()


def is_complete(*, native: bool = False) -> bool:
    """Whether nothing is left to compile: all of it is in the cache or, unless it has to be native, was shipped."""
    if not native and (found := manifest.find()) and found.fingerprint == fingerprint():
        return True
    root = cache_directory()
    return root is not None and (root / _stamp("all")).exists()


def compiled() -> int:
    """How many kernels the cache has."""
    root = cache_directory()
    return 0 if root is None else sum(_count(root / place_of(module)) for module in kernel_modules())


def _count(place: Path) -> int:
    with suppress(OSError):
        return sum(name.endswith("-lowered.nbi") for name in os.listdir(place))  # noqa: PTH208 (called several times a second)
    return 0


@functools.cache
def fingerprint() -> str:
    """A hash of all that determines what is compiled, except the processor."""
    parts = [*map(place_of, kernel_modules()), *exercises().values()]
    return hashlib.sha256("\n".join(parts).encode()).hexdigest()


@functools.cache
def _stamp(what: str) -> str:
    """The name of the file that says that something is compiled for this processor."""
    processor = config.CPU_NAME or llvm.get_host_cpu_name()
    features = config.CPU_FEATURES or llvm.get_host_cpu_features().flatten()
    return f"warm-{what}-{hashlib.sha256(f'{fingerprint()} {processor} {features}'.encode()).hexdigest()[:16]}"


def _workers() -> int:
    """As many as there are cores and room in memory for."""
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    return max(1, min([cores, *(memory // LARGE for memory in _memory_limits())]))


def _memory_limits() -> Iterator[int]:
    """Bytes of memory that are free, and that a container is allowed, as far as the system says."""
    with suppress(OSError, StopIteration):
        lines = Path("/proc/meminfo").read_text().splitlines()
        yield next(int(line.split()[1]) << 10 for line in lines if line.startswith("MemAvailable:"))
    with suppress(OSError, ValueError):  # no such file, or "max": no limit
        yield int(Path("/sys/fs/cgroup/memory.max").read_text())


def _ask(process: subprocess.Popen[str], task: str) -> str:
    """What a worker answers when it is done with a task; nothing if it has died."""
    try:
        assert process.stdin and process.stdout  # noqa: S101
        process.stdin.write(f"{task}\n")
        process.stdin.flush()
        return process.stdout.readline()
    except OSError:
        return ""


def _end(process: subprocess.Popen[str]) -> None:
    process.communicate()  # closes its standard input: it has nothing more to do
