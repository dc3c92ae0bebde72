"""Requests and responses of our own API, with an example of each. `bounds.AtMost` bounds what clients send."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any, Literal

from fastapi import Path, Query
from pydantic import ConfigDict, Field, create_model

from dragoman.editor.bounds import AtMost
from dragoman.editor.message import LARGEST, Given, Sent, Text, User, example
from dragoman.interactive.translation_graph import MAX_GRAPH_ARCS, USUAL_ARCS
from dragoman.languages import LANGUAGE
from dragoman.project.settings import SETTINGS
from dragoman.server.reserved_names import NAME

Language = Annotated[str, Field(pattern=f"^{LANGUAGE}$", examples=["es"])]
CorrectionId = Annotated[int, Path(ge=1, le=LARGEST, description="id of the correction")]
OWN = frozenset({"glossary", "term_rules"})  # settings with an address of their own
DocumentId = Annotated[int, Path(ge=1, le=LARGEST, description="id of the document")]
SegmentNumber = Annotated[int, Path(ge=1, le=LARGEST, description="number of the segment, from 1")]
PageSize = Annotated[int, Query(ge=1, le=1000, description="at most this many")]


class Error(Given):
    """What went wrong, and what to do about it."""

    model_config = ConfigDict(extra="allow")
    what: str = Field(examples=["no project 'manul'"])
    remedy: str | None = Field(None, examples=["see /api/v1/projects"])
    code: Annotated[str, Field(description="for programs; docs/use/api.md lists them")] = "error"


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
    upstream: Annotated[str | None, Field(description="the engine that it builds on, such as engine:en-es")] = None


class EngineGiven(Given):
    """An engine that projects can build on by its name."""

    model_config = example(name="engine:en-es", source="en", target="es", licence="Apache-2.0", bytes=42_000_000)
    name: str
    source: str
    target: str
    licence: str
    bytes: Annotated[int, Field(description="its size on disk")]


class ProjectChange(Sent):
    """A new name for a project."""

    model_config = example(name="manual-2")
    name: Annotated[str, Field(min_length=1, max_length=64)]


class ProjectGiven(Given):
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


class ProjectDetails(ProjectGiven):
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


class EngineLearning(Given):
    """How far an engine that learns itself has come."""

    model_config = example(corrections=120, due=0, derailed=0, problem=None, familiar=["at least 70 %"])
    corrections: Annotated[int, Field(description="in force that its weights have learned")]
    due: Annotated[int, Field(description="in force that they have not learned yet")]
    derailed: Annotated[int, Field(description="answers of learned weights that ran wild and were replaced")]
    problem: Annotated[str | None, Field(description="why it does not learn; for administrators")]
    familiar: Annotated[
        list[str],
        Field(description="of texts with so many learned words, the learned weights answer; of others the model"),
    ]


class ProjectSettings(Given):
    """The settings of a project, by name."""

    model_config = example(
        revision=12,
        settings={"share": 0.7, "limit": None, "upstream": "deepl:"},
        upstream_kinds=["deepl", "openai"],
        upstream_engines=["office"],
        upstream_problem=None,
        upstream_learning=None,
    )
    revision: int
    settings: Annotated[
        dict[str, Any],
        Field(description="docs/understand/settings.md explains them; `upstream` is given in full to administrators"),
    ]
    upstream_kinds: Annotated[
        list[str],
        Field(description="the kinds of engines that you may set here: none, unless you administrate"),
    ]
    upstream_engines: Annotated[
        list[str],
        Field(
            description="engines that can be set by these names: of the server's own list, and installed for this pair"
        ),
    ]
    upstream_problem: Annotated[
        str | None, Field(description="why the engine did not answer when it was last asked; for administrators")
    ]
    upstream_learning: Annotated[
        EngineLearning | None, Field(description="how far the engine has come, if it learns itself and has been asked")
    ] = None


class RefusedChange(Sent):
    """A change of the other engine's answer that is not to be made again."""

    model_config = example(said="archivo", words="fichero")
    said: Annotated[Text, Field(description="by the other engine, as in `changes` of a translation")]
    words: Annotated[Text, Field(description="that must not stand instead")]


class EngineTrial(Given):
    """What the engine that a project builds on made of a test question."""

    model_config = example(text="Open the file.", answer="Abra el archivo.", problem=None, seconds=0.21)
    text: str
    answer: Annotated[str | None, Field(description="null if there is none, or none that can be used")]
    problem: Annotated[str | None, Field(description="why there is no answer")]
    seconds: float


if TYPE_CHECKING:
    SettingsChange = Sent  # a type that is only known when this runs
else:
    SettingsChange = create_model(
        "SettingsChange",
        __base__=Sent,
        __doc__="Settings to change, all of them or none; others stay as they are. Terms have an address of their own.",
        **{name: (Any, Field(None, description=one.about)) for name, one in SETTINGS.items() if name not in OWN},
    )


# ── Translating ──────────────────────────────────────────────────────────────────────────────────────────────────────


class TranslationWanted(Sent):
    """Texts to translate, and what to return for each."""

    model_config = example(texts=["Press the green button."], n=2, confidence=True, provenance=True)
    texts: Annotated[list[Text], Field(fail_fast=True, min_length=1), AtMost("texts")]
    n: Annotated[int, Field(ge=1, description="number of different translations of each text"), AtMost("nbest")] = 1
    memory: Annotated[bool, Field(description="prefer a correction of the same text")] = True
    confidence: Annotated[bool, Field(description="add the confidence of each word; takes a second search")] = False
    provenance: Annotated[
        bool, Field(description="add where each phrase comes from, and when each change was last made")
    ] = False
    least_confidence: Annotated[
        float,
        Field(ge=0, le=1, description="a translation of less confidence is withheld: its text is empty"),
    ] = 0.0


