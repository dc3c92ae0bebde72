"""Our own interface, /api/v1: projects, translations, corrections, glossary, concordance, statistics."""

from __future__ import annotations

import re
from functools import partial
from typing import Annotated, Any

from fastapi import APIRouter, Path, Query

from dragoman import sample
from dragoman.server import editing, schemas
from dragoman.server.access import Coming, needs
from dragoman.server.answers import RefusedError
from dragoman.server.documents import STATES
from dragoman.server.exchange import enter
from dragoman.server.keys import ROLES, Visitor
from dragoman.server.projects import Opened
from dragoman.server.rooms import House, Learning, Reading, TheHouse, Translating
from dragoman.server.translating import translate
from dragoman.store import Row

PROBLEMS: dict[int | str, dict[str, Any]] = {
    status: {"model": schemas.Problem, "description": text}
    for status, text in {
        400: "it cannot be done",
        401: "a key is needed",
        403: "the key does not allow it",
        404: "there is no such thing",
        408: "the body took too long",
        409: "something is in the way",
        413: "too large",
        422: "a field is wrong",
        429: "too much at once",
        503: "not now",
    }.items()
}
router = APIRouter(prefix="/api/v1", responses=PROBLEMS)
CorrectionId = Annotated[int, Path(ge=1, le=2**53 - 1, description="id of the correction")]
Most = Annotated[int, Query(ge=1, le=1000, description="at most so many")]


# ── Projects ─────────────────────────────────────────────────────────────────────────────────────────────────────────


@router.get("/projects", tags=["projects"])
async def list_projects(visitor: Coming, house: TheHouse) -> list[schemas.Project | schemas.Unopened]:
    """The projects that the sender may look into; those that cannot be opened come last, with their problem."""
    names = [name for name in house.projects.names() if visitor.may("read", name)]
    if not all(map(house.projects.is_open, names)):
        house.problems = await house.workers.run("open", house.projects.open_all)

    def look() -> list[schemas.Project | schemas.Unopened]:
        opened = [_about(each, visitor) for each in house.projects.opened() if each.name in names]
        missing = [name for name in names if name in house.problems and not house.projects.is_open(name)]
        return [*opened, *(_unopened(house, name, visitor) for name in missing)]

    return await house.workers.run("list", look, quick=True)


@router.post("/projects", status_code=201, tags=["projects"])
async def create_project(
    wanted: schemas.NewProject, visitor: Annotated[Visitor, needs("admin")], house: TheHouse
) -> schemas.Project:
    """Make a new project."""

    def create() -> schemas.Project:
        project = house.projects.create(wanted.name, **wanted.model_dump(exclude={"name", "sample"}))
        if wanted.sample:
            data = "".join(f"{source}\n" for source, _ in sample.pairs()).encode()
            enter(project, data, "espresso.txt")
        return _about(project, visitor)

    return await house.workers.run("create", create)


@router.get("/projects/{project}", tags=["projects"])
async def show_project(room: Reading) -> schemas.Project:
    """One project."""
    return await room.look("show", lambda: _about(room.project, room.visitor), quick=True)


@router.delete("/projects/{project}", status_code=204, tags=["projects"])
async def delete_project(
    project: Annotated[str, Path()], visitor: Annotated[Visitor, needs("admin")], house: TheHouse
) -> None:
    """Take a project out of the server; its directory is put aside, not erased."""
    await house.delete(await house.enter(project, visitor, "admin"))


def _about(project: Opened, visitor: Visitor) -> schemas.Project:
    return schemas.Project(
        name=project.name,
        source=project.source,
        target=project.target,
        revision=project.revision,
        role=_role(visitor, project.name),
        server=project.engine.role,
        seconds_behind=round(project.engine.seconds_behind, 3),
    )


def _unopened(house: House, name: str, visitor: Visitor) -> schemas.Unopened:
    source, target = house.projects.languages(name) or (None, None)
    problem = schemas.Error.model_validate(house.problems[name])
    return schemas.Unopened(name=name, source=source, target=target, role=_role(visitor, name), problem=problem)


def _role(visitor: Visitor, project: str) -> str:
    return next(role for role in reversed(ROLES) if visitor.may(role, project))


# ── Translating and learning ─────────────────────────────────────────────────────────────────────────────────────────


@router.post("/projects/{project}/translations", tags=["translating"])
async def translate_texts(wanted: schemas.Texts, room: Translating) -> schemas.Translations:
    """Translate texts; this changes nothing."""
    room.check_text(*wanted.texts)
    engine = room.project.engine
    revision = room.project.revision
    work = [partial(translate, engine, text, wanted) for text in wanted.texts]
    return schemas.Translations(revision=revision, translations=await room.look_all("translate", work))


@router.post("/projects/{project}/corrections", status_code=201, tags=["learning"])
async def learn(correction: schemas.Correction, room: Learning) -> schemas.Learned:
    """Learn a correction; when this answers, it is safe on disk. One that looks like a mistake is kept, and refused.

    A client that got no answer may send the same again with `once`: what was learned is not learned twice.
    """
    room.check_text(correction.source, correction.target)
    user = room.user(correction.user)
    learn = partial(room.project.engine.learn, correction.source, correction.target, user=user, force=correction.force)
    number = await room.change("learn", partial(learn, once=correction.once))
    return schemas.Learned(id=number, revision=number)


