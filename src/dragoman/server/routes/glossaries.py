"""The terms of a project's glossary: list, set, remove."""

from __future__ import annotations

import json
from dataclasses import replace
from functools import partial
from typing import Annotated, Any

from fastapi import APIRouter, Query, Response

from dragoman.engine import Engine
from dragoman.project.glossary import TermRule
from dragoman.server import schemas
from dragoman.server.api_errors import ApiError
from dragoman.server.context import CanLearn, CanRead

router = APIRouter(prefix="/api/v1/projects/{project}/glossary", responses=schemas.ERROR_RESPONSES)


@router.get("", tags=["looking"], response_model=schemas.GlossaryGiven)
async def show_glossary(context: CanRead) -> Response:
    """All terms in the glossary; of what else holds for them, only what is said."""

    def write() -> bytes:
        """In plain Python, which lets other threads run; pydantic would not, and there may be 100,000 terms."""
        terms, rules = context.project.engine.glossary, context.project.engine.term_rules
        written = ",".join(json.dumps(_describe(source, terms, rules)) for source in sorted({*terms, *rules}))
        return f'{{"revision":{revision},"terms":[{written}]}}'.encode()

    revision = context.project.revision
    body = await context.run("glossary", write)
    return Response(body, media_type="application/json", headers={"X-Revision": str(revision)})


def _describe(source: str, terms: dict[str, str], rules: dict[str, TermRule]) -> dict[str, Any]:
    said = rules[source].dump() if source in rules else {}
    return {"source": source, "target": terms.get(source), **said}


@router.put("", status_code=204, tags=["learning"])
async def set_term(term: schemas.TermEntry, context: CanLearn) -> None:
    """Set the translation of a term, a note, which capitals matter, and what is admitted or forbidden."""
    await context.run_exclusive("term", partial(_set, context.project.engine, term))
    context.publish(None, {"event": "glossary", "source": term.source, "target": term.target})


def _set(engine: Engine, term: schemas.TermEntry) -> None:
    said = term.model_dump(include={"note", "case", "admitted", "forbidden"}, exclude_none=True)
    said |= {name: tuple(value) for name, value in said.items() if isinstance(value, list)}
    if term.target is None and not said:
        raise ApiError(422, "nothing is said of this term", "send its translation", field="target")
    old = engine.term_rules.get(term.source, TermRule()) if said else TermRule()
    rules = {term.source: replace(old, **said)} if said else {}
    engine.change_terms({term.source: term.target} if term.target is not None else {}, rules)


@router.delete("", status_code=204, tags=["learning"])
async def remove_term(context: CanLearn, source: Annotated[str, Query(max_length=500, examples=["drip tray"])]) -> None:
    """Remove a term from the glossary, with all that is said of it."""

    def remove() -> None:
        engine = context.project.engine
        terms = dict.fromkeys({source} & engine.glossary.keys())
        rules = dict.fromkeys({source} & engine.term_rules.keys())
        if not terms and not rules:
            raise ApiError(404, "this term is not in the glossary", "see the glossary")
        engine.change_terms(terms, rules)

    await context.run_exclusive("term", remove)
    context.publish(None, {"event": "glossary", "source": source, "target": None})
