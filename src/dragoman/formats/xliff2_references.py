"""References inside an XLIFF 2 file: `#n=n1` is a note of this unit, `#/f=f1/u=u2/s1` a segment of another one.

>>> parse_reference("#/f=f1/u=u2/n=n1")
[('f', 'f1'), ('u', 'u2'), ('n', 'n1')]
>>> parse_reference("#u=u2/f=f1") is None  # the file comes first
True
"""

from __future__ import annotations

from dragoman.formats.codes import words
from dragoman.formats.xliff2_nodes import NAME, Node, demand

_AROUND = ("f", "g", "u")  # a file, a group, a unit, from the outside in
_LEAVES = words("n d t")  # a note, data, something in a target
_MODULES = words("mtc gls fs mda res ctr slr val its pgs tbx")  # and extensions that are registered


def parse_reference(reference: str) -> list[tuple[str, str]] | None:
    """The parts of a reference, each with its prefix; None if it breaks a rule of XLIFF."""
    steps = reference.removeprefix("#").removeprefix("/").split("/")
    found: list[tuple[str, str]] = []
    for at, step in enumerate(steps):
        prefix, equals, name = step.rpartition("=")
        is_last = at == len(steps) - 1
        if NAME.fullmatch(name) is None or (not is_last and prefix not in _AROUND):
            return None
        if equals and not (prefix in _AROUND or prefix in _LEAVES or prefix in _MODULES):
            return None
        found.append((prefix, name))
    around = [_AROUND.index(prefix) for prefix, _ in found if prefix in _AROUND]
    return found if around == sorted(set(around)) else None


def check_comment(unit: Node, reference: str) -> None:
    """A comment refers to a note of its unit."""
    notes = {each.attributes.get("id") for kind in unit.named("notes") for each in kind.named("note")}
    parts = parse_reference(reference) if reference.startswith("#") else None
    around = [part for part in parts or [] if part[0] in _AROUND]
    is_here = not around or around[-1] == ("u", unit.attributes.get("id"))
    is_note = parts is not None and parts[-1][0] == "n" and parts[-1][1] in notes
    demand(is_here and is_note, "a comment refers to something else than a note of its unit")
