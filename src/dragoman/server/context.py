"""What a request works with: the parts of the server, the project that it names, and who sent it."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Iterable
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path as FilePath
from typing import Annotated, Any, Literal, TypeVar

from fastapi import Depends, Header, Path, Response
from pydantic import BaseModel
from starlette.requests import HTTPConnection, Request

from dragoman.editor.document_feed import DocumentFeed, Event
from dragoman.editor.document_store import Segment
from dragoman.editor.messages import SegmentGiven
from dragoman.editor.refusal import Refusal
from dragoman.errors import DragomanError, StorageError
from dragoman.server.api_errors import ApiError
from dragoman.server.auth import Authenticator, CurrentIdentity, check_role
from dragoman.server.bodies import spool
from dragoman.server.callbacks import FILE as CALLBACK_KEY
from dragoman.server.callbacks import Callbacks
from dragoman.server.config import Settings
from dragoman.server.file_readers import FileReaders
from dragoman.server.glossary_store import FILE, GlossaryStore
from dragoman.server.jobs import Job, Jobs
from dragoman.server.keys import Identity
from dragoman.server.middleware import Budgets
from dragoman.server.observability import Metrics, without_places
from dragoman.server.registry import ProjectRegistry, ServedProject
from dragoman.server.session_memory import SessionMemory
from dragoman.server.startup import Startup
from dragoman.server.workers import Lane, Workers, to_the_end

T = TypeVar("T")
EACH = 100  # characters that a text counts in addition to its own
CONCURRENT = 4  # texts of one request that are translated at the same time
AtLeast = Annotated[
    str | None,
    Header(
        alias="X-At-Least-Revision",
        pattern="^[0-9]{1,15}$",
        examples=["13"],
        description="a revision that has to be known: a replica waits a moment for it, then answers 503",
    ),
]


@dataclass
class ServerContext:
    """The parts of a server."""

    settings: Settings
    projects: ProjectRegistry
    auth: Authenticator
    metrics: Metrics
    workers: Workers
    jobs: Jobs
    session_memory: SessionMemory
    startup: Startup
    feed: DocumentFeed = field(default_factory=DocumentFeed)
    state: Literal["starting", "ready", "failed"] = "starting"
    problems: dict[str, DragomanError | Refusal] = field(default_factory=dict)  # projects that could not be opened
    owns_process: bool = False  # this process does nothing but serve
    live: dict[str, int] = field(default_factory=dict)  # number of live sessions by client
    results: dict[str, tuple[FilePath, str]] = field(default_factory=dict)  # translated files and their names, by token
    messages: Budgets = field(init=False)  # of live sessions, by client
    glossaries: GlossaryStore = field(init=False)
    callbacks: Callbacks = field(init=False)
    readers: FileReaders = field(init=False)

    def __post_init__(self) -> None:
        self.messages = Budgets(self.settings.limits.client_messages, self.settings.limits.client_message_burst)
        self.readers = FileReaders(self.settings.limits, self.jobs.files)
        folder = self.projects.folder
        self.glossaries = GlossaryStore(folder / FILE if folder else None)
        self.callbacks = Callbacks(self.settings.callbacks, folder / CALLBACK_KEY if folder else None)

    async def open_project(self, name: str, identity: Identity, role: str) -> ProjectContext:
        """A project, for somebody who must have a role in it."""
        check_role(identity, role, name)
        await self.startup.wait()
        if self.projects.is_open(name):
            project = self.projects.get(name)
        else:
            project = await self.workers.run("open", partial(self._open, name), client=identity.client, project=name)
        if role == "learn" and project.engine.role != "writer":  # documents, too, are changed at the writer only
            check, client = project.engine.check_writable, identity.client
            await self.workers.run("open", check, client=client, lane="quick", project=name)
        return ProjectContext(self, project, identity)

    async def delete_project(self, context: ProjectContext) -> None:
        """Remove a project from the server, together with its jobs."""

        async def delete() -> None:
            name, client = context.project.name, context.identity.client
            async with context.project.writing.turn(client):
                await self.workers.run("delete", partial(self.projects.delete, name), client=client, lane="learning")
            self.jobs.drop(name)

        await to_the_end(delete())

    async def rename_project(self, context: ProjectContext, new: str) -> None:
        """Give a project another name; its jobs end."""

        async def rename() -> None:
            name, client = context.project.name, context.identity.client
            async with context.project.writing.turn(client):
                work = partial(self.projects.rename, name, new)
                await self.workers.run("rename", work, client=client, lane="learning")
            self.jobs.drop(name)

        await to_the_end(rename())

    def _open(self, name: str) -> ServedProject:
        """Open a project; if that fails, it is not the client's fault."""
        try:
            return self.projects.get(name)
        except DragomanError as error:
            raise ApiError(
                503, f"project {name!r} cannot be opened: {without_places(error.what)}", error.remedy
            ) from None


