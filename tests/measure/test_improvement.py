"""What changed translations are worth is counted by segment, with intervals that hold the figures."""

from __future__ import annotations

import pytest

from dragoman.measure import improvement

REFERENCES = ["press the green button", "close the lid", "wait", "open the lid slowly"] * 20
BEFORE = ["push the green button", "close the lid", "wait", "open lid"] * 20


def test_better_and_worse_segments_and_edits_saved_are_counted() -> None:
    after = ["press the green button", "close a lid", "wait", "open the lid slowly"] * 20
    found = improvement(BEFORE, after, REFERENCES)
    assert (found.changed, found.better, found.worse) == (60, 40, 20)
    assert found.saved.score == pytest.approx((1 - 1 + 2) / 3)
    assert found.saved.low < found.saved.score < found.saved.high
    assert found.share.score == pytest.approx(200 / 3)
    assert found.share.low < found.share.score < found.share.high
    assert "60 changed: 40 better, 20 worse" in str(found)


def test_what_is_not_changed_saves_nothing() -> None:
    found = improvement(BEFORE, BEFORE, REFERENCES)
    assert (found.changed, found.better, found.worse, found.saved.score) == (0, 0, 0, 0.0)
    assert str(found) == "none changed"


def test_changes_that_only_harm_have_negative_savings() -> None:
    found = improvement(REFERENCES, BEFORE, REFERENCES)
    assert (found.better, found.worse) == (0, 40)
    assert found.saved.high < 0