@router.put("/projects/{project}/corrections/{number}", tags=["learning"])
async def revise(number: CorrectionId, revision: schemas.Revision, room: Learning) -> schemas.Learned:
    """Replace the target of a correction; it gets a new id."""
    room.check_text(revision.target)
    user = room.user(revision.user)
    revise = partial(editing.revise, room.project, number, revision.target, user, force=revision.force)
    new = await room.change("revise", revise)
    return schemas.Learned(id=new, revision=new)


@router.delete("/projects/{project}/corrections/{number}", tags=["learning"])
async def forget(number: CorrectionId, room: Learning) -> schemas.Learned:
    """Take back what a correction has taught, exactly."""
    revision = await room.change("forget", partial(editing.forget, room.project, number, room.user(None)))
    return schemas.Learned(id=number, revision=revision)


@router.get("/projects/{project}/corrections", tags=["learning"])
async def history(
    room: Reading,
    limit: Most = 50,
    search: Annotated[str | None, Query(max_length=1000, description="only those with this text")] = None,
) -> schemas.History:
    """Corrections, the newest first: learned, flagged or forgotten."""

    def look() -> schemas.History:
        rows = room.project.engine.history(limit, search=search)
        return schemas.History(revision=room.project.revision, corrections=[history_row(row) for row in rows])

    return await room.look("history", look)


def history_row(row: Row) -> schemas.HistoryRow:
    """A row of the journal in the form in which it goes out."""
    return schemas.HistoryRow(
        id=row.id,
        kind=row.kind,
        time=row.time.isoformat(),
        user=row.user,
        source=row.source or "",
        target=row.target or "",
        reason=row.reason,
        refers_to=row.refers_to,
        forgotten=row.forgotten,
    )


# ── Glossary, concordance, statistics ────────────────────────────────────────────────────────────────────────────────


@router.get("/projects/{project}/glossary", tags=["looking"])
async def show_glossary(room: Reading) -> schemas.Glossary:
    """All terms whose translation is settled."""

    def look() -> schemas.Glossary:
        terms = room.project.engine.glossary.items()
        found = [schemas.Term.model_construct(source=source, target=target) for source, target in terms]
        return schemas.Glossary(revision=room.project.revision, terms=found)

    return await room.look("glossary", look)


@router.put("/projects/{project}/glossary", status_code=204, tags=["learning"])
async def set_term(term: schemas.Term, room: Learning) -> None:
    """Settle the translation of a term."""
    await room.change("term", partial(room.project.engine.set_term, term.source, term.target))


@router.delete("/projects/{project}/glossary", status_code=204, tags=["learning"])
async def remove_term(room: Learning, source: Annotated[str, Query(max_length=500, examples=["drip tray"])]) -> None:
    """Take a term out of the glossary."""

    def remove() -> None:
        if source not in room.project.engine.glossary:
            raise RefusedError(404, "this is not in the glossary", "see the glossary")
        room.project.engine.remove_term(source)

    await room.change("term", remove)


@router.get("/projects/{project}/concordance", tags=["looking"])
async def concordance(
    room: Reading,
    text: Annotated[str, Query(min_length=1, max_length=1000, examples=["button"])],
    limit: Most = 50,
) -> schemas.Concordance:
    """Corrections in force that have a text in source or target, the newest first, and where in them it stands."""

    def look() -> schemas.Concordance:
        rows = room.project.engine.history(4 * limit, search=text)
        found = [row for row in rows if row.kind == "learn" and not row.forgotten][:limit]
        return schemas.Concordance(revision=room.project.revision, hits=[_hit(row, text) for row in found])

    return await room.look("concordance", look)


def _hit(row: Row, text: str) -> schemas.Hit:
    wanted = re.compile(re.escape(text), re.IGNORECASE)
    places = [[found.span() for found in wanted.finditer(side or "")] for side in (row.source, row.target)]
    return schemas.Hit(
        id=row.id,
        source=row.source or "",
        target=row.target or "",
        time=row.time.isoformat(),
        user=row.user,
        in_source=places[0],
        in_target=places[1],
    )


@router.get("/projects/{project}/statistics", tags=["looking"])
async def statistics(room: Reading) -> schemas.Statistics:
    """Sizes of what was learned, and how much effort it took people: typing, clicks, time, words changed."""

    def look() -> schemas.Statistics:
        documents = room.project.documents.documents()
        effort: dict[str, float] = {**room.project.documents.effort()}
        effort["ksmr"] = _percent(effort["key_strokes"] + effort["mouse_actions"], effort["characters"])
        effort["wer"] = _percent(effort["edits"], effort["words"])
        return schemas.Statistics(
            revision=room.project.revision,
            learned=room.project.engine.statistics(),
            effort=effort,
            documents=len(documents),
            segments={state: sum(each.states[state] for each in documents) for state in STATES},
        )

    return await room.look("statistics", look)


def _percent(part: float, whole: float) -> float:
    return round(100 * part / whole, 2) if whole else 0.0
