"""PO: entries, plural forms, flags, and which lines change."""

from __future__ import annotations

import difflib
import shutil
import subprocess
from gettext import c2py
from pathlib import Path

import polib
import pytest
from translate.lang.data import languages

from dragoman.errors import BadInputError
from dragoman.formats import Targets, gettext_header, read_document, write_document
from dragoman.formats.directories import catalogue_name

DATA = (Path(__file__).parent / "data" / "es.po").read_bytes()


def changes(targets: Targets, data: bytes = DATA) -> list[str]:
    """The lines that a change takes away and puts there."""
    written = write_document(read_document(data, "es.po"), targets).decode()
    lines = difflib.ndiff(data.decode().split("\n"), written.split("\n"))
    return [line for line in lines if line[0] in "+-"]


def test_reading() -> None:
    document = read_document(DATA, "es.po")
    assert (document.format, document.source_language, document.target_language) == ("po", None, "es")
    assert [(one.id, one.source[:16], one.target, one.state) for one in document.segments] == [
        ("1", "Care of the boil", "", "new"),
        ("2", "Fill the %s tank", "Llene el depósito %s", "translated"),
        ("3", "Open", "Abrir", "confirmed"),
        ("4[0]", "one cup", "una taza", "confirmed"),
        ("4[1]", "%d cups", "", "new"),
        ("4[2]", "%d cups", "", "new"),
        ("5", "A long text that", "", "new"),
        ("6", "Last", "Último", "confirmed"),
    ]
    assert document.segments[6].source.endswith('second one with "quotes", a \\ and a tab\t.\n')


def test_only_the_target_and_the_flag_change() -> None:
    assert changes({"1": ("Cuidado", "confirmed")}) == ['- msgstr ""', '+ msgstr "Cuidado"']
    assert changes({"1": "Cuidado"}) == ["+ #, fuzzy", '- msgstr ""', '+ msgstr "Cuidado"']
    assert changes({"2": ("Llene el depósito %s", "confirmed")}) == ["- #, fuzzy, c-format", "+ #, c-format"]
    assert changes({"6": "Fin"}) == ["+ #, fuzzy", '- msgstr "Último"', '+ msgstr "Fin"']


def test_a_flag_alone_goes_with_its_line() -> None:
    data = b'#: a.c:1\n#, fuzzy\n#| msgid "b"\nmsgid "a"\nmsgstr "c"\n'
    assert changes({"1": ("c", "confirmed")}, data) == ["- #, fuzzy"]
    without = data.replace(b"#, fuzzy\n", b"")
    assert write_document(read_document(without, "a.po"), {"1": ("c", "translated")}) == data


def test_plural_forms() -> None:
    assert changes({"4[1]": ("%d tazas", "confirmed"), "4[2]": ("%d tazas", "confirmed")}) == [
        '- msgstr[1] ""',
        '+ msgstr[1] "%d tazas"',
        '+ msgstr[2] "%d tazas"',
    ]
    assert changes({"4[1]": "%d tazas"}) == ["+ #, fuzzy", '- msgstr[1] ""', '+ msgstr[1] "%d tazas"']
    one_form = DATA.replace(b"nplurals=3", b"nplurals=1")
    sources = [one.source for one in read_document(one_form, "es.po").segments if one.id.startswith("4")]
    assert sources == ["one cup", "%d cups"]  # as many as are there


@pytest.mark.parametrize(
    ("formula", "sources"),
    [
        ("nplurals=2; plural=n != 1;", "one many"),
        ("nplurals=1; plural=0;", "many"),
        ("nplurals=3; plural=(n%10==1 && n%100!=11 ? 0 : n%10>=2 && n%10<=4 ? 1 : 2);", "one many many"),
        ("nplurals=4; plural=(n%100==1 ? 1 : n%100==2 ? 2 : n%100==3 || n%100==4 ? 3 : 0);", "many one many many"),
        ("nplurals=4; plural=(n==0 ? 0 : n==1 ? 1 : n==2 ? 2 : 3);", "many one many many"),
        ("nplurals=2; plural=n/0;", "one many"),
        ("nplurals=2; plural=no formula;", "one many"),
    ],
)
def test_the_form_for_one_is_where_the_formula_has_it(formula: str, sources: str) -> None:
    head = f'msgid ""\nmsgstr "Plural-Forms: {formula}\\n"\n\n'
    document = read_document(f'{head}msgid "one"\nmsgid_plural "many"\nmsgstr[0] ""\n'.encode(), "a.po")
    assert [one.source for one in document.segments] == sources.split()


