"""The names of the systems that are compared, in the order in which reports show them."""

from __future__ import annotations

MEMORY, ENGINE, BOTH = "memory alone", "engine alone", "memory plus engine"
SIMILAR = "similar matches plus engine"
ALONE, OVER = "dragoman alone", "dragoman over the engine"
SYSTEMS = MEMORY, ENGINE, BOTH, SIMILAR, ALONE, OVER
OURS = ALONE, OVER
SUGGESTED, ANSWERED = "dragoman's suggestions", "the engine's own words"  # in real work
STYLES = {name: number for number, name in enumerate(SYSTEMS)} | {
    ANSWERED: 1,
    SUGGESTED: 5,
}  # of curves, kept everywhere
