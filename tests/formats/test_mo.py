"""Compiled gettext catalogues: what polib compiles, we read."""

from __future__ import annotations

import random

import pytest

from dragoman.errors import BadInputError
from dragoman.formats import read_document, write_document

CATALOGUE = """msgid ""
msgstr ""
"Content-Type: text/plain; charset=ISO-8859-1\\n"
"Language: es_MX\\n"
"Plural-Forms: nplurals=2; plural=n != 1;\\n"

msgid "Open the lid."
msgstr "Abra la tapa, señor."

msgctxt "button"
msgid "Open"
msgstr "Abrir"

msgid "%d cup"
msgid_plural "%d cups"
msgstr[0] "%d taza"
msgstr[1] "%d tazas"
"""


def compiled() -> bytes:
    polib = pytest.importorskip("polib")
    data: bytes = polib.pofile(CATALOGUE).to_binary()
    return data


def test_pairs_are_those_of_the_catalogue() -> None:
    document = read_document(compiled(), "manual.mo", source="en", target="es")
    found = {(one.context, one.source, one.target, one.state) for one in document.segments}
    assert found == {
        ("", "Open the lid.", "Abra la tapa, señor.", "confirmed"),
        ("button", "Open", "Abrir", "confirmed"),
        ("", "%d cup", "%d taza", "confirmed"),
        ("", "%d cups", "%d tazas", "confirmed"),
    }
    assert document.target_language == "es-MX"


def test_it_is_not_written() -> None:
    document = read_document(compiled(), "manual.mo", source="en", target="es")
    assert write_document(document, {}) == document.data
    with pytest.raises(BadInputError, match="fill the PO file instead"):
        write_document(document, {document.segments[0].id: "Abra."})


def test_damaged_files_are_read_or_refused() -> None:
    data, chance = compiled(), random.Random(3)
    for _ in range(500):
        damaged = bytearray(data)
        for _ in range(chance.randint(1, 4)):
            damaged[chance.randrange(len(damaged))] = chance.randrange(256)
        try:
            read_document(bytes(damaged[: chance.choice([None, chance.randrange(len(data))])]), "manual.mo")
        except BadInputError:
            continue
