"""Requests that wait for a replica wake up as soon as it knows what they need, and share one thread."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable

import pytest

from dragoman.errors import StorageError
from dragoman.server.revision_watch import RevisionWatch
from dragoman.store import BehindError


class Replica:
    """An engine that follows, as far as a watch sees it."""

    def __init__(self) -> None:
        self.revision = 0
        self.asked: list[int] = []
        self.lost = False
        self._news = threading.Condition()

    def advance(self, revision: int) -> None:
        with self._news:
            self.revision = revision
            self._news.notify_all()

    def wait_for(self, revision: int, timeout: float) -> None:
        self.asked.append(revision)
        if self.lost:
            raise StorageError("cannot reach the database")
        with self._news:
            if not self._news.wait_for(lambda: self.revision >= revision, timeout):
                raise BehindError("is behind")


class Threads:
    """Runs functions in threads, and counts how many at a time."""

    def __init__(self) -> None:
        self.running = self.most = 0

    async def __call__(self, function: Callable[[], None]) -> None:
        self.running += 1
        self.most = max(self.most, self.running)
        try:
            await asyncio.to_thread(function)
        finally:
            self.running -= 1


def test_many_requests_share_one_thread_and_each_wakes_at_its_revision() -> None:
    async def scenario() -> None:
        replica, threads = Replica(), Threads()
        watch = RevisionWatch(replica)
        waiting = [asyncio.create_task(watch.wait(n % 3 + 1, 20, threads)) for n in range(60)]
        while not replica.asked:
            await asyncio.sleep(0)
        replica.advance(1)
        assert await waiting[0]
        assert not waiting[1].done()
        replica.advance(3)
        assert all(await asyncio.gather(*waiting))
        assert threads.most == 1
        assert len(replica.asked) < 10  # not polled

    asyncio.run(scenario())


def test_a_revision_that_does_not_come_is_waited_for_so_long_and_no_longer() -> None:
    async def scenario() -> None:
        replica = Replica()
        watch = RevisionWatch(replica)
        assert await watch.wait(5, 0.05, Threads()) is False
        assert await watch.wait(5, 0, Threads()) is False
        replica.advance(5)
        assert await watch.wait(5, 0, Threads()) is True

    asyncio.run(scenario())


def test_a_replica_that_cannot_follow_tells_those_who_wait() -> None:
    async def scenario() -> None:
        replica = Replica()
        replica.lost = True
        with pytest.raises(StorageError, match="cannot reach"):
            await RevisionWatch(replica).wait(5, 20, Threads())

    asyncio.run(scenario())
