"""A call of a compatible interface, and what all of them do with it: who calls, for which project, with which texts.

An interface reads its parameters from a `Call`, lets it choose the project (the one in the path, or one for the
languages, which are guessed if none is named), and translates by parts, one for each project. Its errors are written by
`error_writer`, the example of a body in the schema by `example_body`.

Which of the named glossaries a caller may use and change is decided here, too.
"""

from __future__ import annotations

import json
from collections.abc import Awaitable, Callable, Sequence
from functools import partial
from itertools import islice
from pathlib import PurePosixPath
from typing import Annotated, Any, NamedTuple, TypeVar

from fastapi import Depends, Request, Response
from fastapi.responses import JSONResponse

from dragoman.languages import same_language
from dragoman.project.glossary import Glossary
from dragoman.records import Translation
from dragoman.server.api_errors import ApiError
from dragoman.server.auth import CurrentIdentity, lacks_role
from dragoman.server.batches import patience, translate_batch
from dragoman.server.confidence_threshold import translate_surely
from dragoman.server.context import ProjectContext, Server, ServerContext
from dragoman.server.glossary_store import NamedGlossary, joined
from dragoman.server.keys import Identity
from dragoman.server.limits import Limits
from dragoman.server.marked_text import translate_marked
from dragoman.server.registry import ServedProject
from dragoman.server.workers import Lane
from dragoman.text.identification import detect

T = TypeVar("T")
PROBE = ("test", "en", "de")  # what Weblate tries a service with, whatever languages it has


class CallPart(NamedTuple):
    """Some texts of a call that the same project translates."""

    context: ProjectContext
    source: str  # the language of these texts
    numbers: list[int]  # which they are


