"""What a project has taught its engine: weights that follow the corrections in force, and the model that they make.

1. `follow` says which corrections are in force; `hurry` that they have changed. Both return at once.
2. In the background (`learning_worker`), `advance` makes one step: back to a snapshot if something was forgotten, else
   one correction learned. Whenever it has caught up, the weights become a model that CTranslate2 translates with.
3. `served` is that model, unless it has seen a correction that is no longer in force; it says whether it answers for a
   text, or the engine as it was (`neural/ledger.py`).

Snapshots are files `weights/000150-0123456789abcdef.snapshot` in the project's directory, named by the number of
corrections and the digest of all of them. What does not belong to the corrections in force is deleted.
"""

from __future__ import annotations

import re
import threading
import time
from collections.abc import Callable, Collection, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any, NamedTuple
from weakref import WeakValueDictionary

from dragoman.errors import DragomanError
from dragoman.files import write_durably
from dragoman.neural.learner import EVERY, Learner, PiecePair
from dragoman.neural.ledger import Ledger, familiarity
from dragoman.neural.network import Network
from dragoman.neural.quantise import ModelImage
from dragoman.upstream.contract import CorrectionsInForce, EngineProgress, Familiar
from dragoman.upstream.learned_pairs import AskedPair
from dragoman.upstream.learning_worker import WORKER

WEIGHTS, SNAPSHOT = "weights", re.compile(r"(\d{6,})-([0-9a-f]{16})\.snapshot")
MOST_SNAPSHOTS = 10
PATIENCE = 0.3  # seconds that a translation waits for the corrections before it
NEARLY = 3  # corrections: if more are due, waiting would be in vain
SERVED_EVERY = 5.0  # seconds between the models of a long catching up

Load = Callable[[dict[str, bytes]], Any]  # a CTranslate2 model from the contents of its files
_FIRST: WeakValueDictionary[tuple[Path, int], Network] = WeakValueDictionary()  # shared by all projects of a process
_READING = threading.Lock()


class LearnedModel(NamedTuple):
    """A model, and what it has learned."""

    model: Any  # of CTranslate2
    ids: tuple[int, ...]  # of the corrections, in order
    digest: str
    words: Collection[str]  # of their sources
    ledger: Ledger

    def answers(self, text: str) -> bool:
        """Whether it is to answer for this text, rather than the model as it was."""
        return self.ledger.learned_answers(familiarity(text, self.words))


