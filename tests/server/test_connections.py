"""Clients that send or read too slowly, or leave, cost the others nothing."""

from __future__ import annotations

import json
import socket
import threading
import time
from collections.abc import Iterator
from contextlib import ExitStack, suppress
from typing import Any

import httpx
import pytest
from websockets.exceptions import ConnectionClosed
from websockets.sync.client import connect

from dragoman.engine import Engine
from dragoman.records import Translation
from dragoman.server.limits import Limits
from tests.server.support import Running, make_projects, running
from tests.store.replicas import until

WHOLE = b"GET /health HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n"
HALF = b"GET /health HTTP/1.1\r\nHost: 127"
API = "/api/v1/projects/manual"
TERM = {"source": "valve", "target": "válvula"}


@pytest.fixture(scope="module")
def hasty(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Running]:
    """A server with short deadlines and few connections."""
    folder = tmp_path_factory.mktemp("hasty")
    make_projects(folder)
    limits = Limits(head_seconds=0.6, write_seconds=0.5, connections=40, messages=20, message_burst=30)
    with running(folder, limits=limits) as found:
        yield found


def dial(server: Running) -> socket.socket:
    return socket.create_connection(("127.0.0.1", server.port), timeout=5)


def ends(connection: socket.socket) -> bool:
    """Whether the server ends a connection, whatever it still sends."""
    with suppress(ConnectionResetError):
        while connection.recv(1 << 16):
            pass
    return True


def test_the_second_head_of_a_connection_has_a_deadline_too(hasty: Running) -> None:
    with dial(hasty) as connection:
        connection.sendall(WHOLE)
        assert connection.recv(1 << 16).startswith(b"HTTP/1.1 200")
        started = time.monotonic()
        connection.sendall(HALF)
        for _ in range(20):  # a byte now and then does not help
            time.sleep(0.1)
            try:
                connection.sendall(b"x")
            except OSError:
                break
        assert ends(connection)
        assert time.monotonic() - started < 4


def test_a_connection_that_is_used_goes_on_after_its_deadline(hasty: Running) -> None:
    with httpx.Client(base_url=hasty.url, trust_env=False, limits=httpx.Limits(max_connections=1)) as client:
        for _ in range(4):
            assert client.get("/health").status_code == 200
            time.sleep(0.3)


def test_connections_that_send_nothing_make_room_for_others(hasty: Running) -> None:
    with ExitStack() as opened:
        for _ in range(60):
            connection = opened.enter_context(dial(hasty))
            with suppress(OSError):
                connection.sendall(HALF)
        with hasty.client() as client:
            assert client.get("/health").status_code == 200


def test_a_client_that_does_not_read_is_cut_off(hasty: Running) -> None:
    with hasty.client() as client:
        page = {"name": "long", "segments": [{"source": "x" * 20_000}] * 40}
        number = client.post(f"{API}/documents", json=page).json()["id"]
        path = f"{API}/documents/{number}/segments"
    with socket.socket() as connection:
        connection.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        connection.connect(("127.0.0.1", hasty.port))
        with suppress(OSError):
            for _ in range(40):  # asked for again and again, never read
                connection.sendall(f"GET {path} HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n".encode())
        time.sleep(3)
        connection.settimeout(5)
        assert ends(connection)


def test_pings_and_empty_fragments_count_like_messages(hasty: Running) -> None:
    url = f"ws://127.0.0.1:{hasty.port}{API}/live"
    with connect(url, proxy=None, ping_interval=None) as loud:
        with suppress(ConnectionClosed):
            for _ in range(3000):
                loud.ping()
        with pytest.raises(ConnectionClosed):
            loud.recv(timeout=10)
    with connect(url, proxy=None) as quiet:
        quiet.send(json.dumps({"number": 1, "do": "open", "source": "Close the lid."}))
        assert json.loads(quiet.recv(timeout=20))["suffix"] == "Cierre la tapa."


def send(server: Running, path: str, body: object) -> socket.socket:
    """A request whose answer nobody reads yet."""
    data, connection = json.dumps(body).encode(), dial(server)
    head = f"POST {path} HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\nContent-Length: {len(data)}"
    connection.sendall(head.encode() + b"\r\n\r\n" + data)
    return connection


def test_what_waits_is_not_begun_once_its_client_is_gone(hasty: Running, monkeypatch: pytest.MonkeyPatch) -> None:
    begun, go_on, translate = [], threading.Event(), Engine.translate_text

    def slowly(engine: Engine, text: str, **options: Any) -> Translation:
        begun.append(text)
        go_on.wait(20)
        return translate(engine, text, **options)

    monkeypatch.setattr(Engine, "translate_text", slowly)
    with send(hasty, f"{API}/translations", {"texts": ["Close the lid."] * 100}):
        until(lambda: bool(begun))
    time.sleep(0.3)  # in which the server notices
    go_on.set()
    with hasty.client() as client:
        assert client.post(f"{API}/translations", json={"texts": ["Open the lid."]}).status_code == 200
    assert len(begun) < 10


def test_a_correction_that_has_begun_is_learned_even_if_its_client_is_gone(
    hasty: Running, monkeypatch: pytest.MonkeyPatch
) -> None:
    begun, go_on, learn = threading.Event(), threading.Event(), Engine.learn

    def slowly(engine: Engine, *texts: str, **options: Any) -> int:
        begun.set()
        go_on.wait(20)
        return learn(engine, *texts, **options)

    monkeypatch.setattr(Engine, "learn", slowly)
    with send(hasty, f"{API}/corrections", {"source": "Shut the valve.", "target": "Cierre la válvula."}):
        assert begun.wait(20)
    time.sleep(0.3)  # in which the server notices
    with hasty.client() as client:
        other = threading.Thread(target=client.put, args=[f"{API}/glossary"], kwargs={"json": TERM})
        other.start()
        time.sleep(0.2)
        assert other.is_alive()  # one change at a time, also after this one was abandoned
        go_on.set()
        other.join()
        assert client.get(f"{API}/corrections?search=valve").json()["corrections"][0]["target"] == "Cierre la válvula."


def test_many_translations_of_a_long_text_are_refused(hasty: Running) -> None:
    with hasty.client() as client:
        for body, status in (
            ({"texts": ["lid " * 4000], "n": 100}, 413),
            ({"texts": ["lid"] * 500, "n": 100}, 413),
            ({"texts": ["lid"] * 3, "n": 100}, 200),
        ):
            answer = client.post(f"{API}/translations", json=body)
            assert answer.status_code == status
        asked = {"q": "lid " * 4000, "source": "en", "target": "es", "alternatives": 99}
        assert client.post("/libretranslate/translate", json=asked).status_code == 413
