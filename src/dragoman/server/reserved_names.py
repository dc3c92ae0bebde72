"""Names of projects whose languages are not known yet, each of them somebody's.

Clients of ModernMT create a memory before its languages are known. Its name is kept here until the first pair arrives,
for whoever asked for it: others neither see it nor can tell from the name they get which projects there are.
"""

from __future__ import annotations

import hashlib
import json
import re
from contextlib import suppress
from dataclasses import asdict, dataclass
from pathlib import Path

from dragoman.files import storage_errors, write_durably
from dragoman.server.api_errors import ApiError

NAME = r"[a-z0-9][a-z0-9_-]{0,63}"
FILE = ".promised"
LONGEST = 200  # characters of a title
MOST, MOST_EACH = 1000, 100  # names in all, and of one owner


@dataclass(frozen=True)
class ReservedName:
    """A name, whose it is, and what they called it."""

    name: str
    owner: str = ""  # nobody in particular: reserved by an earlier version
    title: str = ""


class ReservedNames:
    """All such names; without a file they are forgotten with the server. Whoever uses them holds a lock."""

    def __init__(self, file: Path | None) -> None:
        self._file = file
        self._found = {each.name: each for each in _read(file)}

    def __contains__(self, name: object) -> bool:
        return name in self._found

    def all(self) -> list[ReservedName]:
        """All of them, the oldest first."""
        return list(self._found.values())

    def get(self, name: str) -> ReservedName | None:
        """A name, if it is reserved."""
        return self._found.get(name)

    def add(self, title: str, name: str, owner: str) -> str:
        """Reserve a name for somebody; whoever asks a second time has lost the first answer, and gets the same."""
        if known := next((each for each in self.all() if (each.owner, each.title) == (owner, title)), None):
            return known.name
        if len(title) > LONGEST:
            raise ApiError(400, f"the name has more than {LONGEST} characters", "choose a shorter one")
        if len(self._found) >= MOST or sum(each.owner == owner for each in self.all()) >= MOST_EACH:
            raise ApiError(429, "there are too many memories without content", "delete some, or add pairs to them")
        self._save({**self._found, name: ReservedName(name, owner, title)})
        return name

    def remove(self, name: str) -> None:
        """Release a name."""
        self._save({each: found for each, found in self._found.items() if each != name})

    def _save(self, found: dict[str, ReservedName]) -> None:
        if self._file is not None:
            lines = "".join(f"{json.dumps(asdict(each))}\n" for each in found.values())
            with storage_errors(self._file):
                write_durably(self._file, lines.encode())
        self._found = found


def own_name(name: str, owner: str) -> str:
    """A name like another one that belongs to its owner, and says nothing about the names of others.

    >>> own_name("manual", "key ana")
    'manual-e2cbd4'
    """
    return f"{name[:57]}-{hashlib.sha256(f'{owner}/{name}'.encode()).hexdigest()[:6]}"


def _read(file: Path | None) -> list[ReservedName]:
    """The names in a file, whatever else is in it: damage to this file must not keep the server from starting."""
    if file is None or not file.exists():
        return []
    with storage_errors(file):
        lines = file.read_text(encoding="utf-8", errors="replace").split("\n")
    found = []
    for line in lines:
        with suppress(ValueError, TypeError):
            one = ReservedName(**json.loads(line)) if line.startswith("{") else ReservedName(line.strip())
            if re.fullmatch(NAME, str(one.name)):
                found.append(ReservedName(str(one.name), str(one.owner), str(one.title)))
    return found