class Call:
    """A call of a compatible interface; `named` is the project that its path names, if it names one."""

    def __init__(self, request: Request, server: ServerContext, identity: Identity, given: Parameters) -> None:
        self.server, self.identity, self.given = server, identity, given
        self.named: str | None = request.path_params.get("project")
        self.seconds = patience(request)  # that the client waits

    async def run(self, operation: str, function: Callable[[], T], *, lane: Lane = "batch") -> T:
        """The result of a function, computed in a thread in the turn of whoever calls."""
        return await self.server.workers.run(operation, function, client=self.identity.client, lane=lane)

    # ── Parameters ───────────────────────────────────────────────────────────────────────────────────────────────────

    def text(self, name: str, default: str | None = None) -> str:
        """A parameter that has to be a string."""
        return text_of(self.given, name, default)

    def texts(self, name: str, *, cut: bool = False) -> tuple[list[str], bool]:
        """A parameter that is a string or a list of strings, and whether it was a list; `cut`: of any length."""
        return texts_of(self.given, name, self.server.settings.limits, cut=cut)

    def number(self, name: str, most: int) -> int:
        """A parameter that is a number from 0 to some limit; 0 if it is missing."""
        return number_of(self.given, name, most)

    def names(self, name: str) -> list[str]:
        """A parameter that is a list of names, or names separated by commas."""
        return list_of(self.given, name)

    def file(self) -> tuple[bytes, str]:
        """The file that was sent, and its name."""
        data, names = self.given.get("file"), self.given.get(FILE_NAMES)
        if not isinstance(data, bytes) or not isinstance(names, dict):
            raise ApiError(400, "parameter 'file' must be a file")
        return data, PurePosixPath(str(self.given.get("filename") or names.get("file") or "")).name

    # ── Choice of the project ────────────────────────────────────────────────────────────────────────────────────────

    def visible(self, role: str = "translate") -> list[ServedProject]:
        """The open projects in which the caller has a role."""
        return [each for each in self.server.projects.opened() if self.identity.has_role(role, each.name)]

    def fitting(self, source: str, target: str, role: str = "translate") -> list[ServedProject]:
        """Those of them that translate between two languages."""
        return [each for each in self.visible(role) if fits(each, source, target)]

    async def find_project(self, source: str, target: str, role: str = "translate") -> ProjectContext:
        """The project that translates between two languages: the one that the path names, or the first that does.

        Identical codes take precedence over codes of the same language.
        """
        projects = await self._candidates(role)
        same = [
            each for each in projects if (each.source.lower(), each.target.lower()) == (source.lower(), target.lower())
        ]
        if found := same or [each for each in projects if fits(each, source, target)]:
            return ProjectContext(self.server, found[0], self.identity)
        if self.server.state != "ready":
            raise ApiError(503, "the server is not ready yet", "try again in a moment", headers={"Retry-After": "1"})
        find = partial(self._unopened, source, target, role)
        if not self.named and (unopened := await self.run("open", find, lane="quick")):
            return await self.server.open_project(unopened, self.identity, role)
        if not projects and not self.identity.has_role(role):
            raise lacks_role(role, "in any project")
        raise ApiError(400, f"{source} to {target} is not supported", "see the list of languages")

    async def _candidates(self, role: str = "translate") -> list[ServedProject]:
        if self.named:
            return [(await self.server.open_project(self.named, self.identity, role)).project]
        return self.visible(role)

    def _unopened(self, source: str, target: str, role: str) -> str | None:
        """A project with these languages that could not be opened at the start; opening it again says why."""
        projects = self.server.projects
        for name in projects.names():
            if not projects.is_open(name) and self.identity.has_role(role, name):
                languages = projects.languages(name)
                if languages and same_language(languages[0], source) and same_language(languages[1], target):
                    return name
        return None

    async def detect(self, texts: Sequence[str], known: Sequence[str]) -> list[tuple[str, float]]:
        """The most likely language of each text, among some, and the confidence."""
        return await self.run("detect", lambda: [detect(text, known) for text in texts])

    # ── Translating ──────────────────────────────────────────────────────────────────────────────────────────────────

    async def find_parts(
        self,
        texts: Sequence[str],
        source: str,
        target: str,
        *,
        refusal: Callable[[], ApiError] | None = None,
        probes: Sequence[str] = PROBE[1:2],
    ) -> list[CallPart] | None:
        """The texts by project; without a source language, that of each text is guessed.

        A guess is one of the languages from which a project translates into the target: if there is only one, that.
        None if nothing fits but it is only Weblate's probe of a server, from one of the languages in `probes`;
        otherwise the error is the `refusal` of this interface.
        """
        try:
            if source:
                return [CallPart(await self.find_project(source, target), source, list(range(len(texts))))]
            known = [each.source for each in await self._candidates() if same_language(each.target, target)]
            numbers: dict[str, list[int]] = {}
            for number, (found, _) in enumerate(await self.detect(texts, known)):
                numbers.setdefault(found or "any language", []).append(number)
            return [CallPart(await self.find_project(each, target), each, some) for each, some in numbers.items()]
        except ApiError as error:
            if list(texts) == [PROBE[0]] and source in probes and target == PROBE[2]:
                return None
            raise refusal() if refusal and error.status == 400 else error from None

    async def translate(
        self,
        context: ProjectContext,
        texts: list[str],
        n: int = 1,
        terms: Glossary | None = None,
        *,
        withhold: bool = True,
    ) -> list[Translation]:
        """The translations of some texts, each with its markup; with n > 1, `.nbest` has up to n of them.

        Those of which the models are less sure than the project wants are empty, unless they are not to be withheld.
        """
        context.check_work(texts, n)
        engine, work = context.project.engine, list[Callable[[], Translation]]()
        for text in texts:
            translate = partial(translate_marked, engine, text, n=n, terms=terms)
            work.append(partial(translate_surely, engine, text, translate, terms) if withhold else translate)
        return await translate_batch(context, work, self.seconds, terms)

    async def learn(self, context: ProjectContext, source: str, target: str) -> int:
        """Learn a correction."""
        context.check_length(source, target)
        learn = partial(context.project.engine.learn, source, target, user=context.user(None))
        return await context.run_exclusive("learn", learn)


