"""What holds for every format: nothing changes but what is put in, and that is read back."""

from __future__ import annotations

import random
import re
import time
from contextlib import suppress

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dragoman.errors import BadInputError
from dragoman.formats import Document, DocumentSegment, read_document, write_document
from tests.formats.samples import ALL, REPLACED

WORDS = st.text(st.characters(exclude_categories=["Cs", "Cc"]), max_size=20) | st.sampled_from(
    ["a & b", "<b>", "&amp;", '"', "'", "\\", "]]>", "{", "}", "%s", "# a", "- b", "1. c", "* d", "| e", "a: b", "a #b",
     "@x", "a\nb", "  a", "b  ", "--> x", "true", "no", "¿Qué?", "水", "[x](y)", "_a_", "`", ".x", "é"]
)  # fmt: skip


def read(name: str, data: bytes | None = None, *, sentences: bool = True) -> Document:
    return read_document(ALL[name] if data is None else data, name, source="en", target="es", sentences=sentences)


def with_tags(segment: DocumentSegment, text: str) -> str:
    """A text in place of each stretch of text in a source, with all the tags where they are."""
    parts = [part if isinstance(part, str) else part.shown for part in segment.inline.parts]
    kinds = [isinstance(part, str) and bool(part.strip()) for part in segment.inline.parts]
    return "".join(text if kind else part for part, kind in zip(parts, kinds, strict=True)) if parts else text


def letters(text: str) -> str:
    """A text without anything that a format may write in other ways: spaces, marks, and the tags of its own syntax."""
    return "".join(filter(str.isalpha, re.sub("<[^<>]*>", "", text)))


@pytest.mark.parametrize("name", ALL)
def test_without_changes_every_byte_stays(name: str) -> None:
    document = read(name)
    assert document.segments
    assert write_document(document, {}) == ALL[name]
    assert write_document(document, {one.id: (one.target, one.state) for one in document.segments}) == ALL[name]


@pytest.mark.parametrize("name", ALL)
def test_ids_are_unique_and_sources_have_words(name: str) -> None:
    segments = read(name).segments
    assert len({one.id for one in segments}) == len(segments)
    assert all(any(map(str.isalpha, re.sub("<[^<>]*>", "", one.source))) for one in segments)


@pytest.mark.parametrize("name", ALL)
def test_targets_are_read_back(name: str) -> None:
    document = read(name)
    wanted = {one.id: with_tags(one, "Ñandú") for one in document.segments if one.state == "new"}
    again = read(name, write_document(document, wanted))
    if name in REPLACED:
        assert len([one for one in again.segments if "Ñandú" in one.source]) > 0
        text = " ".join(one.source for one in again.segments if one.state != "locked")
        assert not re.search(r"\b(?:Hello|wait|Title|One|file)\b", re.sub(r'title="Tip"', "", text))
    else:
        assert {one.id: one.target for one in again.segments if one.id in wanted} == wanted


@pytest.mark.parametrize("name", ALL)
@given(st.data())
@settings(deadline=None, max_examples=25)
def test_any_text_is_written_and_read_back_or_refused(name: str, data: st.DataObject) -> None:
    document = read(name)
    segment = data.draw(st.sampled_from([one for one in document.segments if one.state != "locked"]))
    word = data.draw(WORDS)
    target = with_tags(segment, word)
    try:
        written = write_document(document, {segment.id: target})
    except BadInputError:
        return
    again = read(name, written)
    if name not in REPLACED:
        found = next(one for one in again.segments if one.id == segment.id)
        assert found.target == target
    elif word.isalpha():  # a text of nothing but marks and placeholders is no segment
        assert letters(target) in letters("".join(one.source for one in again.segments))
    others = [one for one in document.segments if one.id.rpartition("/")[0] != segment.id.rpartition("/")[0]]
    sources = {one.source for one in again.segments}
    assert all(one.source in sources or one.tags for one in others if one.id != segment.id)


@pytest.mark.parametrize("name", ALL)
def test_a_target_must_have_the_tags_of_its_source(name: str) -> None:
    document = read(name)
    for one in document.segments:
        for tag in one.tags:
            with pytest.raises(BadInputError, match="lacks"):
                document.check(one, one.source.replace(tag, "", 1))
            with pytest.raises(BadInputError):
                document.check(one, one.source + tag)


@pytest.mark.parametrize("name", ALL)
def test_a_damaged_file_is_read_or_refused_within_bounds(name: str) -> None:
    chance = random.Random(name)
    begun = time.monotonic()
    for _ in range(150):
        data = bytearray(ALL[name])
        for _ in range(chance.randint(1, 4)):
            at = chance.randrange(len(data))
            kind = chance.randrange(3)
            if kind == 0:
                data[at] = chance.randrange(256)
            elif kind == 1:
                del data[at : at + chance.randint(1, 30)]
            else:
                data[at:at] = chance.choice([b"<", b'"', b"{", b"}", b"\n", b"\0", b"</", b"&", data[:50], b"[" * 400])
        try:
            document = read(name, bytes(data))
            written = write_document(document, {})
            assert written == data
            write_document(document, {one.id: with_tags(one, "Ñ") for one in document.segments if one.state == "new"})
        except BadInputError:
            continue
    assert time.monotonic() - begun < 120


@pytest.mark.parametrize("name", [name for name in REPLACED if name.partition(".")[2] in ("html", "md", "docx", "odt")])
def test_sentences_are_optional(name: str) -> None:
    assert len(read(name, sentences=False).segments) < len(read(name).segments)


@pytest.mark.parametrize(
    ("name", "unit"),
    [
        *(("a.html", unit) for unit in ("<a ", '<a "', "<b>", "<code>", "{{", "<!", "&", '<img alt="', "A. ", "</b>")),
        *(("a.md", unit) for unit in ("[", "[a](", "`", "a`b", "**a ", "_a", "{{", "a  \n", "$$a", ":a", "![", "<a ")),
        *(("a.srt", unit) for unit in (" ", "\n", "0:0:0,0 --> ", "1:")),
        *(("a.strings", unit) for unit in ('"', "/*", "a ")),
        *(("a.properties", unit) for unit in ("\\", " ", "=\\\n", "#")),
        *(("a.csv", unit) for unit in ('"', ",\n", "a")),
    ],
)
def test_a_line_of_openings_takes_no_more_than_linear_time(name: str, unit: str) -> None:
    begun = time.monotonic()
    with suppress(BadInputError):
        read(name, unit.encode() * 20_000)
    assert time.monotonic() - begun < 20  # quadratic time would be minutes
