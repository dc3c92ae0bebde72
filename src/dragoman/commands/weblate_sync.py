"""The command weblate-sync: learn from Weblate's own API what its webhooks could not deliver."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Iterator
from typing import Annotated, Any
from urllib.parse import quote, urlsplit

import typer

from dragoman.errors import BadInputError

commands = typer.Typer()
TRANSLATED = 20  # the least state of a string that counts as translated in Weblate
PAGE = 200  # strings


@commands.command(
    "weblate-sync", epilog="Example: dragoman project weblate-sync machine/ui/es --weblate https://weblate.org"
)
def weblate_sync(
    translation: Annotated[str, typer.Argument(help="Project, component and language, as in Weblate's addresses.")],
    weblate: Annotated[str, typer.Option("--weblate", help="The address of Weblate.")],
    server: Annotated[str, typer.Option("--server", help="The address of the dragoman server.")] = (
        "http://localhost:8765"
    ),
    token: Annotated[
        str | None,
        typer.Option("--token", help="A token for Weblate's API.", envvar="WEBLATE_TOKEN", show_envvar=True),
    ] = None,
    key: Annotated[
        str | None,
        typer.Option("--key", help="A key of dragoman that may learn.", envvar="DRAGOMAN_KEY", show_envvar=True),
    ] = None,
) -> None:
    """Learn what was translated in Weblate while the server was away; what is known already is left alone."""
    from dragoman.extras import load

    httpx = load("httpx", extra="upstream")
    parts = translation.strip("/").split("/")
    if len(parts) != 3 or not all(parts):
        raise BadInputError("not a translation", where=translation, remedy="write project/component/language")
    there = {"Authorization": f"Token {token}"} if token else {}
    here = {"Authorization": f"Bearer {key}"} if key else {}
    counts: Counter[str] = Counter()
    with httpx.Client(headers=there, timeout=60) as reading, httpx.Client(headers=here, timeout=60) as teaching:
        try:
            for unit in _units(reading, weblate.rstrip("/"), parts):
                payload = _payload(unit, parts)
                headers = {"webhook-id": _message(unit)}
                answer = teaching.post(f"{server.rstrip('/')}/hooks/weblate", json=payload, headers=headers)
                counts.update({key: n for key, n in _read(answer, server).items() if isinstance(n, int)})
        except httpx.HTTPError as error:
            raise BadInputError(f"cannot be reached ({error})", remedy="check both addresses") from None
    typer.echo(", ".join(f"{count:,} {name}" for name, count in sorted(counts.items())) or "nothing to learn")


def _units(client: Any, weblate: str, parts: list[str]) -> Iterator[dict[str, Any]]:
    """All strings of a translation, page by page; never from another host than Weblate's."""
    path = "/".join(quote(part, safe="") for part in parts)
    address: str | None = f"{weblate}/api/translations/{path}/units/?page_size={PAGE}"
    while address:
        page = _read(client.get(address), weblate)
        yield from page.get("results", [])
        following = page.get("next")
        address = f"{weblate}/{_after_host(following)}" if following else None


def _after_host(address: str) -> str:
    found = urlsplit(address)
    return f"{found.path.lstrip('/')}?{found.query}"


def _payload(unit: dict[str, Any], parts: list[str]) -> dict[str, Any]:
    """A string as the Webhook add-on reports it."""
    is_translated = int(unit.get("state", 0)) >= TRANSLATED and any(unit.get("target") or [])
    return {
        "action": "Translation changed" if is_translated else "Marked for edit",
        "source": unit.get("source"),
        "target": unit.get("target"),
        "project": parts[0],
        "component": parts[1],
        "translation": parts[2],
        "url": _after_host(str(unit.get("web_url") or unit.get("url") or "")),
    }


def _message(unit: dict[str, Any]) -> str:
    """The same for the same state of a string, so that it is learned once however often it is sent."""
    about = repr((unit.get("id"), unit.get("source"), unit.get("target"), unit.get("state")))
    return f"sync-{hashlib.sha256(about.encode()).hexdigest()[:32]}"


def _read(answer: Any, where: str) -> dict[str, Any]:
    if answer.is_error:
        what = f"answered {answer.status_code} to {answer.request.method} {answer.request.url.path}"
        raise BadInputError(what, where=where, remedy="check the address, and the token or key")
    found: dict[str, Any] = answer.json()
    return found
