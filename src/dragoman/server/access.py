"""Who is asking, and may they? A key says so; where there are no keys, only programs on this machine may.

A web page that somebody has open can make their browser send requests to this machine. So a request counts as local
only if it names this machine as its host, which a page from elsewhere cannot bring about by renaming itself, and a
request that a browser sends on behalf of another site is refused whatever it carries.

What a proxy on this machine passes on can look like a request from this machine in every way. So where there are keys
nobody counts as local, unless somebody has said that no proxy is there.
"""

from __future__ import annotations

import base64
import binascii
import logging
from typing import Annotated, Any
from urllib.parse import SplitResult, urlsplit

from fastapi import Depends
from starlette.datastructures import Headers
from starlette.requests import HTTPConnection
from starlette.types import Scope

from dragoman.errors import DragomanError
from dragoman.server.answers import RefusedError
from dragoman.server.keys import EVERY, HERE, Keys, Visitor
from dragoman.server.logs import log
from dragoman.server.settings import Settings, is_loopback

FORWARDED = ("forwarded", "x-forwarded-for", "x-forwarded-host", "x-real-ip", "via")  # somebody is in between


class Doorkeeper:
    """Tells visitors apart."""

    def __init__(self, settings: Settings) -> None:
        self._keys = Keys(settings.keys) if settings.keys else None
        self._free = not settings.is_guarded

    def visitor(self, scope: Scope, found: object = None) -> Visitor:
        """Who sent a request, if they may come in at all; `found` is what the body has in the place of a key."""
        key = key_of(scope) or (found if isinstance(found, str) else None)
        if key and self._keys:
            if visitor := self._find(key):
                scope.setdefault("state", {})["visitor"] = visitor.name  # for the log
                return visitor
        elif self._free and _is_local(scope):
            return HERE
        headers = {"WWW-Authenticate": 'Bearer realm="dragoman"'}
        remedy = "send a key that `dragoman keys add` has made, as Authorization: Bearer …"
        raise RefusedError(401, "this key is not known" if key else "a key is needed", remedy, headers=headers)

    def who(self, scope: Scope) -> str:
        """A name for whoever sent a request, to count what they ask for."""
        key = key_of(scope)
        if key and (visitor := self._find(key)):
            return f"key {visitor.name}"
        return f"address {scope['client'][0] if scope.get('client') else ''}"

    def _find(self, key: str) -> Visitor | None:
        """Whose key this is; while the file cannot be read nobody comes in."""
        try:
            return self._keys.find(key) if self._keys else None
        except DragomanError as error:
            log("keys not read", logging.ERROR, problem=error.what)
            raise RefusedError(503, "the server cannot read its keys", "tell whoever runs it") from None


def check_role(visitor: Visitor, role: str, project: str = EVERY) -> None:
    """Refuse what a visitor may not do; whether there is such a project they do not learn."""
    if not visitor.may(role, project):
        where = "on this server" if project == EVERY else f"in the project {project!r}"
        raise RefusedError(403, f"this key has not the role {role!r} {where}", "ask for another key")


def key_of(scope: Scope) -> str | None:
    """The key in the headers of a request: in any of the ways in which the programs we know send theirs."""
    headers = Headers(scope=scope)
    scheme, _, value = headers.get("authorization", "").partition(" ")
    if scheme.lower() == "bearer":
        return value.strip()
    if scheme.lower() == "basic":
        try:
            return base64.b64decode(value, validate=True).decode().rpartition(":")[2]
        except (binascii.Error, UnicodeDecodeError):
            return value
    protocols = (each.strip() for each in headers.get("sec-websocket-protocol", "").split(","))
    offered = [each.removeprefix("key.") for each in protocols if each.startswith("key.")]
    return headers.get("x-api-key") or headers.get("mmt-apikey") or (offered[0] if offered else None)


def is_foreign(scope: Scope) -> bool:
    """Whether a browser sends this on behalf of another site."""
    headers = Headers(scope=scope)
    origin = headers.get("origin")
    if origin is not None:
        return _split(origin).netloc != headers.get("host")
    if scope["path"] == "/" and headers.get("sec-fetch-mode") == "navigate":
        return False  # somebody follows a link to the workbench, which by itself does nothing
    return headers.get("sec-fetch-site") in ("cross-site", "same-site")


def _is_local(scope: Scope) -> bool:
    headers, client = Headers(scope=scope), scope.get("client")
    host = _split(f"//{headers.get('host', '')}").hostname or ""
    return bool(client and is_loopback(client[0]) and is_loopback(host) and not any(h in headers for h in FORWARDED))


def _split(address: str) -> SplitResult:
    try:
        return urlsplit(address)
    except ValueError:
        raise RefusedError(400, "the header Host or Origin is no address") from None


def _visitor(connection: HTTPConnection) -> Visitor:
    doorkeeper: Doorkeeper = connection.app.state.doorkeeper
    return doorkeeper.visitor(connection.scope)


Coming = Annotated[Visitor, Depends(_visitor)]


def needs(role: str) -> Any:
    """A dependency: the visitor, who must have this role on the whole server."""

    def checked(visitor: Coming) -> Visitor:
        check_role(visitor, role)
        return visitor

    return Depends(checked)
