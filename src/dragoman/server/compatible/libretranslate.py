"""The API of LibreTranslate. Here /suggest really learns.

Weblate checks whether a server works by translating “test” from English to German; that is answered even if no project
has these languages.
"""

from __future__ import annotations

import secrets
from collections.abc import Iterable
from contextlib import suppress
from functools import partial
from pathlib import PurePosixPath
from typing import Any
from urllib.parse import quote

from fastapi import APIRouter, Request, Response
from fastapi.responses import JSONResponse

from dragoman.engine import Engine
from dragoman.formats import read_document
from dragoman.formats.filling import fill_document
from dragoman.server.api_errors import ApiError
from dragoman.server.auth import key_of
from dragoman.server.compatible.parameters import (
    FILE_NAMES,
    Given,
    Parameters,
    alternatives,
    find_project,
    number_of,
    text_of,
    texts_of,
    translate_texts,
    unlist,
    visible,
)
from dragoman.server.context import ProjectContext, Server, ServerContext
from dragoman.server.detection import detect, name_of
from dragoman.server.html_text import translate_html
from dragoman.server.registry import ServedProject

PROBE = ("test", "en", "de")
FILES = [
    ".txt",
    ".html",
    ".docx",
    ".pptx",
    ".xlsx",
    ".odt",
    ".odp",
    ".ods",
    ".epub",
    ".srt",
    ".vtt",
    ".md",
    ".po",
    ".xlf",
]
MOST_RESULTS = 1000  # translated files that can be fetched
BODY: dict[str, Any] = {
    "requestBody": {
        "content": {
            "application/json": {
                "schema": {"type": "object"},
                "example": {"q": "Press the green button.", "source": "en", "target": "es", "alternatives": 2},
            }
        }
    }
}
router = APIRouter(tags=["LibreTranslate"])


def write_error(error: ApiError) -> Response:
    """An error in the format that its clients expect."""
    return JSONResponse({"error": error.message}, error.status, headers=error.headers)


@router.post("/translate", openapi_extra=BODY)
async def translate(request: Request, given: Given, server: Server) -> dict[str, Any]:
    """Translate a text or a list of texts."""
    identity = server.auth.identify(request.scope, given.get("api_key"))
    texts, was_list = texts_of(given, "q", server)
    source, target = text_of(given, "source", "auto"), text_of(given, "target")
    detected = []
    if source == "auto":
        detected = [_guess(text, [each.source for each in visible(server, identity)]) for text in texts]
        source = detected[0]["language"] if detected else source
    try:
        context = await find_project(server, identity, source, target, "translate", request.path_params.get("project"))
    except ApiError:
        if (texts, source, target) == ([PROBE[0]], *PROBE[1:]):
            return {"translatedText": unlist(texts, was_list)}
        raise
    if text_of(given, "format", "text") == "html":
        return await _translate_html(context, texts, was_list) | _detected(detected, was_list)
    wanted = number_of(given, "alternatives", server.settings.limits.nbest - 1)
    found = await translate_texts(context, texts, 1 + wanted)
    answer: dict[str, Any] = {"translatedText": unlist([each.text for each in found], was_list)}
    if wanted:
        answer["alternatives"] = unlist([alternatives(each, wanted) for each in found], was_list)
    return answer | _detected(detected, was_list)


async def _translate_html(context: ProjectContext, texts: list[str], was_list: bool) -> dict[str, Any]:
    context.check_work(texts, 1)
    work = [partial(translate_html, context.project.engine, text) for text in texts]
    return {"translatedText": unlist(await context.run_all("translate", work), was_list)}


def _detected(detected: list[dict[str, Any]], was_list: bool) -> dict[str, Any]:
    return {"detectedLanguage": unlist(detected, was_list)} if detected else {}


def _guess(text: str, known: list[str]) -> dict[str, Any]:
    language, confidence = detect(text, known)
    return {"language": language, "confidence": round(100 * confidence)}


@router.post("/detect", openapi_extra=BODY)
async def detect_language(request: Request, given: Given, server: Server) -> list[dict[str, Any]]:
    """Guess the language of a text, among those of the projects."""
    identity = server.auth.identify(request.scope, given.get("api_key"))
    text = text_of(given, "q")
    return [_guess(text, [code for each in visible(server, identity) for code in (each.source, each.target)])]


@router.get("/languages")
async def languages(request: Request, given: Given, server: Server) -> list[dict[str, Any]]:
    """The source languages, each with its target languages; Weblate asks for them without a key."""
    named = request.path_params.get("project")
    targets: dict[str, set[str]] = {}
    for project in _listed(request, given, server):
        if named in (None, project.name):
            targets.setdefault(project.source, set()).add(project.target)
            targets.setdefault(project.target, set())
    return [{"code": code, "name": name_of(code), "targets": sorted(into - {code})} for code, into in targets.items()]


