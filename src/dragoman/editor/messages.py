"""Requests and responses of the editor's API: documents, segments, checks, teams, numbers."""

from __future__ import annotations

from dataclasses import asdict
from typing import Annotated, Literal

from pydantic import Field

from dragoman.editor.message import LARGEST, Given, Id, Numbers, Sent, State, Text, User, example
from dragoman.editor.segment_findings import Acceptance, SegmentFinding


class DocumentGiven(Given):
    """A document and its progress: segments and source words in each state."""

    id: int
    name: str
    time: str
    states: dict[str, int]
    words: dict[str, int]
    stages: Annotated[dict[str, int], Field(description="segments to translate, to review, and done")]
    held: Annotated[int, Field(description="segments whose text the file cannot hold")]
    assignee: str | None
    format: Annotated[str, Field(description="of its file; empty if there is none")]
    repetitions: Annotated[bool, Field(description="whether confirming a segment fills others with the same source")]
    propagation: Annotated[str, Field(description="how they are filled: off, draft or confirm")] = "draft"
    regrouped: Annotated[bool, Field(description="whether segments were merged or split")] = False
    divisible: Annotated[bool, Field(description="whether they can be: its file has paragraphs")] = False


class SegmentGiven(Given):
    """A segment of a document."""

    document: int
    number: int
    key: str
    source: str
    target: str
    state: State
    correction: int | None
    version: int
    suggestion: str | None
    key_strokes: int
    mouse_actions: int
    milliseconds: int
    edits: int | None
    stage: Annotated[str, Field(description="what is to be done next: translate, review, or done")]
    user: Annotated[str | None, Field(description="who changed it last")]
    changed: Annotated[str | None, Field(description="when")]
    reviewer: Annotated[str | None, Field(description="who has approved it")]
    assignee: str | None
    origin: Annotated[str, Field(description="of its target: file, person, machine, memory, repetition, replacement")]
    match: Annotated[float | None, Field(description="similarity of the correction it was taken from, in percent")]
    context: Annotated[str, Field(description="where it stands, as the file says")]
    note: Annotated[str, Field(description="what the author tells the translator")]
    limit: Annotated[int | None, Field(description="characters that the file allows")]
    held: Annotated[bool, Field(description="its text cannot be written into the file")]
    warnings: Annotated[int, Field(description="findings of the checks that nobody has accepted")]
    comments: int
    place: Annotated[
        float | None, Field(description="where it stands among the numbers of the others, if it was split off")
    ] = None


class FindingGiven(Given):
    """Something that may be wrong with a translation; positions are characters, from `start` to before `end`."""

    model_config = example(check="numbers", severity="warning", what="the number 5 is missing", source_start=5)
    segment: int
    check: str
    severity: Annotated[str, Field(description="error: held; question: asked before confirming; warning: shown")]
    what: str
    start: Annotated[int | None, Field(description="in the target")]
    end: int | None
    source_start: int | None
    source_end: int | None
    accepted: Acceptance | None

    @classmethod
    def of(cls, found: SegmentFinding) -> FindingGiven:
        """A finding as it is answered."""
        one = found.finding
        own = {"segment": found.segment, "severity": one.severity, "accepted": found.accepted}
        return cls.model_validate(asdict(one) | own)


class SegmentChanged(SegmentGiven):
    """A segment after a change."""

    unlearned: Annotated[str | None, Field(description="why nothing was learned from it although it is confirmed")]
    findings: Annotated[list[FindingGiven], Field(default_factory=list)]
    filled: Annotated[
        list[int], Field(description="segments filled with the same text as drafts, at most 1000", default_factory=list)
    ]
    filled_count: int = 0
    change: Annotated[int | None, Field(description="what to name in order to take it back")] = None


class Segments(Given):
    """Some segments of a document, in order."""

    document: DocumentGiven
    segments: list[SegmentGiven]
    more: Annotated[bool, Field(description="whether there are more behind these")] = False


class Accept(Sent):
    """A check whose findings in a segment are accepted, and why."""

    model_config = example(check="placeholders", reason="named in the next sentence")
    check: Annotated[str, Field(max_length=40)]
    reason: Annotated[str, Field(max_length=1000)] = ""


