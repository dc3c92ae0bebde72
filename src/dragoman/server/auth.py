"""Who sent a request, and what may they do? A key says so; without keys, only programs on this machine are allowed.

A web page that somebody has open can make their browser send requests to this machine. So a request counts as local
only if it names this machine as its host, which a page from elsewhere cannot achieve by renaming itself; and a request
that a browser sends on behalf of another site is rejected whatever it carries.

What a proxy on this machine forwards can look exactly like a local request. So where there are keys no request counts
as local, unless the settings say that there is no proxy.
"""

from __future__ import annotations

import base64
import binascii
import ipaddress
import logging
from typing import Annotated, Any
from urllib.parse import SplitResult, urlsplit

from fastapi import Depends
from starlette.datastructures import Headers
from starlette.requests import HTTPConnection
from starlette.types import Scope

from dragoman.errors import DragomanError
from dragoman.server.api_errors import ApiError
from dragoman.server.config import Settings, is_loopback
from dragoman.server.keys import ALL_PROJECTS, LOCAL, Identity, Keys
from dragoman.server.observability import log, without_places
from dragoman.server.webhooks import check_time, is_signed

FORWARDED = ("forwarded", "x-forwarded-for", "x-forwarded-host", "x-real-ip", "via")  # there is a proxy in between


class Authenticator:
    """Finds out who sent a request."""

    def __init__(self, settings: Settings) -> None:
        self._keys = Keys(settings.keys) if settings.keys else None
        self._trusts_loopback = not settings.requires_key
        self._proxies = tuple(ipaddress.ip_network(each) for each in settings.trusted_proxies)
        self._public_address = settings.public_address

    def identify(self, scope: Scope, key: object = None) -> Identity:
        """Who sent a request, if they are allowed in at all; `key` is what the body has in the place of a key."""
        sent = key_of(scope) or (key if isinstance(key, str) else None)
        if sent and self._keys:
            if identity := self._find(sent):
                scope.setdefault("state", {})["key"] = identity.name  # for the log
                return identity
        elif self._trusts_loopback and _is_local(scope):
            return LOCAL
        headers = {"WWW-Authenticate": 'Bearer realm="dragoman"'}
        remedy = "send a key created with `dragoman project keys add`, as Authorization: Bearer …"
        what, code = ("unknown key", "key-unknown") if sent else ("a key is required", "key-required")
        raise ApiError(401, what, remedy, headers=headers, code=code)

    def identify_webhook(self, scope: Scope, body: bytes, now: float) -> Identity:
        """Who sent a webhook: whoever signed it, or without a signature the owner of a key."""
        headers = Headers(scope=scope)
        if self._keys is None or not headers.get("webhook-signature"):
            return self.identify(scope)
        for secret, identity in self._webhooks():
            if is_signed(secret, headers, body):
                check_time(headers, now)
                scope.setdefault("state", {})["key"] = identity.name
                return identity
        remedy = "use a secret created with `dragoman project keys add --webhook`"
        raise ApiError(401, "the signature of this webhook is not valid", remedy)

    def people(self, project: str, role: str) -> list[str]:
        """The owners of keys that have a role in a project."""
        if self._keys is None:
            return []
        found = (Identity(one["name"], one["roles"]) for one in self._keys.records())
        return [one.name for one in found if one.name and one.has_role(role, project)]

    def owns_key(self, name: str) -> bool:
        """Whether somebody of this name has a key of this server."""
        return self._keys is not None and any(one["name"] == name for one in self._keys.records())

    def public_address(self, scope: Scope) -> str:
        """The address under which a client reaches this server, for links in answers.

        Anybody can write any Host. It is believed if a trusted proxy has passed it on, or if it is the address that
        the connection was made to.
        """
        if self._public_address:
            return self._public_address.rstrip("/")
        headers, (own, port) = Headers(scope=scope), scope.get("server") or ("127.0.0.1", None)
        host, scheme = headers.get("host", ""), scope["scheme"]
        if self._is_proxy(str(scope["client"][0]) if scope.get("client") else ""):
            passed = headers.get("x-forwarded-proto", scheme)
            return f"{passed if passed in ('http', 'https') else scheme}://{_split(f'//{host}').netloc}"
        named = _split(f"//{host}").hostname or ""
        if named == own or (is_loopback(named) and is_loopback(own)):
            return f"{scheme}://{host}"
        return f"{scheme}://{f'[{own}]' if ':' in own else own}{f':{port}' if port else ''}"

    def client(self, scope: Scope) -> str:
        """The name under which requests of a client are counted: its key, or its address."""
        key = key_of(scope)
        if key and (identity := self._find(key)):
            return f"key {identity.name}"
        return f"address {self._address(scope)}"

    def _address(self, scope: Scope) -> str:
        """The address of a client; of what trusted proxies pass on, the last one that is not theirs."""
        address = str(scope["client"][0]) if scope.get("client") else ""
        passed = [each.strip() for each in Headers(scope=scope).get("x-forwarded-for", "").split(",")]
        while passed and passed[-1] and self._is_proxy(address):
            address = _without_port(passed.pop()[:64])
        return _network(address)

    def _is_proxy(self, address: str) -> bool:
        try:
            found = ipaddress.ip_address(address)
        except ValueError:
            return False
        found = getattr(found, "ipv4_mapped", None) or found
        return any(found in network for network in self._proxies)

    def _find(self, key: str) -> Identity | None:
        """Whose key this is; while the file cannot be read nobody is allowed in."""
        try:
            return self._keys.find(key) if self._keys else None
        except DragomanError as error:
            raise _unreadable(error) from None

    def _webhooks(self) -> list[tuple[str, Identity]]:
        try:
            return self._keys.webhooks() if self._keys else []
        except DragomanError as error:
            raise _unreadable(error) from None


