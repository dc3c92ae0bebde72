"""Save what is whole of a damaged project: a new one learns again every correction that is what was written.

>>> import tempfile
>>> from dragoman import Engine
>>> directory = tempfile.TemporaryDirectory()
>>> old, new = f"{directory.name}/old", f"{directory.name}/new"
>>> with Engine.create(old, source="en", target="es") as engine:
...     number = engine.learn("Press the green button.", "Pulse el botón verde.", user="ana")
>>> repair(Engine, Path(old), Path(new)).learned
{1: 1}
>>> directory.cleanup()
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from dragoman.errors import BadInputError, DamagedFileError, DragomanError, StorageError
from dragoman.files import open_arrays
from dragoman.progress import Progress
from dragoman.project.kept_beside import keep_beside
from dragoman.project.project_copy import learn_again, take_base
from dragoman.store import Row
from dragoman.store.description import whole_description
from dragoman.store.integrity import Damage, Unchecked, check_file, copied, find_lost_end, row_of, whole_rows
from dragoman.store.lock import WriterLock
from dragoman.store.unfinished import aside, publish

if TYPE_CHECKING:
    from dragoman.engine import Engine


@dataclass
class Repaired:
    """What was saved, and what was not."""

    learned: dict[int, int] = field(default_factory=dict)  # id of each correction in the new journal, by the old one
    settings: int = 0  # changes of settings
    lost: list[str] = field(default_factory=list)  # a line on each thing that is not whole, or could not be learned
    unchecked: list[str] = field(default_factory=list)  # a line on each row that was saved, but may not be whole


def repair(
    kind: type[Engine],
    old: Path,
    new: Path,
    *,
    base: Path | None = None,
    also: Callable[[Path, Repaired], None] | None = None,
    progress: Progress | None = None,
) -> Repaired:
    """Create a project with all corrections and settings of an old one that are whole; the old one is not changed.

    It uses `base`, or else the base of the old project. `also` is called with the unpublished directory of the new one.
    """
    description = whole_description(old)
    if "://" in description["journal"]:
        remedy = "restore the database from its own backup, or use `dragoman project copy`"
        raise BadInputError("the journal is in a database of its own", where=old, remedy=remedy)
    first, beneath = description["settings"], description["base"]
    below = base or (None if beneath is None else (old / beneath["path"]).absolute())
    is_inside = below is not None and base is None and below.is_relative_to(old.absolute())
    if below is not None and base is None:
        _check_base(below)
    repaired = Repaired()
    with _alone(old), aside(new.absolute()) as place:
        engine = kind.create(
            place,
            source=description["source"],
            target=description["target"],
            preset=first["preset"],
            tokens=first["tokens"],
            order=first["order"] if base is None else None,
            base=None if is_inside else below,
            unfinished=True,
        )
        with engine, copied(old / description["journal"], place.parent) as copy:
            if is_inside and below is not None:
                take_base(engine, below)
            _take_rows(engine, copy, repaired, progress)
            repaired.lost += map(str, keep_beside(engine, old, copy, repaired.learned))
        if also is not None:
            also(place, repaired)
        publish(place, new.absolute())
    return repaired


def _check_base(base: Path) -> None:
    try:
        open_arrays(base, verify=True)
    except DragomanError as error:
        remedy = "give a whole one with `--base`: from a backup, or trained again"
        raise DamagedFileError(f"the base is damaged: {error.what}", where=base, remedy=remedy) from error


@contextmanager
def _alone(old: Path) -> Iterator[None]:
    """Refuse to go on while somebody writes the project: what is learned meanwhile would be lost."""
    try:
        lock = WriterLock(old / "lock")
    except StorageError:  # nobody can write here
        yield
        return
    try:
        yield
    finally:
        lock.release()


def _take_rows(engine: Engine, journal: Path, repaired: Repaired, progress: Progress | None) -> None:
    known, forgotten, there = _survey(whole_rows(journal))
    for n, each in enumerate(whole_rows(journal), start=1):
        if isinstance(each, Damage):
            repaired.lost.append(str(each))
        else:
            row = row_of(each)
            # A mark repeats what a later row says; it counts if that row is lost
            is_forgotten = row.id in forgotten or (row.forgotten and row.forgotten_by not in known)
            try:
                _take(engine, row, repaired, is_forgotten=is_forgotten)
                if isinstance(each, Unchecked):
                    repaired.unchecked.append(f"row {row.id} could not be checked: the row before it is not whole")
            except DragomanError as error:
                repaired.lost.append(f"row {row.id}: {error.what}")
        if progress:
            progress("learning", n, there)
    repaired.lost += map(str, find_lost_end(journal))
    if not known:
        repaired.lost += map(str, check_file(journal))


def _survey(rows: Iterator[Row | Damage | Unchecked]) -> tuple[set[int], set[int], int]:
    """Which rows there are, which corrections they forget, and the number of all."""
    known, forgotten, there = set[int](), set[int](), 0
    for each in rows:
        there += 1
        if not isinstance(each, Damage):
            row = row_of(each)
            known.add(row.id)
            if row.kind == "forget" and row.refers_to is not None:
                forgotten.add(row.refers_to)
    return known, forgotten, there


def _take(engine: Engine, row: Row, repaired: Repaired, *, is_forgotten: bool) -> None:
    if row.kind == "settings":
        engine.change_settings(row.settings or {})
        repaired.settings += 1
    elif row.kind == "learn" and not is_forgotten:
        repaired.learned[row.id] = learn_again(engine, row)
