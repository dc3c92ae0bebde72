"""The API of DeepL, version 2: translate, with tags and glossaries; languages, usage, documents, glossaries.

A key is sent as `DeepL-Auth-Key`. Context and formality go to the engine that a project builds on, if that can use
them. Otherwise they are accepted and change nothing, as models always do: a project has the style of its corrections.

Elements of XML or HTML that are not to be translated are replaced by marks that come back unchanged:

>>> masked, elements = mask_elements('Press <x id="5"></x> or <code>go</code>.', {"code"})
>>> masked
'Press <x id="900001"/> or <x id="900002"/>.'
>>> restore_elements('Pulse <x id="900001"/> o <x id="900002"/>.', elements)
'Pulse <x id="5"></x> o <code>go</code>.'
"""

from __future__ import annotations

import re
from collections.abc import Collection
from functools import partial
from typing import Any

from fastapi import APIRouter

from dragoman.languages import primary, same_language
from dragoman.project.consultant import RequestOptions
from dragoman.project.glossary import Glossary
from dragoman.server.api_errors import ApiError
from dragoman.server.batches import translate_batch
from dragoman.server.compatible import deepl_documents, deepl_glossaries
from dragoman.server.compatible.call import (
    Call,
    CallPart,
    CurrentCall,
    Parameters,
    by_part,
    error_writer,
    example_body,
    find_terms,
    languages_of,
    list_of,
)
from dragoman.server.context import ProjectContext
from dragoman.server.html_text import translate_html
from dragoman.server.long_text import cut
from dragoman.server.marked_text import translate_marked
from dragoman.text.identification import name_of

UNLIMITED = 10**12  # characters: nothing is billed, but clients expect a limit
LONGEST = 20_000  # characters that are translated in one piece
LONGEST_CONTEXT = 2_000  # characters that go to an engine
OPTIONS = {  # and the values that they may have
    "split_sentences": {"0", "1", "nonewlines"},
    "tag_handling": {"xml", "html", ""},
    "formality": {"default", "more", "less", "prefer_more", "prefer_less"},
    "model_type": {"quality_optimized", "latency_optimized", "prefer_quality_optimized"},
}
BODY = example_body(text=["Press the green button."], source_lang="EN", target_lang="ES")
NAME, VERSION = "deepl", "/v2"  # what clients add to the address, also at the root
router = APIRouter(tags=["DeepL"])
for part in (deepl_documents, deepl_glossaries):
    router.routes.extend(part.router.routes)
newer = deepl_glossaries.newer  # version 3
write_error = error_writer(lambda error: {"message": error.message}, {401: 403})  # clients take 403 for a wrong key


# ── Translating ──────────────────────────────────────────────────────────────────────────────────────────────────────


@router.post("/translate", openapi_extra=BODY)
async def translate(call: CurrentCall) -> dict[str, Any]:
    """Translate texts; with `tag_handling`, they are XML or HTML."""
    given, (texts, _) = call.given, call.texts("text", cut=True)  # long ones are cut later
    source, target = str(given.get("source_lang") or "").lower(), call.text("target_lang").lower()
    _check_options(given)
    parts = await call.find_parts(texts, source, target, refusal=partial(_unsupported, call, source, target))
    if parts is None:
        return {"translations": [_translation("test", "en", "test", given)]}
    made = await by_part(parts, texts, partial(_translated_part, call, target))
    found = zip(texts, languages_of(parts), made, strict=True)
    return {"translations": [_translation(*each, given) for each in found]}


def _check_options(given: Parameters) -> None:
    """Reject values of options that DeepL rejects, too."""
    for name, allowed in OPTIONS.items():
        value = given.get(name)
        if value is not None and str(value).lower() not in allowed:
            raise ApiError(400, f"Value for '{name}' not supported", f"use one of {', '.join(sorted(allowed))}")
    if given.get("glossary_id") and not given.get("source_lang"):
        raise ApiError(400, "Value for 'source_lang' is required with a glossary")


def _unsupported(call: Call, source: str, target: str) -> ApiError:
    """Which of two languages is not supported, in DeepL's words."""
    known = any(same_language(each.target, target) for each in call.visible())
    what = "source_lang" if known and source else "target_lang"
    pair = f" ({source} to {target})" if source else ""
    return ApiError(400, f"Value for '{what}' not supported{pair}", "see the list of languages")


async def _translated_part(call: Call, target: str, part: CallPart, texts: list[str]) -> list[str]:
    terms = find_terms(call, part.source, target)
    return await _translated(part.context, call.given, texts, terms, call.seconds)


