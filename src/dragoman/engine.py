"""The loop: translate, a person corrects, learn. Everything else is in the rooms that this file calls.

    text ─ source side ─ words ─ decoder (models, weights) ─ words ─ target side ─ text     (translate: changes nothing)
    correction ─ models, both sides ─ journal on disk ─ acknowledged                         (learn)

>>> import tempfile
>>> directory = tempfile.TemporaryDirectory()
>>> engine = Engine.create(f"{directory.name}/manual", source="en", target="es")
>>> number = engine.learn("Press the green button.", "Pulse el botón verde.")
>>> engine.translate("Press the green button.").text
'Pulse el botón verde.'
>>> engine.forget(number)
>>> engine.close(); directory.cleanup()
"""

from __future__ import annotations

import threading
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Self

from dragoman.errors import BadInputError, DamagedFileError
from dragoman.locks import ReadWriteLock
from dragoman.models.knowledge import Knowledge
from dragoman.models.loglinear import Weights
from dragoman.models.modelset import Contribution, Progress
from dragoman.search.decoder import Decoder, Hypothesis
from dragoman.store import Project, Row
from dragoman.text.side import Mode
from dragoman.types import Sentence, Translation

PRESET = "full"
SNAPSHOT_EVERY = 500  # corrections


class Engine:
    """An open project: what it has learned, and the journal that all of it can be computed from again."""

    def __init__(self, project: Project, *, write: bool) -> None:
        self.project = project
        self.warnings: list[str] = []  # what was found on opening that people should know
        self._write = write
        self._lock = ReadWriteLock()
        self._snapshot_thread: threading.Thread | None = None
        self._restore()

    @classmethod
    def create(
        cls,
        path: str | Path,
        *,
        source: str,
        target: str,
        preset: str = PRESET,
        tokens: Mode = "text",
        order: int = 5,
        base: str | Path | None = None,
        journal: str | None = None,
    ) -> Self:
        """Make a new project in a directory and open it; with the directory of a trained base it stands on that."""
        Weights(preset)  # refuses an unknown one before anything is made
        settings = {"preset": preset, "tokens": tokens, "order": order}
        return cls(Project.create(path, settings, source=source, target=target, journal=journal, base=base), write=True)

    @classmethod
    def open(cls, path: str | Path, *, write: bool = True) -> Self:
        """Open a project; only one process at a time may have it open for writing, any number for reading."""
        return cls(Project.open(path, write=write), write=write)

    def _restore(self) -> None:
        """The state: the newest good snapshot, and the rows of the journal after it."""
        settings, directory = self.project.settings, self.project.find_base()
        self._base = None if directory is None else Knowledge.open(directory)
        self._weights = Weights(settings["preset"])
        snapshot, warnings = self.project.newest_snapshot()
        self.warnings += warnings
        self._revision = 0  # id of the last row of the journal that is in the state
        if snapshot is None:
            self._knowledge = Knowledge(self._base, tokens=settings["tokens"], order=settings["order"])
        else:
            self._knowledge = Knowledge.from_arrays(snapshot.arrays, self._base, tokens=settings["tokens"])
            self._weights.update(snapshot.about["weights"])
            self._revision = snapshot.id
        self._saved = self._revision
        for row in self.project.journal.rows(after=self._revision):
            self._fold(row)

    def _fold(self, row: Row) -> None:
        """Bring the state from one row of the journal to the next."""
        if row.kind == "learn":
            self._knowledge.relearn(*_texts(row), _contribution(row))
        elif row.kind == "forget":
            self._take_back(self.project.journal.get(int(row.refers_to or 0)))
        elif row.kind == "settings":
            self._weights.update((row.settings or {}).get("weights", {}))
        self._revision = row.id

    def _take_back(self, row: Row) -> None:
        if row.kind == "learn":  # a flagged one was never learned
            self._knowledge.forget(*_texts(row), _contribution(row))

    def train(self, pairs: Iterable[tuple[str, str]], *, progress: Progress | None = None) -> int:
        """Train a base from pairs of texts; only before the first correction. Returns how many pairs it has learned."""
        self._check_writable()
        with self._lock.writing():
            if self._revision or self._base:
                remedy = "create a new project and train it first"
                raise BadInputError("this project has learned already", where=self.project.path, remedy=remedy)
            settings = self.project.settings
            base = Knowledge(tokens=settings["tokens"], order=settings["order"])
            learned = base.train(pairs, progress=progress)
            base.save(self.project.path / "base")
            self.project.set_base(self.project.path / "base")
            self._restore()
        return learned

    def translate(self, text: str, *, n: int = 1) -> Translation:
        """Translate a text; with n > 1 the n best translations, all different, are in `.nbest`. Changes nothing."""
        with self._lock.reading():
            source = self._knowledge.source.read(text)
            if not len(source):
                return Translation(text, 0.0, dict.fromkeys(self._weights, 0.0), [], source, source)
            words = self._knowledge.source.model_words(source)
            found = Decoder(self._knowledge.models, self._weights).search(words, source.placeable)
            if n == 1:
                return self._finish(source, words, found.best)
            ranked = [self._finish(source, words, hypothesis) for hypothesis in found.nbest(n, distinct=True)]
        return replace(ranked[0], nbest=tuple(ranked))

    def _finish(self, source: Sentence, words: Sequence[str], hypothesis: Hypothesis) -> Translation:
        """A hypothesis as text, spaced at the ends as the source is."""
        fixed = {word for word, placeable in zip(source.words, source.placeable, strict=True) if placeable}
        target = self._knowledge.target.write(hypothesis.words, source, [word in fixed for word in hypothesis.words])
        gaps = (source.gaps[0], *target.gaps[1:-1], source.gaps[-1])
        target = Sentence(target.words, gaps, target.placeable)
        alignment = self._align(words, hypothesis)
        return Translation(target.text, hypothesis.score, hypothesis.features, alignment, source, target)

    def _align(self, words: Sequence[str], hypothesis: Hypothesis) -> list[tuple[int, int]]:
        """Links between source and target tokens, each within one phrase."""
        models, links, at = self._knowledge.models, [], 0
        for step in hypothesis.steps:
            source = models.source.ids(words[slice(*step.source)])
            inside = models.align(source, models.target.ids(step.words))
            links += [(step.source[0] + int(j), at + int(i)) for j, i in inside]
            at += len(step.words)
        return sorted(links)

    def learn(self, source: str, target: str, *, user: str | None = None) -> int:
        """Learn a correction; when this returns its id, it is safe on disk and in the models."""
        self._check_writable()
        with self._lock.writing():
            contribution = self._knowledge.learn(source, target)
            with self._restoring():
                number = self.project.journal.append_learn(
                    source, target, contribution=contribution.to_bytes(), user=user
                )
            self._revision = number
        self._save_now_and_then()
        return number

    def forget(self, number: int, *, user: str | None = None) -> None:
        """Take back what a correction has contributed, exactly; the journal keeps both."""
        self._check_writable()
        with self._lock.writing():
            row = self.project.journal.get(number)
            self._revision = self.project.journal.append_forget(number, user=user)
            self._take_back(row)
        self._save_now_and_then()

    def revise(self, number: int, target: str, *, user: str | None = None) -> int:
        """Replace the target of a correction: `forget` and `learn` as one; returns the new id."""
        self._check_writable()
        with self._lock.writing():
            row = self.project.journal.get(number)
            if row.source is None or row.forgotten:
                raise BadInputError(f"{number} is not a correction in force", remedy="see the ids in the history")
            self._knowledge.read_pair(row.source, target)  # refuses a bad one before anything changes
            self._take_back(row)
            contribution = self._knowledge.learn(row.source, target)
            with self._restoring():
                self._revision = self.project.journal.append_revise(
                    number, target, contribution=contribution.to_bytes(), user=user
                )
        self._save_now_and_then()
        return self._revision

    @contextmanager
    def _restoring(self) -> Iterator[None]:
        """If the journal cannot be written, what was just learned is not learned: the state is computed anew."""
        try:
            yield
        except BaseException:
            self._restore()
            raise

    @property
    def weights(self) -> dict[str, float]:
        """The weights of the log-linear model by name; assign to set them."""
        return dict(self._weights)

    @weights.setter
    def weights(self, values: Mapping[str, float]) -> None:
        self._check_writable()
        with self._lock.writing():
            changed = Weights(self._weights.preset, dict(self._weights) | dict(values))
            self._revision = self.project.journal.append_settings({"weights": dict(changed)})
            self._weights = changed

    def history(self, limit: int = 50, *, search: str | None = None) -> list[Row]:
        """The newest corrections, learned or forgotten; those with a text in source or target."""
        return self.project.journal.history(limit, search=search)

    def statistics(self) -> dict[str, int]:
        """Sizes of what this project has learned itself, its base not counted."""
        with self._lock.reading():
            return {"corrections": self.project.journal.count} | self._knowledge.models.statistics()

    def save_snapshot(self) -> None:
        """Write the state to disk, so that opening need not replay the corrections so far."""
        with self._lock.reading():
            if self._saved == self._revision:
                return
            revision = self._saved = self._revision
            arrays = {name: array.copy() for name, array in self._knowledge.arrays().items()}
            about = {"weights": dict(self._weights)}
        self.project.save_snapshot(revision, arrays, about)

    def _save_now_and_then(self) -> None:
        thread = self._snapshot_thread
        if self._revision - self._saved >= SNAPSHOT_EVERY and not (thread and thread.is_alive()):
            self._snapshot_thread = threading.Thread(target=self.save_snapshot, daemon=True)
            self._snapshot_thread.start()

    def _check_writable(self) -> None:
        if not self._write:
            raise BadInputError("is open for reading only", where=self.project.path, remedy="open it for writing")

    def close(self) -> None:
        """Save a snapshot and let others write. What was acknowledged is safe with or without this."""
        if self._snapshot_thread:
            self._snapshot_thread.join()
        try:
            if self._write:
                self.save_snapshot()
        finally:
            self.project.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def _texts(row: Row) -> tuple[str, str]:
    if row.source is None or row.target is None:
        raise DamagedFileError(f"row {row.id} of the journal has no texts", remedy="restore the journal from a copy")
    return row.source, row.target


def _contribution(row: Row) -> Contribution:
    if row.contribution is None:
        raise DamagedFileError(f"row {row.id} of the journal has no contribution", remedy="restore it from a copy")
    return Contribution.from_bytes(row.contribution)
