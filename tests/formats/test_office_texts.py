"""Texts of office files that are no paragraphs, and texts that other programs hide."""

from __future__ import annotations

import zipfile
from io import BytesIO

import pytest

from dragoman.formats import read_document
from tests.formats.samples import TYPES, A, S, W, pack

C = "http://schemas.openxmlformats.org/drawingml/2006/chart"
P = "http://schemas.openxmlformats.org/presentationml/2006/main"
WP = "http://schemas.openxmlformats.org/drawingml/2006/wordprocessingDrawing"
SVG = "urn:oasis:names:tc:opendocument:xmlns:svg-compatible:1.0"
TEXT = "urn:oasis:names:tc:opendocument:xmlns:text:1.0"


def office(**parts: tuple[str, str]) -> bytes:
    """A file of parts, named by their paths with underscores: type, and contents."""
    rows = "".join(
        f'<Override PartName="/{name.replace("__", "/")}.xml" ContentType="{TYPES}{kind}+xml"/>'
        for name, (kind, _) in parts.items()
    )
    types = f'<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types">{rows}</Types>'
    texts = {f"{name.replace('__', '/')}.xml": text for name, (_, text) in parts.items()}
    return pack({"[Content_Types].xml": types, **texts})


def paragraph(text: str) -> str:
    return f"<a:p><a:r><a:t>{text}</a:t></a:r></a:p>"


DOCX = office(
    word__document=(
        "wordprocessingml.document.main",
        f'<w:document xmlns:w="{W}" xmlns:wp="{WP}"><w:body><w:p><w:r><w:t>See the boat</w:t></w:r><w:r><w:drawing>'
        '<wp:docPr id="1" name="Picture 1" title="Boat" descr="A boat &amp; &quot;oars&quot;"/></w:drawing></w:r></w:p>'
        '<w:p><w:r><w:instrText> XE "</w:instrText></w:r><w:r><w:instrText>Boats &amp; more</w:instrText></w:r><w:r>'
        '<w:instrText>" </w:instrText></w:r><w:r><w:t>Index</w:t></w:r><w:r><w:instrText>XE &quot;Oars&quot; \\b'
        "</w:instrText></w:r><w:r><w:instrText> REF x </w:instrText></w:r></w:p></w:body></w:document>",
    )
)
XLSX = office(
    xl__charts__chart1=(
        "drawingml.chart",
        f'<c:chartSpace xmlns:c="{C}" xmlns:a="{A}"><c:title>{paragraph("Sales")}</c:title><c:cat><c:strRef>'
        '<c:f>S!A1</c:f><c:strCache><c:pt idx="0"><c:v>First year</c:v></c:pt></c:strCache></c:strRef></c:cat>'
        "</c:chartSpace>",
    ),
    xl__worksheets__sheet1=(
        "spreadsheetml.worksheet",
        f'<worksheet xmlns="{S}"><sheetData><row><c r="A1" t="str"><v>Not made &amp; kept</v></c><c r="A2" t="str">'
        "<f>A1</f><v>Made by a formula</v></c></row></sheetData><headerFooter><oddHeader>&amp;LLeft&amp;C"
        '&amp;"Arial,Bold"R&amp;&amp;D in short</oddHeader><oddFooter>&amp;CPage &amp;P of &amp;N</oddFooter>'
        "</headerFooter></worksheet>",
    ),
)
PPTX = office(
    ppt__slides__slide1=(
        "presentationml.slide",
        f'<p:sld xmlns:p="{P}" xmlns:a="{A}"><p:cNvPr id="1" name="Pic" descr="A boat"/>{paragraph("A slide")}</p:sld>',
    ),
    ppt__slideMasters__slideMaster1=(
        "presentationml.slideMaster",
        f'<p:sldMaster xmlns:p="{P}" xmlns:a="{A}"><p:sp><p:nvPr><p:ph type="title"/></p:nvPr>{paragraph("Click here")}'
        f"</p:sp><p:sp><p:nvPr/>{paragraph('Our company')}</p:sp></p:sldMaster>",
    ),
    ppt__comments__comment1=(
        "presentationml.comments",
        f'<p:cmLst xmlns:p="{P}"><p:cm><p:text>Why?</p:text></p:cm></p:cmLst>',
    ),
)
ODT = pack(
    {
        "mimetype": "application/vnd.oasis.opendocument.text",
        "content.xml": f'<o:document-content xmlns:o="urn:o" xmlns:text="{TEXT}" xmlns:svg="{SVG}"><text:p>A text'
        "<o:frame><svg:title>Boat</svg:title><svg:desc>A boat and oars</svg:desc></o:frame>"
        "<text:alphabetical-index-mark "
        'text:string-value="Index entry"/></text:p></o:document-content>',
    }
)
FILES = {
    "a.docx": (DOCX, ['A boat & "oars"', "Boat", "See the boat", "Boats & more", "Oars", "Index"]),
    "a.xlsx": (XLSX, ["Sales", "First year", "Not made & kept", "Left", "R&D in short", "Page <x2/> of <x3/>"]),
    "a.pptx": (PPTX, ["Why?", "Our company", "A boat", "A slide"]),
    "a.odt": (ODT, ["Boat", "A boat and oars", "Index entry", "A text"]),
}


@pytest.mark.parametrize("name", FILES)
def test_all_that_people_read_is_found(name: str) -> None:
    data, found = FILES[name]
    document = read_document(data, name)
    assert [one.source for one in document.segments] == found
    assert document.fill({}) == data


@pytest.mark.parametrize("name", FILES)
@pytest.mark.parametrize("more", [" é", " & <b>", " ‘x’", " it's \\"])
def test_what_is_written_there_is_read_back(name: str, more: str) -> None:
    data, _ = FILES[name]
    document = read_document(data, name)
    targets = {one.id: one.source.replace("o", "O") + more for one in document.segments}
    again = read_document(document.fill(targets), name)
    kept = [one.source.replace("”", '"') for one in again.segments]
    assert kept == list(targets.values())


def test_what_a_formula_made_and_the_names_of_pictures_stay() -> None:
    document = read_document(XLSX, "a.xlsx")
    written = document.fill({one.id: one.source.upper().replace("<X", "<x") for one in document.segments})
    with zipfile.ZipFile(BytesIO(written)) as archive:
        sheet = archive.read("xl/worksheets/sheet1.xml").decode()
    assert "<f>A1</f><v>Made by a formula</v>" in sheet
    assert '<oddHeader>&amp;LLEFT&amp;C&amp;"Arial,Bold"R&amp;&amp;D IN SHORT</oddHeader>' in sheet
    assert "<oddFooter>&amp;CPAGE &amp;P OF &amp;N</oddFooter>" in sheet
