"""`engine:en-es`: an engine that is installed on this machine, by a package or by `dragoman engine get`.

An engine is a directory: `model/` in CTranslate2's format with its pieces, `engine.json` with languages, licence, and
`card.md`, which says what it is. A package brings one by an entry point of the group `dragoman.engines`, whose name
is the engine's and whose value is the package that holds these files. Engines that were fetched lie in the user's data
directory, or where DRAGOMAN_ENGINES says, and are shared by all projects.
"""

from __future__ import annotations

import json
import os
import re
from dataclasses import dataclass, replace
from importlib.metadata import EntryPoint, entry_points
from importlib.util import find_spec
from pathlib import Path

import platformdirs

from dragoman.errors import BadInputError
from dragoman.upstream.contract import EngineName, Languages
from dragoman.upstream.ct2 import CTranslate2

TOLD = ("source", "target", "version", "licence", "about", "target_token")
GROUP = "dragoman.engines"
IN_THE_BOX = "en-es"  # the pair of the sample
NAME = re.compile(r"[a-z0-9][a-z0-9-]{0,63}")


@dataclass(frozen=True, slots=True)
class InstalledEngine:
    """An engine that is there: its name, where it lies, and what it says of itself."""

    name: str
    path: Path  # of the directory that holds model/
    source: str
    target: str
    version: str = ""
    licence: str = ""
    about: str = ""
    target_token: str = ""  # with which each translation begins, in models of several languages
    is_packaged: bool = False  # a package brought it, so that the package's own program removes it

    @property
    def model(self) -> Path:
        """The directory of the model."""
        return self.path / "model"

    def translates(self, source: str, target: str) -> bool:
        """Whether it is for this pair of languages, whatever their regions."""
        return (_language(source), _language(target)) == (_language(self.source), _language(self.target))

    @property
    def size(self) -> int:
        """Bytes on disk."""
        return sum(each.stat().st_size for each in self.path.rglob("*") if each.is_file())


class Installed(CTranslate2):
    """A CTranslate2 model that is found by its name."""

    @classmethod
    def from_place(cls, place: EngineName, languages: Languages) -> Installed:
        """The engine of this name; another pair of languages than its own is refused."""
        found = find(place.address)
        if not found.translates(languages.source, languages.target):
            what = f"engine:{found.name} translates from {found.source} to {found.target}"
            remedy = f"get one from {languages.source} to {languages.target}; see dragoman engine list"
            raise BadInputError(what, remedy=remedy)
        options = ({"target-token": found.target_token} if found.target_token else {}) | place.options
        made = super().from_place(replace(place, address=str(found.model), options=options), languages)
        made.name = place.name
        return made


def folder() -> Path:
    """Where fetched engines are kept; it need not exist."""
    chosen = os.environ.get("DRAGOMAN_ENGINES")
    return Path(chosen) if chosen else platformdirs.user_data_path("dragoman", appauthor=False) / "engines"


def find(name: str) -> InstalledEngine:
    """The engine of a name; an error with what can be done if there is none."""
    if NAME.fullmatch(name):
        for point in entry_points(group=GROUP, name=name):
            if found := _of_package(point):
                return found
        if found := read(folder() / name):
            return found
    remedy = f"fetch it with: dragoman engine get {name}" if NAME.fullmatch(name) else "see dragoman engine list"
    raise BadInputError(f"there is no engine {name[:64]!r} on this machine", remedy=remedy)


def name_in_the_box() -> str | None:
    """The name of the engine that comes with dragoman, if it is installed."""
    return f"engine:{IN_THE_BOX}" if any(each.name == IN_THE_BOX for each in installed()) else None


def installed() -> list[InstalledEngine]:
    """All engines on this machine, by name; a package's goes before a fetched one of the same name."""
    packaged = [_of_package(point) for point in entry_points(group=GROUP)]
    fetched = [read(path) for path in sorted(folder().glob("*/"))] if folder().is_dir() else []
    found = {each.name: each for each in (*fetched, *packaged) if each is not None}
    return [found[name] for name in sorted(found)]


def read(path: Path, *, is_packaged: bool = False, name: str = "") -> InstalledEngine | None:
    """The engine in a directory; None if there is none, or half of one."""
    name = name or path.name
    if not NAME.fullmatch(name) or not (path / "model" / "model.bin").is_file():
        return None
    try:
        told = json.loads((path / "engine.json").read_bytes())
        texts = {key: str(told.get(key, "")) for key in TOLD}
    except (OSError, ValueError, AttributeError):
        return None
    return InstalledEngine(name, path, **texts, is_packaged=is_packaged)


def _of_package(point: EntryPoint) -> InstalledEngine | None:
    try:
        spec = find_spec(point.value)
    except (ImportError, ValueError):
        return None
    places = spec.submodule_search_locations if spec else None
    return read(Path(next(iter(places))), is_packaged=True, name=point.name) if places else None


def _language(tag: str) -> str:
    return re.split(r"[-_]", tag)[0].lower()
