"""The API of Apertium APy, which OmegaT speaks without a plugin."""

from __future__ import annotations

import json
from typing import Any

from fastapi import APIRouter, Request, Response
from fastapi.responses import JSONResponse

from dragoman.server.api_errors import ApiError
from dragoman.server.compatible.parameters import Given, find_project, text_of, translate_texts, visible
from dragoman.server.context import Server

router = APIRouter(tags=["Apertium"])


def write_error(error: ApiError) -> Response:
    """An error in the format that its clients expect."""
    answer = {
        "status": "error",
        "code": error.status,
        "message": error.what,
        "explanation": error.message,
        "responseData": None,
        "responseDetails": error.message,
        "responseStatus": error.status,
    }
    return JSONResponse(answer, error.status, headers=error.headers)


def _answer(data: Any) -> Response:
    """An answer with a space after each colon, as APy writes it: OmegaT 3.6 looks for the text with the space."""
    found = {"responseData": data, "responseDetails": None, "responseStatus": 200}
    return Response(json.dumps(found).encode(), media_type="application/json")


@router.get("/translate")
@router.post("/translate")
async def translate(request: Request, given: Given, server: Server) -> Response:
    """Translate `q` between the languages in `langpair`, such as `en|es`."""
    identity = server.auth.identify(request.scope, given.get("key"))
    source, _, target = text_of(given, "langpair").partition("|")
    if not (source and target):
        raise ApiError(400, "parameter 'langpair' must be a pair of languages", "write it as en|es")
    context = await find_project(server, identity, source, target, "translate", request.path_params.get("project"))
    text = text_of(given, "q")
    context.check_length(text)
    [found] = await translate_texts(context, [text])
    return _answer({"translatedText": found.text})


@router.get("/listPairs")
async def list_pairs(request: Request, given: Given, server: Server) -> Response:
    """The supported pairs of languages."""
    identity = server.auth.identify(request.scope, given.get("key"))
    pairs = dict.fromkeys((project.source, project.target) for project in visible(server, identity, "read"))
    return _answer([{"sourceLanguage": source, "targetLanguage": target} for source, target in pairs])
