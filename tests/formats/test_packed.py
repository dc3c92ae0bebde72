"""Documents packed in archives: parts that are not touched stay as they are, and nothing in them is trusted."""

# ruff: noqa: E501 (runs as programs write them are long)
from __future__ import annotations

import re
import zipfile
from io import BytesIO

import pytest

from dragoman.errors import BadInputError
from dragoman.formats import Document, packages, read_document, write_document
from tests.formats.samples import DOCX, EPUB, PACKED, XLSX, pack


def read(name: str, data: bytes | None = None) -> Document:
    return read_document(PACKED[name] if data is None else data, name, source="en", target="es")


def part(data: bytes, name: str) -> str:
    with zipfile.ZipFile(BytesIO(data)) as archive:
        assert archive.testzip() is None
        return archive.read(name).decode()


def sources(name: str) -> list[str]:
    return [one.source for one in read(name).segments]


def test_paragraphs_of_a_document_are_divided_into_sentences_with_formats_as_tags() -> None:
    assert sources("a.docx") == [
        "The boiler",
        "Press <g1>the green button</g1> twice<x2/>.",
        "Then wait & see.",
        "See <g1>the manual</g1>.",
        "A cell",
        "In the box",
        "Before the box<x1/> and after it",
        "<g1>Chapter one</g1> tells more.",
        "A header",
    ]


def test_runs_are_written_anew_with_their_formats() -> None:
    document = read("a.docx")
    ids = {one.source: one.id for one in document.segments}
    targets = {
        ids["Press <g1>the green button</g1> twice<x2/>."]: "<g1>El botón verde</g1><x2/> se pulsa dos veces.",
        ids["See <g1>the manual</g1>."]: "<g1>El manual</g1> lo dice.",
    }
    text = part(write_document(document, targets), "word/document.xml")
    assert (
        '<w:p><w:r><w:rPr><w:b/></w:rPr><w:t xml:space="preserve">El botón verde</w:t></w:r><w:r><w:footnoteReference w:id="2"/>'
        '</w:r><w:r><w:t xml:space="preserve"> se pulsa dos veces. Then wait &amp; see.</w:t></w:r></w:p>'
    ) in text
    assert (
        '<w:hyperlink r:id="rId4"><w:r><w:rPr><w:u/></w:rPr><w:t xml:space="preserve">El manual</w:t></w:r></w:hyperlink>'
        '<w:r><w:t xml:space="preserve"> lo dice.</w:t></w:r>'
    ) in text
    assert "<w:p><w:r><w:t>12.5</w:t></w:r></w:p>" in text


def test_text_boxes_are_filled_inside_the_paragraph_that_they_are_in() -> None:
    document = read("a.docx")
    ids = {one.source: one.id for one in document.segments}
    targets = {ids["In the box"]: "En el cuadro", ids["Before the box<x1/> and after it"]: "Antes<x1/> y después"}
    text = part(write_document(document, targets), "word/document.xml")
    assert re.search(r"Antes</w:t></w:r><w:r><w:pict>.*?En el cuadro.*?</w:pict></w:r><w:r>.*? y después", text)


def test_a_field_stays_around_its_result() -> None:
    document = read("a.docx")
    segment = next(one for one in document.segments if "Chapter" in one.source)
    text = part(write_document(document, {segment.id: "Más en <g1>capítulo uno</g1>."}), "word/document.xml")
    assert re.search(r"Más en .*?begin.*?REF x.*?separate.*?capítulo uno.*?end\"/>.*?<w:t[^>]*>\.</w:t>", text)


@pytest.mark.parametrize("name", PACKED)
def test_parts_that_do_not_change_are_copied_as_they_are(name: str) -> None:
    document = read(name)
    first = next(one for one in document.segments if one.state == "new" and not one.tags)
    changed = write_document(document, {first.id: "Ñ"})
    with zipfile.ZipFile(BytesIO(PACKED[name])) as old, zipfile.ZipFile(BytesIO(changed)) as new:
        assert old.namelist() == new.namelist()
        assert new.testzip() is None
        for info in old.infolist():
            ours = new.getinfo(info.filename)
            assert (ours.compress_type, ours.date_time) == (info.compress_type, info.date_time)
            same = old.read(info) == new.read(info.filename)
            assert same == (info.filename != first.id.partition(":")[0])
            if same:
                raw = PACKED[name][info.header_offset : info.header_offset + 30 + info.compress_size]
                assert changed[ours.header_offset : ours.header_offset + 30 + info.compress_size] == raw


def test_slides_come_in_the_order_of_their_numbers() -> None:
    assert sources("a.pptx") == ["<g1>Bold</g1> is the beginning<x2/>of it", "The end"]


def test_headers_of_tables_in_workbooks_are_locked() -> None:
    states = {one.source: one.state for one in read("a.xlsx").segments}
    assert states == {
        "Name": "locked",
        "A long text.": "new",
        "Another one.": "new",
        "Some <g1>bold</g1>": "new",
        "In a cell": "new",
    }


def test_the_language_of_a_book_becomes_the_target() -> None:
    document = read("a.epub")
    assert document.source_language == "en"
    written = write_document(document, {one.id: f"Ñ {one.source}" for one in document.segments})
    assert "<dc:language>es</dc:language>" in part(written, "OEBPS/book.opf")
    assert 'xml:lang="es"' in part(written, "OEBPS/page 1.xhtml")
    assert "<text>Ñ First part</text>" in part(written, "OEBPS/toc.ncx")


