"""Translations that fit into a document: with the inline tags of their source.

If the tags of a segment come out of the translation broken, it is translated piece by piece between them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from dragoman.errors import BadInputError
from dragoman.formats.document import Document, DocumentSegment
from dragoman.formats.inline import find_emptied_pair

if TYPE_CHECKING:
    from dragoman.engine import Engine


def translate_segment(engine: Engine, document: Document, segment: DocumentSegment) -> str:
    """A translation with the tags of its source; piece by piece between them, if that is the only way."""
    target = engine.translate_text(segment.source).text
    if _fits(document, segment, target):
        return target
    parts = segment.inline.parts
    return "".join(engine.translate_text(part).text if isinstance(part, str) else part.shown for part in parts)


def _fits(document: Document, segment: DocumentSegment, target: str) -> bool:
    """Whether a target can be written; and no pair of tags has lost its words, which only a person may mean."""
    try:
        document.check(segment, target)
    except BadInputError:
        return False
    return find_emptied_pair(segment.inline, target) is None
