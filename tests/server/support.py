"""A real server on a port of its own, in a thread; and what it starts with."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, cast

import httpx
import uvicorn
from fastapi import FastAPI

from dragoman.engine import Engine
from dragoman.server.config import Settings
from dragoman.server.limits import Limits
from dragoman.server.process import configure, in_background
from dragoman.server.startup import Preparation, Startup

PAIRS = [
    ("Press the green button.", "Pulse el botón verde."),
    ("Press the red button.", "Pulse el botón rojo."),
    ("Close the lid.", "Cierre la tapa."),
    ("Open the lid.", "Abra la tapa."),
    ("Remove the drip tray.", "Retire la bandeja de goteo."),
    ("The green light is on.", "La luz verde está encendida."),
]


@dataclass
class Running:
    """A server that is running."""

    port: int
    folder: Path
    app: Any

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    def client(self, key: str | None = None) -> httpx.Client:
        headers = {"Authorization": f"Bearer {key}"} if key else {}
        return httpx.Client(base_url=self.url, headers=headers, timeout=30, trust_env=False)


@contextmanager
def running(folder: Path, **settings: Any) -> Iterator[Running]:
    """A server on the projects of a folder, ready; it is stopped afterwards as by ^C."""
    config = configure(Settings(paths=(folder,), port=0, **settings))
    with in_background(config) as address:
        yield Running(int(address.rpartition(":")[2]), folder, config.app)


@contextmanager
def starting(folder: Path, prepare: Preparation) -> Iterator[httpx.Client]:
    """A server that is listening; it is not ready before `prepare` returns."""
    config = configure(Settings(paths=(folder,), port=0), startup=Startup(prepare))
    server = uvicorn.Server(config)
    thread = threading.Thread(target=server.run)
    thread.start()
    while not server.started:
        assert thread.is_alive()
    try:
        port = server.servers[0].sockets[0].getsockname()[1]
        with httpx.Client(base_url=f"http://127.0.0.1:{port}", timeout=60, trust_env=False) as client:
            yield client
    finally:
        cast(FastAPI, config.app).state.context.startup.warming.stop()
        server.should_exit = True
        thread.join()


def make_projects(folder: Path) -> None:
    """`manual` from English to Spanish, which has learned, and `other` from English to French, which has not."""
    with Engine.create(folder / "manual", source="en", target="es") as engine:
        for source, target in PAIRS:
            engine.learn(source, target)
    Engine.create(folder / "other", source="en", target="fr").close()


SMALL = Limits(
    body=20_000, upload=100_000, body_seconds=0.5, head_seconds=0.5, messages=20, message_burst=30, text=2_000
)
