"""Live sessions: somebody types a translation, and each key stroke gets a completion, over a WebSocket.

    →  {"number": 1, "do": "open", "source": "Press the green button."}   or "document": 3, "segment": 5
    ←  {"number": 1, "revision": 12, "prefix": "", "suffix": "Pulse el botón verde.", "matches": […], …}
    ←  {"number": 1, "event": "engine"}                      the slow engine has answered: open it again, if you like
    →  {"number": 2, "do": "prefix", "prefix": "Pul"}        a key was pressed
    →  {"number": 3, "do": "reject"}                         another completion of the same prefix

Requests are handled in order. A completion is skipped if a newer prefix is already waiting; it is answered with
{"number": …, "stale": true}. An error is answered with {"number": …, "error": {"what": …, "remedy": …}}. If the key is
revoked, the session is closed at the next request. If the project builds on another engine that gives no answer,
`silence` says why and `engine` which kind it is; a slow one is not waited for. Nothing is learned here: a finished
translation is confirmed by PUT of its segment, or learned by POST of a correction.
"""

from __future__ import annotations

import asyncio
import json
from collections import deque
from collections.abc import Callable
from contextlib import suppress
from dataclasses import asdict
from functools import partial
from typing import Annotated, Any, Literal

from fastapi import APIRouter, WebSocket, WebSocketDisconnect
from pydantic import BaseModel, Field, ValidationError

from dragoman.editor import reference_memories
from dragoman.editor.message import LARGEST, Id, Sent, Text
from dragoman.editor.refusal import Refusal
from dragoman.interactive.session import Session, Suggestion, Word
from dragoman.records import Sentence
from dragoman.server.api_errors import ApiError, api_error
from dragoman.server.context import ProjectContext, server_context
from dragoman.server.middleware import TokenBucket
from dragoman.server.serialise import matches_of, tokens_of
from dragoman.server.sockets import POLICY_VIOLATION, accepted, receive
from dragoman.upstream.contract import PASSING, Silence

router = APIRouter()
PENDING = 256  # requests waiting in one session; beyond that it is closed
ENGINE_SECONDS = 0.8  # that the first completion waits for another engine
SURE = 0.5  # confidence of the words that are suggested until a slow engine answers, or if it cannot: better none
REASON = 120  # characters of the reason for closing, which has to fit into a small frame

Number = Annotated[int, Field(ge=0, le=LARGEST)]


class Numbered(BaseModel):
    """What every request has."""

    number: Number


class LiveRequest(Sent):
    """A request in a live session."""

    number: Number
    do: Literal["open", "prefix", "reject"]
    source: Text | None = None
    document: Id | None = None
    segment: Id | None = None
    prefix: Text = ""
    at_least: Annotated[int, Field(ge=0, le=LARGEST)] | None = None  # revision that has to be known
    words: bool = False  # add confidence and source of each word of the completion, which triples the time
    least_confidence: Annotated[float, Field(ge=0, le=1)] = 0.0  # completions end before a word of less


@router.websocket("/api/v1/projects/{project}/live")
async def live(socket: WebSocket, project: str) -> None:
    """A live session, as described at the head of this file."""
    server = server_context(socket)
    try:
        identity = server.auth.identify(socket.scope)
        context = await server.open_project(project, identity, "translate")
    except Refusal:
        await socket.close(POLICY_VIOLATION)  # before it was accepted, so that the client sees status 403
        return
    async with accepted(socket, server) as may_work:
        if may_work:
            with server.metrics.live_sessions.track_inprogress():
                await LiveSession(socket, context).run()


