"""XLIFF 2.x: a `unit` has one or more `segment`, each with its own state."""

from __future__ import annotations

from collections.abc import Mapping

from dragoman.formats.document import NewTarget, State
from dragoman.formats.elements import Edit, Element, tag_name
from dragoman.formats.layout import ENCLOSING, Layout, UnitPart, note_of
from dragoman.formats.xliff import is_locked

READ: dict[str, State] = {
    "initial": "new",
    "translated": "translated",
    "reviewed": "confirmed",
    "final": "confirmed",
}
WRITTEN = {"new": "initial", "translated": "translated", "confirmed": "final"}


class Xliff2(Layout):
    """XLIFF 2.0 to 2.2."""

    format = "xliff 2"
    unit = "unit"
    marking = ENCLOSING | {"pc", "mrk"}
    inline = frozenset({"pc", "ph", "sc", "ec", "sm", "em", "mrk", "cp"})

    def languages(self) -> tuple[str | None, str | None]:
        """Those of the root."""
        said = self.scanner.outside["xliff"].attributes
        return said.get("srcLang"), said.get("trgLang")

    def parts(self, unit: Element, around: list[Element]) -> list[UnitPart]:
        """All segments of the unit that have a source."""
        locked = is_locked([*around, unit])
        found = []
        segments = [each for each in unit.elements if each.name == "segment"]
        for number, segment in enumerate(segments, start=1):
            source, target = segment.child("source"), segment.child("target")
            if source is not None:
                name = unit.attributes.get("id", "")
                if len(segments) > 1:
                    name = f"{name}/{segment.attributes.get('id', number)}"
                for part in self.part(name, source, target, "new"):
                    part.state = "locked" if locked else _state(segment, part.target)
                    part.note = note_of(unit)
                    found.append(part)
        return found

    def edits(self, unit: Element, parts: list[UnitPart], changes: Mapping[str, NewTarget]) -> list[Edit]:
        """Target and state of each segment that changes."""
        edits = []
        for segment in unit.elements:
            for part in parts:
                if part.origin in segment.content and part.id in changes:
                    edits += self._edit(segment, part, changes[part.id])
        return edits

    def name_language(self) -> list[Edit]:
        """The target language in the root tag, if it is missing."""
        root = self.scanner.outside["xliff"]
        missing = self.target and "trgLang" not in root.attributes
        return [self.replace(root, None, {"trgLang": self.target})] if missing else []

    def _edit(self, segment: Element, part: UnitPart, change: NewTarget) -> list[Edit]:
        edits = []
        if part.place is None:
            name = tag_name(self.data, part.origin).removesuffix("source") + "target"
            new = f"<{name}>".encode() + self.content(part, change.target) + f"</{name}>".encode()
            edits.append(Edit(part.origin.end, part.origin.end, self.indent(part.origin) + new))
        elif change.target != part.target:
            edits.append(self.replace(part.place, self.content(part, change.target), {}))
        if _state(segment, change.target) != change.state or "state" not in segment.attributes:
            # A substate refines a state, and goes with it.
            state = {"state": WRITTEN[change.state], "subState": None}
            edits.append(self.replace(segment, None, state))
        return edits


def _state(segment: Element, text: str) -> State:
    if not text:
        return "new"
    return READ.get(segment.attributes.get("state", "translated"), "translated")