class SegmentChange(Sent):
    """The new target and state of a segment, and the effort they took; confirming a segment teaches it."""

    model_config = example(target="Cierre la tapa.", state="confirmed", version=2, key_strokes=5)
    target: Text
    state: Literal["new", "translated", "confirmed"]
    version: (
        Annotated[int, Field(ge=1, le=LARGEST, description="the version that was edited; conflict if it has changed")]
        | None
    ) = None
    force: Annotated[bool, Field(description="learn it even if it looks like a mistake")] = False
    accept: Annotated[
        list[Accept], Field(fail_fast=True, max_length=20, description="questions of the checks that are answered")
    ] = Field(default_factory=list)
    fill: Annotated[bool | None, Field(description="fill segments with the same source; null: as set")] = None
    user: User | None = None
    suggestion: Text | None = None
    key_strokes: Annotated[int, Field(ge=0, le=1_000_000)] = 0
    mouse_actions: Annotated[int, Field(ge=0, le=1_000_000)] = 0
    milliseconds: Annotated[int, Field(ge=0, le=1_000_000_000)] = 0


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
    order: Annotated[
        list[int] | None, Field(description="the number of each, in the order of the document, if some were regrouped")
    ] = None


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
    propagation: Literal["off", "draft", "confirm"] | None = None


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
    off: Annotated[list[Annotated[str, Field(max_length=40)]], Field(fail_fast=True, max_length=50)]


class Undelivered(Given):
    """A segment that the file would lack, and why."""

    segment: int
    state: str
    what: str


class DeliveryReport(Given):
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


class UndoGiven(Given):
    """What was taken back, or could be."""

    model_config = example(what="Took back your confirmation of segment 5: “Cierre la tapa.”", segments=[5, 9])
    what: str | None
    segments: list[int]
    segment: SegmentGiven | None = None
    regrouped: Annotated[bool, Field(description="whether there are other segments now")] = False


class UndoStep(Given):
    """Something that one has done, or taken back."""

    change: Annotated[int, Field(description="what to name in order to take it back, or do it again")]
    what: str
    time: str
    segments: Annotated[int, Field(description="how many it changed")]
    possible: Annotated[bool, Field(description="whether its segments are as this step left them")]


class UndoSteps(Given):
    """What one has done in a document, newest first, and what one has taken back and can do again."""

    undo: list[UndoStep]
    redo: list[UndoStep]


class ReferenceMemoryGiven(Given):
    """A memory that others made: read-only, with a name and a priority."""

    model_config = example(id=1, name="client.tmx", priority=1, enabled=True, entries=5200)
    id: int
    name: str
    priority: Annotated[int, Field(description="1 comes first")]
    enabled: bool
    entries: int


class MemoryChange(Sent):
    """What to change of a reference memory; fields that are not sent stay as they are."""

    model_config = example(priority=2, enabled=False)
    name: Annotated[str, Field(min_length=1, max_length=255)] | None = None
    priority: Annotated[int, Field(ge=1, le=1000)] | None = None
    enabled: bool | None = None


class TypedTarget(By):
    """A text that is being typed for a segment."""

    model_config = example(target="Cierre la")
    target: Text


class MergeWanted(By):
    """A segment and the one after it become one; texts that are newer than those that are saved can be sent along."""

    model_config = example(version=3, target="Cierre la tapa.")
    version: Annotated[int | None, Field(description="of the first segment, as it is known")] = None
    target: Annotated[Text | None, Field(description="of the first segment")] = None
    next_target: Annotated[Text | None, Field(description="of the one after it")] = None


class SplitWanted(By):
    """A segment becomes two."""

    model_config = example(version=3, at=15)
    at: Annotated[int, Field(ge=1, le=LARGEST, description="characters of the source that stay in the first part")]
    version: Annotated[int | None, Field(description="of the segment, as it is known")] = None
    target: Annotated[Text | None, Field(description="of the first part; without it, all of the target")] = None
    next_target: Annotated[Text, Field(description="of the second part")] = ""


class Regrouped(Given):
    """The segment that was merged or split, and the number of the one that went or came."""

    segment: SegmentGiven
    other: int
    change: Annotated[int, Field(description="what to name in order to take it back")]


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
    segments: Annotated[list[Annotated[int, Field(ge=1)]], Field(fail_fast=True, min_length=1, max_length=1000)]
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
    diff: Annotated[
        list[tuple[str, str]],
        Field(description="what was changed in a text that was confirmed already", default_factory=list),
    ]


class MatchDiff(Given):
    """A similar correction, and how its source differs from the segment's."""

    similarity: float
    id: int
    source: str
    target: str
    lost: Annotated[list[str], Field(description="codes of the segment that the target lacks", default_factory=list)]
    extra: Annotated[list[str], Field(description="codes left out of the target", default_factory=list)]
    memory: Annotated[str | None, Field(description="the reference memory it is from; null: learned here")] = None
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


class EffortGiven(Given):
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


class ReplacementWanted(Sent):
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


class ReplacementsGiven(Given):
    """What was found, and replaced unless it is a preview."""

    count: Annotated[int, Field(description="segments")]
    change: Annotated[int | None, Field(description="what to name in order to take it back")] = None
    segments: Annotated[list[Replaced], Field(description="the first 1000")]
