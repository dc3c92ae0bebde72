"""An open project: its state, who may read and change it, and the disk that it comes from and goes to.

The state is what the journal says. One process may write, any number follow the journal (`refresh`), and whatever goes
wrong while something is changed, the state is computed from the disk again (`_undoing`). `Engine` adds what is done
with it.
"""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Literal, Self

from dragoman.errors import BadInputError, DragomanError, StorageError
from dragoman.locks import ReadWriteLock
from dragoman.models.knowledge import Knowledge
from dragoman.project.state import State
from dragoman.store import (
    BehindError,
    Follower,
    Project,
    ReplicaError,
    RewoundError,
    Row,
    SupersededError,
    TakenError,
)
from dragoman.text.tokens import Mode


class OpenProject:
    """A project that is open for reading, for following, or for writing; a snapshot is saved every so many rows."""

    def __init__(self, project: Project, *, write: bool, snapshot_every: int) -> None:
        self._project = project
        self.warnings: list[str] = []  # what people should know: snapshots that were of no use, or could not be saved
        self._write = write
        self._closed = False
        self._lock = ReadWriteLock()
        self._snapshot_every = snapshot_every
        self._saving = threading.Lock()
        self._saver: threading.Thread | None = None
        self._refreshing = threading.Lock()
        self._refreshed = threading.Condition()
        self._follower: Follower | None = None
        self._digest = ""  # of the last row that was read
        self._about = ""  # what the project was about when the state was computed
        try:
            self._restore()
        except BaseException:
            project.close()
            raise
        self._tried = self._state.saved  # row after which a snapshot was last begun

    @property
    def path(self) -> Path:
        """The directory of the project."""
        return self._project.path

    @property
    def source(self) -> str:
        """The code of the source language."""
        return self._project.source

    @property
    def target(self) -> str:
        """The code of the target language."""
        return self._project.target

    @property
    def tokens(self) -> Mode:
        """How texts are split: "text" as people write it, or "words" between spaces."""
        mode: Mode = self._project.settings["tokens"]
        return mode

    @property
    def preset(self) -> str:
        """The name of the set of features that translations are scored with."""
        return str(self._project.settings["preset"])

    # ── The state ────────────────────────────────────────────────────────────────────────────────────────────────────

    @contextmanager
    def _reading(self) -> Iterator[State]:
        """All that the project knows, for a `with` in which nobody changes it; only to look at."""
        if self._torn:
            self._recover()
        with self._lock.reading():
            self._check_open()
            if self._torn:
                raise self._not_undone()
            yield self._state

    def _recover(self) -> None:
        """Compute the state again after an error that could not be undone, as soon as the disk allows it."""
        with self._lock.writing():
            if self._torn and not self._closed:
                try:
                    self._restore()
                except (DragomanError, OSError) as error:
                    raise self._not_undone() from error

    def _not_undone(self) -> StorageError:
        remedy = "check the disk or the database, and try again"
        return StorageError("an error could not be undone in memory", where=self._project.path, remedy=remedy)

    @contextmanager
    def _writing(self) -> Iterator[State]:
        """The same, for one who changes it."""
        self.check_writable()
        with self._lock.writing():
            self.check_writable()
            if self._torn:
                self._restore()
            yield self._state

    def _check_open(self) -> None:
        if self._closed:
            raise BadInputError("is closed", where=self._project.path, remedy="open it again")

    def check_writable(self) -> None:
        """Refuse what only the writer may do, and say who that is."""
        self._check_open()
        if self._write:
            return
        if self._follower:
            writer = None
            with suppress(StorageError):  # then nobody knows who writes
                writer = self._project.writer
            remedy = f"send it to {writer}" if writer else "promote this one, or start a writer"
            raise ReplicaError("is open here as a replica, which only reads", where=self._project.path, remedy=remedy)
        raise BadInputError("is open for reading only", where=self._project.path, remedy="open it for writing")

    @contextmanager
    def _undoing(self) -> Iterator[None]:
        """Whatever goes wrong inside, afterwards the state is what the journal says: it is computed anew.

        Subtracting would not do, because it is not known how far the models got, nor whether the row is on disk.
        """
        try:
            yield
        except BaseException as error:
            self._torn = True
            if isinstance(error, SupersededError):
                self._step_down()
            else:
                self._restore()
            raise

    def _restore(self) -> None:
        """Compute the state from what is on disk: the newest good snapshot, and the rows of the journal after it."""
        self._project.check_agreement()
        about, directory = self._project.about, self._project.find_base()
        base = None if directory is None else Knowledge.open_base(directory)
        state, warnings = State.restore(self._project, base)
        self._digest = self._project.journal.digest(state.revision)
        self._state, self._about = state, about
        self._project.journal.resume(state.revision, self._digest)
        self.warnings += [warning for warning in warnings if warning not in self.warnings]
        self._torn = False

    # ── One writer, many replicas ────────────────────────────────────────────────────────────────────────────────────

    @property
    def revision(self) -> int:
        """The last row of the journal that is known here: what is translated from now on is at least as new."""
        return self._state.revision

    @property
    def role(self) -> Literal["writer", "standby", "replica", "reader"]:
        """Whether we write the journal, follow it, follow it to take over, or have only read it."""
        if self._write:
            return "writer"
        if self._follower is None:
            return "reader"
        return "standby" if self._follower.takes_over else "replica"

    @property
    def rows_behind(self) -> int:
        """How many rows of the journal are not known here yet."""
        return max(0, self._project.journal.last_id - self.revision)

    @property
    def seconds_behind(self) -> float:
        """How long ago a replica last knew that it knew everything; a writer always does."""
        return self._follower.seconds_behind if self._follower and not self._write else 0.0

    @property
    def problem(self) -> str | None:
        """What keeps a replica from following, if something does."""
        return self._follower.problem if self._follower and not self._write else None

    def wait_for(self, revision: int, timeout: float = 5.0) -> None:
        """Wait until at least this revision is known here; `BehindError` if that takes longer than so many seconds."""
        if self.revision < revision:
            self.refresh()
        with self._refreshed:
            if not self._refreshed.wait_for(lambda: self.revision >= revision, timeout if self._follower else 0):
                what = f"is at revision {self.revision}, {revision - self.revision} behind {revision}"
                raise BehindError(what, where=self._project.path, remedy="try again in a moment, or ask who writes")

    def refresh(self) -> None:
        """Fold the rows that another process has appended since; replicas do so by themselves."""
        with self._refreshing:
            self._check_open()
            if not self._write:
                self._fold_news()
        if self._follower:
            self._save_now_and_then()

    def _fold_news(self) -> None:
        try:
            if self._torn:  # the same remedy helps
                raise RewoundError("an error could not be undone in memory", where=self._project.path)
            while True:
                rows = self._project.journal.news(self._state.revision, self._digest)
                if self._has_new_base():  # looked for after the rows, which may be of corrections made over it
                    with self._lock.writing():
                        self._restore()
                elif rows:
                    self._fold(rows)
                else:
                    break
        except RewoundError as error:
            with self._lock.writing():
                self._restore()
            self.warnings.append(str(error))
        with self._refreshed:
            self._refreshed.notify_all()

    def _has_new_base(self) -> bool:
        """Whether somebody has trained the project since, which may be as long as we know of no corrections."""
        if len(self._state.memory):
            return False
        self._project.check_agreement()
        return self._project.about != self._about

    def _fold(self, rows: list[Row]) -> None:
        with self._lock.writing():
            self._check_open()
            with self._undoing():
                for row in rows:
                    self._state.fold(row, self._project.journal)
            self._digest = rows[-1].digest

    def promote(self) -> None:
        """Become the writer; refused while there is one. Every row of those before is known when this returns."""
        with self._saving, self._refreshing:  # a snapshot under way holds the lock of the directory
            if self._write:
                return
            self._check_open()
            self._project.start_writing()
            try:
                self._fold_news()
            except BaseException:
                self._project.stop_writing()
                raise
            self._write = True
        if self._follower:
            self._follower.stop()

    def _follow(self, *, standby: bool = False) -> None:
        self._follower = Follower(self._project.journal.listener(), self.refresh, self._take_over if standby else None)

    def _take_over(self) -> bool:
        """Become the writer if there is none; whether that is done."""
        journal = self._project.journal
        if not (journal.is_shared and journal.writer):
            with suppress(TakenError):  # somebody else was quicker
                self.promote()
        return self._write

    def confirm(self) -> None:
        """If another process has taken over from this writer, notice it now and not when something is to be learned."""
        if self._write and self._project.journal.is_taken_over:
            with self._lock.writing():
                if self._write:
                    self._step_down()

    def _step_down(self) -> None:
        """Another process has taken over: follow it."""
        self._write = False
        self._project.stop_writing()
        try:
            self._restore()
        finally:
            self._follow()

    # ── Snapshots ────────────────────────────────────────────────────────────────────────────────────────────────────

    def save_snapshot(self) -> None:
        """Write the state to disk, so that opening need not replay the corrections so far.

        A replica may do so too, in a directory in which nobody else writes.
        """
        if self._follower is None:
            self.check_writable()
        with self._saving, self._project.keeping_files():
            with self._reading() as state:
                revision = self._tried = state.revision
                if state.saved == revision:
                    return
                arrays, about = state.snapshot()
            self._project.save_snapshot(revision, arrays, about)
            state.saved = revision

    def _save_now_and_then(self) -> None:
        if self._state.revision - self._tried >= self._snapshot_every and not (self._saver and self._saver.is_alive()):
            self._saver = threading.Thread(target=self._save_or_warn, daemon=True)
            self._saver.start()

    def _save_or_warn(self) -> None:
        """Without the snapshot nothing is lost but time on opening."""
        try:
            self.save_snapshot()
        except DragomanError as error:
            if self._write or not isinstance(error, BadInputError):  # where others write, they also save
                self.warnings.append(f"no snapshot was saved: {error}")

    def close(self) -> None:
        """Save a snapshot and let others write. What was acknowledged is safe with or without this."""
        if self._closed:
            return
        if self._follower:
            self._follower.stop()
        if self._saver:
            self._saver.join()
        try:
            if self._write or self._follower:
                self._save_or_warn()
        finally:
            with self._lock.writing():
                self._closed = True
            self._project.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()
