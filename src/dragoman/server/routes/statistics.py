"""Sizes of what a project has learned, and the effort it took."""

from __future__ import annotations

from functools import partial

from fastapi import APIRouter

from dragoman.editor.document_schema import STATES
from dragoman.server import schemas
from dragoman.server.context import CanRead
from dragoman.server.registry import ServedProject

router = APIRouter(prefix="/api/v1/projects/{project}", responses=schemas.ERROR_RESPONSES)


@router.get("/statistics", tags=["looking"])
async def statistics(context: CanRead) -> schemas.StatisticsGiven:
    """Sizes of what was learned, and the effort spent on it: key strokes, clicks, time, words changed."""
    return await context.run("statistics", partial(_statistics, context.project))


def _statistics(project: ServedProject) -> schemas.StatisticsGiven:
    documents = project.documents.documents()
    effort: dict[str, float] = {**project.documents.effort()}
    effort["ksmr"] = _percent(effort["key_strokes"] + effort["mouse_actions"], effort["characters"])
    effort["wer"] = _percent(effort["edits"], effort["words"])
    return schemas.StatisticsGiven(
        revision=project.revision,
        learned=project.engine.statistics(),
        effort=effort,
        documents=len(documents),
        segments={state: sum(each.states[state] for each in documents) for state in STATES},
    )


def _percent(part: float, whole: float) -> float:
    return round(100 * part / whole, 2) if whole else 0.0
