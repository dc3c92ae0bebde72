"""Live sessions: somebody types a translation, and each key gets a completion, over a WebSocket.

    →  {"number": 1, "do": "open", "source": "Press the green button."}   or "document": 3, "segment": 5
    ←  {"number": 1, "revision": 12, "prefix": "", "suffix": "Pulse el botón verde.", …}
    →  {"number": 2, "do": "prefix", "prefix": "Pul"}        a key was pressed
    →  {"number": 3, "do": "reject"}                         another completion of the same prefix
    →  {"number": 4, "do": "accept", "text": "Pulse el botón verde."}
    ←  {"number": 4, "revision": 13, "correction": 13}       learned, and safe on disk

Requests are done one after another. One that only completes is skipped if a newer prefix is waiting already; it is
answered with {"number": …, "stale": true}. An error is answered with {"number": …, "error": {"what": …, "remedy": …}}.
Whoever may not translate any more, because their key was taken away, is closed out at their next request.
"""

from __future__ import annotations

import asyncio
import json
from collections import deque
from contextlib import suppress
from functools import partial
from typing import Annotated, Any, Literal

from fastapi import APIRouter, WebSocket, WebSocketDisconnect
from pydantic import BaseModel, Field, ValidationError

from dragoman.interactive.session import Session, Suggestion
from dragoman.server import editing
from dragoman.server.access import check_role
from dragoman.server.answers import RefusedError, refusal_of
from dragoman.server.limits import Budget
from dragoman.server.rooms import Room, house_of
from dragoman.server.schemas import Confirming, Id, SegmentChange, Text

router = APIRouter()
PENDING = 256  # requests waiting in one session, above which it is ended
TOO_MUCH = 1008  # the code with which a WebSocket is closed: against the rules
REASON = 120  # characters of the reason for that, which has to fit into a small frame


Number = Annotated[int, Field(ge=0, le=2**53 - 1)]


class Numbered(BaseModel):
    """What every request has."""

    number: Number


class Asked(Confirming):
    """A request in a live session."""

    number: Number
    do: Literal["open", "prefix", "reject", "accept"]
    source: Text | None = None
    document: Id | None = None
    segment: Id | None = None
    prefix: Text = ""
    text: Text | None = None
    at_least: Annotated[int, Field(ge=0, le=2**53 - 1)] | None = None  # revision that has to be known
    words: bool = False  # tell confidence and source of each word of the completion: twice the time of all the rest


@router.websocket("/api/v1/projects/{project}/live")
async def live(socket: WebSocket, project: str) -> None:
    """A live session, as the head of this file tells."""
    house = house_of(socket)
    try:
        visitor = house.doorkeeper.visitor(socket.scope)
        room = await house.enter(project, visitor, "translate")
    except RefusedError:
        await socket.close(TOO_MUCH)  # before it was accepted, so that the client sees status 403
        return
    who = house.doorkeeper.who(socket.scope)
    if house.live.get(who, 0) >= house.settings.limits.sessions:
        await socket.close(TOO_MUCH)
        return
    offered = socket.scope.get("subprotocols") or []
    house.live[who] = house.live.get(who, 0) + 1
    try:
        await socket.accept("dragoman" if "dragoman" in offered else None)
        await Typing(socket, room).run()
    finally:
        house.live[who] -= 1
        if not house.live[who]:
            del house.live[who]


