"""Working on a document in a team: assigning, approving, commenting; and what is known about a segment."""

from __future__ import annotations

import re
from collections.abc import Iterator
from difflib import SequenceMatcher

from dragoman.editor import messages, reference_memories, segment_log, segment_table
from dragoman.editor.document_store import DocumentStore, Segment, now
from dragoman.editor.edited_project import EditedProject
from dragoman.editor.refusal import Refusal
from dragoman.editor.segment_batches import teach_some
from dragoman.records import Match

TAUGHT = 20  # segments that are learned at once when they are approved
REPEATS = 1000  # segments with the same source that are listed
MOST_COMMENTS, MOST_COMMENTS_ALL = 1000, 20_000  # on a segment, and in a document
DIFFERED = 500  # words of a text that is compared word by word
_LINK = re.compile(r"https?://[^\s<>\"')\]]+")
_WORD = re.compile(r"\w+|\s+|[^\w\s]")
COMMENT = "SELECT id, user, time, text, resolved FROM comments"


def about(project: EditedProject, segment: Segment) -> messages.About:
    """What the file, people and the translation memory say about a segment."""
    documents = project.documents
    history = segment_log.history(documents, segment.document, segment.number)
    return messages.About(
        context=segment.context,
        note=segment.note,
        limit=segment.limit,
        links=_LINK.findall(f"{segment.context} {segment.note}"),
        repeats=repeats(documents, segment),
        comments=comments(documents, segment),
        history=[_change(each) for each in history],
        matches=[
            *(_match(each, segment.source) for each in project.engine.matches(segment.source)),
            *(_reference(each, segment.source) for each in reference_memories.matches(documents, segment.source)),
        ],
    )


def repeats(documents: DocumentStore, segment: Segment) -> list[int]:
    """The other segments with the same source."""
    values = segment.document, segment.source, segment.source, segment.number, REPEATS
    return [number for (number,) in documents.rows(segment_table.REPEATS, values)]


def _reference(match: reference_memories.MemoryMatch, source: str) -> messages.MatchDiff:
    about = {"similarity": match.similarity, "source": match.source, "target": match.target, "memory": match.memory}
    return messages.MatchDiff.model_validate(about | {"id": 0, "diff": list(diff(match.source, source))})


def _change(change: segment_log.LoggedChange) -> messages.ChangeGiven:
    """A change as people see it: of a text that was confirmed already, what differs now."""
    given = messages.ChangeGiven.model_validate(change)
    if change.old_state == "confirmed" and change.target != change.old_target and change.action != segment_log.TYPED:
        given.diff = list(diff(change.old_target, change.target))
    return given


def _match(match: Match, source: str) -> messages.MatchDiff:
    return messages.MatchDiff(**match._asdict(), diff=list(diff(match.source, source)))


def diff(old: str, new: str) -> Iterator[tuple[str, str]]:
    """How one text becomes another, word by word.

    >>> list(diff("Press the red button.", "Press the green button."))
    [('same', 'Press the '), ('delete', 'red'), ('insert', 'green'), ('same', ' button.')]
    """
    one, other = _WORD.findall(old), _WORD.findall(new)
    if max(len(one), len(other)) > 2 * DIFFERED:
        yield from (("delete", old), ("insert", new))
        return
    for kind, a, b, c, d in SequenceMatcher(None, one, other, autojunk=False).get_opcodes():
        if kind == "equal":
            yield "same", "".join(one[a:b])
            continue
        if a < b:
            yield "delete", "".join(one[a:b])
        if c < d:
            yield "insert", "".join(other[c:d])


# ── Comments ─────────────────────────────────────────────────────────────────────────────────────────────────────────


def comments(documents: DocumentStore, segment: Segment) -> list[messages.CommentGiven]:
    """The comments on a segment, oldest first."""
    query = f"{COMMENT} WHERE document = ? AND number = ? ORDER BY id LIMIT {MOST_COMMENTS}"
    return [messages.CommentGiven.of_row(row) for row in documents.rows(query, (segment.document, segment.number))]


