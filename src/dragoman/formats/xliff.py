"""XLIFF 1.x: a segment is a `trans-unit`, or each `<mrk mtype="seg">` of one that has a `seg-source`.

The state of a unit, and whether it is approved, applies to all of its segments that have a
target.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

from dragoman.formats.contents import Contents
from dragoman.formats.dialects import StateMark, find_mark
from dragoman.formats.document import NewTarget, State
from dragoman.formats.elements import Edit, Element, apply, tag_name
from dragoman.formats.layout import ENCLOSING, Layout, UnitPart, note_of

_PREFIX = re.compile(r"""xmlns:([\w.-]+)\s*=\s*["']([^"']+)["']""")
_TOOLS = re.compile(r"sdl\.com/FileTypes/SdlXliff|memoq|memsource", re.IGNORECASE)
UNTOUCHED = ("new", "needs-translation")
FINISHED = ("final", "signed-off")
WRITTEN = {"new": "needs-translation", "translated": "translated", "confirmed": "final"}
ORDER: tuple[State, ...] = ("new", "translated", "confirmed")


def is_locked(around: list[Element]) -> bool:
    """Whether the innermost element with a `translate` attribute says no; the outermost comes first."""
    for element in reversed(around):
        if "translate" in element.attributes:
            return element.attributes["translate"] == "no"
    return False


class Xliff(Layout):
    """XLIFF 1.0 to 1.2."""

    format = "xliff 1.2"
    unit = "trans-unit"
    marking = ENCLOSING | {"g", "mrk"}
    inline = frozenset({"g", "x", "bx", "ex", "bpt", "ept", "ph", "it", "mrk", "sub"})

    def __init__(self, data: bytes, contents: Contents, source: str | None, target: str | None) -> None:
        super().__init__(data, contents, source, target)
        self.files: dict[int, Element] = {}  # those with units in them, by where they start
        self._innermost: Element | None = None  # what was around the last unit,
        self._locks = False  # and whether that is locked
        self._new_tags: dict[str, tuple[bytes, bytes, bytes]] = {}  # by state: of the last source, and for its target
        self.marks: dict[str, StateMark] = {}  # where a tool keeps the state of a segment in its own words
        declared = _PREFIX.findall(contents.text[:20_000])
        self.prefixes = {namespace: prefix for prefix, namespace in declared if _TOOLS.search(namespace)}

    def languages(self) -> tuple[str | None, str | None]:
        """Those of all files in it, if they are the same."""
        return self._common("source-language"), self._common("target-language")

    def _common(self, name: str) -> str | None:
        said = {file.attributes.get(name) for file in self.files.values()}
        return said.pop() if len(said) == 1 else None

    def parts(self, unit: Element, around: list[Element]) -> list[UnitPart]:
        """The segments of the unit, one unless it is segmented."""
        if not around or around[-1] is not self._innermost:
            self._enter(around)
        children: dict[str, Element] = {}
        for child in unit.content:
            if isinstance(child, Element):
                children.setdefault(child.name, child)
        source, target, divided = children.get("source"), children.get("target"), children.get("seg-source")
        if source is None:
            return []
        locked = unit.attributes["translate"] == "no" if "translate" in unit.attributes else self._locks
        name = unit.attributes.get("id", "")
        if divided is None and not self.prefixes and len(children) == 1 + (target is not None):  # nearly all are so
            found = self.part(name, source, target, "locked" if locked else "new")
            if found and not locked and found[0].target:
                found[0].state = self._plain_state(unit, target, found[0])
            if found and "maxwidth" in unit.attributes:
                found[0].limit = _limit(unit)
            return found
        pieces = _pieces(divided) if divided is not None else {}
        places = _pieces(target) if divided is not None else {}
        if not pieces or (_is_filled(target) and not places):
            found = self.part(name, source, target, "new")
        else:
            found = [
                part
                for mid, piece in pieces.items()
                for part in self.part(f"{name}/{mid}" if len(pieces) > 1 else name, piece, places.get(mid), "new")
            ]
        note = note_of(unit) if len(children) > 1 + (target is not None) + (divided is not None) else ""
        limit = _limit(unit)
        mids = list(pieces) if len(found) == len(pieces) else [None] * len(found)
        for part, mid in zip(found, mids, strict=True):
            mark = find_mark(unit, mid, self.prefixes, has_target=bool(part.target)) if self.prefixes else None
            if mark is not None:
                self.marks[part.id] = mark
            stated = mark.state if mark else self._plain_state(unit, target, part, divided=len(pieces) > 1)
            part.note, part.limit = note, limit
            part.state = "locked" if locked else stated if part.target or stated == "locked" else "new"
        return found

    def _enter(self, around: list[Element]) -> None:
        """Look at what is around a unit, once for all units in it."""
        self._innermost = around[-1] if around else None
        self._locks = is_locked(around)
        for each in around:
            if each.name == "file":
                self.files[each.start] = each

    def _plain_state(self, unit: Element, target: Element | None, part: UnitPart, *, divided: bool = False) -> State:
        """The state of a segment as XLIFF itself states it."""
        stated = _state(unit, target, part.target, divided=divided)
        return "new" if stated == "translated" and _is_bare_copy(unit, target, part) else stated

    def edits(self, unit: Element, parts: list[UnitPart], changes: Mapping[str, NewTarget]) -> list[Edit]:
        """The target, new or replaced, and the unit if its approval changes."""
        target = unit.child("target")
        state = _common_state(parts, changes)
        edits, attributes = self._mark_edits(parts, changes) if self.marks else [], dict[str, str | None]()
        marked = bool(self.marks) and any(part.id in self.marks for part in parts)
        if not marked and (target is None or _state(unit, target, "some text", divided=False) != state):
            attributes["state"] = WRITTEN[state]
            approved = "yes" if state == "confirmed" else "no"
            if approved != unit.attributes.get("approved", "no"):
                edits.append(self.replace(unit, None, {"approved": approved}))
        content = self._content(unit, parts, changes)
        if target is not None:
            edits.append(self.replace(target, content, attributes))
        else:
            edits.append(self._insert(unit, content or b"", WRITTEN[state]))
        return edits

    def _mark_edits(self, parts: list[UnitPart], changes: Mapping[str, NewTarget]) -> list[Edit]:
        """The states that a tool keeps in its own words, where they change."""
        marks = [
            (self.marks[part.id], changes[part.id]) for part in parts if part.id in self.marks and part.id in changes
        ]
        return [
            self.replace(mark.element, None, {mark.attribute: mark.written[change.state]})
            for mark, change in marks
            if mark.state != change.state and mark.value != mark.written[change.state]
        ]

    def _content(self, unit: Element, parts: list[UnitPart], changes: Mapping[str, NewTarget]) -> bytes | None:
        """The new contents of the target; None if only its state changes."""
        if len(parts) == 1 and parts[0].origin.name == "source":
            target = changes[parts[0].id].target
            return None if target == parts[0].target else self.content(parts[0], target)
        changed = [part for part in parts if part.id in changes and changes[part.id].target != part.target]
        divided = unit.child("seg-source")
        if not changed or divided is None:
            return None
        old_target = unit.child("target")
        if old_target is not None and all(part.place for part in parts):
            frame, places = old_target, {part.id: part.place for part in changed}
        else:
            frame, places = divided, {part.id: part.origin for part in parts}
        edits = []
        for part in parts:
            place = places.get(part.id)
            if part in changed and place:
                edits.append(self.replace(place, self.content(part, changes[part.id].target), {}))
            elif place:
                old = self.data[part.place.inside : part.place.close] if part.place else b""
                edits.append(self.replace(place, old, {}))
        inside = [Edit(edit.start - frame.inside, edit.end - frame.inside, edit.new) for edit in edits]
        return apply(self.data[frame.inside : frame.close], inside)

    def _insert(self, unit: Element, content: bytes, state: str) -> Edit:
        """A new target, after the source and indented like it."""
        source = unit.child("source")
        assert source is not None  # noqa: S101 (else the unit would have no segments)
        after = unit.child("seg-source") or source
        if (known := self._new_tags.get(state)) is None or known[0] != self.data[source.start : source.inside]:
            name = tag_name(self.data, source).removesuffix("source") + "target"
            tags = f'<{name} state="{state}">'.encode(), f"</{name}>".encode()
            self._new_tags[state] = known = self.data[source.start : source.inside], *tags
        return Edit(after.end, after.end, self.indent(source) + known[1] + content + known[2])

    def name_language(self) -> list[Edit]:
        """The target language in the tag of each file that does not name it."""
        named = {"target-language": self.target}
        unnamed = [file for file in self.files.values() if "target-language" not in file.attributes]
        return [self.replace(file, None, dict(named)) for file in unnamed if self.target]


def _common_state(parts: list[UnitPart], changes: Mapping[str, NewTarget]) -> State:
    """The state of a unit with these changes: the least of those of its segments."""
    if len(parts) == 1:
        return changes[parts[0].id].state
    states = [changes[part.id].state if part.id in changes else part.state for part in parts]
    return min((state for state in states if state != "locked"), key=ORDER.index)


def _pieces(element: Element | None) -> dict[str, Element]:
    """The marked segments in an element, by their ids."""
    marks = element.descendants() if element else ()
    return {
        each.attributes["mid"]: each
        for each in marks
        if each.name == "mrk" and each.attributes.get("mtype") == "seg" and "mid" in each.attributes
    }


def _limit(unit: Element) -> int | None:
    """The most characters that a target may have, if the unit counts in characters."""
    width = unit.attributes.get("maxwidth", "")
    return int(width) if width.isdigit() and len(width) < 10 and unit.attributes.get("size-unit") == "char" else None


def _is_bare_copy(unit: Element, target: Element | None, part: UnitPart) -> bool:
    """Whether a target is the source again, and nothing says that this is meant: tools prepare files so."""
    said = target.attributes.get("state") if target is not None else None
    return said is None and "approved" not in unit.attributes and part.target.split() == part.source.text.split()


def _is_filled(element: Element | None) -> bool:
    return element is not None and any(isinstance(each, Element) or each.strip() for each in element.content)


def _state(unit: Element, target: Element | None, text: str, *, divided: bool) -> State:
    """The state of a segment with this text; in a segmented unit, one with a text is at least translated."""
    said = target.attributes.get("state") if target else None
    if not text:
        return "new"
    if unit.attributes.get("approved") == "yes" or said in FINISHED:
        return "confirmed"
    return "new" if said in UNTOUCHED and not divided else "translated"
