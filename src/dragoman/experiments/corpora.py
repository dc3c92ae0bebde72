"""Corpora for experiments: a folder with one subfolder per corpus, named like `pydocs-en-es`, languages last.

Each holds `train`, `dev` and `test` where available, as `train.en.gz` and `train.es.gz` (or without `.gz`), one
segment per line. Experiments see lowercased tokens separated by spaces, as in the papers.
"""

from __future__ import annotations

import hashlib
from functools import lru_cache
from pathlib import Path

from dragoman.errors import BadInputError
from dragoman.experiments.experiment import Text
from dragoman.models.alignment_kernels import MAX_SENTENCE_WORDS
from dragoman.text.reading import pairs
from dragoman.text.tokens import has_words, split

Pair = tuple[str, str]


class Corpora:
    """A folder of corpora."""

    def __init__(self, folder: Path) -> None:
        if not folder.is_dir():
            raise BadInputError("no such corpus folder", where=folder, remedy="name one with --data")
        self.folder = folder
        self._raw = lru_cache(maxsize=4)(self._read)
        self.pairs = lru_cache(maxsize=8)(self._tokenised)

    def has(self, text: Text) -> bool:
        """Whether both sides of the text exist."""
        return all(path.exists() for path in self._paths(text))

    def digest(self, text: Text) -> str:
        """A digest of the words of a text, whether or not its files are compressed."""
        checksum = hashlib.sha256()
        for source, target in self._raw(text):
            checksum.update(f"{source}\n{target}\n".encode())
        return checksum.hexdigest()

    def _paths(self, text: Text) -> list[Path]:
        plain = [self.folder / text.corpus / f"{text.part}.{language}" for language in text.languages]
        return [path if path.exists() else path.with_name(f"{path.name}.gz") for path in plain]

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


def _tokens(text: str) -> str:
    return " ".join(split(text.lower()).words)
