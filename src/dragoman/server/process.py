"""Running the server with uvicorn: listening, and finishing requests in flight when it is stopped."""

from __future__ import annotations

import ctypes
import logging
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from functools import partial
from typing import cast

import uvicorn
from fastapi import FastAPI

from dragoman.errors import BadInputError
from dragoman.server.app import create_app
from dragoman.server.config import Settings
from dragoman.server.connections import protocols
from dragoman.server.observability import set_up
from dragoman.server.registry import ProjectRegistry
from dragoman.server.startup import Startup, Tell

SWITCH_INTERVAL = 0.0002  # seconds after which a thread yields to another: the event loop waits so long at each socket
M_ARENA_MAX, M_MMAP_THRESHOLD, M_TRIM_THRESHOLD = -8, -3, -1  # options of glibc's mallopt
LARGE = 1 << 20  # bytes: what is larger is given back to the system when it is freed
OPEN_FILES = 10_240  # as many as macOS allows where it reports no limit
GRACE = 5  # seconds that requests in flight get when the server is stopped


def configure(
    settings: Settings, projects: ProjectRegistry | None = None, startup: Startup | None = None
) -> uvicorn.Config:
    """The configuration of uvicorn."""
    settings.check()
    limits = settings.limits

    http, websocket = protocols(limits)
    return uvicorn.Config(
        create_app(settings, projects, startup),
        host=settings.host,
        port=settings.port,
        http=http,
        ws=websocket,
        ws_max_size=limits.message,
        ws_max_queue=64,
        ws_per_message_deflate=False,  # messages are short and frequent
        limit_concurrency=limits.connections,
        ssl_certfile=settings.certificate,
        ssl_keyfile=settings.private_key,
        timeout_graceful_shutdown=GRACE,
        proxy_headers=False,  # who counts as local we decide ourselves
        server_header=False,
        access_log=False,
        log_config=None,
    )


def serve(
    settings: Settings, *, quiet: bool = False, prepare: Callable[[ProjectRegistry, Tell], object] | None = None
) -> None:
    """Serve until stopped; a project that was named and cannot be opened is an error.

    With `quiet`, only warnings and errors are logged. `prepare` is called in the background, when kernels are compiled
    and before the first request is answered.
    """
    settings.check()
    _allow_open_files()
    projects = ProjectRegistry(settings.paths, settings.follow)
    try:
        for name in projects.named:
            projects.get(name)
        set_up(logging.WARNING if quiet else logging.INFO)
        sys.setswitchinterval(SWITCH_INTERVAL)
        _bound_heaps()
        startup = Startup(partial(prepare, projects) if prepare else None)
        config = configure(settings, projects, startup)
        cast(FastAPI, config.app).state.context.owns_process = True
        uvicorn.Server(config).run()
    finally:
        projects.close()


def _bound_heaps() -> None:
    """Let large arrays that are freed go back to the system: glibc would keep them in the heap of their thread."""
    if sys.platform == "linux":
        with suppress(OSError, AttributeError):  # another C library than glibc
            library = ctypes.CDLL("libc.so.6")
            for option, value in ((M_ARENA_MAX, 2), (M_MMAP_THRESHOLD, LARGE), (M_TRIM_THRESHOLD, LARGE)):
                library.mallopt(option, value)


def _allow_open_files() -> None:
    """Allow this process as many open files as the system permits: each base keeps more than a hundred open."""
    if sys.platform == "win32":  # which has no such limit
        return
    import resource

    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    for wanted in (hard, max(soft, OPEN_FILES)):
        with suppress(ValueError, OSError):
            resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, hard))
            return


@contextmanager
def in_background(config: uvicorn.Config) -> Iterator[str]:
    """Serve in a thread of this process, for notebooks and tests; yields the address once everything is ready."""
    server, app = uvicorn.Server(config), cast(FastAPI, config.app)
    thread = threading.Thread(target=server.run)
    thread.start()
    try:
        while not (server.started and app.state.context.state == "ready"):
            if not thread.is_alive() or app.state.context.state == "failed":
                raise BadInputError("the server did not start", remedy="see its log, and check that the port is free")
            time.sleep(0.01)
        port = server.servers[0].sockets[0].getsockname()[1]
        yield f"http{'s' if config.is_ssl else ''}://{config.host}:{port}"
    finally:
        server.should_exit = True
        thread.join()
