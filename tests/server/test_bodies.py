"""Bodies of requests: who may send one is decided by the head, and all of them together are bounded."""

from __future__ import annotations

import asyncio
import socket
import tempfile
import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from dragoman.server.api_errors import ApiError
from dragoman.server.bodies import BodyBudget
from dragoman.server.job_files import PREFIX, JobFiles
from dragoman.server.jobs import Job, Jobs
from dragoman.server.keys import Keys
from dragoman.server.limits import Limits
from dragoman.server.workers import FairQueue
from tests.server.support import SMALL, Running, make_projects, running
from tests.store.replicas import until

IMPORTS = "/api/v1/projects/manual/imports?name=page.txt"
LINES = "".join(f"Close the lid number {n}.\n" for n in range(1000)).encode()  # more than a buffer
TIGHT = replace(SMALL, buffer=5_000, body_seconds=5.0, body_bytes_each=60_000, anonymous_body=10_000, jobs=1)


@pytest.fixture(scope="module")
def tight(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Running, dict[str, str]]]:
    """A server with narrow limits, and a key for each role."""
    folder = tmp_path_factory.mktemp("tight")
    make_projects(folder / "projects")
    made = Keys(folder / "keys.json")
    keys = {role: made.add(role, {"manual": role}) for role in ("read", "learn")}
    with running(folder / "projects", keys=folder / "keys.json", limits=TIGHT) as server:
        yield server, keys


