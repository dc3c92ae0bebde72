"""The interface of mosesserver: XML-RPC at /RPC2, with `translate` and `updater`, which learns.

XML with a document type or entities is refused before it can expand to anything.
"""

from __future__ import annotations

import re
from functools import partial
from typing import Any
from xmlrpc.client import Fault, Unmarshaller, dumps

from defusedxml.xmlrpc import DefusedExpatParser
from fastapi import APIRouter, Request, Response

from dragoman.server import asking
from dragoman.server.answers import RefusedError, refusal_of
from dragoman.server.keys import Visitor
from dragoman.server.rooms import House, Room, TheHouse
from dragoman.server.translating import finite
from dragoman.types import Translation

router = APIRouter(tags=["Moses"])
CODES = {400: -503, 404: -506}  # of xmlrpc-c, which mosesserver is built with; -500 is anything else
NOT_XML = re.compile("[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


@router.post("/RPC2", response_class=Response, responses={200: {"content": {"text/xml": {}}}})
@router.post("/RPC2/{project}", response_class=Response, responses={200: {"content": {"text/xml": {}}}})
async def call(request: Request, house: TheHouse) -> Response:
    """Call `translate` or `updater`."""
    visitor = house.doorkeeper.visitor(request.scope)  # refused as HTTP, which clients turn into an error of their own
    try:
        method, given = _read(await request.body())
        if method not in METHODS:
            raise RefusedError(404, f"there is no method {_clean(method)!r}", "call translate or updater")
        result: Any = await METHODS[method](house, visitor, given, request.path_params.get("project"))
        body = dumps((result,), methodresponse=True)
    except Exception as error:
        refusal = refusal_of(error)
        body = dumps(Fault(CODES.get(refusal.status, -500), _clean(refusal.message)), methodresponse=True)
    return Response(body.encode(), media_type="text/xml")


def _read(body: bytes) -> tuple[str, dict[str, Any]]:
    """The method and its first parameter, a struct."""
    unmarshaller = Unmarshaller()
    parser = DefusedExpatParser(unmarshaller, forbid_dtd=True)
    try:
        parser.feed(body)
        parser.close()
        given = unmarshaller.close()
    except Exception:
        raise RefusedError(400, "this is no call in XML-RPC") from None
    if len(given) != 1 or not isinstance(given[0], dict):
        raise RefusedError(400, "the parameter is not one struct")
    return unmarshaller.getmethodname() or "", given[0]


async def _translate(house: House, visitor: Visitor, given: dict[str, Any], name: str | None) -> dict[str, Any]:
    room = await _room(house, visitor, "translate", name)
    text, n = asking.text_of(given, "text"), asking.number_of(given, "nbest", house.settings.limits.nbest)
    room.check_text(text)
    found = await room.look("translate", partial(room.project.engine.translate, text, n=max(n, 1)))
    answer = _hypothesis(found, "text", given)
    if n:
        listed = found.nbest or [found]
        answer["nbest"] = [_hypothesis(one, "hyp", given) | {"totalScore": finite(one.score)} for one in listed]
    return answer


def _hypothesis(found: Translation, name: str, given: dict[str, Any]) -> dict[str, Any]:
    """A translation as mosesserver gives it: what is named in the request is there, whatever its value."""
    answer: dict[str, Any] = {name: _clean(found.text)}
    if "align" in given:
        answer["align"] = [
            {"tgt-start": one.target[0], "src-start": one.source[0], "src-end": one.source[1] - 1}
            for one in found.phrases
        ]
    if "word-align" in given:
        answer["word-align"] = [{"source-word": j, "target-word": i} for j, i in found.alignment]
    return answer


async def _update(house: House, visitor: Visitor, given: dict[str, Any], name: str | None) -> str:
    """Learn a pair; an alignment that comes along is not needed."""
    room = await _room(house, visitor, "learn", name)
    source, target = asking.text_of(given, "source"), asking.text_of(given, "target")
    room.check_text(source, target)
    await room.change("learn", partial(room.project.engine.learn, source, target, user=room.user(None)))
    return "Phrase table updated"


METHODS = {"translate": _translate, "updater": _update}


async def _room(house: House, visitor: Visitor, role: str, name: str | None) -> Room:
    """The project that the path names, or else the first: this interface knows no languages."""
    opened = [each.name for each in asking.visible(house, visitor, role)]
    known = opened or [each for each in house.projects.names() if visitor.may(role, each)]
    if name is None and not known:
        raise RefusedError(403, f"this key has not the role {role!r} in any project", "ask for another key")
    return await house.enter(name or known[0], visitor, role)


def _clean(text: str) -> str:
    """Text without characters that XML cannot hold."""
    return NOT_XML.sub("\ufffd", text)