def comment(documents: DocumentStore, segment: Segment, text: str, user: str | None) -> messages.CommentGiven:
    """Comment on a segment."""
    count = "SELECT COUNT(*) FILTER (WHERE number = ?), COUNT(*) FROM comments WHERE document = ?"
    [(here, everywhere)] = documents.rows(count, (segment.number, segment.document))
    if here >= MOST_COMMENTS or everywhere >= MOST_COMMENTS_ALL:
        what = f"a segment has at most {MOST_COMMENTS:,} comments, a document {MOST_COMMENTS_ALL:,}"
        raise Refusal(409, what, "remove some of them")
    with documents.writing() as connection:
        insert = "INSERT INTO comments (document, number, time, user, text) VALUES (?, ?, ?, ?, ?)"
        values = segment.document, segment.number, now(), user, text
        number = connection.execute(insert, values).lastrowid
    return _comment(documents, segment, int(number or 0))


def resolve(documents: DocumentStore, segment: Segment, number: int, *, resolved: bool) -> messages.CommentGiven:
    """Mark a comment as resolved, or as open again."""
    _comment(documents, segment, number)  # there is one, or an error
    with documents.writing() as connection:
        connection.execute("UPDATE comments SET resolved = ? WHERE id = ?", (resolved, number))
    return _comment(documents, segment, number)


def remove_comment(documents: DocumentStore, segment: Segment, number: int, user: str | None) -> None:
    """Remove one's own comment."""
    if _comment(documents, segment, number).user != user:
        raise Refusal(403, "this comment is somebody else's", "mark it as resolved", code="not-yours")
    with documents.writing() as connection:
        connection.execute("DELETE FROM comments WHERE id = ?", (number,))


def _comment(documents: DocumentStore, segment: Segment, number: int) -> messages.CommentGiven:
    query = f"{COMMENT} WHERE document = ? AND number = ? AND id = ?"
    found = documents.rows(query, (segment.document, segment.number, number))
    if not found:
        raise Refusal(404, "there is no such comment", "load the segment again")
    return messages.CommentGiven.of_row(found[0])


# ── Assigning and approving ──────────────────────────────────────────────────────────────────────────────────────────


def assign(documents: DocumentStore, document: int, wanted: messages.Assign) -> int:
    """Assign segments to somebody, or to nobody; all of them means the document, too. How many there were."""
    everything = wanted.segments is None and wanted.first is None and wanted.last is None
    documents.document(document)  # there is one, or an error
    with documents.writing() as connection:
        if wanted.segments is not None:
            rows = [(wanted.assignee, document, number) for number in set(wanted.segments)]
            return sum(connection.execute(segment_table.ASSIGN, row).rowcount for row in rows)
        if everything:
            connection.execute("UPDATE documents SET assignee = ? WHERE id = ?", (wanted.assignee, document))
        update = segment_table.ASSIGN_FROM
        values: list[object] = [wanted.assignee, document, wanted.first or 1]
        if wanted.last is not None:
            update, values = f"{update} AND number <= ?", [*values, wanted.last]
        return connection.execute(update, values).rowcount


def review(project: EditedProject, document: int, wanted: messages.Review, user: str | None) -> list[Segment]:
    """Approve confirmed segments, or take approval back; those that are not confirmed are left out.

    Nobody approves their own work; if one of the segments is that, none is approved. What its
    translator could not teach is learned now.
    """
    documents, reviewer = project.documents, (user or "") if wanted.approve else None
    looked_at = [documents.segment(document, number) for number in dict.fromkeys(wanted.segments)]
    confirmed = [each for each in looked_at if each.state == "confirmed"]
    own = next((each.number for each in confirmed if wanted.approve and user is not None and each.user == user), None)
    if own is not None:
        what = f"segment {own} was confirmed by yourself"
        raise Refusal(403, what, "let somebody else review it", code="own-work")
    with documents.writing() as connection:
        for old in confirmed:
            if connection.execute(segment_table.REVIEW, (reviewer, document, old.number, old.version)).rowcount:
                segment_log.record(connection, old, old, "approved" if wanted.approve else "returned", user)
                if wanted.approve and old.correction is None:
                    connection.execute(segment_table.UNTAUGHT, (document, old.number))
    found = [documents.segment(document, each.number) for each in confirmed]
    if wanted.approve and len(found) <= TAUGHT:
        teach_some(project, document, TAUGHT)
    return found


def people(documents: DocumentStore) -> list[str]:
    """Everybody who has changed or commented on a segment, or has some assigned."""
    found: set[str] = set()
    for query in (
        "SELECT DISTINCT user FROM changes",
        "SELECT DISTINCT user FROM comments",
        "SELECT DISTINCT assignee FROM documents",
    ):
        found |= {name for (name,) in documents.rows(query) if name}
    return sorted(found)
