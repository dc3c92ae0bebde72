"""The text around a segment: what is a heading, bold or a table cell, in a vocabulary of our own."""

from __future__ import annotations

from typing import Any, get_args

import pytest

from dragoman.formats import read_document
from dragoman.formats.preview import CHARACTERS, Preview
from dragoman.formats.preview_blocks import Block, Look, Role
from tests.formats import samples

PAGE = """<html><body><h2>Boilers</h2>
<p>Press <b>the green</b> <a href="javascript:alert(1)">button</a>. Then <code>wait()</code>.</p>
<ol><li>Open it.<li>Close it.<ul><li>Slowly.</ul></ol>
<table><tr><th>Part<th>Colour<tr><td></td><td><p>Red lid.</p><p>Green lid.</p></td></tr></table>
<pre>x &lt; <b>1</b></pre><p>The <img src="x.png" alt="A lid"> end.</p></body></html>"""


def blocks(name: str, data: str | bytes, number: int = 1, **reach: int) -> list[Block]:
    document = read_document(data.encode() if isinstance(data, str) else data, name)
    return Preview(document).around(number, **reach).blocks


def looks(block: Block) -> list[tuple[str, str, str]]:
    return [(each.tag, each.look, each.text) for some in block.looks.values() for each in some if each.kind != "end"]


def test_a_page_has_headings_lists_and_tables() -> None:
    found = blocks("page.html", PAGE)
    assert [(each.place.role, each.place.level, each.place.marker) for each in found[:5]] == [
        ("heading", 2, ""),
        ("paragraph", 0, ""),
        ("item", 1, "1."),
        ("item", 1, "2."),
        ("item", 2, "•"),
    ]
    cells = [each.place for each in found if each.place.role == "cell"]
    assert len({each.table for each in cells}) == 1
    assert [each.column for each in cells] == [0, 1, 1, 1]
    assert [each.row == cells[0].row for each in cells] == [True, True, False, False]
    assert cells[2].cell == cells[3].cell


def test_the_tags_of_a_page_have_looks() -> None:
    found = blocks("page.html", PAGE)
    shown = {look: text for block in found for _, look, text in looks(block)}
    assert {"bold", "link", "code", "image"} <= shown.keys()
    assert (shown["code"], shown["image"]) == ("wait()", "A lid")


def test_code_between_paragraphs_is_shown_as_text() -> None:
    [code] = [each for each in blocks("page.html", PAGE) if each.place.role == "code"]
    assert [run.text for run in code.runs] == ["x < 1"]
    [code] = [each for each in blocks("page.md", samples.TEXTS["page.md"] + "\nEnd.\n") if each.place.role == "code"]
    assert [run.text for run in code.runs] == ["code here"]


def test_markdown_has_headings_emphasis_lists_quotes_and_tables() -> None:
    found = blocks("page.md", samples.TEXTS["page.md"])
    roles = [each.place.role for each in found]
    assert roles[:9] == ["attribute", "heading", "attribute", "paragraph", "quote", "item", "item", "cell", "cell"]
    assert [each.place.marker for each in found if each.place.role == "item"] == ["1.", "2."]
    assert [look for _, look, _ in looks(found[3])] == ["bold", "link", "code", "break"]
    assert looks(found[1])[0][1] == "italic"


def test_a_word_document_has_its_headings_bold_words_links_and_cells() -> None:
    found = blocks("a.docx", samples.pack(samples.DOCX))
    assert (found[0].place.role, found[0].place.level) == ("heading", 1)
    assert [look for _, look, _ in looks(found[1])] == ["bold", "note"]
    assert [look for _, look, _ in looks(found[2])] == ["link"]
    assert found[3].place.role == "cell"


def test_an_excerpt_of_a_packed_file_stays_on_its_page() -> None:
    document = read_document(samples.pack(samples.PPTX), "a.pptx")
    excerpts = [Preview(document).around(number) for number in (1, 2)]
    assert [each.part for each in excerpts] == ["ppt/slides/slide2.xml", "ppt/slides/slide10.xml"]
    assert [len(each.blocks) for each in excerpts] == [1, 1]


