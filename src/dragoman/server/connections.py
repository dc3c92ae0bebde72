"""Connections that cost us something only while their client keeps up: uvicorn's protocols, with deadlines.

Every head of a request, not only the first of a connection, must arrive in time; bodies are timed by the middleware. A
client must read what it is sent: one that lets answers pile up is cut off. When there are nearly as many connections as
are allowed, the one that has been waiting for a head for longest makes room. In a WebSocket, pings and fragments count
like messages, which the live session counts itself.
"""

from __future__ import annotations

import asyncio
from typing import Any, ClassVar

from uvicorn.protocols.http.h11_impl import H11Protocol
from uvicorn.protocols.websockets.websockets_sansio_impl import WebSocketsSansIOProtocol

from dragoman.server.limits import Limits
from dragoman.server.middleware import TokenBucket

FULL = 0.9  # of the connections that are allowed: from here on, waiting ones make room
POLICY_VIOLATION = 1008  # close code of a WebSocket


class WriteDeadline:
    """Cuts off a client that does not read: while answers pile up, it has to take some bytes in each period."""

    def __init__(self, limits: Limits) -> None:
        self._seconds, self._least = limits.write_seconds, limits.write_bytes
        self._timer: asyncio.TimerHandle | None = None
        self._transport: Any = None
        self._unread = 0

    def start(self, transport: Any) -> None:
        """Begin to watch, as there is more to write than the client takes at once."""
        self.stop()
        self._transport, self._unread = transport, transport.get_write_buffer_size()
        self._timer = asyncio.get_running_loop().call_later(self._seconds, self._look)

    def stop(self) -> None:
        """The client has caught up, or is gone."""
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None

    def _look(self) -> None:
        if self._unread - self._transport.get_write_buffer_size() < self._least:
            self._transport.abort()
        else:
            self.start(self._transport)


class TimedProtocol(H11Protocol):
    """HTTP/1.1 with a deadline for the head of every request, and for what is written."""

    limits = Limits()
    waiting: ClassVar[dict[TimedProtocol, None]] = {}  # connections of the server without a request, the oldest first

    def __init__(self, *arguments: Any, **options: Any) -> None:
        super().__init__(*arguments, **options)
        self._head: asyncio.TimerHandle | None = None
        self._writing = WriteDeadline(self.limits)

    def connection_made(self, transport: Any) -> None:
        """Wait for the first head, and make room for it if need be."""
        super().connection_made(transport)
        if len(self.connections) >= FULL * self.limits.connections and self.waiting:
            next(iter(self.waiting)).make_room()
        self._await_head()

    def on_response_complete(self) -> None:
        """Wait for the next head: uvicorn's own timer ends with the first byte of it."""
        self._await_head()
        super().on_response_complete()

    def handle_events(self) -> None:
        """Stop waiting once a head has arrived whole."""
        super().handle_events()
        if self._busy:
            self._stop_waiting()

    def handle_websocket_upgrade(self, event: Any) -> None:
        """The connection belongs to the WebSocket from here."""
        self._stop_waiting()
        super().handle_websocket_upgrade(event)

    def timeout_keep_alive_handler(self) -> None:
        """Close an idle connection, also if its client has not read the last answer."""
        self._give_up()

    def pause_writing(self) -> None:
        """The client reads more slowly than we write."""
        super().pause_writing()
        self._writing.start(self.transport)

    def resume_writing(self) -> None:
        """The client has caught up."""
        super().resume_writing()
        self._writing.stop()

    def connection_lost(self, exc: Exception | None) -> None:
        """Forget the deadlines."""
        self._stop_waiting()
        self._writing.stop()
        super().connection_lost(exc)

    def make_room(self) -> None:
        """End the connection, which has no request, at once."""
        self._stop_waiting()
        self.transport.abort()

    @property
    def _busy(self) -> bool:
        cycle: Any = self.cycle  # None before the first request, whatever uvicorn declares
        return cycle is not None and not cycle.response_complete

    def _await_head(self) -> None:
        self._stop_waiting()
        self._head = self.loop.call_later(self.limits.head_seconds, self._give_up)
        self.waiting[self] = None

    def _stop_waiting(self) -> None:
        self.waiting.pop(self, None)
        if self._head is not None:
            self._head.cancel()
            self._head = None

    def _give_up(self) -> None:
        """Close the connection; closing politely would wait for ever for a client that does not read."""
        if self._busy:
            return
        if self.transport.get_write_buffer_size():
            self.transport.abort()
        elif not self.transport.is_closing():
            self.transport.close()


class CountedWebSocket(WebSocketsSansIOProtocol):
    """A WebSocket whose client has to read, and may send only so many control frames and fragments."""

    limits = Limits()

    def __init__(self, *arguments: Any, **options: Any) -> None:
        super().__init__(*arguments, **options)
        self._writing = WriteDeadline(self.limits)
        self._budget = TokenBucket(self.limits.messages, self.limits.message_burst)

    def handle_ping(self) -> None:
        """Answer a ping."""
        if self._count():
            super().handle_ping()

    def handle_pong(self, event: Any) -> None:
        """Take note of a pong."""
        if self._count():
            super().handle_pong(event)

    def handle_cont(self, event: Any) -> None:
        """Add a fragment to its message; empty ones would add up to a memory without end."""
        if self._count():
            super().handle_cont(event)

    def keepalive_timeout(self) -> None:
        """The client has not answered for long, and may not read either."""
        super().keepalive_timeout()
        self._drop_unread()

    def pause_writing(self) -> None:
        """The client reads more slowly than we write."""
        super().pause_writing()
        self._writing.start(self.transport)

    def resume_writing(self) -> None:
        """The client has caught up."""
        super().resume_writing()
        self._writing.stop()

    def connection_lost(self, exc: Exception | None) -> None:
        """Forget the deadline."""
        self._writing.stop()
        super().connection_lost(exc)

    def _count(self) -> bool:
        """Whether a frame is within the budget; if not, the connection ends."""
        if self.close_sent:
            return False
        if self._budget.take():
            return True
        self.conn.fail(POLICY_VIOLATION, "too many frames")
        self.transport.write(b"".join(self.conn.data_to_send()))
        self.close_sent = True
        self.transport.close()
        self._drop_unread()
        return False

    def _drop_unread(self) -> None:
        if self.transport.get_write_buffer_size():
            self.transport.abort()


def protocols(limits: Limits) -> tuple[type[TimedProtocol], type[CountedWebSocket]]:
    """The protocols of a server, with its limits: uvicorn makes one object of them for each connection."""
    http = type("HttpProtocol", (TimedProtocol,), {"limits": limits, "waiting": {}})
    return http, type("WebSocketProtocol", (CountedWebSocket,), {"limits": limits})
