"""Set-up of the whole test-suite: the same inputs in every run, kernels compiled once, some tests tried a second time.

With `RANDOM_INPUTS=1` in the environment, tests that draw their inputs draw others in each run.
"""

from __future__ import annotations

import os
import random

import numpy as np
import pytest
from hypothesis import settings

RANDOM_INPUTS = bool(os.environ.get("RANDOM_INPUTS"))

settings.register_profile("dragoman", deadline=None, derandomize=not RANDOM_INPUTS)
settings.load_profile("dragoman")

OUTSIDE = {"browser", "visit"}  # fixtures that drive another process


def pytest_xdist_auto_num_workers() -> int:
    """One more than there are cores, since many tests wait for servers, browsers and disks."""
    return (os.cpu_count() or 1) + 1


def pytest_sessionstart(session: pytest.Session) -> None:
    """Warm up in the process that starts the others, so that they find everything in the cache."""
    if "PYTEST_XDIST_WORKER" not in os.environ and not session.config.option.collectonly:
        from dragoman import kernels

        kernels.warm(load=False)


def pytest_runtest_setup() -> None:
    """Every test draws the same numbers, whichever ran before it."""
    if not RANDOM_INPUTS:
        random.seed(1)
        np.random.seed(1)  # noqa: NPY002 (for libraries that draw from it)


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """A test that drives a browser or another process is tried once more if it fails; no other test is."""
    for item in items:
        if item.get_closest_marker("outside") or OUTSIDE & set(getattr(item, "fixturenames", ())):
            item.add_marker(pytest.mark.flaky(reruns=1))
