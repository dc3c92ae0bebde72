"""What the compatible APIs share: parameters from query or body, and the project for a pair of languages."""

from __future__ import annotations

import json
from functools import partial
from typing import Annotated, Any

from fastapi import Depends, Request

from dragoman.languages import same_language
from dragoman.project.glossary import Glossary
from dragoman.server.api_errors import ApiError
from dragoman.server.auth import lacks_role
from dragoman.server.context import ProjectContext, ServerContext
from dragoman.server.glossary_store import NamedGlossary, joined
from dragoman.server.keys import Identity
from dragoman.server.marked_text import translate_marked
from dragoman.server.registry import ServedProject
from dragoman.types import Translation

Parameters = dict[str, Any]
FILE_NAMES = " names of files"  # by parameter; only we set this


async def _parameters(request: Request) -> Parameters:
    """The parameters of a request: from its query, and from its body, whether JSON or a form."""
    found: Parameters = {name: value for name, value in request.query_params.items() if name != FILE_NAMES}
    kind = request.headers.get("content-type", "").partition(";")[0].strip().lower()
    if kind in ("application/x-www-form-urlencoded", "multipart/form-data"):
        async with request.form() as form:
            for name in form.keys() - {FILE_NAMES}:
                given = form.getlist(name)
                values = [value if isinstance(value, str) else await value.read() for value in given]
                found[name] = values[0] if len(values) == 1 else values
                if not isinstance(given[0], str):
                    found[FILE_NAMES] = {**found.get(FILE_NAMES, {}), name: given[0].filename}
        return found
    body = await request.body()
    if not body:
        return found
    try:
        sent = json.loads(body)
        json.dumps(sent, ensure_ascii=False).encode()  # fails for half a surrogate pair, which JSON can contain
    except (ValueError, RecursionError):
        raise ApiError(400, "the body is neither JSON nor a form", "send JSON in UTF-8") from None
    if not isinstance(sent, dict):
        raise ApiError(400, "the body is not a JSON object")
    return found | {name: value for name, value in sent.items() if name != FILE_NAMES}


Given = Annotated[Parameters, Depends(_parameters)]


def text_of(given: Parameters, name: str, default: str | None = None) -> str:
    """A parameter that has to be a string."""
    value = given.get(name, default)
    if value is None:
        raise ApiError(400, f"missing parameter {name!r}")
    if not isinstance(value, str):
        raise ApiError(400, f"parameter {name!r} must be a string")
    return value


def number_of(given: Parameters, name: str, most: int) -> int:
    """A parameter that is a number from 0 to some limit; 0 if it is missing."""
    try:
        return min(max(int(given.get(name) or 0), 0), most)
    except (TypeError, ValueError, OverflowError):
        raise ApiError(400, f"parameter {name!r} must be a number") from None


def texts_of(given: Parameters, name: str, server: ServerContext) -> tuple[list[str], bool]:
    """A parameter that is a string or a list of strings, and whether it was a list."""
    value = given.get(name)
    texts = value if isinstance(value, list) else [text_of(given, name)]
    limits = server.settings.limits
    if not all(isinstance(text, str) for text in texts):
        raise ApiError(400, f"parameter {name!r} must be a string or a list of strings")
    if len(texts) > limits.texts or any(len(text) > limits.text for text in texts):
        what = f"more than {limits.texts} texts, or one of more than {limits.text:,} characters"
        raise ApiError(413, what, "send less at once")
    return texts, isinstance(value, list)


def unlist(values: list[Any], was_list: bool) -> Any:
    """A list, or its only value if the client did not send a list."""
    return values if was_list else values[0]


def visible(server: ServerContext, identity: Identity, role: str = "translate") -> list[ServedProject]:
    """The open projects in which an identity has a role."""
    return [project for project in server.projects.opened() if identity.has_role(role, project.name)]


async def find_project(
    server: ServerContext, identity: Identity, source: str, target: str, role: str, name: str | None = None
) -> ProjectContext:
    """The project that translates between two languages: the one that the path names, or the first that does.

    Identical codes take precedence over codes of the same language.
    """
    projects = [(await server.open_project(name, identity, role)).project] if name else visible(server, identity, role)
    for exact in (True, False):
        for project in projects:
            pairs = (project.source, source), (project.target, target)
            if all(one.lower() == other.lower() if exact else same_language(one, other) for one, other in pairs):
                return ProjectContext(server, project, identity)
    if server.state != "ready":
        raise ApiError(503, "the server is not ready yet", "try again in a moment", headers={"Retry-After": "1"})
    find = partial(_unopened, server, identity, source, target, role)
    if not name and (unopened := await server.workers.run("open", find, lane="quick")):
        return await server.open_project(unopened, identity, role)
    if not projects and not identity.has_role(role):
        raise lacks_role(role, "in any project")
    raise ApiError(400, f"{source} to {target} is not supported", "see the list of languages")


def _unopened(server: ServerContext, identity: Identity, source: str, target: str, role: str) -> str | None:
    """A project with these languages that could not be opened at the start; opening it again says why."""
    for name in server.projects.names():
        if not server.projects.is_open(name) and identity.has_role(role, name):
            languages = server.projects.languages(name)
            if languages and same_language(languages[0], source) and same_language(languages[1], target):
                return name
    return None


async def translate_texts(
    context: ProjectContext, texts: list[str], n: int = 1, terms: Glossary | None = None
) -> list[Translation]:
    """The translations of some texts, each with its markup; with n > 1, `.nbest` has up to n of them."""
    context.check_work(texts, n)
    translate = partial(translate_marked, context.project.engine, n=n, terms=terms)
    return await context.run_all("translate", [partial(translate, text) for text in texts])


def may_use(server: ServerContext, identity: Identity, glossary: NamedGlossary) -> bool:
    """Whether an identity may translate between the languages of a glossary, and so use it."""
    return identity.has_role("translate") or any(
        same_language(each.source, glossary.source) and same_language(each.target, glossary.target)
        for each in visible(server, identity)
    )


def find_glossary(server: ServerContext, identity: Identity, wanted: str) -> NamedGlossary:
    """A glossary that an identity may use."""
    found = server.glossaries.find(wanted)
    if found is None or not may_use(server, identity, found):
        raise ApiError(404, "no such glossary", "see /v2/glossaries")
    return found


def find_terms(
    server: ServerContext, identity: Identity, given: Parameters, source: str, target: str
) -> Glossary | None:
    """The terms of the glossary that a request names, if it names one."""
    if not given.get("glossary_id"):
        return None
    return joined([find_glossary(server, identity, str(given["glossary_id"]))], source, target)


def alternatives(found: Translation, most: int) -> list[str]:
    """Other translations than the first."""
    return list(dict.fromkeys(one.text for one in found.nbest if one.text != found.text))[:most]
