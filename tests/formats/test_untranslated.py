"""Targets that are no translations, and files as real tools write them."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from typer.testing import CliRunner

from dragoman.cli import app
from dragoman.engine import Engine
from dragoman.errors import BadInputError
from dragoman.formats import read_document, write_document
from dragoman.formats.filled_document import fill_document

HEAD = (
    '<xliff version="1.2" xmlns="urn:oasis:names:tc:xliff:document:1.2"><file original="x" source-language="en" '
    'target-language="es" datatype="plaintext"><body>'
)
UNITS = {
    "blank": "<source>Close the lid.</source><target> </target>",
    "tags": '<source>Close <x id="1"/>the lid.</source><target><x id="1"/></target>',
    "copy": "<source>Close the lid.</source><target>Close the lid.</target>",
    "meant": '<source>Close the lid.</source><target state="translated">Close the lid.</target>',
    "done": "<source>Close the lid.</source><target>Cierra la tapa.</target>",
    "signed": '<source>Close the lid.</source><target state="signed-off">Cierra la tapa.</target>',
}
XLIFF = (
    HEAD
    + "".join(f'<trans-unit id="{name}">{unit}</trans-unit>' for name, unit in UNITS.items())
    + "</body></file></xliff>"
)


@pytest.fixture
def engine(tmp_path: Path) -> Iterator[Engine]:
    with Engine.create(tmp_path / "manual", source="en", target="es") as made:
        made.learn("Close the lid.", "Cierre la tapa.")
        yield made


def test_blank_targets_tags_alone_and_bare_copies_are_not_translated() -> None:
    states = {one.id: one.state for one in read_document(XLIFF.encode(), "a.xlf").segments}
    assert states == {
        "blank": "new",
        "tags": "new",
        "copy": "new",
        "meant": "translated",
        "done": "translated",
        "signed": "confirmed",
    }


def test_fill_replaces_what_was_chosen_and_nothing_else(engine: Engine) -> None:
    document = read_document(XLIFF.encode(), "a.xlf")
    assert fill_document(engine, document, replace="nothing").data == XLIFF.encode()
    assert fill_document(engine, document).translated == 3
    again = read_document(fill_document(engine, document).data, "a.xlf")
    targets = {one.id: one.target for one in again.segments}
    assert targets["copy"] == targets["blank"] == "Cierre la tapa."
    assert (targets["done"], targets["meant"]) == ("Cierra la tapa.", "Close the lid.")
    assert fill_document(engine, document, replace="unconfirmed").translated == 5


def test_fill_says_what_it_left_and_why(tmp_path: Path, engine: Engine) -> None:
    (tmp_path / "a.xlf").write_text(XLIFF)
    engine.close()
    files = [str(tmp_path / name) for name in ("manual", "a.xlf", "b.xlf")]
    found = CliRunner().invoke(app, ["fill", *files])
    assert "1 confirmed, 2 translated (--replace unconfirmed translates them again)" in found.stderr
    wrong = CliRunner().invoke(app, ["fill", *files, "--replace", "all"])
    assert "choose nothing, untranslated or unconfirmed" in str(wrong.exception)


def test_xliff_of_a_version_that_only_its_namespace_tells() -> None:
    old = XLIFF.replace(' version="1.2"', "").replace("document:1.2", "document:1.1")
    assert len(read_document(old.encode(), "a.xlf").segments) == len(UNITS)


def test_a_catalogue_with_several_domains() -> None:
    data = b'domain "one"\nmsgid "lid"\nmsgstr ""\n\ndomain "two"\nmsgid "tray"\nmsgstr "bandeja"\n'
    document = read_document(data, "es.po")
    assert [one.source for one in document.segments] == ["lid", "tray"]
    assert write_document(document, {"1": ("tapa", "confirmed")}) == data.replace(
        b'"lid"\nmsgstr ""', b'"lid"\nmsgstr "tapa"'
    )


def test_a_catalogue_that_names_another_charset_than_its_own_is_refused() -> None:
    head = 'msgid ""\nmsgstr "Content-Type: text/plain; charset=ISO-8859-1\\n"\n\n'
    text = f'{head}msgid "station"\nmsgstr "estación"\n'
    assert read_document(text.encode("latin-1"), "es.po").segments[0].target == "estación"
    with pytest.raises(BadInputError, match="its bytes are UTF-8; write charset=UTF-8"):
        read_document(text.encode(), "es.po")


def test_an_unknown_format_is_refused_with_the_way_to_go() -> None:
    with pytest.raises(BadInputError, match=r"convert it to XLIFF or PO with translate-toolkit or Okapi"):
        read_document(b"x", "book.indd")
