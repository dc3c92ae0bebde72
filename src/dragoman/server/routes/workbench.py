"""The files of the workbench: the page in the browser in which translators work.

The files are found once, when the server starts; a name in a request is only looked up among them. The page may load
nothing from anywhere else, and cannot be embedded in a page of another site: its headers say so.
"""

from __future__ import annotations

import hashlib
import secrets
from importlib.resources import files
from importlib.resources.abc import Traversable

from fastapi import APIRouter, Request, Response

from dragoman.server.api_errors import ApiError

router = APIRouter()
NONCE = b"NONCE"  # placeholder in the page for a random word, new in each response, that marks our own styles
KINDS = {"html": "text/html", "js": "text/javascript", "css": "text/css", "svg": "image/svg+xml", "txt": "text/plain"}
POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self' 'nonce-{nonce}'; img-src 'self'; connect-src 'self'; "
    "base-uri 'none'; form-action 'none'; frame-ancestors 'none'; "
    "require-trusted-types-for 'script'; trusted-types 'none'"
)
HEADERS = {
    "Cache-Control": "no-cache",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Referrer-Policy": "no-referrer",
    "X-Content-Type-Options": "nosniff",
}


def _find(folder: Traversable, prefix: str = "") -> dict[str, Traversable]:
    found: dict[str, Traversable] = {}
    for each in folder.iterdir():
        if each.is_dir():
            found |= _find(each, f"{prefix}{each.name}/")
        elif each.name.rpartition(".")[2] in KINDS:
            found[f"{prefix}{each.name}"] = each
    return found


FILES = _find(files("dragoman.editor").joinpath("static"))


@router.head("/", include_in_schema=False)
@router.get("/", include_in_schema=False)
async def page() -> Response:
    """The page, for everybody: without a key it can do nothing."""
    nonce = secrets.token_urlsafe(16)
    body = FILES["index.html"].read_bytes().replace(NONCE, nonce.encode())
    headers = HEADERS | {"Cache-Control": "no-store", "Content-Security-Policy": POLICY.format(nonce=nonce)}
    return Response(body, media_type=KINDS["html"], headers=headers)


@router.get("/workbench/{name:path}", include_in_schema=False)
async def file(name: str, request: Request) -> Response:
    """A file of the page."""
    if name not in FILES or name == "index.html":
        raise ApiError(404, "the workbench has no such file", "open /")
    body = FILES[name].read_bytes()
    tag = f'"{hashlib.sha256(body).hexdigest()[:32]}"'
    headers = HEADERS | {"ETag": tag, "Content-Security-Policy": "default-src 'none'"}
    if request.headers.get("if-none-match") == tag:
        return Response(status_code=304, headers=headers)
    return Response(body, media_type=KINDS[name.rpartition(".")[2]], headers=headers)
