"""The API of OPUS-CAT MT Engine, which has plug-ins for Trados Studio and memoQ, and a connection from Wordfast.

They ask `http://host:port/MtRestService/…` and send no key, so they need a server that lets programs on this machine in
without one. A model tag is the name of a project. Plug-ins put tags back by the alignment of words, or send them as
words of their own (`PLACEHOLDER`, `TAGPAIRSTART`, `TAGPAIREND`).
"""

from __future__ import annotations

import re
from functools import partial
from typing import Annotated, Any

from fastapi import APIRouter, Depends, Request, Response

from dragoman.errors import UnlearnableError
from dragoman.project.guard import FlaggedError
from dragoman.records import Sentence, Translation
from dragoman.server.api_errors import ApiError
from dragoman.server.auth import CurrentIdentity
from dragoman.server.compatible.call import Call, error_writer
from dragoman.server.context import ProjectContext, Server

NAME, VERSION = "opuscat", "/MtRestService"  # what clients add to the address, also at the root
router = APIRouter(tags=["OPUS-CAT"])
write_error = error_writer(lambda error: error.message)
MARKS = {"PLACEHOLDER": "<x/>", "TAGPAIRSTART": "<g>", "TAGPAIREND": "</g>"}
WRITTEN = {"<x/>": "PLACEHOLDER", "<g>": "TAGPAIRSTART ", "</g>": " TAGPAIREND"}
MAX_PAIRS = 10_000  # that a batch task may teach; others get their turn between any two of them
SENTENCE_PIECES = 1  # how the plug-ins are told that a piece after a space begins with ▁


async def _call(request: Request, server: Server, identity: CurrentIdentity) -> Call:
    return Call(request, server, identity, dict(request.query_params))


OpusCall = Annotated[Call, Depends(_call)]


async def _find(call: Call, role: str = "translate") -> ProjectContext:
    """The project that the model tag names, if it fits, or the first for the languages."""
    source, target = call.text("srcLangCode"), call.text("trgLangCode")
    tag = call.text("modelTag", "").strip('" ')
    for project in call.fitting(source, target, role):
        if project.name == tag:
            return ProjectContext(call.server, project, call.identity)
    return await call.find_project(source, target, role)


async def _translated(call: Call) -> Translation:
    text = call.text("input", "")
    context = await _find(call)
    context.check_length(text)
    marked = re.sub(r"\b(PLACEHOLDER|TAGPAIRSTART|TAGPAIREND)\b", lambda found: MARKS[found[1]], text)
    [made] = await call.translate(context, [marked])
    return made


def _text(made: Translation) -> str:
    return re.sub(r" ?(<x/>|<g>|</g>) ?", _spaced, made.text) if "<" in made.text else made.text


def _spaced(found: re.Match[str]) -> str:
    """A tag as the word that the plug-in looks for; it takes the space that belongs to the word away again."""
    before, after = found[0].startswith(" "), found[0].endswith(" ")
    return f"{' ' if before else ''}{WRITTEN[found[1]]}{' ' if after else ''}"


def _pieces(sentence: Sentence) -> list[str]:
    return [f"▁{word}" if n == 0 or sentence.gaps[n] else word for n, word in enumerate(sentence.words)]


def _pair(made: Translation) -> dict[str, Any]:
    """A translation with its pieces and their links, as the plug-ins put tags back by them."""
    forward: dict[int, list[int]] = {n: [] for n in range(len(made.source))}
    back: dict[int, list[int]] = {n: [] for n in range(len(made.target))}
    for one, other in made.alignment:
        forward[one].append(other)
        back[other].append(one)
    text = _text(made)
    return {
        "translation": text,
        "Translation": text,
        "SegmentedSourceSentence": _pieces(made.source),
        "SegmentedTranslation": _pieces(made.target),
        "SegmentedAlignmentSourceToTarget": forward,
        "SegmentedAlignmentTargetToSource": back,
        "AlignmentString": " ".join(f"{one}-{other}" for one, other in made.alignment),
        "RawTranslation": " ".join(_pieces(made.target)),
        "Segmentation": SENTENCE_PIECES,
    }


@router.get("/TranslateJson")
@router.post("/TranslatePost")
async def translate(call: OpusCall) -> dict[str, Any]:
    """Translate `input`; with the pieces of both texts and which of them belong together."""
    return _pair(await _translated(call))


@router.get("/Translate")
@router.get("/TranslateStream")
async def translate_plain(call: OpusCall) -> Response:
    """Translate `input`; the text alone."""
    return Response(_text(await _translated(call)), media_type="text/plain; charset=utf-8")


@router.get("/ListSupportedLanguagePairs")
async def list_pairs(call: OpusCall) -> list[str]:
    """The pairs of languages, such as `en-es`."""
    return list(dict.fromkeys(f"{each.source}-{each.target}" for each in call.visible("read")))


@router.get("/GetLanguagePairModelTags")
async def list_tags(call: OpusCall) -> list[str]:
    """The projects that translate between two languages."""
    return [each.name for each in call.fitting(call.text("srcLangCode"), call.text("trgLangCode"), "read")]


@router.get("/CheckModelStatus")
async def check_status(call: OpusCall) -> str:
    """A sentence about the project for two languages."""
    context = await _find(call, "read")
    engine = context.project.engine
    return (
        f"dragoman: {context.project.name}, {engine.source} to {engine.target}, {engine.correction_count} corrections"
    )


@router.post("/PreOrderBatch")
async def order_ahead(request: Request, call: OpusCall) -> Response:
    """Ask the engine behind the project for many texts, so that its answers are there when they are wanted."""
    texts = await _json(request)
    if not isinstance(texts, list) or not all(isinstance(text, str) for text in texts):
        raise ApiError(400, "the body is not a list of texts")
    limits, context = call.server.settings.limits, await _find(call)
    if len(texts) > limits.texts:
        raise ApiError(413, f"more than {limits.texts} texts", "send less at once")
    await context.ask(partial(context.project.engine.ask_ahead, texts))
    return Response()


@router.post("/Customize")
async def customise(request: Request, call: OpusCall) -> Response:
    """Learn the pairs of the batch task “fine-tune”; those that cannot be learned, or look wrong, are left out."""
    job, context = await _json(request), await _find(call, "learn")
    sent = job if isinstance(job, dict) else {}
    listed = [pair for name in ("input", "validation") for pair in _of(sent, name) or []]
    pairs = [(_of(pair, "source"), _of(pair, "target")) for pair in listed if isinstance(pair, dict)]
    if len(pairs) > MAX_PAIRS:
        raise ApiError(413, f"more than {MAX_PAIRS:,} pairs", "import the translation memory as TMX")
    for source, target in pairs:
        if isinstance(source, str) and isinstance(target, str):
            context.check_length(source, target)
            await context.run_exclusive("learn", partial(_learn, context, source, target))
    return Response()


def _learn(context: ProjectContext, source: str, target: str) -> None:
    try:
        context.project.engine.learn(source, target, user=context.user(None), once=True)
    except (FlaggedError, UnlearnableError):
        return


def _of(values: dict[str, Any], name: str) -> Any:
    """A value by its name, whatever its capitals."""
    return next((value for key, value in values.items() if str(key).lower() == name), None)


async def _json(request: Request) -> Any:
    try:
        return await request.json()
    except (ValueError, RecursionError):
        raise ApiError(400, "the body is not JSON", "send JSON in UTF-8") from None
