"""Nothing in a document is trusted."""

from __future__ import annotations

import socket
import time
import zipfile
from contextlib import suppress
from io import BytesIO
from pathlib import Path

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from dragoman.errors import BadInputError
from dragoman.formats import contents, read_document, write_document

DATA = Path(__file__).parent / "data"
XLIFF = (
    '<xliff version="1.2"><file source-language="en"><body><trans-unit id="1"><source>{}</source></trans-unit>'
    "</body></file></xliff>"
)
LAUGHS = "".join(f'<!ENTITY l{n} "{f"&l{n - 1};" * 10}">' for n in range(1, 10))


def refusal(data: bytes | str, name: str = "x.xlf") -> str:
    with pytest.raises(BadInputError) as refused:
        read_document(data.encode() if isinstance(data, str) else data, name)
    assert refused.value.where == name
    assert refused.value.remedy
    return str(refused.value)


@pytest.mark.parametrize(
    "declaration",
    [
        f'[<!ENTITY l0 "lol">{LAUGHS}]',
        '[<!ENTITY l9 SYSTEM "file:///etc/passwd">]',
        '[<!ENTITY % l9 SYSTEM "http://127.0.0.1/x.dtd"> %l9;]',
        '[<!ATTLIST source id CDATA "x">]',
        'SYSTEM "http://127.0.0.1/x.dtd" [<!ENTITY l9 "x">]',
    ],
)
def test_declarations_are_refused(declaration: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(socket, "socket", None)  # whoever called out would fail otherwise than expected
    said = refusal(f"<!DOCTYPE xliff {declaration}>" + XLIFF.format("&l9;"))
    assert "line 1 has declarations" in said


def test_an_entity_from_elsewhere_is_refused_and_not_fetched() -> None:
    doctype = '<!DOCTYPE xliff PUBLIC "-//XLIFF//DTD XLIFF//EN" "http://127.0.0.1/xliff.dtd">\n'
    assert "line 2 uses an entity that is not XML's own" in refusal(doctype + XLIFF.format("&unknown;"))
    harmless = (doctype + XLIFF.format("a&#38;b&lt;")).encode()
    assert read_document(harmless, "x.xlf").segments[0].source == "a&b<"


def test_depth_is_limited() -> None:
    assert "line 1 has more than 200 elements" in refusal(XLIFF.format("<g id='1'>" * 1000 + "</g>" * 1000))
    fine = XLIFF.format('<g id="1">' * 150 + "x" + "</g>" * 150).encode()
    document = read_document(fine, "x.xlf")
    assert write_document(document, {"1": document.segments[0].source}).count(b"<g") == 300


def test_size_is_limited(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(contents, "LARGEST", 100)
    assert "split it" in refusal(XLIFF.format("x" * 100))


def test_a_file_that_grows_over_the_limit_by_its_targets_is_written(monkeypatch: pytest.MonkeyPatch) -> None:
    data = XLIFF.format("x" * 100).encode()
    monkeypatch.setattr(contents, "LARGEST", len(data))
    document = read_document(data, "a.xlf")
    assert len(write_document(document, {"1": "y" * 100})) > len(data)


def test_packed_files_are_refused() -> None:
    packed = BytesIO()
    with zipfile.ZipFile(packed, "w") as archive:
        archive.writestr("x.xlf", XLIFF.format("a"))
    assert "extract it first" in refusal(packed.getvalue())
    assert "extract it first" in refusal(b"\x1f\x8b\x08\x00", "x.tmx")
    assert "extract it first" in refusal(b"PK\x03\x04", "x.txt")


def test_paths_in_a_document_are_not_followed(monkeypatch: pytest.MonkeyPatch) -> None:
    data = {file: file.read_bytes() for file in (DATA / "manual.xlf", DATA / "manual2.xlf")}
    monkeypatch.setattr("builtins.open", None)
    monkeypatch.setattr(Path, "open", None)
    for file, each in data.items():
        read_document(each, file.name)


@pytest.mark.parametrize(
    ("data", "said"),
    [
        ('<?xml version="1.0"?>\n<xliff version="1.2">\n<file>', "line 3 is not well-formed XML (no element found)"),
        ("", "not well-formed"),
        ("not XML", "line 1 is not well-formed"),
        ("<html><body/></html>", "the root is <html>; use XLIFF"),
        ('<xliff version="3.0"/>', "the root is <xliff> of version 3.0"),
        (XLIFF.format("a\x01"), "line 1 is not well-formed XML (not well-formed (invalid token))"),
        (XLIFF.format("<q:x/>"), "unbound prefix"),
        ('<?xml version="1.0" encoding="utf-7"?>' + XLIFF, "unknown encoding 'utf-7'"),
        ('<?xml version="1.0" encoding="hex"?>' + XLIFF, "unknown encoding 'hex'"),
        (b'<?xml version="1.0"?>\n<xliff>\xff', "line 2 is not utf-8 (byte 0xFF); convert it"),
        (b"\xff\xfe<\x00x", "line 1 is not"),
    ],
)
def test_damaged_documents(data: bytes | str, said: str) -> None:
    assert said in refusal(data)


def test_unknown_kinds() -> None:
    assert "use .xlf, .xliff" in refusal(b"x", "x.exe")
    assert "use .xlf, .xliff" in refusal(b"x", "../../noname")


@pytest.mark.parametrize("name", ["manual.xlf", "manual2.xlf", "memory.tmx", "es.po", "words.tsv", "page.txt"])
@given(st.integers(0, 4000), st.binary(max_size=4), st.integers(0, 40))
@example(1000, b"", 4000)
@settings(deadline=None, max_examples=60)
def test_a_damaged_file_is_read_or_refused_and_nothing_else(name: str, place: int, junk: bytes, lost: int) -> None:
    data = (DATA / name).read_bytes()
    damaged = data[:place] + junk + data[place + lost :]
    try:
        document = read_document(damaged, name, source="en", target="es")
    except BadInputError:
        return
    assert write_document(document, {}) == damaged


def test_a_text_of_many_megabytes_in_one_piece_is_refused_clearly() -> None:
    data = b'{"title": "My page", "text": "' + b"some words " * 200_000 + b'"}'
    with pytest.raises(BadInputError, match=r"a text of 2\.2 million characters in one piece \(text\)"):
        read_document(data, "a.json")


def test_data_in_a_string_is_no_text() -> None:
    data = b'{"title": "My page", "picture": "' + b"iVBORw0KGgo" * 200_000 + b'"}'
    assert [one.source for one in read_document(data, "a.json").segments] == ["My page"]


def test_the_number_of_texts_is_limited(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("dragoman.formats.piece_document.MOST_PIECES", 3)
    read_document(b'{"a": "a a", "b": "b b", "c": "c c"}', "a.json")
    with pytest.raises(BadInputError, match="has more than 3 texts"):
        read_document(b'{"a": "a a", "b": "b b", "c": "c c", "d": "d d"}', "a.json")


SLOW = [
    ("a.html", "<b>" * 10_000 + "a word" + "</b>" * 10_000),
    ("a.md", "<b>" * 10_000 + "a word" + "</b>" * 10_000),
    ("a.md", "`" * 45_000),
    ("a.md", "` " * 22_500),
    ("a.rst", "`" * 45_000),
    *(("a.adoc", f"a {sign}" * 15_000) for sign in ("`", "+++", "pass:[", "((", "[[", "a::", "link:a[", "*")),
    *(
        ("a.tex", f"a {sign}" * 15_000)
        for sign in ("$", "{", "\\(", "\\verb|", "\\begin{verbatim}", "\\a[", "\\section{", "%")
    ),
    ("a.html", "<!--" * 200_000),
    ("a.md", "<!--" * 200_000),
    ("a.html", "{{" * 50_000),
    ("a.md", "[a](" * 11_000),
]


@pytest.mark.parametrize(("name", "text"), SLOW, ids=[f"{name}-{text[:8]}" for name, text in SLOW])
def test_time_grows_with_the_size_and_not_with_its_square(name: str, text: str) -> None:
    begun = time.process_time()
    with suppress(BadInputError):  # nested too deeply
        read_document(text.encode(), name)
    assert time.process_time() - begun < 20  # it takes a second at most; the square would be a minute or more
