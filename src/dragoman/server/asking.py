"""What the compatible interfaces have in common: parameters wherever they stand, and the project for two languages."""

from __future__ import annotations

import json
from functools import partial
from typing import Any

from fastapi import Request

from dragoman.languages import same_language
from dragoman.server.answers import RefusedError
from dragoman.server.keys import Visitor
from dragoman.server.projects import Opened
from dragoman.server.rooms import House, Room
from dragoman.types import Translation

Parameters = dict[str, Any]


async def parameters(request: Request) -> Parameters:
    """The parameters of a request: from its query, and from its body, be that JSON or a form."""
    found: Parameters = dict(request.query_params)
    kind = request.headers.get("content-type", "").partition(";")[0].strip().lower()
    if kind in ("application/x-www-form-urlencoded", "multipart/form-data"):
        async with request.form() as form:
            for name in form:
                values = [value if isinstance(value, str) else await value.read() for value in form.getlist(name)]
                found[name] = values[0] if len(values) == 1 else values
        return found
    body = await request.body()
    if not body:
        return found
    try:
        sent = json.loads(body)
    except (ValueError, RecursionError):
        raise RefusedError(400, "the body is neither JSON nor a form", "send JSON in UTF-8") from None
    if not isinstance(sent, dict):
        raise RefusedError(400, "the body is no JSON object")
    return found | sent


def text_of(given: Parameters, name: str, default: str | None = None) -> str:
    """A parameter that has to be a text."""
    value = given.get(name, default)
    if value is None:
        raise RefusedError(400, f"the parameter {name!r} is missing")
    if not isinstance(value, str):
        raise RefusedError(400, f"the parameter {name!r} is no text")
    return value


def number_of(given: Parameters, name: str, most: int) -> int:
    """A parameter that is a number from 0 to some limit, 0 if it is not there."""
    try:
        return min(max(int(given.get(name) or 0), 0), most)
    except (TypeError, ValueError, OverflowError):
        raise RefusedError(400, f"the parameter {name!r} is no number") from None


def texts_of(given: Parameters, name: str, house: House) -> tuple[list[str], bool]:
    """A parameter that is a text or a list of texts, and whether it was a list."""
    value = given.get(name)
    texts = value if isinstance(value, list) else [text_of(given, name)]
    limits = house.settings.limits
    if not all(isinstance(text, str) for text in texts):
        raise RefusedError(400, f"the parameter {name!r} is no text or list of texts")
    if len(texts) > limits.texts or any(len(text) > limits.text for text in texts):
        what = f"more than {limits.texts} texts, or one of more than {limits.text:,} characters"
        raise RefusedError(413, what, "send less at once")
    return texts, isinstance(value, list)


def visible(house: House, visitor: Visitor, role: str = "translate") -> list[Opened]:
    """The projects in which a visitor has a role."""
    return [project for project in house.projects.opened() if visitor.may(role, project.name)]


async def find(house: House, visitor: Visitor, source: str, target: str, role: str, name: str | None = None) -> Room:
    """The project that translates between two languages: the one that the path names, or the first that does.

    Codes that are exactly the same come before codes of the same language.
    """
    projects = [(await house.enter(name, visitor, role)).project] if name else visible(house, visitor, role)
    for exact in (True, False):
        for project in projects:
            pairs = (project.source, source), (project.target, target)
            if all(one.lower() == other.lower() if exact else same_language(one, other) for one, other in pairs):
                return Room(house, project, visitor)
    if house.state != "ready":
        raise RefusedError(503, "the server is not ready yet", "try again in a moment", headers={"Retry-After": "1"})
    look = partial(_unopened, house, visitor, source, target, role)
    if not name and (unopened := await house.workers.run("open", look, quick=True)):
        return await house.enter(unopened, visitor, role)
    if not projects and not visitor.may(role):
        raise RefusedError(403, f"this key has not the role {role!r} in any project", "ask for another key")
    raise RefusedError(400, f"{source} to {target} is not supported", "see the list of languages")


def _unopened(house: House, visitor: Visitor, source: str, target: str, role: str) -> str | None:
    """A project that would do, but could not be opened when the server began; who enters it is told why."""
    for name in house.projects.names():
        if not house.projects.is_open(name) and visitor.may(role, name):
            languages = house.projects.languages(name)
            if languages and same_language(languages[0], source) and same_language(languages[1], target):
                return name
    return None


async def translate_lines(room: Room, text: str, n: int = 1) -> list[list[Translation]]:
    """The translations of each line of a text; the engine's unit is the segment."""

    def one(line: str) -> list[Translation]:
        found = room.project.engine.translate(line, n=n)
        return found.nbest or [found]

    return await room.look_all("translate", [partial(one, line) for line in text.split("\n")])


def whole(lines: list[list[Translation]], rank: int = 0) -> str:
    """The text of the translation of some rank, or where there are not so many, of the last that there is."""
    return "\n".join(line[min(rank, len(line) - 1)].text for line in lines)


def alternatives(lines: list[list[Translation]]) -> list[str]:
    """All other translations than the first, as whole texts."""
    most = max(len(line) for line in lines)
    return list(dict.fromkeys(whole(lines, rank) for rank in range(1, most)))
