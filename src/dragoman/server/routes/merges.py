"""Merging segments and splitting them, where the format of the file leaves that to us."""

from __future__ import annotations

from functools import partial

from fastapi import APIRouter

from dragoman.editor import merges_and_splits, messages
from dragoman.server import schemas
from dragoman.server.context import CanTranslate, ProjectContext

router = APIRouter(
    prefix="/api/v1/projects/{project}/documents/{document}/segments/{number}",
    responses=schemas.ERROR_RESPONSES,
    tags=["documents"],
)


@router.post("/merge")
async def merge(
    document: schemas.DocumentId, number: schemas.SegmentNumber, wanted: messages.MergeWanted, context: CanTranslate
) -> messages.Regrouped:
    """Merge a segment with the one after it in the same paragraph; both become one draft.

    Numbers stay: that of the second is not used again until this is taken back. What was learned from them stays.
    """
    targets = wanted.target, wanted.next_target
    work = partial(
        merges_and_splits.merge,
        *(context.project, document, number, context.user(wanted.user)),
        version=wanted.version,
        targets=targets,
    )
    return _done(document, await context.run_exclusive("regroup", work), context)


@router.post("/split")
async def split(
    document: schemas.DocumentId, number: schemas.SegmentNumber, wanted: messages.SplitWanted, context: CanTranslate
) -> messages.Regrouped:
    """Split a segment in two: never inside a tag or a pair of tags. The second part gets a number of its own."""
    work = partial(
        merges_and_splits.split,
        *(context.project, document, number, wanted.at, context.user(wanted.user)),
        version=wanted.version,
        targets=(wanted.target, wanted.next_target),
    )
    return _done(document, await context.run_exclusive("regroup", work), context)


def _done(document: int, done: merges_and_splits.Done, context: ProjectContext) -> messages.Regrouped:
    context.publish(document, {"event": "regrouped", "numbers": [done.segment.number, done.other]})
    given = messages.SegmentGiven.model_validate(done.segment)
    return messages.Regrouped(segment=given, other=done.other, change=done.batch)
