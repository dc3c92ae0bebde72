"""What an XLIFF 2 file must keep right for its translation to be usable: references, and the order of codes.

A code with canReorder="firstNo" begins a sequence, and those with "no" after it belong to it: they stay together. What
refers to something (an end to its beginning, a code to its data, a comment to its note) refers to what is there.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from xml.parsers import expat

from dragoman.errors import BadInputError
from dragoman.formats.codes import words

_NAME = re.compile(r"[\w.:-]+")
_CODES = words("pc ph sc ec")
_INLINE = words("pc ph sc ec cp mrk sm em")
_AROUND = ("f", "g", "u")  # in a reference: a file, a group, a unit, from the outside in,
_LEAVES = words("n d t mtc gls fs mda res ctr slr val its pgs tbx")  # a note, data, a target; those of modules
_DATA = ("dataRef", "dataRefStart", "dataRefEnd")
_SUBFLOWS = ("subFlows", "subFlowsStart", "subFlowsEnd")
_ATTRIBUTE = re.compile(r"""\s(\w+)=["']([^"']*)["']""")


@dataclass(slots=True)
class Node:
    """An element."""

    name: str  # without its namespace
    attributes: dict[str, str]
    children: list[Node] = field(default_factory=list)

    def all(self, names: frozenset[str]) -> Iterator[Node]:
        """The elements of some names inside, in the order of the file."""
        for child in self.children:
            if child.name in names:
                yield child
            yield from child.all(names)

    def named(self, *names: str) -> list[Node]:
        """The elements of some names directly inside."""
        return [child for child in self.children if child.name in names]

    @property
    def id(self) -> str | None:
        """Its id."""
        return self.attributes.get("id")


class BrokenRuleError(Exception):
    """A rule that a file breaks."""


def _demand(rule: bool, what: str) -> None:
    if not rule:
        raise BrokenRuleError(what)


def check_rules(data: bytes, name: str) -> None:
    """Refuse a file in XLIFF 2 that breaks one of these rules; the file is known to be well-formed."""
    parser = expat.ParserCreate("UTF-8", " ")
    opened = [Node("", {})]
    units, subflows = set[str | None](), set[str]()  # of the file

    def start(full: str, attributes: dict[str, str]) -> None:
        node = Node(full.rpartition(" ")[2], attributes)
        opened[-1].children.append(node)
        opened.append(node)

    def end(_: str) -> None:
        node = opened.pop()
        if node.name == "unit":
            units.add(node.id)
            subflows.update(_check_unit(node))
            node.children.clear()
        elif node.name == "file":
            _demand(subflows <= units, "a subflow refers to no unit of the file")
            units.clear()
            subflows.clear()

    parser.StartElementHandler, parser.EndElementHandler = start, end
    try:
        parser.Parse(data, True)
    except BrokenRuleError as error:
        what = f"line {parser.CurrentLineNumber} is not valid XLIFF 2 ({error})"
        raise BadInputError(what, where=name, remedy="correct it in the tool that wrote it") from None


def _check_unit(unit: Node) -> set[str]:
    """Look at the codes of a unit; the units that they refer to."""
    parts = unit.named("segment", "ignorable")
    data = {each.id for kind in unit.named("originalData") for each in kind.named("data")}
    texts = [[each for part in parts for each in part.named(kind)] for kind in ("source", "target")]
    sources, targets = ([code for each in some for code in each.all(_INLINE)] for some in texts)
    known = {code.id for code in (*sources, *targets)}
    for code in (*sources, *targets):
        said = code.attributes
        _demand(all(said[name] in data for name in _DATA if name in said), "dataRef refers to no <data>")
        _demand("copyOf" not in said or said["copyOf"] in known, "copyOf refers to no code")
        _check_reference(unit, said)
    _check_ends(sources)
    if all(part.named("target") for part in parts):  # otherwise a beginning or an end may be still to come
        _check_ends(targets)
    _check_order(*texts)
    _check_kept(parts)
    return {name for code in (*sources, *targets) for key in _SUBFLOWS for name in code.attributes.get(key, "").split()}


def _check_reference(unit: Node, said: dict[str, str]) -> None:
    """What a note in the text refers to: a comment to a note of its unit."""
    reference = said.get("ref", "")
    if not reference.startswith("#"):
        return
    parts = parse_reference(reference)
    _demand(parts is not None, f"{reference!r} is not a reference")
    if said.get("type") != "comment" or parts is None:
        return
    notes = {each.id for kind in unit.named("notes") for each in kind.named("note")}
    around = [part for part in parts if part[0] in _AROUND]
    is_here = not around or around[-1] == ("u", unit.id)
    is_note = parts[-1][0] == "n" and parts[-1][1] in notes
    _demand(is_here and is_note, "a comment refers to something else than a note of its unit")


def parse_reference(reference: str) -> list[tuple[str, str]] | None:
    """The parts of a reference, each with its prefix; None if it breaks a rule of XLIFF.

    >>> parse_reference("#/f=f1/u=u2/n=n1")
    [('f', 'f1'), ('u', 'u2'), ('n', 'n1')]
    >>> parse_reference("#u=u2/f=f1") is None  # the file comes first
    True
    """
    steps = reference.removeprefix("#").removeprefix("/").split("/")
    found: list[tuple[str, str]] = []
    for at, step in enumerate(steps):
        prefix, equals, name = step.rpartition("=")
        is_last = at == len(steps) - 1
        if _NAME.fullmatch(name) is None or (not is_last and prefix not in _AROUND):
            return None
        if equals and prefix not in _AROUND and prefix not in _LEAVES:
            return None
        found.append((prefix, name))
    around = [_AROUND.index(prefix) for prefix, _ in found if prefix in _AROUND]
    return found if around == sorted(set(around)) else None


def _check_ends(codes: list[Node]) -> None:
    """Codes that are two elements: each end has its beginning before it, and each beginning its end."""
    begun: dict[str | None, str] = {}  # what is open
    for code in codes:
        isolated = code.attributes.get("isolated") == "yes"
        if code.name in ("sc", "sm") and not isolated:
            begun[code.id] = code.name
        elif code.name in ("ec", "em") and not isolated:
            opening = "sc" if code.name == "ec" else "sm"
            is_open = begun.pop(code.attributes.get("startRef"), None) == opening
            _demand(is_open, f"<{code.name}> closes what is not open")
    _demand(not begun, "a code is opened and neither closed nor isolated")


def _check_order(sources: list[Node], targets: list[Node]) -> None:
    """Look at the sequences of codes that must not be changed; the nodes are the sources and targets of a unit."""
    sequences: list[list[str]] = []
    is_open = False
    for name, moves in (event for node in sources for event in _events(node)):
        if moves == "firstNo":
            sequences.append([name])
        elif moves == "no":
            _demand(is_open, "a code that must not be moved does not follow one with canReorder=firstNo")
            sequences[-1].append(name)
        is_open = moves != "yes"
    theirs = [name for node in targets for name, _ in _events(node)]
    for sequence in sequences:
        if set(sequence) <= set(theirs):
            first = theirs.index(sequence[0])
            _demand(theirs[first : first + len(sequence)] == sequence, "codes are moved that must not be")


def _events(node: Node) -> Iterator[tuple[str, str]]:
    """Codes and their ends, in the order of the text, and whether each may be moved: yes, no, firstNo."""
    for child in node.children:
        said = child.attributes
        moves = said.get("canReorder", "yes")
        if child.name in _CODES:
            yield f"{child.name} {said.get('id') or said.get('startRef')}", moves
        yield from _events(child)
        if child.name == "pc":
            yield f"/pc {said.get('id')}", "no" if moves == "firstNo" else moves


def _check_kept(parts: list[Node]) -> None:
    """A code that must not be deleted is in some target, if its own part has one."""
    kept = {code.id for part in parts for target in part.named("target") for code in target.all(_CODES)}
    for part in parts:
        for source in part.named("source") if part.named("target") else []:
            for code in source.all(_CODES):
                is_fixed = code.attributes.get("canDelete") == "no" and code.id is not None
                _demand(not is_fixed or code.id in kept, "a code is missing that must not be deleted")


def has_moved(tags: Sequence[str], target: str) -> bool:
    """Whether a target that has all tags of its source has them in an order that XLIFF 2 forbids.

    >>> fixed = ['<ph id="1" canReorder="firstNo" canDelete="no" canCopy="no"/>']
    >>> fixed += ['<ph id="2" canReorder="no" canDelete="no" canCopy="no"/>']
    >>> has_moved(fixed, "".join(fixed) + "dos"), has_moved(fixed, "dos".join(reversed(fixed)))
    (False, True)
    """
    if not any("canReorder=" in tag for tag in tags):
        return False
    found = re.findall("|".join(map(re.escape, sorted(set(tags), key=len, reverse=True))), target)
    try:
        _check_order(*([_tree(each)] for each in (tags, found)))
    except BrokenRuleError:
        return True
    return False


def _tree(tags: Sequence[str]) -> Node:
    """Tags as elements, each inside those that are open."""
    opened = [Node("", {})]
    for tag in tags:
        if tag.startswith("</"):
            opened = opened[:-1] if len(opened) > 1 else opened
            continue
        name = re.match(r"<(?:[\w.-]+:)?(\w+)", tag)
        node = Node(name[1] if name else "", dict(_ATTRIBUTE.findall(tag)))
        opened[-1].children.append(node)
        opened += [] if tag.endswith("/>") else [node]
    return opened[0]
