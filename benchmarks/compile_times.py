"""Where the processor time of a whole warm-up goes: by stage of the compiler, and by kernel.

Compiles every kernel into an empty cache and prints two tables; docs/use/kernels.md shows them. It takes as long as
the first start of dragoman does. Only processor time is counted, so it may run beside other work.

    python benchmarks/compile_times.py [--most 25] [--cache directory]
"""

from __future__ import annotations

import argparse
import os
import resource
import tempfile
import time
from collections import defaultdict
from collections.abc import Callable
from typing import Any

OUTSIDE = ("-", "exercises")
PASSES = {"nopython_type_inference": "types", "native_lowering": "lowering"}


class StageClock:
    """Seconds of processor time for each kernel and stage; a stage inside another stops the clock of the outer one."""

    def __init__(self) -> None:
        self.seconds: dict[tuple[str, str], float] = defaultdict(float)
        self._running = [OUTSIDE]
        self._since = time.thread_time()

    def _charge(self) -> None:
        now = time.thread_time()
        self.seconds[self._running[-1]] += now - self._since
        self._since = now

    def start(self, stage: str, kernel: str | None = None) -> None:
        """A stage begins, of the kernel that is being compiled or of another one."""
        self._charge()
        self._running.append((kernel or self._running[-1][0], stage))

    def stop(self) -> None:
        """The stage that began last ends."""
        self._charge()
        self._running.pop()

    def watch(self, owner: Any, name: str, stage: str) -> None:
        """Charge all calls of a method to a stage."""
        method: Callable[..., Any] = getattr(owner, name)

        def timed(*arguments: Any, **options: Any) -> Any:
            self.start(stage)
            try:
                return method(*arguments, **options)
            finally:
                self.stop()

        setattr(owner, name, timed)


def listen(clock: StageClock) -> None:
    """Have Numba and its cache tell the clock about their stages."""
    from numba.core import caching, codegen, event

    class Compiling(event.Listener):  # type: ignore[misc]
        def on_start(self, happening: Any) -> None:
            function = happening.data["dispatcher"].py_func
            clock.start("analysis", f"{function.__module__.removeprefix('dragoman.')}.{function.__name__}")

        def on_end(self, happening: Any) -> None:  # noqa: ARG002 (Numba's signature)
            clock.stop()

    class Passes(event.Listener):  # type: ignore[misc]
        def on_start(self, happening: Any) -> None:
            clock.start(PASSES.get(str(happening.data["name"]).split()[0], "analysis"))

        def on_end(self, happening: Any) -> None:  # noqa: ARG002 (Numba's signature)
            clock.stop()

    event.register("numba:compile", Compiling())
    event.register("numba:run_pass", Passes())
    clock.watch(codegen.CPUCodeLibrary, "finalize", "linking")
    clock.watch(codegen.CPUCodeLibrary, "_optimize_functions", "optimising")
    clock.watch(codegen.CPUCodeLibrary, "_optimize_final_module", "optimising")
    clock.watch(codegen.JITCodeLibrary, "_finalize_specific", "machine code")
    clock.watch(caching.Cache, "load_overload", "cache")
    clock.watch(caching.Cache, "save_overload", "cache")


def print_tables(seconds: dict[tuple[str, str], float], most: int) -> None:
    """The seconds by stage, and the kernels that take most of them."""
    stages: dict[str, float] = defaultdict(float)
    kernels: dict[str, float] = defaultdict(float)
    for (kernel, stage), each in seconds.items():
        stages[stage] += each
        kernels[kernel] += each
    print(f"| stage | seconds |\n|---|---|\n| all | {sum(stages.values()):.1f} |")
    for stage, each in sorted(stages.items(), key=lambda pair: -pair[1]):
        print(f"| {stage} | {each:.1f} |")
    names = sorted(stages, key=lambda stage: -stages[stage])
    print(f"\n| kernel | all | {' | '.join(names)} |\n|---|---|{'---|' * len(names)}")
    for kernel, each in sorted(kernels.items(), key=lambda pair: -pair[1])[:most]:
        print(f"| `{kernel}` | {each:.2f} | {' | '.join(f'{seconds.get((kernel, s), 0):.2f}' for s in names)} |")


def main() -> None:
    """Compile everything, and print the tables."""
    arguments = argparse.ArgumentParser(description="Processor time of a whole warm-up, by stage and kernel.")
    arguments.add_argument("--most", type=int, default=25, help="number of kernels to list")
    arguments.add_argument("--cache", help="compile into this directory; what is there already is not compiled")
    most, kept = vars(arguments.parse_args()).values()
    with tempfile.TemporaryDirectory() as temporary:
        os.environ["DRAGOMAN_CACHE"] = kept or temporary
        from dragoman.kernels import compile_worker, inventory, sources
        from dragoman.kernels.warm_up import load_kernels

        clock = StageClock()
        listen(clock)
        for name in sources.exercises():
            load_kernels([name])  # in this process, whose events are heard
            compile_worker.settle()
        clock.start("exercises")
        print_tables(clock.seconds, most)
    kernels = inventory.kernels
    called = sum(len(each.overloads) for each in kernels.values())
    lowered = sum(len(each.lowered) for each in kernels.values())
    print(f"\n{len(kernels)} kernels, {lowered} with their types; {called} have machine code, for Python to call")
    print(f"peak memory: {resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024} MB")


if __name__ == "__main__":
    main()
