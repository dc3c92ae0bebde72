"""OpenAI's API for chats, for tools that know nothing else: whatever is asked, the answer is a translation.

The model is the name of a project, or a pair of languages such as `en-es`; otherwise the languages are taken from the
instructions (“from English to Spanish”). The last message of the user is translated, without an instruction such as
“Translate this to Spanish:” before it, and without the quotation marks or the code block around it.
"""

from __future__ import annotations

import json
import re
import secrets
import time
from collections.abc import Iterator
from typing import Any

from fastapi import APIRouter, Request, Response
from fastapi.responses import JSONResponse

from dragoman.languages import same_language
from dragoman.server.api_errors import ApiError
from dragoman.server.auth import CurrentIdentity, lacks_role
from dragoman.server.compatible.parameters import Given, Parameters, translate_texts, visible
from dragoman.server.context import ProjectContext, Server, ServerContext
from dragoman.server.detection import NAMES
from dragoman.server.keys import Identity
from dragoman.server.registry import ServedProject

TYPES = {401: "authentication_error", 403: "permission_error", 429: "rate_limit_error"}
# A line that separates texts, such as Weblate's ==WEBLATE_PART==, is no text
_SEPARATOR = re.compile(r"(\n[ ]*(?:[=#*~-]{2,}[A-Z0-9_ ]*[=#*~-]{2,}|-{3,}|={3,})[ ]*\n)")
_INSTRUCTION = re.compile(r"\s*(?:please\s+)?translate\b[^\n:]{0,200}:\s*", re.IGNORECASE)
_BLOCK = re.compile(r"```[\w-]*\n(.*?)\n?```|\"\"\"\n?(.*?)\n?\"\"\"|<(text|source)>(.*?)</\3>", re.DOTALL)
_WORD = r"(?:the\s+)?(?:language\s+)?['\"“‘(]?([A-Za-z][A-Za-z_-]*)"
_FROM, _TO = re.compile(rf"\bfrom\s+{_WORD}", re.IGNORECASE), re.compile(rf"\b(?:in)?to\s+{_WORD}", re.IGNORECASE)
_PAIR = re.compile(r"([a-z]{2,3}(?:[-_][A-Za-z]{2,4})?)(?:\||->|>|-|_|:|\bto\b)([a-z]{2,3}(?:[-_][A-Za-z]{2,4})?)")
_CODES = {name.lower(): code for code, name in NAMES.items()}
BODY: dict[str, Any] = {
    "requestBody": {
        "content": {
            "application/json": {
                "schema": {"type": "object"},
                "example": {"model": "manual", "messages": [{"role": "user", "content": "Press the green button."}]},
            }
        }
    }
}
router = APIRouter(tags=["OpenAI"])


def write_error(error: ApiError) -> Response:
    """An error in the format that its clients expect."""
    about = {"message": error.message, "type": TYPES.get(error.status, "invalid_request_error"), "code": None}
    return JSONResponse({"error": about}, error.status, headers=error.headers)


@router.get("/models")
async def models(identity: CurrentIdentity, server: Server) -> dict[str, Any]:
    """The projects, as models."""
    found = [
        {"id": each.name, "object": "model", "created": 0, "owned_by": "dragoman"} for each in visible(server, identity)
    ]
    return {"object": "list", "data": found}


@router.post("/chat/completions", openapi_extra=BODY)
async def complete(request: Request, given: Given, identity: CurrentIdentity, server: Server) -> Response:
    """Translate the last message of the user."""
    instructions, text = _read(given)
    named = request.path_params.get("project")
    context = await _choose(server, identity, named or str(given.get("model") or ""), instructions)
    if context is None:  # Weblate tries a service with languages that it need not have
        if text != "test":
            raise ApiError(400, "no project translates between these languages", "see /v1/models")
        made = text
    else:
        context.check_length(text)
        pieces = _SEPARATOR.split(text)
        found = await translate_texts(context, pieces[::2])
        pieces[::2] = [each.text for each in found]
        made = "".join(pieces)
    return _answer(made, text, given)


