"""Snapshots of an open project: when they are saved, and that none is made from a damaged one.

A state that was restored from a damaged snapshot must not be saved: the damage would get a checksum that is right.
Nor may it learn, since the journal would record contributions with wrong numbers of words. So the snapshot that a
state comes from is read through before either: at once if it is small, otherwise in the background.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import TYPE_CHECKING

from dragoman.errors import BadInputError, DragomanError

if TYPE_CHECKING:
    from dragoman.project.opened import OpenProject


class SnapshotSaver:
    """Saves the state of an open project, every so many rows of its journal or when asked."""

    def __init__(self, opened: OpenProject, *, every: int) -> None:
        self.lock = threading.Lock()  # held while a snapshot is saved or checked
        self._opened = opened
        self._every = every
        self._tried = opened._state.saved  # revision of the last attempt
        self._thread: threading.Thread | None = None
        if opened._write and opened._state.origin is not None:
            self._start(self._verify_or_warn)

    def _start(self, work: Callable[[], None]) -> None:
        self._thread = threading.Thread(target=work, daemon=True, name="saving a snapshot")
        self._thread.start()

    def save(self) -> None:
        """Save the state, unless that has been done."""
        opened = self._opened
        with self.lock, opened._project.keeping_files():
            self._verify()
            with opened._reading() as state:
                revision = self._tried = state.revision
                if state.saved == revision:
                    return
                opened._check_settled()
                arrays, about = state.snapshot()
            opened._project.save_snapshot(revision, arrays, about)
            state.saved = revision

    def save_now_and_then(self) -> None:
        """Save the state in the background if it is time."""
        if self._opened.revision - self._tried >= self._every and not (self._thread and self._thread.is_alive()):
            self._start(self.save_or_warn)

    def save_or_warn(self) -> None:
        """Save the state; if that fails, nothing is lost, and opening only takes longer."""
        try:
            self._opened.save_snapshot()
        except DragomanError as error:
            if self._opened.role == "writer" or not isinstance(error, BadInputError):  # else the writer saves it
                self._opened.warnings.append(f"could not save a snapshot: {error}")

    def verify(self) -> None:
        """Check every byte of the snapshot that the state came from; if it is damaged, restore the state without it."""
        if self._opened._state.origin is not None:
            with self.lock:
                self._verify()

    def _verify(self) -> None:
        opened, state = self._opened, self._opened._state
        if state.origin is None:
            return
        try:
            opened._project.snapshots.open(state.origin, verify=True)
            state.origin = None
        except DragomanError as error:
            with opened._lock.writing():
                opened._restore(verify=True)
            opened.warnings.append(f"snapshot {state.origin} was used until it turned out to be damaged: {error}")

    def _verify_or_warn(self) -> None:
        try:
            self.verify()
        except DragomanError as error:
            self._opened.warnings.append(f"could not check a snapshot: {error}")

    def wait(self) -> None:
        """Wait for what is done in the background."""
        if self._thread:
            self._thread.join()
