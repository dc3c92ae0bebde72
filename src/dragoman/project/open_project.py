"""An open project: its state, access to it, and how it is loaded and saved.

The state follows from the journal. One process may write, any number can follow the journal (`refresh`). If something
goes wrong during a change, the state is restored from disk (`undoing`). If that is impossible at the moment, it is
done later, and meanwhile the state is as before the change (`recovery`). `Engine` adds translating and learning.
"""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Literal, Self

from dragoman.concurrency import ReadWriteLock
from dragoman.errors import BadInputError, DragomanError, StorageError
from dragoman.models.knowledge import Knowledge
from dragoman.project.state import State, Undo
from dragoman.project.upkeep import Recovery, SnapshotSaver
from dragoman.store import BehindError, Project, ReplicaError, RewoundError, Row, SupersededError, TakenError
from dragoman.text.tokens import Mode

if TYPE_CHECKING:
    from dragoman.store import Follower

Role = Literal["writer", "standby", "replica", "reader"]

VERIFIED_AT_ONCE = 1 << 25  # bytes of a snapshot that a writer checks while it opens the project: a tenth of a second


@dataclass
class Health:
    """How far the state can be relied on, and what has gone wrong with the journal, until it works again.

    If it is `torn`, the models are half changed: nothing can be done before they are restored. If it is `unsettled`,
    it is good for translating, but not exactly what the journal gives.
    """

    state: Literal["sound", "unsettled", "torn"] = "sound"
    problem: str | None = None


