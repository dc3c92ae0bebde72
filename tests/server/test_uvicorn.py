"""The parts of uvicorn that are not documented, and that `dragoman.server.running` uses.

If one of these fails after an upgrade, uvicorn has changed something that we rely on: adapt `running.py`, then raise
the upper bound of uvicorn in pyproject.toml.
"""

from __future__ import annotations

import asyncio
import inspect
from contextlib import closing

import uvicorn
from uvicorn.config import WS_PROTOCOLS
from uvicorn.protocols.http.h11_impl import H11Protocol


def test_the_protocol_has_the_methods_that_we_extend() -> None:
    for name, argument in (("connection_made", "transport"), ("handle_websocket_upgrade", "event")):
        assert list(inspect.signature(getattr(H11Protocol, name)).parameters) == ["self", argument], (
            f"uvicorn changed H11Protocol.{name}: slow requests and WebSockets are told apart by it"
        )


def test_the_protocol_tells_whether_a_request_has_arrived() -> None:
    config = uvicorn.Config(app=lambda: None, log_config=None)
    config.load()
    with closing(asyncio.new_event_loop()) as loop:
        protocol = H11Protocol(config, uvicorn.server.ServerState(), {}, _loop=loop)
    assert protocol.cycle is None, "uvicorn's protocol no longer has `cycle`, None until a request has arrived"
    assert "self.transport = " in inspect.getsource(H11Protocol.connection_made), "the protocol's `transport` is gone"


def test_the_websocket_implementation_that_we_name_is_there() -> None:
    assert "websockets-sansio" in WS_PROTOCOLS, "uvicorn no longer has the WebSocket implementation that we choose"


def test_a_server_tells_its_port_once_it_has_started() -> None:
    server = uvicorn.Server(uvicorn.Config(app=lambda: None, log_config=None))
    assert server.started is False, "`Server.started` is gone: in_background waits for it"
    assert server.should_exit is False, "`Server.should_exit` is gone: in_background stops the server with it"
    assert "self.servers" in inspect.getsource(uvicorn.Server.startup), "`Server.servers` is gone: it has the port"
