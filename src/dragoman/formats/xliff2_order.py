"""Which codes of an XLIFF 2 unit may be moved and left out: what must stay together is in the target as in the source.

A code with canReorder="firstNo" begins a sequence, and those with "no" after it belong to it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from dragoman.formats.xliff2_nodes import BrokenRuleError, Node, demand

Event = tuple[str, str]  # a code or one of its ends, and whether it may be moved: yes, no, firstNo
_CODES = ("pc", "ph", "sc", "ec")
_ATTRIBUTE = re.compile(r"""\s(\w+)=["']([^"']*)["']""")


def check_order(sources: list[Node], targets: list[Node]) -> None:
    """Look at the sequences of codes that must not be changed; the nodes are the sources and targets of a unit."""
    ours = [event for node in sources for event in _events(node)]
    sequences: list[list[str]] = []
    is_open = False
    for name, moves in ours:
        if moves == "firstNo":
            sequences.append([name])
        elif moves == "no":
            demand(is_open, "a code that must not be moved does not follow one with canReorder=firstNo")
            sequences[-1].append(name)
        is_open = moves != "yes"
    theirs = [name for node in targets for name, _ in _events(node)]
    for sequence in sequences:
        if set(sequence) <= set(theirs):
            first = theirs.index(sequence[0])
            demand(theirs[first : first + len(sequence)] == sequence, "codes are moved that must not be")


def _events(node: Node) -> Iterator[Event]:
    """Codes and their ends, in the order of the text."""
    for child in node.children:
        said = child.attributes
        moves = said.get("canReorder", "yes")
        if child.name in _CODES:
            if moves != "yes":
                is_kept = said.get("canCopy") == "no" and said.get("canDelete") == "no"
                demand(is_kept, "a code that must not be moved may be copied or deleted")
            yield f"{child.name} {said.get('id') or said.get('startRef')}", moves
        yield from _events(child)
        if child.name == "pc":
            yield f"/pc {said.get('id')}", "no" if moves == "firstNo" else moves


def check_kept(parts: list[Node]) -> None:
    """A code that must not be deleted is in some target, if its own part has one."""
    kept = {
        code.attributes.get("id") for part in parts for target in part.named("target") for code in target.all(*_CODES)
    }
    for part in parts:
        for source in part.named("source") if part.named("target") else []:
            for code in source.all(*_CODES):
                is_fixed = code.attributes.get("canDelete") == "no" and "id" in code.attributes
                demand(not is_fixed or code.attributes["id"] in kept, "a code is missing that must not be deleted")


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
        check_order(*([_tree(each)] for each in (tags, found)))
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
