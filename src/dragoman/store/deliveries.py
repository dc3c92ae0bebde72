"""Where corrections came from: the message that delivered each one, and the place that it was made in.

A delivery is recorded in the same transaction as the row that it led to. So one that arrives twice, before or after a
crash, is learned once. The place, such as a string in Weblate or a file that is watched, says what a later edit
replaces; its version says which of two edits is the newer one if they arrive in the wrong order.
"""

from __future__ import annotations

from typing import NamedTuple


class Delivery(NamedTuple):
    """How a correction reached us; what is not known is None."""

    id: str | None = None  # of the message
    place: str | None = None
    version: int = 0  # of the text in that place: greater ones are newer


class Delivered(NamedTuple):
    """A correction that was made in some place."""

    id: int
    source: str
    target: str
    version: int
    in_force: bool
    flagged: bool
