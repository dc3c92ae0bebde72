"""What a file can hold: the same check when a segment is confirmed and when the file is written.

Most of what is wrong with a target its document knows at once (`Document.check`); the rest shows when the file is
written and read again: at times a target fits alone, but not beside another one. So when a segment is confirmed, a
small file is written right away, with all that is confirmed, and of a large one the texts around the segment. When
the file is delivered, `deliver` writes whatever it can and says what it could not.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from dragoman.concurrency import checkpoint
from dragoman.errors import BadInputError
from dragoman.formats.document import Document, DocumentSegment, State, UnwritableError
from dragoman.formats.document_pieces import Excerpt

PROBED = 1 << 16  # bytes of a file that is written whole to see whether it can hold a target
CONFIRMED: State = "confirmed"
Wanted = Mapping[str, tuple[str, State]]


class WrittenFile(NamedTuple):
    """A file as it was written, and what could not be written into it."""

    data: bytes
    left_out: dict[str, str]  # by the id of the segment, why


def find_trial(document: Document, segment: DocumentSegment) -> Excerpt | None:
    """What is written to see whether a file can hold a target; None if its document knows that without."""
    if len(document.data) <= PROBED:
        return Excerpt(document, {one.id: one.id for one in document.segments})
    return document.excerpt(segment)


def find_fault(
    document: Document,
    segment: DocumentSegment,
    target: str,
    others: Mapping[str, str] | None = None,
    trial: Excerpt | None = None,
) -> str | None:
    """Why a file cannot hold a target beside the others, in words that go on after "the target"; None if it can."""
    if target == segment.target:
        return None
    try:
        document.check(segment, target)
        if trial := trial or find_trial(document, segment):
            wanted = {**(others or {}), segment.id: target}
            here = {name: (text, CONFIRMED) for key, text in wanted.items() if (name := trial.names.get(key))}
            trial.document.fill(here)
    except UnwritableError:
        return "cannot be written into this file as it is"
    except BadInputError as error:
        return _reason(error, segment)
    return None


def deliver(document: Document, targets: Wanted) -> WrittenFile:
    """The file with all targets that it can hold, and the others with the reason; drafts give way to the confirmed."""
    left_out: dict[str, str] = {}
    known = {segment.id: segment for segment in document.segments}
    possible: dict[str, tuple[str, State]] = {}
    for name, (target, state) in sorted(targets.items(), key=lambda each: each[1][1] != "confirmed"):
        try:
            if target != known[name].target:
                document.check(known[name], target)
            possible[name] = target, state
        except BadInputError as error:
            left_out[name] = _reason(error, known[name])
    while True:
        checkpoint()
        try:
            return WrittenFile(document.fill(possible), left_out)
        except UnwritableError as error:
            unwritable = _find_draft(document, possible) or error.segment
            if possible.pop(unwritable, None) is None:
                raise
            left_out[unwritable] = "cannot be written into this file as it is"
        except BadInputError as error:
            culprit = _find_culprit(document, possible)
            if culprit is None:
                raise
            del possible[culprit]
            left_out[culprit] = error.what


def _find_draft(document: Document, targets: Wanted) -> str | None:
    """A draft without which the confirmed targets can be written; None if it is not for a draft that they cannot."""
    confirmed = {name: each for name, each in targets.items() if each[1] == CONFIRMED}
    if len(confirmed) < len(targets) and _can_write(document, confirmed):
        return _find_culprit(document, targets)  # in which drafts come last
    return None


def _find_culprit(document: Document, targets: Wanted) -> str | None:
    """A target without which those before it can be written; None if no single one is to blame."""
    names = list(targets)
    low, high = 0, len(names)  # the first `low` can be written, the first `high` cannot
    while high - low > 1:
        checkpoint()
        middle = (low + high) // 2
        if _can_write(document, {name: targets[name] for name in names[:middle]}):
            low = middle
        else:
            high = middle
    return names[high - 1] if high > low else None


def _can_write(document: Document, targets: Wanted) -> bool:
    try:
        document.fill(dict(targets))
    except BadInputError:
        return False
    return True


def _reason(error: BadInputError, segment: DocumentSegment) -> str:
    """What is wrong, without the name of the segment, which the reader knows."""
    return error.what.removeprefix(f"the target of segment {segment.id!r} ")
