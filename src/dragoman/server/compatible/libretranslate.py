"""The API of LibreTranslate. Here /suggest really learns.

Weblate checks whether a server works by translating “test” from English to German; that is answered even if no project
has these languages.
"""

from __future__ import annotations

import secrets
from contextlib import suppress
from functools import partial
from pathlib import PurePosixPath
from typing import Annotated, Any
from urllib.parse import quote

from fastapi import APIRouter, Request, Response

from dragoman.formats import read_document
from dragoman.formats.document import NewTarget
from dragoman.formats.filled_document import fill_document, wanted_segments
from dragoman.languages import same_language
from dragoman.server.api_errors import ApiError
from dragoman.server.auth import key_of
from dragoman.server.batches import translate_batch, translate_segments
from dragoman.server.bodies import takes_form
from dragoman.server.compatible.call import (
    Call,
    CallPart,
    Given,
    alternatives,
    by_part,
    error_writer,
    example_body,
    keyed_by,
    languages_of,
    unlist,
)
from dragoman.server.context import ProjectContext, Server
from dragoman.server.html_text import translate_html
from dragoman.server.registry import ServedProject
from dragoman.text.identification import detect, name_of

KeyedCall = Annotated[Call, keyed_by("api_key")]
FILES = [
    ".txt",
    ".html",
    ".docx",
    ".pptx",
    ".xlsx",
    ".odt",
    ".odp",
    ".ods",
    ".epub",
    ".srt",
    ".vtt",
    ".md",
    ".po",
    ".xlf",
]
MOST_RESULTS = 1000  # translated files that can be fetched
BODY = example_body(q="Press the green button.", source="en", target="es", alternatives=2)
NAME, VERSION = "libretranslate", ""
router = APIRouter(tags=["LibreTranslate"])
write_error = error_writer(lambda error: {"error": error.message})


@router.post("/translate", openapi_extra=BODY)
async def translate(call: KeyedCall) -> dict[str, Any]:
    """Translate a text or a list of texts."""
    for name in ("q", "target"):
        if name not in call.given:
            raise ApiError(400, f"Invalid request: missing {name} parameter")
    texts, was_list = call.texts("q")
    source, target = call.text("source", "auto"), call.text("target")
    known, refusal = "" if source == "auto" else source, partial(_unsupported, call, source, target)
    parts = await call.find_parts(texts, known, target, refusal=refusal, probes=("en", ""))
    if parts is None:
        return {"translatedText": unlist(texts, was_list)}
    wanted = call.number("alternatives", call.server.settings.limits.nbest - 1)
    is_html = call.text("format", "text") == "html"
    found = await by_part(parts, texts, partial(_translate, call, 1 + wanted, is_html))
    answer: dict[str, Any] = {"translatedText": unlist([each for each, _ in found], was_list)}
    if wanted and not is_html:
        answer["alternatives"] = unlist([others for _, others in found], was_list)
    if source == "auto":
        each = zip(texts, languages_of(parts), strict=True)
        guesses = await call.run("detect", lambda: [_guess(text, [language]) for text, language in each])
        answer["detectedLanguage"] = unlist(guesses, was_list)
    return answer


def _unsupported(call: Call, source: str, target: str) -> ApiError:
    """Which of two languages is not supported, in LibreTranslate's words."""
    projects = call.visible()
    if not any(same_language(each.target, target) for each in projects):
        return ApiError(400, f"{target} is not supported")
    if not any(same_language(each.source, source) for each in projects):
        return ApiError(400, f"{source} is not supported")
    return ApiError(400, f"{source} to {target} is not supported", "see the list of languages")


async def _translate(
    call: Call, n: int, is_html: bool, part: CallPart, texts: list[str]
) -> list[tuple[str, list[str]]]:
    """Each text translated, with its alternatives."""
    context = part.context
    if is_html:
        context.check_work(texts, 1)
        work = [partial(translate_html, context.project.engine, text) for text in texts]
        return [(each, []) for each in await translate_batch(context, work, call.seconds)]
    found = await call.translate(context, texts, n)
    return [(each.text, alternatives(each, n - 1)) for each in found]


def _guess(text: str, known: list[str]) -> dict[str, Any]:
    language, confidence = detect(text, known)
    return {"language": language, "confidence": round(100 * confidence)}


@router.post("/detect", openapi_extra=BODY)
async def detect_language(call: KeyedCall) -> list[dict[str, Any]]:
    """Guess the language of a text, among those of the projects."""
    known = [code for each in call.visible() for code in (each.source, each.target)]
    return [await call.run("detect", partial(_guess, call.text("q"), known))]


