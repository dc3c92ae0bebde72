"""Files that their translation replaces: what is in a segment, and how it is written."""

from __future__ import annotations

import pytest

from dragoman.errors import BadInputError
from dragoman.formats import Document, read_document, write_document
from dragoman.formats.piece_document import PieceDocument
from tests.formats.samples import TARGETS, TEXTS


def read(name: str, text: str | None = None) -> Document:
    data = (TEXTS | TARGETS)[name] if text is None else text
    return read_document(data.encode(), name, source="en", target="es")


@pytest.mark.parametrize(
    ("name", "segment", "target", "old", "new"),
    [
        ("page.html", "1", "Mi <página>", ">My page<", ">Mi &lt;página&gt;<"),
        ("page.html", "2", 'Sobre "eso"', "About &quot;it&quot;", "Sobre &quot;eso&quot;"),
        ("page.html", "4", "Truco", 'title="Tip"', 'title="Truco"'),
        ("page.md", "front/title", "Mi: página", "title: My page", 'title: "Mi: página"'),
        ("page.md", "5", "<x1/> Punto", "Item `x`", "`x` Punto"),
        ("page.md", "4", "# Uno", "Item one\n   more", "\\# Uno"),
        ("page.md", "8", "a | b", "cell one", "a \\| b"),
        ("film.srt", "2", "- Sí.\n- No.", "- Hi.\n- Hello.", "- Sí.\n- No."),
        ("film.vtt", "1", "Hola.", "<v Ann>Hello there.</v>", "<v Ann>Hola.</v>"),
        ("en.json", "menu.n_one", "{{count}} archivo", "{{count}} file", "{{count}} archivo"),
        ("en.json", "icu/other", "# en {dir}", "# files in {dir}", "# en {dir}"),
        ("messages.json", "a", "Hola $1", "Hello $1", "Hola $1"),
        ("en.yml", "quoted", 'Un "b"', '"A \\"b\\""', '"Un \\"b\\""'),
        ("en.yml", "single", "Es 'eso'", "'It''s'", "'Es ''eso'''"),
        ("en.yml", "list.0", "Uno: dos", "- One", '- "Uno: dos"'),
        ("en.yml", "list.1", "dos palabras", "two words", "dos palabras"),
        ("en.yml", "flow.a", "Un texto", "{a: Some text", '{a: "Un texto"'),
        ("en.yml", "block", "Uno\n\ndos", "    Line one\n    line two\n", "    Uno\n\n    dos\n"),
        ("strings.xml", "a", "L'<b>x</b> & %1$s", "It\\'s <b>bold</b> %1$s", "L\\'<b>x</b> &amp; %1$s"),
        ("strings.xml", "c", "<b>Un</b> l'x", "[CDATA[<b>Bold</b> text]]", "[CDATA[<b>Un</b> l\\'x]]"),
        ("strings.xml", "p/other", "%d archivos", "%d files", "%d archivos"),
        ("strings.xml", "s/0", "@Primero", ">First<", ">\\@Primero<"),
        ("Localizable.strings", "title", 'Hola "%@"', 'Hello %@\\n\\"x\\"', 'Hola \\"%@\\"'),
        ("messages.properties", "hi", "L'{0}", "Hello {0}, it''s \\\n   wrapped", "L''{0}"),
        ("messages.properties", "key b", "Ñ", "Caf\\u00e9", "\\u00d1"),
        ("r.resx", "A", "Hola <{0}>", "Hello {0} &amp; you", "Hola &lt;{0}&gt;"),
        ("main.ftl", "hi", "{ $name }, hola", "Hello { $name }, welcome", "{ $name }, hola"),
        ("main.ftl", "multi", "Uno\ndos", "    Line one\n    line two", "    Uno\n    dos"),
        ("table.csv", "a", 'Hola, "tú"', '"Hello, you",,', '"Hello, you","Hola, ""tú""",'),
        ("app.ts", "1", "Hola", 'type="unfinished"></translation>', 'type="unfinished">Hola</translation>'),
    ],
)
def test_a_target_is_written_as_the_format_wants_it(name: str, segment: str, target: str, old: str, new: str) -> None:
    text = (TEXTS | TARGETS)[name]
    assert old in text
    document = read(name)
    tags = {tag for one in document.segments if one.id == segment for tag in one.tags}
    target = target.replace("<x1/>", next(iter(tags), "<x1/>"))
    written = write_document(document, {segment: target}).decode()
    for language in ('html lang="es"', "es:\n", '"@@locale": "es"'):
        written = written.replace(language, language.replace("es", "en"), 1) if name != "app.ts" else written
    assert written == text.replace(old, new, 1)


