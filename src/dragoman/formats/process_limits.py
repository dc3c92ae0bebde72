"""What a process may take when it opens a stranger's file."""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path


def limit_process(memory: int, seconds: int) -> None:
    """Let this process take so many bytes more than it has, and so much time; where the system cannot, it goes on."""
    with suppress(ImportError, OSError, ValueError):
        import resource

        pages = int(Path("/proc/self/statm").read_text(encoding="ascii").split()[0])
        resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds))
        most, hard = pages * resource.getpagesize() + memory, resource.getrlimit(resource.RLIMIT_AS)[1]
        most = most if hard == resource.RLIM_INFINITY else min(most, hard)
        resource.setrlimit(resource.RLIMIT_AS, (most, most))
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
