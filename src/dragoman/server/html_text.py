"""Texts that are HTML: their blocks are translated one by one, with their tags, and everything else stays."""

from __future__ import annotations

from typing import TYPE_CHECKING

from dragoman.errors import BadInputError
from dragoman.formats import read_document
from dragoman.formats.filled_document import fill_document
from dragoman.project.glossary import Glossary, extra_terms

if TYPE_CHECKING:
    from dragoman.engine import Engine


def translate_html(engine: Engine, text: str, terms: Glossary | None = None) -> str:
    """Translate the readable parts of a page, or of a piece of one."""
    document = read_document(text.encode(), "text.html", source=engine.source, target=engine.target, sentences=False)
    if not document.segments:
        return text
    with extra_terms(terms):
        try:
            return fill_document(engine, document).data.decode()
        except BadInputError:  # not as broken as the original, but nothing that can be written
            return text
