"""A worker process of `warm_up.py`: reads names of exercises and runs them, which fills the cache.

→  dragoman.models.language._exercise
←  done 287309824        bytes of memory in use; or "failed", with them
"""

from __future__ import annotations

import gc
import importlib
import os
import sys
from contextlib import suppress
from pathlib import Path

from dragoman.kernels import inventory

POLITENESS = 5  # of the process: a server that has begun to work goes first


def main() -> None:
    """Work until there are no more names."""
    with suppress(OSError, AttributeError):
        os.nice(POLITENESS)
    answers, sys.stdout = sys.stdout, sys.stderr  # whatever an exercise prints is no answer
    for line in sys.stdin:
        try:
            _exercise(line.strip())
            outcome = "done"
        except Exception:  # whoever needs these kernels will meet the error, and report it
            outcome = "failed"
        settle()
        print(outcome, _memory(), file=answers, flush=True)


def settle() -> None:
    """Free what is left of compiling, once; what is still there stays, and need not be looked through again."""
    gc.collect()
    gc.freeze()


def _exercise(name: str) -> None:
    importlib.import_module(name.rpartition(".")[0])
    next(function for function in inventory.exercises if inventory.name_of(function) == name)()


def _memory() -> int:
    """Bytes of memory in use, as far as the system says."""
    with suppress(OSError, AttributeError):
        pages = int(Path("/proc/self/statm").read_text().split()[1])
        return pages * os.sysconf("SC_PAGE_SIZE")
    return 0


if __name__ == "__main__":
    main()