class OpenProject:
    """A project open for reading, following or writing; a snapshot is saved every `snapshot_every` rows."""

    def __init__(self, project: Project, *, write: bool, snapshot_every: int) -> None:
        self.store = project
        self.source, self.target = project.source, project.target  # codes of the languages
        self.tokens: Mode = project.settings["tokens"]  # "text" for ordinary text, "words" for tokens between spaces
        self.preset = str(project.settings["preset"])  # the name of the feature set that scores translations
        self.warnings: list[str] = []  # for people: snapshots that could not be used or saved
        self._write = write
        self._closed = False
        self._lock = ReadWriteLock()
        self._refreshing = threading.Lock()
        self._refreshed = threading.Condition()
        self._follower: Follower | None = None
        self._digest = ""  # of the last row that was read
        self._about = ""  # the description of the project when the state was restored
        self._health = Health()
        self._recovery: Recovery | None = None
        self._recovering = threading.Lock()
        try:
            self.restore()
        except BaseException:
            project.close()
            raise
        self._saver = SnapshotSaver(self, every=snapshot_every)

    @property
    def is_closed(self) -> bool:
        """Whether it can no longer be used."""
        return self._closed

    @property
    def path(self) -> Path:
        """The directory of the project."""
        return self.store.path

    # ── The state ────────────────────────────────────────────────────────────────────────────────────────────────────

    @contextmanager
    def reading(self) -> Iterator[State]:
        """The state, read-only, for a `with` block during which nobody changes it."""
        if self._health.state == "torn":
            self._recover()
        with self._lock.reading():
            self.check_open()
            if self._health.state == "torn":
                raise self._not_undone()
            yield self.state

    def _recover(self) -> None:
        """Restore the state after an error that could not be undone, as soon as the disk is available again."""
        with self._lock.writing():
            if self._health.state == "torn" and not self._closed:
                try:
                    self.restore()
                except (DragomanError, OSError) as error:
                    raise self._not_undone() from error

    def _report(self, error: BaseException) -> None:
        """Note that the journal cannot be used, and try again in the background until it can."""
        with self._recovering:
            self._health.problem = str(error)
            if not self._closed and not (self._recovery and self._recovery.running):
                self._recovery = Recovery(self._try_again)

    def _try_again(self) -> None:
        """See whether the journal can be used again; if so, restore what could not be restored before."""
        try:
            self.store.journal.check_usable()  # without the lock: a database that does not answer delays nobody
            with self._lock.writing():
                if self._health.state != "sound" and not self._closed:
                    self.restore()
        except SupersededError:
            self.confirm()
        except Exception as error:
            self._health.problem = str(error)
            raise
        self._health.problem = None

    def check_settled(self) -> None:
        """Raise an error if the state is not exactly what the journal gives."""
        if self._health.state == "unsettled":
            raise self._not_undone()

    def _not_undone(self) -> StorageError:
        remedy = "check the disk or the database, and try again"
        return StorageError("the project could not be restored after an error", where=self.store.path, remedy=remedy)

    @contextmanager
    def writing(self) -> Iterator[State]:
        """The state, for a `with` block that may change it."""
        self.check_writable()
        self._check_reachable()
        if self.state.origin is not None:
            self._saver.verify(self)
        with self._lock.writing():
            self.check_writable()
            if self._health.state != "sound":
                self.restore()
            self._health.problem = None
            yield self.state

    def _check_reachable(self) -> None:
        """Raise an error if the journal cannot be written to, while nothing is changed and nobody is kept waiting."""
        try:
            self.store.journal.check_reachable()
        except SupersededError:
            with self._lock.writing():
                if self._write:
                    self._step_down()
            raise
        except StorageError as error:
            self._report(error)
            raise

    def check_open(self) -> None:
        """Raise an error if it was closed."""
        if self._closed:
            raise BadInputError("the project is closed", where=self.store.path, remedy="open it again")

    def check_writable(self) -> None:
        """Raise an error unless this process is the writer, which is named, and this thread may write now."""
        self.check_open()
        self._lock.refuse_reader()
        if self._write and not self.store.journal.is_writable:
            raise self.store.journal.not_writable()
        if self._write:
            return
        if self._follower:
            writer = None
            with suppress(StorageError):  # then the writer is unknown
                writer = self.store.writer
            remedy = f"send it to {writer}" if writer else "promote this replica, or start a writer"
            raise ReplicaError("is open here as a replica, which only reads", where=self.store.path, remedy=remedy)
        raise BadInputError("the project is open for reading only", where=self.store.path, remedy="open it for writing")

    @contextmanager
    def undoing(self) -> Iterator[Undo]:
        """If anything goes wrong inside, restore the state from the journal: it is unknown whether the row is on disk.

        If that is impossible now, it is done later, and the change is taken back in memory if it is known how far it
        got. The error is then the one that was raised inside.
        """
        undo = Undo(self.state)
        try:
            yield undo
        except BaseException as error:
            self._health.state = "torn"
            try:
                if isinstance(error, SupersededError):
                    self._step_down()
                else:
                    self.restore()
            except Exception as problem:  # the first error says more, and is raised
                if undo.possible:
                    undo.take_back()
                    self._health.state = "unsettled"
                self._report(problem)
            raise

    def restore(self, *, verify: bool = False) -> None:
        """Restore the state from disk: the newest intact snapshot, and the rows of the journal after it.

        With `verify`, every byte of the snapshot is checked, however large it is.
        """
        self.store.check_agreement()
        about, directory = self.store.about, self.store.find_base()
        base = None if directory is None else Knowledge.open_base(directory)
        state, warnings = State.restore(self.store, base, verify=verify or (VERIFIED_AT_ONCE if self._write else 0))
        self._digest = self.store.reader.digest(state.revision)
        self.state, self._about = state, about
        self.store.reader.resume(state.revision, self._digest)
        warnings += self.store.reader.warnings
        self.warnings += [warning for warning in warnings if warning not in self.warnings]
        self._health.state = "sound"

    def reload(self, *, verify: bool = False) -> None:
        """Restore the state while nobody reads it."""
        with self._lock.writing():
            self.restore(verify=verify)

    # ── One writer, many replicas ────────────────────────────────────────────────────────────────────────────────────

    @property
    def revision(self) -> int:
        """The last row of the journal known here; later translations are at least this recent."""
        return self.state.revision

    @property
    def role(self) -> Role:
        """Whether this process writes the journal, follows it to take over, follows it, or has only read it."""
        if self._write:
            return "writer"
        if self._follower is None:
            return "reader"
        return "standby" if self._follower.takes_over else "replica"

    @property
    def rows_behind(self) -> int:
        """The number of rows of the journal not known here yet."""
        return max(0, self.store.reader.last_id - self.revision)

    @property
    def seconds_behind(self) -> float:
        """How long ago a replica was last known to be up to date; 0 for a writer."""
        return self._follower.seconds_behind if self._follower and not self._write else 0.0

    @property
    def problem(self) -> str | None:
        """What is wrong, or None: why a replica cannot follow the journal, or why a writer cannot write it.

        Translating goes on meanwhile, from what was known before. It becomes None when the journal works again.
        """
        if self._follower and not self._write:
            return self._follower.problem
        return self._health.problem

    def wait_for(self, revision: int, timeout: float = 5.0) -> None:
        """Wait until at least this revision is known here; `BehindError` after `timeout` seconds."""
        if self.revision < revision:
            self.refresh()
        with self._refreshed:
            if not self._refreshed.wait_for(lambda: self.revision >= revision, timeout if self._follower else 0):
                what = f"the project is at revision {self.revision} here, not yet at {revision}"
                raise BehindError(what, where=self.store.path, remedy="try again in a moment, or ask the writer")

    def refresh(self) -> None:
        """Fold the rows that another process has appended; replicas do this automatically."""
        with self._refreshing:
            self.check_open()
            if not self._write:
                self._fold_news()
        if self._follower:
            self.save_now_and_then()

    def _fold_news(self) -> None:
        try:
            if self._health.state != "sound":  # handled in the same way
                raise RewoundError("the project could not be restored after an error", where=self.store.path)
            while True:
                rows = self.store.journal.news(self.state.revision, self._digest)
                if self._has_new_base():  # checked after reading the rows, which may depend on it
                    with self._lock.writing():
                        self.restore()
                elif rows:
                    self._fold(rows)
                else:
                    break
        except RewoundError as error:
            with self._lock.writing():
                self.restore()
            self.warnings.append(str(error))
        with self._refreshed:
            self._refreshed.notify_all()

    def _has_new_base(self) -> bool:
        """Whether the project has been trained since; that is only possible before its first correction."""
        if len(self.state.memory):
            return False
        self.store.check_agreement()
        return self.store.about != self._about

    def _fold(self, rows: list[Row]) -> None:
        known = {row.id: row for row in rows}
        for row in rows:  # read before anything is changed, in case the database is lost meanwhile
            if row.kind == "forget" and row.refers_to not in known:
                known[int(row.refers_to or 0)] = self.store.journal.get(int(row.refers_to or 0))
        with self._lock.writing():
            self.check_open()
            with self.undoing():
                for row in rows:
                    self.state.fold(row, known.__getitem__)
            self._digest = rows[-1].digest

    def promote(self) -> None:
        """Become the writer; refused while there is one. All earlier rows are known when this returns."""
        with self._saver.lock, self._refreshing:  # saving a snapshot holds the lock of the directory
            if self._write:
                return
            self.check_open()
            self.store.start_writing()
            try:
                self._fold_news()
            except BaseException:
                self.store.stop_writing()
                raise
            self._write = True
        if self._follower:
            self._follower.stop()

    def follow(self, *, standby: bool = False) -> None:
        """Follow the journal that another process writes; a standby takes over when nobody does."""
        from dragoman.store import Follower  # here: few projects are followed, and this loads SQLAlchemy

        self._follower = Follower(self.store.journal.listener(), self.refresh, self._take_over if standby else None)

    def _take_over(self) -> bool:
        """Become the writer if there is none; returns whether this process is the writer."""
        journal = self.store.journal
        if not (journal.is_shared and journal.writer):
            with suppress(TakenError):  # another process was faster
                self.promote()
        return self._write

    def confirm(self) -> None:
        """Check now, rather than at the next correction, whether another process has taken over from this writer."""
        if self._write and self.store.journal.is_taken_over:
            with self._lock.writing():
                if self._write:
                    self._step_down()

    def _step_down(self) -> None:
        """Another process has taken over: follow it."""
        self._write = False
        self.store.stop_writing()
        try:
            self.restore()
        finally:
            self.follow()

    # ── What messages have brought ───────────────────────────────────────────────────────────────────────────────────

    def delivered(self, message: str | None) -> int | None:
        """The id of the correction that a message brought, whether learned or flagged; None if it is not known."""
        if message is None:
            return None
        from dragoman.store.journal_tables import find_delivery

        with self.store.journal.reading() as connection:
            return find_delivery(connection, message)

    # ── Snapshots ────────────────────────────────────────────────────────────────────────────────────────────────────

    def save_snapshot(self) -> None:
        """Save the state, so that opening need not replay the corrections so far.

        A replica may do this too, in a directory that nobody else writes to.
        """
        if self._follower is None:
            self.check_writable()
        self._saver.save(self)

    def save_now_and_then(self) -> None:
        """Save a snapshot in the background if it is time."""
        if self.revision - self._saver.tried >= self._saver.every:
            self._saver.save_in_background(self)

    def close(self) -> None:
        """Save a snapshot and release the project. Acknowledged corrections are safe even without this."""
        if self._closed:
            return
        if self._follower:
            self._follower.stop()
        if self._recovery:
            self._recovery.stop()
        self._saver.wait()
        try:
            if self._write or self._follower:
                self._saver.save_or_warn(self)
        finally:
            with self._lock.writing():
                self._closed = True
            self.store.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()
