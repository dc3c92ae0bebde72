"""What a file cannot hold is found before it is written, and never takes the rest of the file with it."""

from __future__ import annotations

import random

import pytest

from dragoman.formats import read_document
from dragoman.formats.document import Document, DocumentSegment
from dragoman.quality.delivery import deliver, find_fault
from tests.quality.support import FILES, edited


@pytest.mark.parametrize(
    ("name", "segment", "target", "said"),
    [
        ("page.xlf", "1", "Pulse <g id=\"1\">verde.", "lacks </g>"),
        ("page.xlf", "1", 'Pulse </g>verde<g id="1">.', "in the wrong place"),
        ("page.xlf", "1", 'Pulse <g id="1"><g id="1">verde</g></g>.', "too many of"),
        ("page.txt", "1", "Una línea.\nOtra.", "line break"),
        ("page.tsv", "1", "Una\tlínea.", "a tab"),
        ("page.json", "count", "Archivos.", "{count}"),
    ],
)
def test_a_broken_target_is_refused_with_the_reason(name: str, segment: str, target: str, said: str) -> None:
    document = read_document(FILES[name], name, source="en", target="es")
    known = {one.id: one for one in document.segments}[segment]
    assert said in str(find_fault(document, known, target))


def test_a_character_that_the_encoding_lacks_is_refused_before_the_file_is_written() -> None:
    document = read_document(b"title=Press\n", "a.properties", source="en", target="es")
    assert find_fault(document, document.segments[0], "Ω") is None  # written as an escape
    latin = read_document('msgid ""\nmsgstr "Content-Type: text/plain; charset=iso-8859-1\\n"\n\n'
                          'msgid "Press"\nmsgstr ""\n'.encode("latin-1"), "a.po", source="en", target="es")
    assert "iso8859-1" in str(find_fault(latin, latin.segments[0], "Ω"))


@pytest.mark.parametrize("name", FILES)
def test_a_delivered_file_holds_exactly_what_passed_the_check(name: str) -> None:
    """A thousand edits of each format, sensible and broken: what passes is in the file, and what does not is not."""
    rng, done = random.Random(name), 0
    document = read_document(FILES[name], name, source="en", target="es")
    open_segments = [one for one in document.segments if one.state != "locked"]
    assert open_segments
    while done < 1000:
        targets = {}
        for segment in open_segments:
            target = edited(rng, segment.source)
            done += 1
            if find_fault(document, segment, target) is None:
                targets[segment.id] = target
        delivery = deliver(document, {key: (target, "confirmed") for key, target in targets.items()})
        assert not delivery.left_out
        assert _delivered(document, delivery.data, targets) == targets


def _delivered(document: Document, data: bytes, targets: dict[str, str]) -> dict[str, str]:
    """The targets as they are read from the delivered file; where they replace the source, its segments are targets."""
    again = read_document(data, document.contents.name, source="en", target="es")
    bilingual = any(one.target for one in again.segments) or document.format in BILINGUAL
    if bilingual:
        return {one.id: one.target for one in again.segments if one.id in targets}
    return {key: target for key, target in targets.items() if target in _texts(again)}


BILINGUAL = {"po", "tsv", "xliff 1.2", "xliff 2.0", "tmx", "csv"}


def _texts(document: Document) -> str:
    def text(one: DocumentSegment) -> str:
        return one.source

    return "\n".join(map(text, document.segments))
