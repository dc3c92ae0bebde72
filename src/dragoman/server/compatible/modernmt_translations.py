"""The part of ModernMT's API that translates, detects languages and judges translations."""

from __future__ import annotations

from typing import Any, NamedTuple

from fastapi import APIRouter
from rapidfuzz.distance import Levenshtein

from dragoman.languages import same_language
from dragoman.records import Translation
from dragoman.server.api_errors import ApiError
from dragoman.server.compatible.call import Call, CallPart, CurrentCall, alternatives, by_part, listed_terms, unlist
from dragoman.server.compatible.modernmt_glossaries import answer
from dragoman.server.context import ProjectContext
from dragoman.server.registry import ServedProject

router = APIRouter(tags=["ModernMT"])


class Query(NamedTuple):
    """Texts that are to be translated."""

    texts: list[str]
    was_list: bool
    source: str  # "" if it is to be guessed
    target: str
    wanted: int  # other translations of each
    parts: list[CallPart] | None  # None: only Weblate's probe of a server


@router.get("/translate")
async def translate(call: CurrentCall) -> dict[str, Any]:
    """Translate a text or a list of texts, preferably with the memory that `hints` or `context_vector` names."""
    return answer(await translated(call, await read_query(call)))


async def read_query(call: Call) -> Query:
    """What a call wants translated, and by which projects."""
    texts, was_list = call.texts("q")
    source, target = str(call.given.get("source") or ""), call.text("target")
    wanted = call.number("alt_translations", call.server.settings.limits.nbest - 1)
    return Query(texts, was_list, source, target, wanted, await _parts(call, texts, source, target))


async def translated(call: Call, query: Query) -> Any:
    """The translation of a text, or those of a list."""
    texts, was_list, source, target, wanted, parts = query
    if parts is None:
        return unlist([{"translation": text, "characters": len(text)} for text in texts], was_list)
    common = {"billedCharacters": 0, "contextVector": call.given.get("context_vector")}

    async def of_part(part: CallPart, some: list[str]) -> list[dict[str, Any]]:
        told = common if source else common | {"detectedLanguage": part.source}
        terms = listed_terms(call, part.source, target)
        made = await call.translate(part.context, some, 1 + wanted, terms)
        return [_translation(text, each, told, wanted) for text, each in zip(some, made, strict=True)]

    return unlist(await by_part(parts, texts, of_part), was_list)


def _translation(text: str, found: Translation, about: dict[str, Any], wanted: int) -> dict[str, Any]:
    made = {"translation": found.text, "characters": len(text)} | about
    return made | ({"altTranslations": alternatives(found, wanted)} if wanted else {})


async def _parts(call: Call, texts: list[str], source: str, target: str) -> list[CallPart] | None:
    """The texts by project: in one of the memories that are named, if it fits."""
    hinted = [project for project in _hinted(call) if same_language(project.target, target)]
    guessed = source
    if hinted and not source:
        guessed = (await call.detect(texts[:1] or [""], [each.source for each in hinted]))[0][0]
    for project in hinted:
        if guessed and same_language(project.source, guessed):
            return [CallPart(ProjectContext(call.server, project, call.identity), guessed, list(range(len(texts))))]
    return await call.find_parts(texts, guessed, target)


def _hinted(call: Call) -> list[ServedProject]:
    """The memories that are named: ids separated by commas, or `id:score` in a context vector."""
    ids = [each.partition(":")[0].strip() for each in call.names("hints") + call.names("context_vector")]
    visible = call.visible()
    return [each for wanted in ids for each in visible if wanted in (each.name, str(each.number))]


@router.get("/languages")
async def pairs(call: CurrentCall) -> dict[str, Any]:
    """The source languages, each with its target languages."""
    found: dict[str, list[str]] = {}
    for project in call.visible("read"):
        if project.target not in found.setdefault(project.source, []):
            found[project.source].append(project.target)
    return answer(found)


@router.get("/translate/languages")
async def languages(call: CurrentCall) -> dict[str, Any]:
    """All languages, whether source or target."""
    return answer(sorted({code for each in call.visible("read") for code in (each.source, each.target)}))


@router.get("/translate/detect")
async def detect_language(call: CurrentCall) -> dict[str, Any]:
    """Guess the language of a text or of each text of a list."""
    texts, was_list = call.texts("q")
    known = [code for each in call.visible("read") for code in (each.source, each.target)]
    detected = await call.detect(texts, known)
    found = [{"detectedLanguage": language, "billedCharacters": 0} for language, _ in detected]
    return answer(unlist(found, was_list))


@router.get("/translate/qe")
async def quality(call: CurrentCall) -> dict[str, Any]:
    """How good translations are: how near each is, in words, to what would be suggested here, from 0 to 1."""
    sentences, was_list = call.texts("sentence")
    translations, _ = call.texts("translation")
    if len(sentences) != len(translations):
        raise ApiError(400, "there must be as many translations as sentences")
    context = await call.find_project(call.text("source"), call.text("target"))
    found = await call.translate(context, sentences, withhold=False)  # only compared
    scores = [
        Levenshtein.normalized_similarity(one.text.split(), other.split())
        for one, other in zip(found, translations, strict=True)
    ]
    return answer(unlist([{"score": round(score, 3)} for score in scores], was_list))


@router.get("/context-vector")
async def context_vector(call: CurrentCall) -> dict[str, Any]:
    """The memories for each of some target languages, all with the same weight: their content is not compared."""
    source, vectors = call.text("source"), {}
    for target in call.names("targets"):
        if fitting := call.fitting(source, target):
            vectors[target] = ",".join(f"{project.number}:{1 / len(fitting):.2f}" for project in fitting)
    return answer({"source": source, "vectors": vectors})
