"""The projects that are served: found in directories when the server starts, opened once, kept open.

A name in a request is only ever looked up among the names that are known. Where a new project gets its directory, the
name has to be of a form that cannot lead anywhere else.
"""

from __future__ import annotations

import asyncio
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
from dragoman.errors import BadInputError, DragomanError
from dragoman.files import storage_errors, write_durably
from dragoman.server.answers import RefusedError
from dragoman.server.documents import Documents
from dragoman.server.logs import log
from dragoman.server.settings import Follow

NAME = r"[a-z0-9][a-z0-9_-]{0,63}"
DELETED = ".deleted"
PROMISED = ".promised"


class Opened:
    """A project that is open: its engine, its documents, and the turn of whoever changes something."""

    def __init__(self, name: str, path: Path, follow: Follow | None = None) -> None:
        self.name = name
        self.engine = Engine.open(path, replica=follow == "replica", standby=follow == "standby")
        try:
            self.documents = Documents(path / "documents.db")
            if self.engine.role == "writer":
                self.documents.lost(self.engine.revision)
        except BaseException:
            self.engine.close()
            raise
        self.closed = False
        self.turn = asyncio.Lock()  # held while learning: waiting costs no thread
        self.source, self.target = self.engine.source, self.engine.target

    @property
    def number(self) -> int:
        """The same number for the same name, for clients that want numbers; exact in a double."""
        return number_of(self.name)

    @property
    def revision(self) -> int:
        """The last row of the journal that is known: what was computed after this was read, is at least as new."""
        return self.engine.revision

    @property
    def rows_behind(self) -> int:
        """How many ids the journal is ahead of a replica, as far as can be found out; a writer is never behind."""
        if self.engine.role == "writer":
            return 0
        return self.engine.rows_behind

    def close(self) -> None:
        """Close engine and documents; what was acknowledged is safe already."""
        self.closed = True
        self.engine.close()
        self.documents.close()


