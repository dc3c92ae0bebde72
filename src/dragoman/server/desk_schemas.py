"""Requests and responses of the API that a translator's desk needs: checks, teams, push, numbers."""

from __future__ import annotations

from typing import Annotated, Any

from pydantic import Field

from dragoman.server.schemas import FindingGiven, Given, Id, SegmentGiven, Sent, Text, User, example

Numbers = Annotated[list[Id], Field(max_length=100_000)]


class Me(Given):
    """Who sent a request, and what they may do."""

    model_config = example(name="ana", signed_in=True, key=True, projects={"manual": "learn"}, may_create=False)
    name: Annotated[str | None, Field(description="owner of the key; null for programs on this machine")]
    signed_in: bool
    key: Annotated[bool, Field(description="whether a key was sent; without, there is nothing to sign out of")]
    projects: Annotated[dict[str, str], Field(description="role by project")]
    may_create: Annotated[bool, Field(description="whether this key may create and delete projects")]


class FileFormats(Given):
    """The endings of the files that can be translated."""

    model_config = example(endings=[".xlf", ".po", ".docx"])
    endings: list[str]


class Overview(Given):
    """The states of all segments of a document, in little space."""

    model_config = example(segments=5, states="ntccl", held=[2], warned=[3], change=12)
    segments: int
    states: Annotated[
        str, Field(description="a letter for each: new, translated, confirmed, locked; r: confirmed and reviewed")
    ]
    held: Annotated[list[int], Field(description="segments whose text the file cannot hold")]
    warned: Annotated[list[int], Field(description="segments with findings that nobody has accepted")]
    change: Annotated[int, Field(description="number of the last change")]


class NumbersFound(Given):
    """The numbers of segments."""

    model_config = example(numbers=[3, 9])
    numbers: list[int]


class DocumentChange(Sent):
    """What to change of a document; fields that are not sent stay as they are."""

    model_config = example(name="page 4", assignee="ana", repetitions=False)
    name: Annotated[str, Field(min_length=1, max_length=255)] | None = None
    assignee: User | None = None
    repetitions: bool | None = None


# ── Checks ───────────────────────────────────────────────────────────────────────────────────────────────────────────


class Draft(Sent):
    """A target to check; nothing is saved."""

    model_config = example(target="Cierre la tapa.")
    target: Text


class Findings(Given):
    """What the checks found in a segment."""

    findings: list[FindingGiven]


class CheckGiven(Given):
    """A check, whether it is on, and how many segments have findings that nobody has accepted."""

    model_config = example(check="numbers", about="Numbers that are missing.", severity="warning", on=True, count=3)
    check: str
    about: str
    severity: str
    on: bool
    count: int


class Checks(Given):
    """The checks of a document."""

    checks: list[CheckGiven]


class ChecksChange(Sent):
    """The checks to switch off; all others are on."""

    model_config = example(off=["spaces"])
    off: Annotated[list[Annotated[str, Field(max_length=40)]], Field(max_length=50)]


class Undelivered(Given):
    """A segment that the file would lack, and why."""

    segment: int
    state: str
    what: str


class Report(Given):
    """Whether a document can be delivered, what would be missing, and what the checks found."""

    deliverable: Annotated[bool, Field(description="every segment is confirmed, and the file can hold it")]
    segments: int
    confirmed: int
    held: int
    unconfirmed: int
    unchecked: Annotated[int, Field(description="segments that were not checked yet: start a job")]
    not_delivered: Annotated[list[Undelivered], Field(description="the first 1000")]
    not_delivered_count: int
    counts: Annotated[dict[str, int], Field(description="segments with open findings, by check")]
    findings: Annotated[list[FindingGiven], Field(description="the first 1000")]


# ── Teams ────────────────────────────────────────────────────────────────────────────────────────────────────────────


class By(Sent):
    """Who does something; with a key, the key's owner."""

    user: User | None = None


class UndoWanted(By):
    """What to take back: a change that one has made, as the answer to it names it; the last one if none is named."""

    change: Id | None = None


class Undo(Given):
    """What was taken back, or could be."""

    model_config = example(what="Took back your confirmation of segment 5: “Cierre la tapa.”", segments=[5, 9])
    what: str | None
    segments: list[int]
    segment: SegmentGiven | None = None


class Assign(Sent):
    """Segments for somebody; without numbers, from the first to the last, or all."""

    model_config = example(assignee="ana", first=1, last=50)
    assignee: User | None
    segments: Numbers | None = None
    first: Annotated[int, Field(ge=1)] | None = None
    last: Annotated[int, Field(ge=1)] | None = None


class Assigned(Given):
    """How many segments were assigned."""

    segments: int


