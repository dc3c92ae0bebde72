"""The directory of a project: what it is about, its journal, its snapshots, and who may write.

- `project.json`: format, languages, the settings it began with, where the journal and the base are;
- `journal.db`: the journal, unless it is in PostgreSQL; beside it, while open, `journal.db-wal` and `journal.db-shm`;
- `snapshots/120/`: the models as they were after row 120 of the journal;
- `answers.db`: what other engines told processes that may not write the journal;
- `lock`: held by the one process that may write.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import secrets
import shutil
import threading
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

import numpy as np

from dragoman.errors import BadInputError, DamagedFileError
from dragoman.files import MANIFEST, storage_errors, sync_directory
from dragoman.languages import refuse_unknown
from dragoman.store.description import (
    DESCRIPTION,
    FORMAT,
    migrate,
    read_description,
    renew_copy,
    write_description,
)
from dragoman.store.journal_file import JournalFile
from dragoman.store.lock import WriterLock, holder
from dragoman.store.rows import write_settings
from dragoman.store.snapshot import Snapshot, SnapshotStore
from dragoman.store.sqlite_files import Place

if TYPE_CHECKING:
    from dragoman.store.journal import Journal
    from dragoman.store.project_answers import ProjectAnswers


class Project:
    """An open project directory: its journal, its snapshots, and what the engine opens them with.

    >>> from tempfile import TemporaryDirectory
    >>> directory = TemporaryDirectory()
    >>> with Project.create(Path(directory.name, "manual"), {"order": 5}, source="en", target="es") as project:
    ...     project.journal.append_learn("green button", "botón verde")
    ...     project.save_snapshot(1, {"counts": np.arange(3)}, {})
    1
    >>> with Project.open(Path(directory.name, "manual")) as project:
    ...     snapshot, warnings = project.newest_snapshot()
    ...     snapshot.id, list(project.journal.rows(after=snapshot.id)), project.settings
    (1, [], {'order': 5})
    >>> directory.cleanup()
    """

    def __init__(
        self, path: Path, description: Mapping[str, Any], reader: Journal | JournalFile, lock: WriterLock | None
    ) -> None:
        self.path = path
        self.reader = reader  # of the rows: the journal, or its file as long as only rows are read
        self._loading = threading.Lock()
        self.snapshots = SnapshotStore(path / "snapshots")
        self._description = dict(description)
        self._lock = lock
        self._answers: ProjectAnswers | None = None

    @classmethod
    def create(
        cls,
        path: str | Path,
        settings: Mapping[str, Any],
        *,
        source: str,
        target: str,
        journal: str | None = None,
        base: str | Path | None = None,
        unfinished: bool = False,
    ) -> Self:
        """Make the directory of a new project and open it for writing; `journal` is a URL of PostgreSQL.

        An `unfinished` one can only be opened as such until its journal is finished (`dragoman.store.unfinished`).
        """
        refuse_unknown(source, target)
        path = Path(path).absolute()
        if path.exists() and (not path.is_dir() or any(path.iterdir())):
            remedy = "open it, or choose another directory"
            raise BadInputError("already exists and is not an empty directory", where=path, remedy=remedy)
        description = {
            "format": FORMAT,
            "source": source,
            "target": target,
            "settings": json.loads(write_settings(settings)),
            "journal": journal or "journal.db",
            "base": None if base is None else _describe_base(Path(base), path),
        }
        _make(path, description, unfinished=unfinished)
        return cls.open(path, write=True, unfinished=unfinished)

    @classmethod
    def open(cls, path: str | Path, *, write: bool = False, unfinished: bool = False) -> Self:
        """Open a project; any number of processes may read it, even while one writes."""
        path = Path(path).absolute()
        read_description(path)  # before a lock is put into a directory that is no project
        lock = WriterLock(path / "lock") if write else None
        try:
            description = migrate(path, read_description(path), write=write)
            if write:
                renew_copy(path, description)
            place = _journal_place(path, description)
            if write or unfinished or isinstance(place, str):
                from dragoman.store.journal import Journal  # here, since this loads SQLAlchemy

                project = cls(path, description, Journal(place, write=write, unfinished=unfinished), lock)
            else:
                project = cls(path, description, JournalFile(place), lock)
        except BaseException:
            if lock:
                lock.release()
            raise
        try:
            project.check_agreement()
        except BaseException:
            project.close()
            raise
        return project

    @property
    def journal(self) -> Journal:
        """The journal, which can do more than a `reader`; an SQLite file is opened as one when it is first needed."""
        with self._loading:
            if isinstance(self.reader, JournalFile):
                from dragoman.store.journal import Journal

                self.reader = Journal(_journal_place(self.path, self._description))
            return self.reader

    @property
    def answers(self) -> ProjectAnswers:
        """What other engines said; kept by this process too, whether or not it may write the journal."""
        journal = self.journal
        with self._loading:
            if self._answers is None:
                from dragoman.store.project_answers import ProjectAnswers  # here, since this loads SQLAlchemy

                self._answers = ProjectAnswers(self.path, journal, self.source, self.target)
            return self._answers

    @staticmethod
    def discard_journal(path: Path) -> None:
        """Drop the journal of a project that was never finished, if it is in a database and nobody writes it."""
        place = _journal_place(path, read_description(path))
        if isinstance(place, str):
            from dragoman.store.journal import Journal

            Journal.drop(place, unfinished=True)

    def start_writing(self) -> None:
        """Start writing; refused while another process writes, or if the last writer had another base."""
        self.check_agreement(succeeding=True)  # who cannot take over must not keep others from it by a lock either
        lock = WriterLock(self.path / "lock")
        try:
            self.journal.start_writing()
            self.check_agreement(succeeding=True)  # meanwhile another process may have trained a base
        except BaseException:
            self.journal.stop_writing()
            lock.release()
            raise
        self._lock = lock

    def stop_writing(self) -> None:
        """Stop writing, and let others write."""
        if not isinstance(self.reader, JournalFile):
            self.reader.stop_writing()
        if self._lock:
            self._lock.release()
        self._lock = None

    @property
    def writer(self) -> str | None:
        """Who is writing the journal now, if known."""
        return self.journal.writer if self.reader.is_shared else holder(self.path / "lock")

    def check_agreement(self, *, succeeding: bool = False) -> None:
        """Read the description again; refuse a shared journal written over another base or other settings.

        Processes that share the writer's directory find a newly trained base here. Several machines have a directory
        each; until there are corrections, the writer decides which base counts, unless it is
        `succeeding` another writer, since it may not know of a base that the other has trained.
        """
        self._description = migrate(self.path, read_description(self.path), write=False)
        about = self.journal.about if self.reader.is_shared else self.about
        if about == self.about:
            return
        if about is not None and (succeeding or self.journal.history(limit=1)):
            remedy = f"copy {DESCRIPTION} and the base here from the machine that writes"
            raise BadInputError(
                "has a different base or different initial settings than its journal", where=self.path, remedy=remedy
            )
        if self.reader.is_writable:
            self.journal.describe(self.about)

    @property
    def about(self) -> str:
        """A digest of everything that the rows of the journal depend on."""
        about = [self.source, self.target, self.settings, self.base_checksum]
        return hashlib.sha256(json.dumps(about, sort_keys=True).encode()).hexdigest()

    @property
    def source(self) -> str:
        """The code of the source language."""
        return str(self._description["source"])

    @property
    def target(self) -> str:
        """The code of the target language."""
        return str(self._description["target"])

    @property
    def settings(self) -> dict[str, Any]:
        """The initial settings; later changes are in the journal."""
        return dict(self._description["settings"])

    @property
    def own_base(self) -> Path:
        """The directory for a base that is this project's own."""
        return self.path / "base"

    def find_base(self) -> Path | None:
        """The directory of the base, if there is one, after checking that it is unchanged."""
        base = self._description["base"]
        if base is None:
            return None
        path = self.path / str(base["path"])
        if _base_checksum(path) != base["checksum"]:
            remedy = "restore that base, or create a new project over the new one"
            raise DamagedFileError("is not the base this project was created with", where=path, remedy=remedy)
        return path

    def set_base(self, base: str | Path) -> None:
        """Use a base from now on; refused once there are corrections, since they refer to its words."""
        if self._lock is None:
            raise BadInputError("is open for reading only", where=self.path, remedy="open it for writing")
        if self.journal.history(limit=1):
            remedy = "create a new project over it"
            raise BadInputError("has corrections made without this base", where=self.path, remedy=remedy)
        description = self._description | {"base": _describe_base(Path(base), self.path)}
        write_description(self.path, description)
        self.check_agreement()

    @contextlib.contextmanager
    def keeping_files(self) -> Iterator[None]:
        """Hold the right to change files in the directory: a writer already has it, others get it if nobody writes."""
        lock = None if self._lock and self._lock.held else WriterLock(self.path / "lock")
        try:
            yield
        finally:
            if lock:
                lock.release()

    def save_snapshot(self, row_id: int, arrays: Mapping[str, np.ndarray], about: Mapping[str, Any]) -> None:
        """Save the models' arrays as they are after the row with this id; id 0 is before the first row."""
        self.snapshots.write(
            row_id, arrays, {**about, "digest": self.reader.digest(row_id), "base": self.base_checksum}
        )

    def newest_snapshot(self, *, verify: bool | int = False) -> tuple[Snapshot | None, list[str]]:
        """The newest valid snapshot of this journal and base, and a message for each one skipped."""
        return self.snapshots.newest(self._refuse, verify=verify)

    def close(self) -> None:
        """Close the journal, and let others write."""
        self.stop_writing()
        if self._answers:
            self._answers.close()
        self.reader.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    @property
    def base_checksum(self) -> str | None:
        """The checksum of the base that the project was created with."""
        base = self._description["base"]
        return None if base is None else str(base["checksum"])

    def _refuse(self, snapshot: Snapshot) -> str | None:
        """Why a snapshot does not fit this project as it is now."""
        last = self.reader.last_id
        if snapshot.id > last:
            return f"the journal ends at row {last}"
        if snapshot.about.get("digest") != self.reader.digest(snapshot.id):
            return "it was made of another journal"
        if snapshot.about.get("base") != self.base_checksum:
            return "it was made over another base"
        return None


