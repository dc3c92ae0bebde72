"""The terms of a project's glossary: list, set, remove."""

from __future__ import annotations

import json
from functools import partial
from typing import Annotated

from fastapi import APIRouter, Query, Response

from dragoman.server import schemas
from dragoman.server.api_errors import ApiError
from dragoman.server.context import CanLearn, CanRead

router = APIRouter(prefix="/api/v1/projects/{project}/glossary", responses=schemas.ERROR_RESPONSES)


@router.get("", tags=["looking"], response_model=schemas.Glossary)
async def show_glossary(context: CanRead) -> Response:
    """All terms in the glossary."""

    def write() -> bytes:
        """In plain Python, which lets other threads run; pydantic would not, and there may be 100,000 terms."""
        terms = context.project.engine.glossary.items()
        written = ",".join(json.dumps({"source": source, "target": target}) for source, target in terms)
        return f'{{"revision":{revision},"terms":[{written}]}}'.encode()

    revision = context.project.revision
    body = await context.run("glossary", write)
    return Response(body, media_type="application/json", headers={"X-Revision": str(revision)})


@router.put("", status_code=204, tags=["learning"])
async def set_term(term: schemas.Term, context: CanLearn) -> None:
    """Set the translation of a term."""
    await context.run_exclusive("term", partial(context.project.engine.set_term, term.source, term.target))
    context.publish(None, {"event": "glossary", "source": term.source, "target": term.target})


@router.delete("", status_code=204, tags=["learning"])
async def remove_term(context: CanLearn, source: Annotated[str, Query(max_length=500, examples=["drip tray"])]) -> None:
    """Remove a term from the glossary."""

    def remove() -> None:
        if source not in context.project.engine.glossary:
            raise ApiError(404, "this term is not in the glossary", "see the glossary")
        context.project.engine.remove_term(source)

    await context.run_exclusive("term", remove)
    context.publish(None, {"event": "glossary", "source": source, "target": None})
