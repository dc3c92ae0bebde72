"""The base under a project: found when the project is created, or trained before its first correction."""

from __future__ import annotations

from collections.abc import Iterable
from contextlib import nullcontext
from dataclasses import asdict
from pathlib import Path
from typing import Any, get_args

from dragoman.base_card import read_card
from dragoman.errors import BadInputError
from dragoman.languages import same_language
from dragoman.models.defaults import CURRENT, defaults_of
from dragoman.models.knowledge import Knowledge
from dragoman.models.loglinear import Weights
from dragoman.progress import Progress, bars
from dragoman.project.open_project import OpenProject
from dragoman.store import Project
from dragoman.text.tokens import Mode

ORDER = 5  # of the language model, unless a base has another


def find_base(path: Path, source: str, target: str) -> Path:
    """The directory of a base, or of the base of a project; an error if it is known to have other languages."""
    if not (path / "project.json").exists():
        if card := read_card(path):
            card.check_languages(source, target, path)
        return path
    with Project.open(path) as project:
        found, own = project.find_base(), (project.source, project.target)
    if not all(map(same_language, own, (source, target))):
        what = f"this base translates from {own[0]} to {own[1]}, not from {source} to {target}"
        raise BadInputError(what, where=path, remedy="choose a base for these languages")
    if found is None:
        raise BadInputError("this project has no base", where=path, remedy="train it first")
    return found


def first_settings(base: Path | None, preset: str, tokens: Mode, order: int | None) -> dict[str, Any]:
    """What a new project is described by; refuses what cannot be, before anything is created."""
    if tokens not in get_args(Mode):
        raise BadInputError(f"unknown kind of tokens {tokens!r}", remedy="choose text or words")
    Weights(preset)  # refuses an unknown one
    below = Knowledge.open_base(base) if base else None
    own = Knowledge(below, tokens=tokens, order=ORDER if order is None else order).models.language.order
    if order not in (own, None):
        raise BadInputError(f"the base was trained with order={own}", remedy=f"create the project with order={own}")
    return {"preset": preset, "tokens": tokens, "order": own, "defaults": CURRENT}


def train(opened: OpenProject, pairs: Iterable[tuple[str, str]], *, progress: bool | Progress | None = None) -> int:
    """Train a base from pairs of texts, before the first correction; see `Engine.train`."""
    opened.check_writable()
    _check_untaught(opened)
    settings = opened.store.settings
    choices = {"tokens": settings["tokens"], "order": settings["order"], **asdict(defaults_of(settings))}
    base = Knowledge(**choices)
    with bars() if progress is True else nullcontext(progress or None) as report:
        learned = base.train(pairs, progress=report)
    with opened.writing():
        _check_untaught(opened)
        base.save(opened.store.own_base)
        with opened.undoing():
            opened.store.set_base(opened.store.own_base)
            opened.restore()
    return learned


def _check_untaught(opened: OpenProject) -> None:
    if opened.store.find_base() or opened.store.journal.history(limit=1):
        remedy = "create a new project and train it first"
        raise BadInputError("this project has already learned something", where=opened.store.path, remedy=remedy)
