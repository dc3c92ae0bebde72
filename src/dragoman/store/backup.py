"""A backup of a project in one file, made while the project is being used, and restored as it was then or earlier.

1. Documents, answers and journal are copied by SQLite's own means, each as it is at one moment; documents first, so
   that they refer to nothing that the journal lacks.
2. The copies, the description and the base, wherever it is, go into a zip file with a manifest of their checksums.
   The file appears when it is whole.
3. `restore` checks every byte, cuts the journal at a point in time if one is given, and publishes the directory.

Snapshots are left out: they are computed again from the journal.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import shutil
import sqlite3
import zipfile
from collections.abc import Iterator
from contextlib import closing
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import IO, Any

from dragoman.errors import BadInputError, DamagedFileError, DragomanError
from dragoman.files import storage_errors, sync_directory
from dragoman.progress import Progress
from dragoman.store.description import DESCRIPTION, migrate, read_description, write_description
from dragoman.store.lock import WriterLock
from dragoman.store.sqlite_files import TABLE, connect_to_read, explain
from dragoman.store.unfinished import aside

FORMAT = 1
MANIFEST = "backup.json"
FILES = ("documents.db", "answers.db")
PIECE = 1 << 20
PART = ".part"  # suffix of what was never finished


@dataclass(frozen=True)
class Backup:
    """What is in a backup."""

    time: str
    revision: int  # the last row of the journal
    files: dict[str, str]  # checksums by name


def make_backup(project: Path, file: Path, progress: Progress | None = None) -> Backup:
    """Write a backup of a project, which may be in use; progress is told in bytes."""
    description = migrate(project, read_description(project), write=False)
    if "://" in description["journal"]:
        remedy = "back up the database by its own means, and the directory of the project with it"
        raise BadInputError("the journal is in a database of its own", where=project, remedy=remedy)
    with storage_errors(file), _place(file.absolute().parent) as folder:
        part = Path(folder, f"{file.name}.part")
        copies = {DESCRIPTION: project / DESCRIPTION}
        for name in (*FILES, description["journal"]):
            if (project / name).exists():
                copies[name] = _copy(project / name, Path(folder, name))
        if description["base"] is not None:
            base = project / description["base"]["path"]  # which may be outside, and then is inside what is restored
            files = sorted(each for each in base.rglob("*") if each.is_file() and each.suffix != PART)
            copies |= {f"base/{each.relative_to(base)}": each for each in files}
            write_description(Path(folder), description | {"base": description["base"] | {"path": "base"}})
            copies[DESCRIPTION] = Path(folder, DESCRIPTION)
        moved = _Moved("backing up", sum(each.stat().st_size for each in copies.values()), progress)
        made = _write(part, copies, _last(Path(folder, description["journal"])), moved)
        part.replace(file)
        sync_directory(file.absolute().parent)
    return made


@contextlib.contextmanager
def _place(folder: Path) -> Iterator[str]:
    """A hidden directory to work in; a lock tells others that it is being used."""
    with TemporaryDirectory(prefix=".backup-", dir=folder) as place:
        lock = WriterLock(Path(place, "lock"))
        try:
            yield place
        finally:
            lock.release()


def _copy(old: Path, new: Path) -> Path:
    with (
        _sqlite_errors(old),
        closing(connect_to_read(old.absolute())) as reading,
        closing(sqlite3.connect(new)) as writing,
    ):
        reading.backup(writing)
    return new


@contextlib.contextmanager
def _sqlite_errors(file: Path) -> Iterator[None]:
    try:
        yield
    except sqlite3.Error as error:
        raise explain(error, "cannot copy: {}", file, str(file), holds=file.stem) from error


def _last(journal: Path) -> int:
    with closing(sqlite3.connect(journal)) as connection:
        return int(connection.execute(f"SELECT max(id) FROM {TABLE}").fetchone()[0] or 0)  # noqa: S608


def _write(part: Path, copies: dict[str, Path], revision: int, moved: _Moved) -> Backup:
    with part.open("wb") as writing:
        with zipfile.ZipFile(writing, "w", zipfile.ZIP_DEFLATED, compresslevel=1) as packed:
            sums = {}
            for name, copy in copies.items():
                with copy.open("rb") as reading, packed.open(name, "w", force_zip64=True) as into:
                    sums[name] = _move(reading, into, moved)
            made = Backup(datetime.now(UTC).isoformat(timespec="seconds"), revision, sums)
            about = {"format": FORMAT, "time": made.time, "revision": revision, "files": sums}
            packed.writestr(MANIFEST, json.dumps(about, indent=1))
        writing.flush()
        os.fsync(writing.fileno())
    return made


@dataclass
class _Moved:
    """How many bytes were moved, told as progress."""

    what: str
    total: int
    progress: Progress | None
    done: int = 0

    def add(self, number: int) -> None:
        self.done += number
        if self.progress:
            self.progress(self.what, self.done, self.total)


def _move(reading: IO[bytes], writing: IO[bytes], moved: _Moved) -> str:
    """Copy bytes; their checksum."""
    digest = hashlib.sha256()
    while piece := reading.read(PIECE):
        digest.update(piece)
        writing.write(piece)
        moved.add(len(piece))
    return digest.hexdigest()


def restore(file: Path, project: Path, at: datetime | int | None = None, *, progress: Progress | None = None) -> int:
    """Make a project from a backup, as it was at a time or after a row of the journal; its last row."""
    path = project.absolute()
    with aside(path) as place:
        with storage_errors(path):
            place.mkdir()
        _unpack(file, place, progress)
        for folder in (place, *(each for each in place.rglob("*") if each.is_dir())):
            sync_directory(folder)
        description = migrate(place, read_description(place), write=False)
        journal = place / description["journal"]
        if at is not None:
            _cut(journal, at, file)
        revision = _last(journal)
        with storage_errors(path):
            if path.exists():
                path.rmdir()
            place.rename(path)
            sync_directory(path.parent)
    return revision


def _unpack(file: Path, place: Path, progress: Progress | None) -> None:
    broken = DamagedFileError("is not a whole backup", where=file, remedy="use another one")
    try:
        with zipfile.ZipFile(file) as packed:
            moved = _Moved("restoring", sum(each.file_size for each in packed.infolist()), progress)
            for name, expected in _manifest(packed, broken).items():
                target = place / name
                if not target.resolve().is_relative_to(place.resolve()):
                    raise broken
                with storage_errors(target):
                    target.parent.mkdir(parents=True, exist_ok=True)
                    with packed.open(name) as reading, target.open("wb") as writing:
                        found = _move(reading, writing, moved)
                        os.fsync(writing.fileno())
                if found != expected:
                    raise DamagedFileError(f"{name} is not what was written", where=file, remedy="use another backup")
    except (zipfile.BadZipFile, KeyError, OSError, EOFError, ValueError, NotImplementedError, RuntimeError) as error:
        if isinstance(error, FileNotFoundError):
            raise BadInputError("no such file", where=file, remedy="make one with `dragoman project backup`") from None
        raise broken from error
    except Exception as error:  # zlib.error, which is not a ValueError
        if type(error).__module__ == "zlib":
            raise broken from error
        raise


def _manifest(packed: zipfile.ZipFile, broken: DamagedFileError) -> dict[str, str]:
    about: Any = json.loads(packed.read(MANIFEST))
    if not isinstance(about, dict) or about.get("format") != FORMAT or not isinstance(about.get("files"), dict):
        raise broken
    return {str(name): str(checksum) for name, checksum in about["files"].items()}


def _cut(journal: Path, at: datetime | int, file: Path) -> None:
    """Drop the rows after a point: the number of the last row that stays, or a time until which rows were written."""
    with _sqlite_errors(journal), closing(sqlite3.connect(journal, isolation_level=None)) as connection:
        last = at if isinstance(at, int) else _last_at(connection, at)
        if last > _last(journal) or last < 0:
            remedy = f"its last row is {_last(journal)}"
            raise BadInputError(f"the backup has no row {last}", where=file, remedy=remedy)
        connection.execute("BEGIN IMMEDIATE")
        connection.execute(f"DELETE FROM {TABLE} WHERE id > ?", (last,))  # noqa: S608
        connection.execute(f"UPDATE {TABLE} SET forgotten_by = NULL WHERE forgotten_by > ?", (last,))  # noqa: S608
        for beside in ("deliveries", "other_places", "written"):
            with contextlib.suppress(sqlite3.OperationalError):  # the table is made when it is first needed
                connection.execute(f'DELETE FROM {beside} WHERE "row" > ?', (last,))  # noqa: S608
        connection.execute("COMMIT")
        connection.execute("VACUUM")  # or what was cut off would still be in the file


def _last_at(connection: sqlite3.Connection, at: datetime) -> int:
    """The last row that was written until a time; the time of a correction may be another one, that somebody gave."""
    when = at.astimezone(UTC).isoformat(timespec="microseconds")
    has_written = connection.execute("SELECT 1 FROM sqlite_master WHERE name = 'written'").fetchone()
    written = '(SELECT written.time FROM written WHERE "row" = id)' if has_written else "NULL"
    query = f"SELECT max(id) FROM {TABLE} WHERE coalesce({written}, time) <= ?"  # noqa: S608
    return int(connection.execute(query, (when,)).fetchone()[0] or 0)


def sweep(folder: Path) -> None:
    """Remove what interrupted backups left in a directory, but not what another one is making."""
    for each in folder.glob(".backup-*"):
        if each.is_symlink():  # not ours
            continue
        with contextlib.suppress(DragomanError):
            WriterLock(each / "lock").release()
            shutil.rmtree(each, ignore_errors=True)
