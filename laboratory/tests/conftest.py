"""The set-up of dragoman's own tests."""

from __future__ import annotations

from tests.conftest import pytest_collection_modifyitems, pytest_runtest_setup, pytest_sessionstart  # noqa: F401 (pytest calls them)
