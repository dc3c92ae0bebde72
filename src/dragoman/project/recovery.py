"""Going on after the disk or the database has failed in the middle of a change.

A correction changes the models before its row is written, because the row holds what it has contributed. If the row
cannot be written, the state is restored from disk. If that fails too, because the database is gone, `Undo` takes
the change back in memory: the statistics are integers, so subtracting is exact. Such a state is good for translating,
but not for learning or for snapshots, since new words keep their numbers and entries that a limit has dropped stay
dropped. `Recovery` waits until the disk or the database is available again, and then has the state restored.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from dragoman.project.correction_record import CorrectionRecord, forget_answer, put_back_answer
from dragoman.project.memory import Memory
from dragoman.project.state import State
from dragoman.records import Pair
from dragoman.store import Row

FIRST_PAUSE, LONGEST_PAUSE = 0.5, 5.0  # seconds before trying again; each pause is twice as long as the one before


class Undo:
    """A change of a state: what it has done to the models so far, and how to take that back in memory.

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
        self._learned: tuple[Pair, CorrectionRecord] | None = None

    def forgot(self, row: Row) -> None:
        """The models have forgotten this correction."""
        self._forgot = row

    def learned(self, pair: Pair, record: CorrectionRecord) -> None:
        """The models have learned a pair; `record` is what the journal records of it."""
        self._learned = pair, record

    @contextmanager
    def appending(self) -> Iterator[None]:
        """Append to the journal inside; nothing else may be changed there."""
        self.possible = True
        yield
        self.possible = False

    def take_back(self) -> None:
        """Return to the state before the change, as far as translations depend on it."""
        state, self.possible = self._state, False
        if self._learned and state.knowledge is self._knowledge:
            pair, record = self._learned
            state.knowledge.forget(pair, record.contribution)
            if record.answer:
                state.count_answer(record.answer, record.contribution, -1)
                forget_answer(state.knowledge, record.answer)
        state.knowledge = self._knowledge
        state.replacements, state.confidence, state.evidence, state.change_trust = self._counted
        state.repeats = self._repeats
        if self._forgot:
            record = CorrectionRecord.of(self._forgot)
            if record.answer:
                put_back_answer(state.knowledge, record.answer)
                state.count_answer(record.answer, record.contribution)
            pair = state.knowledge.read_pair(record.source, record.target)
            state.knowledge.put_back(pair, record.contribution)
            state.memory = _with(state.memory, self._forgot.id, record.source, record.target)
        for adaptation, arrays in zip(self._adaptations, self._adapted, strict=True):
            adaptation.restore(arrays)
        state.latest = ()


def _with(memory: Memory, number: int, source: str, target: str) -> Memory:
    """The memory with one more correction, which is not the newest."""
    more = Memory()
    for each in sorted([*memory.texts(), (number, source, target)]):
        more.add(*each)
    return more


class Recovery:
    """Tries something again and again, in a thread, until it succeeds: `attempt` raises an error if it does not."""

    def __init__(self, attempt: Callable[[], None]) -> None:
        self._attempt = attempt
        self._ended = threading.Event()
        self._thread = threading.Thread(target=self._run, daemon=True, name="recovering a project")
        self._thread.start()

    @property
    def running(self) -> bool:
        """Whether it has neither succeeded nor been stopped."""
        return self._thread.is_alive() and not self._ended.is_set()

    def stop(self) -> None:
        """Give up, and wait until the thread has ended."""
        self._ended.set()
        if threading.current_thread() is not self._thread:
            self._thread.join()

    def _run(self) -> None:
        pause = FIRST_PAUSE
        while not self._ended.wait(pause):
            try:
                self._attempt()
            except Exception:  # whatever it is, it is told as the project's problem; there is nobody above us
                pause = min(2 * pause, LONGEST_PAUSE)
            else:
                self._ended.set()
        del self._attempt  # and what it refers to, which refers to us
