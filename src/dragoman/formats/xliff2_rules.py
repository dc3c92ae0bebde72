"""What XLIFF 2 demands of a file beyond being XML: one that breaks a rule of its structure is refused, with the rule.

Rules of the core are looked at: what has to be there and where, what has to be unique, what has to refer to something,
and which values an attribute may have. Of the modules, only formatting styles and the names of elements.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from xml.parsers import expat

from dragoman.errors import BadInputError
from dragoman.formats.codes import words
from dragoman.formats.xliff2_nodes import XML, BrokenRuleError, Node, demand, demand_names, demand_unique
from dragoman.formats.xliff2_unit_rules import RuledUnit

CORE = "urn:oasis:names:tc:xliff:document:2."
_OASIS = "urn:oasis:names:tc:xliff:"
_LANGUAGE = re.compile(r"(?:[A-Za-z]{2,3}(?:-[A-Za-z]{3}){0,3}|[A-Za-z]{4,8}|[xi])(?:-[A-Za-z0-9]{1,8})*")
_WITH_ID = words("file group unit data pc ph sc mrk sm")
_MODULE = re.compile(rf"{_OASIS}(\w+):2\.\d (\w+)")
_ELEMENTS = {
    "validation": words("validation rule"),
    "metadata": words("metadata metaGroup meta"),
    "glossary": words("glossary glossEntry term translation definition"),
    "matches": words("matches match"),
}
# HTML's elements, by which the module of formatting styles says what a preview looks like.
_STYLES = words(
    "a b bdo big blockquote body br button caption center cite code col colgroup dd del div dl dt em h1 h2 h3 h4 h5 h6 "
    "head hr html i img label legend li ol p pre q s samp select small span strike strong sub sup table tbody td tfoot "
    "th thead title tr tt u ul"
)


def check_rules(data: bytes, name: str) -> None:
    """Refuse a file in XLIFF 2 that breaks a rule of its structure; the file is known to be well-formed."""
    reader = _Reader()
    try:
        reader.read(data)
    except BrokenRuleError as error:
        what = f"line {reader.parser.CurrentLineNumber} is not valid XLIFF 2 ({error})"
        raise BadInputError(what, where=name, remedy="correct it in the tool that wrote it") from None


class _Reader:
    """Goes through a file, and looks at each element when it ends; units are not kept."""

    def __init__(self) -> None:
        self.parser = expat.ParserCreate("UTF-8", " ")
        self.parser.StartElementHandler, self.parser.EndElementHandler = self._start, self._end
        self.parser.CharacterDataHandler = self._text
        self.open: list[Node] = []
        self.ids: dict[str, set[str]] = {}  # of files, and of groups and units of the file
        self.subflows: set[str] = set()  # units of the file that codes refer to
        self.languages: tuple[str, str | None] = "", None

    def read(self, data: bytes) -> None:
        self.parser.Parse(data, True)

    def _start(self, name: str, attributes: dict[str, str]) -> None:
        space, _, local = name.rpartition(" ")
        node = Node(local if space.startswith(CORE) or not self.open else name, attributes)
        if self.open:
            self.open[-1].children.append(node)
            self.open[-1].is_empty = False
        elif node.name == "xliff":
            self._root(node)
        self.open.append(node)
        _check_module(node)

    def _text(self, text: str) -> None:
        if self.open:
            self.open[-1].is_empty = False
            self.open[-1].has_text |= bool(text.strip())

    def _end(self, _: str) -> None:
        node = self.open.pop()
        check = getattr(self, f"_end_{node.name}", None) if node.name.isalpha() else None
        if check:
            check(node)
        demand(node.name not in _WITH_ID or "id" in node.attributes, f"<{node.name}> lacks the attribute id")

    def _root(self, node: Node) -> None:
        source, target = node.attributes.get("srcLang"), node.attributes.get("trgLang")
        demand(bool(source), "<xliff> lacks the attribute srcLang")
        for each in (source, target):
            demand(not each or _LANGUAGE.fullmatch(each) is not None, f"{each!r} is not a language code")
        self.languages = source or "", target

    def _own(self, kind: str, node: Node) -> None:
        name = node.attributes.get("id", "")
        demand_names([name or None])
        known = self.ids.setdefault(kind, set())
        demand(name not in known, f"two {kind} have the id {name!r}")
        known.add(name)

    def _inherited(self, attribute: str) -> str | None:
        """What the elements around say for XML's own attributes."""
        said = (each.attributes.get(XML + attribute) for each in reversed(self.open))
        return next((each for each in said if each is not None), None)

    def _end_xliff(self, node: Node) -> None:
        demand(bool(node.named("file")), "there is no <file>")
        inside = [child.name for child in node.children if not child.name.startswith(_OASIS)]
        strangers = [name for name in inside if name not in ("file", "notes")]
        demand(not strangers, f"<{'> <'.join(strangers[:1])}> is outside of <file>")

    def _end_file(self, node: Node) -> None:
        self._own("files", node)
        demand(self.subflows <= self.ids.get("units", set()), "a subflow refers to no unit of the file")
        self.ids["groups"], self.ids["units"], self.subflows = set(), set(), set()
        demand(bool(node.named("unit", "group")), "a <file> has neither <unit> nor <group>")
        for each in node.named("skeleton"):
            is_filled = each.has_text or bool(each.children)
            demand(is_filled != ("href" in each.attributes), "a <skeleton> has its contents or a link")
        _check_around(node, "unit", "group")

    def _end_group(self, node: Node) -> None:
        self._own("groups", node)
        _check_around(node, "unit", "group")

    def _end_unit(self, node: Node) -> None:
        self._own("units", node)
        _check_around(node, "segment", "ignorable")
        self.open.append(node)
        inherited = self._inherited("lang"), self._inherited("space") or "default"
        self.open.pop()
        unit = RuledUnit(node, self.languages, *inherited)
        unit.check()
        self.subflows |= unit.subflows
        node.children.clear()


