"""A directory that was filled before: what has not changed is left alone, and what people corrected in it is kept.

A record in the directory that is written says what each file was made of: a digest of its source, and its segments with
their translations. When a page changes, sentences that it still has are taken from the translated page as it is now,
with whatever a person has changed there; only new ones are translated.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterator, Mapping
from difflib import SequenceMatcher
from pathlib import Path
from typing import Any

from dragoman.errors import BadInputError
from dragoman.files import storage_errors, write_durably
from dragoman.formats.document import Document, NewTarget

RECORD = ".dragoman-fill.json"
Read = Callable[[bytes, str], Document]


class FilledTree:
    """The record of a directory."""

    def __init__(self, out: Path) -> None:
        self._place = out / RECORD
        self._files: dict[str, dict[str, Any]] = {}
        try:
            self._files = dict(json.loads(self._place.read_bytes())["files"])
        except FileNotFoundError:
            pass
        except (OSError, ValueError, KeyError, TypeError):
            what = "the record of what was filled cannot be read"
            raise BadInputError(
                what, where=self._place, remedy="delete it; everything is then translated again"
            ) from None

    def is_unchanged(self, path: str, data: bytes, place: Path) -> bool:
        """Whether a source is the same as when its translation, which is still there, was written."""
        known = self._files.get(path)
        return known is not None and known["source"] == _digest(data) and place.is_file()

    def kept(self, path: str, place: Path, read: Read) -> dict[str, str]:
        """What the sentences of a file are called in its translation as it is now, by their source."""
        known = self._files.get(path)
        if known is None or not place.is_file():
            return {}
        try:
            now = [(one.id, one.target or one.source) for one in read(place.read_bytes(), place.name).segments]
        except (BadInputError, OSError):
            return {}
        found: dict[str, str] = {}
        corrected: set[str] = set()
        for (_, source, target), text in _matched(known["segments"], now):
            if text != source and (source not in corrected):
                found[source] = text
                corrected |= {source} if text != target else set()
        return found

    def remember(self, path: str, data: bytes, document: Document, targets: Mapping[str, NewTarget]) -> None:
        """Note what a file was made of."""
        segments = []
        for one in document.segments:
            new = targets.get(one.id)
            segments.append([one.id, one.source, (new.target if new else one.target) or one.source])
        self._files[path] = {"source": _digest(data), "segments": segments}

    def gone(self, root: Path) -> list[str]:
        """The sources that were filled before and are not there any more; their translations are left as they are."""
        return [path for path in self._files if not (root / path).is_file()]

    def save(self) -> None:
        """Write the record."""
        with storage_errors(self._place):
            self._place.parent.mkdir(parents=True, exist_ok=True)
            write_durably(self._place, json.dumps({"version": 1, "files": self._files}, ensure_ascii=False).encode())


def _digest(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()


def _matched(before: list[list[str]], now: list[tuple[str, str]]) -> Iterator[tuple[list[str], str]]:
    """Segments as they were written, each with its text now; where some came or went, by what is around them."""
    if [name for name, *_ in before] == [name for name, _ in now]:
        yield from zip(before, (text for _, text in now), strict=True)
        return
    matcher = SequenceMatcher(None, [target for *_, target in before], [text for _, text in now], autojunk=False)
    for kind, a, b, c, d in matcher.get_opcodes():
        if kind == "equal" or (kind == "replace" and b - a == d - c):
            yield from zip(before[a:b], (text for _, text in now[c:d]), strict=True)
