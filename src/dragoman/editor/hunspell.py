"""Spelling by the Hunspell dictionaries that are installed here; where there is none, browsers have their own.

Dictionaries are looked for where systems keep them, and in the folders that the variable DICPATH names, as for Hunspell
itself. One takes a second or two to read, and some 60 MB: the two that were used last are kept.
"""

from __future__ import annotations

import io
import os
import re
import threading
import time
from collections.abc import Iterable
from functools import lru_cache
from pathlib import Path
from typing import Any

from dragoman.errors import BadInputError
from dragoman.extras import load

FOLDERS = ("/usr/share/hunspell", "/usr/share/myspell", "/usr/share/myspell/dicts", "/Library/Spelling")
USUAL = {"en": "en_US", "pt": "pt_PT", "zh": "zh_CN"}  # where a language has more than one dictionary
LONGEST = 40  # letters of a word that is looked up: longer ones take too long, and are no words
SUGGESTED = 5
PATIENCE = 1.5  # seconds after which no further suggestion is waited for
_CODE = re.compile(r"[a-z]{2,3}(?:[_-][a-z0-9]{2,8})*", re.IGNORECASE)
_suggesting = threading.Lock()  # suggestions take up to seconds: one at a time


def find_dictionary(language: str) -> Path | None:
    """The dictionary of a language, without its ending: that of its country if it names one, or the usual one."""
    if not _CODE.fullmatch(language):
        return None
    code = language.replace("-", "_")
    first = code.partition("_")[0].lower()
    there = {path.stem.lower(): path.with_suffix("") for path in _files() if path.with_suffix(".dic").exists()}
    names = [code, USUAL.get(first, f"{first}_{first}"), first]
    found = [there[name.lower()] for name in names if name.lower() in there]
    others = sorted(name for name in there if name.startswith(f"{first}_"))
    return found[0] if found else there[others[0]] if others else None


def _files() -> Iterable[Path]:
    own = os.environ.get("DICPATH", "").split(os.pathsep)
    for folder in (*reversed(FOLDERS), *own):  # one's own come last, and win
        if folder and Path(folder).is_dir():
            yield from Path(folder).glob("*.aff")


class SpellingDictionary:
    """The words of a language; thread-safe."""

    def __init__(self, path: Path) -> None:
        self.name = path.name
        self._words = _read_files(path)

    def find_wrong(self, words: Iterable[str]) -> list[str]:
        """Those of some words that are not in it."""
        return [word for word in words if 1 < len(word) <= LONGEST and not self._words.lookup(word.replace("’", "'"))]

    def suggest(self, word: str) -> list[str]:
        """What could be meant by a word; nothing if that takes too long."""
        found: list[str] = []
        if len(word) > LONGEST or not _suggesting.acquire(timeout=PATIENCE):
            return found
        try:
            end = time.monotonic() + PATIENCE
            for each in self._words.suggest(word):
                found.append(str(each))
                if len(found) == SUGGESTED or time.monotonic() > end:
                    break
        finally:
            _suggesting.release()
        return found


def _read_files(path: Path) -> Any:
    """The dictionary as the library has it, which leaves files open that it reads itself."""
    library, readers = load("spylls.hunspell", "spelling"), load("spylls.hunspell.readers", "spelling")

    class DictionaryReader(load("spylls.hunspell.readers.file_reader", "spelling").FileReader):  # type: ignore[misc]
        def _open(self, path: str, encoding: str) -> io.StringIO:
            return io.StringIO(Path(path).read_bytes().decode(encoding, "surrogateescape"))

    rules, context = readers.read_aff(DictionaryReader(f"{path}.aff"))
    words = readers.read_dic(DictionaryReader(f"{path}.dic", encoding=context.encoding), aff=rules, context=context)
    return library.Dictionary(rules, words)


_opening = threading.Lock()


def open_dictionary(language: str) -> SpellingDictionary | None:
    """The dictionary of a language; None if there is none, or nothing that can read it."""
    path = find_dictionary(language)
    if path is None:
        return None
    try:
        with _opening:  # not read twice
            return _read(path)
    except (BadInputError, OSError, ValueError, LookupError):  # no library, or a file that it cannot read
        return None


@lru_cache(maxsize=2)
def _read(path: Path) -> SpellingDictionary:
    return SpellingDictionary(path)
