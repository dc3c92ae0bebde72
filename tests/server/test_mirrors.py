"""What the API answers with mirrors values of the package: a field that is added there is added, or left out, here."""

from __future__ import annotations

from dataclasses import fields, is_dataclass

import pytest
from pydantic import BaseModel

from dragoman.editor import messages
from dragoman.editor.document_store import Segment
from dragoman.editor.segment_undo import Undone
from dragoman.formats import preview_blocks
from dragoman.interactive.translation_graph import TranslationArc
from dragoman.records import Match, ProposedChange
from dragoman.server import preview_schemas, schemas

# What a model has besides, and what it leaves out.
MIRRORS: list[tuple[type[BaseModel], type, set[str], set[str]]] = [
    (messages.SegmentGiven, Segment, {"stage"}, {"unlearned"}),
    (messages.UndoGiven, Undone, set(), set()),
    (messages.MatchDiff, Match, {"diff", "memory"}, set()),
    (schemas.MatchFound, Match, set(), set()),
    (schemas.GraphArc, TranslationArc, set(), set()),
    (schemas.WeighedChange, ProposedChange, set(), {"place"}),
    (preview_schemas.RunGiven, preview_blocks.PreviewRun, set(), set()),
    (preview_schemas.TagLookGiven, preview_blocks.TagLook, set(), set()),
    (preview_schemas.CueGiven, preview_blocks.CueTime, set(), set()),
    (preview_schemas.PlaceGiven, preview_blocks.Place, set(), set()),
    (preview_schemas.BlockGiven, preview_blocks.Block, set(), {"looks"}),
    (preview_schemas.PreviewGiven, preview_blocks.PreviewExcerpt, {"segments"}, set()),
]


@pytest.mark.parametrize(("model", "value", "more", "less"), MIRRORS, ids=lambda each: getattr(each, "__name__", ""))
def test_a_model_has_the_fields_of_the_value_it_mirrors(
    model: type[BaseModel], value: type, more: set[str], less: set[str]
) -> None:
    own = {each.name for each in fields(value)} if is_dataclass(value) else {*getattr(value, "_fields", ())}
    assert own
    assert {*model.model_fields} == own - less | more
