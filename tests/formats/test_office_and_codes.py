"""Office files, and inline codes that a translation moves: each is written once, with all that is inside it."""

from __future__ import annotations

import io
import re
import zipfile

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dragoman.formats import read_document, write_document
from dragoman.formats.codes import read_codes
from dragoman.formats.inline import Inline, Tag, split_target

A = "http://schemas.openxmlformats.org/drawingml/2006/main"
W = "http://schemas.openxmlformats.org/wordprocessingml/2006/main"


def packed(**parts: str) -> bytes:
    """An office file with these parts, each with its type and its XML."""
    types = "".join(
        f'<Override PartName="/{name}.xml" ContentType="application/{part.partition(" ")[0]}+xml"/>'
        for name, part in parts.items()
    )
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as archive:
        archive.writestr("[Content_Types].xml", f"<Types>{types}</Types>")
        for name, part in parts.items():
            archive.writestr(f"{name}.xml", part.partition(" ")[2])
    return out.getvalue()


def unpacked(data: bytes, name: str) -> str:
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        return archive.read(name).decode()


def test_pictures_change_places_with_their_texts() -> None:
    data = b'<p>From <img src="1" alt="One"/> to <img src="2" alt="Two"/>.</p>'
    document = read_document(data, "a.html")
    one, two = document.segments[2].tags
    targets = {"1": "Uno", "2": "Dos", "3": f"A {two} desde {one}."}
    assert write_document(document, targets) == (b'<p>A <img src="2" alt="Dos"/> desde <img src="1" alt="Uno"/>.</p>')


def test_text_boxes_of_a_document_change_places_with_their_pictures() -> None:
    box = "<w:r><w:pict><w:txbxContent><w:p><w:r><w:t>{}</w:t></w:r></w:p></w:txbxContent></w:pict></w:r>"
    run = '<w:r><w:t xml:space="preserve">{}</w:t></w:r>'
    body = run.format("From ") + box.format("One") + run.format(" to ") + box.format("Two") + run.format(" here")
    text = f'<w:document xmlns:w="{W}"><w:body><w:p>{body}</w:p></w:body></w:document>'
    data = packed(document=f"vnd.openxmlformats-officedocument.wordprocessingml.document.main {text}")
    document = read_document(data, "a.docx")
    ids = {one.source: one.id for one in document.segments}
    filled = write_document(
        document, {ids["One"]: "Uno", ids["Two"]: "Dos", ids["From <x1/> to <x2/> here"]: "A <x2/> desde <x1/> aquí"}
    )
    again = [one.source for one in read_document(filled, "a.docx").segments]
    assert again == ["Dos", "Uno", "A <x1/> desde <x2/> aquí"]


def test_the_picture_of_a_diagram_is_translated_with_its_data() -> None:
    paragraph = f'<a:p xmlns:a="{A}"><a:r><a:t>Start here</a:t></a:r></a:p>'
    data = packed(
        data1=f"vnd.openxmlformats-officedocument.drawingml.diagramData <d>{paragraph}</d>",
        drawing1=f"vnd.ms-office.drawingml.diagramDrawing <d>{paragraph}</d>",
    )
    document = read_document(data, "a.pptx")
    filled = write_document(document, {one.id: "Empiece aquí" for one in document.segments})
    assert all("Empiece aquí" in unpacked(filled, name) for name in ("data1.xml", "drawing1.xml"))


def test_text_boxes_of_a_sheet_and_titles_of_its_charts_are_translated() -> None:
    paragraph = f'<a:p xmlns:a="{A}"><a:r><a:t>Sales</a:t></a:r></a:p>'
    data = packed(
        drawing1=f"vnd.openxmlformats-officedocument.drawing <d>{paragraph}</d>",
        chart1=f"vnd.openxmlformats-officedocument.drawingml.chart <d>{paragraph}</d>",
    )
    assert [one.source for one in read_document(data, "a.xlsx").segments] == ["Sales", "Sales"]


def test_a_box_without_text_is_copied_as_it_is() -> None:
    box = "<w:ins><w:r><w:rPr><w:b/></w:rPr></w:r></w:ins>"
    text = (
        f'<w:document xmlns:w="{W}"><w:p><w:r><w:t>Stop</w:t></w:r>{box}<w:r><w:t>here</w:t></w:r></w:p></w:document>'
    )
    data = packed(document=f"vnd.openxmlformats-officedocument.wordprocessingml.document.main {text}")
    document = read_document(data, "a.docx")
    (segment,) = document.segments
    filled = write_document(document, {segment.id: segment.source.replace("Stop", "Pare")})
    assert box in unpacked(filled, "document.xml")


def test_spaces_around_a_line_break_of_a_page_do_not_count() -> None:
    document = read_document(b"One line  \nand **another**\n", "a.md")
    (segment,) = document.segments
    target = "Una <g2>línea</g2> " + segment.tags[0] + " y otra"
    assert write_document(document, {segment.id: target}) == "Una **línea**   \n y otra\n".encode()


