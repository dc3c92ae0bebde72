"""Learning the pairs of a file, again and again: what is new is learned, what has changed is revised.

What was learned from a file is known by its place in the journal. So importing a file a second time learns nothing, an
edited segment replaces what it said before, and whoever follows a file can forget what has disappeared from it.

1. `plan` compares the pairs of a file with the corrections in force.
2. `carry_out` takes one of the steps; each is one transaction, so after a crash the next plan has only what is missing.

>>> import tempfile
>>> from dragoman import Engine
>>> folder = tempfile.TemporaryDirectory()
>>> with Engine.create(f"{folder.name}/manual", source="en", target="es") as engine:
...     first = import_pairs(engine, [("lid", "tapa"), ("tray", "bandeja")], "memory.tmx")
...     again = import_pairs(engine, [("lid", "tapadera"), ("tray", "bandeja")], "memory.tmx")
>>> first, again
(Counter({'new': 2}), Counter({'known': 1, 'changed': 1}))
>>> folder.cleanup()
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from dragoman.errors import BadInputError
from dragoman.formats.document import Document
from dragoman.progress import bars
from dragoman.project.guard import FlaggedError
from dragoman.store import Delivered, Delivery

if TYPE_CHECKING:
    from dragoman.engine import Engine
    from dragoman.progress import Progress

Pairs = Iterable[tuple[str, str]]


class ImportStep(NamedTuple):
    """Something to learn, to revise or to forget."""

    source: str
    target: str | None  # None: forget
    replaces: int | None  # the correction to revise or to forget
    stays: bool = False  # that correction, because another place has it, too


class Plan(NamedTuple):
    """What importing a file comes to."""

    steps: list[ImportStep]
    counts: Counter[str]  # of pairs that need no step: known, or flagged before
    shared: list[int]  # corrections made elsewhere that this file has, too


def learnable(document: Document, *, translated: bool = False) -> list[tuple[str, str]]:
    """The pairs of a document that people have confirmed; with `translated`, also those that they have not."""
    states = {"confirmed", "translated"} if translated else {"confirmed"}
    return [(one.source, one.target) for one in document.segments if one.target and one.state in states]


def place_of_file(name: str) -> str:
    """The place in the journal for what is learned from a file."""
    return f"file {name}"


def plan(engine: Engine, pairs: Pairs, place: str, *, forget: bool = False) -> Plan:
    """Compare the pairs of a file with what is known; with `forget`, pairs that it no longer has are forgotten."""
    wanted = dict.fromkeys(pairs)
    known = {(source, target): number for number, source, target in engine.memory_texts()}
    own = engine.places.corrections_in(place)
    flagged = {(each.source, each.target) for each in own if each.flagged}
    here = {each.id for each in own}
    outdated: dict[str, list[Delivered]] = {}  # what the file said before, by source
    for each in own:
        if each.in_force and (each.source, each.target) not in wanted:
            outdated.setdefault(each.source, []).append(each)
    counts = Counter[str]()
    steps: list[ImportStep] = []
    for source, target in wanted:
        if (source, target) in known or (source, target) in flagged:
            counts["known" if (source, target) in known else "flagged"] += 1
        else:
            before = outdated.get(source)
            steps.append(_step(engine, place, source, target, before.pop(0).id if before else None))
    if forget:
        steps += [_step(engine, place, each.source, None, each.id) for gone in outdated.values() for each in gone]
    shared = [number for pair, number in known.items() if pair in wanted and number not in here]
    return Plan(steps, counts, shared)


def _step(engine: Engine, place: str, source: str, target: str | None, old: int | None) -> ImportStep:
    return ImportStep(source, target, old, old is not None and engine.places.is_elsewhere(old, place))


def carry_out(engine: Engine, step: ImportStep, place: str, user: str | None = None) -> str:
    """Take a step; what came of it: new, changed, forgotten, left to others, flagged or refused."""
    delivery = Delivery(place=place)
    try:
        if step.stays:
            engine.places.leave(place, int(step.replaces or 0))
            step = step._replace(replaces=None)
            if step.target is None:
                return "left to others"
        if step.target is None:
            engine.forget(int(step.replaces or 0), user=user)
            return "forgotten"
        if step.replaces is None:
            engine.learn(step.source, step.target, user=user, delivery=delivery)
            return "new"
        engine.revise(step.replaces, step.target, user=user, delivery=delivery)
        return "changed"
    except FlaggedError:
        return "flagged"
    except BadInputError:  # cannot be learned, or somebody else has just forgotten it
        return "refused"


def import_pairs(
    engine: Engine,
    pairs: Pairs,
    name: str,
    *,
    forget: bool = False,
    user: str | None = None,
    progress: Progress | None = None,
) -> Counter[str]:
    """Learn the pairs of a file; how many were new, changed, known, forgotten, flagged and refused."""
    place = place_of_file(name)
    steps, counts, shared = plan(engine, pairs, place, forget=forget)
    engine.places.note(place, shared)
    for done, step in enumerate(steps, start=1):
        counts[carry_out(engine, step, place, user)] += 1
        if progress:
            progress("learning", done, len(steps))
    return counts


def learn_files(engine: Engine, pairs: Mapping[Path, list[tuple[str, str]]], user: str | None) -> dict[str, int]:
    """Learn the pairs of some files; how many were learned, known, flagged and refused."""
    counts: Counter[str] = Counter()
    with bars() as report:
        for path, found in pairs.items():
            counts += import_pairs(engine, found, str(path.resolve()), user=user, progress=report)
    learned = counts["new"] + counts["changed"]
    return {"learned": learned} | {name: counts[name] for name in ("new", "changed", "known", "flagged", "refused")}