class LiveSession:
    """One WebSocket: the requests not yet answered, and the segment that is open."""

    def __init__(self, socket: WebSocket, context: ProjectContext) -> None:
        self._socket, self._context = socket, context
        limits = context.server.settings.limits
        self._budget = TokenBucket(limits.messages, limits.message_burst)
        self._pending: deque[LiveRequest] = deque()
        self._news = asyncio.Event()
        self._gone = False  # the client
        self._session: Session | None = None
        self._awaited: asyncio.Task[None] | None = None  # the answer of a slow engine

    async def run(self) -> None:
        """Answer until the client disconnects."""
        answering = asyncio.create_task(self._answer_all())
        try:
            await self._listen()
        except WebSocketDisconnect:
            pass
        finally:
            self._gone = True
            answering.cancel()
            with suppress(asyncio.CancelledError):
                await answering
            self._end_session()

    async def _listen(self) -> None:
        while True:
            message = await receive(self._socket, self._context.server)
            if message["type"] == "websocket.disconnect":
                return
            if not self._budget.take() or len(self._pending) >= PENDING:
                self._context.server.metrics.refused.labels("flood").inc()
                await self._socket.close(POLICY_VIOLATION, "too many requests")
                return
            data = message.get("text") or message.get("bytes") or b""
            try:
                request = LiveRequest.model_validate_json(data)
            except ValidationError as error:
                await self._send({"number": _number_of(data), "error": _invalid(error)})
                continue
            self._pending.append(request)
            self._news.set()

    async def _answer_all(self) -> None:
        while not self._gone:
            while self._pending and not self._gone:
                request = self._pending.popleft()
                if self._is_stale(request):
                    self._context.server.metrics.stale.inc()
                    await self._send({"number": request.number, "stale": True})
                else:
                    await self._answer(request)
            if self._gone:
                return
            self._news.clear()
            await self._news.wait()

    def _is_stale(self, request: LiveRequest) -> bool:
        """Whether nobody will look at this completion, because the next request replaces it."""
        return request.do != "open" and bool(self._pending) and self._pending[0].do in ("prefix", "open")

    async def _answer(self, request: LiveRequest) -> None:
        try:
            await self._authorise()
        except Exception as error:
            await self._close(api_error(error).what)
            return
        try:
            answer = await getattr(self, f"_{request.do}")(request)
        except Exception as error:
            answer = {"error": api_error(error).body}
        await self._send({"number": request.number} | answer)

    async def _authorise(self) -> None:
        """A session may last a day: if its key was revoked or the project deleted since, it ends."""
        server = self._context.server
        identity = server.auth.identify(self._socket.scope)
        self._context = await server.open_project(self._context.project.name, identity, "translate")

    async def _close(self, reason: str) -> None:
        self._gone = True
        self._pending.clear()
        with suppress(WebSocketDisconnect, RuntimeError):  # it is closed already
            await self._socket.close(POLICY_VIOLATION, reason[:REASON])

    async def _send(self, answer: dict[str, Any]) -> None:
        try:
            await self._socket.send_text(json.dumps(answer, ensure_ascii=False, allow_nan=False))
        except (WebSocketDisconnect, RuntimeError):  # the client has disconnected
            self._gone = True

    # ── Requests ─────────────────────────────────────────────────────────────────────────────────────────────────────

    async def _open(self, request: LiveRequest) -> dict[str, Any]:
        """Start on a text, or on a segment of a document; everything about it that needs no second search is told."""
        self._end_session()
        await self._context.wait_for_revision(request.at_least)
        project, source = self._context.project, request.source
        if request.document is not None and request.segment is not None:
            find = partial(project.documents.segment, request.document, request.segment)
            source = (await self._context.run("segments", find, lane="quick")).source
        if source is None:
            raise ApiError(422, "nothing to open", "send a source, or a document and a segment")

        def begin() -> tuple[Session, int, dict[str, Any]]:
            session = project.engine.interact(source, seconds=ENGINE_SECONDS)
            if session.upstream is None and session.silence not in {None, *PASSING} - {Silence.SLOW}:
                session.threshold = SURE
            answer = _suggested(session.suggest(request.prefix), request, session.source)
            answer["source_tokens"] = [token.model_dump() for token in tokens_of(session.source)]
            answer["upstream"] = session.upstream
            if session.silence:
                answer |= {"silence": session.silence, "engine": (project.engine.upstream or "").partition(":")[0]}
            answer["matches"] = [match.model_dump() for match in matches_of(project.engine.matches(source))]
            answer["matches"] += [asdict(match) for match in reference_memories.matches(project.documents, source)]
            return session, session.nbytes, answer

        self._session, size, answer = await self._context.run("open session", begin, lane="opening")
        self._weigh(size)
        if answer.get("silence") == Silence.SLOW:
            self._awaited = asyncio.create_task(self._await_engine(source, request.number))
        return answer

    async def _await_engine(self, source: str, number: int) -> None:
        """Tell the client when a slow engine has answered, or that it will not."""
        asked = await self._context.ask(partial(self._context.project.engine.ask_ahead, [source]))
        event = {"number": number, "event": "engine"}
        await self._send(event | ({"silence": "failed"} if asked.silent else {}))

    async def _prefix(self, request: LiveRequest) -> dict[str, Any]:
        return await self._suggest("suggest", partial(self._current().suggest, request.prefix), request)

    async def _reject(self, request: LiveRequest) -> dict[str, Any]:
        return await self._suggest("reject", self._current().reject, request)

    async def _suggest(self, operation: str, suggest: Callable[[], Suggestion], request: LiveRequest) -> dict[str, Any]:
        session = self._current()

        def run() -> tuple[dict[str, Any], int]:
            return _suggested(suggest(), request, session.source), session.nbytes

        answer, size = await self._context.run(operation, run, lane="quick")
        self._weigh(size)
        return answer

    def _weigh(self, size: int) -> None:
        """Count the memory of the session; if there is no room for it, it is closed."""
        try:
            self._context.server.session_memory.set(self._context.identity.client, self, size)
        except Refusal:
            self._end_session()
            raise

    def _end_session(self) -> None:
        if self._awaited:
            self._awaited.cancel()
            self._awaited = None
        self._context.server.session_memory.drop(self)
        if self._session is not None:
            self._session.close()
            self._session = None

    def _current(self) -> Session:
        if self._session is None:
            raise ApiError(409, "nothing is open", "open a text first")
        return self._session


