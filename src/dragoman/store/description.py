"""The file `project.json`, which says what a project is: format, languages, first settings, where journal and base are.

1. `read_description` reads it, whatever its format.
2. `migrate` brings it to the current format and checks that everything in it can be right.

Beside it is a copy, which nobody reads unless the file itself is damaged: without its languages and settings, no
correction of the project could be saved (`whole_description`).
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Callable, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

from dragoman.errors import BadInputError, DamagedFileError, DragomanError, StorageError
from dragoman.files import reading_errors, storage_errors, write_durably
from dragoman.languages import LANGUAGE

DESCRIPTION = "project.json"
COPY = "project.json.copy"
FORMAT = 2  # 2: rows hold another engine's answer, which version 0.1 would not know how to forget
FIELDS = {"source": str, "target": str, "settings": dict, "journal": str, "base": dict | None}
Migration = Callable[[Path, dict[str, Any]], dict[str, Any]]
# Format to leave → what brings directory and description to the next. What it does to the directory it must be able to
# do again, because a crash may come before the new description is written.
MIGRATIONS: dict[int, Migration] = {1: lambda _, description: description}
READABLE = (1,)  # formats that can be read without being brought up to date


def write_description(path: Path, description: Mapping[str, Any]) -> None:
    """Replace the description in a directory, atomically; its copy first, so that this is never the older one."""
    description = {**description, "checksum": checksum(description)}
    text = json.dumps(description, indent=2, ensure_ascii=False)
    for name in (COPY, DESCRIPTION):
        with storage_errors(path / name):
            write_durably(path / name, f"{text}\n".encode())


def renew_copy(path: Path, description: Mapping[str, Any]) -> None:
    """Write the copy anew if it differs from a description that is whole; a disk that is full is no reason to stop."""
    if is_whole(description) and read_copy(path) != description:
        with suppress(StorageError), storage_errors(path / COPY):
            write_durably(path / COPY, (path / DESCRIPTION).read_bytes())


def read_copy(path: Path) -> dict[str, Any] | None:
    """What the copy says, if it is whole."""
    try:
        found = json.loads((path / COPY).read_bytes())
    except (OSError, ValueError, RecursionError):
        return None
    return found if isinstance(found, dict) and is_whole(found) else None


def whole_description(path: Path) -> dict[str, Any]:
    """The description in the current format, from its copy if the file itself is damaged."""
    try:
        description = migrate(path, read_description(path), write=False)
        if is_whole(description):
            return description
    except DragomanError:  # also one of a format that there is not
        description = {}
    copy = read_copy(path)
    if copy is not None:
        return migrate(path, copy, write=False)
    return description or migrate(path, read_description(path), write=False)


def is_whole(description: Mapping[str, Any]) -> bool:
    """Whether a description is what was written; those of early versions have no checksum."""
    return "checksum" in description and description["checksum"] == checksum(description)


def checksum(description: Mapping[str, Any]) -> str:
    """A checksum of what a description says, for `integrity`; opening a project does not mind an edited one."""
    said = {name: value for name, value in description.items() if name != "checksum"}
    return hashlib.sha256(json.dumps(said, sort_keys=True).encode()).hexdigest()


def read_description(path: Path) -> dict[str, Any]:
    """The description in a directory, of whatever format."""
    file = path / DESCRIPTION
    try:
        with reading_errors(file):
            description = json.loads(file.read_bytes())
    except StorageError as error:
        if isinstance(error.__cause__, FileNotFoundError | NotADirectoryError):
            raise BadInputError("is not a dragoman project", where=path, remedy="create one") from None
        raise
    except (ValueError, RecursionError):
        raise _damaged("not valid JSON", path) from None
    if not isinstance(description, dict) or type(description.get("format")) is not int:
        raise _damaged("does not state its format", path)
    return description


def _damaged(what: str, path: Path) -> DamagedFileError:
    return DamagedFileError(what, where=path / DESCRIPTION, remedy="restore it from a copy")


def migrate(path: Path, description: dict[str, Any], *, write: bool) -> dict[str, Any]:
    """The description in the current format; a project opened for writing is upgraded step by step."""
    found: int = description["format"]
    if found > FORMAT:
        what = f"has format {found}, but this version of dragoman reads formats up to {FORMAT}"
        raise BadInputError(what, where=path, remedy="install a newer dragoman")
    if found < FORMAT and found not in MIGRATIONS:
        raise _damaged(f"has format {found}, which never existed", path)
    if found < FORMAT and not write and all(step in READABLE for step in range(found, FORMAT)):
        _check_fields(path, description)
        return description | {"format": FORMAT}
    if found < FORMAT and not write:
        remedy = "open it for writing once to upgrade it"
        raise BadInputError(f"has the old format {found}; the current one is {FORMAT}", where=path, remedy=remedy)
    for step in range(found, FORMAT):
        description = MIGRATIONS[step](path, description) | {"format": step + 1}
        write_description(path, description)
    _check_fields(path, description)
    return description


def _check_fields(path: Path, description: Mapping[str, Any]) -> None:
    """Refuse a description that lacks something, or has something that cannot be right."""
    missing = ", ".join(sorted(FIELDS.keys() - description.keys()))
    if missing:
        raise _damaged(f"lacks {missing}", path)
    odd = [name for name, kinds in FIELDS.items() if not isinstance(description[name], kinds)]
    base = description["base"]
    if not odd and base is not None and not all(isinstance(base.get(name), str) for name in ("path", "checksum")):
        odd = ["base"]
    if not odd:
        odd = [name for name in ("source", "target") if not re.fullmatch(LANGUAGE, description[name])]
    if odd:
        raise _damaged(f"has an invalid {odd[0]}", path)
