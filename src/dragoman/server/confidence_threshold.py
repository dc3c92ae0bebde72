"""Translations of which the models are less sure than is wanted: none is shown instead.

In our own API each request says how sure. Other programs cannot ask for that, so the setting `least_confidence` of the
project says it for all of them; each interface then returns an empty text. Corrections are sure, also those that differ
from the text in nothing but their slots.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from statistics import fmean

from dragoman.engine import Engine
from dragoman.project.glossary import Glossary, extra_terms
from dragoman.records import Translation
from dragoman.server.marked_text import is_corrected
from dragoman.text.tokens import split


def is_unsure(words: Sequence[float] | None, least: float) -> bool:
    """Whether the mean confidence of some words is too low."""
    return bool(words) and fmean(words or ()) < least


def translate_surely(
    engine: Engine, text: str, translate: Callable[[], Translation], terms: Glossary | None = None
) -> Translation:
    """What a function makes of a text, or an empty translation if the project withholds it."""
    found, least = translate(), engine.least_confidence
    if not least or found.memory is not None:
        return found
    with extra_terms(terms):
        if not is_unsure(engine.confidences(found), least) or is_corrected(engine, text):
            return found
    return replace(found, text="", target=split(""), alignment=[], phrases=(), nbest=[], lines=(), changes=())
