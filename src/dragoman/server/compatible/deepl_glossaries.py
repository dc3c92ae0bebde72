"""DeepL's glossaries: those of version 2 for one pair of languages, and those of version 3 for several.

A glossary of version 3 is a group of glossaries that share an id; version 2 sees each of them as one of its own.
"""

from __future__ import annotations

import csv
import io
from dataclasses import replace
from functools import partial
from typing import Any

from fastapi import APIRouter, Response

from dragoman.languages import is_language, primary, same_language
from dragoman.server.api_errors import ApiError
from dragoman.server.compatible.call import (
    Call,
    CurrentCall,
    Parameters,
    check_may_change,
    example_body,
    find_glossaries,
    find_glossary,
    text_of,
    usable,
)
from dragoman.server.glossary_store import NamedGlossary, read_terms
from dragoman.server.keys import Identity

BODY = example_body(name="terms", source_lang="EN", target_lang="ES", entries="lid\ttapa")
router = APIRouter(tags=["DeepL"])
newer = APIRouter(tags=["DeepL"])  # version 3


def _terms(given: Parameters) -> dict[str, str]:
    """The terms in `entries`, lines of TSV or CSV."""
    tabs = text_of(given, "entries_format", "tsv") == "tsv"
    rows = csv.reader(
        io.StringIO(text_of(given, "entries")),
        delimiter="\t" if tabs else ",",
        quoting=csv.QUOTE_NONE if tabs else csv.QUOTE_MINIMAL,
    )
    try:
        return read_terms(list(rows), "parameter 'entries'")
    except csv.Error:
        raise ApiError(400, "parameter 'entries' is not in the format that 'entries_format' names") from None


def _pair(given: Parameters) -> tuple[str, str]:
    """The languages of a glossary."""
    for name in ("source_lang", "target_lang"):
        if not is_language(text_of(given, name)):
            raise ApiError(400, f"Value for '{name}' not supported", "see the list of languages")
    return text_of(given, "source_lang").lower(), text_of(given, "target_lang").lower()


# ── Version 2 ────────────────────────────────────────────────────────────────────────────────────────────────────────


@router.get("/glossary-language-pairs")
async def glossary_languages(call: CurrentCall) -> dict[str, Any]:
    """The pairs of languages that glossaries may have: those of the projects."""
    pairs = dict.fromkeys((primary(each.source), primary(each.target)) for each in call.visible("read"))
    return {"supported_languages": [{"source_lang": source, "target_lang": target} for source, target in pairs]}


@router.post("/glossaries", status_code=201, openapi_extra=BODY)
async def create_glossary(call: CurrentCall) -> dict[str, Any]:
    """Create a glossary from `entries`, lines of TSV or CSV; one with the same name is replaced."""
    source, target = _pair(call.given)
    check_may_change(call, source, target)
    glossary = NamedGlossary(call.text("name"), source, target, _terms(call.given), call.identity.client)
    return _describe(await _keep(call, glossary))


@router.get("/glossaries")
async def list_glossaries(call: CurrentCall) -> dict[str, Any]:
    """The glossaries that this key may use."""
    return {"glossaries": [_describe(each) for each in usable(call)]}


@router.get("/glossaries/{glossary}")
async def show_glossary(glossary: str, call: CurrentCall) -> dict[str, Any]:
    """One glossary."""
    return _describe(find_glossary(call, glossary))


@router.get("/glossaries/{glossary}/entries")
async def show_entries(glossary: str, call: CurrentCall) -> Response:
    """The terms of a glossary, as lines of TSV."""
    lines = (f"{source}\t{target}" for source, target in find_glossary(call, glossary).terms.items())
    return Response("\n".join(lines).encode(), media_type="text/tab-separated-values; charset=utf-8")


@router.delete("/glossaries/{glossary}", status_code=204)
async def delete_glossary(glossary: str, call: CurrentCall) -> None:
    """Delete a glossary."""
    found = find_glossary(call, glossary)
    check_may_change(call, found.source, found.target)
    await _remove(call, found)


def _describe(glossary: NamedGlossary) -> dict[str, Any]:
    return {
        "glossary_id": glossary.id,
        "name": glossary.name,
        "ready": True,
        "source_lang": primary(glossary.source),
        "target_lang": primary(glossary.target),
        "creation_time": glossary.created,
        "entry_count": len(glossary.terms),
    }


# ── Version 3 ────────────────────────────────────────────────────────────────────────────────────────────────────────


@newer.post("/glossaries", status_code=201, openapi_extra=BODY)
async def create_group(call: CurrentCall) -> dict[str, Any]:
    """Create a glossary with `dictionaries`, each for one pair of languages."""
    name, dictionaries = call.text("name"), _dictionaries(call.given)
    if not name:
        raise ApiError(400, "parameter 'name' must not be empty")
    group = [_dictionary(each, name, call.identity) for each in dictionaries]
    for each in group:
        check_may_change(call, each.source, each.target)
    first = group[0].id
    for each in group:
        await _keep(call, replace(each, group=first))
    return _describe_group(find_glossaries(call, first))