class Typing:
    """One WebSocket: what was asked and not yet answered, and the segment that is open."""

    def __init__(self, socket: WebSocket, room: Room) -> None:
        self._socket, self._room = socket, room
        limits = room.house.settings.limits
        self._budget = Budget(limits.messages, limits.message_burst)
        self._pending: deque[Asked] = deque()
        self._news = asyncio.Event()
        self._gone = False  # the client
        self._session: Session | None = None
        self._opened: Asked | None = None  # what the session was opened with

    async def run(self) -> None:
        """Answer until the client goes away; what was accepted by then is still learned."""
        answering = asyncio.create_task(self._answer_all())
        try:
            await self._listen()
        except WebSocketDisconnect:
            pass
        finally:
            self._gone = True
            self._news.set()
            await answering

    async def _listen(self) -> None:
        while True:
            message = await self._socket.receive()
            if message["type"] == "websocket.disconnect":
                return
            if not self._budget.take() or len(self._pending) >= PENDING:
                self._room.house.metrics.refused.add("flood")
                await self._socket.close(TOO_MUCH, "too many requests")
                return
            said = message.get("text") or message.get("bytes") or b""
            try:
                asked = Asked.model_validate_json(said)
            except ValidationError as error:
                await self._say({"number": _number_of(said), "error": _wrong(error)})
                continue
            self._pending.append(asked)
            self._news.set()

    async def _answer_all(self) -> None:
        while True:
            while self._pending:
                asked = self._pending.popleft()
                if self._gone and asked.do != "accept":
                    continue
                if self._is_stale(asked):
                    self._room.house.metrics.stale.add()
                    await self._say({"number": asked.number, "stale": True})
                else:
                    await self._answer(asked)
            if self._gone:
                return
            self._news.clear()
            await self._news.wait()

    def _is_stale(self, asked: Asked) -> bool:
        """Whether nobody will look at this completion: the next thing that was asked is another one."""
        return asked.do in ("prefix", "reject") and bool(self._pending) and self._pending[0].do in ("prefix", "open")

    async def _answer(self, asked: Asked) -> None:
        try:
            await self._enter_again()
        except Exception as error:
            await self._end(refusal_of(error).what)
            return
        try:
            answer = await getattr(self, f"_{asked.do}")(asked)
        except Exception as error:
            refusal = refusal_of(error)
            answer = {"error": {"what": refusal.what, "remedy": refusal.remedy} | refusal.more}
        await self._say({"number": asked.number} | answer)

    async def _enter_again(self) -> None:
        """A session may last a day: a key that was taken away since, or a project that was deleted, ends it."""
        house = self._room.house
        visitor = house.doorkeeper.visitor(self._socket.scope)
        self._room = await house.enter(self._room.project.name, visitor, "translate")

    async def _end(self, reason: str) -> None:
        self._gone = True
        self._pending.clear()
        with suppress(WebSocketDisconnect, RuntimeError):  # it is closed already
            await self._socket.close(TOO_MUCH, reason[:REASON])

    async def _say(self, answer: dict[str, Any]) -> None:
        try:
            await self._socket.send_text(json.dumps(answer, ensure_ascii=False, allow_nan=False))
        except (WebSocketDisconnect, RuntimeError):  # nobody is there any more
            self._gone = True

    # ── What can be asked ────────────────────────────────────────────────────────────────────────────────────────────

    async def _open(self, asked: Asked) -> dict[str, Any]:
        """Begin with a text, or with a segment of a document."""
        self._session = None
        await self._room.reach(asked.at_least)
        source = asked.source
        if asked.document is not None and asked.segment is not None:
            find = partial(self._room.project.documents.segment, asked.document, asked.segment)
            source = (await self._room.look("segments", find, quick=True)).source
        if source is None:
            raise RefusedError(422, "there is nothing to open", "give a source, or a document and a segment")

        def begin() -> tuple[Session, dict[str, Any]]:
            session = self._room.project.engine.interact(source)
            return session, _said(session.suggest(asked.prefix), asked.words)

        self._session, answer = await self._room.look("open session", begin)
        self._opened = asked
        return answer

    async def _prefix(self, asked: Asked) -> dict[str, Any]:
        session = self._current()
        return await self._room.look("suggest", lambda: _said(session.suggest(asked.prefix), asked.words), quick=True)

    async def _reject(self, asked: Asked) -> dict[str, Any]:
        session = self._current()
        return await self._room.look("reject", lambda: _said(session.reject(), asked.words), quick=True)

    async def _accept(self, asked: Asked) -> dict[str, Any]:
        """Learn the translation; that of a segment also confirms it."""
        session, opened = self._current(), self._opened
        check_role(self._room.visitor, "learn", self._room.project.name)
        if asked.text is None or opened is None:
            raise RefusedError(422, "there is no text to accept", "give the text")
        user = self._room.user(asked.user)
        if opened.document is not None and opened.segment is not None:
            fields = "force", "suggestion", "key_strokes", "mouse_actions", "milliseconds"
            effort = {name: getattr(asked, name) for name in fields}
            change = SegmentChange(target=asked.text, state="confirmed", **effort)
            place = opened.document, opened.segment
            edit = partial(editing.change_segment, self._room.project, *place, change, user)
            segment = await self._room.change("accept", edit)
            answer = {"correction": segment.correction, "version": segment.version, "unlearned": segment.unlearned}
            return {"revision": segment.correction or self._room.project.revision} | answer
        learn = partial(self._room.project.engine.learn, session.source.text, asked.text, user=user, force=asked.force)
        number = await self._room.change("accept", learn)
        return {"revision": number, "correction": number}

    def _current(self) -> Session:
        if self._session is None:
            raise RefusedError(409, "nothing is open", "open a text first")
        return self._session


def _said(suggestion: Suggestion, words: bool) -> dict[str, Any]:
    answer: dict[str, Any] = {
        "revision": suggestion.revision,
        "prefix": suggestion.prefix,
        "suffix": suggestion.suffix,
        "origin": suggestion.origin,
    }
    if words:
        answer["words"] = [
            {"text": word.text, "begin": word.begin, "confidence": round(word.confidence, 3), "source": word.source}
            for word in suggestion.words
        ]
    return answer


def _number_of(said: str | bytes) -> int | None:
    """The number of a request that is wrong otherwise, so that whoever asked knows which one it was."""
    try:
        return Numbered.model_validate(json.loads(said)).number  # reads more than pydantic: half a surrogate pair
    except (ValueError, RecursionError):
        return None


def _wrong(error: ValidationError) -> dict[str, str | None]:
    first = error.errors()[0]
    place = ".".join(map(str, first["loc"]))
    return {"what": f"{place or 'the message'}: {first['msg']}", "remedy": "see docs/server.md for what can be asked"}