class Token(Given):
    """A token of a text, by its characters: from `start` to before `end`."""

    start: int
    end: int
    placeable: Annotated[bool, Field(description="copied verbatim: a tag, placeholder, URL, piece of code …")]
    tag: Annotated[bool, Field(description="a tag or placeholder that the translation must keep")]


class PhraseGiven(Given):
    """Which tokens of the source became which tokens of the target, and where that was learned."""

    source: Annotated[tuple[int, int], Field(description="first token, one past the last")]
    target: tuple[int, int]
    kind: Annotated[
        str, Field(description="phrase, copy, guess, term or memory; or upstream: words of the other engine")
    ]
    replaces: Annotated[str, Field(description="the other engine's answer in its place, if that was different")] = ""
    guessed_from: Annotated[
        list[str], Field(description="known words that the translation of an unknown one is from")
    ] = Field(default_factory=list)
    learned: Annotated[int | None, Field(description="how often it occurs in corrections")] = None
    base: Annotated[int | None, Field(description="how often it occurs in the base")] = None
    corrections: Annotated[list[int] | None, Field(description="the newest corrections that contain it")] = None


class WeighedChange(Given):
    """A change of the other engine's answer, and what speaks for it."""

    model_config = example(said="archivo", words="fichero", used=True, probability=0.83, times=5, seen=6)
    said: Annotated[str, Field(description="by the other engine")]
    words: Annotated[str, Field(description="the words instead, with spaces between them")]
    used: Annotated[bool, Field(description="whether the translation has it")]
    probability: Annotated[float, Field(description="that it saves edits, 0 to 1")]
    times: Annotated[int, Field(description="how often corrections made this change")]
    seen: Annotated[int, Field(description="how often what was said here was corrected or kept")]
    last: Annotated[str | None, Field(description="when a correction last made it, if `provenance` is set")] = None


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
        Field(description="the other engine's answer; null if there is none, or it was silent or not asked"),
    ]
    upstream_flaw: Annotated[str | None, Field(description='what looks wrong with it: "rambling", "wrong language" …')]
    source_tokens: list[Token]
    target_tokens: list[Token]
    alignment: Annotated[list[tuple[int, int]], Field(description="source token, target token, from 0")]
    phrases: list[PhraseGiven]
    changes: Annotated[
        list[WeighedChange], Field(description="of the other engine's answer that were weighed, used or not")
    ]
    matches: list[MatchFound]
    nbest: list[Alternative]
    confidence: Annotated[float | None, Field(description="of the whole translation: the mean over its words")] = None
    word_confidences: Annotated[list[float] | None, Field(description="of each target token, 0 to 1")] = None
    withheld: Annotated[bool, Field(description="whether it has less confidence than `least_confidence`")] = False


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


TermTexts = Annotated[list[Annotated[str, Field(min_length=1, max_length=500)]], Field(fail_fast=True, max_length=50)]


class TermEntry(Sent):
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


class GlossaryGiven(Given):
    """All terms of a project."""

    revision: int
    terms: list[TermEntry]


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


class StatisticsGiven(Given):
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
    segments: Annotated[list[NewSegment], Field(fail_fast=True, max_length=20_000)]


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
    kind: Annotated[
        str, Field(description="import, translate, export, replace or teach; or ask: another engine, ahead")
    ]
    state: Annotated[str, Field(description="waiting, running, done or failed")]
    done: int
    total: int
    document: int | None
    count: Annotated[int, Field(description="segments that a replacement has changed")] = 0
    change: Annotated[int | None, Field(description="what to name in order to take a replacement back")] = None
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


class AlignmentWanted(Sent):
    """A source and a target to align."""

    model_config = example(source="Press the green button.", target="Pulse el botón verde.")
    source: Text
    target: Text


class Aligned(Given):
    """Which tokens of a source and of a target correspond."""

    source_tokens: list[Token]
    target_tokens: list[Token]
    alignment: Annotated[list[tuple[int, int]], Field(description="source token, target token, from 0")]


class GraphWanted(Sent):
    """A text whose word graph is wanted."""

    model_config = example(text="Press the green button.", arcs=100)
    text: Text
    arcs: Annotated[
        int, Field(ge=1, le=MAX_GRAPH_ARCS, description="the most probable ones are kept, about so many")
    ] = USUAL_ARCS


class GraphArc(Given):
    """A phrase of a word graph."""

    origin: Annotated[int, Field(description="state; 0 is the first, the highest the last")]
    target: Annotated[int, Field(description="state, always higher than the origin")]
    score: Annotated[float, Field(description="what it adds to the score of a path")]
    words: Annotated[list[str], Field(description="as they are written")]
    source: Annotated[tuple[int, int], Field(description="first token, one past the last")]
    kind: Annotated[str, Field(description="phrase, copy, guess or term; or upstream: words of the other engine")]
    links: Annotated[list[tuple[int, int]], Field(description="token of the source, word; both from 0 within the arc")]
    confidences: Annotated[list[float], Field(description="of each word, from 0 to 1")]


class GraphGiven(Given):
    """Translations of a text as a graph of phrases."""

    revision: int
    source_tokens: list[Token]
    states: int
    arcs: Annotated[list[GraphArc], Field(description="in the order of their origins")]
    upstream: Annotated[str | None, Field(description="the answer of the other engine")] = None


class CorrectionDetails(HistoryRow):
    """A correction, and the segment that it came from, if any."""

    document: int | None
    segment: int | None
    name: Annotated[str | None, Field(description="name of the document")]


# ── Who, and what ─────────────────────────────────────────────────────────────────────────────────────────────────────


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


class TermsImported(Given):
    """What became of the terms of a file."""

    added: int
    changed: int
    known: int
    skipped: list[dict[str, Any]]
