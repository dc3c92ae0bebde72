"""HTTP for engines elsewhere: within a deadline, tried again where that may help, and never with a key gone astray.

- Answers that say "later" (429, 502, 503, 504) and connections that fail are tried again with growing pauses, or after
  the pause that the server asks for, as long as the time allowed lasts.
- Redirects are not followed: the key would go to a host that nobody has named.
- A key is sent over https only, unless the host is this machine or the name says `#insecure=yes`.
- An answer of more than eight megabytes is cut off, and is an error. One that is compressed is refused unread:
  what it becomes when it is unpacked has no bound.
- The time allowed is for the whole exchange, since a server that sends a byte now and then would keep us for ever.

Keys of services: read from the environment or a file, shown to nobody.

>>> key = Key("not-for-you")
>>> key, str(key), f"{key}"
(<key>, '<key>', '<key>')
>>> key.redact("401: the key not-for-you is unknown")
'401: the key <key> is unknown'
"""

from __future__ import annotations

import ipaddress
import json
import os
import random
import re
import threading
import time
from collections.abc import Callable, Mapping
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from functools import partial
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from dragoman import __version__
from dragoman.errors import BadInputError
from dragoman.extras import load
from dragoman.upstream.contract import EngineName, Silence, UnansweredError

LARGEST = 8 << 20  # bytes of an answer
ATTEMPTS = 4
FIRST_PAUSE = 0.4  # seconds, doubled each time
LATER = {408, 425, 429, 500, 502, 503, 504}
UNFIT = {400, 404, 413, 414, 422}  # the texts may be to blame: too many, too long, not accepted
GRACE = 0.2  # seconds, in which the HTTP library itself may notice that time is up
SHOWN = 160  # characters of what a server says about an error


_Answered = tuple[int, Mapping[str, str], bytes]  # status, headers, body
Meter = Callable[[int, int], None]  # told requests and characters before they are sent; an error forbids it