@router.get("/languages")
async def languages(request: Request, given: Given, server: Server) -> list[dict[str, Any]]:
    """The source languages, each with its target languages; Weblate asks for them without a key."""
    key, listed = given.get("api_key"), list[ServedProject]()
    knows = bool(key or key_of(request.scope)) or not server.settings.requires_key
    if not knows:
        listed = list(server.projects.opened())  # of which only the languages are told
    else:
        listed = Call(request, server, server.auth.identify(request.scope, key), given).visible("read")
    named = request.path_params.get("project") if knows else None  # whoever has no key learns of no name
    targets: dict[str, set[str]] = {}
    for project in listed:
        if named in (None, project.name):
            targets.setdefault(project.source, set()).add(project.target)
            targets.setdefault(project.target, set())
    return [{"code": code, "name": name_of(code), "targets": sorted(into - {code})} for code, into in targets.items()]


@router.post("/suggest", openapi_extra=BODY)
async def suggest(call: KeyedCall) -> dict[str, Any]:
    """Learn a better translation."""
    text, better = call.text("q"), call.text("s")
    await call.learn(await call.find_project(call.text("source"), call.text("target"), "learn"), text, better)
    return {"success": True}


@router.post("/translate_file")
@takes_form
async def translate_file(request: Request, call: KeyedCall) -> dict[str, str]:
    """Translate a document; the answer has the address that the result is fetched from, within an hour."""
    server, (data, name), target = call.server, call.file(), call.text("target")
    context = await call.find_project(call.text("source"), target)
    await context.examine(data, name)
    written = await _fill(call, context, data, name)
    kept = await context.run("fill", partial(server.jobs.files.keep, [written], call.identity.client))
    token = f"{secrets.token_urlsafe(16)}{PurePosixPath(name).suffix}"
    while len(server.results) >= MOST_RESULTS:
        server.results.pop(next(iter(server.results)))
    server.results[token] = kept, f"{PurePosixPath(name).stem}_{target}{PurePosixPath(name).suffix}"
    address = server.auth.public_address(request.scope) + request.url.path.removesuffix("/translate_file")
    return {"translatedFileUrl": f"{address}/download_file/{token}"}


async def _fill(call: Call, context: ProjectContext, data: bytes, name: str) -> bytes:
    """A file with translations; if there is an engine, it has answered for all of them."""
    engine, kept = context.project.engine, dict[str, NewTarget]()
    read = partial(read_document, data, name, source=engine.source, target=engine.target)
    document = await context.run("fill", read)
    if engine.upstream is not None:
        wanted = list(wanted_segments(document))
        made = await translate_segments(context, document, wanted, call.seconds)
        both = zip(wanted, made, strict=True)
        kept = {each.id: NewTarget(text, "translated") for each, text in both if text != each.source}
    filled = await context.run("fill", partial(fill_document, engine, document, kept=kept))
    return filled.data


@router.get("/download_file/{token}", response_class=Response)
async def download_file(token: str, request: Request, server: Server) -> Response:
    """A translated document: its address is known only to who has sent it."""
    file, name = server.results.get(token, (None, ""))
    client = server.auth.client(request.scope)
    try:
        data = await server.workers.run("download", file.read_bytes, client=client) if file else None
    except OSError:
        data = None
    if data is None:
        raise ApiError(404, "no such file", "translate it again: results are removed after a while")
    headers = {"Content-Disposition": f"attachment; filename*=UTF-8''{quote(name)}"}
    return Response(data, media_type="application/octet-stream", headers=headers)


@router.get("/spec")
async def spec(request: Request, server: Server) -> dict[str, Any]:
    """The OpenAPI schema of this API."""
    whole = request.app.openapi()
    paths = {
        path.removeprefix("/libretranslate"): about
        for path, about in whole["paths"].items()
        if path.startswith("/libretranslate/")
    }
    address = server.auth.public_address(request.scope) + request.url.path.removesuffix("/spec")
    return {name: whole[name] for name in ("openapi", "info")} | {"servers": [{"url": address}], "paths": paths}


@router.get("/frontend/settings")
async def frontend_settings(request: Request, server: Server) -> dict[str, Any]:
    """What the server offers to clients; without a key, only that one is required, and nothing about projects."""
    limits, first = server.settings.limits, None
    with suppress(ApiError):
        identity = server.auth.identify(request.scope)
        first = next(iter(Call(request, server, identity, {}).visible("read")), None)
    codes = (first.source, first.target) if first else ("en", "es")
    named = [{"code": code, "name": name_of(code)} for code in codes]
    return {
        "apiKeys": server.settings.keys is not None,
        "charLimit": limits.text,
        "batchLimit": limits.texts,
        "frontendTimeout": 500,
        "keyRequired": server.settings.requires_key,
        "language": {"source": named[0], "target": named[1]},
        "suggestions": True,
        "supportedFilesFormat": FILES,
    }


@router.get("/health")
async def health() -> dict[str, str]:
    """Whether the server is alive."""
    return {"status": "ok"}