class LearnedWeights:
    """The weights of one engine in one project; safe to use from threads."""

    def __init__(self, path: Path, read: Callable[[str, str], AskedPair], load: Load) -> None:
        self.problem: str | None = None  # why nothing is learned at the moment
        self._path, self._read, self._load = path, read, load
        self._changed = threading.Condition()
        self._corrections: CorrectionsInForce | None = None
        self._pairs: dict[int, PiecePair] = {}
        self._learner: Learner | None = None
        self._image: ModelImage | None = None
        self._ids: tuple[int, ...] = ()  # of what the learner has learned
        self._served: LearnedModel | None = None
        self._served_at = 0.0

    # ── In front ─────────────────────────────────────────────────────────────────────────────────────────────────────

    def follow(self, corrections: CorrectionsInForce) -> None:
        """Learn these corrections from now on."""
        self._corrections = corrections
        self.hurry()

    def hurry(self) -> None:
        """The corrections in force have changed, perhaps."""
        if self._corrections is not None:
            WORKER.add(self)

    def close(self) -> None:
        """Learn no longer."""
        self._corrections = None
        with self._changed:
            self._changed.notify_all()
        WORKER.remove(self)
        self.let_go()

    def served(self) -> LearnedModel | None:
        """The learned model, unless it has learned something that is no longer in force."""
        if self.due and self.problem is None:
            self.hurry()  # nobody says so where another process writes
        return self._in_force()

    def _in_force(self) -> LearnedModel | None:
        served, corrections = self._served, self._corrections
        if served is None or corrections is None:
            return None
        return served if corrections.begin_with(served.ids) else None

    def wait(self, seconds: float = PATIENCE, *, most: int | None = NEARLY) -> LearnedModel | None:
        """What is served after waiting a moment for corrections that are just being learned, if not too many are."""
        until = time.monotonic() + seconds
        with self._changed:
            while (left := until - time.monotonic()) > 0 and (due := self.due) > 0 and self.problem is None:
                if most is not None and due > most:
                    break
                self._changed.wait(left)
        return self.served()

    @property
    def due(self) -> int:
        """How many corrections the learned model has not learned yet."""
        if self._corrections is None:
            return 0
        served = self._in_force()
        return len(self._corrections) - (len(served.ids) if served else 0)

    def standing(self, derailed: int) -> EngineProgress:
        """How far learning has come, and what the ledger says of it."""
        served = self._in_force()
        standings = [Familiar(*each) for each in served.ledger.standings()] if served else []
        return EngineProgress(len(served.ids) if served else 0, self.due, derailed, self.problem, standings)

    # ── In the background ────────────────────────────────────────────────────────────────────────────────────────────

    def advance(self) -> bool:
        """Make one step; whether there is more to do."""
        corrections = self._corrections
        if corrections is None:
            self.let_go()
            return False
        try:
            more = self._advance(corrections)
            self.problem = None
        except Exception as error:  # whatever it is, the engine answers as it was
            self.problem = str(error) if isinstance(error, DragomanError) else f"unexpected {type(error).__name__}"
            self.let_go()
            raise
        finally:
            with self._changed:
                self._changed.notify_all()
        return more

    def let_go(self) -> None:
        """Give back the memory for learning; the model goes on answering."""
        self._learner, self._image, self._ids = None, None, ()

    def _advance(self, corrections: CorrectionsInForce) -> bool:
        wanted = corrections.in_order()
        ids = tuple(number for number, _ in wanted)
        if not ids:
            self._serve_nothing(corrections)
            return False
        learner = self._learner
        if learner is None or ids[: len(self._ids)] != self._ids:
            self._go_back(corrections, wanted)
            return True
        if len(self._ids) < len(ids):
            number, pair = wanted[len(self._ids)]
            learner.learn(self._pair(learner, number, *pair))
            self._ids = ids[: learner.count]
            if learner.count % EVERY == 0:
                self._save(corrections, learner)
        up_to_date = len(self._ids) == len(ids)
        if up_to_date or time.monotonic() > self._served_at + SERVED_EVERY:
            self._serve(learner)
        return not up_to_date

    def _pair(self, learner: Learner, number: int, source: str, target: str) -> PiecePair:
        if number not in self._pairs:
            asked = self._read(source, target)
            source_ids, target_ids = (
                learner.first.ids("source", asked.source),
                learner.first.ids("target", asked.target),
            )
            self._pairs[number] = PiecePair(asked.text, source_ids, target_ids, asked.given)
        return self._pairs[number]

    def _serve(self, learner: Learner) -> None:
        """Let the weights answer from now on."""
        if self._served and self._served.ids == self._ids:
            return
        self._image = self._image or ModelImage(learner.first.file)
        for name, w in learner.weights.items():
            self._image.write(name, w)
        model = self._load(self._image.files())
        self._served = LearnedModel(model, self._ids, learner.digest, frozenset(learner.words), learner.ledger.copy())
        self._served_at = time.monotonic()

    def _serve_nothing(self, corrections: CorrectionsInForce) -> None:
        self._served = None
        self.let_go()
        self._delete_others(corrections, {})

    def _go_back(self, corrections: CorrectionsInForce, wanted: Sequence[tuple[int, tuple[str, str]]]) -> None:
        """Go to the newest snapshot of the corrections in force, or to the beginning."""
        learner = self._learner = self._learner or Learner(first_network(self._path))
        if self._in_force() is None:
            self._served = None
        self._pairs = {number: self._pair(learner, number, *pair) for number, pair in wanted}
        pairs = list(self._pairs.values())
        states = digests(learner, pairs)
        self._delete_others(corrections, states)
        learner.begin()
        for path in sorted(_snapshots(corrections.directory), reverse=True):
            count = _count(path)
            if path.name != states.get(count):
                continue
            try:
                learner.restore(path.read_bytes(), [pair.text for pair in pairs[:count]])
                break
            except (OSError, DragomanError, ValueError, KeyError):  # it is learned again
                learner.begin()
        self._ids = tuple(number for number, _ in wanted[: learner.count])
        if learner.count:
            self._serve(learner)

    def _save(self, corrections: CorrectionsInForce, learner: Learner) -> None:
        """Write a snapshot; where that cannot be done, it only takes longer to go back."""
        directory = corrections.directory / WEIGHTS
        with suppress(OSError), corrections.keeping_files() as may_write:
            if not may_write:
                return
            directory.mkdir(exist_ok=True)
            write_durably(directory / _name(learner.count, learner.digest), learner.snapshot())
            thin_out(corrections.directory)

    def _delete_others(self, corrections: CorrectionsInForce, states: dict[int, str]) -> None:
        """Delete what is half-written or of other corrections, where what is forgotten must not stay."""
        directory = corrections.directory / WEIGHTS
        found = directory.iterdir() if directory.is_dir() else ()
        if others := [path for path in found if path.name not in states.values()]:
            with corrections.keeping_files() as may_write:
                for path in others if may_write else ():
                    path.unlink(missing_ok=True)


def first_network(path: Path) -> Network:
    """The weights of a model, read once for all who learn over it."""
    with _READING:
        key = path.resolve(), (path / "model.bin").stat().st_mtime_ns
        found = _FIRST.get(key)
        if found is None:
            found = _FIRST[key] = Network.load(path)
        return found


def digests(learner: Learner, pairs: Sequence[PiecePair]) -> dict[int, str]:
    """The names of the snapshots of these corrections, by how many of them are in each."""
    digest, names = learner.first_digest, dict[int, str]()
    for count, pair in enumerate(pairs, start=1):
        digest = pair.digest(digest)
        if count % EVERY == 0:
            names[count] = _name(count, digest)
    return names


def thin_out(project: Path) -> None:
    """Keep a few snapshots, the further back the fewer: to forget what is new is what happens most."""
    paths = sorted(_snapshots(project))
    while len(paths) > MOST_SNAPSHOTS:
        newest = _count(paths[-1])
        gaps = [
            (_count(paths[n + 1]) - (_count(paths[n - 1]) if n else 0)) / (newest - _count(paths[n]) + EVERY)
            for n in range(len(paths) - 2)
        ]
        paths.pop(gaps.index(min(gaps))).unlink(missing_ok=True)


def _snapshots(project: Path) -> list[Path]:
    directory = project / WEIGHTS
    return [path for path in directory.iterdir() if SNAPSHOT.fullmatch(path.name)] if directory.is_dir() else []


def _name(count: int, digest: str) -> str:
    return f"{count:06d}-{digest[:16]}.snapshot"


def _count(path: Path) -> int:
    return int(path.name.split("-")[0])
