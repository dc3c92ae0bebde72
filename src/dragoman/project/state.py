"""The state of a project after a row of its journal. It can always be recomputed from the journal.

The rows are folded into the state one after another. It makes no difference whether that happens as they are written or
later, from the first row or from any snapshot: the arrays are the same, bit for bit.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field
from itertools import islice
from typing import Any, NamedTuple, Self, get_args

from dragoman.adapt.adaptation import Adaptation
from dragoman.arrays import ArrayTree
from dragoman.errors import DamagedFileError
from dragoman.models.defaults import VERSIONS, defaults_of, starting_weights, token_version
from dragoman.models.evidence import Evidence, Replacements
from dragoman.models.knowledge import Knowledge
from dragoman.models.loglinear import PRESETS, Weights
from dragoman.models.modelset import Contribution
from dragoman.models.trust import ChangeTrust, Confidence
from dragoman.project.correction_record import (
    CorrectionRecord,
    LearnedAnswer,
    count_changes,
    count_replacements,
    forget_answer,
    put_back_answer,
    records_of,
    relearn_answer,
)
from dragoman.project.glossary import Glossary, TermRules
from dragoman.project.guard import Guard
from dragoman.project.memory import SAME, Memory
from dragoman.project.repeats import Repeats
from dragoman.project.settings import apply_settings, dump_settings
from dragoman.records import Pair, Sentence
from dragoman.search.decoder import Estimates
from dragoman.search.sentence_search import SearchResult
from dragoman.search.upstream_options import Trust
from dragoman.store import Project, Row, Snapshot
from dragoman.store.description import DESCRIPTION
from dragoman.text.tokens import Mode, signature
from dragoman.upstream.changes import Weighed, Words

FORMAT = 6  # of snapshots; those of another format, or of other tokens, are ignored: the journal has it all

MOST_LATEST = 8  # searches that are kept: about as many people as correct at the same time
WeighedFor = tuple[int, SearchResult, Words]  # revision, search and its best hypothesis


class Latest(NamedTuple):
    """A search, and what it was for."""

    revision: int
    source: Sentence
    answer: str | None  # of another engine
    search: SearchResult


@dataclass
class State:
    """Everything that corrections and settings affect."""

    knowledge: Knowledge
    weights: Weights
    glossary: Glossary = field(default_factory=Glossary)
    term_rules: TermRules = field(default_factory=TermRules)
    guard: Guard = field(default_factory=Guard)
    memory: Memory = field(default_factory=Memory)
    adaptation: Adaptation | None = None
    estimates: Estimates = field(default_factory=Estimates)
    replacements: Replacements = field(default_factory=Replacements)  # of another engine's answer
    confidence: Confidence = field(default_factory=Confidence)  # in that engine
    evidence: Evidence = field(default_factory=Evidence)  # of changes of what it says
    change_trust: ChangeTrust = field(default_factory=ChangeTrust)  # in single changes
    repeats: Repeats = field(default_factory=Repeats)  # what is right for texts that come again
    trust: Trust = field(default_factory=Trust)
    fused_adaptation: Adaptation | None = None  # of the weights over another engine
    upstream: str | None = None  # the name of that engine
    memory_threshold: float = SAME  # percent similarity from which a correction is taken as it is
    guess_unknown: bool = True  # what unknown words mean, from related words
    weigh_changes: bool = True  # of another engine's answer, one by one
    newest_first: bool = False  # whether the newest correction of the same text always wins over another engine
    least_confidence: float = 0.0  # of a translation that other programs are given
    # What it says, and what must not stand instead; by their words, as they are compared.
    refused_changes: dict[tuple[Words, Words], tuple[str, str]] = field(default_factory=dict)
    latest: tuple[Latest, ...] = ()  # the newest first: learning a correction needs the same search
    weighed: tuple[tuple[WeighedFor, Weighed], ...] = ()  # and the same changes
    revision: int = 0  # id of the last row of the journal folded into it
    saved: int = 0  # id of the last row covered by a snapshot
    origin: int | None = None  # the snapshot it was restored from, unless every byte of that was checked

    @classmethod
    def restore(cls, project: Project, base: Knowledge | None, *, verify: bool | int = False) -> tuple[Self, list[str]]:
        """The state after the last row, and a warning for each snapshot that could not be used.

        Every byte of a snapshot is checked if `verify`, or if it has at most so many bytes; otherwise files that have
        changed.
        """
        settings = initial_settings(project)
        choices = {"tokens": settings["tokens"], "order": settings["order"], **asdict(defaults_of(settings))}
        state = cls._new(Knowledge(base, **choices, version=token_version(settings)), settings)
        snapshot, warnings = project.newest_snapshot(verify=verify)
        if snapshot and snapshot.about.get("format") != state._format:
            warnings.append(f"snapshot {snapshot.id} skipped: it was made by another version of dragoman")
        elif snapshot:
            try:
                state = cls._from_snapshot(snapshot, base, settings)
            except DamagedFileError:  # which not every byte was checked for
                if verify is True:
                    raise
                return cls.restore(project, base, verify=True)
        for row in project.reader.rows(after=state.revision):
            state.fold(row, project.reader.get)
        return state, warnings

    @classmethod
    def _new(cls, knowledge: Knowledge, settings: Mapping[str, Any]) -> Self:
        mode = settings["tokens"]
        weights = starting_weights(settings, classes=bool(knowledge.models.classes))
        return cls(knowledge, weights, Glossary(mode=mode), TermRules(mode))

    @classmethod
    def _from_snapshot(cls, snapshot: Snapshot, base: Knowledge | None, settings: Mapping[str, Any]) -> Self:
        arrays = ArrayTree.unpack(snapshot.arrays["state"], snapshot.about["places"])
        knowledge = Knowledge.from_arrays(
            arrays,
            base,
            tokens=settings["tokens"],
            symmetrisation=defaults_of(settings).symmetrisation,
            version=token_version(settings),
        )
        state = cls._new(knowledge, settings)
        state.memory = Memory.from_arrays(arrays.under("memory"))
        state.revision = state.saved = snapshot.id
        state.origin = None if snapshot.verified else snapshot.id
        apply_settings(state, snapshot.about["settings"])
        if state.adaptation:
            state.adaptation.restore(arrays.under("adaptation"))
        if state.fused_adaptation:
            state.fused_adaptation.restore(arrays.under("upstream.adaptation"))
        state.replacements = Replacements.from_arrays(arrays.under("upstream.replacements"))
        state.confidence = Confidence.from_arrays(arrays.under("upstream.confidence"))
        state.evidence = Evidence.from_arrays(arrays.under("upstream.evidence"))
        state.change_trust = ChangeTrust.from_arrays(arrays.under("upstream.change_trust"))
        state.repeats = Repeats.from_arrays(arrays.under("upstream.repeats"))
        return state

    def fold(self, row: Row, find: Callable[[int], Row]) -> None:
        """Apply the next row of the journal; `find` returns an earlier row."""
        if row.kind == "learn":
            for record in records_of(row):
                self._replay(record)
            self.memory.add(row.id, str(row.source), str(row.target))
        elif row.kind == "forget":
            self.take_back(find(int(row.refers_to or 0)))
        elif row.kind == "settings":
            apply_settings(self, row.settings or {})
        self.revision = row.id

    def _replay(self, correction: CorrectionRecord) -> None:
        """Learn a correction again, given what it has added."""
        source, target, answer = correction.source, correction.target, correction.answer
        adaptation = self.adaptation_of(answer is not None)
        if adaptation and correction.adaptation:
            adaptation.replay(correction.adaptation)
        pair = self.knowledge.read_pair(source, target)
        if answer:
            relearn_answer(self.knowledge, self.knowledge.read_pair(source, answer.text), answer)
        self.knowledge.relearn(pair, correction.contribution)
        if answer:
            self.count_answer(answer, correction.contribution)
        self.after_learning()

    def take_back(self, row: Row) -> None:
        """Subtract what a correction added: nothing if it was flagged, or has been forgotten before."""
        self.latest, self.weighed = (), ()
        if row.kind == "learn" and row.id in self.memory:
            records = records_of(row)[::-1]
            for record in records:
                self.subtract(self.knowledge.read_pair(record.source, record.target), record)
            self.memory.remove(row.id)
            if not len(self.memory):  # as if there had never been any: this drops the vocabulary, too
                self.knowledge = self.knowledge.without_corrections()
                self.replacements, self.confidence = Replacements(), Confidence()
                self.evidence, self.change_trust, self.repeats = Evidence(), ChangeTrust(), Repeats()
            for record in records:
                adaptation = self.adaptation_of(record.answer is not None)
                if adaptation and record.adaptation:
                    adaptation.retract(record.adaptation)
            self._drop_vanished_factors()

    def subtract(self, pair: Pair, correction: CorrectionRecord) -> None:
        """Subtract from the models what a correction has added."""
        self.knowledge.forget(pair, correction.contribution)
        if correction.answer:
            self.count_answer(correction.answer, correction.contribution, -1)
            forget_answer(self.knowledge, correction.answer)

    def count_answer(self, answer: LearnedAnswer, correction: Contribution, sign: int = 1) -> None:
        """Count what became of another engine's translation, or take that back (sign −1)."""
        count_replacements(self.replacements, answer, correction, sign)
        if answer.costs is not None:
            self.confidence.add(answer.costs, sign)
        self.confidence.add_cases(answer.cases, sign)
        count_changes(self.evidence, answer, correction, sign)
        self.change_trust.add(answer.outcomes, sign)
        if answer.repeat:
            self.repeats.add(answer.repeat, sign)

    def after_learning(self) -> None:
        """Drop factors of phrase pairs that the models have dropped because of the limit."""
        if self.knowledge.models.limit is not None:
            self._drop_vanished_factors()

    def _drop_vanished_factors(self) -> None:
        """Forget the factors of phrase pairs that no longer exist, before their keys are reused."""
        for adaptation in (self.adaptation, self.fused_adaptation):
            if adaptation:
                adaptation.factors.drop_vanished(self.knowledge.models.phrases)

    @property
    def settings(self) -> dict[str, Any]:
        """All current settings, in the form used in the journal."""
        return dump_settings(self)

    @property
    def weights_in_use(self) -> Weights:
        """The weights used in the search: as they were set, or as adapted since."""
        if self.adaptation is None or not self.adaptation.live:
            return self.weights
        adapted = dict(zip(self.weights, self.adaptation.weights.tolist(), strict=True))
        return Weights(self.weights.preset, adapted)

    @property
    def fused_weights(self) -> Weights:
        """The weights over another engine: those that it starts with, or as they were adapted since."""
        start, adaptation = Weights(self.weights.preset, upstream=True), self.fused_adaptation
        if adaptation is None or not adaptation.live:
            return start
        adapted = dict(zip(start, adaptation.weights.tolist(), strict=True))
        return Weights(self.weights.preset, adapted, upstream=True)

    def find_latest(self, source: str, answer: str | None) -> Latest | None:
        """A search of late, if one was for this source and answer and the models have not changed since."""
        wanted = self.revision, source, answer
        found = (each for each in self.latest if (each.revision, each.source.text, each.answer) == wanted)
        return next(found, None)

    def keep_latest(self, searched: Latest) -> None:
        """Keep a search, and a few of others who translate meanwhile; whole, since nobody here holds a lock alone."""
        others = (each for each in self.latest if each.revision == searched.revision)
        self.latest = (searched, *islice(others, MOST_LATEST - 1))

    def find_weighed(self, wanted: WeighedFor) -> Weighed | None:
        """The changes that were weighed for a search of late."""
        return next((weighed for key, weighed in self.weighed if key == wanted), None)

    def keep_weighed(self, key: WeighedFor, weighed: Weighed) -> None:
        """Keep them likewise."""
        others = (each for each in self.weighed if each[0][0] == key[0])
        self.weighed = ((key, weighed), *islice(others, MOST_LATEST - 1))

    def adaptation_of(self, fused: bool) -> Adaptation | None:
        """What adapts the weights of translations over another engine, or of others."""
        return self.fused_adaptation if fused else self.adaptation

    @property
    def _format(self) -> str:
        return f"{FORMAT} {signature(self.knowledge.source.version)}"

    @property
    def is_untaught(self) -> bool:
        """Whether there is nothing that a translation could come from."""
        return not len(self.memory) and self.knowledge.base is None

    def snapshot(self) -> tuple[ArrayTree, dict[str, Any]]:
        """A copy of the state to save: arrays and their description."""
        packed, places = self.arrays().pack()
        return ArrayTree(state=packed), {"format": self._format, "places": places, "settings": self.settings}

    def arrays(self) -> ArrayTree:
        """Everything except the settings and the base."""
        tree = self.knowledge.arrays()
        tree.put("memory", self.memory.arrays())
        if self.adaptation:
            tree.put("adaptation", self.adaptation.arrays())
        if self.fused_adaptation:
            tree.put("upstream.adaptation", self.fused_adaptation.arrays())
        tree.put("upstream.replacements", self.replacements.arrays())
        tree.put("upstream.confidence", self.confidence.arrays())
        tree.put("upstream.evidence", self.evidence.arrays())
        tree.put("upstream.change_trust", self.change_trust.arrays())
        tree.put("upstream.repeats", self.repeats.arrays())
        return tree


