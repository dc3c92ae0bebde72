"""`dragoman serve` and `dragoman project keys`, run as their users run them."""

from __future__ import annotations

import json
import re
import resource
import shutil
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import httpx
import pytest

from dragoman.cli import main
from dragoman.engine import Engine
from dragoman.errors import StorageError
from dragoman.server.keys import Keys
from tests.server.support import PAIRS, make_projects, running

pytestmark = pytest.mark.outside


def run(monkeypatch: pytest.MonkeyPatch, *arguments: str) -> int:
    """Run a command in this process; its exit code."""
    monkeypatch.setattr(sys, "argv", ["dragoman", *arguments])
    with pytest.raises(SystemExit) as ended:
        main()
    return int(ended.value.code or 0)


@contextmanager
def serving(
    *arguments: str, before: Callable[[], None] | None = None
) -> Iterator[tuple[subprocess.Popen[str], httpx.Client, list[str]]]:
    """A server in a process of its own, once it is ready; what it logs is read as it comes, lest it waits for that."""
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    command = [sys.executable, "-m", "dragoman", "serve", *arguments, "--port", str(port)]
    with (
        subprocess.Popen(command, stderr=subprocess.PIPE, text=True, preexec_fn=before) as process,
        httpx.Client(base_url=f"http://127.0.0.1:{port}", timeout=30, trust_env=False) as client,
    ):
        log: list[str] = []
        reading = threading.Thread(target=lambda: log.extend(process.stderr or ()))
        reading.start()
        try:
            _wait(process, client, log)
            yield process, client, log
        finally:
            process.kill()
            reading.join()


def _wait(process: subprocess.Popen[str], client: httpx.Client, log: list[str]) -> None:
    while True:
        assert process.poll() is None, log
        try:
            if client.get("/ready").status_code == 200:
                return
        except httpx.TransportError:
            pass
        time.sleep(0.05)


def test_what_was_acknowledged_is_there_after_stopping_in_the_middle(tmp_path: Path) -> None:
    make_projects(tmp_path)
    acknowledged: list[int] = []
    with serving(str(tmp_path / "manual")) as (process, client, log):

        def teach(who: int) -> None:
            for n in range(1000):
                texts = {"source": f"Press button {who} {n}.", "target": f"Pulse el botón {who} {n}."}
                try:
                    answer = client.post("/api/v1/projects/manual/corrections", json=texts)
                except httpx.TransportError:
                    return
                if answer.status_code != 201:
                    return
                acknowledged.append(answer.json()["id"])

        people = [threading.Thread(target=teach, args=(who,)) for who in range(4)]
        for person in people:
            person.start()
        while len(acknowledged) < 40:
            time.sleep(0.01)
        process.send_signal(signal.SIGTERM)
        for person in people:
            person.join()
        assert process.wait(30) in (0, -signal.SIGTERM)
    lines = [json.loads(line) for line in log if line.startswith("{")]
    assert [line["event"] for line in lines][-1] == "stopped"
    with Engine.open(tmp_path / "manual") as engine:  # nobody holds it any more
        assert set(acknowledged) <= {row.id for row in engine.history(5000)}
        assert engine.warnings == []


def test_a_file_of_keys_is_for_programs_on_this_machine_too(tmp_path: Path) -> None:
    make_projects(tmp_path / "projects")
    Keys(tmp_path / "keys.json").add("ana", {"manual": "read"})
    arguments = str(tmp_path / "projects"), "--keys", str(tmp_path / "keys.json")
    for more, status in (((), 401), (("--free-loopback",), 200)):
        with serving(*arguments, *more) as (_, client, _):
            assert client.get("/api/v1/projects").status_code == status


@pytest.mark.parametrize(("hard", "enough"), [(4000, True), (300, False)])
def test_many_bases_are_open_at_once_or_the_limit_is_named(tmp_path: Path, hard: int, enough: bool) -> None:
    with Engine.create(tmp_path / "base-0", source="en", target="es") as engine:
        engine.train(PAIRS)
    for n in (1, 2):
        shutil.copytree(tmp_path / "base-0", tmp_path / f"base-{n}")

    def limit() -> None:
        resource.setrlimit(resource.RLIMIT_NOFILE, (300, hard))

    with serving(str(tmp_path), before=limit) as (_, client, _):
        answers = [client.get(f"/api/v1/projects/base-{n}") for n in range(3)]
    refused = [answer.json()["error"] for answer in answers if answer.status_code == 503]
    assert enough == (not refused)
    assert all("too many open files" in error["what"] and "ulimit -n" in error["remedy"] for error in refused)


def test_what_cannot_be_served_is_one_clear_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    make_projects(tmp_path)
    for arguments, said in (
        ([str(tmp_path / "manual")], "is open for writing by process"),
        ([str(tmp_path / "nowhere")], "neither a project nor a directory"),
        ([str(tmp_path), "--root", "google"], "choose libretranslate"),
        ([str(tmp_path), "--host", "0.0.0.0"], "dragoman project keys add"),  # noqa: S104
        ([str(tmp_path), "--keys", str(tmp_path / "nowhere")], "no such file; create a first key"),
        ([str(tmp_path), "--keys", str(tmp_path / "manual" / "project.json")], "is not a key file"),
    ):
        with Engine.open(tmp_path / "manual"):
            assert run(monkeypatch, "serve", *arguments) == 2
        (line,) = capsys.readouterr().err.splitlines()
        assert said in line


