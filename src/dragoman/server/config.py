"""The settings a server is started with."""

from __future__ import annotations

import ipaddress
import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

from dragoman.errors import BadInputError
from dragoman.files import reading_errors
from dragoman.server.limits import Limits
from dragoman.upstream.names import parse

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
    trusted_proxies: tuple[str, ...] = ()  # networks whose X-Forwarded-For names the client
    public_address: str | None = None  # under which clients reach this server, for links in answers
    engines: Mapping[str, str] = field(default_factory=dict)  # that administrators of projects choose by these names
    callbacks: tuple[str, ...] = ()  # addresses at or below which clients may have results sent to
    limits: Limits = field(default_factory=Limits)

    @property
    def requires_key(self) -> bool:
        """Whether every client needs a key."""
        return self.keys is not None and not self.free_loopback

    def check(self) -> None:
        """Refuse to listen on the network without keys, or without TLS unless `insecure` is set."""
        for each in self.trusted_proxies:
            try:
                ipaddress.ip_network(each)
            except ValueError:
                remedy = "write networks such as 10.0.0.0/8, separated by commas"
                raise BadInputError(f"{each!r} is not a network", remedy=remedy) from None
        for address in filter(None, (self.public_address, *self.callbacks)):
            if not re.fullmatch(r"https?://[^/?#@\s]+(/[^?#\s]*)?", address):
                what = f"{address!r} is not the address of a server"
                raise BadInputError(what, remedy="write it like https://mt.example.org")
        if is_loopback(self.host):
            return
        if self.keys is None:
            remedy = "create keys with `dragoman project keys add` and pass their file with --keys"
            raise BadInputError(f"{self.host} is reachable from other machines, but there are no keys", remedy=remedy)
        if self.certificate is None and not self.insecure:
            remedy = "pass --certificate and --private-key, or --insecure if a proxy in front does TLS"
            raise BadInputError(f"{self.host} is reachable from other machines, but without TLS", remedy=remedy)


def read_engines(file: Path) -> dict[str, str]:
    """The engines that a file lists for administrators of projects to choose from: `{"office": "libretranslate:…"}`."""
    remedy = 'write {"office": "libretranslate:http://10.0.0.5:5000"} or the like'
    try:
        with reading_errors(file):
            found = json.loads(file.read_bytes())
    except ValueError:
        raise BadInputError("is not JSON", where=file, remedy=remedy) from None
    named = isinstance(found, dict) and all(isinstance(each, str) and ":" not in name for name, each in found.items())
    if not named:
        raise BadInputError("is not an object of names and engines", where=file, remedy=remedy)
    for each in found.values():
        parse(each)
    return dict(found)


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
