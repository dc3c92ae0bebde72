"""Find and replace: bounded in time and in what it makes, and taken back as a whole."""

from __future__ import annotations

import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from dragoman.editor import messages, replacement, segment_undo, teamwork
from dragoman.editor.messages import SegmentChange
from dragoman.editor.refusal import Refusal
from dragoman.editor.segment_edits import Author, change_segment
from dragoman.engine import Engine
from dragoman.server.registry import ServedProject

LONG = "a" * 10_000


@pytest.fixture
def project(tmp_path: Path) -> Iterator[ServedProject]:
    Engine.create(tmp_path / "p", source="en", target="es").close()
    found = ServedProject("p", tmp_path / "p")
    yield found
    found.close()


def add(project: ServedProject, *targets: str, source: str = "") -> int:
    rows = ((str(n), source or f"Text {n}.", target, "translated") for n, target in enumerate(targets))
    return project.documents.add("a.tsv", rows)


def expression(find: str, replace: str = "x") -> messages.ReplacementWanted:
    return messages.ReplacementWanted(find=find, replace=replace, regex=True)


@pytest.mark.parametrize(
    ("find", "replace"),
    [
        ("(?=(.*)).", r"\1" * 500),
        ("a", "b" * 1000),
        (".+", r"\g<0>" * 200),
        ("(?R)?a", "x"),
        ("(a)(?1)", "x"),
        ("(?P<n>a)(?&n)", "x"),
        ("(" * 40 + "a" + ")" * 40, "x"),
        ("(" * 480 + "a" + ")" * 480, "x"),
    ],
)
def test_what_would_make_too_much_is_refused_at_once(project: ServedProject, find: str, replace: str) -> None:
    document, began = add(project, LONG), time.monotonic()
    with pytest.raises(Refusal) as refused:
        replacement.preview(project, document, expression(find, replace))
    assert (refused.value.status, refused.value.code) == (400, "bad-expression")
    assert time.monotonic() - began < 5


def test_all_texts_of_a_document_share_one_time(project: ServedProject, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(replacement, "TOTAL", 0.3)
    document, began = add(project, *[f"{'a' * 24}{n}" for n in range(200)]), time.monotonic()
    with pytest.raises(Refusal, match="takes too long"):
        replacement.preview(project, document, expression(r"(?:a|a)*+c|(?:a|a)+b"))
    assert time.monotonic() - began < 5


def test_all_texts_of_a_document_share_what_they_may_gain(
    project: ServedProject, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(replacement, "GROWN_TOTAL", 1000)
    document = add(project, *["tapa"] * 20)
    assert replacement.preview(project, document, expression("tapa", "t" * 50)).count == 20
    with pytest.raises(Refusal, match="would grow"):
        replacement.preview(project, document, expression("tapa", "t" * 60))


def test_groups_and_escapes_are_replaced_as_written(project: ServedProject) -> None:
    document = add(project, "Cierre (la tapa) [ya].")
    [found] = replacement.preview(project, document, expression(r"\((\w+) (\w+)\)", r"<\2, \1>\\")).segments
    assert found.after == "Cierre <tapa, la>\\ [ya]."


def test_undo_takes_back_a_replacement_in_segments_that_share_a_correction(project: ServedProject) -> None:
    document = add(project, "Cierre la tapa.", "Cierre la tapa.", source="Close the lid.")
    for number in (1, 2):
        change = SegmentChange(target="Cierre la tapa.", state="confirmed", fill=False)
        change_segment(project, document, number, change, Author("ana"))
    first, second = project.documents.each(document)
    project.documents.change(second, correction=first.correction)  # as after an import of both
    wanted = messages.ReplacementWanted(find="tapa", replace="cubierta")
    assert replacement.replace_all(project, document, wanted, "ana").count == 2
    assert {each.target for each in project.documents.each(document)} == {"Cierre la cubierta."}
    segment_undo.undo(project, document, "ana")
    assert {(each.target, each.state) for each in project.documents.each(document)} == {
        ("Cierre la tapa.", "confirmed")
    }


def test_a_review_with_ones_own_work_in_it_approves_nothing(project: ServedProject) -> None:
    document = add(project, "Uno.", "Dos.")
    for number, user in ((1, "ana"), (2, "bo")):
        change = SegmentChange(target=f"Texto {number}.", state="confirmed")
        change_segment(project, document, number, change, Author(user))
    with pytest.raises(Refusal) as refused:
        teamwork.review(project, document, messages.Review(segments=[1, 2], approve=True), "bo")
    assert refused.value.code == "own-work"
    assert [each.reviewer for each in project.documents.each(document)] == [None, None]
