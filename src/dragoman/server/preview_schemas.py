"""The response with the text around a segment: a small closed vocabulary, and never markup of the file."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from dragoman.editor.message import Given, example
from dragoman.formats.preview_blocks import Look, Role


class RunGiven(Given):
    """Text, the start or end of a look, something that stands alone, or the place of a segment."""

    kind: str
    look: Look
    text: str
    segment: Annotated[int, Field(description="number of the segment that is shown here; 0: none")]


class TagLookGiven(Given):
    """What a tag in the texts of a segment looks like."""

    tag: str
    kind: str
    look: Look
    text: Annotated[str, Field(description="what is shown for a tag that stands alone")]


class CueGiven(Given):
    """When a cue is shown, in seconds."""

    start: float
    end: float


class PlaceGiven(Given):
    """What a block is, and where it stands; positions of tables, rows and cells only tell them apart."""

    role: Role
    level: Annotated[int, Field(description="of a heading, or how deep a list is")]
    marker: Annotated[str, Field(description="• or a number, at the beginning of a list item")]
    label: Annotated[str, Field(description="a key, or the name of an attribute")]
    table: Annotated[int, Field(description="-1: none")]
    row: int
    cell: int
    column: int


class BlockGiven(Given):
    """A paragraph, a cell, a string of a program."""

    place: PlaceGiven
    runs: list[RunGiven]
    note: str
    limit: int | None
    cues: list[CueGiven]


class PreviewSegment(Given):
    """A segment in a preview."""

    number: int
    source: str
    target: str
    state: str
    version: int
    looks: list[TagLookGiven]


class PreviewGiven(Given):
    """The blocks around a segment."""

    model_config = example(part="", blocks=[], segments=[], more_before=False, more_after=True)
    part: Annotated[str, Field(description="the page, slide or other part of a packed file")]
    blocks: list[BlockGiven]
    segments: Annotated[list[PreviewSegment], Field(description="those in the blocks, in order")]
    more_before: Annotated[bool, Field(description="whether the document, or its part, has more before")]
    more_after: bool
