"""What a server is started with; each number with what it guards against."""

from __future__ import annotations

import ipaddress
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from dragoman.errors import BadInputError

Root = Literal["libretranslate", "modernmt", "apertium"]
Follow = Literal["replica", "standby"]


@dataclass(frozen=True)
class Limits:
    """How much one may ask for."""

    body: int = 1 << 20  # bytes of a request,
    upload: int = 64 << 20  # and of a document
    body_seconds: float = 30.0  # in which a body has to arrive: slow ones hold a connection
    head_seconds: float = 20.0  # in which the first request of a connection has to arrive
    text: int = 20_000  # characters of one text
    texts: int = 500  # texts of one request
    nbest: int = 100
    requests: float = 500.0  # a second for each key or address, on average,
    burst: float = 1000.0  # and at once
    messages: float = 100.0  # a second in each live session, on average,
    message_burst: float = 200.0  # and at once
    message: int = 1 << 16  # bytes of a message in a live session
    sessions: int = 100  # live sessions at once for each key or address
    jobs: int = 4  # imports and exports at once for each project
    behind_seconds: float = 2.0  # that a request waits for a revision which a replica does not know yet
    waiting: int = 1000  # requests waiting for a thread, above which the server says it is busy
    connections: int = 2000


@dataclass(frozen=True)
class Settings:
    """Where projects are, who may come in, and how much they may ask for."""

    paths: tuple[Path, ...] = ()  # projects, or directories with projects in them
    keys: Path | None = None
    root: Root | None = None  # the compatible interface that also answers at the root
    follow: Follow | None = None  # journals that another process writes, to take over from it if a standby
    host: str = "127.0.0.1"
    port: int = 8765
    certificate: Path | None = None
    private_key: Path | None = None
    insecure: bool = False  # keys may cross the network unencrypted: something in front of us does TLS
    free_loopback: bool = False  # programs on this machine need no key although there are keys
    limits: Limits = Limits()

    @property
    def is_guarded(self) -> bool:
        """Whether everybody needs a key."""
        return self.keys is not None and not self.free_loopback

    def check(self) -> None:
        """Refuse to listen to the network without keys, or without TLS unless somebody insists."""
        if is_loopback(self.host):
            return
        if self.keys is None:
            remedy = "make keys with `dragoman keys add` and name their file with --keys"
            raise BadInputError(f"{self.host} can be reached from other machines, and there are no keys", remedy=remedy)
        if self.certificate is None and not self.insecure:
            remedy = "name --certificate and --private-key, or insist with --insecure if a proxy in front does TLS"
            raise BadInputError(f"{self.host} can be reached from other machines, without TLS", remedy=remedy)


def is_loopback(host: str) -> bool:
    """Whether a host is this machine.

    >>> is_loopback("127.0.0.1"), is_loopback("localhost"), is_loopback("[::1]"), is_loopback("0.0.0.0")
    (True, True, True, False)
    """
    if host == "localhost":
        return True
    try:
        address = ipaddress.ip_address(host.strip("[]"))
    except ValueError:
        return False
    mapped = getattr(address, "ipv4_mapped", None)
    return bool((mapped or address).is_loopback)
