"""Numbers that people use: effort by person and document, the learning curve, and a document against the memory.

An honest figure of what was saved: text that was confirmed faster than anybody reads saves nobody's work, it only moves
it to whoever finds the mistakes. So such segments are counted apart (`unread`), and what was saved is computed from the
others.
"""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, fields
from typing import Any

from dragoman.editor import messages, segment_table
from dragoman.editor.document_store import DocumentStore, Segment, now
from dragoman.editor.edited_project import EditedProject
from dragoman.editor.refusal import Refusal

BANDS = ("repetition", "100", "95-99", "85-94", "75-84", "50-74", "new")


@dataclass
class Total:
    """Effort, summed over segments."""

    segments: int = 0
    words: int = 0
    characters: int = 0
    key_strokes: int = 0
    mouse_actions: int = 0
    milliseconds: int = 0
    edits: int = 0
    unread: int = 0
    read_characters: int = 0
    read_keys: int = 0

    def add(self, numbers: Sequence[int]) -> None:
        """Add the numbers of a row, in the order of the fields."""
        for each, number in zip(fields(self), numbers, strict=True):
            setattr(self, each.name, getattr(self, each.name) + number)

    @property
    def saved(self) -> float | None:
        """Percent of the typing that was not necessary, where the text was read; None if nothing was."""
        if not self.read_characters:
            return None
        return round(min(100.0, max(0.0, 100 * (1 - self.read_keys / self.read_characters))), 1)

    def row(self, name: str | None, document: int | None = None) -> messages.EffortRow:
        """The effort of somebody, or on a document."""
        return messages.EffortRow(
            name=name,
            document=document,
            segments=self.segments,
            words=self.words,
            characters=self.characters,
            key_strokes=self.key_strokes,
            mouse_actions=self.mouse_actions,
            seconds=round(self.milliseconds / 1000, 1),
            edited_words=self.edits,
            unread=self.unread,
            saved=self.saved,
        )


def effort(documents: DocumentStore, document: int | None = None) -> messages.EffortGiven:
    """The effort on a document, or on all."""
    if document is None:
        names = {each.id: each.name for each in documents.documents()}
        rows = documents.rows(f"{segment_table.EFFORT} GROUP BY user, document ORDER BY document, user")
    else:
        names = {document: documents.document(document).name}
        rows = documents.rows(f"{segment_table.EFFORT} AND document = ? GROUP BY user", (document,))
    people: dict[str | None, Total] = {}
    of_documents: dict[int, Total] = {}
    total = Total()
    for user, number, *numbers in rows:
        for sums in (people.setdefault(user, Total()), of_documents.setdefault(number, Total()), total):
            sums.add(numbers)
    return messages.EffortGiven(
        by_person=[sums.row(user) for user, sums in people.items()],
        by_document=[sums.row(names.get(number), number) for number, sums in of_documents.items()],
        total=total.row(None),
    )


def curve(documents: DocumentStore, document: int | None, points: int) -> messages.Curve:
    """Effort over the segments in the order in which they were confirmed, as so many points at most."""
    which, values = ("", ()) if document is None else (" AND document = ?", (documents.document(document).id,))
    rows = documents.rows(segment_table.curve(which), values)
    size = max(1, -(-len(rows) // points))
    return messages.Curve(points=[_point(rows[at : at + size]) for at in range(0, len(rows), size)])


def _point(rows: Sequence[Sequence[int]]) -> messages.CurvePoint:
    words, characters, keys, milliseconds, edits = (sum(column) for column in zip(*rows, strict=True))
    return messages.CurvePoint(
        segments=len(rows),
        words=words,
        edited=round(100 * edits / max(words, 1), 1),
        typed=round(100 * keys / max(characters, 1), 1),
        seconds_per_word=round(milliseconds / 1000 / max(words, 1), 2),
    )


# ── Analysis ─────────────────────────────────────────────────────────────────────────────────────────────────────────


class MemoryAnalysis:
    """Counts the segments of a document by how similar they are to corrections, as they come."""

    def __init__(self, project: EditedProject) -> None:
        self._project = project
        self._seen: set[str] = set()
        self._counts = {band: [0, 0] for band in BANDS}

    def add(self, segments: Iterable[Segment]) -> None:
        """Count some segments; those that are new are told how similar the most similar correction is."""
        similar: list[tuple[float | None, int, int]] = []
        for segment in segments:
            source = segment.source.strip()
            found = [] if source in self._seen else self._project.engine.matches(source, least=50.0, limit=1)
            similarity = round(found[0].similarity, 1) if found else None
            band = "repetition" if source in self._seen else band_of(similarity or 0.0)
            if source not in self._seen:
                similar.append((similarity, segment.document, segment.number))
            self._seen.add(source)
            self._counts[band][0] += 1
            self._counts[band][1] += len(source.split())
        with self._project.documents.writing() as connection:
            connection.executemany(segment_table.SET_MATCH, similar)

    def save(self, document: int) -> None:
        """Keep the result with the document."""
        rows = [{"band": band, "segments": numbers[0], "words": numbers[1]} for band, numbers in self._counts.items()]
        self._project.documents.change_document(document, analysis=json.dumps({"time": now(), "rows": rows}))


def band_of(similarity: float) -> str:
    """The band of a match.

    >>> [band_of(similarity) for similarity in (100.0, 99.9, 85.0, 60.0, 10.0)]
    ['100', '95-99', '85-94', '50-74', 'new']
    """
    bounds = (100.0, 95.0, 85.0, 75.0, 50.0)
    return next((band for bound, band in zip(bounds, BANDS[1:], strict=False) if similarity >= bound), "new")


def analysis(documents: DocumentStore, document: int) -> messages.Analysis:
    """The analysis of a document that was made last."""
    documents.document(document)  # there is one, or an error
    (found,) = documents.rows("SELECT analysis FROM documents WHERE id = ?", (document,))[0]
    if found is None:
        raise Refusal(404, "this document was not analysed yet", "start the analysis first")
    return messages.Analysis.model_validate_json(found)


# ── CSV ──────────────────────────────────────────────────────────────────────────────────────────────────────────────


def write_rows(rows: Iterable[dict[str, Any]]) -> bytes:
    """Rows as CSV, with a first line of names; what a spreadsheet would take for a formula is quoted.

    >>> write_rows([{"name": "=1+1", "words": 3}]).decode().split()
    ['name,words', "'=1+1,3"]
    """
    out = io.StringIO()
    listed = list(rows)
    writer = csv.writer(out)
    writer.writerow(listed[0] if listed else [])
    writer.writerows([_cell(value) for value in row.values()] for row in listed)
    return out.getvalue().encode()


def _cell(value: Any) -> Any:
    return f"'{value}" if isinstance(value, str) and value[:1] in ("=", "+", "-", "@") else value
