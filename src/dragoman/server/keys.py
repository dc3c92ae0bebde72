"""API keys: who may do what in which project. The file holds only their hashes; a key is shown once, on creation.

A key is 32 random bytes, so a plain hash of it cannot be reversed by guessing, and needs no salt. Webhooks are
signed with a secret that they do not contain, so the file has to hold that.

>>> from tempfile import TemporaryDirectory
>>> directory = TemporaryDirectory()
>>> keys = Keys(Path(directory.name, "keys.json"))
>>> key = keys.add("ana", {"manual": "learn"})
>>> identity = keys.find(key)
>>> identity.name, identity.has_role("translate", "manual"), identity.has_role("read", "other"), keys.find("guess")
('ana', True, False, None)
>>> directory.cleanup()
"""

from __future__ import annotations

import hashlib
import json
import secrets
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from dragoman.errors import BadInputError, DamagedFileError
from dragoman.files import reading_errors, storage_errors, write_durably
from dragoman.server.webhooks import new_secret
from dragoman.store.lock import in_turn

ROLES = ("read", "translate", "learn", "review", "admin")  # each includes those before it
ALL_PROJECTS = "*"  # including those created later


@dataclass(frozen=True)
class Identity:
    """Who sent a request: the owner of a key, or a program on this machine."""

    name: str | None  # None for programs on this machine, which need no key
    roles: Mapping[str, str]  # by project

    @property
    def client(self) -> str:
        """The name under which the work for this identity is counted."""
        return "local" if self.name is None else f"key {self.name}"

    def has_role(self, role: str, project: str = ALL_PROJECTS) -> bool:
        """Whether this identity has at least this role in a project."""
        held = {self.roles.get(project), self.roles.get(ALL_PROJECTS)} - {None}
        return any(ROLES.index(each) >= ROLES.index(role) for each in held if each)

    def role(self, project: str = ALL_PROJECTS) -> str | None:
        """The role that this identity has in a project, if it has any."""
        return next((role for role in reversed(ROLES) if self.has_role(role, project)), None)


LOCAL = Identity(None, {ALL_PROJECTS: "admin"})


class Keys:
    """The keys in a file; a change to the file takes effect at once, so that a key can be revoked."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._read_at: tuple[int, int, int] | None = None
        self._identities: dict[str, Identity] = {}
        self._webhooks: list[tuple[str, Identity]] = []

    def find(self, key: str) -> Identity | None:
        """Whose key this is."""
        self._refresh()
        return self._identities.get(_hash(key))

    def webhooks(self) -> list[tuple[str, Identity]]:
        """The secrets of webhooks, each with the identity of those who sign with it."""
        self._refresh()
        return self._webhooks

    def add(self, name: str, roles: Mapping[str, str], *, webhook: bool = False) -> str:
        """Create a key for somebody, of which only the hash is stored, or the secret of a webhook."""
        for role in roles.values():
            if role not in ROLES:
                raise BadInputError(f"unknown role {role!r}", remedy=f"choose one of {', '.join(ROLES)}")
        key = new_secret() if webhook else f"dragoman_{secrets.token_urlsafe(32)}"
        secret = {"secret": key} if webhook else {}
        with self._changing() as records:
            if any(record["name"] == name for record in records):
                raise BadInputError(f"{name!r} already has a key", remedy="remove it first, or choose another name")
            records.append({"name": name, "hash": _hash(key), "roles": dict(roles)} | secret)
        return key

    def remove(self, name: str) -> None:
        """Revoke somebody's key."""
        with self._changing() as records:
            kept = [record for record in records if record["name"] != name]
            if len(kept) == len(records):
                raise BadInputError(f"{name!r} has no key", where=self._path, remedy="see `dragoman project keys list`")
            records[:] = kept

    def records(self) -> list[dict[str, Any]]:
        """Name, hash and roles of each key."""
        try:
            with reading_errors(self._path):
                found = json.loads(self._path.read_bytes())["keys"] if self._path.exists() else []
            return [_record(one) for one in found]
        except (ValueError, KeyError, TypeError):
            remedy = "restore it from a backup, or delete it and create new keys"
            raise DamagedFileError("is not a key file", where=self._path, remedy=remedy) from None

    @contextmanager
    def _changing(self) -> Iterator[list[dict[str, Any]]]:
        """The records, to be changed in the block and then written; others who change them wait."""
        with storage_errors(self._path):
            self._path.parent.mkdir(parents=True, exist_ok=True)
        with in_turn(self._path.with_name(f"{self._path.name}.lock")):
            records = self.records()
            yield records
            with storage_errors(self._path):
                write_durably(self._path, json.dumps({"keys": records}, indent=1).encode(), mode=0o600)

    def _refresh(self) -> None:
        try:
            about = self._path.stat()
            now = about.st_mtime_ns, about.st_size, about.st_ino
        except OSError:
            now = 0, 0, 0
        if now != self._read_at:
            records = self.records()
            self._identities = {
                one["hash"]: Identity(one["name"], one["roles"]) for one in records if "secret" not in one
            }
            self._webhooks = [
                (one["secret"], Identity(one["name"], one["roles"])) for one in records if "secret" in one
            ]
            self._read_at = now


def _record(found: Mapping[str, Any]) -> dict[str, Any]:
    roles = dict(found["roles"])
    if not all(role in ROLES for role in roles.values()):
        raise ValueError("not a role")
    secret = {"secret": str(found["secret"])} if "secret" in found else {}
    return {"name": str(found["name"]), "hash": str(found["hash"]), "roles": roles} | secret


def _hash(key: str) -> str:
    return hashlib.sha256(key.encode(errors="surrogatepass")).hexdigest()