def _suggested(suggestion: Suggestion, request: LiveRequest, source: Sentence) -> dict[str, Any]:
    end = _confident(suggestion, request.least_confidence)
    answer: dict[str, Any] = {
        "revision": suggestion.revision,
        "prefix": suggestion.prefix,
        "suffix": suggestion.suffix if end is None else suggestion.suffix[:end].rstrip(),
        "origin": suggestion.origin,
    }
    if request.words:
        answer["words"] = [
            {
                "text": word.text,
                "begin": word.begin,
                "confidence": round(word.confidence, 3),
                "source": word.source,
                "untranslated": _is_copied(word, source),
            }
            for word in suggestion.words
            if end is None or word.begin < end
        ]
    return answer


def _confident(suggestion: Suggestion, least: float) -> int | None:
    """Where a completion ends if no word of it may have less confidence than that; None if none has."""
    if not least:
        return None
    return next((word.begin for word in suggestion.words if word.confidence < least), None)


def _is_copied(word: Word, source: Sentence) -> bool:
    """Whether a word was copied from the source because the models do not know it."""
    return word.confidence == 0 and any(source.words[n].lower() == word.text.lower() for n in word.source)


def _number_of(data: str | bytes) -> int | None:
    """The number of a request that is otherwise invalid, so that the client knows which one it was."""
    try:
        return Numbered.model_validate(json.loads(data)).number  # reads more than pydantic: half a surrogate pair
    except (ValueError, RecursionError):
        return None


def _invalid(error: ValidationError) -> dict[str, str | None]:
    first = error.errors()[0]
    place = ".".join(map(str, first["loc"]))
    return {"what": f"{place or 'the message'}: {first['msg']}", "remedy": "see docs/use/live.md for the requests"}
