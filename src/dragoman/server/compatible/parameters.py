"""Parameters of the compatible APIs, from query or body."""

from __future__ import annotations

import json
from itertools import islice
from typing import Annotated, Any

from fastapi import Depends, Request

from dragoman.server.api_errors import ApiError
from dragoman.server.limits import Limits

Parameters = dict[str, Any]
MOST_NAMES = 200  # in one parameter
FILE_NAMES = " names of files"  # by parameter; only we set this


async def _parameters(request: Request) -> Parameters:
    """The parameters of a request: from its query, and from its body, whether JSON or a form."""
    found: Parameters = {name: value for name, value in request.query_params.items() if name != FILE_NAMES}
    kind = request.headers.get("content-type", "").partition(";")[0].strip().lower()
    if kind in ("application/x-www-form-urlencoded", "multipart/form-data"):
        async with request.form() as form:
            for name in form.keys() - {FILE_NAMES}:
                given = form.getlist(name)
                values = [value if isinstance(value, str) else await value.read() for value in given]
                found[name] = values[0] if len(values) == 1 else values
                if not isinstance(given[0], str):
                    found[FILE_NAMES] = {**found.get(FILE_NAMES, {}), name: given[0].filename}
        return found
    body = await request.body()
    if not body:
        return found
    try:
        sent = json.loads(body)
        if not body.isascii() or b"\\u" in body:
            json.dumps(sent, ensure_ascii=False).encode()  # fails for half a surrogate pair, which JSON can contain
    except (ValueError, RecursionError):
        raise ApiError(400, "the body is neither JSON nor a form", "send JSON in UTF-8") from None
    if not isinstance(sent, dict):
        raise ApiError(400, "the body is not a JSON object")
    return found | {name: value for name, value in sent.items() if name != FILE_NAMES}


Given = Annotated[Parameters, Depends(_parameters)]


def text_of(given: Parameters, name: str, default: str | None = None) -> str:
    """A parameter that has to be a string."""
    value = given.get(name, default)
    if value is None:
        raise ApiError(400, f"missing parameter {name!r}")
    if not isinstance(value, str):
        raise ApiError(400, f"parameter {name!r} must be a string")
    return value


def number_of(given: Parameters, name: str, most: int) -> int:
    """A parameter that is a number from 0 to some limit; 0 if it is missing."""
    try:
        return min(max(int(given.get(name) or 0), 0), most)
    except (TypeError, ValueError, OverflowError):
        raise ApiError(400, f"parameter {name!r} must be a number") from None


def texts_of(given: Parameters, name: str, limits: Limits, *, cut: bool = False) -> tuple[list[str], bool]:
    """A parameter that is a string or a list of strings, and whether it was a list; `cut`: of any length."""
    value = given.get(name)
    texts = value if isinstance(value, list) else [text_of(given, name)]
    if not all(isinstance(text, str) for text in texts):
        raise ApiError(400, f"parameter {name!r} must be a string or a list of strings")
    if cut and len(texts) > limits.texts:
        raise ApiError(413, f"more than {limits.texts} texts", "send less at once")
    if len(texts) > limits.texts or any(len(text) > limits.text and not cut for text in texts):
        what = f"more than {limits.texts} texts, or one of more than {limits.text:,} characters"
        raise ApiError(413, what, "send less at once")
    return texts, isinstance(value, list)


def list_of(given: Parameters, name: str) -> list[str]:
    """A parameter that is a list of names, or names separated by commas."""
    value = given.get(name)
    parts = value if isinstance(value, list) else [value or ""]
    names = (each.strip() for part in parts for each in str(part).split(",") if each.strip())
    found = list(islice(names, MOST_NAMES + 1))
    if len(found) > MOST_NAMES:
        raise ApiError(413, f"parameter {name!r} has more than {MOST_NAMES} names", "send fewer")
    return found


def unlist(values: list[Any], was_list: bool) -> Any:
    """A list, or its only value if the client did not send a list."""
    return values if was_list else values[0]
