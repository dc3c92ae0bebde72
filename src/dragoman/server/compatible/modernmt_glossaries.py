"""The part of ModernMT's API that is about glossaries, which there are memories, too, and about the account.

A memory that is created and then gets a glossary never becomes a project: it is only terms, which a request names.
"""

from __future__ import annotations

import csv
import io
from functools import partial
from typing import Any

from fastapi import APIRouter

from dragoman.server.api_errors import ApiError
from dragoman.server.auth import CurrentIdentity, check_role
from dragoman.server.compatible.call import Call, CurrentCall, check_may_change, fits, look_up, text_of
from dragoman.server.glossary_store import NamedGlossary, read_terms
from dragoman.server.registry import number_of

router = APIRouter(tags=["ModernMT"])


def answer(data: Any) -> dict[str, Any]:
    """Data in the format that clients of ModernMT expect."""
    return {"status": 200, "data": data}


@router.get("/users/me")
async def account(identity: CurrentIdentity) -> dict[str, Any]:
    """Whose key this is; nothing is billed."""
    name, began = identity.name or "local", "1970-01-01T00:00:00.000Z"
    period = {"begin": began, "end": began, "chars": 0, "plan": "local", "planDescription": "", "planForCatTool": False}
    period |= {"amount": 0.0, "currency": "EUR", "currencySymbol": "€"}
    about = {"id": number_of(name), "name": name, "email": "", "registrationDate": began, "country": ""}
    return answer(about | {"isBusiness": False, "status": "active", "billingPeriod": period})


@router.post("/memories/{memory}/glossary")
async def add_glossary(memory: str, call: CurrentCall) -> dict[str, Any]:
    """Add the terms of a CSV file, whose first row has the languages, to a project or to a new glossary."""
    source, target, terms = _read_csv(call.given.get("csv"))
    return await _add(call, memory, source, target, terms)


@router.put("/memories/{memory}/glossary")
async def add_term(memory: str, call: CurrentCall) -> dict[str, Any]:
    """Add one term: `terms` has it in two languages, the source first."""
    terms = call.given.get("terms")
    if not (isinstance(terms, list) and len(terms) > 1 and all(isinstance(each, dict) for each in terms)):
        raise ApiError(400, "parameter 'terms' must be a list of a term in two languages")
    first, second = ((text_of(each, "language"), text_of(each, "term")) for each in terms[:2])
    return await _add(call, memory, first[0], second[0], read_terms([[first[1], second[1]]], "'terms'"))


async def _add(call: Call, memory: str, source: str, target: str, terms: dict[str, str]) -> dict[str, Any]:
    server = call.server
    job = {"id": f"glossary-{number_of(memory)}", "memory": memory, "size": len(terms), "progress": 1.0}
    name = find_memory(call, memory)
    if name in server.projects.names() and not call.identity.has_role("read", name):
        raise ApiError(404, "no such memory", "see /memories")  # whether there is one or not
    if name in server.projects.names():
        context = await server.open_project(name, call.identity, "learn")
        if not fits(context.project, source, target):
            what = f"this memory translates {context.project.source} to {context.project.target}"
            raise ApiError(400, what, "use these languages, or another memory")
        await context.run_exclusive("glossary", partial(_extend, context.project.engine, terms))
        return answer(job)
    found = look_up(call, memory)
    if found is None and name is None:
        raise ApiError(404, "no such memory", "see /memories")
    check_may_change(call, source, target)
    old = found.terms if found else {}
    reserved = server.projects.reserved.get(str(name))
    title = found.name if found else (reserved.title if reserved else "") or str(name)
    owner = found.owner if found else call.identity.client
    made = NamedGlossary(title, source, target, old | terms, owner, id=found.id if found else str(name))
    await call.run("glossary", partial(server.glossaries.add, made))
    if name is not None:
        await call.run("glossary", partial(server.projects.release, name))
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


def find_memory(call: Call, memory: str) -> str | None:
    """The name of a project, or of a reserved one that belongs to the caller, given by name or number."""
    names = [*call.server.projects.names(), *own_reserved(call)]
    return next((name for name in names if memory in (name, str(number_of(name)))), None)


def own_reserved(call: Call) -> list[str]:
    """The reserved names that belong to the caller."""
    sees_all, client = call.identity.has_role("admin"), call.identity.client
    return [each.name for each in call.server.projects.reserved.all() if sees_all or each.owner == client]


def about(glossary: NamedGlossary) -> dict[str, Any]:
    """A glossary as a memory."""
    description = f"glossary, {glossary.source} to {glossary.target}"
    return {
        "id": glossary.number,
        "name": glossary.name,
        "description": description,
        "creationDate": glossary.created,
    }


async def delete(call: Call, glossary: NamedGlossary) -> dict[str, Any]:
    """Delete a glossary."""
    check_may_change(call, glossary.source, glossary.target)
    await call.run("glossary", partial(call.server.glossaries.remove, glossary))
    return about(glossary)


def check_may_create(call: Call) -> None:
    """Memories may be named by everybody who may learn somewhere; only an administrator can make them a project."""
    if not any(call.identity.has_role("learn", each) for each in call.server.projects.names()):
        check_role(call.identity, "learn")