def test_bold_in_an_opendocument_file_is_known_from_its_styles() -> None:
    text = (
        '<office:document-content xmlns:office="urn:o" xmlns:style="urn:s" xmlns:fo="urn:f"'
        ' xmlns:text="urn:oasis:names:tc:opendocument:xmlns:text:1.0"><office:automatic-styles>'
        '<style:style style:name="T1" style:family="text"><style:text-properties fo:font-weight="bold"/></style:style>'
        '</office:automatic-styles><text:h text:outline-level="3">Boilers</text:h>'
        '<text:p>Press <text:span text:style-name="T1">here</text:span><text:line-break/>now.</text:p>'
        "</office:document-content>"
    )
    found = blocks("a.odt", samples.pack({"mimetype": "x", "content.xml": text}))
    assert (found[0].place.role, found[0].place.level) == ("heading", 3)
    assert [look for _, look, _ in looks(found[1])] == ["bold", "break"]


def test_subtitles_have_the_times_of_their_cues() -> None:
    found = blocks("film.srt", samples.TEXTS["film.srt"])
    assert [[(cue.start, cue.end) for cue in each.cues] for each in found] == [[(1, 3), (3, 5)], [(5, 6)]]
    assert [look for _, look, _ in looks(found[0])] == ["cue", "italic"]
    assert found[0].limit == 80


def test_strings_are_shown_with_their_keys_and_notes() -> None:
    found = blocks("app.properties", "# shown on start\nhello=Hello {0}\nbye=Goodbye\n", 2)
    assert [each.place.label for each in found] == ["hello", "bye"]
    assert looks(found[0]) == [("{0}", "tag", "{0}")]
    po = '#. A greeting\nmsgctxt "menu"\nmsgid "Hello"\nmsgstr ""\n'
    [only] = blocks("app.po", po)
    assert only.note == "A greeting"


def test_an_excerpt_is_bounded_in_blocks_and_in_characters() -> None:
    document = read_document("".join(f"<p>Lid {n} is red.</p>" for n in range(5000)).encode(), "page.html")
    excerpt = Preview(document).around(2500, before=3, after=2)
    assert [run.segment for block in excerpt.blocks for run in block.runs] == [2497, 2498, 2499, 2500, 2501, 2502]
    assert (excerpt.more_before, excerpt.more_after) == (True, True)
    long = read_document("".join(f"<p>{'word ' * 1000}{n}.</p>" for n in range(50)).encode(), "page.html")
    shown = Preview(long).around(25, before=50, after=50).blocks
    assert sum(len("word " * 1000) for _ in shown) < 4 * CHARACTERS


def test_a_paragraph_of_very_many_sentences_is_shown_around_the_one_in_question() -> None:
    document = read_document(f"<p>{'It is red. ' * 3000}</p>".encode(), "page.html")
    [block] = Preview(document).around(1500).blocks
    assert 1500 in block.looks
    assert len(block.looks) < 200


@pytest.mark.parametrize("name", [*samples.TEXTS, "a.docx", "a.pptx", "a.xlsx", "a.odt", "a.epub"])
def test_every_segment_of_every_format_is_in_the_excerpt_around_it(name: str) -> None:
    packed: dict[str, Any] = {
        "a.docx": samples.DOCX,
        "a.pptx": samples.PPTX,
        "a.xlsx": samples.XLSX,
        "a.odt": samples.ODT,
        "a.epub": samples.EPUB,
    }
    data = samples.pack(packed[name]) if name in packed else samples.TEXTS[name].encode()
    document = read_document(data, name)
    preview = Preview(document)
    for number, segment in enumerate(document.segments, start=1):
        excerpt = preview.around(number, before=1, after=1)
        here = [block for block in excerpt.blocks if number in block.looks]
        assert len(here) == 1
        assert [look.tag for look in here[0].looks[number]] == segment.tags
        assert {block.place.role for block in excerpt.blocks} <= {*get_args(Role)}
        assert {look.look for block in here for look in block.looks[number]} <= {*get_args(Look)}
