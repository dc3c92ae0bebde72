"""The part of ModernMT's API that is about glossaries, which there are memories, too, and about the account.

A memory that is created and then gets a glossary never becomes a project: it is only terms, which a request names.
"""

from __future__ import annotations

import csv
import io
from functools import partial
from typing import Any

from fastapi import APIRouter

from dragoman.languages import same_language
from dragoman.project.glossary import Glossary
from dragoman.server.api_errors import ApiError
from dragoman.server.auth import CurrentIdentity, check_role, lacks_role
from dragoman.server.compatible.parameters import Given, Parameters, may_use, text_of, visible
from dragoman.server.context import Server, ServerContext
from dragoman.server.glossary_store import NamedGlossary, joined, read_terms
from dragoman.server.keys import Identity
from dragoman.server.registry import number_of

router = APIRouter(tags=["ModernMT"])


def answer(data: Any) -> dict[str, Any]:
    """Data in the format that clients of ModernMT expect."""
    return {"status": 200, "data": data}


@router.get("/users/me")
async def account(identity: CurrentIdentity) -> dict[str, Any]:
    """Whose key this is; nothing is billed."""
    name = identity.name or "local"
    return answer({"id": number_of(name), "name": name, "email": "", "status": "active", "billingPeriod": None})


@router.post("/memories/{memory}/glossary")
async def add_glossary(memory: str, given: Given, identity: CurrentIdentity, server: Server) -> dict[str, Any]:
    """Add the terms of a CSV file, whose first row has the languages, to a project or to a new glossary."""
    source, target, terms = _read_csv(given.get("csv"))
    return await _add(server, identity, memory, source, target, terms)


@router.put("/memories/{memory}/glossary")
async def add_term(memory: str, given: Given, identity: CurrentIdentity, server: Server) -> dict[str, Any]:
    """Add one term: `terms` has it in two languages, the source first."""
    terms = given.get("terms")
    if not (isinstance(terms, list) and len(terms) > 1 and all(isinstance(each, dict) for each in terms)):
        raise ApiError(400, "parameter 'terms' must be a list of a term in two languages")
    first, second = ((text_of(each, "language"), text_of(each, "term")) for each in terms[:2])
    return await _add(server, identity, memory, first[0], second[0], read_terms([[first[1], second[1]]], "'terms'"))


async def _add(
    server: ServerContext, identity: Identity, memory: str, source: str, target: str, terms: dict[str, str]
) -> dict[str, Any]:
    job = {"id": f"glossary-{number_of(memory)}", "memory": memory, "size": len(terms), "progress": 1.0}
    name = find_memory(server, memory)
    if name in server.projects.names():
        context = await server.open_project(name, identity, "learn")
        if not (same_language(source, context.project.source) and same_language(target, context.project.target)):
            what = f"this memory translates {context.project.source} to {context.project.target}"
            raise ApiError(400, what, "use these languages, or another memory")
        await context.run_exclusive("glossary", partial(_extend, context.project.engine, terms))
        return answer(job)
    found = server.glossaries.find(memory)
    if found is None and name is None:
        raise ApiError(404, "no such memory", "see /memories")
    check_may_change(server, identity, source, target)
    old = found.terms if found else {}
    title = found.name if found else server.projects.titles.get(str(name), str(name))
    made = NamedGlossary(title, source, target, old | terms, id=found.id if found else str(name))
    await server.workers.run("glossary", partial(server.glossaries.add, made))
    if name is not None:
        await server.workers.run("glossary", partial(server.projects.release, name))
    return answer(job)


def _extend(engine: Any, terms: dict[str, str]) -> None:
    engine.glossary = engine.glossary | terms


def _read_csv(data: object) -> tuple[str, str, dict[str, str]]:
    if not isinstance(data, bytes):
        raise ApiError(400, "parameter 'csv' must be a file")
    try:
        rows = [row for row in csv.reader(io.StringIO(data.decode("utf-8-sig"))) if any(row)]
    except (UnicodeDecodeError, csv.Error):
        raise ApiError(400, "the file is not CSV in UTF-8") from None
    header = [cell.strip() for cell in rows[0]] if rows else []
    columns = [place for place, cell in enumerate(header) if cell and cell.lower() not in ("tuid", "description")]
    if len(columns) < 2:
        raise ApiError(400, "the first row of the file must have two languages")
    first, second = columns[:2]
    pairs = [[row[first], row[second]] for row in rows[1:] if len(row) > second]
    return header[first], header[second], read_terms(pairs, "the file")


def check_may_change(server: ServerContext, identity: Identity, source: str, target: str) -> None:
    """Glossaries are changed by those who may learn between their languages."""
    fitting = [
        each
        for each in visible(server, identity, "learn")
        if same_language(each.source, source) and same_language(each.target, target)
    ]
    if not fitting and not identity.has_role("learn"):
        raise lacks_role("learn", f"in a project from {source} to {target}")


def find_memory(server: ServerContext, memory: str) -> str | None:
    """The name of a project, or a reserved one, given by name or number."""
    names = [*server.projects.names(), *server.projects.reserved]
    return next((name for name in names if memory in (name, str(number_of(name)))), None)


def terms_of(server: ServerContext, identity: Identity, given: Parameters, source: str, target: str) -> Glossary | None:
    """The terms of the glossaries that a request names, separated by commas."""
    value = given.get("glossaries")
    named = value if isinstance(value, list) else str(value or "").split(",")
    found = [server.glossaries.find(str(each).strip()) for each in named if str(each).strip()]
    return joined([each for each in found if each and may_use(server, identity, each)], source, target)


def about(glossary: NamedGlossary) -> dict[str, Any]:
    """A glossary as a memory."""
    description = f"glossary, {glossary.source} to {glossary.target}"
    return {
        "id": glossary.number,
        "name": glossary.name,
        "description": description,
        "creationDate": glossary.created,
    }


async def delete(server: ServerContext, identity: Identity, glossary: NamedGlossary) -> dict[str, Any]:
    """Delete a glossary."""
    check_may_change(server, identity, glossary.source, glossary.target)
    await server.workers.run("glossary", partial(server.glossaries.remove, glossary))
    return about(glossary)


def check_may_create(server: ServerContext, identity: Identity) -> None:
    """Memories may be named by everybody who may learn somewhere; only an administrator can make them a project."""
    if not any(identity.has_role("learn", each) for each in server.projects.names()):
        check_role(identity, "learn")
