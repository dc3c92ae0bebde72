"""The projects that are served: found in directories when the server starts, opened once, kept open.

A name in a request is only ever looked up among known names. A new project's name has to be of a form that cannot
lead to another directory.
"""

from __future__ import annotations

import hashlib
import json
import logging
import re
import threading
from collections.abc import Iterator
from contextlib import suppress
from datetime import UTC, datetime
from functools import lru_cache
from itertools import count
from pathlib import Path
from typing import Any

from dragoman.editor.edited_project import EditedProject
from dragoman.editor.open_files import OpenFiles
from dragoman.editor.refusal import Refusal
from dragoman.engine import Engine
from dragoman.errors import BadInputError, DragomanError, StorageError
from dragoman.files import storage_errors
from dragoman.server.api_errors import ApiError
from dragoman.server.config import Follow
from dragoman.server.limits import DEFAULTS
from dragoman.server.observability import log, log_failure, without_places
from dragoman.server.reserved_names import FILE, NAME, ReservedNames, own_name
from dragoman.server.revision_watch import RevisionWatch
from dragoman.server.workers import FairQueue

NAMES = "use lower-case letters, digits, - and _, 64 at most"
DELETED = ".deleted"


class ServedProject(EditedProject):
    """An open project, and the queue that changes take in turn."""

    def __init__(self, name: str, path: Path, follow: Follow | None = None, files: OpenFiles | None = None) -> None:
        engine = Engine.open(path, replica=follow == "replica", standby=follow == "standby")
        try:
            super().__init__(name, path, engine, files)
        except BaseException:
            engine.close()
            raise
        self.write_problem: StorageError | None = None  # why the last change could not be written
        self.watch = RevisionWatch(self.engine)
        # One change at a time; waiting for it takes no thread.
        self.writing = FairQueue(1, 1, DEFAULTS.waiting, DEFAULTS.waiting_each)

    @property
    def number(self) -> int:
        """A number for the name, for clients that expect numeric ids; exact in a double."""
        return number_of(self.name)


