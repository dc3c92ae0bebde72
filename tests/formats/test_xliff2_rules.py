"""A file that breaks a rule of XLIFF 2's structure is refused, and the rule is named."""

from __future__ import annotations

import pytest

from dragoman.errors import BadInputError
from dragoman.formats import read_document

GOOD = """<xliff xmlns="urn:oasis:names:tc:xliff:document:2.0" version="2.0" srcLang="en" trgLang="es">
<file id="f1"><unit id="u1"><notes><note id="n1">A note</note></notes>
<originalData><data id="d1">&lt;br/></data></originalData>
<segment id="s1" state="initial"><source>One <ph id="1" dataRef="d1"/><sc id="2"/>two</source></segment>
<ignorable><source> </source></ignorable>
<segment id="s2"><source><ec startRef="2"/>three <mrk id="m1" type="comment" value="x">x</mrk></source>
<target order="1"><ec startRef="2"/>tres <mrk id="m1" type="comment" value="x">x</mrk></target></segment>
</unit></file></xliff>"""
BROKEN = [
    ('srcLang="en"', 'srcLang="e_n"', "is not a language code"),
    (' srcLang="en"', "", "lacks the attribute srcLang"),
    ('<unit id="u1">', "<unit>", "<unit> lacks the attribute id"),
    ('<segment id="s2">', '<segment id="s1">', "have the same id"),
    ('<mrk id="m1" type="comment" value="x">x</mrk></source>', '<mrk id="2">x</mrk></source>', "have the same id"),
    ('state="initial"', 'state="begun"', "is not a state"),
    ('state="initial"', 'subState="x:y"', "a subState without a state"),
    ("<source> </source>", "", "has not one <source>"),
    ('dataRef="d1"', 'dataRef="d9"', "refers to no <data>"),
    ('<data id="d1">&lt;br/></data>', "", "has no <data>"),
    ('<note id="n1">A note</note>', "", "has no <note>"),
    ('<sc id="2"/>', "", "closes what is not open"),
    ('<ec startRef="2"/>three', "three", "neither closed nor isolated"),
    ('<ec startRef="2"/>three', '<ec startRef="2" canCopy="no"/>three', "differ in canCopy"),
    ('type="comment" value="x">x</mrk></source>', 'type="comment">x</mrk></source>', "its text or a reference"),
    ("two</source>", 'two<cp hex="0041"/></source>', "XML cannot hold"),
    (
        "</unit></file>",
        '</unit><unit id="u1"><segment><source>x</source></segment></unit></file>',
        "two units have the id",
    ),
    ("</unit></file>", '</unit><unit id="u2"/></file>', "has no <segment>"),
    ("</file></xliff>", '</file><file id="f2"/></xliff>', "neither <unit> nor <group>"),
]


def test_a_good_file_is_read() -> None:
    document = read_document(GOOD.encode(), "a.xlf")
    assert [one.id for one in document.segments] == ["u1/s1", "u1/s2"]


@pytest.mark.parametrize(("good", "bad", "rule"), BROKEN, ids=[rule for _, _, rule in BROKEN])
def test_a_broken_rule_is_named(good: str, bad: str, rule: str) -> None:
    assert good in GOOD
    with pytest.raises(BadInputError, match="is not valid XLIFF 2") as error:
        read_document(GOOD.replace(good, bad).encode(), "a.xlf")
    assert rule in str(error.value)


def test_a_unit_that_is_half_translated_may_have_an_end_without_its_beginning() -> None:
    half = GOOD.replace(
        '<sc id="2"/>two</source>', '<sc id="2"/>two</source><target>Uno <ph id="1" dataRef="d1"/></target>'
    )
    assert read_document(half.encode(), "a.xlf").segments[0].target.startswith("Uno")
