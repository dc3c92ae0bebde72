"""Projects: list, create, show, delete."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Path

from dragoman import sample
from dragoman.languages import is_language
from dragoman.server import engine_choice, schemas
from dragoman.server.api_errors import ApiError, api_error
from dragoman.server.auth import CurrentIdentity, require_role
from dragoman.server.context import CanRead, Server, ServerContext
from dragoman.server.document_files import add_file
from dragoman.server.keys import ROLES, Identity
from dragoman.server.registry import ServedProject
from dragoman.server.tag_pattern import tag_pattern

router = APIRouter(prefix="/api/v1/projects", responses=schemas.ERROR_RESPONSES, tags=["projects"])


@router.get("")
async def list_projects(identity: CurrentIdentity, server: Server) -> list[schemas.ProjectGiven | schemas.Unopened]:
    """The projects that this key may read; those that cannot be opened come last, with their problem."""
    await server.startup.wait()
    names = [name for name in server.projects.names() if identity.has_role("read", name)]
    if not all(map(server.projects.is_open, names)):
        server.problems = await server.workers.run("open", server.projects.open_all, client=identity.client)

    def describe() -> list[schemas.ProjectGiven | schemas.Unopened]:
        opened = [_project(each, identity) for each in server.projects.opened() if each.name in names]
        missing = [name for name in names if name in server.problems and not server.projects.is_open(name)]
        return [*opened, *(_unopened(server, name, identity) for name in missing)]

    return await server.workers.run("list", describe, client=identity.client, lane="quick")


@router.post("", status_code=201)
async def create_project(
    wanted: schemas.NewProject, identity: Annotated[Identity, require_role("admin")], server: Server
) -> schemas.ProjectGiven:
    """Create a project."""
    _check_languages(wanted.source, wanted.target)
    upstream = engine_choice.choose(wanted.upstream, server.settings)
    await server.startup.wait()

    def create() -> schemas.ProjectGiven:
        options = wanted.model_dump(exclude={"name", "sample"}) | {"upstream": upstream}
        project = server.projects.create(wanted.name, **options)
        if wanted.sample:
            data = "".join(f"{source}\n" for source, _ in sample.pairs()).encode()
            add_file(project, data, "espresso.txt")
        return _project(project, identity)

    return await server.workers.run("create", create, client=identity.client)


@router.get("/{project}")
async def show_project(context: CanRead) -> schemas.ProjectDetails:
    """One project."""

    def describe() -> schemas.ProjectDetails:
        about = _project(context.project, context.identity)
        return schemas.ProjectDetails(**about.model_dump(), tag_pattern=tag_pattern(context.project.engine.tokens))

    return await context.run("show", describe, lane="quick")


@router.patch("/{project}")
async def rename_project(
    project: Annotated[str, Path()],
    change: schemas.ProjectChange,
    identity: Annotated[Identity, require_role("admin")],
    server: Server,
) -> schemas.ProjectGiven:
    """Give a project another name; keys for the old name do not open it any more."""
    context = await server.open_project(project, identity, "admin")
    await server.rename_project(context, change.name)
    server.feed.publish(project, None, {"event": "deleted"})
    return _project((await server.open_project(change.name, identity, "admin")).project, identity)


@router.delete("/{project}", status_code=204)
async def delete_project(
    project: Annotated[str, Path()], identity: Annotated[Identity, require_role("admin")], server: Server
) -> None:
    """Remove a project from the server; its directory is moved aside, not erased."""
    await server.delete_project(await server.open_project(project, identity, "admin"))


def _check_languages(source: str, target: str) -> None:
    """Refuse codes that are no languages, and a project from a language into itself."""
    for field, code in (("source", source), ("target", target)):
        if not is_language(code):
            what, remedy = f"“{code}” is not a language code", "choose one such as en, pt-BR or zh-Hans"
            raise ApiError(422, what, remedy, field=field)
    if source.lower().replace("_", "-") == target.lower().replace("_", "-"):
        what, remedy = f"source and target language are both “{source}”", "choose two different languages"
        raise ApiError(422, what, remedy, field="target")


def _project(project: ServedProject, identity: Identity) -> schemas.ProjectGiven:
    return schemas.ProjectGiven(
        name=project.name,
        source=project.source,
        target=project.target,
        revision=project.revision,
        role=_role(identity, project.name),
        server=project.engine.role,
        seconds_behind=round(project.engine.seconds_behind, 3),
    )


def _unopened(server: ServerContext, name: str, identity: Identity) -> schemas.Unopened:
    source, target = server.projects.languages(name) or (None, None)
    problem = schemas.Error.model_validate(api_error(server.problems[name]))
    return schemas.Unopened(name=name, source=source, target=target, role=_role(identity, name), problem=problem)


def _role(identity: Identity, project: str) -> str:
    return next(role for role in reversed(ROLES) if identity.has_role(role, project))
