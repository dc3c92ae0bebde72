"""`recorded:answers.tsv`: the answers of an engine, in a file; for experiments, and for working without the engine.

A line is source, tab, translation, and if wanted another tab and a score. Several lines with the same source, in the
order of the file, are an n-best list.

>>> engine = Recorded([("Open the file.", "Abra el archivo.", None)])
>>> [answer and answer.text for answer in engine.translate(["Open the file.", "Close the file."], seconds=1)]
['Abra el archivo.', None]
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Self

from dragoman.errors import BadInputError
from dragoman.text.text_files import lines
from dragoman.upstream.contract import Answer, EngineName, Hints, Languages, Scored, Traits
from dragoman.upstream.names import traits

Line = tuple[str, str, float | None]


class Recorded:
    """Answers by their source; all others have none. Nothing is masked, and nothing kept a second time."""

    def __init__(self, recorded: Iterable[Line], name: str = "recorded:", about: Traits | None = None) -> None:
        found: dict[str, list[Scored]] = {}
        digest = hashlib.sha256()
        for source, target, score in recorded:
            found.setdefault(source, []).append(Scored(target, score))
            digest.update(f"{source}\t{target}\t{score}\n".encode())
        self._answers = {
            source: Answer(each[0].text, tuple(each) if len(each) > 1 or each[0].score is not None else ())
            for source, each in found.items()
        }
        self.question = next(iter(self._answers), "")  # one that has an answer, to try the engine out
        self.name = name
        self.version = digest.hexdigest()[:16]
        self.traits = about or Traits(batch=1000, characters=10**9, markings=(), is_recorded=True)

    @classmethod
    def from_place(cls, place: EngineName, languages: Languages) -> Self:
        """The engine that `recorded:` and a path name; the languages are those of whoever recorded it."""
        del languages
        if not Path(place.address).is_file():
            remedy = "write recorded: and the path of a file with source, tab and translation in each line"
            raise BadInputError("no such file", where=place.address or "recorded:", remedy=remedy)
        about = traits(place, batch=1000, characters=10**9, markings=(), is_recorded=True)
        engine = cls(_read(Path(place.address)), place.name, about)
        engine.version = place.options.get("version", engine.version)
        return engine

    def translate(
        self, texts: Sequence[str], *, seconds: float, hints: Sequence[Hints] = (), marked: bool = False
    ) -> list[Answer | None]:
        """What is recorded for each text."""
        del seconds, hints, marked
        return [self._answers.get(text) for text in texts]

    def close(self) -> None:
        """Nothing is open."""


def _read(path: Path) -> Iterator[Line]:
    for number, line in enumerate(lines(path), start=1):
        fields = line.removesuffix("\r").split("\t")
        try:
            source, target, score = fields[0], fields[1], float(fields[2]) if len(fields) > 2 else None
        except (IndexError, ValueError):
            remedy = "write source, tab, translation, and if wanted another tab and a score"
            raise BadInputError("not a recorded answer", where=f"{path}, line {number}", remedy=remedy) from None
        yield source, target, score
