"""Keys of services: read from the environment or a file, shown to nobody.

>>> key = Key("not-for-you")
>>> key, str(key), f"{key}"
(<key>, '<key>', '<key>')
>>> key.redact("401: the key not-for-you is unknown")
'401: the key <key> is unknown'
"""

from __future__ import annotations

import os
from pathlib import Path

from dragoman.errors import BadInputError
from dragoman.upstream.contract import EngineName


class Key:
    """A secret that does not show itself when printed, formatted, compared or pickled."""

    __slots__ = ("_value",)

    def __init__(self, value: str = "") -> None:
        self._value = value

    def __bool__(self) -> bool:
        return bool(self._value)

    def __repr__(self) -> str:
        return "<key>" if self._value else "<no key>"

    def __reduce__(self) -> str:
        raise TypeError("a key is not written anywhere")

    def reveal(self) -> str:
        """The secret itself, for the request and nothing else."""
        return self._value

    def redact(self, text: str) -> str:
        """A text without the secret."""
        return text.replace(self._value, "<key>") if self._value else text


def find_key(place: EngineName, variable: str, *, is_needed: bool = False) -> Key:
    """The key of a service: from the file that `key-file` names, or a variable, that of `key-env` or the usual one."""
    variable = place.options.get("key-env", variable)
    file = place.options.get("key-file")
    value = _read(Path(file).expanduser()) if file else os.environ.get(variable, "").strip()
    if not value and (is_needed or file or "key-env" in place.options):
        remedy = f"set the environment variable {variable}, or name a file with #key-file=…"
        raise BadInputError(f"engine {place.kind!r} has no key", remedy=remedy)
    if not value.isascii() or any(map(str.isspace, value)):
        what = f"the key of engine {place.kind!r} holds spaces, line breaks or letters that no key has"
        raise BadInputError(what, remedy="store the key alone")
    return Key(value)


def _read(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8").strip()
    except (OSError, UnicodeDecodeError) as error:
        reason = getattr(error, "strerror", None) or "is not text"
        raise BadInputError(f"the key cannot be read: {reason}", where=path, remedy="check #key-file") from None
