"""Checks of the segments of a project: those of `dragoman.quality`, with what the project knows.

What the file of a document cannot hold is found by the file itself, as when it is written: a segment that passes is
delivered.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from dragoman.editor import segment_table
from dragoman.editor.document_store import Segment
from dragoman.editor.open_files import OpenFile
from dragoman.formats.document_pieces import Excerpt
from dragoman.formats.lines import tsv_fault
from dragoman.quality import Checker, Finding, find_fault
from dragoman.quality.delivery import find_trial

if TYPE_CHECKING:
    from dragoman.editor.edited_project import EditedProject

FEW = 100  # segments of an excerpt that are looked up one by one


class ProjectChecks:
    """Checks the segments of a project; thread-safe."""

    def __init__(self, project: EditedProject) -> None:
        self._project = project

    def check(self, segment: Segment, target: str | None = None) -> list[Finding]:
        """What may be wrong with a segment, with its own target or another one."""
        target = segment.target if target is None else target
        if not target.strip():
            return []
        opened = self._project.open_file(segment.document)
        inline = opened.segments[segment.key].tags if opened and segment.key in opened.segments else ()
        found = self.checker().check(segment.source, target, limit=segment.limit, inline=inline)
        return [*self._find_fault(segment, target, opened), *found, *self._compare(segment, target)]

    def checker(self) -> Checker:
        """The checks of one pair of texts, with the glossary and the words that the project knows.

        Over another engine, copied words are that engine's choice, and not asked about.
        """
        engine = self._project.engine
        known = engine.is_target_word if engine.upstream is None else _knows_all
        return Checker(engine.source, engine.target, engine.find_terms, known, rules=engine.find_rules)

    def _find_fault(self, segment: Segment, target: str, opened: OpenFile | None) -> Iterable[Finding]:
        """What the file cannot hold; a document without a file is exported as TSV."""
        if opened is None:
            added = {each for each in "\n\r\t" if each in target and each not in segment.source}
            if added and (fault := tsv_fault("", "".join(sorted(added)))):
                yield Finding("file", fault)
            return
        known = opened.segments.get(segment.key)
        if known is None:
            return
        trial = find_trial(opened.document, known)
        others = {} if trial is None else self._confirmed(trial, segment)
        if fault := find_fault(opened.document, known, target, others, trial):
            yield Finding("file", fault)

    def _confirmed(self, trial: Excerpt, segment: Segment) -> dict[str, str]:
        """The other targets that will be in what is written as a trial."""
        query = segment_table.CONFIRMED
        values: list[object] = [segment.document, segment.number]
        if len(trial.names) <= FEW:
            query += f" AND number BETWEEN ? AND ? AND key IN ({', '.join('?' * len(trial.names))})"
            values += [segment.number - FEW, segment.number + FEW, *trial.names]
        rows = self._project.documents.rows(query, values)
        return {key: target for key, target in rows if key in trial.names}

    def _compare(self, segment: Segment, target: str) -> Iterable[Finding]:
        """The first other segment with the same source that is translated differently."""
        values = segment.document, segment.source, segment.source, segment.number, target
        for number, other in self._project.documents.rows(segment_table.OTHERWISE, values):
            short = other if len(other) <= 60 else f"{other[:59]}…"
            yield Finding("same-source", f"segment {number} has the same source, but “{short}”")


def _knows_all(_: str) -> bool:
    return True
