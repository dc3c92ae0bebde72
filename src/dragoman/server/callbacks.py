"""Results that are sent to an address which a client names, signed so that the receiver knows whose they are.

A client who could name any address could have this server call machines of its own network. So results go only to
addresses at or below those that the server was started with (`--callbacks`); redirects are not followed, and nothing of
what the receiver answers but its status is read.

The signature is a JSON Web Token (RS256) with the checksum of the body; the key stays the same when the server is
started again, since receivers keep the public one for an hour.
"""

from __future__ import annotations

import asyncio
import base64
import hashlib
import json
import re
import threading
import time
from pathlib import Path
from typing import Any, NamedTuple
from urllib.parse import unquote, urlsplit

from dragoman import __version__
from dragoman.errors import DamagedFileError
from dragoman.extras import load
from dragoman.files import reading_errors, storage_errors, write_durably
from dragoman.server.api_errors import ApiError
from dragoman.server.config import is_loopback
from dragoman.server.jobs import Job
from dragoman.store.lock import in_turn

FILE = ".callback-key.pem"
SIGNATURE = "X-ModernMT-Signature"
BITS = 2048
PAUSES = (1.0, 2.0, 4.0, 8.0)  # seconds between attempts
SECONDS = 10.0  # for the receiver to answer
VALID = 3600  # seconds for which a signature holds
LATER = {408, 425, 429, 500, 502, 503, 504}
PORTS = {"http": 80, "https": 443}
MOST_NAMES = 10_000  # of batches that are known by their idempotency key


class CallbackPlace(NamedTuple):
    """Where an address points to."""

    scheme: str
    host: str
    port: int
    path: str

    def holds(self, other: CallbackPlace) -> bool:
        """Whether another place is this one, or below it."""
        return self[:3] == other[:3] and f"{other.path}/".startswith(f"{self.path.rstrip('/')}/")


def read_address(address: str) -> CallbackPlace | None:
    """Where an address points to; None if it could be understood in two ways, or carries a password.

    >>> read_address("https://CMS.example.org/mt?job=1")
    CallbackPlace(scheme='https', host='cms.example.org', port=443, path='/mt')
    >>> read_address("https://cms.example.org/mt/../admin")
    """
    if not re.fullmatch(r"[!-\[\]-~]+", address):  # printable ASCII without the backslash
        return None
    try:
        parts = urlsplit(address)
        port = parts.port or PORTS[parts.scheme]
    except (ValueError, KeyError):
        return None
    dotted = any(set(each) == {"."} for each in re.split(r"[/\\]", unquote(parts.path)) if each)
    if not parts.hostname or "@" in parts.netloc or dotted:
        return None
    return CallbackPlace(parts.scheme, parts.hostname, port, parts.path or "/")


class Callbacks:
    """Sends results to addresses of a list; `file` holds the key, without which it is another one at every start."""

    def __init__(self, addresses: tuple[str, ...], file: Path | None) -> None:
        self._places = [place for each in addresses if (place := read_address(each))]
        self._file, self._lock = file, threading.Lock()
        self._key: bytes | None = None
        self._batches: dict[tuple[str, str], Job] = {}  # by client and idempotency key

    def check(self, address: str) -> None:
        """Refuse an address that is not at or below one of the list."""
        place = read_address(address)
        if place and any(each.holds(place) for each in self._places):
            return
        remedy = "the administrator of the server lists addresses with --callbacks; /translate takes lists of texts"
        raise ApiError(403, "results are not sent to this address", remedy)

    def find(self, client: str, name: str | None) -> Job | None:
        """The batch that a client has sent under this idempotency key before, unless it failed."""
        found = self._batches.get((client, name)) if name else None
        return None if found is None or found.state == "failed" else found

    def keep(self, client: str, name: str | None, job: Job) -> None:
        """Remember the batch that a client has sent under this idempotency key."""
        if name:
            self._batches[client, name] = job
            while len(self._batches) > MOST_NAMES:
                del self._batches[next(iter(self._batches))]

    async def send(self, job: Job, address: str, body: dict[str, Any]) -> None:
        """Send a result, again after a pause if the receiver cannot take it now."""
        httpx = load("httpx", "callbacks")
        data = json.dumps(body, ensure_ascii=False).encode()
        signature = await asyncio.to_thread(self._sign, data)
        headers = {
            "Content-Type": "application/json",
            "User-Agent": f"dragoman/{__version__}",
            "Accept-Encoding": "identity",
            SIGNATURE: signature,
        }
        outside = not is_loopback(
            urlsplit(address).hostname or ""
        )  # proxies of the environment are for the world outside
        async with httpx.AsyncClient(headers=headers, follow_redirects=False, trust_env=outside) as client:
            for pause in (*PAUSES, None):
                try:
                    async with asyncio.timeout(SECONDS), client.stream("POST", address, content=data) as response:
                        status = response.status_code
                except (httpx.HTTPError, OSError, TimeoutError):
                    status = 504
                if 200 <= status < 300:
                    return
                if status not in LATER or pause is None:
                    raise ApiError(502, f"the result could not be delivered ({status})", "check the address")
                await _rest(job, pause)

    def _sign(self, data: bytes) -> str:
        """A token that says whose a body is."""
        claims = {"exp": int(time.time()) + VALID, "sha256": hashlib.sha256(data).hexdigest()}
        return str(load("jwt", "callbacks").encode(claims, self.private_key, algorithm="RS256"))

    @property
    def public_key(self) -> str:
        """What signatures are checked with, as ModernMT's clients expect it: PEM, and that in Base64."""
        serialization = load("cryptography.hazmat.primitives.serialization", "callbacks")
        public = serialization.load_pem_private_key(self.private_key, password=None).public_key()
        form = serialization.Encoding.PEM, serialization.PublicFormat.SubjectPublicKeyInfo
        return base64.b64encode(public.public_bytes(*form)).decode()

    @property
    def private_key(self) -> bytes:
        """The key in PEM; made when it is first needed."""
        with self._lock:
            if self._key is None:
                self._key = _new_key() if self._file is None else _key_in(self._file)
            return self._key


def _key_in(file: Path) -> bytes:
    """The key of a file, which is made if it is not there; only this user can read it."""
    if not file.exists():
        with in_turn(file.with_name(f"{file.name}.lock")), storage_errors(file):
            if not file.exists():
                write_durably(file, _new_key(), mode=0o600)
    with reading_errors(file):
        key = file.read_bytes()
    try:
        load("cryptography.hazmat.primitives.serialization", "callbacks").load_pem_private_key(key, password=None)
    except ValueError:
        raise DamagedFileError("is not a private key", where=file, remedy="delete it: a new one is made") from None
    return key


async def _rest(job: Job, seconds: float) -> None:
    """Wait, unless the server is stopping."""
    until = time.monotonic() + seconds
    while time.monotonic() < until:
        job.step(job.done)
        await asyncio.sleep(min(0.2, seconds))


def _new_key() -> bytes:
    rsa = load("cryptography.hazmat.primitives.asymmetric.rsa", "callbacks")
    serialization = load("cryptography.hazmat.primitives.serialization", "callbacks")
    made = rsa.generate_private_key(public_exponent=65537, key_size=BITS)
    form = serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
    return bytes(made.private_bytes(*form))
