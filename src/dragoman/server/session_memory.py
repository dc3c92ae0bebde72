"""How much memory live sessions take: each of them, those of a key, and all together are bounded."""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable

from dragoman.server.api_errors import ApiError
from dragoman.server.limits import Limits


class SessionMemory:
    """Bytes by session; a session that grows too large, or for which there is no room, is refused.

    >>> memory = SessionMemory(Limits(session_bytes=10, key_bytes=15, live_bytes=20))
    >>> memory.set("ana", 1, 10)
    >>> memory.set("ana", 2, 9)
    Traceback (most recent call last):
    ...
    dragoman.server.api_errors.ApiError: the live sessions of this key take too much memory
    >>> memory.total
    10
    """

    def __init__(self, limits: Limits) -> None:
        self._limits = limits
        self._sizes: dict[Hashable, tuple[str, int]] = {}
        self._of: Counter[str] = Counter()  # bytes by client
        self.total = 0

    def set(self, client: str, session: Hashable, size: int) -> None:
        """Record how large a session is now; if that is too much, it counts as closed, and has to be."""
        self.drop(session)
        if size > self._limits.session_bytes:
            raise ApiError(413, "this text takes too much memory in a live session", "open it in shorter pieces")
        if self._of[client] + size > self._limits.key_bytes:
            what, remedy = "the live sessions of this key take too much memory", "close some of them, or open less text"
            raise ApiError(429, what, remedy)
        if self.total + size > self._limits.live_bytes:
            raise ApiError(503, "live sessions take all the memory there is for them", "try again in a moment")
        self._sizes[session] = client, size
        self._of[client] += size
        self.total += size

    def drop(self, session: Hashable) -> None:
        """Forget a session that is closed."""
        client, size = self._sizes.pop(session, ("", 0))
        self.total -= size
        self._of[client] -= size
        if self._of[client] <= 0:
            del self._of[client]
