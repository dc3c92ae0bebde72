"""The API of Apertium APy, which OmegaT speaks without a plugin."""

from __future__ import annotations

import json
from typing import Annotated, Any

from fastapi import APIRouter, Response

from dragoman.server.api_errors import ApiError
from dragoman.server.compatible.call import Call, error_writer, keyed_by

KeyedCall = Annotated[Call, keyed_by("key")]
NAME, VERSION = "apertium", ""
router = APIRouter(tags=["Apertium"])


def _error(error: ApiError) -> dict[str, Any]:
    about = {"status": "error", "code": error.status, "message": error.what, "explanation": error.message}
    return about | {"responseData": None, "responseDetails": error.message, "responseStatus": error.status}


write_error = error_writer(_error)


def _answer(data: Any) -> Response:
    """An answer with a space after each colon, as APy writes it: OmegaT 3.6 looks for the text with the space."""
    found = {"responseData": data, "responseDetails": None, "responseStatus": 200}
    return Response(json.dumps(found).encode(), media_type="application/json")


@router.get("/translate")
@router.post("/translate")
async def translate(call: KeyedCall) -> Response:
    """Translate `q` between the languages in `langpair`, such as `en|es`."""
    source, _, target = call.text("langpair").partition("|")
    if not (source and target):
        raise ApiError(400, "parameter 'langpair' must be a pair of languages", "write it as en|es")
    context = await call.find_project(source, target)
    text = call.text("q")
    context.check_length(text)
    [found] = await call.translate(context, [text])
    return _answer({"translatedText": found.text})


@router.get("/listPairs")
async def list_pairs(call: KeyedCall) -> Response:
    """The supported pairs of languages."""
    pairs = dict.fromkeys((project.source, project.target) for project in call.visible("read"))
    return _answer([{"sourceLanguage": source, "targetLanguage": target} for source, target in pairs])
