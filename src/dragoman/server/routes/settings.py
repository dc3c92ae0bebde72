"""The settings of a project: show, change. Which ones there are is known to `dragoman.project.settings`.

The engine that a project builds on may be changed by administrators only; `engine_choice` says to which ones.
"""

from __future__ import annotations

from fastapi import APIRouter
from pydantic import BaseModel

from dragoman.engine import Engine
from dragoman.server import engine_choice, schemas
from dragoman.server.auth import check_role
from dragoman.server.context import CanLearn, CanRead, ProjectContext

router = APIRouter(prefix="/api/v1/projects/{project}/settings", responses=schemas.ERROR_RESPONSES, tags=["projects"])


@router.get("")
async def show_settings(context: CanRead) -> schemas.ProjectSettings:
    """The settings of a project."""
    return await context.run("settings", lambda: _given(context))


@router.patch("")
async def change_settings(change: schemas.SettingsChange, context: CanLearn) -> schemas.ProjectSettings:
    """Change some settings; `upstream` only as an administrator."""
    return await context.run_exclusive("settings", lambda: _changed(context, change))


@router.post("/refused_changes")
async def refuse_change(change: schemas.RefusedChange, context: CanLearn) -> schemas.ProjectSettings:
    """Never make a change of the other engine's answer again."""
    return await context.run_exclusive("settings", lambda: _refused(context, change))


@router.post("/upstream/test")
async def test_engine(context: CanLearn) -> schemas.EngineTrial:
    """Ask the engine that the project builds on a test question, as an administrator."""
    check_role(context.identity, "admin", context.project.name)
    trial = await context.ask(context.project.engine.try_upstream)
    problem = None if trial.answer is not None else trial.problem or str(trial.silence)
    told = _told(context, problem)
    return schemas.EngineTrial(text=trial.text, answer=trial.answer, problem=told, seconds=trial.seconds)


def _changed(context: ProjectContext, change: BaseModel) -> schemas.ProjectSettings:
    engine, values = context.project.engine, change.model_dump(exclude_unset=True)
    if "upstream" in values and values["upstream"] in (engine.upstream, _shown(context)):
        values["upstream"] = engine.upstream
    elif "upstream" in values:
        check_role(context.identity, "admin", context.project.name)
        values["upstream"] = engine_choice.choose(values["upstream"], context.server.settings)
    if values:
        engine.change_settings(values)
    return _given(context)


def _refused(context: ProjectContext, change: schemas.RefusedChange) -> schemas.ProjectSettings:
    context.project.engine.refuse_change(change.said, change.words)
    return _given(context)


def _given(context: ProjectContext) -> schemas.ProjectSettings:
    """The settings in force; to others than administrators, of the engine only its kind: names may hold paths."""
    project = context.project
    revision, settings = project.revision, dict(project.engine.settings)
    del settings["glossary"], settings["term_rules"]  # which have an address of their own
    if not context.identity.has_role("admin", project.name):
        if settings["upstream"]:
            settings["upstream"] = f"{settings['upstream'].partition(':')[0]}:"
        return schemas.ProjectSettings(
            revision=revision, settings=settings, upstream_kinds=[], upstream_engines=[], upstream_problem=None
        )
    problem = _told(context, project.engine.upstream_problem)
    if not context.identity.has_role("admin"):
        settings["upstream"] = _shown(context)
    kinds = engine_choice.kinds(context.server.settings)
    return schemas.ProjectSettings(
        revision=revision,
        settings=settings,
        upstream_kinds=kinds,
        upstream_engines=engine_choice.names(context.server.settings, project.engine.source, project.engine.target),
        upstream_problem=problem,
        upstream_learning=_learning(project.engine),
    )


def _learning(engine: Engine) -> schemas.EngineLearning | None:
    progress = engine.upstream_learning
    if progress is None:
        return None
    return schemas.EngineLearning(
        corrections=progress.corrections,
        due=progress.due,
        derailed=progress.derailed,
        problem=progress.problem,
        familiar=[each.shares for each in progress.standings if each.learned_answers],
    )


def _shown(context: ProjectContext) -> str | None:
    return engine_choice.shown(context.project.engine.upstream, context.server.settings)


def _told(context: ProjectContext, problem: str | None) -> str | None:
    """Why the engine is silent: in full to whoever administrates the server, to others in our own words."""
    if problem is None or context.identity.has_role("admin"):
        return problem
    return f"{_shown(context)}: {engine_choice.brief(problem)}"
