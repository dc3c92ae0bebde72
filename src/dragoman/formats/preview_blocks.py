"""What a preview is made of: blocks of text with segments in them, in a small closed vocabulary.

Nothing of a file's own markup is in it, only names from the lists here and plain text, so that whoever shows a preview
has nothing to clean.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Literal, NamedTuple

Role = Literal["paragraph", "heading", "item", "cell", "quote", "code", "attribute", "cue", "string"]
Look = Literal[
    "plain",
    "bold",
    "italic",
    "underline",
    "strike",
    "code",
    "link",
    "mark",
    "subscript",
    "superscript",
    "break",
    "image",
    "note",
    "cue",
    "tag",
]


class PreviewRun(NamedTuple):
    """Some text, the start or end of a look, something that stands alone, or the place of a segment."""

    kind: Literal["text", "start", "end", "alone", "segment"]
    look: Look = "plain"
    text: str = ""
    segment: int = 0  # its number in the document


class TagLook(NamedTuple):
    """A tag of a segment as it is in the texts, and what it looks like."""

    tag: str
    kind: Literal["start", "end", "alone"]
    look: Look
    text: str = ""  # of what stands alone: the code, the description of an image


class CueTime(NamedTuple):
    """When a cue is shown, in seconds."""

    start: float
    end: float


@dataclass(frozen=True)
class Place:
    """What a block is, and where: in which list, in which cell of which table."""

    role: Role = "paragraph"
    level: int = 0  # of a heading, or how deep a list is
    marker: str = ""  # of the first block of a list item: • or a number
    label: str = ""  # a key, or the name of an attribute
    table: int = -1  # which table, row and cell; -1 outside of one
    row: int = -1
    cell: int = -1
    column: int = 0


@dataclass(frozen=True)
class Block:
    """A paragraph, a cell, a string of a program."""

    place: Place
    runs: list[PreviewRun]
    note: str = ""
    limit: int | None = None
    cues: list[CueTime] = field(default_factory=list)
    looks: dict[int, list[TagLook]] = field(default_factory=dict)  # of the tags of its segments, by number


@dataclass(frozen=True)
class PreviewExcerpt:
    """Some blocks of a document around a segment."""

    part: str  # the page, slide or other part of a packed file
    blocks: list[Block]
    more_before: bool
    more_after: bool


def renumbered(excerpt: PreviewExcerpt, numbers: Mapping[int, int]) -> PreviewExcerpt:
    """An excerpt whose segments have other numbers, by those that they had."""

    def block(old: Block) -> Block:
        runs = [run._replace(segment=numbers[run.segment]) if run.segment else run for run in old.runs]
        return replace(old, runs=runs, looks={numbers[number]: looks for number, looks in old.looks.items()})

    return replace(excerpt, blocks=[block(each) for each in excerpt.blocks])
