"""A process that learns is killed at any moment: what it acknowledged is there, and nothing half-done is."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.store.kills import run

pytestmark = [pytest.mark.outside, pytest.mark.long]


def test_nothing_acknowledged_is_lost_by_kill_9(tmp_path: Path) -> None:
    tally = run(tmp_path, 12, seed=11, replay_every=3)
    assert tally.kills == 12
    assert tally.acknowledged >= tally.awaited > 0
