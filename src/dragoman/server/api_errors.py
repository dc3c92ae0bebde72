"""Errors as clients see them: a status, what happened, and what to do about it. They never contain a path."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Any

from fastapi import Request, Response
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse
from starlette.exceptions import HTTPException
from starlette.types import Scope

from dragoman.editor.refusal import Refusal
from dragoman.errors import BadInputError, CancelledError, DamagedFileError, DragomanError, StorageError
from dragoman.project.guard import FlaggedError
from dragoman.server.observability import log_failure, without_places
from dragoman.store import ReplicaError

UNREADABLE = "There was an error parsing the body"  # FastAPI's words for JSON that is not UTF-8, or too deep
SEE_SCHEMA = "see /api/v1/openapi.json for what is available"
REMEDIES = {404: SEE_SCHEMA, 405: SEE_SCHEMA}


class ApiError(Refusal):
    """A refusal as the service answers it: with headers, in the format of the API that was asked."""

    def __init__(
        self,
        status: int,
        what: str,
        remedy: str | None = None,
        *,
        headers: Mapping[str, str] | None = None,
        code: str | None = None,
        **more: Any,
    ) -> None:
        super().__init__(status, what, remedy, code=code, **more)
        self.headers = dict(headers or {})

    @classmethod
    def internal(cls) -> ApiError:
        """The error for a bug: its details are in the log."""
        return cls(500, "internal server error", "see the server's log")

    @property
    def message(self) -> str:
        """What and remedy in one line."""
        return self.what if self.remedy is None else f"{self.what}; {self.remedy}"

    @property
    def body(self) -> dict[str, Any]:
        """What and remedy, and what else there is to tell."""
        return {"what": self.what, "remedy": self.remedy, "code": self.code} | self.more

    def response(self) -> Response:
        """The error in the format of our own API."""
        return JSONResponse({"error": self.body}, self.status, headers=self.headers)


def api_error(error: Exception) -> ApiError:
    """What clients are told about an exception."""
    if isinstance(error, ApiError):
        return error
    if isinstance(error, Refusal):
        return ApiError(error.status, error.what, error.remedy, code=error.code, **error.more)
    if isinstance(error, FlaggedError):
        return ApiError(409, error.what, error.remedy, code="flagged", flagged=error.id, reason=error.reason)
    if isinstance(error, ReplicaError):
        return ApiError(409, error.what, error.remedy)
    if isinstance(error, CancelledError):
        return ApiError(503, error.what, error.remedy)
    if isinstance(error, BadInputError):
        return ApiError(400, error.what, error.remedy)
    if isinstance(error, DragomanError):
        return ApiError(
            503 if isinstance(error, StorageError | DamagedFileError) else 500, without_places(error.what), error.remedy
        )
    if isinstance(error, RequestValidationError):
        return _invalid(error)
    if isinstance(error, HTTPException) and error.detail == UNREADABLE:
        return _not_json()
    if isinstance(error, HTTPException):
        return ApiError(error.status_code, str(error.detail), REMEDIES.get(error.status_code), headers=error.headers)
    log_failure("failed", error)
    return ApiError.internal()


def _not_json() -> ApiError:
    return ApiError(400, "what was sent is not valid JSON", "send JSON in UTF-8")


def _invalid(error: RequestValidationError) -> ApiError:
    """Which field is invalid, and why; what was sent is not repeated."""
    first = error.errors()[0]
    if first["type"] == "json_invalid":
        return _not_json()
    if first["type"] == "model_attributes_type":
        what = "what was sent is not a JSON object"
        return ApiError(422, what, "send one with the header Content-Type: application/json")
    place = ".".join(str(step) for step in first["loc"] if step not in ("body", "query", "path", "header"))
    too_large = first["loc"][0] == "body" and first["type"] in ("string_too_long", "too_long")
    return ApiError(413 if too_large else 422, _in_words(place, first), SEE_SCHEMA, field=place or None)


def _in_words(place: str, error: Mapping[str, Any]) -> str:
    """What is wrong with a field."""
    name, about = place or "what was sent", error.get("ctx", {})
    plain = {
        "missing": f"{name} is missing",
        "extra_forbidden": f"{name} is not a field of this request",
        "string_too_long": f"{name} is longer than {about.get('max_length', 0):,} characters",
        "string_too_short": f"{name} is empty",
        "string_type": f"{name} is not a text",
        "int_type": f"{name} is not a whole number",
        "int_parsing": f"{name} is not a whole number",
        "bool_type": f"{name} is neither true nor false",
    }
    return plain.get(error["type"], f"{name}: {error['msg']}")


Format = Callable[[ApiError], Response]
Formats = list[tuple[re.Pattern[str], Format]]  # how errors are written, by the beginning of the path


def respond(error: ApiError, scope: Scope) -> Response:
    """An error in the format that clients of the requested API expect."""
    formats: Formats = scope["app"].state.error_formats
    write = next((write for path, write in formats if path.match(scope["path"])), ApiError.response)
    return write(error)


def handle(request: Request, error: Exception) -> Response:
    """The response to a request that ended in an exception."""
    return respond(api_error(error), request.scope)