class Projects:
    """All projects by name.

    Looking takes no lock, so that the event loop never waits for a project that is being opened: what is looked at is
    replaced as a whole.
    """

    def __init__(self, paths: tuple[Path, ...], follow: Follow | None = None) -> None:
        self._follow = follow
        self._lock = threading.RLock()
        self._paths: dict[str, Path] = {}
        self._opened: dict[str, Opened] = {}
        self._closed = False
        self.folder: Path | None = None  # where new projects go
        self.named: list[str] = []  # projects that were asked for one by one
        for path in paths:
            self._find(path.absolute())
        self.promised = self._read_promised()  # names taken for projects whose languages are not known yet

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
            raise BadInputError(f"there are two projects {name!r}", where=path, remedy="rename one of the directories")
        self._paths = {**self._paths, name: path}
        return name

    def names(self) -> list[str]:
        """The names of all projects, in the order in which they were found."""
        return list(self._paths)

    def get(self, name: str) -> Opened:
        """A project, opened if it is not yet; takes time, so not in the event loop unless it is known to be open."""
        if opened := self._opened.get(name):
            return opened
        with self._lock:
            if self._closed:
                raise RefusedError(503, "the server is being stopped", "try again when it is back")
            if name not in self._paths:
                raise RefusedError(404, f"there is no project {name!r}", "see /api/v1/projects")
            if name not in self._opened:
                self._opened[name] = Opened(name, self._paths[name], self._follow)
            return self._opened[name]

    def is_open(self, name: str) -> bool:
        """Whether `get` returns at once."""
        return name in self._opened

    def opened(self) -> Iterator[Opened]:
        """The projects that are open, in the order in which they were found."""
        for name in self.names():
            if found := self._opened.get(name):
                yield found

    def languages(self, name: str) -> tuple[str, str] | None:
        """Source and target as the description of a project has them, whether it can be opened or not."""
        with suppress(KeyError):
            about = _describe(self._paths[name])
            return str(about["source"]), str(about["target"])
        return None

    def open_all(self) -> dict[str, DragomanError | RefusedError]:
        """Open all projects; returns what is wrong with those that cannot be."""
        problems: dict[str, DragomanError | RefusedError] = {}
        for name in self.names():
            try:
                self.get(name)
            except (DragomanError, RefusedError) as error:
                log("not opened", logging.WARNING, project=name, problem=error.what)
                problems[name] = error
        return problems

    def create(self, name: str, *, source: str, target: str, base: str | None = None, **options: Any) -> Opened:
        """Make a new project, over the base of another one if that is named."""
        if not re.fullmatch(NAME, name):
            raise RefusedError(400, "this cannot be the name of a project", f"choose one of the form {NAME}")
        with self._lock:
            folder = self._new_folder()
            if name in self._paths:
                raise RefusedError(409, f"there is a project {name!r} already", "choose another name")
            beneath = self._paths[self.get(base).name] if base else None
            engine = Engine.create(folder / name, source=source, target=target, base=beneath, **options)
            engine.close()
            self._paths = {**self._paths, name: folder / name}
            return self.get(name)

    def promise(self, name: str) -> str:
        """Take a name, or one like it, for a project that is made when its languages are known."""
        with self._lock:
            taken, name = {*self._paths, *self.promised}, name_for(name)
            free = next(each for n in count(1) if (each := name if n == 1 else f"{name[:58]}-{n}") not in taken)
            self._set_promised([*self.promised, free])
            return free

    def keep(self, name: str, source: str, target: str) -> Opened:
        """Make a project that was promised."""
        with self._lock:
            opened = self.create(name, source=source, target=target)
            self.unpromise(name)
            return opened

    def unpromise(self, name: str) -> None:
        """Give a name free."""
        with self._lock:
            self._set_promised([each for each in self.promised if each != name])

    def _read_promised(self) -> list[str]:
        file = self.folder / PROMISED if self.folder else None
        return file.read_text(encoding="utf-8").split() if file and file.exists() else []

    def _set_promised(self, names: list[str]) -> None:
        file = self._new_folder() / PROMISED
        with storage_errors(file):
            write_durably(file, "\n".join(names).encode())
        self.promised = names

    def delete(self, name: str) -> None:
        """Close a project and put its directory aside; erasing it is left to people at the machine."""
        with self._lock:
            opened, path = self.get(name), self._paths[name]
            if path.parent != self._new_folder():
                raise RefusedError(403, f"the project {name!r} was not made by this server", "delete its directory")
            if above := self._standing_on(name):
                raise RefusedError(409, f"{name!r} is the base of {', '.join(above)}", "delete these first")
            opened.close()
            del self._opened[name]
            self._paths = {each: where for each, where in self._paths.items() if each != name}
            aside = path.parent / DELETED
            with storage_errors(aside):
                aside.mkdir(exist_ok=True)
                path.rename(aside / f"{name}-{datetime.now(UTC):%Y%m%dT%H%M%S%f}")

    def _standing_on(self, name: str) -> list[str]:
        """The projects whose base is in the directory of another, whether they could be opened or not."""
        beneath = self._paths[name].resolve()
        bases = {each: _find_base(path) for each, path in self._paths.items() if each != name}
        return [each for each, base in bases.items() if base and base.is_relative_to(beneath)]

    def _new_folder(self) -> Path:
        if self.folder is None:
            remedy = "ask the server that writes" if self._follow else "start it on a directory with projects in it"
            raise RefusedError(403, "this server makes and deletes no projects", remedy)
        return self.folder

    def close(self) -> None:
        """Close all that are open, and open none any more."""
        with self._lock:
            self._closed = True
            while self._opened:
                self._opened.popitem()[1].close()


def _describe(path: Path) -> dict[str, Any]:
    """What a project's description says, as far as it can be read."""
    with suppress(OSError, ValueError):
        found = json.loads((path / "project.json").read_bytes())
        return found if isinstance(found, dict) else {}
    return {}


def _find_base(path: Path) -> Path | None:
    """Where a project's description says that its base is, if it says so."""
    with suppress(TypeError, KeyError):
        return (path / str(_describe(path)["base"]["path"])).resolve()
    return None


def number_of(name: str) -> int:
    """The number that stands for the name of a project."""
    return int.from_bytes(hashlib.sha256(name.encode()).digest()[:6], "big")


def name_for(text: str) -> str:
    """The name that a project gets from the name of a directory, or any other.

    >>> name_for("Manual (2nd edition)")
    'manual-2nd-edition'
    """
    return re.sub(r"[^a-z0-9_-]+", "-", text.lower()).strip("-_")[:64] or "project"
