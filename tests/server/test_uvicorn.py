"""The parts of uvicorn that are not documented, and that `dragoman.server.process` and `connections` use.

If one of these fails after an upgrade, uvicorn has changed something that we rely on: adapt these two, then raise
the upper bound of uvicorn in pyproject.toml.
"""

from __future__ import annotations

import asyncio
import inspect
from contextlib import closing

import pytest
import uvicorn
from uvicorn.protocols.http.h11_impl import H11Protocol, RequestResponseCycle
from uvicorn.protocols.websockets.websockets_sansio_impl import WebSocketsSansIOProtocol


@pytest.mark.parametrize(
    ("protocol", "methods"),
    [
        (
            H11Protocol,
            {
                "connection_made": ["transport"],
                "connection_lost": ["exc"],
                "handle_events": [],
                "handle_websocket_upgrade": ["event"],
                "on_response_complete": [],
                "timeout_keep_alive_handler": [],
                "pause_writing": [],
                "resume_writing": [],
            },
        ),
        (
            WebSocketsSansIOProtocol,
            {
                "connection_lost": ["exc"],
                "handle_ping": [],
                "handle_pong": ["event"],
                "handle_cont": ["event"],
                "keepalive_timeout": [],
                "pause_writing": [],
                "resume_writing": [],
            },
        ),
    ],
)
def test_the_protocols_have_the_methods_that_we_extend(protocol: type, methods: dict[str, list[str]]) -> None:
    for name, arguments in methods.items():
        assert list(inspect.signature(getattr(protocol, name)).parameters) == ["self", *arguments], (
            f"uvicorn changed {protocol.__name__}.{name}: deadlines depend on it"
        )


def test_the_protocol_tells_whether_a_request_has_arrived() -> None:
    config = uvicorn.Config(app=lambda: None, log_config=None)
    config.load()
    with closing(asyncio.new_event_loop()) as loop:
        protocol = H11Protocol(config, uvicorn.server.ServerState(), {}, _loop=loop)
    assert protocol.cycle is None, "uvicorn's protocol no longer has `cycle`, None until a request has arrived"
    assert "self.response_complete = False" in inspect.getsource(RequestResponseCycle), "when an answer is complete"
    assert "self.transport = " in inspect.getsource(H11Protocol.connection_made), "the protocol's `transport` is gone"


def test_a_server_tells_its_port_once_it_has_started() -> None:
    server = uvicorn.Server(uvicorn.Config(app=lambda: None, log_config=None))
    assert server.started is False, "`Server.started` is gone: in_background waits for it"
    assert server.should_exit is False, "`Server.should_exit` is gone: in_background stops the server with it"
    assert "self.servers" in inspect.getsource(uvicorn.Server.startup), "`Server.servers` is gone: it has the port"