class Review(Sent):
    """Confirmed segments to approve, or to take approval back from."""

    model_config = example(segments=[5], approve=True)
    segments: Annotated[list[Annotated[int, Field(ge=1)]], Field(min_length=1, max_length=1000)]
    approve: bool = True
    user: User | None = None


class Reviewed(Given):
    """The segments that were reviewed; those that are not confirmed are left out."""

    segments: list[SegmentGiven]


class NewComment(Sent):
    """A comment on a segment."""

    model_config = example(text="Is this the same lid as on page 2?")
    text: Annotated[str, Field(min_length=1, max_length=10_000)]
    user: User | None = None


class CommentChange(Sent):
    """Whether a comment is resolved."""

    resolved: bool


class CommentGiven(Given):
    """A comment on a segment."""

    id: int
    user: str | None
    time: str
    text: str
    resolved: bool


class ChangeGiven(Given):
    """A change to a segment."""

    time: str
    user: str | None
    action: str
    target: str
    state: str


class MatchDiff(Given):
    """A similar correction, and how its source differs from the segment's."""

    similarity: float
    id: int
    source: str
    target: str
    lost: Annotated[list[str], Field(description="codes of the segment that the target lacks", default_factory=list)]
    extra: Annotated[list[str], Field(description="codes left out of the target", default_factory=list)]
    diff: Annotated[list[tuple[str, str]], Field(description="same, delete or insert, and the text")]


class About(Given):
    """What the file, people and the translation memory say about a segment."""

    context: str
    note: str
    limit: int | None
    links: list[str]
    repeats: Annotated[list[int], Field(description="other segments with the same source, the first 1000")]
    comments: list[CommentGiven]
    history: Annotated[list[ChangeGiven], Field(description="newest first")]
    matches: list[MatchDiff]


class People(Given):
    """Who has worked on a project, or may."""

    people: list[str]


# ── Numbers ──────────────────────────────────────────────────────────────────────────────────────────────────────────


class EffortRow(Given):
    """The effort of somebody, or on a document; over confirmed segments that somebody worked on."""

    name: str | None
    document: int | None = None
    segments: int
    words: int
    characters: int
    key_strokes: int
    mouse_actions: int
    seconds: float
    edited_words: int
    unread: Annotated[int, Field(description="segments confirmed unchanged, faster than anybody reads")]
    saved: Annotated[float | None, Field(description="percent of typing saved where text was read, 0 to 100")]


class Effort(Given):
    """Effort by person, by document, and in all."""

    by_person: list[EffortRow]
    by_document: list[EffortRow]
    total: EffortRow


class CurvePoint(Given):
    """Effort over some segments in a row, in the order in which they were confirmed."""

    segments: int
    words: int
    edited: Annotated[float, Field(description="words changed, per cent")]
    typed: Annotated[float, Field(description="keys and clicks per 100 characters")]
    seconds_per_word: float


class Curve(Given):
    """How effort went down, or not."""

    points: list[CurvePoint]


class Band(Given):
    """Segments of a document by how similar they are to corrections."""

    band: str
    segments: int
    words: int


class Analysis(Given):
    """A document compared with the translation memory."""

    time: str
    rows: list[Band]


# ── Find and replace, memory and glossary ────────────────────────────────────────────────────────────────────────────


class Replacement(Sent):
    """What to find in the targets of a document, and what to put there."""

    model_config = example(find="tapa", replace="cubierta", words=True, preview=True)
    find: Annotated[str, Field(min_length=1, max_length=1000)]
    replace: Annotated[str, Field(max_length=1000)]
    case: Annotated[bool, Field(description="capitals matter")] = False
    words: Annotated[bool, Field(description="whole words only")] = False
    regex: Annotated[bool, Field(description="`find` is a regular expression, `\\1` in `replace` its first group")] = (
        False
    )
    preview: bool = True
    segments: Annotated[Numbers | None, Field(description="only in these")] = None
    leave: Annotated[Numbers | None, Field(description="not in these")] = None
    user: User | None = None


class Replaced(Given):
    """A segment in which something was found."""

    number: int
    version: int
    state: str
    before: str
    after: str
    spans: Annotated[list[tuple[int, int]], Field(description="what is replaced, by characters of `before`")]
    problem: Annotated[str | None, Field(description="why it is not replaced")]


class Replacements(Given):
    """What was found, and replaced unless it is a preview."""

    count: Annotated[int, Field(description="segments")]
    change: Annotated[int | None, Field(description="what to name in order to take it back")] = None
    segments: Annotated[list[Replaced], Field(description="the first 1000")]


class TermsImported(Given):
    """What became of the terms of a file."""

    added: int
    changed: int
    known: int
    skipped: list[dict[str, Any]]
