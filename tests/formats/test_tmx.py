"""TMX: pairs of two languages, and corrections as a memory."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from lxml import etree

from dragoman.errors import BadInputError
from dragoman.formats import read_document, write_document
from dragoman.formats.elements import UNWRITABLE
from dragoman.formats.tmx import TmxEntry, write_tmx

MEMORY = (Path(__file__).parent / "data" / "memory.tmx").read_bytes()
TEXTS = st.text(st.characters(exclude_categories=["Cs"]), min_size=1).filter(lambda text: not UNWRITABLE.search(text))


def test_the_pairs_of_two_languages() -> None:
    document = read_document(MEMORY, "m.tmx", source="en", target="es")
    assert [(one.id, one.target, one.state) for one in document.segments] == [
        ("a1", "La lámpara está encendida.", "confirmed"),
        ("2", 'Pulse <bpt i="1"/>aquí<ept i="1"/>.', "confirmed"),
        ("a3", "", "new"),
    ]
    french = read_document(MEMORY, "m.tmx", source="fr", target="en-US")
    assert [(one.source, one.target) for one in french.segments] == [
        ("La lampe est allumée.", "The lamp is on."),
        ("Seulement ici", ""),
    ]


def test_more_than_two_languages_are_a_choice() -> None:
    with pytest.raises(BadInputError, match="has the languages en-US, es-ES, fr, es; say which two"):
        read_document(MEMORY, "m.tmx")
    two = MEMORY.replace(b'"fr"', b'"es-ES"').replace(b'"es"', b'"es-ES"')
    document = read_document(two, "m.tmx")
    assert (document.source_language, document.target_language) == ("en-US", "es-ES")


@pytest.mark.parametrize(
    ("wanted", "found"),
    [
        ("sr-Latn", "sr-Latn-RS"),
        ("sr-Cyrl", "sr-Cyrl-RS"),
        ("zh-Hant", "zh-TW"),
        ("zh-Hans", "zh-CN"),
        ("zh_TW", "zh-TW"),
        ("zh-HK", "zh-TW"),
        ("pt-BR", "pt-BR"),
        ("pt", "pt-PT"),
    ],
)
def test_of_several_variants_the_one_in_the_same_script_or_country(wanted: str, found: str) -> None:
    codes = ["en", "sr-Cyrl-RS", "sr-Latn-RS", "zh-CN", "zh-TW", "pt-PT", "pt-BR"]
    variants = "".join(f'<tuv xml:lang="{code}"><seg>{code}</seg></tuv>' for code in codes)
    data = f'<tmx version="1.4"><header srclang="en"/><body><tu>{variants}</tu></body></tmx>'.encode()
    assert [one.target for one in read_document(data, "m.tmx", source="en", target=wanted).segments] == [found]


def test_codes_of_three_letters_mean_the_same_languages() -> None:
    codes = ["eng-GB", "spa-MX", "spa", "zho-CN", "chi-TW"]
    variants = "".join(f'<tuv xml:lang="{code}"><seg>{code}</seg></tuv>' for code in codes)
    data = f'<tmx version="1.4"><header srclang="eng-GB"/><body><tu>{variants}</tu></body></tmx>'.encode()
    for wanted, found in [("es", "spa"), ("es-MX", "spa-MX"), ("zh-Hant", "chi-TW"), ("zh-Hans", "zho-CN")]:
        document = read_document(data, "m.tmx", source="en", target=wanted)
        assert [(one.source, one.target) for one in document.segments] == [("eng-GB", found)]


def test_a_variant_is_added() -> None:
    document = read_document(MEMORY, "m.tmx", source="en", target="es")
    written = write_document(document, {"a3": "Sin traducir <aún>"})
    assert '</seg></tuv><tuv xml:lang="es"><seg>Sin traducir &lt;aún&gt;</seg></tuv></tu>'.encode() in written
    one_language = (
        b'<tmx version="1.4"><header srclang="en"/><body><tu><tuv lang="en"><seg>a</seg></tuv></tu></body></tmx>'
    )
    with pytest.raises(BadInputError, match="target language of segment '1' is unknown"):
        write_document(read_document(one_language, "m.tmx"), {"1": "b"})
    assert b'<tuv lang="es"><seg>b</seg></tuv>' in write_document(
        read_document(one_language, "m.tmx", target="es"), {"1": "b"}
    )


@given(st.lists(st.tuples(TEXTS, TEXTS), max_size=5))
@settings(deadline=None, max_examples=50)
def test_what_is_exported_can_be_imported(pairs: list[tuple[str, str]]) -> None:
    data = write_tmx([TmxEntry(str(n), *pair) for n, pair in enumerate(pairs)], "en", "es")
    document = read_document(data, "m.tmx", source="en", target="es")
    assert [(one.source, one.target) for one in document.segments] == pairs
    segments = etree.fromstring(data).iter("seg")
    assert [segment.text for segment in segments] == [text for pair in pairs for text in pair]


def test_who_and_when() -> None:
    entry = TmxEntry("7", "a", "b", datetime(2024, 5, 6, 7, 8, 9, tzinfo=UTC), 'Ana "x" & co')
    data = write_tmx([entry], "en", "es")
    unit = etree.fromstring(data).find("body/tu")
    assert unit is not None
    assert dict(unit.attrib) == {"tuid": "7", "creationdate": "20240506T070809Z", "creationid": 'Ana "x" & co'}


def test_an_entry_that_xml_cannot_hold_is_left_out_of_many() -> None:
    left_out: list[str] = []
    data = write_tmx(
        [TmxEntry("6", "a\tb", "c\td"), TmxEntry("7", "a", "\a"), TmxEntry("8", "e", "f")], "en", "es", left_out
    )
    assert [one.id for one in read_document(data, "m.tmx").segments] == ["6", "8"]
    assert left_out == ["correction 7 has the character U+0007, which XML cannot hold"]