def _check_around(node: Node, *contents: str) -> None:
    """What a file, group or unit has beside its contents: notes and extensions, which come first."""
    found = node.named("notes")
    demand(len(found) < 2, f"a <{node.name}> has two elements <notes>")
    for notes in found:
        demand(bool(notes.named("note")), "<notes> has no <note>")
        demand_unique([each.attributes.get("id") for each in notes.named("note")], "notes")
    begun = False
    for child in node.children:
        begun = begun or child.name in contents
        demand(not begun or child.name in contents, f"in <{node.name}>, something comes after <{contents[0]}>")
    extensions = [child for child in node.children if " " in child.name and not child.name.startswith(_OASIS)]
    named = [inner for child in extensions for inner in (child, *child.all())]
    ids = [f"{inner.name.split()[0]} {name}" for inner in named for name in _ids(inner)]
    demand_unique(list(ids), "elements of an extension")


def _ids(node: Node) -> Iterator[str]:
    yield from (node.attributes[name] for name in ("id", f"{XML}id") if name in node.attributes)


def _check_module(node: Node) -> None:
    """A module's elements are those that it has, and formatting styles are elements of HTML."""
    module = _MODULE.fullmatch(node.name)
    if module and module[1] in _ELEMENTS:
        demand(module[2] in _ELEMENTS[module[1]], f"the module {module[1]} has no element <{module[2]}>")
    for name, value in node.attributes.items():
        styled = _MODULE.fullmatch(name)
        if styled and styled[1] == "fs":
            demand(styled[2] in ("fs", "subFs"), f"formatting styles have no attribute {styled[2]}")
            demand(styled[2] != "fs" or value in _STYLES, f"{value!r} is not a formatting style")
            is_end = node.name == "ec" and node.attributes.get("isolated") != "yes"
            demand(not is_end, "a formatting style is at the end of a code")
