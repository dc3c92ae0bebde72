"""A document as a bilingual file for review outside: XLIFF, or a table of two columns as DOCX or HTML; and read back.

Whoever reviews changes the texts in the column of translations. What comes back is told by the number of each segment,
and taken only where its source is still the same.
"""

from __future__ import annotations

import re
import zipfile
from collections.abc import Callable, Iterable, Iterator
from html.parser import HTMLParser
from io import BytesIO
from typing import IO, Any, NamedTuple
from xml.sax.saxutils import escape, quoteattr

from dragoman.editor.document_store import Segment
from dragoman.editor.refusal import Refusal
from dragoman.extras import load
from dragoman.upstream.contract import Languages

LARGEST = 200_000_000  # bytes of a table, unpacked
BLOCK = 1 << 16  # characters of a page that are read at a time
STATES = {"new": "needs-translation", "translated": "needs-review-translation", "confirmed": "translated"}
W = "http://schemas.openxmlformats.org/wordprocessingml/2006/main"
XLIFF = "urn:oasis:names:tc:xliff:document:1.2"
_UNWRITABLE = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\ud800-\udfff\ufffe\uffff]")


class BilingualRow(NamedTuple):
    """A segment in a bilingual file."""

    number: int
    source: str
    target: str


def write(kind: str, name: str, languages: Languages, segments: Iterable[Segment]) -> bytes:
    """A document as "xlf", "html" or "docx"."""
    return WRITERS[kind](name, languages, segments)


def read(data: bytes, name: str) -> list[BilingualRow]:
    """The rows of a bilingual file, by the ending of its name."""
    ending = name.lower().rpartition(".")[2]
    reader = READERS.get(ending)
    if reader is None:
        raise Refusal(400, f"{name} is not a bilingual file", "send one that was exported here: .xlf, .html or .docx")
    try:
        rows = list(reader(data))
    except (ValueError, KeyError, SyntaxError, zipfile.BadZipFile) as error:
        raise Refusal(400, f"{name} cannot be read ({error})", "export it again, and change only texts") from None
    if not rows:
        raise Refusal(400, f"no segments in {name}", "send a file that was exported here")
    return rows


# ── XLIFF ────────────────────────────────────────────────────────────────────────────────────────────────────────────


def _text(text: str) -> str:
    return escape(_UNWRITABLE.sub("\ufffd", text))


def _write_xliff(name: str, languages: Languages, segments: Iterable[Segment]) -> bytes:
    units = "".join(
        f'<trans-unit id="{one.number}"{" approved=" + quoteattr("yes") if one.reviewer is not None else ""}'
        f'{" translate=" + quoteattr("no") if one.state == "locked" else ""} xml:space="preserve">'
        f'<source>{_text(one.source)}</source><target state="{STATES.get(one.state, "final")}">{_text(one.target)}'
        f"</target>{f'<note>{_text(one.note)}</note>' if one.note else ''}</trans-unit>\n"
        for one in segments
    )
    about = f"source-language={quoteattr(languages.source)} target-language={quoteattr(languages.target)}"
    head = f'<?xml version="1.0" encoding="UTF-8"?>\n<xliff version="1.2" xmlns="{XLIFF}">'
    file = f'<file original={quoteattr(_text(name))} {about} datatype="plaintext" tool-id="dragoman"><body>\n{units}'
    return f"{head}{file}</body></file></xliff>\n".encode()


def _read_xliff(data: bytes) -> Iterator[BilingualRow]:
    for unit in _elements(BytesIO(data), f"{{{XLIFF}}}trans-unit"):
        source, target = unit.find(f"{{{XLIFF}}}source"), unit.find(f"{{{XLIFF}}}target")
        if source is not None:
            yield BilingualRow(int(unit.get("id", "0")), _all_text(source), "" if target is None else _all_text(target))


