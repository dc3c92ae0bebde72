"""The API of DeepL, version 2: translate, with tags and glossaries; languages, usage, glossaries, documents.

A key is sent as `DeepL-Auth-Key`. Formality, models and contexts are accepted and change nothing: a project has the
style of its corrections.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable
from functools import partial
from typing import Any

from fastapi import APIRouter, Request, Response
from fastapi.responses import JSONResponse

from dragoman.languages import primary
from dragoman.project.glossary import Glossary
from dragoman.server.api_errors import ApiError
from dragoman.server.auth import CurrentIdentity
from dragoman.server.compatible import deepl_documents
from dragoman.server.compatible.modernmt_glossaries import check_may_change
from dragoman.server.compatible.parameters import (
    Given,
    Parameters,
    find_glossary,
    find_project,
    find_terms,
    may_use,
    text_of,
    texts_of,
    visible,
)
from dragoman.server.context import ProjectContext, Server, ServerContext
from dragoman.server.detection import detect, name_of
from dragoman.server.glossary_store import NamedGlossary, read_terms
from dragoman.server.html_text import translate_html
from dragoman.server.keys import Identity
from dragoman.server.marked_text import translate_marked
from dragoman.server.xml_marks import mask_elements, restore_elements

UNLIMITED = 10**12  # characters: nothing is billed, but clients expect a limit
PROBE = ("test", "en", "de")  # what Weblate tries a service with, whatever languages it has
BODY: dict[str, Any] = {
    "requestBody": {
        "content": {
            "application/json": {
                "schema": {"type": "object"},
                "example": {"text": ["Press the green button."], "source_lang": "EN", "target_lang": "ES"},
            }
        }
    }
}
router = APIRouter(tags=["DeepL"])
router.include_router(deepl_documents.router)


def write_error(error: ApiError) -> Response:
    """An error in the format that its clients expect; they take 403 for a key that is wrong."""
    status = 403 if error.status == 401 else error.status
    return JSONResponse({"message": error.message}, status, headers=error.headers)


# ── Translating ──────────────────────────────────────────────────────────────────────────────────────────────────────


@router.post("/translate", openapi_extra=BODY)
async def translate(request: Request, given: Given, identity: CurrentIdentity, server: Server) -> dict[str, Any]:
    """Translate texts; with `tag_handling`, they are XML or HTML."""
    texts, _ = texts_of(given, "text", server)
    target = text_of(given, "target_lang").lower()
    source = str(given.get("source_lang") or "").lower()
    if not source:
        known = [each.source for each in visible(server, identity)]
        source = detect(texts[0] if texts else "", known)[0]
    named = request.path_params.get("project")
    try:
        context = await find_project(server, identity, source, target, "translate", named)
    except ApiError:
        if (texts, source, target) == ([PROBE[0]], *PROBE[1:]):
            return {"translations": [_translation("test", "en", "test")]}
        raise
    terms = find_terms(server, identity, given, source, target)
    found = await _translated(context, given, texts, terms)
    return {"translations": [_translation(text, source, made) for text, made in zip(texts, found, strict=True)]}


async def _translated(
    context: ProjectContext, given: Parameters, texts: list[str], terms: Glossary | None
) -> list[str]:
    context.check_work(texts, 1)
    engine, handling = context.project.engine, given.get("tag_handling")
    if handling == "html":
        return await context.run_all("translate", [partial(translate_html, engine, text, terms) for text in texts])
    ignored = _names(given, "ignore_tags") if handling == "xml" else []
    masked = [mask_elements(text, ignored) if handling == "xml" else (text, {}) for text in texts]
    work = [partial(translate_marked, engine, text, 1, terms) for text, _ in masked]
    found = await context.run_all("translate", work)
    return [restore_elements(one.text, elements) for one, (_, elements) in zip(found, masked, strict=True)]


def _translation(text: str, source: str, made: str) -> dict[str, Any]:
    return {"detected_source_language": primary(source).upper(), "text": made, "billed_characters": len(text)}


def _names(given: Parameters, name: str) -> list[str]:
    value = given.get(name) or []
    parts: Iterable[object] = value.split(",") if isinstance(value, str) else value if isinstance(value, list) else []
    return [each.strip() for part in parts for each in str(part).split(",")]


@router.get("/languages")
async def languages(request: Request, given: Given, identity: CurrentIdentity, server: Server) -> list[dict[str, Any]]:
    """The source or the target languages."""
    named = request.path_params.get("project")
    projects = [each for each in visible(server, identity, "read") if named in (None, each.name)]
    target = given.get("type") == "target"
    codes = dict.fromkeys(each.target.upper() if target else primary(each.source).upper() for each in projects)
    formality = {"supports_formality": False} if target else {}
    return [{"language": code, "name": name_of(code)} | formality for code in sorted(codes)]


@router.get("/usage")
async def usage(identity: CurrentIdentity, server: Server) -> dict[str, int]:
    """How much was translated: nothing is counted or limited by amount."""
    check_anything(server, identity)
    return {"character_count": 0, "character_limit": UNLIMITED}


def check_anything(server: ServerContext, identity: Identity) -> None:
    """Reject a key that may not translate anything."""
    if not identity.has_role("read") and not visible(server, identity, "read"):
        raise ApiError(403, "this key may not use any project", "ask the administrator for a key that may")


# ── Glossaries ───────────────────────────────────────────────────────────────────────────────────────────────────────


@router.get("/glossary-language-pairs")
async def glossary_languages(identity: CurrentIdentity, server: Server) -> dict[str, Any]:
    """The pairs of languages that glossaries may have: those of the projects."""
    pairs = dict.fromkeys((primary(each.source), primary(each.target)) for each in visible(server, identity, "read"))
    return {"supported_languages": [{"source_lang": source, "target_lang": target} for source, target in pairs]}


@router.post("/glossaries", status_code=201, openapi_extra=BODY)
async def create_glossary(given: Given, identity: CurrentIdentity, server: Server) -> dict[str, Any]:
    """Create a glossary from `entries`, lines of TSV or CSV; one with the same name is replaced."""
    source, target = text_of(given, "source_lang").lower(), text_of(given, "target_lang").lower()
    check_may_change(server, identity, source, target)
    tabs = text_of(given, "entries_format", "tsv") == "tsv"
    rows = csv.reader(
        io.StringIO(text_of(given, "entries")),
        delimiter="\t" if tabs else ",",
        quoting=csv.QUOTE_NONE if tabs else csv.QUOTE_MINIMAL,
    )
    try:
        terms = read_terms(list(rows), "parameter 'entries'")
    except csv.Error:
        raise ApiError(400, "parameter 'entries' is not in the format that 'entries_format' names") from None
    glossary = NamedGlossary(text_of(given, "name"), source, target, terms)
    return _describe(await server.workers.run("glossary", partial(server.glossaries.add, glossary)))


@router.get("/glossaries")
async def list_glossaries(identity: CurrentIdentity, server: Server) -> dict[str, Any]:
    """The glossaries that this key may use."""
    return {"glossaries": [_describe(each) for each in server.glossaries.all() if may_use(server, identity, each)]}


@router.get("/glossaries/{glossary}")
async def show_glossary(glossary: str, identity: CurrentIdentity, server: Server) -> dict[str, Any]:
    """One glossary."""
    return _describe(find_glossary(server, identity, glossary))


@router.get("/glossaries/{glossary}/entries")
async def show_entries(glossary: str, identity: CurrentIdentity, server: Server) -> Response:
    """The terms of a glossary, as lines of TSV."""
    lines = (f"{source}\t{target}" for source, target in find_glossary(server, identity, glossary).terms.items())
    return Response("\n".join(lines).encode(), media_type="text/tab-separated-values; charset=utf-8")


@router.delete("/glossaries/{glossary}", status_code=204)
async def delete_glossary(glossary: str, identity: CurrentIdentity, server: Server) -> None:
    """Delete a glossary."""
    found = find_glossary(server, identity, glossary)
    check_may_change(server, identity, found.source, found.target)
    await server.workers.run("glossary", partial(server.glossaries.remove, found))


def _describe(glossary: NamedGlossary) -> dict[str, Any]:
    return {
        "glossary_id": glossary.id,
        "name": glossary.name,
        "ready": True,
        "source_lang": primary(glossary.source),
        "target_lang": primary(glossary.target),
        "creation_time": glossary.created,
        "entry_count": len(glossary.terms),
    }
