"""Replaying past work in a fresh project: each segment is translated as if it were new, scored later, and then learned.

1. A `ReplayPlan` says what to replay, and over which answers of another engine.
2. `replay` works through it in a directory: the project, and a file with a line for each sampled segment. All segments
   are learned, sampled or not; how far to trust the other engine is learned from the first ones and the sampled ones,
   since that takes a search.
3. Killed and started again, it goes on where it was and writes the same lines, but for the times: each row of the
   journal names its segment, as its user, so the newest row says how far learning has come.
4. `dragoman.assess.replay_workers` runs several plans at once.

>>> import tempfile
>>> plan = ReplayPlan("dragoman", ("en", "es"), (("green", "verde"), ("green", "verde")))
>>> with tempfile.TemporaryDirectory() as directory:
...     [outcome.text for outcome in replay(plan, Path(directory))]
['green', 'verde']
"""

from __future__ import annotations

import hashlib
import json
import shutil
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import asdict, dataclass
from functools import cached_property
from pathlib import Path
from typing import IO, NamedTuple

from dragoman.assess.program_digest import program_digest
from dragoman.engine import Engine
from dragoman.errors import UnlearnableError
from dragoman.files import storage_errors, write_durably
from dragoman.interactive.user import type_characters, type_words
from dragoman.project.memory import have_same_figures
from dragoman.store import Project
from dragoman.store.lock import TakenError
from dragoman.text.tokens import split

LINES, PROJECT, PLAN = "outcomes.jsonl", "project", "plan.json"
POLL = 0.5  # seconds between two looks at other processes
PATIENCE = 30.0  # seconds for the workers of a killed process to end
LARGEST_SNAPSHOT = 30_000  # corrections; a snapshot takes as much memory again as the models
SETTLING = 1_000  # segments from which the trust in an engine is learned, sampled or not


@dataclass(frozen=True)
class ReplayPlan:
    """What to replay."""

    system: str  # its name in the report
    languages: tuple[str, str]
    pairs: tuple[tuple[str, str], ...]
    answers: tuple[str | None, ...] = ()  # by the other engine for each source; empty if there is no other engine
    sampled: tuple[int, ...] | None = None  # segments that are translated and scored; None for all
    typed: tuple[int, ...] = ()  # of these, the ones that the simulated user types
    base: str | None = None  # directory of a trained base
    engine: str | None = None  # one that learns itself, which is asked for each segment as it is by then

    @cached_property
    def digest(self) -> str:
        """A digest of everything that the outcome depends on."""
        sources = program_digest(), Path(__file__).read_text(encoding="utf-8")
        return hashlib.sha256(json.dumps([sources, asdict(self)], sort_keys=True).encode()).hexdigest()

    @cached_property
    def wanted(self) -> frozenset[int]:
        """The segments that are scored."""
        return frozenset(range(len(self.pairs)) if self.sampled is None else self.sampled)


class ReplayedSegment(NamedTuple):
    """The result for a sampled segment."""

    number: int  # of the segment, from 0
    text: str  # the translation
    similarity: float  # of the most similar source learned before, in percent; 0 if none is at all similar
    match: str  # the target of that
    typing: list[int] | None  # key strokes, mouse actions and word strokes with completions
    translating: float  # milliseconds
    learning: list[float]  # milliseconds for each segment learned since the sampled one before
    is_usable: bool = True  # whether the match has the same numbers and placeholders, and so may be suggested as it is


class _Project(Engine):
    """A project that is thrown away afterwards, so it need not open quickly, nor survive a power cut.

    When it is large, memory counts more than the minutes that it takes to resume: what was learned after the last
    snapshot is read again from the journal, which takes half as long as learning it.
    """

    snapshot_every = 10_000

    def __init__(self, project: Project, *, write: bool, memory: bool = True) -> None:
        super().__init__(project, write=write, memory=memory)
        project.journal.sync_lazily()

    def save_snapshot(self) -> None:
        """Save a snapshot while that takes little memory."""
        if self.revision <= LARGEST_SNAPSHOT:
            super().save_snapshot()

    def learn_segment(self, source: str, target: str, number: int, answer: str | None, *, weigh: bool) -> None:
        """Learn a segment, if it can be learned; `weigh` the other engine's answer."""
        with suppress(UnlearnableError):
            self.learn(source, target, upstream=answer, weigh_upstream=weigh, force=True, user=str(number))


def replay(plan: ReplayPlan, directory: Path, told: Callable[[int], None] = lambda _: None) -> list[ReplayedSegment]:
    """The outcomes of a plan, worked out in a directory, or read from there as far as they are known.

    `told` is called with the number of outcomes whenever there is a new one.
    """
    file = directory / LINES
    with storage_errors(directory):
        directory.mkdir(parents=True, exist_ok=True)
        about = directory / PLAN
        if not about.exists() or about.read_text(encoding="utf-8") != plan.digest:
            _clear(directory)
            write_durably(about, plan.digest.encode())
        known = read_outcomes(file)
    if len(known) < len(plan.wanted) or (directory / PROJECT).exists():
        known = _go_on(plan, directory, known, told)
        shutil.rmtree(directory / PROJECT, ignore_errors=True)
    return known