class Transport:
    """Requests to one server; safe to use from threads."""

    def __init__(
        self,
        place: EngineName,
        address: str,
        key: Key | None = None,
        headers: Mapping[str, str] | None = None,
        sleep: Callable[[float], None] = time.sleep,
    ) -> None:
        self.name, self._key, self._sleep = place.name, key or Key(), sleep
        self.meter: Meter | None = None
        self._address = _check_address(place, address, self._key)
        self._httpx = load("httpx", "upstream")
        sent = {
            "User-Agent": f"dragoman/{__version__}",
            "Accept": "application/json",
            "Accept-Encoding": "identity",
        } | dict(headers or {})
        # Proxies of the environment are for the world outside.
        outside = not _is_here(urlsplit(self._address).hostname or "")
        self._client = self._httpx.Client(headers=sent, follow_redirects=False, trust_env=outside)

    def __repr__(self) -> str:
        return f"Transport({self._address!r})"

    def get(self, path: str, *, seconds: float) -> Any:
        """What a server says at a path, from JSON."""
        return self._send("GET", path, seconds, 0, {})

    def post(
        self, path: str, seconds: float, characters: int, *, headers: Mapping[str, str] | None = None, **body: Any
    ) -> Any:
        """What a server answers, from JSON, to a body with so many characters: `json=` or `data=`, a form."""
        return self._send("POST", path, seconds, characters, body | {"headers": dict(headers or {})})

    def close(self) -> None:
        """Close the connections."""
        self._client.close()

    def _send(self, method: str, path: str, seconds: float, characters: int, body: dict[str, Any]) -> Any:
        until = time.monotonic() + seconds
        for attempt in range(1, ATTEMPTS + 1):
            if self.meter:
                self.meter(1, characters if attempt == 1 else 0)
            try:
                return self._try(method, path, until, body)
            except _LaterError as error:
                pause = error.pause or FIRST_PAUSE * 2 ** (attempt - 1) * random.uniform(0.8, 1.2)
                last = 2 if error.blames_texts else ATTEMPTS  # what goes on is found out text by text
                if attempt == last or time.monotonic() + pause >= until:
                    blame, wait = error.blames_texts, error.pause
                    raise self._unanswered(error.what, error.silence, blame=blame, wait=wait) from None
                self._sleep(pause)
        raise AssertionError  # the last attempt returns or raises

    def _try(self, method: str, path: str, until: float, body: dict[str, Any]) -> Any:
        exchange = _Exchange(partial(self._exchange, method, path, until, body))
        try:
            answered = exchange.result(until)
        except (self._httpx.TimeoutException, TimeoutError):
            raise self._unanswered("did not answer in time", Silence.SLOW) from None
        except (self._httpx.HTTPError, OSError) as error:
            what = re.sub(r"^\[Errno -?\d+\] ", "", self._key.redact(str(error))) or type(error).__name__
            raise _LaterError(f"cannot be reached: {what[0].lower()}{what[1:]}") from None
        return self._judge(*answered)

    def _exchange(self, method: str, path: str, until: float, body: dict[str, Any]) -> _Answered:
        left = max(until - time.monotonic(), 0.01)
        with self._client.stream(method, f"{self._address}{path}", timeout=left, **body) as response:
            return response.status_code, response.headers, self._read(response, until)

    def _read(self, response: Any, until: float) -> bytes:
        if (packed := response.headers.get("content-encoding", "identity").strip().lower()) != "identity":
            raise self._unanswered(f"sends answers compressed with {packed[:20]}, which was not asked for")
        data = bytearray()
        for chunk in response.iter_raw():  # as it arrives: larger pieces would be waited for
            data += chunk
            if len(data) > LARGEST:
                raise self._unanswered(f"sends more than {LARGEST >> 20} megabytes", Silence.RAMBLING)
            if time.monotonic() > until:
                raise self._unanswered("did not answer in time", Silence.SLOW)
        return bytes(data)

    def _judge(self, status: int, headers: Mapping[str, str], data: bytes) -> Any:
        """The contents of a good answer; of others, what they mean for us."""
        if 200 <= status < 300:
            try:
                return json.loads(data)
            except ValueError:
                raise self._unanswered("answered with something other than JSON") from None
        if 300 <= status < 400:
            host = urlsplit(headers.get("location", "")).hostname or "another address"
            raise self._unanswered(f"redirects to {host}", remedy="name the address where the service is")
        message = self._message(data)
        if status in LATER:
            silence = Silence.SPENT if status == 429 else Silence.FAILED
            pause = _pause(headers.get("retry-after"))
            raise _LaterError(f"answered {status}{message}", pause, silence, blames_texts=status == 500)
        if status in (401, 403):
            raise self._unanswered(f"refused our key ({status}){message}", remedy="check the key of this engine")
        if status in (402, 456):  # payment required; 456 is DeepL's own for a used-up quota
            raise self._unanswered(f"says that the quota is used up ({status})", Silence.SPENT, wait=3600.0)
        raise self._unanswered(f"answered {status}{message}", blame=status in UNFIT)

    def _message(self, data: bytes) -> str:
        """What a server says about an error, on one line, without our key should it repeat it."""
        text = data[: 1 << 14].decode(errors="replace")
        try:
            found = json.loads(text)
            while isinstance(found, dict):
                found = next((found[key] for key in ("error", "message", "detail", "explanation") if key in found), "")
            text = str(found)
        except ValueError:
            pass
        message = "".join(c if c.isprintable() else " " for c in self._key.redact(text)[:SHOWN])
        return f": {' '.join(message.split())}" if message.strip() else ""

    def _unanswered(
        self,
        what: str,
        silence: Silence = Silence.FAILED,
        *,
        remedy: str | None = None,
        blame: bool = False,
        wait: float = 0.0,
    ) -> UnansweredError:
        return UnansweredError(what, where=self.name, remedy=remedy, silence=silence, blames_texts=blame, wait=wait)


