"""Requests and responses of our own API, with an example of each. `limits.AtMost` bounds what clients send."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any, Literal

from fastapi import Path, Query
from pydantic import BaseModel, ConfigDict, Field, create_model

from dragoman.project.settings import SETTINGS
from dragoman.server.limits import AtMost
from dragoman.server.registry import NAME
from dragoman.store.description import LANGUAGE

State = Literal["new", "translated", "confirmed", "locked"]
Stage = Literal["translate", "review", "done"]
Language = Annotated[str, Field(pattern=f"^{LANGUAGE}$", examples=["es"])]
Text = Annotated[str, AtMost("text")]
User = Annotated[str, Field(max_length=200)]
LARGEST = 2**53 - 1  # integers up to here are exact in JavaScript, too
Id = Annotated[int, Field(ge=1, le=LARGEST)]
CorrectionId = Annotated[int, Path(ge=1, le=LARGEST, description="id of the correction")]
OWN = frozenset({"glossary", "term_rules"})  # settings with an address of their own
DocumentId = Annotated[int, Path(ge=1, le=LARGEST, description="id of the document")]
SegmentNumber = Annotated[int, Path(ge=1, le=LARGEST, description="number of the segment, from 1")]
PageSize = Annotated[int, Query(ge=1, le=1000, description="at most this many")]


class Sent(BaseModel):
    """What a client sends; unknown fields, and fields of another type, are rejected as mistakes."""

    model_config = ConfigDict(extra="forbid", strict=True)


class Given(BaseModel):
    """What the server answers with."""

    model_config = ConfigDict(from_attributes=True)


def example(**fields: Any) -> ConfigDict:
    """An example of a model."""
    return ConfigDict(json_schema_extra={"examples": [fields]})


class Error(Given):
    """What went wrong, and what to do about it."""

    model_config = ConfigDict(extra="allow")
    what: str = Field(examples=["no project 'manul'"])
    remedy: str | None = Field(None, examples=["see /api/v1/projects"])
    code: Annotated[str, Field(description="for programs; docs/server.md lists them")] = "error"


class Problem(Given):
    """The response to a request that was not carried out."""

    error: Error


ERROR_RESPONSES: dict[int | str, dict[str, Any]] = {
    status: {"model": Problem, "description": text}
    for status, text in {
        400: "bad request",
        401: "a key is required",
        403: "the key does not allow this",
        404: "not found",
        408: "the body took too long to arrive",
        409: "conflict",
        413: "too large",
        422: "a field is invalid",
        429: "too many requests",
        503: "unavailable",
    }.items()
}


# ── Projects ─────────────────────────────────────────────────────────────────────────────────────────────────────────


class NewProject(Sent):
    """A project to create."""

    model_config = example(name="manual", source="en", target="es")
    name: Annotated[str, Field(pattern=f"^{NAME}$")]
    source: Language
    target: Language
    preset: Literal["thot", "moses", "full", "classes"] = "classes"
    base: Annotated[str, Field(pattern=f"^{NAME}$", description="a project whose base to use")] | None = None
    sample: Annotated[bool, Field(description="start with the manual that ships with dragoman, untranslated")] = False


class ProjectChange(Sent):
    """A new name for a project."""

    model_config = example(name="manual-2")
    name: Annotated[str, Field(min_length=1, max_length=64)]


class Project(Given):
    """A project, its languages and its revision."""

    model_config = example(
        name="manual", source="en", target="es", revision=12, role="admin", server="writer", seconds_behind=0.0
    )
    name: str
    source: str
    target: str
    revision: Annotated[int, Field(description="grows with every correction and setting")]
    role: Annotated[str, Field(description="the role of this key in the project")]
    server: Annotated[
        str, Field(description="writer; or replica or standby, which follow another server that is the writer")
    ]
    seconds_behind: Annotated[float, Field(description="how long ago a replica was last up to date")]


class ProjectDetails(Project):
    """A project, and what its editor needs to know."""

    model_config = example(
        name="manual",
        source="en",
        target="es",
        revision=12,
        role="admin",
        server="writer",
        seconds_behind=0.0,
        tag_pattern=r"(?<tag></?[A-Za-z]+>)",
    )
    tag_pattern: Annotated[
        str | None,
        Field(
            description="JavaScript pattern (flags gu); its group `tag` matches tags and placeholders, "
            "which a translation must keep. Null if the project has no tags"
        ),
    ]


class Unopened(Given):
    """A project that cannot be opened at the moment, and why."""

    model_config = example(
        name="manual", source="en", target="es", role="admin", problem={"what": "is open for writing by process 4711"}
    )
    name: str
    source: Annotated[str | None, Field(description="null if the project file cannot be read")]
    target: str | None
    role: str
    problem: Error


class ProjectSettings(Given):
    """The settings of a project, by name."""

    model_config = example(
        revision=12,
        settings={"share": 0.7, "limit": None, "upstream": "deepl:"},
        upstream_kinds=["deepl", "openai"],
        upstream_problem=None,
    )
    revision: int
    settings: Annotated[
        dict[str, Any], Field(description="docs/engine.md explains them; `upstream` is given in full to administrators")
    ]
    upstream_kinds: Annotated[
        list[str],
        Field(description="the kinds of engines that you may set here: none, unless you administrate"),
    ]
    upstream_problem: Annotated[
        str | None, Field(description="why the engine did not answer when it was last asked; for administrators")
    ]


if TYPE_CHECKING:
    from dragoman.server.segment_findings import SegmentFinding

    SettingsChange = Sent  # a type that is only known when this runs
else:
    SettingsChange = create_model(
        "SettingsChange",
        __base__=Sent,
        __doc__="Settings to change, all of them or none; others stay as they are. Terms have an address of their own.",
        **{name: (Any, Field(None, description=one.about)) for name, one in SETTINGS.items() if name not in OWN},
    )


# ── Translating ──────────────────────────────────────────────────────────────────────────────────────────────────────


class Texts(Sent):
    """Texts to translate, and what to return for each."""

    model_config = example(texts=["Press the green button."], n=2, confidence=True, provenance=True)
    texts: Annotated[list[Text], Field(min_length=1), AtMost("texts")]
    n: Annotated[int, Field(ge=1, description="number of different translations of each text"), AtMost("nbest")] = 1
    memory: Annotated[bool, Field(description="prefer a correction of the same text")] = True
    confidence: Annotated[bool, Field(description="add the confidence of each word; takes a second search")] = False
    provenance: Annotated[bool, Field(description="add where each phrase comes from")] = False


class Token(Given):
    """A token of a text, by its characters: from `start` to before `end`."""

    start: int
    end: int
    placeable: Annotated[bool, Field(description="copied verbatim: a tag, placeholder, URL, piece of code …")]
    tag: Annotated[bool, Field(description="a tag or placeholder that the translation must keep")]


class PhrasePair(Given):
    """Which tokens of the source became which tokens of the target, and where that was learned."""

    source: Annotated[tuple[int, int], Field(description="first token, one past the last")]
    target: tuple[int, int]
    kind: Annotated[
        str, Field(description="phrase, copy, guess, term or memory; or upstream: words of the other engine")
    ]
    replaces: Annotated[str, Field(description="what the other engine said in its place, if that was different")] = ""
    guessed_from: Annotated[
        list[str], Field(description="known words that the translation of an unknown one is from")
    ] = []
    learned: Annotated[int | None, Field(description="how often it occurs in corrections")] = None
    base: Annotated[int | None, Field(description="how often it occurs in the base")] = None
    corrections: Annotated[list[int] | None, Field(description="the newest corrections that contain it")] = None


class MatchFound(Given):
    """A match from the translation memory: a correction of a similar text."""

    similarity: Annotated[float, Field(description="percent; of the words, less where codes differ")]
    id: int
    source: str
    target: Annotated[str, Field(description="with the inline codes of the text, as far as they belong together")]
    lost: Annotated[list[str], Field(description="codes of the text that the target lacks", default_factory=list)]
    extra: Annotated[
        list[str], Field(description="codes left out of the target: the text has none like them", default_factory=list)
    ]


class Alternative(Given):
    """One translation among several."""

    text: str
    score: float
    features: dict[str, float]


class TranslationGiven(Given):
    """A translation and how it was made."""

    text: str
    score: float
    memory: Annotated[int | None, Field(description="the correction it was taken from")]
    upstream: Annotated[
        str | None,
        Field(description="what the other engine said; null if there is none, or it was silent or not asked"),
    ]
    source_tokens: list[Token]
    target_tokens: list[Token]
    alignment: Annotated[list[tuple[int, int]], Field(description="source token, target token, from 0")]
    phrases: list[PhrasePair]
    matches: list[MatchFound]
    nbest: list[Alternative]
    confidence: Annotated[float | None, Field(description="of the whole translation: the mean over its words")] = None
    word_confidences: Annotated[list[float] | None, Field(description="of each target token, 0 to 1")] = None


class Translations(Given):
    """The translations of some texts, in order."""

    revision: int
    translations: list[TranslationGiven]


# ── Learning ─────────────────────────────────────────────────────────────────────────────────────────────────────────


class Correction(Sent):
    """A source text and its correct translation."""

    model_config = example(source="Press the green button.", target="Pulse el botón verde.")
    source: Text
    target: Text
    force: Annotated[bool, Field(description="learn it even if it looks like a mistake")] = False
    once: Annotated[bool, Field(description="do nothing if this is already the newest correction of the source")] = (
        False
    )
    user: Annotated[str, Field(max_length=200, description="who made it; with a key, the key's name")] | None = None


class Revision(Sent):
    """A new target for a correction."""

    model_config = example(target="Pulsa el botón verde.")
    target: Text
    force: bool = False
    user: User | None = None


class Learned(Given):
    """A correction that was learned and is safely on disk."""

    model_config = example(id=13, revision=13)
    id: int
    revision: int


class HistoryRow(Given):
    """A correction in the journal."""

    id: int
    kind: Annotated[str, Field(description="learn; or flagged: recorded, but not learned")]
    time: str
    user: str | None
    source: str
    target: str
    reason: Annotated[str | None, Field(description="why it looked like a mistake")]
    refers_to: Annotated[int | None, Field(description="the correction that it replaced")]
    forgotten: bool


class History(Given):
    """Corrections, newest first."""

    revision: int
    corrections: list[HistoryRow]


TermTexts = Annotated[list[Annotated[str, Field(min_length=1, max_length=500)]], Field(max_length=50)]


class Term(Sent):
    """A term and its translation, and what else holds for it; what is not sent stays as it is."""

    model_config = example(source="drip tray", target="bandeja de goteo", forbidden=["plato"])
    source: Annotated[str, Field(min_length=1, max_length=500)]
    target: Annotated[
        str | None, Field(min_length=1, max_length=500, description="null: none, only what else is said")
    ] = None
    note: Annotated[str | None, Field(max_length=4000)] = None
    case: Annotated[
        Literal["", "any", "same"] | None,
        Field(description="same: found and written only in these capitals; any: found in any"),
    ] = None
    admitted: Annotated[TermTexts | None, Field(description="other translations that may be used")] = None
    forbidden: Annotated[TermTexts | None, Field(description="translations that must not be used")] = None


class Glossary(Given):
    """All terms of a project."""

    revision: int
    terms: list[Term]


class Hit(Given):
    """A correction in force that contains a text, and where, by characters."""

    id: int
    source: str
    target: str
    time: str
    user: str | None
    in_source: list[tuple[int, int]]
    in_target: list[tuple[int, int]]


class Concordance(Given):
    """The corrections in which a text occurs."""

    revision: int
    hits: list[Hit]
    total: Annotated[int, Field(description="how many there are")]
    total_is_exact: Annotated[bool, Field(description="false if there are more than were counted")]


class Statistics(Given):
    """Sizes of what was learned, and the effort spent on documents."""

    revision: int
    learned: dict[str, int]
    effort: dict[str, float]
    documents: int
    segments: dict[str, int]


# ── Documents ────────────────────────────────────────────────────────────────────────────────────────────────────────


class NewSegment(Sent):
    """A segment of a new document."""

    source: Text
    target: Text = ""
    key: Annotated[str, Field(max_length=500)] | None = None


class NewDocument(Sent):
    """A document given by its segments, not as a file."""

    model_config = example(name="page 3", segments=[{"source": "Close the lid."}])
    name: Annotated[str, Field(min_length=1, max_length=255)]
    segments: list[NewSegment]


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


class AcceptedGiven(Given):
    """Why somebody has accepted a finding."""

    reason: str
    user: str | None
    time: str


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
    accepted: AcceptedGiven | None

    @classmethod
    def of(cls, found: SegmentFinding) -> FindingGiven:
        """A finding as it is answered."""
        one = found.finding
        accepted = AcceptedGiven.model_validate(found.accepted) if found.accepted else None
        return cls(
            segment=found.segment,
            check=one.check,
            severity=one.severity,
            what=one.what,
            start=one.start,
            end=one.end,
            source_start=one.source_start,
            source_end=one.source_end,
            accepted=accepted,
        )


class SegmentChanged(SegmentGiven):
    """A segment after a change."""

    unlearned: Annotated[str | None, Field(description="why nothing was learned from it although it is confirmed")]
    findings: list[FindingGiven] = []
    filled: Annotated[list[int], Field(description="segments filled with the same text as drafts, at most 1000")] = []
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
    accept: Annotated[list[Accept], Field(max_length=20, description="questions of the checks that are answered")] = []
    fill: Annotated[bool | None, Field(description="fill segments with the same source; null: as set")] = None
    user: User | None = None
    suggestion: Text | None = None
    key_strokes: Annotated[int, Field(ge=0, le=1_000_000)] = 0
    mouse_actions: Annotated[int, Field(ge=0, le=1_000_000)] = 0
    milliseconds: Annotated[int, Field(ge=0, le=1_000_000_000)] = 0


class LeftOut(Given):
    """A segment that a job skipped, and why."""

    segment: int
    what: str


class JobGiven(Given):
    """A background job: its progress and its outcome."""

    model_config = example(
        id="5f2b",
        kind="import",
        state="running",
        done=120,
        total=711,
        document=1,
        left_out=[],
        skipped=0,
        untranslated=[],
        unconfirmed=[],
        warnings=[],
        error=None,
    )
    id: str
    kind: Annotated[str, Field(description="import, translate or export; or ask: another engine, ahead")]
    state: Annotated[str, Field(description="waiting, running, done or failed")]
    done: int
    total: int
    document: int | None
    left_out: Annotated[list[LeftOut], Field(description="the first segments that were skipped, at most 1000")]
    skipped: Annotated[int, Field(description="how many were skipped")]
    untranslated: Annotated[
        list[int], Field(description="of an export: segments whose source is in the file, at most 1000")
    ]
    unconfirmed: Annotated[
        list[int], Field(description="of an export: segments that are in it as drafts, at most 1000")
    ]
    warnings: Annotated[list[str], Field(description="of an import: what to know about the file, such as signatures")]
    error: Error | None


# ── Alignments ───────────────────────────────────────────────────────────────────────────────────────────────────────


class Pair(Sent):
    """A source and a target to align."""

    model_config = example(source="Press the green button.", target="Pulse el botón verde.")
    source: Text
    target: Text


class Aligned(Given):
    """Which tokens of a source and of a target correspond."""

    source_tokens: list[Token]
    target_tokens: list[Token]
    alignment: Annotated[list[tuple[int, int]], Field(description="source token, target token, from 0")]


class CorrectionDetails(HistoryRow):
    """A correction, and the segment that it came from, if any."""

    document: int | None
    segment: int | None
    name: Annotated[str | None, Field(description="name of the document")]
