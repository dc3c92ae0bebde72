"""Building a project aside, so that it appears whole or not at all.

1. `aside(path)` gives a place in a hidden directory beside the path, which a lock keeps for this process.
2. The project is created there as unfinished: nobody else can open its journal, wherever that is.
3. `publish` moves the directory to its path, and finally lets everybody open the journal.

Whatever happens in between, what is left cannot be opened, and the next attempt removes it.
"""

from __future__ import annotations

import contextlib
import re
import secrets
import shutil
from collections.abc import Iterator
from pathlib import Path

from dragoman.errors import BadInputError, DragomanError
from dragoman.files import storage_errors, sync_directory
from dragoman.store.directory import Project
from dragoman.store.journal_errors import UnfinishedError
from dragoman.store.lock import WriterLock

SUFFIX = ".unfinished"


@contextlib.contextmanager
def aside(path: Path) -> Iterator[Path]:
    """The path of a project to build and publish as `path`; when this ends, nothing is left of what was not published.

    The hidden directory has one level more than those that hold projects, so that nobody takes it for a project.
    """
    _remove_unfinished(path)
    if path.exists() and (not path.is_dir() or any(path.iterdir())):
        remedy = "open it, or choose another directory"
        raise BadInputError("already exists and is not an empty directory", where=path, remedy=remedy)
    place = path.with_name(f".{path.name}.{secrets.token_hex(4)}{SUFFIX}")
    new_parents = [parent for parent in path.parents if not parent.exists()]
    with storage_errors(path):
        place.mkdir(parents=True)
        for parent in new_parents:
            sync_directory(parent.parent)
    lock = WriterLock(place / "lock")
    try:
        yield place / "project"
    finally:
        lock.release()
        shutil.rmtree(place, ignore_errors=True)
        with contextlib.suppress(OSError):
            for parent in new_parents:  # the first is the innermost; one with something in it stays
                parent.rmdir()


def publish(built: Path, path: Path) -> None:
    """Move a project that was built aside to its place, and let everybody open it."""
    with storage_errors(path):
        if path.exists():
            path.rmdir()  # it is empty; some systems do not rename onto a directory
        built.rename(path)
        sync_directory(path.parent)
    with Project.open(path, write=True, unfinished=True) as project:
        project.journal.finish()


def _remove_unfinished(path: Path) -> None:
    """Remove what interrupted attempts have left; refused while another process is building."""
    own = re.compile(rf"\.{re.escape(path.name)}\.[0-9a-f]{{8}}{re.escape(SUFFIX)}")  # not those of `a.b`
    for place in path.parent.glob(f".*{SUFFIX}"):
        if place.is_symlink() or not own.fullmatch(place.name):
            continue
        WriterLock(place / "lock").release()
        _drop_journal(place / "project")
        shutil.rmtree(place, ignore_errors=True)
    try:
        if path.is_dir() and any(path.iterdir()):
            Project.open(path).close()
    except UnfinishedError:
        _drop_journal(path)
        shutil.rmtree(path, ignore_errors=True)
    except DragomanError:
        pass  # not a project, or a damaged one; it stays


def _drop_journal(path: Path) -> None:
    """Drop the unfinished journal of a project that is about to be deleted, if it is in a database."""
    with contextlib.suppress(DragomanError):  # not even begun, or out of reach
        Project.discard_journal(path)