@newer.get("/glossaries")
async def list_groups(call: CurrentCall) -> dict[str, Any]:
    """The glossaries of this key."""
    groups: dict[str, list[NamedGlossary]] = {}
    for each in usable(call):
        groups.setdefault(each.group or each.id, []).append(each)
    return {"glossaries": [_describe_group(group) for group in groups.values()]}


@newer.get("/glossaries/{glossary}")
async def show_group(glossary: str, call: CurrentCall) -> dict[str, Any]:
    """One glossary, with what is known of its dictionaries."""
    return _describe_group(find_glossaries(call, glossary))


@newer.get("/glossaries/{glossary}/entries")
async def show_dictionaries(glossary: str, call: CurrentCall) -> dict[str, Any]:
    """The terms of the dictionary for a pair of languages."""
    found = _of_pair(find_glossaries(call, glossary), call.given)
    lines = "\n".join(f"{source}\t{target}" for source, target in found.terms.items())
    return {"dictionaries": [_languages(found) | {"entries": lines, "entries_format": "tsv"}]}


@newer.patch("/glossaries/{glossary}", openapi_extra=BODY)
async def change_group(glossary: str, call: CurrentCall) -> dict[str, Any]:
    """Rename a glossary, or add terms to a dictionary of it; one for other languages is added."""
    group = find_glossaries(call, glossary)
    name = call.text("name", group[0].name)
    for each in group:
        check_may_change(call, each.source, each.target)
        if name != each.name:
            await _remove(call, each)
            await _keep(call, replace(each, name=name))
    for one in _dictionaries(call.given) if "dictionaries" in call.given else []:
        made = replace(_dictionary(one, name, call.identity), group=group[0].group or group[0].id)
        check_may_change(call, made.source, made.target)
        old = next((each for each in group if _fits(each, made.source, made.target)), None)
        await _keep(call, replace(old, name=name, terms=old.terms | made.terms) if old else made)
    return _describe_group(find_glossaries(call, glossary))


@newer.put("/glossaries/{glossary}/dictionaries", openapi_extra=BODY)
async def replace_dictionary(glossary: str, call: CurrentCall) -> dict[str, Any]:
    """Replace all terms of the dictionary for a pair of languages, or add the dictionary."""
    group = find_glossaries(call, glossary)
    made = replace(_dictionary(call.given, group[0].name, call.identity), group=group[0].group or group[0].id)
    check_may_change(call, made.source, made.target)
    old = next((each for each in group if _fits(each, made.source, made.target)), None)
    kept = replace(old, terms=made.terms) if old else made
    await _keep(call, kept)
    return _describe_dictionary(kept)


@newer.delete("/glossaries/{glossary}/dictionaries", status_code=204)
async def delete_dictionary(glossary: str, call: CurrentCall) -> None:
    """Delete the dictionary for a pair of languages."""
    found = _of_pair(find_glossaries(call, glossary), call.given)
    check_may_change(call, found.source, found.target)
    await _remove(call, found)


@newer.delete("/glossaries/{glossary}", status_code=204)
async def delete_group(glossary: str, call: CurrentCall) -> None:
    """Delete a glossary with all its dictionaries."""
    group = find_glossaries(call, glossary)
    for each in group:
        check_may_change(call, each.source, each.target)
    for each in group:
        await _remove(call, each)


async def _keep(call: Call, glossary: NamedGlossary) -> NamedGlossary:
    return await call.run("glossary", partial(call.server.glossaries.add, glossary))


async def _remove(call: Call, glossary: NamedGlossary) -> None:
    await call.run("glossary", partial(call.server.glossaries.remove, glossary))


def _dictionaries(given: Parameters) -> list[Parameters]:
    found = given.get("dictionaries")
    if not (isinstance(found, list) and found and all(isinstance(each, dict) for each in found)):
        raise ApiError(400, "parameter 'dictionaries' must be a list of dictionaries")
    return found


def _dictionary(given: Parameters, name: str, identity: Identity) -> NamedGlossary:
    source, target = _pair(given)
    return NamedGlossary(name, source, target, _terms(given), identity.client)


def _of_pair(group: list[NamedGlossary], given: Parameters) -> NamedGlossary:
    source, target = text_of(given, "source_lang"), text_of(given, "target_lang")
    for each in group:
        if _fits(each, source, target):
            return each
    raise ApiError(404, f"this glossary has no dictionary from {source} to {target}", "see its dictionaries")


def _fits(glossary: NamedGlossary, source: str, target: str) -> bool:
    return same_language(glossary.source, source) and same_language(glossary.target, target)


def _describe_group(group: list[NamedGlossary]) -> dict[str, Any]:
    return {
        "glossary_id": group[0].group or group[0].id,
        "name": group[0].name,
        "creation_time": group[0].created,
        "dictionaries": [_describe_dictionary(each) for each in group],
    }


def _describe_dictionary(glossary: NamedGlossary) -> dict[str, Any]:
    return _languages(glossary) | {"entry_count": len(glossary.terms)}


def _languages(glossary: NamedGlossary) -> dict[str, str]:
    return {"source_lang": primary(glossary.source), "target_lang": primary(glossary.target)}
