"""Spelling of translations, by the dictionaries that are installed on the server."""

from __future__ import annotations

from functools import partial

from fastapi import APIRouter

from dragoman.editor import hunspell, messages
from dragoman.server import schemas
from dragoman.server.context import CanRead

router = APIRouter(prefix="/api/v1/projects/{project}/spelling", responses=schemas.ERROR_RESPONSES, tags=["documents"])


@router.post("")
async def find_wrong(wanted: messages.Words, context: CanRead) -> messages.Misspelt:
    """Which words are not in the dictionary of the target language; `dictionary` is null if there is none here."""

    def find() -> messages.Misspelt:
        found = hunspell.open_dictionary(context.project.target)
        if found is None:
            return messages.Misspelt(dictionary=None, wrong=[])
        return messages.Misspelt(dictionary=found.name, wrong=found.find_wrong(wanted.words))

    return await context.run("spelling", find)


@router.post("/suggestions")
async def suggest(wanted: messages.CheckedWord, context: CanRead) -> messages.Spellings:
    """What could be meant by a word that is not in the dictionary."""
    found = await context.run("spelling", partial(hunspell.open_dictionary, context.project.target))
    if found is None:
        return messages.Spellings(suggestions=[])
    return messages.Spellings(suggestions=await context.run("spelling", partial(found.suggest, wanted.word)))
