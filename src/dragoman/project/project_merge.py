"""Merge projects: a new one learns what is in force in all of them, each correction once, in the order of their times.

So it is, to the bit, the project that would be if all had worked in one; in which order the projects are named makes no
difference to what was learned. A correction that several have with the same author and time, because one project is a
copy of the other, counts once; if it was forgotten in one of them, it is forgotten.

>>> import tempfile
>>> from dragoman import Engine
>>> directory = tempfile.TemporaryDirectory()
>>> ana, ben, both = (Path(directory.name) / name for name in ("ana", "ben", "both"))
>>> with Engine.create(ana, source="en", target="es") as engine:
...     number = engine.learn("Press the green button.", "Pulse el botón verde.", user="ana")
>>> with Engine.create(ben, source="en", target="es") as engine:
...     number = engine.learn("Clean the lid.", "Limpie la tapa.", user="ben")
>>> merge(Engine, [ana, ben], both).learned
2
>>> with Engine.open(both) as engine:
...     engine.translate("Press the green button.").text
'Pulse el botón verde.'
>>> directory.cleanup()
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from dragoman.errors import BadInputError
from dragoman.progress import Progress
from dragoman.project.project_copy import Copied, create_like, replay, take_answers, take_own_base
from dragoman.project.state import initial_settings
from dragoman.store import Project
from dragoman.store.unfinished import aside, publish

if TYPE_CHECKING:
    from dragoman.engine import Engine


@dataclass
class MergedProjects(Copied):
    """What was merged."""

    shared: int = 0  # corrections that were in more than one project
    conflicts: list[str] = field(default_factory=list)  # a line on each term that projects translate differently


class _Event(NamedTuple):
    """A correction, or a change of settings; in the order in which they are applied."""

    time: str
    user: str
    source: str
    target: str
    project: int
    id: int


def merge(
    kind: type[Engine], projects: Sequence[str | Path], new: str | Path, *, progress: Progress | None = None
) -> MergedProjects:
    """Create a project that learns what is in force in several ones, with who corrected and when.

    Languages, tokens and base must be the same. The settings are those of the first; terms that its glossary lacks are
    taken from the others with what holds for them, in the order in which they are named.
    """
    if len(projects) < 2:
        raise BadInputError(
            "one project is nothing to merge", remedy="name two or more, or use `dragoman project copy`"
        )
    if len({Path(each).resolve() for each in projects}) < len(projects):
        raise BadInputError("a project is named twice", remedy="name each project once")
    with ExitStack() as stack:  # so that nobody changes them meanwhile
        stores = [stack.enter_context(Project.open(each, write=True)) for each in projects]
        _check(stores)
        path = Path(new).absolute()
        place = stack.enter_context(aside(path))
        with create_like(kind, place, stores[0]) as engine:
            take_own_base(engine, stores[0])
            merged = _take_all(engine, stores, progress)
            for each, store in zip(projects[1:], stores[1:], strict=True):
                _take_terms(engine, str(each), store, merged)
            for store in stores:
                take_answers(engine, store)
        publish(place, path)
    return merged


def _check(stores: Sequence[Project]) -> None:
    first = stores[0]
    for each in stores[1:]:
        if (each.source, each.target) != (first.source, first.target):
            what = f"translates {each.source} to {each.target}, not {first.source} to {first.target}"
            raise BadInputError(what, where=each.path, remedy="merge projects of the same languages")
        mine, other = initial_settings(first), initial_settings(each)
        for name in ("tokens", "order"):
            if mine[name] != other[name]:
                what = f"has {name} {other[name]}, and {first.path} has {mine[name]}"
                raise BadInputError(what, where=each.path, remedy="merge projects that were created alike")
        if each.base_checksum != first.base_checksum:
            moved, below = (each, first) if first.find_base() else (first, each)
            remedy = f"first make a copy over the same base: dragoman project copy {moved.path} NEW --base {below.path}"
            raise BadInputError(f"is built on another base than {first.path}", where=each.path, remedy=remedy)


def _events(stores: Sequence[Project], merged: MergedProjects) -> Iterator[_Event]:
    """What is to be learned, each once, and the settings of the first project."""
    seen: dict[tuple[str, str, str, str], _Event | None] = {}  # None if it was forgotten somewhere
    for number, store in enumerate(stores):
        for row in store.journal.rows():
            event = _Event(row.time.isoformat(), row.user or "", row.source or "", row.target or "", number, row.id)
            if row.kind == "settings" and number == 0:
                yield event
            elif row.kind == "learn":
                known = seen.get(event[:4])
                merged.shared += event[:4] in seen
                gone = row.forgotten or (event[:4] in seen and known is None)
                seen[event[:4]] = None if gone else known or event
    yield from (event for event in seen.values() if event)


def _take_all(engine: Engine, stores: Sequence[Project], progress: Progress | None) -> MergedProjects:
    """Apply everything in the order of time."""
    merged = MergedProjects()
    events = sorted(_events(stores, merged))
    rows = ((n, stores[event.project].journal.get(event.id)) for n, event in enumerate(events, start=1))
    replay(engine, rows, len(events), merged, progress)
    return merged


def _take_terms(engine: Engine, name: str, store: Project, merged: MergedProjects) -> None:
    """Add the terms that are not there yet, with what else holds for them; what differs is named and left as it is."""
    terms, rules = _last_said(store, "glossary"), _last_said(store, "term_rules")
    own_terms, own_rules = dict(engine.glossary), {term: rule.dump() for term, rule in engine.term_rules.items()}
    differing = {term for term in terms.keys() & own_terms.keys() if terms[term] != own_terms[term]}
    merged.conflicts += [f"{term!r} is {own_terms[term]!r}; {name} has {terms[term]!r}" for term in sorted(differing)]
    for term in sorted(rules.keys() & own_rules.keys()):
        if rules[term] != own_rules[term]:
            merged.conflicts.append(f"what holds for {term!r} is {own_rules[term]}; {name} has {rules[term]}")
    new_terms = {term: said for term, said in terms.items() if term not in own_terms}
    new_rules = {term: rule for term, rule in rules.items() if term not in own_rules and term not in differing}
    if new_terms or new_rules:
        engine.change_terms(new_terms, new_rules)


def _last_said(store: Project, setting: str) -> dict[str, Any]:
    """A setting that is changed entry by entry, as the journal of a project has it in the end."""
    entries: dict[str, Any] = {}
    for row in store.journal.rows():
        if row.kind == "settings":
            entries |= (row.settings or {}).get(setting, {})
    return {name: said for name, said in entries.items() if said is not None}
