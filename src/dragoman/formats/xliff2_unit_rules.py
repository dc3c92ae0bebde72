"""The rules of an XLIFF 2 unit: its parts, their texts, and the codes in them."""

from __future__ import annotations

import re

from dragoman.formats.codes import words
from dragoman.formats.xliff2_nodes import XML, Node, demand, demand_names, demand_unique
from dragoman.formats.xliff2_order import check_kept, check_order
from dragoman.formats.xliff2_references import check_comment, parse_reference

_HEX = re.compile(r"[0-9A-Fa-f]{4,6}")
_STATES = words("initial translated reviewed final")
_TYPES = words("fmt ui quote link image other")
_SUBTYPES = {"lb": "fmt", "pb": "fmt", "b": "fmt", "i": "fmt", "u": "fmt", "var": "ui"}  # XLIFF's own, and their type
_INLINE = words("pc ph sc ec cp mrk sm em")


class RuledUnit:
    """The rules of a unit."""

    def __init__(self, unit: Node, languages: tuple[str, str | None], language: str | None, space: str) -> None:
        self.unit, self.languages = unit, languages  # the languages of the file,
        self.language, self.space = language, space  # and what the elements around say in XML's own attributes
        self.subflows: set[str] = set()  # the units that codes refer to
        self.parts = unit.named("segment", "ignorable")
        self.data = [each.attributes.get("id") for kind in unit.named("originalData") for each in kind.named("data")]

    def check(self) -> None:
        """Look at all that is in it."""
        demand(bool(self.unit.named("segment")), "a <unit> has no <segment>")
        for kept in self.unit.named("originalData"):
            demand(bool(kept.named("data")), "<originalData> has no <data>")
            demand(all(each.name == "data" for each in kept.children), "<originalData> has something else than <data>")
            inside = {child.name for each in kept.children for child in each.children}
            demand(inside <= {"cp"}, "<data> has an element in it")
        demand_unique(self.data, "elements <data>")
        for part in self.parts:
            self._check_part(part)
        sources = [code for part in self.parts for each in part.named("source") for code in each.all(*_INLINE)]
        targets = [code for part in self.parts for each in part.named("target") for code in each.all(*_INLINE)]
        ids = [each.attributes.get("id") for each in self.parts]
        demand_names([*ids, *(code.attributes.get("id") for code in (*sources, *targets))])
        known = {each.attributes["id"] for each in (*sources, *targets) if "id" in each.attributes}
        for codes in (sources, targets):
            demand_unique([*ids, *(each.attributes.get("id") for each in codes)], "segments or codes of a unit")
            self._check_codes(codes, known)
        if all(part.named("target") for part in self.parts):  # otherwise a beginning or an end may be still to come
            _check_ends(targets)
        _check_ends(sources)
        texts = [[each for part in self.parts for each in part.named(kind)] for kind in ("source", "target")]
        check_order(*texts)
        check_kept(self.parts)
        is_whole = all(part.named("target") for part in self.parts)
        orders = [
            target.attributes.get("order", str(number))
            for number, part in enumerate(self.parts, start=1)
            for target in part.named("target")
            if is_whole or "order" in target.attributes
        ]
        demand(len(orders) == len(set(orders)), "two targets have the same order")

    def _check_part(self, part: Node) -> None:
        sources, targets = part.named("source"), part.named("target")
        demand(len(sources) == 1, f"<{part.name}> has not one <source>")
        demand(len(targets) < 2, f"<{part.name}> has two targets")
        strange = len(part.children) - len(sources) - len(targets)
        demand(not strange, f"<{part.name}> has an element that it must not have")
        demand("translate" not in part.attributes, f"<{part.name}> has the attribute translate")
        foreign = [name for name in part.attributes if " " in name]
        demand(not foreign or part.name != "segment", "<segment> has an attribute of an extension")
        demand("subState" not in part.attributes or "state" in part.attributes, "a subState without a state")
        state = part.attributes.get("state")
        demand(state is None or state in _STATES, f"{state!r} is not a state")
        is_told = self.languages[1] is not None
        demand(is_told or all(each.is_empty for each in targets), "<xliff> lacks the attribute trgLang")
        spaces = {each.attributes.get(f"{XML}space", self.space) for each in (*sources, *targets)}
        demand(len(spaces) == 1, "<source> and <target> differ in xml:space")
        for texts, language in zip((sources, targets), self.languages, strict=True):
            for each in texts:
                self._check_text(each, language)

    def _check_text(self, text: Node, language: str | None) -> None:
        said = text.attributes.get(f"{XML}lang", self.language)
        is_same = said is None or language is None or said.lower() == language.lower()
        demand(is_same, f"<{text.name}> is in another language than the file")
        foreign = [name for name in text.attributes if " " in name and not name.startswith(XML)]
        demand(not foreign and "dir" not in text.attributes, f"<{text.name}> has an attribute that it must not have")

    def _check_codes(self, codes: list[Node], known: set[str]) -> None:
        uncopied = {code.attributes.get("id") for code in codes if code.attributes.get("canCopy") == "no"}
        for code in codes:
            said = code.attributes
            for name in ("dataRef", "dataRefStart", "dataRefEnd"):
                demand(name not in said or said[name] in self.data, f"{name} refers to no <data>")
            if code.name in ("mrk", "sm"):
                self._check_annotation(said)
            else:
                _check_type(said.get("type"), said.get("subType"))
            if code.name == "cp":
                demand(_is_control(said.get("hex", "")), "<cp> has no character that XML cannot hold")
            copied = said.get("copyOf")
            demand(copied is None or copied in known, "copyOf refers to no code")
            demand(copied is None or copied not in uncopied, "copyOf refers to a code that must not be copied")
            demand(copied is None or "dataRef" not in said, "a copy has data of its own")
            for name in ("subFlows", "subFlowsStart", "subFlowsEnd"):
                self.subflows.update(said.get(name, "").split())

    def _check_annotation(self, said: dict[str, str]) -> None:
        kind, reference = said.get("type"), said.get("ref")
        if kind == "comment":
            demand(("value" in said) != ("ref" in said), "a comment has its text or a reference")
            if reference is not None:
                check_comment(self.unit, reference)
        if reference is not None and reference.startswith("#"):
            demand(parse_reference(reference) is not None, f"{reference!r} is not a reference")
        demand("subType" not in said or kind is not None, "a subType without a type")


