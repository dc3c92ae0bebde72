"""The interface of LibreTranslate, for programs that speak it. Here /suggest really learns.

Weblate looks whether a server works by translating “test” from English to German; that is answered even where no
project has these languages.
"""

from __future__ import annotations

from functools import partial
from typing import Annotated, Any

from fastapi import APIRouter, Depends, Request, Response
from fastapi.responses import JSONResponse

from dragoman.server import asking
from dragoman.server.access import Coming
from dragoman.server.answers import RefusedError
from dragoman.server.asking import Parameters, find, parameters, text_of, texts_of, visible
from dragoman.server.languages import detect, name_of
from dragoman.server.rooms import TheHouse

PROBE = ("test", "en", "de")


def shape(refusal: RefusedError) -> Response:
    """An error as its clients expect it."""
    return JSONResponse({"error": refusal.message}, refusal.status, headers=refusal.headers)


router = APIRouter(tags=["LibreTranslate"])
Given = Annotated[Parameters, Depends(parameters)]
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


@router.post("/translate", openapi_extra=BODY)
async def translate(request: Request, given: Given, house: TheHouse) -> dict[str, Any]:
    """Translate a text or a list of texts."""
    visitor = house.doorkeeper.visitor(request.scope, given.get("api_key"))
    texts, several = texts_of(given, "q", house)
    source, target = text_of(given, "source", "auto"), text_of(given, "target")
    detected = []
    if source == "auto":
        detected = [_guess(text, [each.source for each in visible(house, visitor)]) for text in texts]
        source = detected[0]["language"] if detected else source
    try:
        room = await find(house, visitor, source, target, "translate", request.path_params.get("project"))
    except RefusedError:
        if (texts, source, target) == ([PROBE[0]], *PROBE[1:]):
            return {"translatedText": texts if several else texts[0]}
        raise
    wanted = asking.number_of(given, "alternatives", house.settings.limits.nbest - 1)
    found = [await asking.translate_lines(room, text, 1 + wanted) for text in texts]
    answer: dict[str, Any] = {"translatedText": _listed([asking.whole(lines) for lines in found], several)}
    if wanted:
        answer["alternatives"] = _listed([asking.alternatives(lines)[:wanted] for lines in found], several)
    if detected:
        answer["detectedLanguage"] = _listed(detected, several)
    return answer


def _listed(values: list[Any], several: bool) -> Any:
    return values if several else values[0]


def _guess(text: str, known: list[str]) -> dict[str, Any]:
    language, sure = detect(text, known)
    return {"language": language, "confidence": round(100 * sure)}


@router.post("/detect", openapi_extra=BODY)
async def detect_language(request: Request, given: Given, house: TheHouse) -> list[dict[str, Any]]:
    """Guess the language of a text, among those that the projects translate from or into."""
    visitor = house.doorkeeper.visitor(request.scope, given.get("api_key"))
    text = text_of(given, "q")
    return [_guess(text, [code for each in visible(house, visitor) for code in (each.source, each.target)])]


@router.get("/languages")
async def languages(visitor: Coming, house: TheHouse) -> list[dict[str, Any]]:
    """The languages that are translated from, each with those it is translated into."""
    targets: dict[str, list[str]] = {}
    for project in visible(house, visitor, "read"):
        targets.setdefault(project.source, []).append(project.target)
        targets.setdefault(project.target, [])
    return [{"code": code, "name": name_of(code), "targets": sorted({code, *into})} for code, into in targets.items()]


@router.post("/suggest", openapi_extra=BODY)
async def suggest(request: Request, given: Given, house: TheHouse) -> dict[str, Any]:
    """Learn a better translation."""
    visitor = house.doorkeeper.visitor(request.scope, given.get("api_key"))
    text, better = text_of(given, "q"), text_of(given, "s")
    languages = text_of(given, "source"), text_of(given, "target")
    room = await find(house, visitor, *languages, "learn", request.path_params.get("project"))
    room.check_text(text, better)
    await room.change("learn", partial(room.project.engine.learn, text, better, user=room.user(None)))
    return {"success": True}


@router.get("/frontend/settings")
async def frontend_settings(house: TheHouse) -> dict[str, Any]:
    """What a client may ask for."""
    limits = house.settings.limits
    first = next(house.projects.opened(), None)
    codes = (first.source, first.target) if first else ("en", "es")
    named = [{"code": code, "name": name_of(code)} for code in codes]
    return {
        "apiKeys": house.settings.keys is not None,
        "charLimit": limits.text,
        "batchLimit": limits.texts,
        "frontendTimeout": 500,
        "keyRequired": house.settings.is_guarded,
        "language": {"source": named[0], "target": named[1]},
        "suggestions": True,
        "supportedFilesFormat": [],
    }


@router.get("/health")
async def health() -> dict[str, str]:
    """Whether the server is there."""
    return {"status": "ok"}