class Undo:
    """A change of a state: what it has done to the models so far, and how to take that back in memory.

    If the row of a change cannot be written, the state is restored from disk. If that fails too, because the database
    is gone, the change is taken back in memory: the statistics are integers, so subtracting is exact. Such a state is
    good for translating, but not for learning or for snapshots, since new words keep their numbers and entries that a
    limit has dropped stay dropped.

    1. Change the models, and say what was done: `forgot`, `learned`.
    2. Append the rows inside `appending`. If this fails, the change can be taken back.
    3. Change the rest of the state.
    """

    def __init__(self, state: State) -> None:
        self.possible = False  # whether it is known exactly what was changed
        self._state, self._knowledge = state, state.knowledge
        self._adaptations = [each for each in (state.adaptation, state.fused_adaptation) if each]
        self._adapted = [{name: array.copy() for name, array in each.arrays().items()} for each in self._adaptations]
        self._counted = state.replacements, state.confidence, state.evidence, state.change_trust
        self._repeats = state.repeats
        self._forgot: Row | None = None
        self._learned: list[tuple[Pair, CorrectionRecord]] = []

    def forgot(self, row: Row) -> None:
        """The models have forgotten this correction."""
        self._forgot = row

    def learned(self, pair: Pair, record: CorrectionRecord) -> None:
        """The models have learned a pair; `record` is what the journal records of it."""
        self._learned.append((pair, record))

    @contextmanager
    def appending(self) -> Iterator[None]:
        """Append to the journal inside; nothing else may be changed there."""
        self.possible = True
        yield
        self.possible = False

    def take_back(self) -> None:
        """Return to the state before the change, as far as translations depend on it."""
        state, self.possible = self._state, False
        for pair, record in self._learned[::-1] if state.knowledge is self._knowledge else ():
            state.subtract(pair, record)
        state.knowledge = self._knowledge
        state.replacements, state.confidence, state.evidence, state.change_trust = self._counted
        state.repeats = self._repeats
        if self._forgot:
            for record in records_of(self._forgot):
                if record.answer:
                    put_back_answer(state.knowledge, record.answer)
                    state.count_answer(record.answer, record.contribution)
                pair = state.knowledge.read_pair(record.source, record.target)
                state.knowledge.put_back(pair, record.contribution)
            state.memory = _with(state.memory, self._forgot.id, str(self._forgot.source), str(self._forgot.target))
        for adaptation, arrays in zip(self._adaptations, self._adapted, strict=True):
            adaptation.restore(arrays)
        state.latest = ()


def _with(memory: Memory, number: int, source: str, target: str) -> Memory:
    """The memory with one more correction, which is not the newest."""
    more = Memory()
    for each in sorted([*memory.texts(), (number, source, target)]):
        more.add(*each)
    return more


def initial_settings(project: Project) -> dict[str, Any]:
    """The settings that a project was created with, after checking that they can be used."""
    settings = project.settings
    choices = {"preset": tuple(PRESETS), "tokens": get_args(Mode), "defaults": tuple(VERSIONS)}
    odd = [name for name, known in choices.items() if ({"defaults": 1} | settings).get(name) not in known]
    if type(settings.get("order")) is not int:
        odd.append("order")
    if odd:
        what = f"the initial settings have an invalid {odd[0]}: {settings.get(odd[0])!r}"
        raise DamagedFileError(what, where=project.path / DESCRIPTION, remedy="restore it from a copy")
    return settings
