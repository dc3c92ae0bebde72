"""Qt's TS: a message has a source and a translation, or one for each plural form."""

from __future__ import annotations

from collections.abc import Mapping

from dragoman.formats.contents import Contents
from dragoman.formats.document import NewTarget
from dragoman.formats.elements import Edit, Element, tag_name
from dragoman.formats.layout import Layout, UnitPart, note_of

GONE = ("obsolete", "vanished")


class QtTs(Layout):
    """TS files of Qt Linguist; `unfinished` translations are not confirmed."""

    format = "ts"
    unit = "message"
    marking = frozenset[str]()
    inline = frozenset({"byte"})

    def __init__(self, data: bytes, contents: Contents, source: str | None, target: str | None) -> None:
        super().__init__(data, contents, source, target)
        self.count = 0

    def languages(self) -> tuple[str | None, str | None]:
        """Those of the root."""
        said = self.scanner.outside["TS"].attributes
        codes = (said.get(name, "").replace("_", "-") or None for name in ("sourcelanguage", "language"))
        return next(codes), next(codes)

    def parts(self, unit: Element, _: list[Element]) -> list[UnitPart]:
        """One segment, or one for each form that the file has a place for."""
        source, target = unit.child("source"), unit.child("translation")
        if source is None or (target is not None and target.attributes.get("type") in GONE):
            return []
        self.count += 1
        name = unit.attributes.get("id") or str(self.count)
        forms = [each for each in target.elements if each.name == "numerusform"] if target else []
        if unit.attributes.get("numerus") == "yes":
            found = [
                part
                for number, form in enumerate(forms)
                for part in self.part(f"{name}[{number}]", source, form, "new")
            ]
        else:
            found = self.part(name, source, target, "new")
        unfinished = target is None or target.attributes.get("type") == "unfinished"
        for part in found:
            part.note = note_of(unit)
            part.state = "new" if not part.target else "translated" if unfinished else "confirmed"
        return found

    def edits(self, unit: Element, parts: list[UnitPart], changes: Mapping[str, NewTarget]) -> list[Edit]:
        """The translation, and its type if that changes."""
        target = unit.child("translation")
        wanted = [changes.get(part.id, NewTarget(part.target, part.state)) for part in parts]
        finished = all(change.state == "confirmed" for change in wanted)
        state: dict[str, str | None] = {"type": None if finished else "unfinished"}
        if target is None:
            source = parts[0].origin
            name = tag_name(self.data, source).removesuffix("source") + "translation"
            kind = "" if finished else ' type="unfinished"'
            new = f"<{name}{kind}>".encode() + self.content(parts[0], wanted[0].target) + f"</{name}>".encode()
            return [Edit(source.end, source.end, self.indent(source) + new)]
        if parts[0].place is target:
            text = None if wanted[0].target == parts[0].target else self.content(parts[0], wanted[0].target)
            return [self.replace(target, text, state)]
        edits = [self.replace(target, None, state)]
        for part, change in zip(parts, wanted, strict=True):
            if part.place is not None and change.target != part.target:
                edits.append(self.replace(part.place, self.content(part, change.target), {}))
        return edits

    def name_language(self) -> list[Edit]:
        """The target language in the root tag, if it is missing."""
        root = self.scanner.outside["TS"]
        missing = self.target and not root.attributes.get("language")
        return [self.replace(root, None, {"language": (self.target or "").replace("-", "_")})] if missing else []