def test_an_attribute_of_the_next_block_is_written_together_with_the_text_before_it() -> None:
    document = read("page.html", '<body>Text <img alt="An image"><p title="Tip">More text</p></body>')
    targets = {one.id: f"{one.source} now" for one in document.segments}
    written = write_document(document, targets).decode()
    assert written == '<body>Text now <img alt="An image now"><p title="Tip now">More text now</p></body>'


def test_a_translation_without_placeholders_is_refused() -> None:
    for name, segment, target in (
        ("en.json", "menu.open", "Abrir"),
        ("strings.xml", "g", "Hola"),
        ("main.ftl", "hi", "Hola"),
    ):
        with pytest.raises(BadInputError, match="lacks"):
            write_document(read(name), {segment: target})


def test_braces_that_would_be_read_as_arguments_are_refused() -> None:
    for name, segment in (("en.json", "menu.list.0"), ("main.ftl", "-brand")):
        with pytest.raises(BadInputError, match="has a"):
            write_document(read(name), {segment: "a {b"})


def test_notes_and_contexts_come_with_the_segments() -> None:
    notes = {
        "app.arb": "a greeting", "messages.json": "greets", "Localizable.strings": "Title", "r.resx": "note",
        "messages.properties": "note", "main.ftl": "note", "table.csv": "note",
    }  # fmt: skip
    assert {name: read(name).segments[0].note for name in notes} == notes
    assert [one.context for one in read("page.html").segments][:3] == ["title", "@content", "h1"]


def test_subtitles_say_how_much_can_be_read_in_their_time() -> None:
    assert [one.limit for one in read("film.srt").segments] == [80, 20]


def test_a_cue_must_not_be_left_without_text() -> None:
    with pytest.raises(BadInputError, match="leaves a cue without text"):
        write_document(read("film.srt"), {"1": "Una frase <i>larga</i>. <cue1/>"})


def test_new_languages_are_added_to_a_catalogue() -> None:
    document = read("L.xcstrings")
    assert [(one.id, one.state) for one in document.segments] == [
        ("Hello", "new"),
        ("Bye %@", "new"),
        ("Done", "translated"),
        ("%d cups/one", "new"),
        ("%d cups/many", "new"),
    ]
    written = write_document(document, {"Hello": "Hola", "Bye %@": ("Adiós %@", "confirmed")})
    again = read("L.xcstrings", written.decode())
    assert {one.id: (one.target, one.state) for one in again.segments} == {
        "Hello": ("Hola", "translated"), "Bye %@": ("Adiós %@", "confirmed"), "Done": ("Hecho", "translated"),
        "%d cups/one": ("", "new"), "%d cups/many": ("", "new"),
    }  # fmt: skip


def test_plural_forms_of_a_catalogue_are_segments_where_the_target_has_them() -> None:
    document = read("L.xcstrings")
    assert [one.source for one in document.segments[3:]] == ["%d cup", "%d cups"]
    again = read("L.xcstrings", write_document(document, {"%d cups/many": "%d tazas"}).decode())
    assert [one.target for one in again.segments[3:]] == ["", "%d tazas"]
    assert document.warnings == [
        "strings with plural or device forms that are left out: 1; add es to them in Xcode first",
    ]


