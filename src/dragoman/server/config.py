"""The settings a server is started with."""

from __future__ import annotations

import ipaddress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

from dragoman.errors import BadInputError
from dragoman.server.limits import Limits

Root = Literal["libretranslate", "modernmt", "apertium"]
Follow = Literal["replica", "standby"]


@dataclass(frozen=True)
class Settings:
    """Which projects are served, to whom, and within which limits."""

    paths: tuple[Path, ...] = ()  # projects, or directories of projects
    keys: Path | None = None  # file of API keys
    root: Root | None = None  # the compatible API that is also served at /
    follow: Follow | None = None  # follow journals written by another process; a standby takes over from it
    host: str = "127.0.0.1"
    port: int = 8765
    certificate: Path | None = None
    private_key: Path | None = None
    insecure: bool = False  # allow keys to cross the network unencrypted: a proxy in front of us does TLS
    free_loopback: bool = False  # programs on this machine need no key even though there are keys
    local_engines: bool = False  # allow administrators to set engines that run programs or read files over HTTP
    limits: Limits = field(default_factory=Limits)

    @property
    def requires_key(self) -> bool:
        """Whether every client needs a key."""
        return self.keys is not None and not self.free_loopback

    def check(self) -> None:
        """Refuse to listen on the network without keys, or without TLS unless `insecure` is set."""
        if is_loopback(self.host):
            return
        if self.keys is None:
            remedy = "create keys with `dragoman keys add` and pass their file with --keys"
            raise BadInputError(f"{self.host} is reachable from other machines, but there are no keys", remedy=remedy)
        if self.certificate is None and not self.insecure:
            remedy = "pass --certificate and --private-key, or --insecure if a proxy in front does TLS"
            raise BadInputError(f"{self.host} is reachable from other machines, but without TLS", remedy=remedy)


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
