"""The API of LibreTranslate. Here /suggest really learns.

Weblate checks whether a server works by translating “test” from English to German; that is answered even if no project
has these languages.
"""

from __future__ import annotations

from contextlib import suppress
from functools import partial
from typing import Any

from fastapi import APIRouter, Request, Response
from fastapi.responses import JSONResponse

from dragoman.server.api_errors import ApiError
from dragoman.server.auth import CurrentIdentity
from dragoman.server.compatible.parameters import (
    Given,
    alternatives,
    find_project,
    number_of,
    text_of,
    texts_of,
    translate_texts,
    unlist,
    visible,
)
from dragoman.server.context import Server
from dragoman.server.detection import detect, name_of

PROBE = ("test", "en", "de")
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
    wanted = number_of(given, "alternatives", server.settings.limits.nbest - 1)
    found = await translate_texts(context, texts, 1 + wanted)
    answer: dict[str, Any] = {"translatedText": unlist([each.text for each in found], was_list)}
    if wanted:
        answer["alternatives"] = unlist([alternatives(each, wanted) for each in found], was_list)
    if detected:
        answer["detectedLanguage"] = unlist(detected, was_list)
    return answer


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
async def languages(identity: CurrentIdentity, server: Server) -> list[dict[str, Any]]:
    """The source languages, each with its target languages."""
    targets: dict[str, list[str]] = {}
    for project in visible(server, identity, "read"):
        targets.setdefault(project.source, []).append(project.target)
        targets.setdefault(project.target, [])
    return [{"code": code, "name": name_of(code), "targets": sorted({code, *into})} for code, into in targets.items()]


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
        "supportedFilesFormat": [],
    }


@router.get("/health")
async def health() -> dict[str, str]:
    """Whether the server is alive."""
    return {"status": "ok"}
