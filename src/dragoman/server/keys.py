"""Keys: who may do what in which project. The file has only their hashes; a key itself is shown once, when it is made.

A key is 32 random bytes, so a plain hash of it cannot be guessed from, and needs no salt.

>>> from tempfile import TemporaryDirectory
>>> directory = TemporaryDirectory()
>>> keys = Keys(Path(directory.name, "keys.json"))
>>> key = keys.add("ana", {"manual": "learn"})
>>> visitor = keys.find(key)
>>> visitor.name, visitor.may("translate", "manual"), visitor.may("read", "other"), keys.find("guess")
('ana', True, False, None)
>>> directory.cleanup()
"""

from __future__ import annotations

import hashlib
import json
import secrets
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from dragoman.errors import BadInputError, DamagedFileError
from dragoman.files import reading_errors, storage_errors, write_durably

ROLES = ("read", "translate", "learn", "admin")  # each may do all that those before it may
EVERY = "*"  # stands for all projects, those to come included


@dataclass(frozen=True)
class Visitor:
    """Somebody who came in, with a key or from this machine."""

    name: str | None  # None for programs on this machine, which have no key
    roles: Mapping[str, str]  # by project

    def may(self, role: str, project: str = EVERY) -> bool:
        """Whether the visitor has at least this role in a project."""
        held = {self.roles.get(project), self.roles.get(EVERY)} - {None}
        return any(ROLES.index(each) >= ROLES.index(role) for each in held if each)


HERE = Visitor(None, {EVERY: "admin"})


class Keys:
    """The keys in a file; a change of the file takes effect at once, so that a key can be taken away."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._read_at: tuple[int, int] | None = None
        self._visitors: dict[str, Visitor] = {}

    def find(self, key: str) -> Visitor | None:
        """Whose key this is."""
        self._refresh()
        return self._visitors.get(_hash(key))

    def add(self, name: str, roles: Mapping[str, str]) -> str:
        """Make a key for somebody; it is not kept anywhere, only its hash is."""
        for role in roles.values():
            if role not in ROLES:
                raise BadInputError(f"there is no role {role!r}", remedy=f"choose one of {', '.join(ROLES)}")
        records = self.records()
        if any(record["name"] == name for record in records):
            raise BadInputError(f"{name!r} has a key already", remedy="remove it first, or choose another name")
        key = f"dragoman_{secrets.token_urlsafe(32)}"
        self._write([*records, {"name": name, "hash": _hash(key), "roles": dict(roles)}])
        return key

    def remove(self, name: str) -> None:
        """Take somebody's key away."""
        records = self.records()
        kept = [record for record in records if record["name"] != name]
        if len(kept) == len(records):
            raise BadInputError(f"there is no key of {name!r}", where=self._path, remedy="see `dragoman keys list`")
        self._write(kept)

    def records(self) -> list[dict[str, Any]]:
        """Name, hash and roles of each key."""
        try:
            with reading_errors(self._path):
                found = json.loads(self._path.read_bytes())["keys"] if self._path.exists() else []
            return [_record(one) for one in found]
        except (ValueError, KeyError, TypeError):
            remedy = "restore it from a copy, or remove it and make keys anew"
            raise DamagedFileError("is not a file of keys", where=self._path, remedy=remedy) from None

    def _write(self, records: list[dict[str, Any]]) -> None:
        with storage_errors(self._path):
            self._path.parent.mkdir(parents=True, exist_ok=True)
            write_durably(self._path, json.dumps({"keys": records}, indent=1).encode())
            self._path.chmod(0o600)

    def _refresh(self) -> None:
        try:
            about = self._path.stat()
            now = about.st_mtime_ns, about.st_size
        except OSError:
            now = 0, 0
        if now != self._read_at:
            self._visitors = {one["hash"]: Visitor(one["name"], one["roles"]) for one in self.records()}
            self._read_at = now


def _record(found: Mapping[str, Any]) -> dict[str, Any]:
    roles = dict(found["roles"])
    if not all(role in ROLES for role in roles.values()):
        raise ValueError("not a role")
    return {"name": str(found["name"]), "hash": str(found["hash"]), "roles": roles}


def _hash(key: str) -> str:
    return hashlib.sha256(key.encode(errors="surrogatepass")).hexdigest()