def _check_type(kind: str | None, refined: str | None) -> None:
    demand(kind is None or kind in _TYPES, f"{kind!r} is not a type")
    demand(refined is None or kind is not None, "a subType without a type")
    prefix, _, name = (refined or "").partition(":")
    demand(prefix != "xlf" or _SUBTYPES.get(name) == kind, f"{refined!r} is not a subType of {kind}")


def _check_ends(codes: list[Node]) -> None:
    """Codes that are two elements: each end has its beginning before it, and each beginning its end."""
    begun: dict[str, str] = {}  # by id: what is open; empty if it has been closed, or is isolated
    for code in codes:
        said, isolated = code.attributes, code.attributes.get("isolated") == "yes"
        if code.name in ("sc", "sm"):
            begun[said.get("id", "")] = "" if isolated else code.name
        elif code.name in ("ec", "em") and isolated:
            demand("id" in said and "startRef" not in said, "an isolated <ec> has an id, and no startRef")
        elif code.name in ("ec", "em"):
            opened = next((each for each in codes if each.attributes.get("id") == said.get("startRef")), code)
            for name in ("canCopy", "canDelete", "canOverlap", "canReorder"):
                values = [each.get(name, "yes").replace("firstNo", "no") for each in (said, opened.attributes)]
                demand(values[0] == values[1], f"the two ends of a code differ in {name}")
            demand("startRef" in said and "id" not in said, f"<{code.name}> has a startRef, and no id")
            opening = "sc" if code.name == "ec" else "sm"
            demand(begun.get(said["startRef"]) == opening, f"<{code.name}> closes what is not open")
            begun[said["startRef"]] = ""
    demand(not any(begun.values()), "a code is opened and neither closed nor isolated")


def _is_control(digits: str) -> bool:
    if _HEX.fullmatch(digits) is None:
        return False
    code = int(digits, 16)
    is_xml = code in (9, 10, 13) or 0x20 <= code <= 0xD7FF or 0xE000 <= code <= 0xFFFD or 0x10000 <= code <= 0x10FFFF
    return code <= 0x10FFFF and not is_xml