def _network(address: str) -> str:
    """What an address counts as: of IPv6 all that share its network, since whoever has one of them has them all.

    >>> _network("2001:db8::7"), _network("::ffff:192.0.2.1"), _network("192.0.2.1"), _network("testclient")
    ('2001:db8::/64', '192.0.2.1', '192.0.2.1', 'testclient')
    """
    try:
        found = ipaddress.ip_address(address)
    except ValueError:
        return address
    if isinstance(found, ipaddress.IPv4Address) or found.is_loopback:
        return address
    return str(found.ipv4_mapped or ipaddress.ip_network((int(found) >> 64 << 64, 64)))


def _without_port(address: str) -> str:
    """An address of X-Forwarded-For, to which some proxies add the port, another one for each connection.

    >>> _without_port("192.0.2.1:4711"), _without_port("[2001:db8::7]:4711"), _without_port("2001:db8::7")
    ('192.0.2.1', '2001:db8::7', '2001:db8::7')
    """
    if address.startswith("["):
        return address[1:].partition("]")[0]
    return address.partition(":")[0] if address.count(":") == 1 else address


def _unreadable(error: DragomanError) -> ApiError:
    log("keys not read", logging.ERROR, problem=without_places(error.what))
    return ApiError(503, "the server cannot read its keys", "tell the administrator of the server")


def check_role(identity: Identity, role: str, project: str = ALL_PROJECTS) -> None:
    """Reject what an identity may not do, without revealing whether there is such a project."""
    if not identity.has_role(role, project):
        where = "on this server" if project == ALL_PROJECTS else f"in project {project!r}"
        raise lacks_role(role, where, identity.role(project))


def lacks_role(role: str, where: str, held: str | None = None) -> ApiError:
    """The error for a key that may not do something."""
    what, remedy = f"this key lacks the {role!r} role {where}", "ask the administrator for a key that has it"
    return ApiError(403, what, remedy, code="role-missing", role=held, needed=role)


def key_of(scope: Scope) -> str | None:
    """The key in the headers of a request, in any of the places where the clients we know send theirs."""
    headers = Headers(scope=scope)
    scheme, _, value = headers.get("authorization", "").partition(" ")
    if scheme.lower() in ("bearer", "deepl-auth-key"):
        return value.strip()
    if scheme.lower() == "basic":
        try:
            return base64.b64decode(value, validate=True).decode().rpartition(":")[2]
        except (binascii.Error, UnicodeDecodeError):
            return value
    protocols = (each.strip() for each in headers.get("sec-websocket-protocol", "").split(","))
    offered = [each.removeprefix("key.") for each in protocols if each.startswith("key.")]
    return headers.get("x-api-key") or headers.get("mmt-apikey") or (offered[0] if offered else None)


def is_cross_site(scope: Scope) -> bool:
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
        raise ApiError(400, "the Host or Origin header is not a valid address") from None


def current_identity(connection: HTTPConnection) -> Identity:
    """A dependency: who sent the request."""
    auth: Authenticator = connection.app.state.context.auth
    return auth.identify(connection.scope)


CurrentIdentity = Annotated[Identity, Depends(current_identity)]


def require_role(role: str) -> Any:
    """A dependency: the identity that sent the request, which must have this role on the whole server."""

    def checked(identity: CurrentIdentity) -> Identity:
        check_role(identity, role)
        return identity

    return Depends(checked)