def _elements(file: IO[bytes], name: str) -> Iterator[Any]:
    """The elements of a name in a file of XML, one after the other; what was looked at is forgotten."""
    for _, element in load("defusedxml.ElementTree", "server").iterparse(file):
        if element.tag == name:
            yield element
            element.clear()


def _all_text(element: Any) -> str:
    return "".join(element.itertext())


# ── A table as a web page ────────────────────────────────────────────────────────────────────────────────────────────

STYLE = (
    "body{font:16px/1.5 sans-serif;margin:2rem}table{border-collapse:collapse;width:100%;table-layout:fixed}"
    "td,th{border:1px solid #bbb;padding:.4rem .6rem;vertical-align:top;text-align:start;white-space:pre-wrap}"
    "th:first-child,td:first-child{width:3.5rem}th:last-child,td:last-child{width:7rem}"
)


def _write_html(name: str, languages: Languages, segments: Iterable[Segment]) -> bytes:
    rows = "\n".join(
        f"<tr><td>{one.number}</td><td lang={quoteattr(languages.source)}>{_text(one.source)}</td>"
        f'<td lang={quoteattr(languages.target)} contenteditable="true">{_text(one.target)}</td>'
        f"<td>{_state(one)}</td></tr>"
        for one in segments
    )
    head = (
        f'<!doctype html>\n<html><head><meta charset="utf-8"><title>{_text(name)}</title><style>{STYLE}</style></head>'
    )
    titles = "<tr><th>No.</th><th>Source</th><th>Translation</th><th>State</th></tr>"
    body = (
        f"<body><h1>{_text(name)}</h1><table><thead>{titles}</thead><tbody>\n{rows}\n</tbody></table></body></html>\n"
    )
    return (head + body).encode()


def _state(segment: Segment) -> str:
    names = {"new": "new", "translated": "draft", "confirmed": "confirmed", "locked": "locked"}
    return "approved" if segment.reviewer is not None else names[segment.state]


class _Table(HTMLParser):
    """The cells of all rows of a page."""

    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.rows: list[list[str]] = []
        self._open = False

    def handle_starttag(self, tag: str, attrs: object) -> None:  # noqa: ARG002
        if tag == "tr":
            self.rows.append([])
        elif tag == "td" and self.rows:
            self.rows[-1].append("")
            self._open = True
        elif tag in ("br", "div", "p") and self._open and self.rows[-1][-1]:
            self.rows[-1][-1] += "\n"

    def handle_endtag(self, tag: str) -> None:
        if tag == "td":
            self._open = False

    def handle_data(self, data: str) -> None:
        if self._open:
            self.rows[-1][-1] += data


def _read_html(data: bytes) -> Iterator[BilingualRow]:
    table, text = _Table(), data.decode("utf-8-sig")
    for at in range(0, len(text), BLOCK):
        table.feed(text[at : at + BLOCK])
        yield from _rows(table.rows[:-1])
        del table.rows[:-1]
    yield from _rows(table.rows)


def _rows(rows: Iterable[list[str]]) -> Iterator[BilingualRow]:
    for cells in rows:
        if len(cells) >= 3 and cells[0].strip().isdecimal():
            yield BilingualRow(int(cells[0]), cells[1], cells[2])


# ── A table for Word ─────────────────────────────────────────────────────────────────────────────────────────────────

TYPES = (
    '<?xml version="1.0" encoding="UTF-8"?><Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types">'
    '<Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/>'
    '<Override PartName="/word/document.xml"'
    ' ContentType="application/vnd.openxmlformats-officedocument.wordprocessingml.document.main+xml"/></Types>'
)
RELATIONS = (
    '<?xml version="1.0" encoding="UTF-8"?>'
    '<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships"><Relationship Id="r1"'
    ' Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/officeDocument"'
    ' Target="word/document.xml"/></Relationships>'
)
BORDERS = "".join(
    f'<w:{side} w:val="single" w:sz="4" w:space="0" w:color="BBBBBB"/>'
    for side in ("top", "left", "bottom", "right", "insideH", "insideV")
)
WIDTHS = (700, 4300, 4300, 1100)  # twentieths of a point


