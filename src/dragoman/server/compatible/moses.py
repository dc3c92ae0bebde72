"""The API of mosesserver: XML-RPC at /RPC2, with `translate` and `updater`, which learns.

XML with a document type or entities is rejected before it can expand to anything.
"""

from __future__ import annotations

import re
from functools import partial
from typing import Any
from xmlrpc.client import Fault, Unmarshaller, dumps

from defusedxml.xmlrpc import DefusedExpatParser
from fastapi import APIRouter, Request, Response

from dragoman.records import Translation
from dragoman.server.api_errors import ApiError, api_error
from dragoman.server.auth import lacks_role
from dragoman.server.batches import translate_batch
from dragoman.server.compatible.call import Call
from dragoman.server.confidence_threshold import translate_surely
from dragoman.server.context import ProjectContext, Server, ServerContext
from dragoman.server.serialise import finite

router = APIRouter(tags=["Moses"])
CODES = {400: -503, 404: -506}  # of xmlrpc-c, which mosesserver is built with; -500 is anything else
NOT_XML = re.compile("[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


@router.post("/RPC2", response_class=Response, responses={200: {"content": {"text/xml": {}}}})
async def call(request: Request, server: Server) -> Response:
    """Call `translate` or `updater` of the first project."""
    return await _call(request, server)


@router.post("/RPC2/{project}", response_class=Response, responses={200: {"content": {"text/xml": {}}}})
async def call_project(project: str, request: Request, server: Server) -> Response:
    """Call `translate` or `updater` of a project."""
    del project  # the call takes it from the path
    return await _call(request, server)


async def _call(request: Request, server: ServerContext) -> Response:
    identity = server.auth.identify(request.scope)  # answered with an HTTP error, which clients report in their own way
    try:
        read = partial(_read, await request.body())
        method, given = await server.workers.run("read", read, client=identity.client)
        if method not in METHODS:
            raise ApiError(404, f"no method {_clean(method)!r}", "call translate or updater")
        result: Any = await METHODS[method](Call(request, server, identity, given))
        body = dumps((result,), methodresponse=True)
    except Exception as error:
        found = api_error(error)
        body = dumps(Fault(CODES.get(found.status, -500), _clean(found.message)), methodresponse=True)
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
        raise ApiError(400, "the body is not an XML-RPC call") from None
    if len(given) != 1 or not isinstance(given[0], dict):
        raise ApiError(400, "the call must have exactly one parameter, a struct")
    return unmarshaller.getmethodname() or "", given[0]


async def _translate(call: Call) -> dict[str, Any]:
    context, given = await _open(call, "translate"), call.given
    text, n = call.text("text"), call.number("nbest", call.server.settings.limits.nbest)
    context.check_length(text)
    if "align" in given or "word-align" in given:  # positions of tokens: of exactly this text and translation
        context.check_work([text], max(n, 1))
        translate = partial(context.project.engine.translate_text, text, n=max(n, 1))
        work = partial(translate_surely, context.project.engine, text, translate)
        [found] = await translate_batch(context, [work])
    else:
        [found] = await call.translate(context, [text], max(n, 1))
    answer = _hypothesis(found, "text", given)
    if n:
        listed = found.nbest or [found]
        answer["nbest"] = [_hypothesis(one, "hyp", given) | {"totalScore": finite(one.score)} for one in listed]
    return answer


def _hypothesis(found: Translation, name: str, given: dict[str, Any]) -> dict[str, Any]:
    """A translation as mosesserver returns it: an option counts as set if it is present, whatever its value."""
    answer: dict[str, Any] = {name: _clean(found.text)}
    if "align" in given:
        answer["align"] = [
            {"tgt-start": one.target[0], "src-start": one.source[0], "src-end": one.source[1] - 1}
            for one in found.phrases
        ]
    if "word-align" in given:
        answer["word-align"] = [{"source-word": j, "target-word": i} for j, i in found.alignment]
    return answer


async def _update(call: Call) -> str:
    """Learn a pair; an alignment that comes with it is ignored."""
    context = await _open(call, "learn")
    await call.learn(context, call.text("source"), call.text("target"))
    return "Phrase table updated"


METHODS = {"translate": _translate, "updater": _update}


async def _open(call: Call, role: str) -> ProjectContext:
    """The project that the path names, or else the first one: this API has no languages."""
    opened = [each.name for each in call.visible(role)]
    known = opened or [each for each in call.server.projects.names() if call.identity.has_role(role, each)]
    if call.named is None and not known:
        raise lacks_role(role, "in any project")
    return await call.server.open_project(call.named or known[0], call.identity, role)


def _clean(text: str) -> str:
    """Text without the characters that XML cannot contain."""
    return NOT_XML.sub("\ufffd", text)
