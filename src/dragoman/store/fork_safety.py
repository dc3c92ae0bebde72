"""What a forked child must let go of, so that it does not keep what its parent holds when the parent ends.

A lock on a file and the session of a database belong to every process that has the descriptor. A child inherits it
without knowing, and a killed parent would seem to go on writing for as long as the child lives.
"""

from __future__ import annotations

import os
from typing import Any, Protocol
from weakref import WeakSet

KEPT: list[Any] = []  # in a child: connections of the parent, which must not be closed, not even as garbage


class Inherited(Protocol):
    """Something that only the process that made it may use."""

    def let_go(self) -> None:
        """Called in a child: give up what is the parent's, without disturbing the parent."""


_inherited: WeakSet[Any] = WeakSet()


def only_here(thing: Inherited) -> None:
    """Have `let_go` called in each child that is forked from now on."""
    _inherited.add(thing)


def detach(descriptor: int) -> None:
    """Let a descriptor lead nowhere: closing it would free its number, which its owner would later close again."""
    nowhere = os.open(os.devnull, os.O_RDWR)
    os.dup2(nowhere, descriptor)
    os.close(nowhere)


def _let_go() -> None:
    for thing in list(_inherited):
        thing.let_go()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_let_go)
