"""What Weblate's Webhook add-on reports: strings that people have translated, with their plural forms.

An edit of a string that we have learned before revises what was learned; one that is emptied or needs editing again is
forgotten. Each delivery counts once, by its id, and one
that arrives after a newer edit of the same string is left out.
"""

from __future__ import annotations

from collections import Counter
from typing import Any, NamedTuple
from urllib.parse import urlsplit

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
    "suggestion added",
    "suggestion removed",
    "suggestion removed during cleanup",
    "saving string failed",
    "bulk status changed",
    "explanation updated",
    "source string changed",
    "source string added",
    "extra flags updated",
}

# Events after which a string counts as not translated
REOPENED = {"marked for edit", "string removed"}
CHANGED = {"translation changed", "translation reverted"}  # Weblate leaves out a translation that is empty now
LATEST = 10**12  # number of a change
LONGEST_NAME = 200  # characters


class WeblateEdit(NamedTuple):
    """A string, or one of its plural forms, with its new translation."""

    source: str
    target: str  # nothing if it is no longer translated
    old: str | None
    user: str | None
    delivery: Delivery


class Event(NamedTuple):
    """What a delivery says."""

    language: str
    names: tuple[str, ...]  # of what the string is in: component and project, the most particular first
    edits: list[WeblateEdit]


def read_event(sent: dict[str, Any], message: str) -> Event | None:
    """The edits in a delivery; None if it is about something else."""
    source, target = _texts(sent, "source"), _texts(sent, "target")
    language, action = sent.get("translation"), str(sent.get("action", "")).lower()
    emptied = sent.get("target", "" if action in CHANGED else None) == ""
    if source and (action in REOPENED or emptied):
        target = [""] * max(len(target), len(_texts(sent, "old")), 1)
    if not (source and target and isinstance(language, str)):
        return None
    if action in NOT_ACCEPTED:
        return None
    old, version = _texts(sent, "old"), _version(sent.get("change_id"))
    project, component = str(sent.get("project", "")), str(sent.get("component", ""))
    place = _without_host(str(sent.get("url") or "")) or f"{project}/{component}/{language}/{source[0]}"
    who = sent.get("author") or sent.get("user")
    edits = [
        WeblateEdit(
            source[min(form, len(source) - 1)] if len(target) > 1 else source[-1],
            text,
            old[form] if form < len(old) else None,
            _person(who),
            Delivery(f"{message}/{form}", f"weblate {place} {form}", version),
        )
        for form, text in enumerate(text.strip() and text for text in target)
    ]
    return Event(language, (component, f"{project}-{component}", project), edits)


def _without_host(address: str) -> str:
    """An address without its host, so that a string is the same whether a webhook or the API names it."""
    found = urlsplit(address)
    return f"{found.path.lstrip('/')}?{found.query}" if found.query else found.path.lstrip("/")


def _version(number: object) -> int:
    """The number of a change, by which a later one is known; one that no counter reaches would be the last for ever."""
    if not isinstance(number, int) or isinstance(number, bool):
        return 0
    if not 0 <= number <= LATEST:
        raise ApiError(400, "'change_id' is not the number of a change", "send what Weblate's Webhook add-on sends")
    return number


def _person(who: object) -> str | None:
    """Who made a change, as the journal names them: one line, and not a long one."""
    name = "".join(letter if letter.isprintable() else " " for letter in str(who or ""))
    return " ".join(name.split())[:LONGEST_NAME] or None


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


def learn_edits(project: ServedProject, edits: list[WeblateEdit]) -> Counter[str]:
    """Learn what is new; how many were learned, revised, forgotten, known, outdated, flagged or refused."""
    found: Counter[str] = Counter()
    for edit in edits:
        try:
            found[_learn(project, edit)] += 1
        except FlaggedError:
            found["flagged"] += 1
        except BadInputError:  # no words in it, or too many
            found["refused"] += 1
    return found


def _learn(project: ServedProject, edit: WeblateEdit) -> str:
    engine, delivery = project.engine, edit.delivery
    if engine.delivered(delivery.id) is not None:
        return "known"
    before = engine.delivered_from(delivery.place or "")
    if delivery.version and any(each.version > delivery.version for each in before):
        return "outdated"
    current = [each for each in before if each.in_force and each.source == edit.source]
    if not edit.target:
        for each in current:
            engine.forget(each.id, user=edit.user)
            project.documents.detach(each.id)
        return "forgotten" if current else "known"
    if current and current[-1].target == edit.target:
        return "known"
    number = current[-1].id if current else _taught_elsewhere(engine, edit)
    if number is None:
        engine.learn(edit.source, edit.target, user=edit.user, delivery=delivery)
        return "learned"
    new = engine.revise(number, edit.target, user=edit.user, delivery=delivery)
    project.documents.redirect(number, new, edit.target)
    return "revised"


def _taught_elsewhere(engine: Engine, edit: WeblateEdit) -> int | None:
    """The correction with the old text, if it was not made in another string of Weblate."""
    match = engine.exact_match(edit.source) if edit.old else None
    if match is None or (match.source, match.target) != (edit.source, edit.old):
        return None
    return match.id if engine.place_of(match.id) is None else None