def _go_on(
    plan: ReplayPlan, directory: Path, known: list[ReplayedSegment], told: Callable[[int], None]
) -> list[ReplayedSegment]:
    """Replay what is missing."""
    with ExitStack() as stack:
        engine = _opened(plan, directory / PROJECT)
        learned = _last_learned(engine)
        if len([each for each in known if each.number <= learned]) < sum(n <= learned for n in plan.wanted):
            engine.close()  # the journal is ahead of the lines: they were lost with the power
            _clear(directory, keep=(PLAN,))
            engine, learned = _opened(plan, directory / PROJECT), -1
        stack.enter_context(engine)
        found = [each for each in known if each.number <= learned]
        with storage_errors(directory):
            lines = stack.enter_context(_rewritten(directory / LINES, found))
        for outcome in _replayed(plan, engine, learned + 1):
            with storage_errors(directory):
                lines.write(json.dumps(outcome, ensure_ascii=False) + "\n")
                lines.flush()
            found.append(outcome)
            told(len(found))
    return found


def _opened(plan: ReplayPlan, path: Path) -> _Project:
    if (path / "project.json").exists():
        return _open_again(path)
    shutil.rmtree(path, ignore_errors=True)
    source, target = plan.languages
    return _Project.create(path, source=source, target=target, base=plan.base, upstream=plan.engine)


def _open_again(path: Path) -> _Project:
    """Open a project that was left behind; a worker that was at it ends by itself when its parent was killed."""
    until = time.monotonic() + PATIENCE
    while True:
        try:
            return _Project.open(path)
        except TakenError:
            if time.monotonic() > until:
                raise
            time.sleep(POLL)


def _last_learned(engine: Engine) -> int:
    """The segment that the newest correction comes from; -1 if nothing was learned."""
    rows = engine.history(1)
    return int(rows[0].user or -1) if rows else -1


def _replayed(plan: ReplayPlan, engine: _Project, first: int) -> Iterator[ReplayedSegment]:
    """Translate what is sampled, then learn, from a segment on."""
    wanted, typed = plan.wanted, frozenset(plan.typed)
    learning: list[float] = []
    for number in range(first, len(plan.pairs)):
        source, reference = plan.pairs[number]
        answer = plan.answers[number] if plan.answers else None
        if number in wanted:
            if plan.engine:
                engine.wait_for_learning()
            began = time.thread_time()
            found = engine.translate(source, upstream=answer)
            took = 1e3 * (time.thread_time() - began)
            match = found.matches[0] if found.matches else None
            similar = (round(match.similarity, 4), match.target) if match else (0.0, "")
            usable = match is not None and have_same_figures(split(source), split(match.source))
            strokes = type_out(engine, source, reference, answer) if number in typed else None
            yield ReplayedSegment(number, found.text, *similar, strokes, round(took, 2), learning, usable)
            learning = []
        began = time.thread_time()
        engine.learn_segment(source, reference, number, answer, weigh=number < SETTLING or number in wanted)
        learning.append(round(1e3 * (time.thread_time() - began), 2))


def type_out(engine: Engine, source: str, reference: str, answer: str | None) -> list[int]:
    """Key strokes, mouse actions and word strokes of the simulated user, as `interactive.user.interact` counts them."""
    with engine.interact(source, upstream=answer) as session:
        strokes = type_characters(lambda prefix: session.suggest(prefix).text, reference)
        words = type_words(lambda prefix: session.suggest(prefix).text, reference)
    return [*strokes, words]


def read_outcomes(file: Path) -> list[ReplayedSegment]:
    """The outcomes in a file; a last line that was not finished is left out."""
    if not file.exists():
        return []
    lines = file.read_bytes().split(b"\n")[:-1]
    return [ReplayedSegment(*json.loads(line)) for line in lines]


@contextmanager
def _rewritten(file: Path, outcomes: Sequence[ReplayedSegment]) -> Iterator[IO[str]]:
    """The file with these outcomes, open to add more."""
    data = "".join(json.dumps(each, ensure_ascii=False) + "\n" for each in outcomes)
    write_durably(file, data.encode())
    with file.open("a", encoding="utf-8", newline="\n") as lines:
        yield lines


def _clear(directory: Path, keep: Sequence[str] = ()) -> None:
    for path in directory.iterdir():
        if path.name in keep:
            continue
        if path.is_dir():
            shutil.rmtree(path)
        else:
            path.unlink()


def is_done(plan: ReplayPlan, place: Path) -> bool:
    """Whether a directory has all outcomes of a plan."""
    about = place / PLAN
    same = about.exists() and about.read_text(encoding="utf-8") == plan.digest
    return same and not (place / PROJECT).exists() and count_outcomes(place) == len(plan.wanted)


def count_outcomes(place: Path) -> int:
    """How many outcomes are in a directory so far."""
    file = place / LINES
    return file.read_bytes().count(b"\n") if file.exists() else 0
