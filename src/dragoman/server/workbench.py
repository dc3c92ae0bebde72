"""The workbench: a page in the browser on which translators work, and what it asks for beyond the usual interface.

The files of the page are those beside this module, found once; a name in a request is only looked up among theirs. The
page may load nothing from anywhere else, nor be shown inside a page of somebody else: its headers say so.
"""

from __future__ import annotations

import hashlib
import secrets
from collections.abc import Callable
from contextlib import closing, suppress
from importlib.resources import files
from importlib.resources.abc import Traversable
from pathlib import Path as FilePath
from tempfile import TemporaryDirectory
from typing import Annotated

from fastapi import APIRouter, Request, Response
from pydantic import Field

from dragoman import sample
from dragoman.engine import Engine
from dragoman.project.guard import FlaggedError
from dragoman.server import schemas
from dragoman.server.answers import RefusedError
from dragoman.server.api import PROBLEMS, CorrectionId, history_row
from dragoman.server.documents import Documents
from dragoman.server.editing import correction
from dragoman.server.projects import Opened
from dragoman.server.rooms import Reading, Translating
from dragoman.server.translating import tokens_of

router = APIRouter(responses=PROBLEMS)
NONCE = b"NONCE"  # in the page: the styles that carry this word, made anew for each answer, are ours
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


FILES = _find(files(__package__).joinpath("static"))


@router.get("/", include_in_schema=False)
async def page() -> Response:
    """The page; whoever may look at it: without a key it can ask for nothing."""
    nonce = secrets.token_urlsafe(16)
    body = FILES["index.html"].read_bytes().replace(NONCE, nonce.encode())
    headers = HEADERS | {"Cache-Control": "no-store", "Content-Security-Policy": POLICY.format(nonce=nonce)}
    return Response(body, media_type=KINDS["html"], headers=headers)


@router.get("/workbench/{name:path}", include_in_schema=False)
async def file(name: str, request: Request) -> Response:
    """A file of the page."""
    if name not in FILES or name == "index.html":
        raise RefusedError(404, "the workbench has no such file", "open /")
    body = FILES[name].read_bytes()
    tag = f'"{hashlib.sha256(body).hexdigest()[:32]}"'
    headers = HEADERS | {"ETag": tag, "Content-Security-Policy": "default-src 'none'"}
    if request.headers.get("if-none-match") == tag:
        return Response(status_code=304, headers=headers)
    return Response(body, media_type=KINDS[name.rpartition(".")[2]], headers=headers)


# ── Which words belong together ──────────────────────────────────────────────────────────────────────────────────────


class Pair(schemas.Sent):
    """A source and a target whose words are to be aligned."""

    model_config = schemas.example(source="Press the green button.", target="Pulse el botón verde.")
    source: schemas.Text
    target: schemas.Text


class Aligned(schemas.Given):
    """Which tokens of a source and of a target belong together."""

    source_tokens: list[schemas.Token]
    target_tokens: list[schemas.Token]
    alignment: Annotated[list[tuple[int, int]], Field(description="source token, target token, from 0")]


@router.post("/api/v1/projects/{project}/alignments", tags=["looking"])
async def align(pair: Pair, room: Translating) -> Aligned:
    """Which words of two texts belong together, as the models see it; either may be unfinished, or empty."""
    room.check_text(pair.source, pair.target)
    return await room.look("align", lambda: _aligned(room.project.engine, pair), quick=True)


def _aligned(engine: Engine, pair: Pair) -> Aligned:
    found = engine.align(pair.source, pair.target)
    tokens = list(tokens_of(found.source)), list(tokens_of(found.target))
    return Aligned(source_tokens=tokens[0], target_tokens=tokens[1], alignment=found.links)


# ── Where a correction comes from ────────────────────────────────────────────────────────────────────────────────────


class Taught(schemas.HistoryRow):
    """A correction, and the segment that it came from if there is one."""

    document: int | None
    segment: int | None
    name: Annotated[str | None, Field(description="of the document")]


@router.get("/api/v1/projects/{project}/corrections/{number}", tags=["learning"])
async def show_correction(number: CorrectionId, room: Reading) -> Taught:
    """One correction, and where it was made."""
    return await room.look("history", lambda: _taught(room.project, number))


def _taught(project: Opened, number: int) -> Taught:
    row = correction(project, number)
    place = project.documents.taught(number)
    name = project.documents.document(place.document).name if place else None
    return Taught(
        **history_row(row).model_dump(),
        document=place.document if place else None,
        segment=place.number if place else None,
        name=name,
    )


# ── The sample ───────────────────────────────────────────────────────────────────────────────────────────────────────

SAMPLE = "espresso"
KNOWN = 502  # segments that are translated already: all before the chapter on error messages


def make_sample(folder: FilePath, tell: Callable[[int, int], None] | None = None) -> FilePath:
    """The sample project in a folder, made if it is not there: a manual, two thirds of it translated and learned.

    `tell` hears how many segments are learned, and of how many. It is made under another name first, so that whoever
    interrupts this gets no half of it.
    """
    place = folder / SAMPLE
    if (place / "project.json").exists():
        return place
    folder.mkdir(parents=True, exist_ok=True)
    with TemporaryDirectory(prefix=".making-", dir=folder) as making:
        unfinished = FilePath(making) / SAMPLE
        with (
            Engine.create(unfinished, source="en", target="es") as engine,
            closing(Documents(unfinished / "documents.db")) as documents,
        ):
            _fill_sample(engine, documents, tell)
        unfinished.rename(place)
    return place


def _fill_sample(engine: Engine, documents: Documents, tell: Callable[[int, int], None] | None) -> None:
    pairs = [(source, target if n < KNOWN else "") for n, (source, target) in enumerate(sample.pairs())]
    states = ("confirmed" if target else "new" for _, target in pairs)
    rows = [(str(n), *pair, state) for n, (pair, state) in enumerate(zip(pairs, states, strict=True), start=1)]
    data = "".join(f"{source}\t{target}\n" for source, target in pairs).encode()
    document = documents.add("espresso.tsv", rows, data)
    for segment in documents.segments(document, state="confirmed"):
        with suppress(FlaggedError):
            documents.change(segment, correction=engine.learn(segment.source, segment.target, user="sample"))
        if tell:
            tell(segment.number, KNOWN)