class ProjectRegistry:
    """All projects by name.

    Lookups take no lock, so that the event loop never waits for a project that is being opened: the mappings are
    replaced as a whole.
    """

    def __init__(self, paths: tuple[Path, ...], follow: Follow | None = None) -> None:
        self._follow = follow
        self._files = OpenFiles()
        self._lock = threading.RLock()
        self._paths: dict[str, Path] = {}
        self._opened: dict[str, ServedProject] = {}
        self._opening: dict[str, threading.RLock] = {}  # held while a project is being opened
        self._closed = False
        self.folder: Path | None = None  # where new projects go
        self.named: list[str] = []  # projects that were given one by one, not by their directory
        for path in paths:
            self._find(path.absolute())
        self.reserved = ReservedNames(self._file(FILE))

    def _find(self, path: Path) -> None:
        if (path / "project.json").exists():
            self.named.append(self._enter(path))
        elif path.is_dir():
            self.folder = self.folder or (None if self._follow else path)
            for found in sorted(path.glob("*/project.json")):
                if not found.parent.name.startswith("."):
                    self._enter(found.parent)
        else:
            raise BadInputError("is neither a project nor a directory", where=path, remedy="create it first")

    def _file(self, name: str) -> Path | None:
        """A file of the server beside its projects, if it has a directory of them."""
        return self.folder / name if self.folder else None

    def _enter(self, path: Path) -> str:
        name = name_for(path.name)
        if name in self._paths and self._paths[name] != path:
            raise BadInputError(
                f"there are two projects named {name!r}", where=path, remedy="rename one of the directories"
            )
        self._paths = {**self._paths, name: path}
        return name

    def add(self, path: Path) -> None:
        """Serve a project that was created in the meantime."""
        with self._lock:
            self._enter(path.absolute())

    def names(self) -> list[str]:
        """The names of all projects, in the order in which they were found."""
        return list(self._paths)

    def get(self, name: str) -> ServedProject:
        """A project, opened if necessary; that takes time, so never call this in the event loop unless it is open."""
        if opened := self._opened.get(name):
            return opened
        if name not in self._paths:
            raise ApiError(404, f"no project {name!r}", "see /api/v1/projects")
        with self._opening.setdefault(name, threading.RLock()):  # a project that hangs keeps no other from opening
            if name not in self._opened:
                if self._closed:
                    raise ApiError(503, "the server is stopping", "try again when it is back")
                self._opened[name] = _open(name, self._paths[name], self._follow, self._files)
                if self._closed and (late := self._opened.pop(name, None)):
                    late.close()
                    raise ApiError(503, "the server is stopping", "try again when it is back")
            return self._opened[name]

    def is_open(self, name: str) -> bool:
        """Whether `get` returns at once."""
        return name in self._opened

    def opened(self) -> Iterator[ServedProject]:
        """The projects that are open, in the order in which they were found."""
        for name in self.names():
            if found := self._opened.get(name):
                yield found

    def languages(self, name: str) -> tuple[str, str] | None:
        """Source and target language as the project file has them, whether or not the project can be opened."""
        with suppress(KeyError):
            about = _describe(self._paths[name])
            return str(about["source"]), str(about["target"])
        return None

    def open_all(self) -> dict[str, DragomanError | Refusal]:
        """Open all projects; returns the problems of those that cannot be opened."""
        problems: dict[str, DragomanError | Refusal] = {}
        for name in self.names():
            try:
                self.get(name)
            except (DragomanError, Refusal) as error:
                log("not opened", logging.WARNING, project=name, problem=without_places(error.what))
                problems[name] = error
        return problems

    def create(self, name: str, *, source: str, target: str, base: str | None = None, **options: Any) -> ServedProject:
        """Create a project, optionally over the base of another one."""
        if not re.fullmatch(NAME, name):
            raise ApiError(400, "invalid project name", f"choose one of the form {NAME}")
        with self._lock:
            folder = self._new_folder()
            if name in self._paths:
                raise ApiError(409, f"project {name!r} already exists", "choose another name")
            beneath = self._paths[self.get(base).name] if base else None
            engine = Engine.create(folder / name, source=source, target=target, base=beneath, **options)
            engine.close()
            self._paths = {**self._paths, name: folder / name}
            return self.get(name)

    def reserve(self, title: str, owner: str, *, sees_all: bool) -> str:
        """Reserve a name for a project that is created once its languages are known.

        Only whoever sees all projects gets the plain name, or the next one that is free.
        """
        with self._lock:
            plain = name_for(title)
            if not sees_all:
                return self.reserved.add(title, own_name(plain, owner), owner)
            taken = {*self._paths, *(each.name for each in self.reserved.all())}
            free = next(each for n in count(1) if (each := plain if n == 1 else f"{plain[:58]}-{n}") not in taken)
            return self.reserved.add(title, free, owner)

    def create_reserved(self, name: str, source: str, target: str) -> ServedProject:
        """Create a project whose name was reserved."""
        with self._lock:
            opened = self.create(name, source=source, target=target)
            self.release(name)
            return opened

    def release(self, name: str) -> None:
        """Release a reserved name."""
        with self._lock:
            self.reserved.remove(name)

    def delete(self, name: str) -> None:
        """Close a project and move its directory aside; erasing it is left to the administrator."""
        with self._lock:
            opened, path = self.get(name), self._paths[name]
            if path.parent != self._new_folder():
                raise ApiError(
                    403, f"project {name!r} is not in this server's directory", "delete its directory yourself"
                )
            if above := self._standing_on(name):
                raise ApiError(409, f"{name!r} is the base of {', '.join(above)}", "delete those first")
            aside = path.parent / DELETED
            with storage_errors(aside):
                aside.mkdir(exist_ok=True)
                opened.close()
                del self._opened[name]  # if the next step fails, the project is opened again when it is asked for
                path.rename(aside / f"{name}-{datetime.now(UTC):%Y%m%dT%H%M%S%f}")
            self._paths = {each: where for each, where in self._paths.items() if each != name}

    def rename(self, name: str, new: str) -> None:
        """Give a project another name, and its directory with it; it is opened again when it is asked for."""
        if not re.fullmatch(NAME, new):
            raise ApiError(422, "this is not a name for a project", NAMES, field="name")
        with self._lock:
            opened, path = self.get(name), self._paths[name]
            if new in self._paths or (path.parent / new).exists():
                raise ApiError(409, f"project {new!r} already exists", "choose another name")
            if path.parent != self._new_folder():
                raise ApiError(403, f"project {name!r} is not in this server's directory", "rename its directory")
            if above := self._standing_on(name):
                raise ApiError(409, f"{name!r} is the base of {', '.join(above)}", "delete those first")
            with storage_errors(path):
                opened.close()
                del self._opened[name]
                path.rename(path.parent / new)
            kept = {each: where for each, where in self._paths.items() if each != name}
            self._paths = {**kept, new: path.parent / new}

    def _standing_on(self, name: str) -> list[str]:
        """The projects whose base is in the directory of another, whether or not they could be opened."""
        beneath = self._paths[name].resolve()
        bases = {each: _find_base(path) for each, path in self._paths.items() if each != name}
        return [each for each, base in bases.items() if base and base.is_relative_to(beneath)]

    def _new_folder(self) -> Path:
        if self.folder is None:
            remedy = "ask the writer" if self._follow else "start it with a directory of projects"
            raise ApiError(403, "this server cannot create or delete projects", remedy)
        return self.folder

    def close(self) -> None:
        """Close all open projects, and open no more."""
        with self._lock:
            self._closed = True
            while self._opened:
                self._opened.popitem()[1].close()


def _open(name: str, path: Path, follow: Follow | None, files: OpenFiles) -> ServedProject:
    """Open a project; whatever its files contain, what is wrong with it is its own problem."""
    try:
        return ServedProject(name, path, follow, files)
    except (DragomanError, Refusal):
        raise
    except Exception as error:
        log_failure("not opened", error, project=name)
        what = f"its files have contents that were not expected ({type(error).__name__})"
        raise StorageError(what, where=path, remedy="restore them from a copy, and see the server's log") from error


def _describe(path: Path) -> dict[str, Any]:
    """What a project's file says, as far as it can be read."""
    with suppress(OSError, ValueError, RecursionError):
        found = json.loads((path / "project.json").read_bytes())
        return found if isinstance(found, dict) else {}
    return {}


def _find_base(path: Path) -> Path | None:
    """Where a project's file says that its base is, if it has one."""
    with suppress(TypeError, KeyError, ValueError, OSError):
        return (path / str(_describe(path)["base"]["path"])).resolve()
    return None


@lru_cache(100_000)
def number_of(name: str) -> int:
    """The number that stands for the name of a project."""
    return int.from_bytes(hashlib.sha256(name.encode()).digest()[:6], "big")


def name_for(text: str) -> str:
    """The project name made from the name of a directory, or any other text.

    >>> name_for("Manual (2nd edition)")
    'manual-2nd-edition'
    """
    return re.sub(r"[^a-z0-9_-]+", "-", text.lower()).strip("-_")[:64] or "project"
