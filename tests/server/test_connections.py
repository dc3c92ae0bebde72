"""Clients that send or read too slowly, or leave, cost the others nothing."""

from __future__ import annotations

import json
import socket
import time
from collections.abc import Iterator
from contextlib import ExitStack, suppress

import httpx
import pytest
from websockets.exceptions import ConnectionClosed
from websockets.sync.client import connect

from dragoman.server.limits import Limits
from tests.server.support import Running, make_projects, running

pytestmark = pytest.mark.kernels
WHOLE = b"GET /health HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n"
HALF = b"GET /health HTTP/1.1\r\nHost: 127"
API = "/api/v1/projects/manual"


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
    with connect(url, proxy=None, ping_interval=None) as loud, pytest.raises(ConnectionClosed):
        for _ in range(3000):
            loud.ping()
        loud.recv(timeout=10)
    with connect(url, proxy=None) as quiet:
        quiet.send(json.dumps({"number": 1, "do": "open", "source": "Close the lid."}))
        assert json.loads(quiet.recv(timeout=20))["suffix"] == "Cierre la tapa."
