"""The part of ModernMT's API that translates in the background, and sends the result to an address of the client.

Which addresses that may be is said by the configuration of the server (`callbacks`).
"""

from __future__ import annotations

from functools import partial
from typing import Any

from fastapi import APIRouter, Request

from dragoman.server import batches
from dragoman.server.api_errors import ApiError, api_error
from dragoman.server.auth import CurrentIdentity
from dragoman.server.compatible.call import Call, CurrentCall
from dragoman.server.compatible.modernmt_glossaries import answer
from dragoman.server.compatible.modernmt_translations import Query, read_query, translated
from dragoman.server.context import Server
from dragoman.server.jobs import Job
from dragoman.server.observability import log

TYPES = {400: "InvalidParameterException", 401: "AuthException", 403: "ForbiddenException", 404: "NotFoundException"}
LONGEST_NAME = 200  # characters of an idempotency key
router = APIRouter(tags=["ModernMT"])


def error_content(error: ApiError) -> dict[str, Any]:
    """An error in the format that clients of ModernMT expect."""
    about = {"type": TYPES.get(error.status, "UnexpectedException"), "message": error.message}
    return {"status": error.status, "error": about}


@router.post("/translate/batch")
async def translate_batch(request: Request, call: CurrentCall) -> dict[str, Any]:
    """Translate in the background; the result is sent to `webhook`, with `metadata` as it was given."""
    address, server = call.text("webhook"), call.server
    server.callbacks.check(address)
    query, client = await read_query(call), call.identity.client
    name = request.headers.get("x-idempotency-key", "")
    if len(name) > LONGEST_NAME:
        raise ApiError(400, f"the idempotency key has more than {LONGEST_NAME} characters", "choose a shorter one")
    if query.parts and server.callbacks.find(client, name) is None:
        job = Job("translate", query.parts[0].context.project.name, client=client, only_waits=True)
        server.callbacks.keep(client, name, server.jobs.start(job, _Batch(call, query, address)))
    return answer({"enqueued": True})


@router.get("/translate/batch/key")
async def batch_key(identity: CurrentIdentity, server: Server) -> dict[str, Any]:
    """The public key with which receivers check whose a result is."""
    find, client = partial(getattr, server.callbacks, "public_key"), identity.client
    return answer({"publicKey": await server.workers.run("key", find, client=client, lane="quick")})


class _Batch:
    """A job: translates, and sends what came of it."""

    def __init__(self, call: Call, query: Query, address: str) -> None:
        self._call, self._query, self._address = call, query, address
        call.seconds = batches.JOB_PATIENCE

    async def __call__(self, job: Job) -> None:
        body: dict[str, Any] = {"result": await self._result()}
        if (metadata := self._call.given.get("metadata")) is not None:
            body["metadata"] = metadata
        try:
            await self._call.server.callbacks.send(job, self._address, body)
        except ApiError:
            log("callback failed", project=job.project)
            raise

    async def _result(self) -> dict[str, Any]:
        try:
            return answer(await translated(self._call, self._query))
        except Exception as error:
            return error_content(api_error(error))
