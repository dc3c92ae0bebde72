"""A request that is not carried out, for a reason that its sender is told."""

from __future__ import annotations

from typing import Any

CODES = {  # for programs, where a refusal says nothing more exact
    400: "invalid",
    401: "key-required",
    403: "forbidden",
    404: "not-found",
    405: "invalid",
    409: "conflict",
    410: "gone",
    413: "too-large",
    422: "invalid",
    429: "too-many",
    500: "internal",
    503: "unavailable",
}


class Refusal(Exception):  # noqa: N818
    """A status as HTTP numbers them, what happened, and what to do about it."""

    def __init__(self, status: int, what: str, remedy: str | None = None, *, code: str | None = None, **more: Any):
        super().__init__(what)
        self.status, self.what, self.remedy = status, what, remedy
        self.code = code or CODES.get(status, "error")
        self.more = more