@pytest.mark.parametrize(
    ("text", "codes"),
    [
        ("%1$si rakendus", ["%1$s"]),
        ("%1$dkB of %2$ldMB", ["%1$d", "%2$ld"]),
        ("at %-I:%M %p, 50%off", ["%-I", "%M", "%p"]),
    ],
)
def test_a_numbered_place_ends_where_it_must_whatever_follows(text: str, codes: list[str]) -> None:
    assert [tag.shown for tag in read_codes(text).tags] == codes


@given(
    st.text("ab<", max_size=12), st.lists(st.text("ab<", min_size=1, max_size=3), min_size=1, max_size=4, unique=True)
)
def test_tags_are_found_as_by_a_regular_expression(text: str, tags: list[str]) -> None:
    source = Inline([Tag(shown, b"", "alone", shown, None) for shown in tags])
    parts = re.split(f"({'|'.join(map(re.escape, tags))})", text)
    found = [part if isinstance(part, str) else part.shown for part in split_target(source, text)]
    assert found == [part for part in parts if part]


def test_what_a_cell_shows_of_a_formula_or_a_date_is_left_alone() -> None:
    cell = "<table:table-cell {}><text:p>{}</text:p></table:table-cell>"
    cells = [
        cell.format('office:value-type="string"', "Some words"),
        cell.format('office:value-type="date" office:date-value="2026-03-02"', "Monday"),
        cell.format('office:value-type="string" table:formula="of:=[.A1]"', "Some words"),
    ]
    space = "urn:oasis:names:tc:opendocument:xmlns"
    names = " ".join(f'xmlns:{name}="{space}:{name}:1.0"' for name in ("office", "table", "text"))
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as archive:
        archive.writestr("mimetype", "application/vnd.oasis.opendocument.spreadsheet")
        archive.writestr("content.xml", f"<office:document-content {names}>{''.join(cells)}</office:document-content>")
    document = read_document(out.getvalue(), "a.ods")
    assert [one.source for one in document.segments] == ["Some words"]
    filled = write_document(document, {document.segments[0].id: "Unas palabras"})
    assert unpacked(filled, "content.xml").count("Some words") == 1


def spreadsheet(cells: str) -> bytes:
    space = "urn:oasis:names:tc:opendocument:xmlns"
    names = "".join(f' xmlns:{each}="{space}:{each}:1.0"' for each in ("office", "table", "text"))
    content = f"<office:document-content{names}><table:table><table:table-row>{cells}</table:table-row></table:table>"
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as archive:
        archive.writestr("mimetype", "application/vnd.oasis.opendocument.spreadsheet")
        archive.writestr("content.xml", f"{content}</office:document-content>")
    return out.getvalue()


def test_the_text_of_a_cell_may_be_in_an_attribute_alone() -> None:
    data = spreadsheet(
        '<table:table-cell office:value-type="string" office:string-value="Green &amp; red"/>'
        "<table:table-cell office:value-type='string' office:string-value='A \"blue\" lamp'></table:table-cell>"
        '<table:table-cell table:formula="=A1" office:value-type="string" office:string-value="Computed"/>'
    )
    document = read_document(data, "a.ods")
    assert [segment.source for segment in document.segments] == ["Green & red", 'A "blue" lamp']
    first, second = (segment.id for segment in document.segments)
    filled = write_document(document, {first: 'Verde "y" rojo & más', second: "Una lámpara 'azul'"})
    assert [segment.source for segment in read_document(filled, "a.ods").segments] == [
        'Verde "y" rojo & más',
        "Una lámpara 'azul'",
    ]
    one = unpacked(write_document(document, {first: "Verde"}), "content.xml")
    assert one == unpacked(data, "content.xml").replace("Green &amp; red", "Verde")


def test_an_attribute_that_overrides_a_changed_paragraph_is_removed() -> None:
    cell = (
        '<table:table-cell office:value-type="string" office:string-value="{0}"><text:p>{0}</text:p></table:table-cell>'
    )
    data = spreadsheet(cell.format("Green") + cell.format("Red"))
    document = read_document(data, "a.ods")
    assert [segment.source for segment in document.segments] == ["Green", "Red"]
    filled = unpacked(write_document(document, {document.segments[0].id: "Verde"}), "content.xml")
    assert filled == unpacked(data, "content.xml").replace(' office:string-value="Green"', "").replace("Green", "Verde")


def test_a_note_in_a_cell_that_is_computed_is_read() -> None:
    data = spreadsheet(
        '<table:table-cell office:value-type="float" office:value="1"><office:annotation><text:p>See below</text:p>'
        "</office:annotation><text:p>1 lamp</text:p></table:table-cell>"
    )
    assert [segment.source for segment in read_document(data, "a.ods").segments] == ["See below"]
