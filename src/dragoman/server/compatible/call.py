"""A call of a compatible interface, and what all of them do with it: who calls, for which project, with which texts.

An interface reads its parameters from a `Call`, lets it choose the project (the one in the path, or one for the
languages, which are guessed if none is named), and translates by parts, one for each project. Its errors are written by
`error_writer`, the example of a body in the schema by `example_body`.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from functools import partial
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
from dragoman.server.compatible.parameters import FILE_NAMES, Given, Parameters, list_of, number_of, text_of, texts_of
from dragoman.server.confidence_threshold import translate_surely
from dragoman.server.context import ProjectContext, Server, ServerContext
from dragoman.server.keys import Identity
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