def test_notes_of_a_text_are_segments_of_their_own() -> None:
    assert sources("a.odt") == ["A heading", "A note", "Some <g1>bold</g1> text<x2/>.", "And more.", "A footer"]


def test_signatures_and_macros_are_reported() -> None:
    assert read("a.docx").warnings == ["the file has macros; they are kept, and their texts are not translated"]
    signed = read("b.docx", pack({**DOCX, "_xmlsignatures/sig1.xml": "<x/>"}))
    assert any("signature will no longer be valid" in each for each in signed.warnings)


def refusal(data: bytes, name: str = "a.docx") -> str:
    with pytest.raises(BadInputError) as refused:
        read_document(data, name)
    assert refused.value.remedy
    return str(refused.value)


def test_an_archive_that_could_not_be_written_is_refused_before_anybody_translates_it() -> None:
    data = bytearray(pack(DOCX))
    first = data.find(b"PK\x01\x02")
    data[first + 42 : first + 46] = b"\xff" * 4  # the position of the first part, which is elsewhere in the 64-bit form
    assert refusal(bytes(data))


def test_an_archive_that_merely_asks_for_a_recent_reader_is_written() -> None:
    out = BytesIO()
    with zipfile.ZipFile(out, "w") as archive:
        for name, text in DOCX.items():
            with archive.open(name, "w", force_zip64=True) as opened:
                opened.write(text.encode() if isinstance(text, str) else text)
    document = read_document(out.getvalue(), "a.docx")
    ids = {one.source: one.id for one in document.segments}
    filled = write_document(document, {ids["Then wait & see."]: "Luego, espere."})
    assert "Luego, espere." in part(filled, "word/document.xml")


def test_archives_are_bounded_before_they_are_unpacked(monkeypatch: pytest.MonkeyPatch) -> None:
    bomb = pack({**DOCX, "word/bomb.xml": b"\0" * (5 << 20)})
    monkeypatch.setattr(zipfile.ZipFile, "open", None)
    assert "compressed suspiciously well (word/bomb.xml)" in refusal(bomb)
    monkeypatch.setattr(packages, "MOST_BYTES", 1000)
    assert "MB unpacked" in refusal(PACKED["a.docx"])
    monkeypatch.setattr(packages, "MOST_ENTRIES", 2)
    assert "more than 2 parts" in refusal(PACKED["a.docx"])


def test_a_part_that_is_larger_than_it_says_is_refused() -> None:
    data = bytearray(PACKED["a.xlsx"])
    at = data.rfind(b"xl/sharedStrings.xml")  # its record in the central directory
    data[at - 22 : at - 18] = (10).to_bytes(4, "little")
    assert "(xl/sharedStrings.xml)" in refusal(bytes(data), "a.xlsx")


def test_entities_in_a_part_are_refused() -> None:
    evil = '<!DOCTYPE x [<!ENTITY a SYSTEM "file:///etc/passwd">]>' + str(XLSX["xl/sharedStrings.xml"])
    assert "has declarations in its <!DOCTYPE" in refusal(pack({**XLSX, "xl/sharedStrings.xml": evil}), "a.xlsx")


def test_encrypted_archives_and_books_are_refused() -> None:
    data = bytearray(PACKED["a.docx"])
    for at in [found.start() for found in re.finditer(b"PK\x01\x02", data)]:
        data[at + 8] |= 1
    assert "is encrypted" in refusal(bytes(data))
    locked = pack({**EPUB, "META-INF/encryption.xml": '<x><CipherReference URI="OEBPS/page 1.xhtml"/></x>'})
    assert "its pages are encrypted" in refusal(locked, "a.epub")


@pytest.mark.parametrize("name", PACKED)
def test_other_archives_are_refused(name: str) -> None:
    assert "has no text that" in refusal(pack({"a.txt": "x"}), name)
    assert "is damaged" in refusal(b"PK\x03\x04", name)


def _word(document: bytes) -> bytes:
    types = (
        '<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types"><Override PartName='
        '"/word/document.xml" ContentType="application/vnd.openxmlformats-officedocument.wordprocessingml.document'
        '.main+xml"/></Types>'
    )
    packed = BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("[Content_Types].xml", types)
        archive.writestr("word/document.xml", document)
    return packed.getvalue()


def test_more_text_than_memory_is_refused_before_it_is_unpacked(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("dragoman.formats.packages.MOST_TEXT", 1 << 20)
    paragraph = "<w:p><w:r><w:t>{}</w:t></w:r></w:p>"
    body = "".join(paragraph.format(f"Paragraph {number * 7919}") for number in range(40_000))
    space = 'xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"'
    data = _word(f"<w:document {space}><w:body>{body}</w:body></w:document>".encode())
    with pytest.raises(BadInputError, match="more than 1 MB of text when unpacked"):
        read_document(data, "a.docx")


def test_a_protected_file_is_called_protected() -> None:
    with pytest.raises(BadInputError, match="protected by a password"):
        read_document(bytes.fromhex("d0cf11e0a1b11ae1") + b"\0" * 2_000, "a.docx")
