"""What an open project does in the background: it saves snapshots, and goes on after a storage fault.

No snapshot is made from a damaged one.

A state that was restored from a damaged snapshot must not be saved: the damage would get a checksum that is right.
Nor may it learn, since the journal would record contributions with wrong numbers of words. So the snapshot that a
state comes from is read through before either: at once if it is small, otherwise in the background.

`Recovery` waits until the disk or the database is available again, and then has the state restored.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import TYPE_CHECKING

from dragoman.errors import BadInputError, DragomanError

if TYPE_CHECKING:
    from dragoman.project.open_project import OpenProject


FIRST_PAUSE, LONGEST_PAUSE = 0.5, 5.0  # seconds before trying again; each pause is twice as long as the one before


class SnapshotSaver:
    """Saves the state of an open project, every so many rows of its journal or when asked.

    It is given the project each time and does not keep it: a cycle would keep its arrays in memory after it was closed.
    """

    def __init__(self, opened: OpenProject, *, every: int) -> None:
        self.lock = threading.Lock()  # held while a snapshot is saved or checked
        self.every = every
        self.tried = opened.state.saved  # revision of the last attempt
        self._thread: threading.Thread | None = None
        if opened.role == "writer" and opened.state.origin is not None:
            self._start(self._verify_or_warn, opened)

    def _start(self, work: Callable[[OpenProject], None], opened: OpenProject) -> None:
        self._thread = threading.Thread(target=work, args=(opened,), daemon=True, name="saving a snapshot")
        self._thread.start()

    def save(self, opened: OpenProject) -> None:
        """Save the state, unless that has been done."""
        with self.lock, opened.store.keeping_files():
            self._verify(opened)
            with opened.reading() as state:
                revision = self.tried = state.revision
                if state.saved == revision:
                    return
                opened.check_settled()
                arrays, about = state.snapshot()
            opened.store.save_snapshot(revision, arrays, about)
            state.saved = revision

    def save_in_background(self, opened: OpenProject) -> None:
        """Save the state in the background, unless that is being done."""
        if not (self._thread and self._thread.is_alive()):
            self._start(self.save_or_warn, opened)

    def save_or_warn(self, opened: OpenProject) -> None:
        """Save the state; if that fails, nothing is lost, and opening only takes longer."""
        try:
            opened.save_snapshot()
        except DragomanError as error:
            if opened.role == "writer" or not isinstance(error, BadInputError):  # else the writer saves it
                opened.warnings.append(f"could not save a snapshot: {error}")

    def verify(self, opened: OpenProject) -> None:
        """Check every byte of the snapshot that the state came from; if it is damaged, restore the state without it."""
        with self.lock:
            self._verify(opened)

    def _verify(self, opened: OpenProject) -> None:
        state = opened.state
        if state.origin is None:
            return
        try:
            opened.store.snapshots.open(state.origin, verify=True)
            state.origin = None
        except DragomanError as error:
            opened.reload(verify=True)
            opened.warnings.append(f"snapshot {state.origin} was used until it turned out to be damaged: {error}")

    def _verify_or_warn(self, opened: OpenProject) -> None:
        try:
            self.verify(opened)
        except DragomanError as error:
            opened.warnings.append(f"could not check a snapshot: {error}")

    def wait(self) -> None:
        """Wait for what is done in the background."""
        if self._thread:
            self._thread.join()


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
