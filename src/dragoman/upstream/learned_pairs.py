"""A correction as the engine would have been asked for it, and should have said it: with marks for what is masked."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from dragoman.text.markup import take_out
from dragoman.upstream.masking import Mark, mask


class AskedPair(NamedTuple):
    """The same in the pieces that the engine sees."""

    text: str  # the source
    source: Sequence[str]
    target: Sequence[str]
    given: int  # pieces of the target that the engine is given


def as_asked(source: str, target: str) -> tuple[str, str]:
    """Source and target, masked alike and without pairs of tags.

    >>> as_asked("Press <b>OK</b> to open `{name}`.", "Pulse <b>Aceptar</b> para abrir `{name}`.")
    ('Press OK to open X1X.', 'Pulse Aceptar para abrir X1X.')
    >>> as_asked("Open {name}.", "Ábralo.")
    ('Open {name}.', 'Ábralo.')
    """
    source, target = " ".join(source.split()), " ".join(target.split())
    masked = mask(source, "words", pairs=False)
    marked = _marked(target, masked.marks) if masked else None
    if masked and marked is not None:
        source, target = masked.text, marked
    return take_out(source).bare, take_out(target).bare


def _marked(target: str, marks: Sequence[Mark]) -> str | None:
    """The target with marks for the same values; None if one is not in it."""
    for mark in sorted(marks, key=lambda mark: -len(mark.value)):  # one value may be a part of another
        before, value, after = target.partition(mark.value)
        if not value:
            return None
        left = " " if before[-1:].isalnum() else ""
        right = " " if after[:1].isalnum() else ""
        target = f"{before}{left}{mark.written}{right}{after}"
    return target