def begun(server: Running, path: str, key: str | None, length: int) -> socket.socket:
    """A request whose head has arrived, and half of its body."""
    connection = socket.create_connection(("127.0.0.1", server.port), timeout=10)
    sent = f"Authorization: Bearer {key}\r\n" if key else ""
    head = (
        f"POST {path} HTTP/1.1\r\nHost: x\r\n{sent}Content-Type: application/json\r\nContent-Length: {length}\r\n\r\n"
    )
    connection.sendall(head.encode() + b"x" * (length // 2))
    return connection


def status(connection: socket.socket) -> int:
    with connection:
        return int(connection.recv(4096).split()[1])


@pytest.mark.parametrize(
    ("path", "role", "expected"),
    [
        (IMPORTS, "read", 403),  # the role is known to be missing
        (IMPORTS, None, 401),
        ("/api/v1/projects/manual/corrections", "read", 403),
        ("/api/v1/projects/manual/corrections", None, 401),
        ("/api/v1/projects/secret/corrections", "learn", 403),
        ("/libretranslate/translate", None, 413),  # whose key may be in the body: but a small one
    ],
)
def test_whoever_may_not_send_a_body_is_told_so_before_it_has_arrived(
    tight: tuple[Running, dict[str, str]], path: str, role: str | None, expected: int
) -> None:
    server, keys = tight
    assert status(begun(server, path, keys[role] if role else None, 18_000)) == expected


def test_what_one_key_sends_at_the_same_time_is_bounded_and_given_back(tight: tuple[Running, dict[str, str]]) -> None:
    server, keys = tight
    first = begun(server, IMPORTS, keys["learn"], 50_000)
    time.sleep(0.2)  # until the first one has been counted
    assert status(begun(server, IMPORTS, keys["learn"], 50_000)) == 429
    first.close()
    with server.client(keys["learn"]) as client:
        deadline = time.monotonic() + 10
        while (answer := client.post(IMPORTS, content=LINES)).status_code == 429:
            assert time.monotonic() < deadline
    assert answer.status_code == 202


def test_a_large_body_goes_through_a_file_whole(tight: tuple[Running, dict[str, str]]) -> None:
    server, keys = tight
    with server.client(keys["learn"]) as client:
        deadline = time.monotonic() + 30
        while (answer := client.post(IMPORTS, content=LINES)).status_code == 429:  # the job of the test before
            assert time.monotonic() < deadline
        job = answer.json()
        while job["state"] not in ("done", "failed"):
            assert time.monotonic() < deadline
            job = client.get(f"/api/v1/projects/manual/jobs/{job['id']}").json()
        assert (job["state"], job["total"]) == ("done", 1000)
    until(lambda: left(server) == [])


def left(server: Running) -> list[str]:
    """The files of jobs and bodies that are still there."""
    folder: Path = server.app.state.context.jobs.files.folder()
    return [each.name for each in folder.iterdir() if each.name != "claim"]


def test_refused_uploads_leave_nothing_on_disk(tmp_path: Path) -> None:
    make_projects(tmp_path)
    with running(tmp_path, limits=replace(TIGHT, jobs=0)) as server, server.client() as client:
        for _ in range(3):
            assert client.post(IMPORTS, content=LINES).status_code == 429
        until(lambda: left(server) == [])


def test_the_files_of_a_server_that_was_killed_are_removed_by_the_next(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    dead = tmp_path / f"{PREFIX}dead"
    dead.mkdir()
    (dead / "upload").write_bytes(b"somebody's text")
    private, link = tmp_path / "private", tmp_path / f"{PREFIX}link"
    private.mkdir()
    link.symlink_to(private)
    living, other = JobFiles(1 << 20, 60), JobFiles(1 << 20, 60)
    kept = living.spool(b"being worked on")
    other.sweep()
    assert (dead.exists(), kept.read_bytes()) == (False, b"being worked on")
    living.close()
    assert sorted(tmp_path.iterdir()) == [link, private]
    assert list(private.iterdir()) == []


def test_a_client_has_only_so_much_on_disk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    files = JobFiles(1 << 20, 60, most_each=100)
    first = files.keep([b"x" * 60], "ana")
    second = files.keep([b"x" * 60], "ana")  # results make room for newer ones,
    assert (first.exists(), second.exists()) == (False, True)
    files.spool(b"x" * 100, "ben")
    with pytest.raises(ApiError, match="waiting to be read"):  # uploads do not
        files.spool(b"x", "ben")
    files.close()


def test_the_budget_of_bodies() -> None:
    budget = BodyBudget(most=100, each=60)
    budget.take("ana", 60)
    with pytest.raises(ApiError, match="this client"):
        budget.take("ana", 1)
    with pytest.raises(ApiError, match="the server is receiving"):
        budget.take("ben", 40)
    budget.take("ben", 20)
    with pytest.raises(ApiError, match="the server is receiving"):
        budget.take("eve", 11)
    budget.take("eve", 10)  # half of what the others have left: some always is
    budget.give("ana", 60)
    budget.take("eve", 20)


def test_small_jobs_of_a_client_go_first_and_no_client_has_all_places() -> None:
    async def run() -> list[str]:
        queue, order = FairQueue(2, 1, 100, 100), list[str]()

        async def job(client: str, size: int) -> None:
            async with queue.turn(client, size):
                order.append(f"{client}{size}")
                await asyncio.sleep(0)

        await asyncio.gather(*(job("a", size) for size in (9, 5, 1)), job("b", 7))
        return order

    assert asyncio.run(run()) == ["a9", "b7", "a1", "a5"]


def test_the_jobs_of_one_client_do_not_keep_those_of_others_waiting() -> None:
    async def run() -> str:
        jobs, done = Jobs(Limits(jobs_running=4, jobs=10)), asyncio.Event()

        async def long(_: Job) -> None:
            await done.wait()

        async def short(_: Job) -> None:
            return

        for _ in range(6):
            jobs.start(Job("import", "alpha", client="ana"), long)
        small = jobs.start(Job("export", "beta", client="ben"), short)
        for _ in range(10):
            await asyncio.sleep(0)
        state = small.state
        done.set()
        await jobs.stop()
        return state

    assert asyncio.run(run()) == "done"


def test_a_project_that_hangs_leaves_a_place_to_the_others() -> None:
    async def run() -> list[str]:
        queue, hung, order = FairQueue(3, 2, 100, 100), asyncio.Event(), list[str]()

        async def work(client: str, project: str) -> None:
            await queue.enter(client, group=project)
            order.append(f"{client} {project}")
            if project == "hangs":
                await hung.wait()
            queue.leave(client, 0.1, project)

        stuck = [asyncio.create_task(work(client, "hangs")) for client in ("ana", "ben", "eve", "ida")]
        await asyncio.sleep(0)
        await asyncio.wait_for(work("sue", "works"), 5)
        hung.set()
        await asyncio.gather(*stuck)
        return order

    assert asyncio.run(run()) == ["ana hangs", "ben hangs", "sue works", "eve hangs", "ida hangs"]
