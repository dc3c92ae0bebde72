"""What Weblate's Webhook add-on reports: strings that people have translated, with their plural forms.

An edit of a string that we have learned before revises what was learned. Each delivery counts once, by its id, and one
that arrives after a newer edit of the same string is left out.
"""

from __future__ import annotations

from collections import Counter
from typing import Any, NamedTuple

from dragoman.engine import Engine
from dragoman.errors import BadInputError
from dragoman.languages import same_language
from dragoman.project.guard import FlaggedError
from dragoman.server.api_errors import ApiError
from dragoman.server.registry import ServedProject
from dragoman.store import Delivery

# Events with a text that no person has accepted as a translation; the names are those of an English Weblate.
NOT_ACCEPTED = {
    "automatically translated",
    "comment added",
    "marked for edit",
    "suggestion added",
    "suggestion removed",
    "suggestion removed during cleanup",
    "saving string failed",
    "bulk status changed",
    "string removed",
    "explanation updated",
    "source string changed",
    "source string added",
    "extra flags updated",
}


class Edit(NamedTuple):
    """A string, or one of its plural forms, with its new translation."""

    source: str
    target: str
    old: str | None
    user: str | None
    delivery: Delivery


class Event(NamedTuple):
    """What a delivery says."""

    language: str
    names: tuple[str, ...]  # of what the string is in: component and project, the most particular first
    edits: list[Edit]


def read_event(sent: dict[str, Any], message: str) -> Event | None:
    """The edits in a delivery; None if it is about something else."""
    source, target = _texts(sent, "source"), _texts(sent, "target")
    language = sent.get("translation")
    if not (source and target and isinstance(language, str)):
        return None
    if str(sent.get("action", "")).lower() in NOT_ACCEPTED:
        return None
    old, version = _texts(sent, "old"), sent.get("change_id")
    project, component = str(sent.get("project", "")), str(sent.get("component", ""))
    place = str(sent.get("url") or f"{project}/{component}/{language}/{source[0]}")
    who = sent.get("author") or sent.get("user")
    edits = [
        Edit(
            source[min(form, len(source) - 1)] if len(target) > 1 else source[-1],
            text,
            old[form] if form < len(old) else None,
            str(who) if who else None,
            Delivery(f"{message}/{form}", f"weblate {place} {form}", version if isinstance(version, int) else 0),
        )
        for form, text in enumerate(target)
        if text.strip()
    ]
    return Event(language, (component, f"{project}-{component}", project), edits)


def _texts(sent: dict[str, Any], name: str) -> list[str]:
    value = sent.get(name) or []
    texts = [value] if isinstance(value, str) else value
    if not (isinstance(texts, list) and all(isinstance(text, str) for text in texts)):
        raise ApiError(400, f"{name!r} must be a list of strings", "send what Weblate's Webhook add-on sends")
    return texts


def choose(event: Event, projects: list[ServedProject]) -> ServedProject | None:
    """The project that an event is for: of those with its language, the one of the same name, or else the first."""
    fitting = [project for project in projects if same_language(project.target, event.language)]
    named = (project for name in event.names for project in fitting if project.name == name.lower())
    return next(named, fitting[0] if fitting else None)


def learn_edits(project: ServedProject, edits: list[Edit]) -> Counter[str]:
    """Learn what is new; how many were learned, revised, known, outdated, flagged or refused."""
    found: Counter[str] = Counter()
    for edit in edits:
        try:
            found[_learn(project, edit)] += 1
        except FlaggedError:
            found["flagged"] += 1
        except BadInputError:  # no words in it, or too many
            found["refused"] += 1
    return found


def _learn(project: ServedProject, edit: Edit) -> str:
    engine, delivery = project.engine, edit.delivery
    if engine.delivered(delivery.id) is not None:
        return "known"
    before = engine.delivered_from(delivery.place or "")
    if delivery.version and any(each.version > delivery.version for each in before):
        return "outdated"
    current = [each for each in before if each.in_force and each.source == edit.source]
    if current and current[-1].target == edit.target:
        return "known"
    number = current[-1].id if current else _taught_elsewhere(engine, edit)
    if number is None:
        engine.learn(edit.source, edit.target, user=edit.user, delivery=delivery)
        return "learned"
    new = engine.revise(number, edit.target, user=edit.user, delivery=delivery)
    project.documents.redirect(number, new, edit.target)
    return "revised"


def _taught_elsewhere(engine: Engine, edit: Edit) -> int | None:
    """The correction with the old text, if it was not made in another string of Weblate."""
    match = engine.exact_match(edit.source) if edit.old else None
    if match is None or (match.source, match.target) != (edit.source, edit.old):
        return None
    return match.id if engine.place_of(match.id) is None else None