@pytest.mark.parametrize(
    ("said", "code"),
    [("sr@latin", "sr-Latn"), ("ca@valencia", "ca"), ("zh_TW", "zh_TW"), ("uz_UZ@cyrillic", "uz_UZ-Cyrl")],
)
def test_a_script_behind_the_language(said: str, code: str) -> None:
    data = f'msgid ""\nmsgstr "Language: {said}\\n"\n\nmsgid "a"\nmsgstr "b"\n'.encode()
    assert read_document(data, "a.po").target_language == code


def test_long_texts_are_wrapped_if_others_are() -> None:
    text = "palabra " * 15 + '\n"fin"\n'
    assert changes({"5": (text, "confirmed")}) == [
        '+ "palabra palabra palabra palabra palabra palabra palabra palabra palabra "',
        '+ "palabra palabra palabra palabra palabra palabra \\n"',
        '+ "\\"fin\\"\\n"',
    ]
    short = b'msgid "a"\nmsgstr ""\n'
    assert changes({"1": ("x " * 60, "confirmed")}, short) == ['- msgstr ""', f'+ msgstr "{"x " * 60}"']


def test_two_strings_in_a_line_and_escapes() -> None:
    document = read_document(rb'msgid "a" "b\101\x41\q"' + b'\nmsgstr "c"', "a.po")
    assert document.segments[0].source == r"abAA\q"
    assert write_document(document, {"1": ("\\\t\a", "confirmed")}).endswith(rb'msgstr "\\\t\a"')


@pytest.mark.parametrize(
    ("data", "said"),
    [
        (b'msgid "a"\nmsgstr "b\n', "line 2 is neither"),
        (b'msgid "a"\n', "no msgstr"),
        (b'msgstr "a"\n', "line 1 has msgstr in the wrong place"),
        (b'msgid "a"\nmsgstr "b"\nmsgid_plural "c"\n', "line 3 has msgid_plural in the wrong place"),
        (b'msgid "a"\nmsgid "b"\nmsgstr ""\n', "line 2 has msgid"),
        (b'msgid "a"\nmsgstr[0] "b"\n', "line 2 has msgstr[0]"),
        (b'"a"\n', "line 1 is neither"),
        (b'msgid ""\nmsgstr "Content-Type: text/plain; charset=utf-7\\n"\n', "unknown encoding 'utf-7'"),
        (b'msgid ""\nmsgstr "Content-Type: text/plain; charset=no-such\\n"\n', "unknown encoding 'no-such'"),
        (b'msgid "a"\nmsgstr "\xff"\n', "line 2 is not utf-8 (byte 0xFF)"),
    ],
)
def test_what_is_no_catalogue(data: bytes, said: str) -> None:
    with pytest.raises(BadInputError) as refused:
        read_document(data, "a.po")
    assert said in str(refused.value)
    assert ";" in str(refused.value)


@pytest.mark.parametrize(
    ("charset", "written", "meant"),
    [
        ("UTF-8", rb"caf\303\251 \x41\x1", "café A\x01"),
        ("ISO-8859-1", rb"caf\351", "café"),
    ],
)
def test_numbers_in_a_string_are_bytes(charset: str, written: bytes, meant: str) -> None:
    head = f'# charset=foo\nmsgid ""\nmsgstr ""\n"Content-Type: text/plain; charset={charset}\\n"\n\n'.encode()
    document = read_document(head + b'msgid "a"\nmsgstr "' + written + b'"\n', "es.po")
    assert document.segments[0].target == meant


def test_no_character_is_lost() -> None:
    with pytest.raises(BadInputError, match="segment '1' has the character U\\+0000"):
        write_document(read_document(DATA, "es.po"), {"1": "\0"})


