"""The report before a document is delivered: which segments the file would lack, and what the checks found."""

from __future__ import annotations

from collections.abc import Iterable

from dragoman.concurrency import checkpoint
from dragoman.editor import messages, segment_findings, segment_table
from dragoman.editor.document_store import Segment
from dragoman.editor.edited_project import EditedProject
from dragoman.formats.lines import tsv_fault
from dragoman.quality import find_inconsistencies

LISTED = 1000  # segments, and findings
CHECKED = 2000  # segments that are checked before the report is made; of more, a job takes care
ODD = "*[\t\r\n]*"  # what a line of a table cannot hold


def report(project: EditedProject, document: int) -> messages.DeliveryReport:
    """The report; segments that were not checked since they changed are checked first, as far as that is quick."""
    documents = project.documents
    documents.document(document)  # there is one, or an error
    unchecked = _check_some(project, document)
    pairs = documents.rows(segment_table.PAIRS, (document,))
    segment_findings.replace_comparisons(documents, document, find_inconsistencies(pairs))
    about = documents.document(document)
    counts = segment_findings.counts(documents, document)
    missing = sorted(_undelivered(project, document), key=lambda each: each.segment)
    return messages.DeliveryReport(
        deliverable=not missing,
        segments=sum(about.states.values()),
        confirmed=about.states["confirmed"],
        held=about.held,
        unconfirmed=about.states["new"] + about.states["translated"],
        unchecked=unchecked,
        not_delivered=missing[:LISTED],
        not_delivered_count=len(missing),
        counts={name: number for name, number in counts.items() if name not in about.off},
        findings=[
            messages.FindingGiven.of(each) for each in segment_findings.read_all(documents, document, about.off, LISTED)
        ],
    )


def check_open(project: EditedProject, segments: Iterable[Segment]) -> None:
    """Check segments, and keep what was found, unless they have been changed meanwhile."""
    for segment in segments:
        checkpoint()
        if segment.state == "locked" or not segment.target:
            continue
        found = project.checks.check(segment)
        off = project.documents.document(segment.document).off
        with project.documents.writing() as connection:
            if connection.execute(
                segment_table.UNCHANGED, (segment.document, segment.number, segment.version)
            ).fetchone():
                segment_findings.write(connection, segment, found, off)


def _check_some(project: EditedProject, document: int) -> int:
    """Check what was not checked yet, if it is not too much; how much is left."""
    documents = project.documents
    numbers = documents.rows(segment_table.UNCHECKED, (document, CHECKED + 1))
    if len(numbers) <= CHECKED:
        check_open(project, (documents.segment(document, number) for (number,) in numbers))
        return 0
    return int(documents.rows(segment_table.UNCHECKED_COUNT, (document,))[0][0])


def _undelivered(project: EditedProject, document: int) -> Iterable[messages.Undelivered]:
    """Segments that the file would lack, or have as a draft."""
    rows = project.documents.rows(segment_table.UNDELIVERED, (document,))
    yield from _unwritable(project, document)
    reasons = {"new": "is not translated", "translated": "is not confirmed"}
    for number, state, why in rows:
        yield messages.Undelivered(segment=number, state=state, what=why or reasons.get(state, ""))


def _unwritable(project: EditedProject, document: int) -> Iterable[messages.Undelivered]:
    """Confirmed segments of a document without a file that no line of a table can hold, whatever their target."""
    if project.documents.has_file(document):
        return
    rows = project.documents.rows(segment_table.ODD_PAIRS, (document, ODD, ODD))
    for number, source, target in rows:
        if fault := tsv_fault(source, target):
            yield messages.Undelivered(segment=number, state="confirmed", what=fault)