def _make(path: Path, description: Mapping[str, Any], *, unfinished: bool) -> None:
    """Create the directory under another name and rename it, so that it is complete or absent."""
    from dragoman.store.journal import Journal

    new_parents = [parent for parent in path.parents if not parent.exists()]
    aside = path.with_name(f".{path.name}.{secrets.token_hex(4)}")
    journal = _journal_place(aside, description)
    try:
        with storage_errors(path):
            (aside / "snapshots").mkdir(parents=True)
            write_description(aside, description)
            Journal.create(journal, unfinished=unfinished).close()
            try:
                if path.exists():
                    path.rmdir()  # it is empty; some systems do not rename onto a directory
                aside.rename(path)
            except BaseException:
                Journal.drop(journal)
                raise
            sync_directory(path.parent)
    except BaseException:
        shutil.rmtree(aside, ignore_errors=True)
        with contextlib.suppress(OSError):
            for parent in new_parents:
                parent.rmdir()
        raise


def _journal_place(path: Path, description: Mapping[str, Any]) -> Place:
    journal: str = description["journal"]
    return journal if "://" in journal else path / journal


def _describe_base(base: Path, project: Path) -> dict[str, str]:
    """The path of a base, relative to the project if it is inside, and its checksum."""
    base = base.absolute()
    path = base.relative_to(project) if base.is_relative_to(project) else base
    return {"path": path.as_posix(), "checksum": _base_checksum(base)}


def _base_checksum(base: Path) -> str:
    """The checksum of a base's manifest, which covers all its files."""
    try:
        return str(json.loads((base / MANIFEST).read_bytes())["checksum"])
    except FileNotFoundError:
        raise BadInputError("there is no base here", where=base, remedy="train one, or restore it") from None
    except (ValueError, KeyError, TypeError):
        remedy = "restore it from a copy"
        raise DamagedFileError("not the manifest of a base", where=base / MANIFEST, remedy=remedy) from None
