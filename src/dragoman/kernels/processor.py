"""Which processor this is, in the words of LLVM if it is loaded, otherwise in those of Linux.

Machine code that was made for one processor may crash another, so it is only run where one of these says it can be.
"""

from __future__ import annotations

import functools
import hashlib
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

DESCRIPTION = Path("/proc/cpuinfo")
TELLING = ("vendor_id", "cpu family", "model", "model name", "stepping", "flags")  # lines that tell processors apart
LLVM_NAMES = {  # of what Linux calls otherwise
    "abm": "lzcnt",
    "bmi1": "bmi",
    "lahf_lm": "sahf",
    "lm": "64bit",
    "pni": "sse3",
    "sse4_1": "sse4.1",
    "sse4_2": "sse4.2",
}


def numba_setting(name: str) -> Any:
    """One of Numba's settings; None if Numba is not loaded, which it always is where there are any."""
    return getattr(sys.modules.get("numba.core.config"), name, None)


def features() -> Mapping[str, bool]:
    """What this processor can do, under LLVM's names."""
    if llvm := sys.modules.get("llvmlite.binding"):
        return dict(llvm.get_host_cpu_features())
    return {LLVM_NAMES.get(flag, flag): True for flag in _described().get("flags", "").split()}


def identity() -> str | None:
    """What stands for this processor and no other; None where the system does not say."""
    told = _described()
    if "flags" not in told:
        return None
    return hashlib.sha256("\n".join(told.get(name, "") for name in TELLING).encode()).hexdigest()[:16]


@functools.cache
def _described() -> dict[str, str]:
    """What Linux says of the first processor."""
    found: dict[str, str] = {}
    try:
        with DESCRIPTION.open(encoding="utf-8", errors="replace") as lines:
            for line in lines:
                name, colon, value = line.partition(":")
                if not colon:  # the empty line between two processors
                    break
                found[name.strip()] = value.strip()
    except OSError:
        pass
    return found