def fits(one: ServedProject, source: str, target: str) -> bool:
    """Whether a project translates between two languages."""
    return same_language(one.source, source) and same_language(one.target, target)


async def by_part(
    parts: Sequence[CallPart], texts: Sequence[str], translate: Callable[[CallPart, list[str]], Awaitable[Sequence[T]]]
) -> list[T]:
    """What is made of the texts of each part, in the order of the call."""
    found = dict[int, T]()
    for part in parts:
        made = await translate(part, [texts[number] for number in part.numbers])
        found.update(zip(part.numbers, made, strict=True))
    return [found[number] for number in sorted(found)]


def languages_of(parts: Sequence[CallPart]) -> list[str]:
    """The language of each text of a call."""
    found = {number: part.source for part in parts for number in part.numbers}
    return [found[number] for number in sorted(found)]


def alternatives(found: Translation, most: int) -> list[str]:
    """Other translations than the first."""
    return list(dict.fromkeys(one.text for one in found.nbest if one.text != found.text))[:most]


def example_body(**example: Any) -> dict[str, Any]:
    """A body of JSON in the schema of a route, with an example."""
    return {"requestBody": {"content": {"application/json": {"schema": {"type": "object"}, "example": example}}}}


def error_writer(
    content: Callable[[ApiError], Any], statuses: dict[int, int] | None = None
) -> Callable[[ApiError], Response]:
    """Writes errors in the format that clients of an interface expect, some with another status."""

    def write(error: ApiError) -> Response:
        status = (statuses or {}).get(error.status, error.status)
        return JSONResponse(content(error), status, headers=error.headers)

    return write


async def _by_header(request: Request, server: Server, given: Given, identity: CurrentIdentity) -> Call:
    return Call(request, server, identity, given)


def keyed_by(name: str) -> Any:
    """A dependency: a call whose key may be a parameter of this name."""

    async def keyed(request: Request, server: Server, given: Given) -> Call:
        return Call(request, server, server.auth.identify(request.scope, given.get(name)), given)

    return Depends(keyed)


CurrentCall = Annotated[Call, Depends(_by_header)]


# ── Parameters, from query or body ───────────────────────────────────────────────────────────────────────────────────

Parameters = dict[str, Any]
MOST_NAMES = 200  # in one parameter
FILE_NAMES = " names of files"  # by parameter; only we set this


async def _parameters(request: Request) -> Parameters:
    """The parameters of a request: from its query, and from its body, whether JSON or a form."""
    found: Parameters = {name: value for name, value in request.query_params.items() if name != FILE_NAMES}
    kind = request.headers.get("content-type", "").partition(";")[0].strip().lower()
    if kind in ("application/x-www-form-urlencoded", "multipart/form-data"):
        async with request.form() as form:
            for name in form.keys() - {FILE_NAMES}:
                given = form.getlist(name)
                values = [value if isinstance(value, str) else await value.read() for value in given]
                found[name] = values[0] if len(values) == 1 else values
                if not isinstance(given[0], str):
                    found[FILE_NAMES] = {**found.get(FILE_NAMES, {}), name: given[0].filename}
        return found
    body = await request.body()
    if not body:
        return found
    try:
        sent = json.loads(body)
        if not body.isascii() or b"\\u" in body:
            json.dumps(sent, ensure_ascii=False).encode()  # fails for half a surrogate pair, which JSON can contain
    except (ValueError, RecursionError):
        raise ApiError(400, "the body is neither JSON nor a form", "send JSON in UTF-8") from None
    if not isinstance(sent, dict):
        raise ApiError(400, "the body is not a JSON object")
    return found | {name: value for name, value in sent.items() if name != FILE_NAMES}


Given = Annotated[Parameters, Depends(_parameters)]


def text_of(given: Parameters, name: str, default: str | None = None) -> str:
    """A parameter that has to be a string."""
    value = given.get(name, default)
    if value is None:
        raise ApiError(400, f"missing parameter {name!r}")
    if not isinstance(value, str):
        raise ApiError(400, f"parameter {name!r} must be a string")
    return value


