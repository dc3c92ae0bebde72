"""Signatures of webhooks, as the Standard Webhooks specification has them: HMAC-SHA256 of id, time and body.

>>> secret = "whsec_c2VjcmV0IHNlY3JldCBzZWNyZXQ="
>>> signed = sign(secret, "msg_1", "1700000000", b"{}")
>>> signed
'v1,DlhswZvNC0UmZ4M7dqNFuz2dC6mZnOvYm0oaMmmZHdU='
>>> headers = {"webhook-id": "msg_1", "webhook-timestamp": "1700000000", "webhook-signature": f"v1,b3RoZXI= {signed}"}
>>> is_signed(secret, headers, b"{}"), is_signed(secret, headers, b"{} ")
(True, False)
"""

from __future__ import annotations

import base64
import binascii
import hashlib
import hmac
import secrets
from collections.abc import Mapping

from dragoman.server.api_errors import ApiError

PREFIX = "whsec_"
TOLERANCE = 300.0  # seconds that a delivery may be old, or ahead of our clock
LONGEST_ID = 200  # characters


def new_secret() -> str:
    """A secret that both sides keep."""
    return PREFIX + base64.b64encode(secrets.token_bytes(32)).decode()


def sign(secret: str, message: str, time: str, body: bytes) -> str:
    """The signature of a message."""
    try:
        key = base64.b64decode(f"{secret.removeprefix(PREFIX)}==")  # padded or not
    except binascii.Error:
        key = secret.encode()
    digest = hmac.digest(key, f"{message}.{time}.".encode() + body, hashlib.sha256)
    return f"v1,{base64.b64encode(digest).decode()}"


def is_signed(secret: str, headers: Mapping[str, str], body: bytes) -> bool:
    """Whether one of the signatures of a message is made with a secret."""
    message, time = headers.get("webhook-id", ""), headers.get("webhook-timestamp", "")
    # Weblate sends a fraction of the second, but signs the whole one.
    expected = [sign(secret, message, each, body).encode() for each in {time, time.partition(".")[0]}]
    given = headers.get("webhook-signature", "").encode(errors="replace").split()
    return any(hmac.compare_digest(one, other) for one in given for other in expected)


def check_time(headers: Mapping[str, str], now: float) -> None:
    """Reject a message that was signed too long ago, or lacks its id."""
    if not 0 < len(headers.get("webhook-id", "")) <= LONGEST_ID:
        raise ApiError(400, "the header webhook-id is missing or too long", "send webhooks as Standard Webhooks says")
    try:
        age = abs(now - float(headers.get("webhook-timestamp", "")))
    except ValueError:
        raise ApiError(400, "the header webhook-timestamp is not a number of seconds") from None
    if not age <= TOLERANCE:
        raise ApiError(400, "this message was signed too long ago", "check the clocks of both machines")