def test_a_port_that_is_taken_is_one_clear_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    make_projects(tmp_path)
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        assert run(monkeypatch, "serve", str(tmp_path), "--port", str(port)) == 2
    (line,) = capsys.readouterr().err.splitlines()
    assert line.startswith(f"dragoman: port {port} on 127.0.0.1 is already in use; stop the program")


def test_it_says_where_it_listens_once_it_does(tmp_path: Path) -> None:
    make_projects(tmp_path)
    command = [sys.executable, "-m", "dragoman", "serve", str(tmp_path), "--port", "0"]
    with subprocess.Popen(command, stderr=subprocess.PIPE, text=True) as process:
        found = (re.match(r"listening at (http://127\.0\.0\.1:\d+) ", line) for line in process.stderr or ())
        address = next(match[1] for match in found if match)
        assert httpx.get(f"{address}/health", trust_env=False).status_code == 200
        process.terminate()


def test_keys_are_made_listed_and_taken_away(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    file = str(tmp_path / "keys.json")

    def keys(*arguments: str) -> tuple[int, str]:
        code = run(monkeypatch, "project", "keys", *arguments)
        said = capsys.readouterr()
        return code, said.out + said.err

    assert "no such file; create a first key" in keys("list", file)[1]
    assert "no such directory" in keys("add", str(tmp_path / "nosuch" / "keys.json"), "ana")[1]
    assert not (tmp_path / "nosuch").exists()
    assert "Example: dragoman project keys add" in keys("--help")[1]
    code, key = keys("add", file, "ana", "--project", "manual", "--project", "other", "--role", "learn")
    assert code == 0
    assert re.fullmatch(r"dragoman_[\w-]{43}\n", key)
    assert keys("list", file) == (0, "ana: learn in manual, learn in other\n")
    assert json.loads(keys("list", file, "--json")[1])[0]["name"] == "ana"
    assert keys("add", file, "ana")[0] == 2
    assert "unknown role 'king'" in keys("add", file, "ben", "--role", "king")[1]
    assert keys("remove", file, "ana")[0] == 0
    assert keys("remove", file, "ana")[0] == 2
    Path(file).write_text("damaged")
    assert "is not a key file" in keys("list", file)[1]


HANGING = """
import sys, time
from dragoman.editor import edited_project
from dragoman.cli import main
edited_project.read_document = lambda *_, **__: time.sleep(600)  # a file that takes for ever
from dragoman.server import file_readers
file_readers.COMMAND = (sys.executable, "-c", "import time; time.sleep(600)")  # and one that another process reads
main()
"""


@pytest.mark.parametrize("size", [1, 20_000])
def test_a_server_that_is_told_to_stop_ends_soon_whatever_is_running(tmp_path: Path, size: int) -> None:
    make_projects(tmp_path)
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    command = [sys.executable, "-c", HANGING, "serve", str(tmp_path), "--port", str(port)]
    with subprocess.Popen(command, stderr=subprocess.DEVNULL, text=True) as process:
        try:
            with httpx.Client(base_url=f"http://127.0.0.1:{port}", timeout=30, trust_env=False) as client:
                _wait(process, client, [])
                place = "/api/v1/projects/manual"
                client.post(f"{place}/imports?name=page.txt", content=b"Close the lid.\n" * size)
                client.post(f"{place}/corrections", json={"source": "Lift the lid.", "target": "Levante la tapa."})
            children = Path(f"/proc/{process.pid}/task/{process.pid}/children")
            begun = children.read_text().split() if children.exists() else []
            process.send_signal(signal.SIGTERM)
            process.wait(timeout=30)  # of which it takes ten at most, on a machine that is not busy
        finally:
            process.kill()
    assert not any(Path(f"/proc/{child}").exists() for child in begun)
    with Engine.open(tmp_path / "manual") as engine:
        assert engine.exact_match("Lift the lid.") is not None


def test_a_server_whose_disk_is_full_says_so_when_it_is_asked_whether_it_is_ready(tmp_path: Path) -> None:
    make_projects(tmp_path)
    with running(tmp_path) as server, server.client() as client:
        project = server.app.state.context.projects.get("manual")
        place, pair = "/api/v1/projects/manual/corrections", {"source": "Lift the lid.", "target": "Levante la tapa."}
        learn = project.engine.learn

        def full(*_: object, **__: object) -> int:
            raise StorageError("database or disk is full")

        project.engine.learn = full
        assert client.post(place, json=pair).status_code == 503
        assert client.get("/ready").json()["projects"] == ["manual"]
        project.engine.learn = learn
        assert client.post(place, json=pair).status_code in (200, 201)
        assert client.get("/ready").json()["projects"] == []