def _read(given: Parameters) -> tuple[str, str]:
    """The instructions in the messages, and the text to translate."""
    messages = given.get("messages")
    if not isinstance(messages, list) or not all(isinstance(each, dict) for each in messages):
        raise ApiError(400, "parameter 'messages' must be a list of messages")
    users = [_content(each) for each in messages if each.get("role") == "user"]
    if not users:
        raise ApiError(400, "no message of the user", "send the text to translate in one")
    asked = "\n".join(_content(each) for each in messages if each.get("role") in ("system", "developer"))
    text = users[-1]
    if found := _BLOCK.search(text):
        inside = next(part for part in (found[1], found[2], found[4]) if part is not None)
        return f"{asked}\n{text[: found.start()]}", inside
    if found := _INSTRUCTION.match(text):
        return f"{asked}\n{found[0]}", _without_quotes(text[found.end() :])
    return asked, text


def _content(message: dict[str, Any]) -> str:
    """The text of a message, which may be in parts."""
    content = message.get("content") or ""
    if isinstance(content, list):
        content = "".join(str(part.get("text") or "") for part in content if isinstance(part, dict))
    if not isinstance(content, str):
        raise ApiError(400, "the content of a message must be a string")
    return content


def _without_quotes(text: str) -> str:
    text = text.strip()
    return text[1:-1] if len(text) > 2 and text[0] + text[-1] in ('""', "“”", "''", "«»") else text


async def _choose(server: ServerContext, identity: Identity, model: str, instructions: str) -> ProjectContext | None:
    """The project that is named, or that translates between the languages that are; None if there is none."""
    projects = visible(server, identity)
    if not projects and not identity.has_role("translate"):
        raise lacks_role("translate", "in any project")
    named = [project for project in projects if project.name == model]
    source, target = _language(_FROM, instructions), _language(_TO, instructions)
    if not named and not target and (pair := _PAIR.fullmatch(model)):
        source, target = pair[1], pair[2]
    fitting = named or [project for project in projects if _fits(project, source, target)]
    return await server.open_project(fitting[0].name, identity, "translate") if fitting else None


def _fits(project: ServedProject, source: str | None, target: str | None) -> bool:
    return (source is None or same_language(project.source, source)) and (
        target is None or same_language(project.target, target)
    )


def _language(pattern: re.Pattern[str], text: str) -> str | None:
    """The first language that is named, by its code or in English."""
    words = (found[1].lower() for found in pattern.finditer(text))
    known = (_CODES.get(word) or (word if word.replace("_", "-").split("-")[0] in NAMES else None) for word in words)
    return next(filter(None, known), None)


def _answer(made: str, text: str, given: Parameters) -> Response:
    amount = {"prompt_tokens": len(text.split()), "completion_tokens": len(made.split())}
    about = {"id": f"chatcmpl-{secrets.token_hex(12)}", "created": int(time.time()), "model": str(given.get("model"))}
    if given.get("stream"):
        return Response("".join(_chunks(about, made)).encode(), media_type="text/event-stream")
    choice = {"index": 0, "message": {"role": "assistant", "content": made}, "finish_reason": "stop"}
    usage = amount | {"total_tokens": sum(amount.values())}
    return JSONResponse(about | {"object": "chat.completion", "choices": [choice], "usage": usage})


def _chunks(about: dict[str, Any], made: str) -> Iterator[str]:
    """The answer as a stream, in one piece."""
    for delta, reason in (({"role": "assistant", "content": made}, None), ({}, "stop")):
        choice = {"index": 0, "delta": delta, "finish_reason": reason}
        yield f"data: {json.dumps(about | {'object': 'chat.completion.chunk', 'choices': [choice]})}\n\n"
    yield "data: [DONE]\n\n"
