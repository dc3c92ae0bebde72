"""Reference memories: translations that others made, brought in as files, to look things up in."""

from __future__ import annotations

from functools import partial
from typing import Annotated

from fastapi import APIRouter, Path, Query, Request

from dragoman.editor import messages, reference_memories
from dragoman.editor.message import LARGEST
from dragoman.server import schemas
from dragoman.server.api_errors import ApiError
from dragoman.server.bodies import FILE_BODY, takes_file
from dragoman.server.context import CanLearn, CanRead

router = APIRouter(prefix="/api/v1/projects/{project}/memories", responses=schemas.ERROR_RESPONSES, tags=["exchange"])
MemoryId = Annotated[int, Path(ge=1, le=LARGEST)]


@router.get("")
async def list_memories(context: CanRead) -> list[messages.ReferenceMemoryGiven]:
    """The reference memories of a project, by priority."""
    return await context.run("memories", partial(reference_memories.memories, context.project.documents))


@router.post("", status_code=201, openapi_extra=FILE_BODY)
@takes_file
async def add_memory(
    request: Request,
    context: CanLearn,
    name: Annotated[str, Query(min_length=1, max_length=255, description="name of the file; its ending is its format")],
) -> messages.ReferenceMemoryGiven:
    """Add a file (TMX, TSV, XLIFF, PO …) as a reference memory; nothing is learned from it."""
    data = await request.body()
    if not data:
        raise ApiError(400, "the file is empty", "choose another file")

    await context.examine(data, name)

    def add() -> messages.ReferenceMemoryGiven:
        document = context.project.read_file(data, name)
        pairs = ((one.source, one.target) for one in document.segments if one.target)
        return reference_memories.add(context.project.documents, name, pairs)

    return await context.run_exclusive("memories", add)


@router.patch("/{memory}")
async def change_memory(
    memory: MemoryId, change: messages.MemoryChange, context: CanLearn
) -> messages.ReferenceMemoryGiven:
    """Change the name or priority of a reference memory, or switch it on or off."""
    values = {name: value for name, value in change.model_dump(exclude_unset=True).items() if value is not None}
    alter = partial(reference_memories.change, context.project.documents, memory, **values)
    return await context.run_exclusive("memories", alter)


@router.delete("/{memory}", status_code=204)
async def remove_memory(memory: MemoryId, context: CanLearn) -> None:
    """Remove a reference memory."""
    await context.run_exclusive("memories", partial(reference_memories.remove, context.project.documents, memory))