def number_of(given: Parameters, name: str, most: int) -> int:
    """A parameter that is a number from 0 to some limit; 0 if it is missing."""
    try:
        return min(max(int(given.get(name) or 0), 0), most)
    except (TypeError, ValueError, OverflowError):
        raise ApiError(400, f"parameter {name!r} must be a number") from None


def texts_of(given: Parameters, name: str, limits: Limits, *, cut: bool = False) -> tuple[list[str], bool]:
    """A parameter that is a string or a list of strings, and whether it was a list; `cut`: of any length."""
    value = given.get(name)
    texts = value if isinstance(value, list) else [text_of(given, name)]
    if not all(isinstance(text, str) for text in texts):
        raise ApiError(400, f"parameter {name!r} must be a string or a list of strings")
    if cut and len(texts) > limits.texts:
        raise ApiError(413, f"more than {limits.texts} texts", "send less at once")
    if len(texts) > limits.texts or any(len(text) > limits.text and not cut for text in texts):
        what = f"more than {limits.texts} texts, or one of more than {limits.text:,} characters"
        raise ApiError(413, what, "send less at once")
    return texts, isinstance(value, list)


def list_of(given: Parameters, name: str) -> list[str]:
    """A parameter that is a list of names, or names separated by commas."""
    value = given.get(name)
    parts = value if isinstance(value, list) else [value or ""]
    names = (each.strip() for part in parts for each in str(part).split(",") if each.strip())
    found = list(islice(names, MOST_NAMES + 1))
    if len(found) > MOST_NAMES:
        raise ApiError(413, f"parameter {name!r} has more than {MOST_NAMES} names", "send fewer")
    return found


def unlist(values: list[Any], was_list: bool) -> Any:
    """A list, or its only value if the client did not send a list."""
    return values if was_list else values[0]


# ── Named glossaries, shared by the interfaces of DeepL and ModernMT ─────────────────────────────────────────────────


def may_use(call: Call, glossary: NamedGlossary) -> bool:
    """Whether a glossary belongs to the caller; whoever administrates the server sees all of them."""
    return glossary.owner == call.identity.client or call.identity.has_role("admin")


def usable(call: Call) -> list[NamedGlossary]:
    """The glossaries that the caller may use."""
    return [each for each in call.server.glossaries.all() if may_use(call, each)]


def look_up(call: Call, wanted: str) -> NamedGlossary | None:
    """The glossary with this id, if there is one that the caller may use."""
    found = call.server.glossaries.find(wanted)
    return found if found and may_use(call, found) else None


def find_glossary(call: Call, wanted: str) -> NamedGlossary:
    """The same; refused if there is none."""
    if found := look_up(call, wanted):
        return found
    raise ApiError(404, "no such glossary", "see /v2/glossaries")


def find_glossaries(call: Call, wanted: str) -> list[NamedGlossary]:
    """The glossaries of a group, or the one with this id."""
    group = [each for each in usable(call) if wanted == (each.group or each.id)]
    return group or [find_glossary(call, wanted)]


def find_terms(call: Call, source: str, target: str) -> Glossary | None:
    """The terms of the glossary that a call names, if it names one."""
    wanted = call.given.get("glossary_id")
    return joined(find_glossaries(call, str(wanted)), source, target) if wanted else None


def listed_terms(call: Call, source: str, target: str) -> Glossary | None:
    """The terms of all the glossaries that a call names."""
    found: Sequence[NamedGlossary | None] = [look_up(call, each) for each in call.names("glossaries")]
    return joined([each for each in found if each], source, target)


def check_may_change(call: Call, source: str, target: str) -> None:
    """Glossaries are changed by those who may learn between their languages."""
    if not call.fitting(source, target, "learn") and not call.identity.has_role("learn"):
        raise lacks_role("learn", f"in a project from {source} to {target}")
