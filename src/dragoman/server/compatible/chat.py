"""OpenAI's API for chats, for tools that know nothing else: whatever is asked, the answer is a translation.

The model is the name of a project, or a pair of languages such as `en-es`; for `auto`, and names of OpenAI's own
models, the languages are taken from the instructions (“from English to Spanish”). If there is only one project, any
name will do. The last message of the user is translated, without an instruction such as “Translate this to Spanish:”
before it, and without the quotation marks or the code block around it. Strings of JSON and items of a numbered list are
texts of their own.
"""

from __future__ import annotations

import json
import re
import secrets
import time
from collections.abc import Iterator
from typing import Any

from fastapi import APIRouter, Response
from fastapi.responses import JSONResponse

from dragoman.languages import same_language
from dragoman.server.api_errors import ApiError
from dragoman.server.auth import lacks_role
from dragoman.server.compatible.call import (
    PROBE,
    Call,
    CurrentCall,
    Parameters,
    alternatives,
    error_writer,
    example_body,
)
from dragoman.server.compatible.chat_items import take_apart
from dragoman.server.context import ProjectContext
from dragoman.server.registry import ServedProject
from dragoman.text.identification import NAMES

TYPES = {401: "authentication_error", 403: "permission_error", 429: "rate_limit_error", 503: "server_error"}
_INSTRUCTION = re.compile(r"\s*(?:please\s+)?translate\b[^\n:]{0,200}:\s*", re.IGNORECASE)
_OPENING = re.compile(r"```[\w-]*\n|\"\"\"\n?|<(text|source)>")
_WORD = r"(?:the\s+)?(?:language\s+)?['\"“‘(]?([A-Za-z][A-Za-z_-]*)"
_FROM, _TO = re.compile(rf"\bfrom\s+{_WORD}", re.IGNORECASE), re.compile(rf"\b(?:in)?to\s+{_WORD}", re.IGNORECASE)
_PAIR = re.compile(r"([a-z]{2,3}(?:[-_][A-Za-z]{2,4})?)(?:\||->|>|-|_|:|\bto\b)([a-z]{2,3}(?:[-_][A-Za-z]{2,4})?)")
_ANY = re.compile(r"|any|auto|default|dragoman|(?:chat)?gpt-.*|o[1-9](?:-.*)?")  # models whose name says nothing
_CODES = {name.lower(): code for code, name in NAMES.items()}
BODY = example_body(model="manual", messages=[{"role": "user", "content": "Press the green button."}])
NAME, VERSION = "openai", "/v1"  # what clients add to the address, also at the root
router = APIRouter(tags=["OpenAI"])


def _error(error: ApiError) -> dict[str, Any]:
    about = {"message": error.message, "type": TYPES.get(error.status, "invalid_request_error"), "code": None}
    return {"error": about}


write_error = error_writer(_error)


@router.get("/models")
async def models(call: CurrentCall) -> dict[str, Any]:
    """The projects, as models."""
    return {"object": "list", "data": [_model(each) for each in call.visible()]}


@router.get("/models/{model}")
async def model(model: str, call: CurrentCall) -> dict[str, Any]:
    """One project, as a model."""
    for each in call.visible():
        if each.name == model:
            return _model(each)
    raise ApiError(404, f"the model {model!r} does not exist", "see /v1/models")


def _model(project: ServedProject) -> dict[str, Any]:
    return {"id": project.name, "object": "model", "created": 0, "owned_by": "dragoman"}


@router.post("/chat/completions", openapi_extra=BODY)
async def complete(call: CurrentCall) -> Response:
    """Translate the last message of the user."""
    instructions, text = _read(call.given)
    n = max(1, call.number("n", call.server.settings.limits.nbest))
    return _answer(await _translated(call, instructions, text, n), text, call.given)


@router.post("/responses", openapi_extra=BODY)
async def respond(call: CurrentCall) -> Response:
    """The newer interface for the same: `input` is a text or a list of messages."""
    given, value = call.given, call.given.get("input")
    messages = [{"role": "user", "content": value}] if isinstance(value, str) else value
    system = [{"role": "system", "content": str(given["instructions"])}] if given.get("instructions") else []
    listed = messages if isinstance(messages, list) else []
    instructions, text = _read({"messages": [*system, *listed]})
    [made] = await _translated(call, instructions, text, 1)
    content = {"type": "output_text", "text": made, "annotations": []}
    message = {"type": "message", "id": f"msg_{secrets.token_hex(12)}", "role": "assistant", "status": "completed"}
    amount = {"input_tokens": len(text.split()), "output_tokens": len(made.split())}
    about = {"id": f"resp_{secrets.token_hex(12)}", "object": "response", "created_at": int(time.time())}
    about |= {"status": "completed", "model": str(given.get("model")), "error": None, "incomplete_details": None}
    about |= {"parallel_tool_calls": False, "tool_choice": "none", "tools": [], "metadata": {}}
    usage = amount | {"total_tokens": sum(amount.values())}
    return JSONResponse(about | {"output": [message | {"content": [content]}], "usage": usage})