def _write_docx(name: str, languages: Languages, segments: Iterable[Segment]) -> bytes:
    cells = [("No.", "Source", "Translation", "State")]
    cells += [(str(one.number), one.source, one.target, _state(one)) for one in segments]
    tongues = (languages.source, languages.source, languages.target, languages.source)
    rows = "".join(
        f"<w:tr>{''.join(_cell(*each) for each in zip(row, WIDTHS, tongues, strict=True))}</w:tr>" for row in cells
    )
    grid = "".join(f'<w:gridCol w:w="{width}"/>' for width in WIDTHS)
    table = f'<w:tbl><w:tblPr><w:tblW w:w="0" w:type="auto"/><w:tblBorders>{BORDERS}</w:tblBorders></w:tblPr>'
    page = '<w:sectPr><w:pgSz w:w="11906" w:h="16838"/><w:pgMar w:top="720" w:right="720" w:bottom="720" w:left="720"/>'
    body = f"<w:p>{_run(name)}</w:p>{table}<w:tblGrid>{grid}</w:tblGrid>{rows}</w:tbl><w:p/>{page}</w:sectPr>"
    document = f'<?xml version="1.0" encoding="UTF-8"?><w:document xmlns:w="{W}"><w:body>{body}</w:body></w:document>'
    made = BytesIO()
    with zipfile.ZipFile(made, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("[Content_Types].xml", TYPES)
        archive.writestr("_rels/.rels", RELATIONS)
        archive.writestr("word/document.xml", document)
    return made.getvalue()


def _cell(text: str, width: int, language: str) -> str:
    return f'<w:tc><w:tcPr><w:tcW w:w="{width}" w:type="dxa"/></w:tcPr><w:p>{_run(text, language)}</w:p></w:tc>'


def _run(text: str, language: str = "") -> str:
    about = f"<w:rPr><w:lang w:val={quoteattr(language)}/></w:rPr>" if language else ""
    parts = re.split("([\n\t])", text)
    marks = {"\n": "<w:br/>", "\t": "<w:tab/>"}
    made = "".join(marks.get(part) or f'<w:t xml:space="preserve">{_text(part)}</w:t>' for part in parts if part)
    return f"<w:r>{about}{made}</w:r>"


def _read_docx(data: bytes) -> Iterator[BilingualRow]:
    with zipfile.ZipFile(BytesIO(data)) as archive:
        if archive.getinfo("word/document.xml").file_size > LARGEST:
            raise ValueError("it is too large")
        with archive.open("word/document.xml") as file:
            for row in _elements(file, f"{{{W}}}tr"):
                yield from _rows([[_paragraphs(cell) for cell in row.findall(f"{{{W}}}tc")]])


def _paragraphs(cell: Any) -> str:
    return "\n".join(_paragraph(each) for each in cell.iter(f"{{{W}}}p"))


def _paragraph(paragraph: Any) -> str:
    """Its text; what somebody has deleted with changes tracked is in other elements, and left out."""
    marks = {f"{{{W}}}br": "\n", f"{{{W}}}cr": "\n", f"{{{W}}}tab": "\t"}
    found = (each.text or "" if each.tag == f"{{{W}}}t" else marks.get(each.tag, "") for each in paragraph.iter())
    return "".join(found)


WRITERS: dict[str, Callable[[str, Languages, Iterable[Segment]], bytes]] = {
    "xlf": _write_xliff,
    "html": _write_html,
    "docx": _write_docx,
}
READERS: dict[str, Callable[[bytes], Iterator[BilingualRow]]] = {
    "xlf": _read_xliff,
    "xliff": _read_xliff,
    "html": _read_html,
    "htm": _read_html,
    "docx": _read_docx,
}
