"""Elements of an XLIFF 2 file as the rules see them, and how a rule that is broken is told."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field

XML = "http://www.w3.org/XML/1998/namespace "
NAME = re.compile(r"[\w.:-]+")


@dataclass(slots=True)
class Node:
    """An element: its local name if it is one of the core, or else with its namespace."""

    name: str
    attributes: dict[str, str]
    children: list[Node] = field(default_factory=list)
    has_text: bool = False  # that is not only spaces
    is_empty: bool = True

    def all(self, *names: str) -> Iterator[Node]:
        """The elements of some names inside, in the order of the file; without names, of any."""
        for child in self.children:
            if not names or child.name in names:
                yield child
            yield from child.all(*names)

    def named(self, *names: str) -> list[Node]:
        """The elements of some names directly inside."""
        return [child for child in self.children if child.name in names]


class BrokenRuleError(Exception):
    """A rule that a file breaks."""


def demand(rule: bool, what: str) -> None:
    """Refuse the file unless a rule holds."""
    if not rule:
        raise BrokenRuleError(what)


def demand_unique(ids: list[str | None], what: str) -> None:
    """Refuse the file if two things have one id."""
    found = [each for each in ids if each is not None]
    demand(len(found) == len(set(found)), f"two {what} have the same id")


def demand_names(ids: list[str | None]) -> None:
    """Refuse the file if an id has characters that a name must not have."""
    for each in ids:
        demand(each is None or NAME.fullmatch(each) is not None, f"{each!r} is not an id")
