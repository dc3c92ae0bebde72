"""The vocabulary of our own interface: what is sent and what comes back, with an example of each."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field

from dragoman.server.projects import NAME
from dragoman.store.directory import LANGUAGE

State = Literal["new", "translated", "confirmed", "locked"]
Language = Annotated[str, Field(pattern=f"^{LANGUAGE}$", examples=["es"])]
Text = Annotated[str, Field(max_length=20_000)]
Id = Annotated[int, Field(ge=1, le=2**53 - 1)]


class Sent(BaseModel):
    """Something that a client sends; fields that are not known, or of another type, are refused as mistakes."""

    model_config = ConfigDict(extra="forbid", strict=True)


class Given(BaseModel):
    """Something that the server answers with."""

    model_config = ConfigDict(from_attributes=True)


def example(**fields: Any) -> ConfigDict:
    """An example of a model."""
    return ConfigDict(json_schema_extra={"examples": [fields]})


class Error(Given):
    """What went wrong, and what to do about it."""

    model_config = ConfigDict(extra="allow")
    what: str = Field(examples=["there is no project 'manul'"])
    remedy: str | None = Field(None, examples=["see /api/v1/projects"])


class Problem(Given):
    """The answer to a request that was not done."""

    error: Error


# ── Projects ─────────────────────────────────────────────────────────────────────────────────────────────────────────


class NewProject(Sent):
    """A project to make."""

    model_config = example(name="manual", source="en", target="es")
    name: Annotated[str, Field(pattern=f"^{NAME}$")]
    source: Language
    target: Language
    preset: Literal["thot", "moses", "full"] = "moses"
    base: Annotated[str, Field(pattern=f"^{NAME}$", description="a project whose base to stand on")] | None = None
    sample: Annotated[bool, Field(description="begin with the manual that ships with dragoman, untranslated")] = False


class Project(Given):
    """A project: its languages and how far it is."""

    model_config = example(
        name="manual", source="en", target="es", revision=12, role="admin", server="writer", seconds_behind=0.0
    )
    name: str
    source: str
    target: str
    revision: Annotated[int, Field(description="grows with everything that is learned or set")]
    role: Annotated[str, Field(description="the role that the sender has in it")]
    server: Annotated[str, Field(description="writer; or replica or standby, which follow another server's writer")]
    seconds_behind: Annotated[float, Field(description="how long ago a replica last knew all that was learned")]


class Unopened(Given):
    """A project that cannot be opened now, and why."""

    model_config = example(
        name="manual", source="en", target="es", role="admin", problem={"what": "is open for writing by process 4711"}
    )
    name: str
    source: Annotated[str | None, Field(description="null if its description cannot be read")]
    target: str | None
    role: str
    problem: Error


# ── Translating ──────────────────────────────────────────────────────────────────────────────────────────────────────


class Texts(Sent):
    """Texts to translate, and what is wanted of each."""

    model_config = example(texts=["Press the green button."], n=2, confidence=True, provenance=True)
    texts: Annotated[list[Text], Field(min_length=1, max_length=500)]
    n: Annotated[int, Field(ge=1, le=100, description="so many translations of each, all different")] = 1
    memory: Annotated[bool, Field(description="let a correction of the same text come first")] = True
    confidence: Annotated[bool, Field(description="how sure each word is; takes a second search")] = False
    provenance: Annotated[bool, Field(description="where each phrase comes from")] = False


class Token(Given):
    """A token of a text, by its characters: from `start` to before `end`."""

    start: int
    end: int
    placeable: Annotated[bool, Field(description="a tag or placeholder, copied as it is")]


class PhrasePair(Given):
    """Which tokens of the source became which of the target, and where that was learned."""

    source: Annotated[tuple[int, int], Field(description="first token, one past the last")]
    target: tuple[int, int]
    kind: Annotated[str, Field(description="phrase, copy, term or memory")]
    learned: Annotated[int | None, Field(description="how often corrections have it")] = None
    base: Annotated[int | None, Field(description="how often the base has seen it")] = None
    corrections: Annotated[list[int] | None, Field(description="the newest corrections that have it")] = None


class MatchFound(Given):
    """A correction of a similar text."""

    similarity: Annotated[float, Field(description="percent")]
    id: int
    source: str
    target: str


class Alternative(Given):
    """One translation among several."""

    text: str
    score: float
    features: dict[str, float]


class TranslationGiven(Given):
    """A translation and how it came about."""

    text: str
    score: float
    memory: Annotated[int | None, Field(description="the correction that it was taken from")]
    source_tokens: list[Token]
    target_tokens: list[Token]
    alignment: Annotated[list[tuple[int, int]], Field(description="source token, target token, from 0")]
    phrases: list[PhrasePair]
    matches: list[MatchFound]
    nbest: list[Alternative]
    confidence: Annotated[float | None, Field(description="of the whole: the mean of its words")] = None
    word_confidences: Annotated[list[float] | None, Field(description="of each target token, 0 to 1")] = None


class Translations(Given):
    """The translations of some texts, in their order."""

    revision: int
    translations: list[TranslationGiven]


# ── Learning ─────────────────────────────────────────────────────────────────────────────────────────────────────────


class Correction(Sent):
    """A source and how it is to be translated."""

    model_config = example(source="Press the green button.", target="Pulse el botón verde.")
    source: Text
    target: Text
    force: Annotated[bool, Field(description="learn it even if it looks like a mistake")] = False
    once: Annotated[bool, Field(description="not again, if it is what this source was last translated as")] = False
    user: Annotated[str, Field(max_length=200, description="who; if there is a key, its name")] | None = None


class Revision(Sent):
    """A better target for a correction."""

    model_config = example(target="Pulsa el botón verde.")
    target: Text
    force: bool = False
    user: Annotated[str, Field(max_length=200)] | None = None


class Learned(Given):
    """A correction that is learned, and safe on disk."""

    model_config = example(id=13, revision=13)
    id: int
    revision: int


class HistoryRow(Given):
    """A correction in the journal."""

    id: int
    kind: Annotated[str, Field(description="learn; or flagged: kept, but not learned")]
    time: str
    user: str | None
    source: str
    target: str
    reason: Annotated[str | None, Field(description="why it looked like a mistake")]
    refers_to: Annotated[int | None, Field(description="the correction it revised")]
    forgotten: bool


class History(Given):
    """Corrections, the newest first."""

    revision: int
    corrections: list[HistoryRow]


class Term(Sent):
    """A term and its settled translation."""

    model_config = example(source="drip tray", target="bandeja de goteo")
    source: Annotated[str, Field(min_length=1, max_length=500)]
    target: Annotated[str, Field(min_length=1, max_length=500)]


class Glossary(Given):
    """All terms of a project."""

    revision: int
    terms: list[Term]


class Hit(Given):
    """A correction in force that has a text, and where, by characters."""

    id: int
    source: str
    target: str
    time: str
    user: str | None
    in_source: list[tuple[int, int]]
    in_target: list[tuple[int, int]]


class Concordance(Given):
    """Where a text occurs."""

    revision: int
    hits: list[Hit]


class Statistics(Given):
    """Sizes of what was learned, and the effort of those who worked in documents."""

    revision: int
    learned: dict[str, int]
    effort: dict[str, float]
    documents: int
    segments: dict[str, int]


# ── Documents ────────────────────────────────────────────────────────────────────────────────────────────────────────


class NewSegment(Sent):
    """A piece of a document."""

    source: Text
    target: Text = ""
    key: Annotated[str, Field(max_length=500)] | None = None


class NewDocument(Sent):
    """A document that is given by its segments, not as a file."""

    model_config = example(name="page 3", segments=[{"source": "Close the lid."}])
    name: Annotated[str, Field(min_length=1, max_length=255)]
    segments: list[NewSegment]


class DocumentGiven(Given):
    """A document and how far it is: segments and source words in each state."""

    id: int
    name: str
    time: str
    states: dict[str, int]
    words: dict[str, int]


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


class SegmentChanged(SegmentGiven):
    """A segment after a change."""

    unlearned: Annotated[str | None, Field(description="why it is confirmed, but nothing was learned from it")]


class Segments(Given):
    """Some segments of a document, in its order."""

    document: DocumentGiven
    segments: list[SegmentGiven]


class Confirming(Sent):
    """Who confirms a translation, whether they insist, and what it took them."""

    force: bool = False
    user: Annotated[str, Field(max_length=200)] | None = None
    suggestion: Text | None = None
    key_strokes: Annotated[int, Field(ge=0, le=1_000_000)] = 0
    mouse_actions: Annotated[int, Field(ge=0, le=1_000_000)] = 0
    milliseconds: Annotated[int, Field(ge=0, le=1_000_000_000)] = 0


class SegmentChange(Confirming):
    """What becomes of a segment; confirming it teaches it."""

    model_config = example(target="Cierre la tapa.", state="confirmed", version=2, key_strokes=5)
    target: Text
    state: Literal["new", "translated", "confirmed"]
    version: (
        Annotated[int, Field(ge=1, le=2**53 - 1, description="the version that was seen; refused if there is another")]
        | None
    ) = None


class LeftOut(Given):
    """A segment that something could not be done for, and why."""

    segment: int
    what: str


class JobGiven(Given):
    """Something that takes a while: how far it is, and what became of it."""

    model_config = example(
        id="5f2b", kind="import", state="running", done=120, total=711, document=1, left_out=[], error=None
    )
    id: str
    kind: Annotated[str, Field(description="import, translate or export")]
    state: Annotated[str, Field(description="waiting, running, done or failed")]
    done: int
    total: int
    document: int | None
    left_out: Annotated[list[LeftOut], Field(description="segments that it could not be done for")]
    error: Error | None
