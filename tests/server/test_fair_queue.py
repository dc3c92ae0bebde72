"""Clients take turns, whatever each of them sends, and those who leave are not waited for."""

from __future__ import annotations

import asyncio

import pytest

from dragoman.server.api_errors import ApiError
from dragoman.server.workers import FairQueue


def served(places: int, each: int, asked: list[str], seconds: dict[str, float]) -> list[str]:
    """The order in which clients are served that ask for one place after another."""

    async def run() -> list[str]:
        queue, order = FairQueue(places, each, 100, 100), []
        await queue.enter("first")  # so that all others have to wait

        async def ask(client: str) -> None:
            await queue.enter(client)
            order.append(client)
            await asyncio.sleep(0)
            queue.leave(client, seconds.get(client, 1.0))

        asking = [asyncio.create_task(ask(client)) for client in asked]
        await asyncio.sleep(0)
        queue.leave("first", 0.0)
        await asyncio.gather(*asking)
        return order

    return asyncio.run(run())


def test_a_single_request_does_not_wait_behind_the_many_of_another() -> None:
    assert served(1, 1, ["loud"] * 5 + ["quiet"], {}).index("quiet") <= 1


def test_a_client_pays_for_the_time_that_its_work_takes() -> None:
    order = served(1, 1, ["dear"] * 3 + ["cheap"] * 6, {"dear": 3.0})
    assert order.index("cheap") == 1
    assert order[1:4] == ["cheap"] * 3
    assert sorted(order) == ["cheap"] * 6 + ["dear"] * 3


def test_no_client_takes_the_last_place() -> None:
    async def run() -> None:
        queue = FairQueue(3, 2, 100, 100)
        for _ in range(2):
            await queue.enter("loud")
        waiting = asyncio.create_task(queue.enter("loud"))
        await asyncio.sleep(0)
        await asyncio.wait_for(queue.enter("quiet"), 1)
        assert not waiting.done()
        queue.leave("loud", 1.0)
        await asyncio.wait_for(waiting, 1)

    asyncio.run(run())


def test_whoever_was_idle_has_no_credit() -> None:
    async def run() -> list[str]:
        queue, order = FairQueue(1, 1, 100, 100), []
        for _ in range(10):
            async with queue.turn("busy"):
                pass
        await queue.enter("busy")

        async def ask(client: str) -> None:
            await queue.enter(client)
            order.append(client)
            queue.leave(client, 1.0)

        asking = [asyncio.create_task(ask(client)) for client in ["new"] * 4 + ["busy"] * 4]
        await asyncio.sleep(0)
        queue.leave("busy", 0.5)
        await asyncio.gather(*asking)
        return order

    assert set(asyncio.run(run())[:3]) == {"new", "busy"}


def test_what_stops_waiting_leaves_no_trace() -> None:
    async def run() -> None:
        queue = FairQueue(1, 1, 3, 3)
        await queue.enter("a")
        waiting = [asyncio.create_task(queue.enter("b")) for _ in range(3)]
        await asyncio.sleep(0)
        with pytest.raises(ApiError, match="busy"):
            await queue.enter("c")
        for each in waiting:
            each.cancel()
        await asyncio.gather(*waiting, return_exceptions=True)
        queue.leave("a", 1.0)
        await asyncio.wait_for(queue.enter("c"), 1)

    asyncio.run(run())


def test_a_place_given_to_one_who_leaves_in_the_same_moment_is_free_again() -> None:
    async def run() -> None:
        queue = FairQueue(1, 1, 3, 3)
        await queue.enter("a")
        waiting = asyncio.create_task(queue.enter("b"))
        await asyncio.sleep(0)
        queue.leave("a", 1.0)  # b is called here, and has not noticed yet
        waiting.cancel()
        await asyncio.gather(waiting, return_exceptions=True)
        await asyncio.wait_for(queue.enter("c"), 1)

    asyncio.run(run())


def test_one_client_may_have_only_so_many_waiting() -> None:
    async def run() -> None:
        queue = FairQueue(1, 1, 100, 2)
        await queue.enter("loud")
        waiting = [asyncio.create_task(queue.enter("loud")) for _ in range(2)]
        await asyncio.sleep(0)
        with pytest.raises(ApiError) as refused:
            await queue.enter("loud")
        assert refused.value.status == 429
        for each in waiting:
            each.cancel()

    asyncio.run(run())
