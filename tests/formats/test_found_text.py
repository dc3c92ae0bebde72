"""Texts that are easily overlooked in files of programs and offices."""

from __future__ import annotations

import pytest

from dragoman.formats import read_document
from tests.formats.samples import DOCX, pack

RESW = (
    '<?xml version="1.0"?>\n<root><data name="Cut.AutomationProperties.Name"><value>Cut it</value></data>'
    '<data name="Open.Name"><value>Open it</value></data><data name="&gt;&gt;x.Name"><value>x one</value></data></root>'
)


def sources(data: bytes, name: str) -> list[str]:
    return [segment.source for segment in read_document(data, name).segments]


def test_names_are_text_in_apps_but_not_in_designed_forms() -> None:
    assert sources(RESW.encode(), "a.resw") == ["Cut it", "Open it"]
    designed = RESW.replace("AutomationProperties.", "")
    assert sources(designed.encode(), "a.resx") == []


def test_the_type_of_a_part_may_be_that_of_its_ending() -> None:
    kind = "application/vnd.openxmlformats-officedocument.wordprocessingml.document.main+xml"
    table = (
        '<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types">'
        f'<Default Extension="xml" ContentType="{kind}"/></Types>'
    )
    files = {name: text for name, text in DOCX.items() if name in ("word/document.xml", "_rels/.rels")}
    found = sources(pack({"[Content_Types].xml": table, **files}), "a.docx")
    assert found
    assert set(found) <= set(sources(pack(DOCX), "a.docx"))


def test_messages_with_line_endings_of_windows_keep_them() -> None:
    data = b"hello = Hello { $name }\r\nbye =\r\n    One\r\n    two\r\n"
    document = read_document(data, "a.ftl")
    assert document.segments[0].source == "Hello { $name }"
    written = document.fill({document.segments[0].id: "Hola { $name }"})
    assert written == data.replace(b"Hello {", b"Hola {")
    assert document.fill({}) == data


@pytest.mark.parametrize(
    ("text", "encoding", "seen"),
    [
        ("Déjà vu — “yes”", "cp1252", "cp1252"),
        ("你好世界，你叫什么名字？我很好。", "gb2312", "gb18030"),
        ("Привет, мир. Как дела?", "cp1251", "cp1251"),
        ("こんにちは、おげんきですか。", "euc_jp", "euc_jp"),
        ("Hello there, you", "utf-16-le", "utf-16-le"),
        ("Hello there, you", "utf-16-be", "utf-16-be"),
    ],
)
def test_subtitles_that_do_not_state_their_encoding_are_read(text: str, encoding: str, seen: str) -> None:
    cue = "1\n00:00:01,000 --> 00:00:09,000\n{}\n"
    data = cue.format(text).encode(encoding)
    document = read_document(data, "a.srt", sentences=False)
    assert document.segments[0].source == text
    assert seen in document.warnings[0]
    assert document.fill({}) == data
    assert document.fill({"1": text + " a"}) == cue.format(text + " a").encode(encoding)
    if encoding == "cp1252":
        assert document.fill({"1": "水"}) == b"\xef\xbb\xbf" + cue.format("水").encode()


def test_pages_are_in_the_encoding_that_browsers_take_them_for() -> None:
    head = b'<html><head><meta charset="iso-8859-1"></head><body><p>'
    data = head + "It’s “new”".encode("cp1252") + b"</p></body></html>"
    document = read_document(data, "a.html", sentences=False)
    assert [one.source for one in document.segments] == ["It’s “new”"]
    assert document.fill({"1": "Ça y est…"}) == head + "Ça y est…".encode("cp1252") + b"</p></body></html>"
    odd = head + b"A\x81b c</p>"  # not in Windows' encoding
    assert read_document(odd, "a.html").fill({}) == odd


def test_tags_and_anchors_of_yaml_stay_before_their_strings() -> None:
    text = "a: ! 'some text'\nb: !mine other text\nc: !!str third text\nd: &x fourth text\ne: *x\nf: &y |\n  a block\n"
    document = read_document(text.encode(), "a.yml")
    sources = [one.source for one in document.segments]
    assert sources == ["some text", "third text", "fourth text", "a block"]
    written = document.fill({one.id: one.source.upper() for one in document.segments}).decode()
    for source in sources:
        text = text.replace(source, source.upper())
    assert written == text


@pytest.mark.parametrize("html", ["b", "h:em"])
def test_elements_of_html_in_xliff_do_not_swallow_their_words(html: str) -> None:
    text = (
        '<xliff version="1.2" xmlns:h="http://www.w3.org/1999/xhtml">'
        '<file source-language="en" target-language="es"><body>'
        f'<trans-unit id="1"><source>Press <{html}>the button</{html}> now<br/></source></trans-unit>'
        "</body></file></xliff>"
    )
    document = read_document(text.encode(), "a.xlf")
    assert document.segments[0].source == f"Press <{html}>the button</{html}> now<br/>"
    written = document.fill({"1": f"Pulse ya <{html}>el botón</{html}><br/>"}).decode()
    assert f">Pulse ya <{html}>el botón</{html}><br/></target>" in written
