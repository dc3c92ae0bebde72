"""Corpora for experiments: a folder with one subfolder per corpus, named like `pydocs-en-es`, languages last.

Each holds `train`, `dev` and `test` where available, as `train.en.gz` and `train.es.gz` (or without `.gz`), one
segment per line. Experiments see lowercased tokens separated by spaces, as in the papers; those over another engine see
the text as it is, with the engine's translations: `pydocs-en-es.test.nmt.es.gz` in the subfolder `recorded`, or in
`engines/recorded` beside the folder of corpora, has a line for each line of that engine's source.
"""

from __future__ import annotations

import hashlib
from functools import lru_cache
from itertools import islice
from pathlib import Path
from typing import NamedTuple

from dragoman.errors import BadInputError
from dragoman.models.alignment_kernels import MAX_SENTENCE_WORDS
from dragoman.text.text_files import lines, pairs
from dragoman.text.tokens import has_words, split
from dragoman_laboratory.experiment import Text

Pair = tuple[str, str]


class Segment(NamedTuple):
    """A source, its reference, and what another engine says."""

    source: str
    reference: str
    upstream: str


class Corpora:
    """A folder of corpora."""

    def __init__(self, folder: Path) -> None:
        if not folder.is_dir():
            raise BadInputError("no such corpus folder", where=folder, remedy="name one with --data")
        self.folder = folder
        self._raw = lru_cache(maxsize=4)(self._read)
        self.pairs = lru_cache(maxsize=8)(self._tokenised)

    def has(self, text: Text) -> bool:
        """Whether both sides of the text exist, and what the engine says, if it belongs to the text."""
        return all(path.exists() for path in (*self._paths(text), *self._recorded(text)))

    def digest(self, text: Text) -> str:
        """A digest of the words of a text, whether or not its files are compressed."""
        checksum = hashlib.sha256()
        for segment in self.segments(text) if text.engine else self._raw(text):
            checksum.update("".join(f"{each}\n" for each in segment).encode())
        return checksum.hexdigest()

    def segments(self, text: Text) -> list[Segment]:
        """The first segments as they are written, with what the text's engine says; those without words left out."""
        sides = [lines(path) for path in (*self._paths(text), *self._recorded(text))]
        rows = map(Segment._make, islice(zip(*sides, strict=False), text.size))
        kept = [row for row in rows if has_words(row.source) and has_words(row.reference)]
        if not kept:
            raise BadInputError(f"{text} has no segments", where=self.folder)
        return kept

    def _paths(self, text: Text) -> list[Path]:
        folder = self.folder / text.corpus
        return [_present(folder / f"{text.part}.{language}") for language in text.languages]

    def _recorded(self, text: Text) -> list[Path]:
        """The file of what the text's engine says, if it has one."""
        if text.engine is None:
            return []
        name = f"{text.corpus}.{text.part}.{text.engine}.{text.languages[1]}"
        folders = self.folder / "recorded", self.folder.absolute().parent / "engines" / "recorded"
        found = [_present(folder / name) for folder in folders]
        return [next((path for path in found if path.exists()), found[0])]

    def _read(self, text: Text) -> list[Pair]:
        """The first pairs that have words on both sides."""
        kept: list[Pair] = []
        for source, target in pairs(*self._paths(text)):
            if len(kept) == text.size:
                break
            if has_words(source) and has_words(target):
                kept.append((source, target))
        if not kept:
            raise BadInputError(f"{text} has no segments", where=self.folder)
        return kept

    def _tokenised(self, text: Text) -> list[Pair]:
        """The pairs as lowercased tokens separated by spaces, without those too long to learn."""
        tokenised = [(_tokens(source), _tokens(target)) for source, target in self._raw(text)]
        kept = [pair for pair in tokenised if all(len(side.split(" ")) <= MAX_SENTENCE_WORDS for side in pair)]
        if not kept:
            raise BadInputError(f"{text} has no segments of at most {MAX_SENTENCE_WORDS} words", where=self.folder)
        return kept


def _present(path: Path) -> Path:
    """The file, or that with `.gz` if there is none."""
    return path if path.exists() else path.with_name(f"{path.name}.gz")


def _tokens(text: str) -> str:
    return " ".join(split(text.lower()).words)