@dataclass(frozen=True)
class ProjectContext:
    """A project, and who is using it."""

    server: ServerContext
    project: ServedProject
    identity: Identity

    async def run(self, operation: str, function: Callable[[], T], *, lane: Lane = "batch") -> T:
        """The result of an operation on the project, in a thread; 404 if the project was deleted meanwhile."""
        try:
            who, name = self.identity.client, self.project.name
            return await self.server.workers.run(operation, function, client=who, lane=lane, project=name)
        except DragomanError:
            if self.project.closed:
                raise ApiError(404, f"project {self.project.name!r} was deleted", "see /api/v1/projects") from None
            raise

    async def ask(self, function: Callable[[], T]) -> T:
        """The result of asking the engine that the project builds on, which may take long, and computes nothing."""
        return await self.server.workers.ask(function, self.project.name)

    async def respond(self, operation: str, make: Callable[[], BaseModel], *, lane: Lane = "batch") -> Response:
        """The response with what an operation makes, which is also serialised in a thread: it may be large."""
        headers = {"X-Revision": str(self.project.revision)}
        body = await self.run(operation, lambda: make().model_dump_json().encode(), lane=lane)
        return Response(body, media_type="application/json", headers=headers)

    async def run_all(self, operation: str, functions: Iterable[Callable[[], T]]) -> list[T]:
        """The results of many operations, a few at a time, so that other requests get their turn in between."""
        few = asyncio.Semaphore(CONCURRENT)

        async def one(function: Callable[[], T]) -> T:
            async with few:
                return await self.run(operation, function)

        return list(await asyncio.gather(*(one(function) for function in functions)))

    async def run_exclusive(self, operation: str, function: Callable[[], T]) -> T:
        """The result of an operation that changes the project: one at a time, and finished once it has begun."""
        async with self.project.writing.turn(self.identity.client):
            try:
                done = await to_the_end(self.run(operation, function, lane="learning"))
            except StorageError as error:
                self.project.write_problem = error
                raise
            self.project.write_problem = None
            return done

    def start_job(self, job: Job, work: Callable[[Job], Awaitable[None]]) -> Job:
        """Start a job on behalf of whoever sent the request."""
        job.client = self.identity.client
        return self.server.jobs.start(job, work)

    async def spool(self, request: Request) -> FilePath:
        """What a request has sent, as a file for a job; refused if the job would be."""
        self.server.jobs.check(self.project.name, self.identity.client)
        return await spool(request, self.server.jobs.files, self.identity.client)

    async def examine(self, data: bytes, name: str, kind: Literal["read", "glossary", "bilingual"] = "read") -> None:
        """Refuse a file that would take too much memory where it is read whole."""
        languages = self.project.source, self.project.target
        await self.server.readers.examine(data, name, languages, self.identity.client, kind)

    def publish(self, document: int | None, event: Event) -> None:
        """Tell everybody who has a document open, or any document of the project."""
        self.server.feed.publish(self.project.name, document, event)

    def publish_edit(self, document: int, segment: Segment, others: list[int], by: str | None) -> None:
        """Tell everybody who has a document open that somebody has changed a segment, and others with it."""
        given = SegmentGiven.model_validate(segment).model_dump()
        self.publish(document, {"event": "segment", "segment": given, "by": by})
        if others:
            self.publish(document, {"event": "segments", "numbers": others[:1000], "by": by, "why": "repetition"})

    async def publish_segment(self, document: int, number: int, by: str | None = None) -> None:
        """Tell everybody who has a document open how a segment is now."""
        if self.server.feed.people(self.project.name, document):
            segment = await self.run("segments", partial(self.project.documents.segment, document, number))
            given = SegmentGiven.model_validate(segment).model_dump()
            self.publish(document, {"event": "segment", "segment": given, "by": by or self.identity.name})

    async def wait_for_revision(self, revision: int | None) -> None:
        """Wait until this revision is known here; if it does not arrive in time, say how far behind we are."""
        engine = self.project.engine
        if revision is None or engine.revision >= revision:
            return
        seconds = 0.0 if engine.role == "writer" else self.server.settings.limits.behind_seconds
        if await self.project.watch.wait(revision, seconds, self.server.workers.watch):
            return
        known = engine.revision
        if engine.role == "writer":
            raise ApiError(
                409, f"revision {revision} does not exist yet; the latest is {known}", "learn something first"
            )
        what = f"this replica is at revision {known}, {revision - known} behind {revision}"
        remedy, retry = "try again in a moment, or ask the writer", {"Retry-After": "1"}
        raise ApiError(503, what, remedy, headers=retry, revision=known, behind=revision - known)

    def user(self, claimed: str | None) -> str | None:
        """Who is named in the journal: the key's owner, or without a key the name that the client sent."""
        return self.identity.name or claimed

    def check_work(self, texts: Iterable[str], n: int) -> None:
        """Reject texts that are too much to translate n times each."""
        limits, lengths = self.server.settings.limits, [len(text) for text in texts]
        if n > 1 and n * max(lengths, default=0) > limits.nbest_characters:
            what = f"{n} translations of a text of {max(lengths):,} characters are more than can be made"
            raise ApiError(413, what, f"ask for at most {max(1, limits.nbest_characters // max(lengths))}")
        if n * sum(length + EACH for length in lengths) > limits.work:
            raise ApiError(413, "this is more to translate than one request may ask for", "send fewer texts at once")

    def check_length(self, *texts: str) -> None:
        """Reject texts that are too long, where no request model does so."""
        most = self.server.settings.limits.text
        if any(len(text) > most for text in texts):
            raise ApiError(413, f"a text has more than {most:,} characters", "send it in pieces")


def server_context(connection: HTTPConnection) -> ServerContext:
    """The server that a request came to."""
    context: ServerContext = connection.app.state.context
    return context


Server = Annotated[ServerContext, Depends(server_context)]


def project_with(role: str) -> Any:
    """A dependency: the project that the path names, for somebody with this role in it."""

    async def project_context(
        project: Annotated[str, Path(description="name of the project", examples=["manual"])],
        identity: CurrentIdentity,
        server: Server,
        response: Response,
        at_least: AtLeast = None,
    ) -> ProjectContext:
        context = await server.open_project(project, identity, role)
        await context.wait_for_revision(None if at_least is None else int(at_least))
        response.headers["X-Revision"] = str(context.project.revision)
        return context

    project_context.role = role  # type: ignore[attr-defined]  # for `bodies`, which ask before the body is read
    return Depends(project_context)


CanRead = Annotated[ProjectContext, project_with("read")]
CanTranslate = Annotated[ProjectContext, project_with("translate")]
CanLearn = Annotated[ProjectContext, project_with("learn")]
CanReview = Annotated[ProjectContext, project_with("review")]
