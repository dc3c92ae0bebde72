"""The interface of Apertium APy, which OmegaT speaks without a plugin."""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import APIRouter, Depends, Request, Response
from fastapi.responses import JSONResponse

from dragoman.server import asking
from dragoman.server.answers import RefusedError
from dragoman.server.asking import Parameters, find, parameters, text_of, visible
from dragoman.server.rooms import TheHouse


def shape(refusal: RefusedError) -> Response:
    """An error as its clients expect it."""
    answer = {
        "status": "error",
        "code": refusal.status,
        "message": refusal.what,
        "explanation": refusal.message,
        "responseData": None,
        "responseDetails": refusal.message,
        "responseStatus": refusal.status,
    }
    return JSONResponse(answer, refusal.status, headers=refusal.headers)


def _answer(data: Any) -> dict[str, Any]:
    return {"responseData": data, "responseDetails": None, "responseStatus": 200}


router = APIRouter(tags=["Apertium"])
Given = Annotated[Parameters, Depends(parameters)]


@router.get("/translate")
@router.post("/translate")
async def translate(request: Request, given: Given, house: TheHouse) -> dict[str, Any]:
    """Translate `q` between the languages in `langpair`, such as `en|es`."""
    visitor = house.doorkeeper.visitor(request.scope, given.get("key"))
    source, _, target = text_of(given, "langpair").partition("|")
    if not (source and target):
        raise RefusedError(400, "the parameter 'langpair' is no pair of languages", "write en|es")
    room = await find(house, visitor, source, target, "translate", request.path_params.get("project"))
    text = text_of(given, "q")
    room.check_text(text)
    return _answer({"translatedText": asking.whole(await asking.translate_lines(room, text))})


@router.get("/listPairs")
async def list_pairs(request: Request, given: Given, house: TheHouse) -> dict[str, Any]:
    """The pairs of languages that are translated between."""
    visitor = house.doorkeeper.visitor(request.scope, given.get("key"))
    pairs = dict.fromkeys((project.source, project.target) for project in visible(house, visitor, "read"))
    return _answer([{"sourceLanguage": source, "targetLanguage": target} for source, target in pairs])
