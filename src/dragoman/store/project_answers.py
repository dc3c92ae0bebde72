"""The answers of a project: in the journal's database, and in a file of those who may not write that.

Everybody reads both, the journal's first, so that all who ask get the same answer.

>>> from dragoman.store import Project
>>> from pathlib import Path; from tempfile import TemporaryDirectory
>>> directory = TemporaryDirectory()
>>> path = Path(directory.name, "manual")
>>> Project.create(path, {}, source="en", target="es").close()
>>> with Project.open(path) as reader:
...     reader.answers.keep("ct2:nmt", "1", [AnswerEntry("Open the file.", "", '["Abra el archivo."]')])
>>> with Project.open(path, write=True) as writer:
...     [kept.answer for kept in writer.answers.find("ct2:nmt", [("Open the file.", "")])]
['["Abra el archivo."]']
>>> directory.cleanup()
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from operator import attrgetter
from pathlib import Path

from dragoman.store.answer_file import AnswerFile
from dragoman.store.answers import AnswerEntry, Answers, KeptAnswer, Spent, Summary
from dragoman.store.journal import Journal


class ProjectAnswers:
    """All answers that are kept for a project; safe to use from threads."""

    def __init__(self, project: Path, journal: Journal, source: str, target: str) -> None:
        self._file = AnswerFile(project)
        self._shared, self._own = Answers(journal, source, target), Answers(self._file, source, target)

    def find(
        self, engine: str, wanted: Sequence[tuple[str, str]], version: str | None = None, *, any_terms: bool = False
    ) -> list[KeptAnswer | None]:
        """For each text, with its terms, the answer of this version, or the newest of any; see `Answers.find`."""
        found = self._shared.find(engine, wanted, version, any_terms=any_terms)
        if not self._file.exists or (version is not None and None not in found):
            return found
        own = self._own.find(engine, wanted, version, any_terms=any_terms)
        return [_newer(*pair) for pair in zip(found, own, strict=True)]

    def keep(self, engine: str, version: str, entries: Iterable[AnswerEntry]) -> None:
        """Keep answers, all of them or none, in the place of older ones."""
        self._ours.keep(engine, version, entries)

    def spend(
        self,
        engine: str,
        requests: int,
        characters: int,
        *,
        most_requests: int | None = None,
        most_characters: int | None = None,
    ) -> bool:
        """Count what is about to be sent; False, and nothing is counted, if that would exceed the limit of the day."""
        before = self._others.spent(engine) if self._others else Spent(0, 0)
        return self._ours.spend(
            engine,
            requests,
            characters,
            most_requests=None if most_requests is None else most_requests - before.requests,
            most_characters=None if most_characters is None else most_characters - before.characters,
        )

    def spent(self, engine: str) -> Spent:
        """What an engine was sent today, by all."""
        each = [answers.spent(engine) for answers in self._readable]
        return Spent(sum(one.requests for one in each), sum(one.characters for one in each))

    def summaries(self) -> list[Summary]:
        """What is kept, by engine, version and languages, the newest first."""
        found: dict[tuple[str, ...], Summary] = {}
        for each in (one for answers in self._readable for one in answers.summaries()):
            other = found.get(each[:4])
            number, newest = (other.number, other.newest) if other else (0, "")
            found[each[:4]] = each._replace(number=number + each.number, newest=max(newest, each.newest))
        return sorted(found.values(), key=lambda one: one.newest, reverse=True)

    def entries(self, engine: str | None = None) -> Iterator[KeptAnswer]:
        """All answers for our languages, those of the journal first, the oldest first."""
        for answers in self._readable:
            yield from answers.entries(engine)

    def clear(self, engine: str | None = None, version: str | None = None) -> int:
        """Delete the answers for our languages, of one engine or all; how many there were."""
        return sum(answers.clear(engine, version) for answers in self._readable)

    def close(self) -> None:
        """Close the file; the journal is the project's."""
        self._file.close()

    @property
    def _ours(self) -> Answers:
        return self._shared if self._shared.is_writable else self._own

    @property
    def _others(self) -> Answers | None:
        if self._ours is self._own:
            return self._shared
        return self._own if self._file.exists else None

    @property
    def _readable(self) -> list[Answers]:
        return [self._shared, *([self._own] if self._file.exists else [])]


def _newer(one: KeptAnswer | None, other: KeptAnswer | None) -> KeptAnswer | None:
    if one is None or other is None:
        return one or other
    return max(one, other, key=attrgetter("time"))
