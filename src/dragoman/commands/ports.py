"""Ports of this machine: whether one is free, and when a server is listening there."""

from __future__ import annotations

import errno
import socket
import threading
import time
from collections.abc import Callable

from dragoman.errors import BadInputError

EVERYWHERE = {"0.0.0.0": "127.0.0.1", "::": "::1"}  # noqa: S104 (where to reach a server that listens on all addresses)


def free_port(host: str, port: int) -> int:
    """The port, if it is free; for 0, any free port."""
    try:
        family, _, _, _, address = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE)[0]
        with socket.create_server(address[:2], family=family) as free:
            return int(free.getsockname()[1])
    except OSError as error:
        if error.errno == errno.EADDRINUSE:
            remedy = "stop the program that uses it, or choose another port with --port"
            raise BadInputError(f"port {port} on {host} is already in use", remedy=remedy) from None
        what = f"cannot listen on {host} port {port} ({error.strerror or error})"
        raise BadInputError(what, remedy="choose another address with --host and --port") from None


def once_listening(host: str, port: int, act: Callable[[], object]) -> None:
    """Do something in the background as soon as a server is listening."""

    def wait() -> None:
        while True:
            try:
                socket.create_connection((EVERYWHERE.get(host, host), port), timeout=1).close()
            except OSError:
                time.sleep(0.1)
            else:
                act()
                return

    threading.Thread(target=wait, daemon=True).start()
