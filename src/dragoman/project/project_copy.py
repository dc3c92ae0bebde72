"""Copy a project: a new one learns the corrections of an old one again, and takes over its settings.

What a project has learned depends on its base and on how texts were split into tokens at the time. With another base,
another journal, or a version of dragoman that splits differently, everything has to be learned again. The journal has
all that is needed for this, and the old project is not changed.

>>> import tempfile
>>> from dragoman import Engine
>>> directory = tempfile.TemporaryDirectory()
>>> old, new = f"{directory.name}/old", f"{directory.name}/new"
>>> with Engine.create(old, source="en", target="es") as engine:
...     number = engine.learn("Press the green button.", "Pulse el botón verde.", user="ana")
>>> Engine.copy(old, new)
Copied(learned=1, settings=0, refused=[])
>>> with Engine.open(new) as engine:
...     [(row.target, row.user) for row in engine.history()]
[('Pulse el botón verde.', 'ana')]
>>> directory.cleanup()
"""

from __future__ import annotations

import shutil
from collections.abc import Iterable
from dataclasses import dataclass, field
from itertools import groupby, islice
from operator import attrgetter
from pathlib import Path
from typing import TYPE_CHECKING

from dragoman.adapt.protocol import Adapter, Unknown
from dragoman.errors import UnlearnableError
from dragoman.files import storage_errors
from dragoman.progress import Progress
from dragoman.project import settings
from dragoman.project.correction_record import answer_in
from dragoman.project.state import initial_settings
from dragoman.store import Project, Row
from dragoman.store.unfinished import aside, publish

ANSWERS = 500  # of other engines, copied at once

if TYPE_CHECKING:
    from dragoman.engine import Engine


@dataclass
class Copied:
    """What was copied."""

    learned: int = 0
    settings: int = 0  # changes of settings
    refused: list[str] = field(default_factory=list)  # a line on each correction or adapter that cannot be copied


def copy(
    kind: type[Engine],
    old: str | Path,
    new: str | Path,
    *,
    base: str | Path | None = None,
    journal: str | None = None,
    progress: Progress | None = None,
) -> Copied:
    """Create a project that learns what is in force in an old one, with who corrected and when.

    It uses `base`, a directory or a URL, or else the base of the old project. A base inside the old project's directory
    is copied, so the old project can be deleted. Flagged and forgotten corrections are not copied; what other engines
    have said is. The new project is there when it is complete; what an interrupted copy has left is removed by the next
    one.
    """
    with Project.open(old, write=True) as project:  # so that nobody changes it meanwhile
        path = Path(new).absolute()
        with aside(path) as place:
            engine = create_like(kind, place, project, base=base, journal=journal)
            try:
                with engine:
                    take_own_base(engine, project, base)
                    copied, last = Copied(), project.journal.last_id
                    replay(engine, ((row.id, row) for row in project.journal.rows()), last, copied, progress)
                    take_answers(engine, project)
                publish(place, path)
            except BaseException:
                if journal:
                    from dragoman.store import Journal

                    Journal.drop(journal)
                if not place.exists():  # it was moved to its path, but could not be finished
                    shutil.rmtree(path, ignore_errors=True)
                raise
        return copied


def create_like(
    kind: type[Engine], place: Path, project: Project, *, base: str | Path | None = None, journal: str | None = None
) -> Engine:
    """An unfinished project with languages, first settings and base of another one, unless that base is inside it."""
    settings, below = initial_settings(project), base or project.find_base()
    return kind.create(
        place,
        source=project.source,
        target=project.target,
        preset=settings["preset"],
        tokens=settings["tokens"],
        order=settings["order"] if base is None else None,
        base=None if below == project.own_base else below,
        journal=journal,
        unfinished=True,
    )


def take_own_base(engine: Engine, project: Project, base: str | Path | None = None) -> None:
    """Copy the base of another project, if that is inside its directory and to be used."""
    if (base or project.find_base()) == project.own_base:
        take_base(engine, project.own_base)


def take_base(engine: Engine, base: Path) -> None:
    """Copy a base into the directory of the new project and use it."""
    own = engine.opened.store.own_base
    with storage_errors(own):
        shutil.copytree(base, own)
    with engine.opened.writing(), engine.opened.undoing():
        engine.opened.store.set_base(own)
        engine.opened.restore()


def replay(
    engine: Engine, rows: Iterable[tuple[int, Row]], total: int, copied: Copied, progress: Progress | None
) -> None:
    """Learn the corrections in force and apply the settings; with each row comes how far that is of the total."""
    for done, row in rows:
        if row.kind == "settings":
            _take_settings(engine, row, copied)
        elif row.kind == "learn" and not row.forgotten:
            _take_correction(engine, row, copied)
        if progress:
            progress("learning", done, total)


def _take_settings(engine: Engine, row: Row, copied: Copied) -> None:
    """Apply a change of settings, but for an adapter whose class is not imported: it could learn nothing here."""
    changes = dict(row.settings or {})
    adapter = changes.get("adapter")
    if adapter and isinstance(Adapter.from_settings(adapter), Unknown):
        del changes["adapter"]
        copied.refused.append(f"settings of row {row.id}: the adapter {adapter['name']!r} is not imported")
    if changes:
        with engine.opened.writing() as state:
            settings.change(engine.opened, state, changes)
        copied.settings += 1


def take_answers(engine: Engine, project: Project) -> None:
    """Keep what other engines have said, so that they need not be asked again, and what they were sent today."""
    from dragoman.store.answers import AnswerEntry  # here, since this loads SQLAlchemy

    old, new = project.answers, engine.opened.store.answers
    for name in dict.fromkeys(each.engine for each in old.summaries()):
        kept = old.entries(name)
        while block := list(islice(kept, ANSWERS)):
            for version, entries in groupby(block, key=attrgetter("version")):
                new.keep(name, version, (AnswerEntry(each.text, each.terms, each.answer) for each in entries))
        if any(spent := old.spent(name)):
            new.spend(name, *spent)


def learn_again(engine: Engine, row: Row) -> int:
    """Learn the correction of a row, with who made it, when, and another engine's answer; the id of the new one."""
    answer = answer_in(row)
    text, name = (answer.text, answer.engine) if answer else (None, None)
    texts, who = (row.source or "", row.target or ""), row.user
    return engine.learn(*texts, user=who, force=True, time=row.time, upstream=text, upstream_name=name)


def _take_correction(engine: Engine, row: Row, copied: Copied) -> None:
    """Learn a correction of another project, with who made it, when, and what another engine had said."""
    try:
        learn_again(engine, row)
        copied.learned += 1
    except UnlearnableError as error:
        copied.refused.append(f"correction {row.id}: {error.what}")
