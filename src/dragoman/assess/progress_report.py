"""How is it doing? What people did with the suggestions of a project, measured in their work and not simulated.

A `Confirmation` is a segment that a person has confirmed, with the suggestion that they started from. Words changed are
the word edits between the two. Where another engine was asked, its own words are compared with the result as well, on
those segments alone. That comparison favours dragoman: people keep words that they are shown if these are good enough.

>>> done = [Confirmation("manual", "Pulse la tecla.", "Pulse el botón.", "Oprima la llave.", 12, 8_000)]
>>> found = summarise(done)
>>> found["changed"], found["beside"]
(66.67, {'segments': 1, 'changed': 66.67, 'engine': 100.0})
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from html import escape
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from rapidfuzz.distance import Levenshtein

from dragoman.assess.charts import legend, line_chart, stretches
from dragoman.assess.page_parts import figures, page, paragraph, table
from dragoman.assess.system_names import ANSWERED, SUGGESTED
from dragoman.measure import Wer, interval

ENOUGH = 20  # segments from which a number means something


NOTHING: dict[str, Any] = {
    "segments": 0,
    "words": 0,
    "changed": None,
    "margin": None,
    "unchanged": None,
    "beside": None,
    "strokes": None,
    "seconds_per_word": None,
    "curve": [],
    "documents": [],
}
COUNTED = (
    "This counts confirmed segments that somebody started from a suggestion. Words changed are the edits from the "
    "suggestion to the confirmed text; a suggestion that is confirmed unread counts as unchanged."
)
FAVOURS = (
    "The engine's own words were not shown, and people keep what they are shown if it is good enough, so the "
    "comparison favours dragoman. `dragoman assess` on work that was done without dragoman does not have this flaw."
)
Counts = NDArray[np.int64]  # [segments, 2] edits and words


class Confirmation(NamedTuple):
    """A segment that a person has confirmed."""

    document: str
    suggestion: str
    target: str
    engine: str | None  # another engine's answer
    strokes: int  # keys and mouse actions of the person
    milliseconds: int


def summarise(done: Sequence[Confirmation]) -> dict[str, Any]:
    """The numbers of some confirmations, in the order in which they were made; percentages have two digits."""
    if not done:
        return NOTHING
    edits = _edits([each.suggestion for each in done], done)
    found = interval(Wer(), edits)
    answered = [n for n, each in enumerate(done) if each.engine is not None]
    engine = _edits([each.engine or "" for each in done], done)
    words = int(edits[:, 1].sum())
    characters = sum(len(each.target) for each in done)
    return {
        "segments": len(done),
        "words": words,
        "changed": round(found.score, 2),
        "margin": round(found.margin, 2),
        "unchanged": round(100 * float((edits[:, 0] == 0).mean()), 2),
        "beside": _beside(edits[answered], engine[answered]) if answered else None,
        "strokes": round(100 * sum(each.strokes for each in done) / max(characters, 1), 2),
        "seconds_per_word": round(sum(each.milliseconds for each in done) / 1e3 / max(words, 1), 2),
        "curve": _curve(edits, engine, frozenset(answered)),
        "documents": _documents(done, edits),
    }


def _edits(texts: Sequence[str], done: Sequence[Confirmation]) -> Counts:
    """The counts of `Wer` [segments, 2], without its kernel, which a server does not load."""
    sides = [(text.split(), each.target.split()) for text, each in zip(texts, done, strict=True)]
    return np.array([(Levenshtein.distance(*side), len(side[1])) for side in sides], np.int64)


def _beside(edits: Counts, engine: Counts) -> dict[str, Any]:
    """Both on the segments for which the engine was asked."""
    return {"segments": len(edits), "changed": _rate(edits), "engine": _rate(engine)}


def _rate(edits: Counts) -> float:
    return round(Wer().score(edits.sum(0)), 2)


def _curve(edits: Counts, engine: Counts, answered: frozenset[int]) -> list[dict[str, Any]]:
    """Words changed in equal stretches, and those of the engine where it was asked for all of a stretch."""
    points = []
    for each in stretches(len(edits)):
        asked = all(n in answered for n in range(each.start, each.stop))
        rate = _rate(engine[each]) if asked else None
        points.append({"segments": each.stop, "changed": _rate(edits[each]), "engine": rate})
    return points


def _documents(done: Sequence[Confirmation], edits: Counts) -> list[dict[str, Any]]:
    places: dict[str, list[int]] = {}
    for number, each in enumerate(done):
        places.setdefault(each.document, []).append(number)
    return [{"name": name, "segments": len(which), "changed": _rate(edits[which])} for name, which in places.items()]


# ── The page ─────────────────────────────────────────────────────────────────────────────────────────────────────────


def render_progress(project: str, found: dict[str, Any]) -> str:
    """The page of a project."""
    return page(f"How is {project} doing?", _body(project, found))


def _body(project: str, found: dict[str, Any]) -> Iterator[str]:
    yield f"<h1>How is {escape(project)} doing?</h1>"
    yield f'<div class="verdict">{paragraph(sentence(found))}</div>'
    if not found["segments"]:
        return
    yield figures(_figures(found))
    yield _chart(found["curve"])
    rows = [[escape(each["name"]), f"{each['segments']:,}", f"{each['changed']:.1f} %"] for each in found["documents"]]
    yield f"<h2>By document</h2>{table(['document', 'segments', 'words changed'], rows)}"
    yield paragraph(COUNTED, quiet=True)
    if found["beside"]:
        yield paragraph(FAVOURS, quiet=True)


def sentence(found: dict[str, Any]) -> str:
    """How it is doing, in a sentence.

    >>> sentence(summarise([]))
    'Nothing has been confirmed from a suggestion yet.'
    """
    if not found["segments"]:
        return "Nothing has been confirmed from a suggestion yet."
    begun = f"Of 100 suggested words, {found['changed']:.1f} were changed"
    if found["segments"] < ENOUGH:
        return f"{begun}, in {found['segments']} segments so far: too few to say more."
    beside = found["beside"]
    if beside is None or beside["segments"] < ENOUGH:
        return f"{begun}, and {found['unchanged']:.0f} % of the segments were confirmed as suggested."
    asked = (
        "" if beside["segments"] == found["segments"] else f" In the {beside['segments']:,} segments it was asked for,"
    )
    engine = f"the engine's own words differ from the confirmed text by {beside['engine']:.1f}"
    return f"{begun}.{asked or ' Beside that,'} {engine}, dragoman's by {beside['changed']:.1f} in a hundred."


def _figures(found: dict[str, Any]) -> Iterator[tuple[str, str]]:
    yield f"{found['changed']:.1f} ± {found['margin']:.1f}", "words changed in a hundred"
    yield f"{found['unchanged']:.0f} %", "segments confirmed as suggested"
    yield f"{found['strokes']:.1f}", "key strokes and clicks for 100 characters"
    yield f"{found['seconds_per_word']:.1f} s", "of work for a word"
    yield f"{found['segments']:,}", "confirmed segments"


def _chart(curve: Sequence[dict[str, Any]]) -> str:
    if len(curve) < 2:
        return ""
    series = {SUGGESTED: [each["changed"] for each in curve]}
    if all(each["engine"] is not None for each in curve):
        series[ANSWERED] = [each["engine"] for each in curve]
    chart = line_chart(series, [f"{each['segments']:,}" for each in curve], "words changed in a hundred")
    caption = "Words changed in a hundred, in equal stretches of the work, up to the segment below."
    return (
        f"<h2>As the work goes on</h2><figure>{legend(list(series))}{chart}<figcaption>{caption}</figcaption></figure>"
    )
