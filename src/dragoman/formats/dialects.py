"""States that translation tools write into XLIFF in words of their own: Trados, memoQ and Phrase.

A dialect reads and writes the state of one segment. Where a tool has states of its own, they count, and those of XLIFF
are left alone.
"""

from __future__ import annotations

from typing import NamedTuple

from dragoman.formats.document import State
from dragoman.formats.elements import Element

SDL: dict[str, State] = {
    "Draft": "translated",
    "Translated": "confirmed",
    "RejectedTranslation": "translated",
    "ApprovedTranslation": "confirmed",
    "RejectedSignOff": "translated",
    "ApprovedSignOff": "confirmed",
}
MEMOQ: dict[str, State] = {
    "NotStarted": "new",
    "Pretranslated": "translated",
    "PartiallyEdited": "translated",
    "Edited": "translated",
    "Rejected": "translated",
    "ManuallyConfirmed": "confirmed",
    "Proofread": "confirmed",
    "Reviewer1Confirmed": "confirmed",
}


class StateMark(NamedTuple):
    """Where a tool keeps the state of a segment: an attribute of an element, and its values when written."""

    element: Element
    attribute: str  # as written in the file, with its prefix
    value: str  # as it is now
    state: State
    written: dict[State, str | None]


def find_mark(unit: Element, mid: str | None, prefixes: dict[str, str], *, has_target: bool) -> StateMark | None:
    """The state that a tool gives a segment of a unit; `prefixes` are those of the file, by namespace."""
    for namespace, prefix in prefixes.items():
        if "sdl.com/FileTypes/SdlXliff" in namespace:
            return _trados(unit, mid, namespace)
        if "memoq" in namespace.lower() and f"{namespace} status" in unit.attributes:
            return _memoq(unit, namespace, prefix, has_target=has_target)
        if "memsource" in namespace and f"{namespace} confirmed" in unit.attributes:
            return _phrase(unit, namespace, prefix, has_target=has_target)
    return None


def _trados(unit: Element, mid: str | None, namespace: str) -> StateMark | None:
    for each in unit.descendants():
        if each.name == f"{namespace} seg" and (mid is None or each.attributes.get("id") == mid):
            conf = each.attributes.get("conf", "")
            state: State = "locked" if each.attributes.get("locked") == "true" else SDL.get(conf, "new")
            written: dict[State, str | None] = {"new": None, "translated": "Draft", "confirmed": "Translated"}
            return StateMark(each, "conf", conf, state, written)
    return None


def _memoq(unit: Element, namespace: str, prefix: str, *, has_target: bool) -> StateMark:
    value = unit.attributes[f"{namespace} status"]
    locked = unit.attributes.get(f"{namespace} locked", "false") not in ("false", "")
    state: State = "locked" if locked else MEMOQ.get(value, "translated") if has_target else "new"
    written: dict[State, str | None] = {
        "new": "NotStarted",
        "translated": "Pretranslated",
        "confirmed": "ManuallyConfirmed",
    }
    return StateMark(unit, f"{prefix}:status", value, state, written)


def _phrase(unit: Element, namespace: str, prefix: str, *, has_target: bool) -> StateMark:
    value = unit.attributes[f"{namespace} confirmed"]
    locked = unit.attributes.get(f"{namespace} locked") == "true"
    state: State = "locked" if locked else "new" if not has_target else "translated" if value == "0" else "confirmed"
    written: dict[State, str | None] = {"new": "0", "translated": "0", "confirmed": "1"}
    return StateMark(unit, f"{prefix}:confirmed", value, state, written)
