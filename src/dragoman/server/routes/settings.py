"""The settings of a project: show, change. Which ones there are is known to `dragoman.project.settings`.

The engine that a project builds on may be changed by administrators only: they decide where texts and keys are sent.
What would run a program or read a file of this machine is refused, unless the server was started to allow it.
"""

from __future__ import annotations

from fastapi import APIRouter
from pydantic import BaseModel

from dragoman.server import schemas
from dragoman.server.api_errors import ApiError
from dragoman.server.auth import check_role
from dragoman.server.context import CanLearn, CanRead, ProjectContext
from dragoman.upstream.names import KINDS, parse

router = APIRouter(prefix="/api/v1/projects/{project}/settings", responses=schemas.ERROR_RESPONSES, tags=["projects"])
LOCAL_KINDS = ("command", "ct2", "recorded")  # run programs, or read files
LOCAL_OPTIONS = ("key-file", "key-env")  # send what a file or a variable holds to an address in the same name


@router.get("")
async def show_settings(context: CanRead) -> schemas.ProjectSettings:
    """The settings of a project."""
    return await context.run("settings", lambda: _given(context))


@router.patch("")
async def change_settings(change: schemas.SettingsChange, context: CanLearn) -> schemas.ProjectSettings:
    """Change some settings; `upstream` only as an administrator."""
    return await context.run_exclusive("settings", lambda: _changed(context, change))


def _changed(context: ProjectContext, change: BaseModel) -> schemas.ProjectSettings:
    engine, values = context.project.engine, change.model_dump(exclude_unset=True)
    if "upstream" in values and values["upstream"] != engine.upstream:
        check_role(context.identity, "admin", context.project.name)
        if not context.server.settings.local_engines:
            check_remote(values["upstream"])
    if values:
        engine.change_settings(values)
    return _given(context)


def check_remote(name: object) -> None:
    """Refuse an engine that runs a program or reads a file of this machine.

    >>> check_remote("deepl:")
    >>> check_remote("command:apertium -u eng-spa")
    Traceback (most recent call last):
    dragoman.server.api_errors.ApiError: 'command:' engines cannot be set over HTTP
    """
    if not isinstance(name, str):  # None, or refused as a setting
        return
    place = parse(name)
    refused = f"{place.kind}:" if place.kind in LOCAL_KINDS else next(filter(place.options.get, LOCAL_OPTIONS), None)
    if refused is None:
        return
    what = f"{refused!r} engines" if place.kind in LOCAL_KINDS else f"engines with the option {refused!r}"
    remedy = "set it on the server's machine with `dragoman settings`, or start the server with --local-engines"
    raise ApiError(403, f"{what} cannot be set over HTTP", remedy)


def _given(context: ProjectContext) -> schemas.ProjectSettings:
    """The settings in force; to others than administrators, of the engine only its kind: names may hold paths."""
    project = context.project
    revision, settings = project.revision, dict(project.engine.settings)
    del settings["glossary"], settings["term_rules"]  # which have an address of their own
    if not context.identity.has_role("admin", project.name):
        if settings["upstream"]:
            settings["upstream"] = f"{settings['upstream'].partition(':')[0]}:"
        return schemas.ProjectSettings(revision=revision, settings=settings, upstream_kinds=[], upstream_problem=None)
    kinds = [kind for kind in KINDS if context.server.settings.local_engines or kind not in LOCAL_KINDS]
    problem = project.engine.upstream_problem
    return schemas.ProjectSettings(revision=revision, settings=settings, upstream_kinds=kinds, upstream_problem=problem)
