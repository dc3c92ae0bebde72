"""What errors look like from outside: a status, what happened, and what to do. No path of this machine gets out."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Any

from fastapi import Request, Response
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse
from starlette.exceptions import HTTPException
from starlette.types import Scope

from dragoman.errors import BadInputError, DragomanError, StorageError
from dragoman.project.guard import FlaggedError
from dragoman.server.logs import log_failure
from dragoman.store import ReplicaError

UNREADABLE = "There was an error parsing the body"  # says FastAPI where JSON is not in UTF-8, or too deep
REMEDIES = {404: "see /api/v1/openapi.json for what there is", 405: "see /api/v1/openapi.json for what there is"}


class RefusedError(Exception):
    """A request that is not done, for a reason that its sender is told."""

    def __init__(
        self,
        status: int,
        what: str,
        remedy: str | None = None,
        *,
        headers: Mapping[str, str] | None = None,
        **more: Any,
    ) -> None:
        super().__init__(what)
        self.status, self.what, self.remedy = status, what, remedy
        self.headers = dict(headers or {})
        self.more = more

    @property
    def message(self) -> str:
        """What and remedy in one line."""
        return self.what if self.remedy is None else f"{self.what}; {self.remedy}"

    def answer(self) -> Response:
        """The refusal in the form of our own interface."""
        error = {"what": self.what, "remedy": self.remedy} | self.more
        return JSONResponse({"error": error}, self.status, headers=self.headers)


def refusal_of(error: Exception) -> RefusedError:
    """The refusal that an error becomes."""
    if isinstance(error, RefusedError):
        return error
    if isinstance(error, FlaggedError):
        return RefusedError(409, error.what, error.remedy, flagged=error.id, reason=error.reason)
    if isinstance(error, ReplicaError):
        return RefusedError(409, error.what, error.remedy)
    if isinstance(error, BadInputError):
        return RefusedError(400, error.what, error.remedy)
    if isinstance(error, DragomanError):
        return RefusedError(503 if isinstance(error, StorageError) else 500, error.what, error.remedy)
    if isinstance(error, RequestValidationError):
        return _invalid(error)
    if isinstance(error, HTTPException) and error.detail == UNREADABLE:
        return _not_json()
    if isinstance(error, HTTPException):
        return RefusedError(
            error.status_code, str(error.detail), REMEDIES.get(error.status_code), headers=error.headers
        )
    log_failure("failed", error)
    return RefusedError(500, "something went wrong inside the server", "see its log")


def _not_json() -> RefusedError:
    return RefusedError(400, "the body is not JSON", "send JSON in UTF-8")


def _invalid(error: RequestValidationError) -> RefusedError:
    """Which field is wrong, and how; what was sent is not repeated."""
    first = error.errors()[0]
    if first["type"] == "json_invalid":
        return _not_json()
    if first["type"] == "model_attributes_type":
        return RefusedError(
            422, "the body is no JSON object", "send one, with the header Content-Type: application/json"
        )
    place = ".".join(str(step) for step in first["loc"] if step != "body")
    too_large = first["loc"][0] == "body" and first["type"] in ("string_too_long", "too_long")
    return RefusedError(413 if too_large else 422, f"{place or 'the body'}: {first['msg']}", REMEDIES[404])


Shape = Callable[[RefusedError], Response]
Shapes = list[tuple[re.Pattern[str], Shape]]  # the beginnings of paths, and what errors look like there


def respond(refusal: RefusedError, scope: Scope) -> Response:
    """A refusal in the shape that clients of the interface expect which a request came to."""
    shapes: Shapes = scope["app"].state.shapes
    shape = next((shape for path, shape in shapes if path.match(scope["path"])), RefusedError.answer)
    return shape(refusal)


def answer(request: Request, error: Exception) -> Response:
    """An error as an answer of the interface that was asked."""
    return respond(refusal_of(error), request.scope)
