"""Segments that are merged and split: the file is written as if they had been translated one by one."""

from __future__ import annotations

import random
import re

import pytest

from dragoman.errors import BadInputError
from dragoman.formats import Document, DocumentSegment, read_document, write_document
from dragoman.formats.segment_groups import PARAGRAPHS, Merge, Split, Step, regroup
from tests.formats.samples import ALL, pack

PAGE = b"<h1>Boilers</h1><p>Close <b>the red</b> lid. Wait for 3 minutes. <br>Then open it &amp; look.</p><p>Done.</p>"


def read(name: str, data: bytes | None = None) -> Document:
    return read_document(ALL[name] if data is None else data, name, source="en", target="es")


def louder(segment: DocumentSegment) -> str:
    return "".join(part.upper() if isinstance(part, str) else part.shown for part in segment.inline.parts)


def written(document: Document) -> bytes:
    return write_document(document, {one.id: louder(one) for one in document.segments if one.state == "new"})


def at_random(document: Document, chance: random.Random) -> tuple[Document, int]:
    """Some merges and splits, as far as they are possible."""
    done = 0
    for number in range(30):
        segments = document.segments
        place = chance.randrange(len(segments))
        one = segments[place]
        step: Step
        if chance.random() < 0.5 and place + 1 < len(segments):
            step = Merge(one.id, segments[place + 1].id)
        else:
            path = one.id.partition(":")[0] + ":" if ":" in one.id else ""
            step = Split(one.id, chance.randrange(len(one.source) + 1), f"{path}new {number}")
        try:
            document = regroup(document, [step])
            done += 1
        except BadInputError:
            continue
    return document, done


@pytest.mark.parametrize("name", ALL)
def test_a_file_is_written_alike_however_its_paragraphs_are_divided(name: str) -> None:
    whole = read(name)
    divided, done = at_random(whole, random.Random(name))
    if done:
        assert written(divided) == written(whole)
        assert len({one.id for one in divided.segments}) == len(divided.segments)


def test_every_format_of_paragraphs_can_be_divided_anew() -> None:
    names = ("page.html", "notes.md", "manual.docx", "talk.odt", "book.epub")
    kinds = {name.rpartition(".")[2] for name in ALL if at_random(read(name), random.Random(1))[1]}
    assert {name.rpartition(".")[2] for name in names} <= kinds
    for name in ALL:
        if at_random(read(name), random.Random(1))[1]:
            assert read(name).format in PARAGRAPHS
    assert not kinds & {"po", "xlf", "json", "strings", "properties", "tmx", "tsv", "txt", "srt"}


def test_merging_takes_what_stands_between() -> None:
    page = read("page.html", PAGE)
    ids = [one.id for one in page.segments]
    merged = regroup(page, [Merge(ids[2], ids[3]), Merge(ids[1], ids[2])])
    assert [one.id for one in merged.segments] == [ids[0], ids[1], ids[4]]
    sources = [re.sub(r"<br[^<>]*>", "<br>", one.source) for one in merged.segments]
    assert sources[1] == "Close <b>the red</b> lid. Wait for 3 minutes. <br>Then open it & look."
    assert b"LID. WAIT FOR 3 MINUTES. <br>THEN OPEN" in written(merged)


def test_splitting_leaves_the_space_between_outside() -> None:
    page = read("page.html", PAGE)
    second = page.segments[2]
    split = regroup(page, [Split(second.id, len("Wait for"), "late")])
    assert [one.source for one in split.segments][2:4] == ["Wait for", "3 minutes."]
    filled = write_document(split, {second.id: "Espere", "late": "tres minutos."})
    assert b"lid. Espere tres minutos. <br>" in filled


@pytest.mark.parametrize(
    ("step", "why"),
    [
        (Merge("0", "1"), "one paragraph"),
        (Merge("1", "3"), "one paragraph"),
        (Split("1", 10, "x"), "pair of tags"),
        (Split("1", 7, "x"), "tag cannot be split"),
        (Split("1", 0, "x"), "nothing to translate"),
        (Split("2", 500, "x"), "nothing to translate"),
    ],
)
def test_what_is_not_possible_is_refused(step: Step, why: str) -> None:
    page = read("page.html", PAGE)
    ids = [one.id for one in page.segments]
    first = ids[int(step[0])]
    meant = Merge(first, ids[int(step.second)]) if isinstance(step, Merge) else Split(first, step.at, "x")
    with pytest.raises(BadInputError, match=why):
        regroup(page, [meant])


def test_units_of_a_file_stay_units() -> None:
    strings = read("words.json", b'{"a": "Close it. Wait.", "b": "Open it."}')
    with pytest.raises(BadInputError, match="units of the file"):
        regroup(strings, [Split(strings.segments[0].id, 9, "x")])
    lines = read("lines.txt", b"Close it. Wait.\nOpen it.\n")
    with pytest.raises(BadInputError, match="units of the file"):
        regroup(lines, [Merge("1", "2")])


def test_parts_of_an_archive_are_divided_each() -> None:
    paragraph = "<w:p><w:r><w:t>Close it. Wait here.</w:t></w:r></w:p>"
    space = 'xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"'
    kind = "application/vnd.openxmlformats-officedocument.wordprocessingml."
    types = (
        '<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types">'
        f'<Override PartName="/word/document.xml" ContentType="{kind}document.main+xml"/>'
        f'<Override PartName="/word/header1.xml" ContentType="{kind}header+xml"/></Types>'
    )
    parts: dict[str, str | bytes] = {
        "[Content_Types].xml": types,
        "word/document.xml": f"<w:document {space}><w:body>{paragraph}</w:body></w:document>",
        "word/header1.xml": f"<w:hdr {space}>{paragraph}</w:hdr>",
    }
    document = read("two.docx", pack(parts))
    first, second, third, fourth = (one.id for one in document.segments)
    merged = regroup(document, [Merge(first, second), Split(fourth, 4, f"{fourth}~9")])
    assert [one.source for one in merged.segments] == ["Close it. Wait here.", "Close it.", "Wait", "here."]
    assert written(merged) == written(document)
    with pytest.raises(BadInputError, match="one paragraph"):
        regroup(document, [Merge(second, third)])


def test_of_a_large_file_only_the_text_around_a_merged_segment_is_tried() -> None:
    lines = [f"Close lid {n}. Wait for **{n} minutes**. Open *it*." for n in range(50)]
    page = read("page.md", "\n\n".join(lines).encode())
    ids = [one.id for one in page.segments]
    divided = regroup(page, [Merge(ids[30], ids[31]), Split(ids[32], len("Open"), "late"), Merge(ids[27], ids[28])])
    names = {one.id: one for one in divided.segments}
    for name in (ids[30], ids[32], "late", ids[27], ids[33]):
        excerpt = divided.excerpt(names[name])
        assert excerpt is not None
        assert len(excerpt.document.segments) < 15
        here = {one.id: one.source for one in excerpt.document.segments}
        assert {names[each].source for each in excerpt.names} == set(here.values())
        assert here[excerpt.names[name]] == names[name].source
        filled = excerpt.document.fill({excerpt.names[name]: louder(names[name])})
        assert re.sub(r"</?g\d>", "", louder(names[name])) in re.sub(r"\*", "", filled.decode())
