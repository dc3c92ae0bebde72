"""Set-up of the whole test-suite: kernels are compiled once, before the tests are shared out."""

from __future__ import annotations

import os

import pytest
from hypothesis import settings

settings.register_profile("dragoman", deadline=None, derandomize=bool(os.environ.get("CI")))
settings.load_profile("dragoman")


def pytest_sessionstart(session: pytest.Session) -> None:
    """Warm up in the process that starts the others, so that they find everything in the cache."""
    if "PYTEST_XDIST_WORKER" not in os.environ and not session.config.option.collectonly:
        from dragoman import kernels

        kernels.warm(load=False)