async def _translated(
    context: ProjectContext, given: Parameters, texts: list[str], terms: Glossary | None, seconds: float
) -> list[str]:
    context.check_work(texts, 1)
    engine, handling = context.project.engine, given.get("tag_handling")
    if handling != "html" and any(len(text) > LONGEST for text in texts):
        return await _translated_in_pieces(context, given, texts, terms, seconds)
    if handling == "html":
        pages = [partial(translate_html, engine, text, terms) for text in texts]
        return await translate_batch(context, pages, seconds, terms, options=_options(given))
    ignored = list_of(given, "ignore_tags") if handling == "xml" else []
    masked: list[tuple[str, dict[str, str]]] = [(text, {}) for text in texts]
    if handling == "xml":
        mask = [partial(mask_elements, text, ignored) for text in texts]
        masked = await context.run_all("translate", mask)
    work = [partial(translate_marked, engine, text, 1, terms) for text, _ in masked]
    found = await translate_batch(context, work, seconds, terms, options=_options(given))
    return [restore_elements(one.text, elements) for one, (_, elements) in zip(found, masked, strict=True)]


def _options(given: Parameters) -> RequestOptions:
    """How the texts are to be translated, for an engine behind that can do that."""
    formality = str(given.get("formality") or "")
    return RequestOptions(
        str(given.get("context") or "")[:LONGEST_CONTEXT], "" if formality == "default" else formality
    )


async def _translated_in_pieces(
    context: ProjectContext, given: Parameters, texts: list[str], terms: Glossary | None, seconds: float
) -> list[str]:
    """Texts that are too long for one search, cut where lines or sentences end and put together again."""
    pieces = [cut(text, LONGEST) for text in texts]
    flat = [piece for each in pieces for piece in each]
    made = iter(await _translated(context, given, flat, terms, seconds))
    return ["".join(next(made) for _ in each) for each in pieces]


def _translation(text: str, source: str, made: str, given: Parameters) -> dict[str, Any]:
    model = str(given.get("model_type") or "")
    used = {"model_type_used": model.removeprefix("prefer_")} if model else {}
    return {
        "detected_source_language": primary(source).upper(),
        "text": made,
        "billed_characters": len(text),
    } | used


@router.get("/languages")
async def languages(call: CurrentCall) -> list[dict[str, Any]]:
    """The source or the target languages."""
    projects = [each for each in call.visible("read") if call.named in (None, each.name)]
    target = call.given.get("type") == "target"
    codes = dict.fromkeys(each.target.upper() if target else primary(each.source).upper() for each in projects)
    formality = {"supports_formality": False} if target else {}
    return [{"language": code, "name": name_of(code)} | formality for code in sorted(codes)]


@router.get("/usage")
async def usage(call: CurrentCall) -> dict[str, int]:
    """How much was translated: nothing is counted or limited by amount."""
    if not call.identity.has_role("read") and not call.visible("read"):
        raise ApiError(403, "this key may not use any project", "ask the administrator for a key that may")
    return {"character_count": 0, "character_limit": UNLIMITED}


# ── Elements that are not translated ─────────────────────────────────────────────────────────────────────────────────

FIRST = 900_001  # of the ids of marks: not likely to be in a text
_START = re.compile(r"""<([A-Za-z][\w:.-]*)(?:\s(?:[^<>"']|"[^"<>]*"|'[^'<>]*')*)?(?<!/)>""")
_TAG = re.compile(r"<(/?)([A-Za-z][\w:.-]*)(?=[\s>/])[^<>]*>")
_NOT_TRANSLATED = re.compile(r"""\s(?:translate\s*=\s*["']no["']|class\s*=\s*["'][^"']*\bnotranslate\b[^"']*["'])""")


def mask_elements(text: str, ignored: Collection[str]) -> tuple[str, dict[str, str]]:
    """The text with marks for elements of these names, for those that say so themselves, and for empty ones."""
    elements: dict[str, str] = {}
    parts, done, ends = list[str](), 0, _ends(text)
    for found in _START.finditer(text):
        if found.start() < done:
            continue
        end = ends.get(found.start())
        if end is None:
            continue
        is_empty = text.rfind("</", found.end(), end) == found.end()
        if not (found[1] in ignored or is_empty or _NOT_TRANSLATED.search(found[0])):
            continue
        mark = f'<x id="{FIRST + len(elements)}"/>'
        elements[mark] = text[found.start() : end]
        parts += [text[done : found.start()], mark]
        done = end
    return "".join([*parts, text[done:]]), elements


def _ends(text: str) -> dict[int, int]:
    """Where each element ends, by where it begins; found in one pass, however many are never closed."""
    ends: dict[int, int] = {}
    begun: dict[str, list[int]] = {}
    for tag in _TAG.finditer(text):
        if not tag[1]:
            if not tag[0].endswith("/>"):
                begun.setdefault(tag[2], []).append(tag.start())
        elif begun.get(tag[2]):
            ends[begun[tag[2]].pop()] = tag.end()
    return ends


def restore_elements(text: str, elements: dict[str, str]) -> str:
    """A text with the elements in the places of their marks."""
    for mark, element in elements.items():
        text = text.replace(mark, element)
    return text
