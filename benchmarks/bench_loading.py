"""Loading: processor time and memory of `import dragoman`, of one `dragoman translate` and of its parts, all warm.

    python benchmarks/bench_loading.py [--runs 5]

The shipped manual is learned into a project first, which compiles what is needed. Then each program runs several times
in a process of its own, and the quickest run counts.
"""

from __future__ import annotations

import argparse
import os
import resource
import subprocess
import sys
import tempfile
from pathlib import Path

SENTENCE = "Press the green button."
MAKE = """
import sys
from dragoman import Engine
from dragoman.sample import pairs
with Engine.create(sys.argv[1], source="en", target="es") as engine:
    engine.train(pairs())
    engine.translate("Press the green button.")
"""
OPEN = "import sys; from dragoman import Engine; Engine.open(sys.argv[1])"
PROGRAMS = {
    "python": ["-c", "pass"],
    "numpy": ["-c", "import numpy"],
    "numba": ["-c", "import numba"],
    "sqlalchemy": ["-c", "import sqlalchemy"],
    "import dragoman": ["-c", "import dragoman"],
    "from dragoman import Engine": ["-c", "from dragoman import Engine"],
    "Engine.open": ["-c", OPEN, "PROJECT"],
    "dragoman --help": ["-m", "dragoman", "--help"],
    "dragoman translate": ["-m", "dragoman", "translate", "PROJECT", SENTENCE],
}


def measure(arguments: list[str], environment: dict[str, str]) -> tuple[float, int]:
    """Processor seconds and megabytes of memory of one process."""
    started = subprocess.Popen([sys.executable, *arguments], env=environment, stdout=subprocess.DEVNULL)
    _, status, used = os.wait4(started.pid, 0)
    if status:
        raise SystemExit(f"{arguments} failed")
    return used.ru_utime + used.ru_stime, used.ru_maxrss // (1 << 20 if sys.platform == "darwin" else 1 << 10)


def main() -> None:
    """Make a project, and print a table."""
    arguments = argparse.ArgumentParser(description="Processor time and memory of loading.")
    arguments.add_argument("--runs", type=int, default=5, help="runs of each program, of which the quickest counts")
    runs = arguments.parse_args().runs
    with tempfile.TemporaryDirectory() as directory:
        project = str(Path(directory, "project"))
        # Byte code is kept, as in any installation, even where the environment says otherwise
        environment = os.environ | {"PYTHONPYCACHEPREFIX": str(Path(directory, "byte-code"))}
        environment.pop("PYTHONDONTWRITEBYTECODE", None)
        subprocess.run([sys.executable, "-c", MAKE, project], env=environment, check=True)
        print("| program | processor seconds | MB |\n|---|---|---|")
        for name, program in PROGRAMS.items():
            filled = [project if each == "PROJECT" else each for each in program]
            seconds, memory = min(measure(filled, environment) for _ in range(runs + 1))
            print(f"| `{name}` | {seconds:.2f} | {memory} |", flush=True)
    print(f"memory of this process: {resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024} MB")


if __name__ == "__main__":
    main()