def _listed(request: Request, given: Parameters, server: ServerContext) -> Iterable[ServedProject]:
    """The projects that a key may read; without a key all, of which only the languages are told."""
    key = given.get("api_key") or key_of(request.scope)
    if not key and server.settings.requires_key:
        return server.projects.opened()
    return visible(server, server.auth.identify(request.scope, given.get("api_key")), "read")


@router.post("/suggest", openapi_extra=BODY)
async def suggest(request: Request, given: Given, server: Server) -> dict[str, Any]:
    """Learn a better translation."""
    identity = server.auth.identify(request.scope, given.get("api_key"))
    text, better = text_of(given, "q"), text_of(given, "s")
    languages = text_of(given, "source"), text_of(given, "target")
    context = await find_project(server, identity, *languages, "learn", request.path_params.get("project"))
    context.check_length(text, better)
    learn = partial(context.project.engine.learn, text, better, user=context.user(None))
    await context.run_exclusive("learn", learn)
    return {"success": True}


@router.post("/translate_file")
async def translate_file(request: Request, given: Given, server: Server) -> dict[str, str]:
    """Translate a document; the answer has the address that the result is fetched from, within an hour."""
    identity = server.auth.identify(request.scope, given.get("api_key"))
    data, names = given.get("file"), given.get(FILE_NAMES)
    if not isinstance(data, bytes) or not isinstance(names, dict):
        raise ApiError(400, "parameter 'file' must be a file")
    source, target = text_of(given, "source"), text_of(given, "target")
    context = await find_project(server, identity, source, target, "translate", request.path_params.get("project"))
    name = PurePosixPath(str(names.get("file") or "")).name
    written = await context.run("fill", partial(_fill, context.project.engine, data, name))
    kept = await context.run("fill", partial(server.jobs.files.keep, [written]))
    token = f"{secrets.token_urlsafe(16)}{PurePosixPath(name).suffix}"
    while len(server.results) >= MOST_RESULTS:
        server.results.pop(next(iter(server.results)))
    server.results[token] = kept, f"{PurePosixPath(name).stem}_{target}{PurePosixPath(name).suffix}"
    address = str(request.url).partition("?")[0].removesuffix("/translate_file")
    return {"translatedFileUrl": f"{address}/download_file/{token}"}


def _fill(engine: Engine, data: bytes, name: str) -> bytes:
    document = read_document(data, name, source=engine.source, target=engine.target)
    return fill_document(engine, document).data


@router.get("/download_file/{token}", response_class=Response)
async def download_file(token: str, server: Server) -> Response:
    """A translated document: its address is known only to who has sent it."""
    file, name = server.results.get(token, (None, ""))
    try:
        data = await server.workers.run("download", file.read_bytes) if file else None
    except OSError:
        data = None
    if data is None:
        raise ApiError(404, "no such file", "translate it again: results are removed after a while")
    headers = {"Content-Disposition": f"attachment; filename*=UTF-8''{quote(name)}"}
    return Response(data, media_type="application/octet-stream", headers=headers)


@router.get("/spec")
async def spec(request: Request) -> dict[str, Any]:
    """The OpenAPI schema of this API."""
    whole = request.app.openapi()
    paths = {
        path.removeprefix("/libretranslate"): about
        for path, about in whole["paths"].items()
        if path.startswith("/libretranslate/")
    }
    address = str(request.url).partition("?")[0].removesuffix("/spec")
    return {name: whole[name] for name in ("openapi", "info")} | {"servers": [{"url": address}], "paths": paths}


@router.get("/frontend/settings")
async def frontend_settings(request: Request, server: Server) -> dict[str, Any]:
    """What the server offers to clients; without a key, only that one is required, and nothing about projects."""
    limits, first = server.settings.limits, None
    with suppress(ApiError):
        first = next(iter(visible(server, server.auth.identify(request.scope), "read")), None)
    codes = (first.source, first.target) if first else ("en", "es")
    named = [{"code": code, "name": name_of(code)} for code in codes]
    return {
        "apiKeys": server.settings.keys is not None,
        "charLimit": limits.text,
        "batchLimit": limits.texts,
        "frontendTimeout": 500,
        "keyRequired": server.settings.requires_key,
        "language": {"source": named[0], "target": named[1]},
        "suggestions": True,
        "supportedFilesFormat": FILES,
    }


@router.get("/health")
async def health() -> dict[str, str]:
    """Whether the server is alive."""
    return {"status": "ok"}
