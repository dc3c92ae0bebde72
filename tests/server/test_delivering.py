"""From confirming to the delivered file, in every format: what was confirmed is in it, and what was not is named."""

from __future__ import annotations

import random
from collections.abc import Iterator
from pathlib import Path

import pytest

from dragoman.editor.messages import Accept, SegmentChange
from dragoman.editor.refusal import Refusal
from dragoman.editor.segment_edits import Author, change_segment
from dragoman.engine import Engine
from dragoman.formats import read_document
from dragoman.quality import deliver
from dragoman.records import Check
from dragoman.server.document_files import add_file
from dragoman.server.registry import ServedProject
from tests.quality.samples import EVERY, SOURCE_REPLACED
from tests.quality.test_delivery import bare, edited, pieces

ACCEPTED = [Accept(check=check) for check in ("tags", "placeholders", "untranslated", "length")]


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ServedProject]:
    path: Path = tmp_path_factory.mktemp("delivering") / "p"
    Engine.create(path, source="en", target="es").close()
    found = ServedProject("p", path)
    yield found
    found.close()


@pytest.mark.parametrize("name", EVERY)
def test_what_is_confirmed_is_delivered(name: str, project: ServedProject, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(project.engine, "check", lambda *_: Check("learning is not what is tested here", None))
    number = add_file(project, EVERY[name], name)
    chance, opened = random.Random(name), project.open_file(number)
    assert opened is not None
    for segment in [*project.documents.each(number)] * 3:
        target = edited(chance, opened.segments[segment.key])
        change = SegmentChange(target=target, state="confirmed", accept=ACCEPTED, fill=False)
        try:
            change_segment(project, number, segment.number, change, Author("ana"))
        except Refusal as error:
            assert error.code in ("held", "locked")
    segments = [*project.documents.each(number)]
    confirmed = {one.key: one.target for one in segments if one.state == "confirmed"}
    drafts = {one.key: (one.target, "translated") for one in segments if one.state == "translated"}
    delivery = deliver(opened.document, {key: (text, "confirmed") for key, text in confirmed.items()} | drafts)
    assert not confirmed.keys() & delivery.left_out.keys()
    again = read_document(delivery.data, name, source="en", target="es")
    if name not in SOURCE_REPLACED:
        read = {one.id: one.target for one in again.segments}
        assert {key: read[key] for key in confirmed} == confirmed
    else:
        text = bare("".join(pieces(again)))
        assert [target for target in confirmed.values() if bare(target) not in text] == []