def test_plural_forms_of_a_property_list_are_segments() -> None:
    document = read("Localizable.stringsdict")
    assert [(one.id, one.source) for one in document.segments] == [
        ("%d files left/NSStringLocalizedFormatKey", "There %#@files@ left"),
        ("%d files left/files/one", "is %d file"),
        ("%d files left/files/other", "are %d files & more"),
    ]
    assert document.segments[0].tags == ["%#@files@"]
    with pytest.raises(BadInputError, match="lacks %d"):
        write_document(document, {"%d files left/files/one": "hay un archivo"})


@pytest.mark.parametrize(
    ("name", "text", "said"),
    [
        ("a.json", '{"a": }', "line 1 is not JSON"),
        ("a.json", "[" * 100_000, "nested too deeply"),
        ("a.yml", "a: [b", "is not YAML"),
        ("a.strings", '"a" = "b"', "line 1 is neither a comment"),
        ("a.ftl", "= x\n", "line 1 is not Fluent"),
        ("a.vtt", "x", "does not begin with WEBVTT"),
        ("a.srt", "just text", "has no cues"),
        ("a.csv", "a,b\n1,2\n", "names no column 'source' or 'en'"),
        ("a.csv", 'source,target\n"a"b,c\n', "line 2 has a quotation mark"),
        ("a.xcstrings", "{}", "has no sourceLanguage"),
        ("strings.xml", "<resources><string>", "not well-formed"),
    ],
)
def test_what_cannot_be_read_is_refused_with_its_place(name: str, text: str, said: str) -> None:
    with pytest.raises(BadInputError) as refused:
        read(name, text)
    assert said in str(refused.value)


def test_notes_and_limits_of_translation_tools_come_with_the_segments() -> None:
    xliff = (
        '<xliff version="1.2"><file><body><trans-unit id="a" maxwidth="20" size-unit="char"><source>Stop</source>'
        "<note>on a button</note></trans-unit></body></file></xliff>"
    )
    po = '#. on a button\nmsgctxt "menu"\nmsgid "Stop"\nmsgstr ""\n'
    for name, text in (("a.xlf", xliff), ("a.po", po)):
        assert read(name, text).segments[0].note == "on a button"
    assert read("a.xlf", xliff).segments[0].limit == 20
    assert read("a.po", po).segments[0].context == "menu"


@pytest.mark.parametrize("first", ["keys", ""])
def test_the_first_two_languages_of_a_table_count_where_nobody_says_which(first: str) -> None:
    document = read_document(f"{first},en,pt_BR,one\nGREETING,Hello,,x\n".encode(), "a.csv")
    assert [(one.id, one.source, one.target) for one in document.segments] == [("GREETING", "Hello", "")]
    filled = write_document(document, {"GREETING": "Olá"})
    assert filled == f"{first},en,pt_BR,one\nGREETING,Hello,Olá,x\n".encode()


@pytest.mark.parametrize("version", ["", ' version="2.1"', ' version="4.5.1"'])
def test_files_of_qt_are_read_whatever_their_version(version: str) -> None:
    text = f"<TS{version}><context><message><source>Stop</source><translation/></message></context></TS>"
    assert [one.source for one in read_document(text.encode(), "a.ts").segments] == ["Stop"]


@pytest.mark.parametrize("target", ["\t one", "\0 one", " one", "\n one", "one\n"])
def test_a_block_of_yaml_is_written_with_whatever_it_begins_with(target: str) -> None:
    document = read_document(b"en:\n  a: >-\n    folded text\n  b: Two\n", "en.yml", source="en", target="es")
    again = read_document(document.fill({"a": target}), "es.yml", source="es", target="en")
    assert isinstance(again, PieceDocument)
    assert [piece.inline.text for piece in again.pieces] == [target, "Two"]