TEMPLATE = r"""# Translators, please keep this comment.
#, fuzzy
msgid ""
msgstr ""
"Project-Id-Version: coffee\n"
"POT-Creation-Date: 2026-01-01 00:00+0000\n"
"Language: \n"
"MIME-Version: 1.0\n"
"Content-Type: text/plain; charset=CHARSET\n"
"Content-Transfer-Encoding: 8bit\n"
"Plural-Forms: nplurals=INTEGER; plural=EXPRESSION;\n"

msgid "Close the lid."
msgstr ""

#, c-format
msgid "%d cup"
msgid_plural "%d cups"
msgstr[0] ""
msgstr[1] ""

#, c-format
msgid "%d lid"
msgid_plural "%d lids"
msgstr[0] ""
msgstr[1] ""
"""


@pytest.mark.parametrize(("language", "forms"), [("es", 2), ("pl", 3), ("ja", 1), ("ar", 6), ("pt-BR", 2)])
def test_a_template_becomes_a_catalogue_of_its_language(language: str, forms: int, tmp_path: Path) -> None:
    template = read_document(TEMPLATE.encode(), "app.pot", source="en", target=language)
    assert len(template.segments) == 1 + 2 * forms
    wanted: Targets = {each.id: (f"{each.source} é", "confirmed") for each in template.segments[: 1 + forms]}
    filled = write_document(template, wanted)
    text = filled.decode()
    assert f"Language: {language.replace('-', '_')}\\n" in text and f"nplurals={forms};" in text
    assert "charset=UTF-8" in text and "CHARSET" not in text and "#, fuzzy" not in text
    assert text.startswith("# Translators, please keep this comment.\nmsgid")
    again = polib.pofile(text)
    assert [len(each.msgstr_plural) for each in again if each.msgid_plural] == [forms, forms]
    if shutil.which("msgfmt"):
        (tmp_path / "app.po").write_bytes(filled)
        checked = subprocess.run(["msgfmt", "-c", "-o", "/dev/null", "app.po"], cwd=tmp_path, capture_output=True)
        assert checked.returncode == 0, checked.stderr.decode()


def test_a_template_that_nothing_is_written_into_stays_as_it_is() -> None:
    template = read_document(TEMPLATE.encode(), "app.pot", source="en", target="pl")
    assert write_document(template, {}) == TEMPLATE.encode()


def test_the_header_of_a_catalogue_stays_as_it_is() -> None:
    data = b'msgid ""\nmsgstr "Content-Type: text/plain; charset=UTF-8\\n"\n\nmsgid "lid"\nmsgstr ""\n'
    document = read_document(data, "app.po", source="en", target="es")
    written = write_document(document, {"1": ("tapa", "confirmed")})
    assert written == data.replace(b'"lid"\nmsgstr ""', b'"lid"\nmsgstr "tapa"')


def test_plural_formulas_are_those_of_the_translate_toolkit() -> None:
    listed = [code for codes, _, _ in gettext_header._FORMULAS for code in codes.split()]
    for code in [*listed, "de", "es", "it", "nl"]:
        known = languages.get(code.replace("-", "_"))
        if known is None or known[1] == 0 or code == "lv":  # gettext's manual has other forms for Latvian
            continue
        count, formula = gettext_header.plural_forms(code)
        ours, theirs = c2py(formula), c2py(known[2].rstrip(";"))
        assert count == known[1], code
        assert [ours(n) for n in range(250)] == [int(theirs(n)) for n in range(250)], code


def test_the_translation_of_a_template_is_named_after_its_language(tmp_path: Path) -> None:
    template = tmp_path / "app.pot"
    template.write_text(TEMPLATE, encoding="utf-8")
    assert catalogue_name(template, "pt-BR") == "pt_BR.po"
    (tmp_path / "es.po").write_text("", encoding="utf-8")
    assert (catalogue_name(template, "es"), catalogue_name(template, "fr")) == ("app.es.po", "fr.po")
    (tmp_path / "lib.pot").write_text(TEMPLATE, encoding="utf-8")
    assert catalogue_name(template, "fr") == "app.fr.po"
