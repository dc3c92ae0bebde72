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
from itertools import count
from pathlib import Path
from typing import Any

from dragoman.engine import Engine
from dragoman.errors import BadInputError, DragomanError, StorageError
from dragoman.files import storage_errors, write_durably
from dragoman.formats import Document, read_document
from dragoman.languages import same_language
from dragoman.server.api_errors import ApiError
from dragoman.server.checking import ProjectChecks
from dragoman.server.config import Follow
from dragoman.server.document_store import DocumentStore
from dragoman.server.fair_queue import FairQueue
from dragoman.server.limits import DEFAULTS
from dragoman.server.logs import log, log_failure, without_places
from dragoman.server.open_files import OpenFile, OpenFiles
from dragoman.server.revision_watch import RevisionWatch

NAME = r"[a-z0-9][a-z0-9_-]{0,63}"
NAMES = "use lower-case letters, digits, - and _, 64 at most"
DELETED = ".deleted"
RESERVED = ".promised"  # file of reserved names


class ServedProject:
    """An open project: its engine, its documents, and the lock that changes take in turn."""

    def __init__(self, name: str, path: Path, follow: Follow | None = None, files: OpenFiles | None = None) -> None:
        self.name = name
        self.engine = Engine.open(path, replica=follow == "replica", standby=follow == "standby")
        try:
            self.documents = DocumentStore(path / "documents.db")
            if self.engine.role == "writer":
                self.documents.detach_after(self.engine.revision)
        except BaseException:
            self.engine.close()
            raise
        self.closed = False
        self.files = files or OpenFiles()
        self.checks = ProjectChecks(self)
        self.watch = RevisionWatch(self.engine)
        # One change at a time; waiting for it takes no thread.
        self.writing = FairQueue(1, 1, DEFAULTS.waiting, DEFAULTS.waiting_each)
        self.source, self.target = self.engine.source, self.engine.target

    @property
    def number(self) -> int:
        """A number for the name, for clients that expect numeric ids; exact in a double."""
        return number_of(self.name)

    @property
    def revision(self) -> int:
        """The last row of the journal that is known: whatever is computed after reading this is at least as new."""
        return self.engine.revision

    def read_file(self, data: bytes, name: str) -> Document:
        """The document in a file, which must be in the languages of the project."""
        document = read_document(data, name, source=self.source, target=self.target)
        found = document.source_language or self.source, document.target_language or self.target
        if not (same_language(found[0], self.source) and same_language(found[1], self.target)):
            what = f"the file is {found[0]} to {found[1]}"
            raise ApiError(400, what, f"send one that is {self.source} to {self.target}")
        return document

    def open_file(self, number: int) -> OpenFile | None:
        """The file that a document came from, if it came from one, as it was read."""

        def read() -> Document:
            return self.read_file(self.documents.data(number) or b"", self.documents.document(number).name)

        return self.files.get((self.name, number), read) if self.documents.has_file(number) else None

    def close(self) -> None:
        """Close the engine and the documents; what was acknowledged is already safe."""
        self.closed = True
        self.files.drop(self.name)
        self.engine.close()
        self.documents.close()


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
        self._closed = False
        self.folder: Path | None = None  # where new projects go
        self.named: list[str] = []  # projects that were given one by one, not by their directory
        for path in paths:
            self._find(path.absolute())
        self.reserved = self._read_reserved()  # names of projects whose languages are not known yet
        self.titles: dict[str, str] = {}  # of these, as their clients wrote them

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
        with self._lock:
            if self._closed:
                raise ApiError(503, "the server is stopping", "try again when it is back")
            if name not in self._paths:
                raise ApiError(404, f"no project {name!r}", "see /api/v1/projects")
            if name not in self._opened:
                self._opened[name] = _open(name, self._paths[name], self._follow, self._files)
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

    def open_all(self) -> dict[str, DragomanError | ApiError]:
        """Open all projects; returns the problems of those that cannot be opened."""
        problems: dict[str, DragomanError | ApiError] = {}
        for name in self.names():
            try:
                self.get(name)
            except (DragomanError, ApiError) as error:
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

    def reserve(self, name: str) -> str:
        """Reserve a name, or one like it, for a project that is created once its languages are known.

        A name that is already reserved is not reserved again: whoever asks a second time has lost the first answer.
        """
        with self._lock:
            title, name = name, name_for(name)
            if name in self.reserved:
                return name
            free = next(each for n in count(1) if (each := name if n == 1 else f"{name[:58]}-{n}") not in self._paths)
            if free not in self.reserved:
                self._set_reserved([*self.reserved, free])
            self.titles[free] = title
            return free

    def create_reserved(self, name: str, source: str, target: str) -> ServedProject:
        """Create a project whose name was reserved."""
        with self._lock:
            opened = self.create(name, source=source, target=target)
            self.release(name)
            return opened

    def release(self, name: str) -> None:
        """Release a reserved name."""
        with self._lock:
            self._set_reserved([each for each in self.reserved if each != name])

    def _read_reserved(self) -> list[str]:
        file = self.folder / RESERVED if self.folder else None
        return file.read_text(encoding="utf-8").split() if file and file.exists() else []

    def _set_reserved(self, names: list[str]) -> None:
        if self.folder is not None:  # otherwise they cannot become projects, and are forgotten with the server
            file = self.folder / RESERVED
            with storage_errors(file):
                write_durably(file, "\n".join(names).encode())
        self.reserved = names

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
    except (DragomanError, ApiError):
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


def number_of(name: str) -> int:
    """The number that stands for the name of a project."""
    return int.from_bytes(hashlib.sha256(name.encode()).digest()[:6], "big")


def name_for(text: str) -> str:
    """The project name made from the name of a directory, or any other text.

    >>> name_for("Manual (2nd edition)")
    'manual-2nd-edition'
    """
    return re.sub(r"[^a-z0-9_-]+", "-", text.lower()).strip("-_")[:64] or "project"