class _Exchange:
    """A request and its answer in a thread of its own; one that takes too long is left to itself.

    The HTTP library only limits the time between two pieces of an answer, not that of the whole.
    """

    def __init__(self, run: Callable[[], _Answered]) -> None:
        self._answered: _Answered | None = None
        self._error: Exception | None = None
        self._run = run
        self._thread = threading.Thread(target=self._work, daemon=True, name="waiting for an engine")
        self._thread.start()

    def _work(self) -> None:
        try:
            self._answered = self._run()
        except Exception as error:
            self._error = error

    def result(self, until: float) -> _Answered:
        """What was answered by then; a `TimeoutError` if nothing was."""
        self._thread.join(max(until - time.monotonic(), 0.0) + GRACE)
        if self._error:
            raise self._error
        if self._answered is None:
            raise TimeoutError
        return self._answered


class _LaterError(Exception):
    """What may work if tried again, after a pause that the server may have named."""

    def __init__(
        self, what: str, pause: float = 0.0, silence: Silence = Silence.FAILED, *, blames_texts: bool = False
    ) -> None:
        super().__init__(what)
        self.what, self.pause, self.silence, self.blames_texts = what, pause, silence, blames_texts


def _pause(header: str | None) -> float:
    """The seconds that Retry-After asks for, as a number or as a date; 0 if it is missing or makes no sense."""
    try:
        if header is None or header.isdigit():
            return float(header or 0)
        return max(0.0, (parsedate_to_datetime(header) - datetime.now(UTC)).total_seconds())
    except (ValueError, TypeError, OverflowError):
        return 0.0


def _check_address(place: EngineName, address: str, key: Key) -> str:
    parts = urlsplit(address)
    if parts.scheme not in ("http", "https") or not parts.hostname:
        remedy = f"write {place.kind}:http://127.0.0.1:5000 or the like"
        raise BadInputError("the address of an engine is a URL with http or https", where=place.name, remedy=remedy)
    is_safe = parts.scheme == "https" or _is_here(parts.hostname)
    if key and not is_safe and place.options.get("insecure") != "yes":
        remedy = "use https, or add #insecure=yes if the network is yours"
        raise BadInputError("the key would be sent unencrypted", where=place.name, remedy=remedy)
    return address.rstrip("/")


def _is_here(host: str) -> bool:
    """Whether a host is this machine."""
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"


# ── Keys ─────────────────────────────────────────────────────────────────────────────────────────────────────────────


class Key:
    """A secret that does not show itself when printed, formatted, compared or pickled."""

    __slots__ = ("_value",)

    def __init__(self, value: str = "") -> None:
        self._value = value

    def __bool__(self) -> bool:
        return bool(self._value)

    def __repr__(self) -> str:
        return "<key>" if self._value else "<no key>"

    def __reduce__(self) -> str:
        raise TypeError("a key is not written anywhere")

    def reveal(self) -> str:
        """The secret itself, for the request and nothing else."""
        return self._value

    def redact(self, text: str) -> str:
        """A text without the secret."""
        return text.replace(self._value, "<key>") if self._value else text


def find_key(place: EngineName, variable: str, *, is_needed: bool = False) -> Key:
    """The key of a service: from the file that `key-file` names, or a variable, that of `key-env` or the usual one."""
    variable = place.options.get("key-env", variable)
    file = place.options.get("key-file")
    value = _read(Path(file).expanduser()) if file else os.environ.get(variable, "").strip()
    if not value and (is_needed or file or "key-env" in place.options):
        remedy = f"set the environment variable {variable}, or name a file with #key-file=…"
        raise BadInputError(f"engine {place.kind!r} has no key", remedy=remedy)
    if not value.isascii() or any(map(str.isspace, value)):
        what = f"the key of engine {place.kind!r} holds spaces, line breaks or letters that no key has"
        raise BadInputError(what, remedy="store the key alone")
    return Key(value)


def _read(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8").strip()
    except (OSError, UnicodeDecodeError) as error:
        reason = getattr(error, "strerror", None) or "is not text"
        raise BadInputError(f"the key cannot be read: {reason}", where=path, remedy="check #key-file") from None