async def _translated(call: Call, instructions: str, text: str, n: int) -> list[str]:
    """Up to n translations of a message, whose items are translated one by one."""
    context = await _choose(call, call.named or str(call.given.get("model") or ""), instructions)
    if context is None:  # Weblate tries a service with languages that it need not have
        if text != PROBE[0]:
            raise ApiError(400, "no project translates between these languages", "see /v1/models")
        return [text]
    context.check_length(text)
    texts, put_together = take_apart(text)
    found = await call.translate(context, texts, n)
    listed = [[each.text, *alternatives(each, n - 1)] for each in found]
    ways = min(n, max(map(len, listed)))
    return [put_together([each[min(way, len(each) - 1)] for each in listed]) for way in range(ways)]


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
    if block := _block(text):
        return f"{asked}\n{block[0]}", block[1]
    if found := _INSTRUCTION.match(text):
        return f"{asked}\n{found[0]}", _without_quotes(text[found.end() :])
    return asked, text


def _block(text: str) -> tuple[str, str] | None:
    """What is before the first block that is closed, and what is in it; each kind of end is looked for only once."""
    missing = set[str]()
    for found in _OPENING.finditer(text):
        closing = f"</{found[1]}>" if found[1] else found[0][:3]
        end = -1 if closing in missing else text.find(closing, found.end())
        if end >= 0:
            inside = text[found.end() : end]
            return text[: found.start()], inside if found[1] else inside.removesuffix("\n")
        missing.add(closing)
    return None


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


async def _choose(call: Call, model: str, instructions: str) -> ProjectContext | None:
    """The project that is named, or that translates between the languages that are; None if there is none."""
    projects = call.visible()
    if not projects and not call.identity.has_role("translate"):
        raise lacks_role("translate", "in any project")
    named = [project for project in projects if project.name == model]
    source, target = _language(_FROM, instructions), _language(_TO, instructions)
    if not named and (pair := _PAIR.fullmatch(model)):
        source, target = (source, target) if target else (pair[1], pair[2])
    elif not named and len(projects) > 1 and not (_ANY.fullmatch(model) and target):
        raise _no_such_model(model, projects)
    fitting = named or [project for project in projects if _fits(project, source, target)]
    return await call.server.open_project(fitting[0].name, call.identity, "translate") if fitting else None


def _no_such_model(model: str, projects: list[ServedProject]) -> ApiError:
    what = f"there is no model {model!r}" if model else "no model is named"
    names = ", ".join(project.name for project in projects)
    return ApiError(404, what, f"choose one of {names}, or a pair of languages such as en-es")


def _fits(project: ServedProject, source: str | None, target: str | None) -> bool:
    return (source is None or same_language(project.source, source)) and (
        target is None or same_language(project.target, target)
    )


def _language(pattern: re.Pattern[str], text: str) -> str | None:
    """The first language that is named, by its code or in English."""
    words = (found[1].lower() for found in pattern.finditer(text))
    known = (_CODES.get(word) or (word if word.replace("_", "-").split("-")[0] in NAMES else None) for word in words)
    return next(filter(None, known), None)


def _answer(made: list[str], text: str, given: Parameters) -> Response:
    amount = {"prompt_tokens": len(text.split()), "completion_tokens": sum(len(each.split()) for each in made)}
    about = {"id": f"chatcmpl-{secrets.token_hex(12)}", "created": int(time.time()), "model": str(given.get("model"))}
    if given.get("stream"):
        return Response("".join(_chunks(about, made[0])).encode(), media_type="text/event-stream")
    choices = [
        {"index": at, "message": {"role": "assistant", "content": each}, "finish_reason": "stop"}
        for at, each in enumerate(made)
    ]
    usage = amount | {"total_tokens": sum(amount.values())}
    return JSONResponse(about | {"object": "chat.completion", "choices": choices, "usage": usage})


def _chunks(about: dict[str, Any], made: str) -> Iterator[str]:
    """The answer as a stream, in one piece."""
    for delta, reason in (({"role": "assistant", "content": made}, None), ({}, "stop")):
        choice = {"index": 0, "delta": delta, "finish_reason": reason}
        yield f"data: {json.dumps(about | {'object': 'chat.completion.chunk', 'choices': [choice]})}\n\n"
    yield "data: [DONE]\n\n"
