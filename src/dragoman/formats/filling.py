"""Translations that fit into a document: with the line breaks, the tabs and the inline tags of their source.

To the engine a line break is a gap between words like any other. So a text is translated line by line; and if the
tags of a segment come out of the translation broken, it is translated piece by piece between them.
"""

from __future__ import annotations

import re
from itertools import pairwise
from typing import TYPE_CHECKING

from dragoman.errors import BadInputError
from dragoman.formats.document import Document, DocumentSegment
from dragoman.formats.inline import find_emptied_pair

if TYPE_CHECKING:
    from dragoman.engine import Engine

_BREAK = re.compile(r"[\n\r\t\v\f\x85\u2028\u2029]+")
_NEXT = re.compile(r" *(\S?)")


def split_lines(text: str) -> list[str]:
    r"""The lines of a text, each with the breaks after it; a tab is a break, too.

    A sentence that is only wrapped, as in indented XML, remains one.

    >>> split_lines("Name:\tAna\n\nBye")
    ['Name:\t', 'Ana\n\n', 'Bye']
    >>> split_lines("Press the\n  green button.\nWait.")
    ['Press the\n  green button.\n', 'Wait.']
    >>> split_lines("")
    ['']
    """
    ends = [found.end() for found in _BREAK.finditer(text) if not _goes_on(text, found)]
    lines = [text[begin:end] for begin, end in pairwise([0, *ends, len(text)])]
    return [line for line in lines if line] or [text]


def _goes_on(text: str, found: re.Match[str]) -> bool:
    """Whether a break is in the middle of a sentence: one line, after a word or comma, before a small letter."""
    before, after = text[max(found.start() - 1, 0) : found.start()], _NEXT.match(text, found.end())
    return found[0] in ("\n", "\r\n") and (before.isalnum() or before == ",") and bool(after and after[1].islower())


def lines_to_translate(engine: Engine, text: str, *, memory: bool | None = None) -> list[str]:
    """The lines of a text, as above; or all in one, if there is a correction of all. `memory` is as for the engine."""
    lines = split_lines(text)
    if len(lines) > 1 and (engine.memory if memory is None else memory):
        with engine.reading() as state:
            return [text] if state.memory.exact(text) else lines
    return lines


def translate_text(engine: Engine, text: str) -> str:
    """The translation of a text, line by line; what is around the words of a line, the engine keeps as it is."""
    return "".join(engine.translate(line).text for line in lines_to_translate(engine, text))


def translate_segment(engine: Engine, document: Document, segment: DocumentSegment) -> str:
    """A translation with the tags of its source; piece by piece between them, if that is the only way."""
    target = translate_text(engine, segment.source)
    if _fits(document, segment, target):
        return target
    parts = segment.inline.parts
    return "".join(translate_text(engine, part) if isinstance(part, str) else part.shown for part in parts)


def _fits(document: Document, segment: DocumentSegment, target: str) -> bool:
    """Whether a target can be written; and no pair of tags has lost its words, which only a person may mean."""
    try:
        document.check(segment, target)
    except BadInputError:
        return False
    return find_emptied_pair(segment.inline, target) is None
