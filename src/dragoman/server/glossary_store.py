"""Glossaries that clients of other services create, and name in their requests: terms that hold for a request only.

They are kept in one small file beside the projects. The glossary of a project itself is a setting of the project.
"""

from __future__ import annotations

import json
import secrets
import threading
from dataclasses import asdict, dataclass, field
from datetime import UTC, datetime
from pathlib import Path

from dragoman.errors import DamagedFileError
from dragoman.files import reading_errors, storage_errors, write_durably
from dragoman.languages import same_language
from dragoman.project.glossary import Glossary
from dragoman.server.api_errors import ApiError
from dragoman.server.registry import number_of

FILE = ".glossaries.json"
MOST = 1_000  # glossaries
MOST_TERMS = 100_000  # of all glossaries
MOST_EACH, MOST_TERMS_EACH = 250, 50_000  # of one owner
LONGEST = 1000  # characters of a name


@dataclass(frozen=True)
class NamedGlossary:
    """A glossary for one pair of languages."""

    name: str
    source: str
    target: str
    terms: dict[str, str]
    owner: str = ""  # the key that it belongs to; of an earlier version, nobody in particular
    id: str = field(default_factory=lambda: _new_id())
    created: str = field(default_factory=lambda: datetime.now(UTC).isoformat(timespec="microseconds"))
    group: str = ""  # the id of the first of several for different languages that are used as one

    @property
    def number(self) -> int:
        """A number for the id, for clients that expect numeric ids."""
        return number_of(self.id)


class GlossaryStore:
    """All such glossaries; without a file they are lost when the server stops."""

    def __init__(self, file: Path | None) -> None:
        self._file, self._lock = file, threading.Lock()
        self._found: dict[str, NamedGlossary] | None = None

    def all(self) -> list[NamedGlossary]:
        """All glossaries, the oldest first."""
        with self._lock:
            return list(self._glossaries().values())

    def _by_id(self) -> dict[str, NamedGlossary]:
        with self._lock:
            return self._glossaries()

    def find(self, wanted: str) -> NamedGlossary | None:
        """The glossary with this id or number."""
        if not wanted.isdecimal():
            return self._by_id().get(wanted)
        return next((each for each in self.all() if wanted in (each.id, str(each.number))), None)

    def add(self, glossary: NamedGlossary) -> NamedGlossary:
        """Keep a glossary, in the place of one of its owner with the same name and languages."""
        Glossary().check(glossary.terms)
        if len(glossary.name) > LONGEST:
            raise ApiError(400, f"the name has more than {LONGEST:,} characters", "choose a shorter one")
        with self._lock:
            kept = {
                each.id: each
                for each in self._glossaries().values()
                if (each.owner, each.name, each.source, each.target)
                != (glossary.owner, glossary.name, glossary.source, glossary.target)
            }
            kept[glossary.id] = glossary
            own = [each for each in kept.values() if each.owner == glossary.owner]
            if len(own) > MOST_EACH or sum(len(each.terms) for each in own) > MOST_TERMS_EACH:
                what = f"more than {MOST_EACH:,} glossaries of this key, or {MOST_TERMS_EACH:,} terms in them"
                raise ApiError(413, what, "delete glossaries that are no longer needed")
            if len(kept) > MOST or sum(len(each.terms) for each in kept.values()) > MOST_TERMS:
                what = f"more than {MOST:,} glossaries, or {MOST_TERMS:,} terms in all"
                raise ApiError(413, what, "delete glossaries that are no longer needed")
            self._save(kept)
        return glossary

    def remove(self, glossary: NamedGlossary) -> None:
        """Delete a glossary."""
        with self._lock:
            self._save({key: each for key, each in self._glossaries().items() if key != glossary.id})

    def _glossaries(self) -> dict[str, NamedGlossary]:
        if self._found is None:
            self._found = {}
            if self._file and self._file.exists():
                try:
                    with reading_errors(self._file):
                        records = json.loads(self._file.read_bytes())["glossaries"]
                    self._found = {one["id"]: NamedGlossary(**one) for one in records}
                except (ValueError, KeyError, TypeError):
                    remedy = "restore it from a backup, or delete it"
                    raise DamagedFileError("is not a file of glossaries", where=self._file, remedy=remedy) from None
        return self._found

    def _save(self, glossaries: dict[str, NamedGlossary]) -> None:
        if self._file:
            with storage_errors(self._file):
                records = [asdict(each) for each in glossaries.values()]
                write_durably(self._file, json.dumps({"glossaries": records}, ensure_ascii=False).encode())
        self._found = glossaries


def joined(glossaries: list[NamedGlossary], source: str, target: str) -> Glossary | None:
    """The terms of all glossaries for these languages; of two translations of a term, the first one holds."""
    terms: dict[str, str] = {}
    for each in glossaries:
        if same_language(each.source, source) and same_language(each.target, target):
            terms = each.terms | terms
    return Glossary(terms) if terms else None


def read_terms(rows: list[list[str]], what: str) -> dict[str, str]:
    """The terms in rows of two columns; empty rows are left out."""
    terms = {row[0].strip(): row[1].strip() for row in rows if len(row) > 1 and row[0].strip() and row[1].strip()}
    if not terms:
        raise ApiError(400, f"{what} has no terms", "put a term and its translation on each line")
    return terms


def _new_id() -> str:
    found = secrets.token_hex(16)
    return "-".join((found[:8], found[8:12], found[12:16], found[16:20], found[20:]))
