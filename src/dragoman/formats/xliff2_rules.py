"""What XLIFF 2 demands of a file beyond being XML: one that breaks a rule of its structure is refused, with the rule.

Only rules are here that can be told from a unit by itself, or from the attributes of what is around it: what has to be
there, what has to be unique, what has to refer to something, and which values an attribute may have. Modules and
extensions are not looked at.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from xml.parsers import expat

from dragoman.errors import BadInputError
from dragoman.formats.codes import words

CORE = "urn:oasis:names:tc:xliff:document:2."
_XML = "http://www.w3.org/XML/1998/namespace "
_LANGUAGE = re.compile(r"(?:[A-Za-z]{2,3}(?:-[A-Za-z]{3}){0,3}|[A-Za-z]{4,8}|[xi])(?:-[A-Za-z0-9]{1,8})*")
_NAME = re.compile(r"[\w.:-]+")
_HEX = re.compile(r"[0-9A-Fa-f]{4,6}")
_STATES = words("initial translated reviewed final")
_TYPES = words("fmt ui quote link image other")
_INLINE = words("pc ph sc ec cp mrk sm em")
_WITH_ID = words("file group unit data pc ph sc mrk sm")


@dataclass(slots=True)
class _Node:
    """An element: its local name if it is one of the core, or else with its namespace."""

    name: str
    attributes: dict[str, str]
    children: list[_Node] = field(default_factory=list)
    has_text: bool = False

    def all(self, *names: str) -> Iterator[_Node]:
        """The elements of some names inside, in the order of the file."""
        for child in self.children:
            if child.name in names:
                yield child
            yield from child.all(*names)

    def named(self, *names: str) -> list[_Node]:
        """The elements of some names directly inside."""
        return [child for child in self.children if child.name in names]


class _BrokenRuleError(Exception):
    """A rule that a file breaks."""


def check_rules(data: bytes, name: str) -> None:
    """Refuse a file in XLIFF 2 that breaks a rule of its structure; the file is known to be well-formed."""
    reader = _Reader()
    try:
        reader.read(data)
    except _BrokenRuleError as error:
        what = f"line {reader.parser.CurrentLineNumber} is not valid XLIFF 2 ({error})"
        raise BadInputError(what, where=name, remedy="correct it in the tool that wrote it") from None


def _demand(rule: bool, what: str) -> None:
    if not rule:
        raise _BrokenRuleError(what)


def _unique(ids: list[str | None], what: str) -> None:
    found = [each for each in ids if each is not None]
    _demand(len(found) == len(set(found)), f"two {what} have the same id")


class _Reader:
    """Goes through a file, and looks at each element when it ends; units are not kept."""

    def __init__(self) -> None:
        self.parser = expat.ParserCreate("UTF-8", " ")
        self.parser.StartElementHandler, self.parser.EndElementHandler = self._start, self._end
        self.parser.CharacterDataHandler = self._text
        self.open: list[_Node] = []
        self.ids: dict[str, set[str]] = {}  # of files, and of groups and units of the file
        self.languages: tuple[str, str | None] = "", None

    def read(self, data: bytes) -> None:
        self.parser.Parse(data, True)

    def _start(self, name: str, attributes: dict[str, str]) -> None:
        space, _, local = name.rpartition(" ")
        node = _Node(local if space.startswith(CORE) or not self.open else name, attributes)
        if self.open:
            self.open[-1].children.append(node)
        elif node.name == "xliff":
            self._root(node)
        self.open.append(node)

    def _text(self, text: str) -> None:
        if self.open and text.strip():
            self.open[-1].has_text = True

    def _end(self, _: str) -> None:
        node = self.open.pop()
        check = getattr(self, f"_end_{node.name}", None) if node.name.isalpha() else None
        if check:
            check(node)
        _demand(node.name not in _WITH_ID or "id" in node.attributes, f"<{node.name}> lacks the attribute id")

    def _root(self, node: _Node) -> None:
        source, target = node.attributes.get("srcLang"), node.attributes.get("trgLang")
        _demand(bool(source), "<xliff> lacks the attribute srcLang")
        for each in (source, target):
            _demand(not each or _LANGUAGE.fullmatch(each) is not None, f"{each!r} is not a language code")
        self.languages = source or "", target

    def _own(self, kind: str, node: _Node) -> None:
        name = node.attributes.get("id", "")
        _demand(name == "" or _NAME.fullmatch(name) is not None, f"{name!r} is not an id")
        known = self.ids.setdefault(kind, set())
        _demand(name not in known, f"two {kind} have the id {name!r}")
        known.add(name)

    def _end_xliff(self, node: _Node) -> None:
        _demand(bool(node.named("file")), "there is no <file>")
        modules = "urn:oasis:names:tc:xliff:"
        inside = [child.name for child in node.children if not child.name.startswith(modules)]
        strangers = [name for name in inside if name not in ("file", "notes")]
        _demand(not strangers, f"<{'> <'.join(strangers[:1])}> is outside of <file>")

    def _end_file(self, node: _Node) -> None:
        self._own("files", node)
        self.ids["groups"], self.ids["units"] = set(), set()
        _demand(bool(node.named("unit", "group")), "a <file> has neither <unit> nor <group>")
        for each in node.named("skeleton"):
            is_filled = each.has_text or bool(each.children)
            _demand(is_filled != ("href" in each.attributes), "a <skeleton> has its contents or a link")
        _notes(node)

    def _end_group(self, node: _Node) -> None:
        self._own("groups", node)
        _notes(node)

    def _end_unit(self, node: _Node) -> None:
        self._own("units", node)
        _notes(node)
        _RuledUnit(node, self.languages).check()
        node.children.clear()


def _notes(node: _Node) -> None:
    found = node.named("notes")
    _demand(len(found) < 2, f"a <{node.name}> has two elements <notes>")
    for notes in found:
        _demand(bool(notes.named("note")), "<notes> has no <note>")
        _unique([each.attributes.get("id") for each in notes.named("note")], "notes")


class _RuledUnit:
    """The rules of a unit."""

    def __init__(self, unit: _Node, languages: tuple[str, str | None]) -> None:
        self.unit, self.languages = unit, languages
        self.parts = unit.named("segment", "ignorable")
        self.data = [each.attributes.get("id") for kind in unit.named("originalData") for each in kind.named("data")]

    def check(self) -> None:
        """Look at all that is in it."""
        _demand(bool(self.unit.named("segment")), "a <unit> has no <segment>")
        for kept in self.unit.named("originalData"):
            _demand(bool(kept.named("data")), "<originalData> has no <data>")
            _demand(all(each.name == "data" for each in kept.children), "<originalData> has something else than <data>")
            inside = {child.name for each in kept.children for child in each.children}
            _demand(inside <= {"cp"}, "<data> has an element in it")
        _unique(self.data, "elements <data>")
        for part in self.parts:
            self._check_part(part)
        sources = [code for part in self.parts for each in part.named("source") for code in each.all(*_INLINE)]
        targets = [code for part in self.parts for each in part.named("target") for code in each.all(*_INLINE)]
        ids = [each.attributes.get("id") for each in self.parts]
        known = {each.attributes["id"] for each in (*sources, *targets) if "id" in each.attributes}
        for codes in (sources, targets):
            _unique([*ids, *(each.attributes.get("id") for each in codes)], "segments or codes of a unit")
            self._check_codes(codes, known)
        if all(part.named("target") for part in self.parts):  # otherwise a beginning or an end may be still to come
            _check_ends(targets)
        _check_ends(sources)
        orders = [t.attributes["order"] for part in self.parts for t in part.named("target") if "order" in t.attributes]
        _demand(len(orders) == len(set(orders)), "two targets have the same order")

    def _check_part(self, part: _Node) -> None:
        sources, targets = part.named("source"), part.named("target")
        _demand(len(sources) == 1, f"<{part.name}> has not one <source>")
        _demand(len(targets) < 2, f"<{part.name}> has two targets")
        strange = len(part.children) - len(sources) - len(targets)
        _demand(not strange, f"<{part.name}> has an element that it must not have")
        _demand("translate" not in part.attributes, f"<{part.name}> has the attribute translate")
        foreign = [name for name in part.attributes if " " in name]
        _demand(not foreign or part.name != "segment", "<segment> has an attribute of an extension")
        _demand("subState" not in part.attributes or "state" in part.attributes, "a subState without a state")
        state = part.attributes.get("state")
        _demand(state is None or state in _STATES, f"{state!r} is not a state")
        for texts, language in zip((sources, targets), self.languages, strict=True):
            for each in texts:
                self._check_text(each, language)

    def _check_text(self, text: _Node, language: str | None) -> None:
        said = text.attributes.get(f"{_XML}lang")
        is_same = said is None or language is None or said.lower() == language.lower()
        _demand(is_same, f"<{text.name}> is in another language than the file")
        foreign = [name for name in text.attributes if " " in name and not name.startswith(_XML)]
        _demand(not foreign and "dir" not in text.attributes, f"<{text.name}> has an attribute that it must not have")

    def _check_codes(self, codes: list[_Node], known: set[str]) -> None:
        for code in codes:
            said = code.attributes
            for name in ("dataRef", "dataRefStart", "dataRefEnd"):
                _demand(name not in said or said[name] in self.data, f"{name} refers to no <data>")
            kind = said.get("type")
            if code.name not in ("mrk", "sm"):
                _demand(kind is None or kind in _TYPES, f"{kind!r} is not a type")
            elif kind == "comment":
                _demand(("value" in said) != ("ref" in said), "a comment has its text or a reference")
            _demand("subType" not in said or kind is not None, "a subType without a type")
            if code.name == "cp":
                _demand(_is_control(said.get("hex", "")), "<cp> has no character that XML cannot hold")
            _demand("copyOf" not in said or said["copyOf"] in known, "copyOf refers to no code")
            _demand(not ("copyOf" in said and "dataRef" in said), "a copy has data of its own")


def _check_ends(codes: list[_Node]) -> None:
    """Codes that are two elements: each end has its beginning before it, and each beginning its end."""
    begun: dict[str, str] = {}  # by id: what is open; empty if it has been closed, or is isolated
    for code in codes:
        said, isolated = code.attributes, code.attributes.get("isolated") == "yes"
        if code.name in ("sc", "sm"):
            begun[said.get("id", "")] = "" if isolated else code.name
        elif code.name in ("ec", "em") and isolated:
            _demand("id" in said and "startRef" not in said, "an isolated <ec> has an id, and no startRef")
        elif code.name in ("ec", "em"):
            opened = next((each for each in codes if each.attributes.get("id") == said.get("startRef")), code)
            for name in ("canCopy", "canDelete", "canOverlap"):
                is_same = said.get(name) == opened.attributes.get(name)
                _demand(is_same, f"the two ends of a code differ in {name}")
            _demand("startRef" in said and "id" not in said, f"<{code.name}> has a startRef, and no id")
            opening = "sc" if code.name == "ec" else "sm"
            _demand(begun.get(said["startRef"]) == opening, f"<{code.name}> closes what is not open")
            begun[said["startRef"]] = ""
    _demand(not any(begun.values()), "a code is opened and neither closed nor isolated")


def _is_control(digits: str) -> bool:
    if _HEX.fullmatch(digits) is None:
        return False
    code = int(digits, 16)
    is_xml = code in (9, 10, 13) or 0x20 <= code <= 0xD7FF or 0xE000 <= code <= 0xFFFD or 0x10000 <= code <= 0x10FFFF
    return code <= 0x10FFFF and not is_xml
