"""A file in XLIFF 2 whose references or order of codes are broken is refused, and the rule is named."""

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
FIXED = '<ph id="{}" canReorder="{}" canDelete="no" canCopy="no"/>'
BROKEN = [
    ('dataRef="d1"', 'dataRef="d9"', "refers to no <data>"),
    ('<sc id="2"/>', "", "closes what is not open"),
    ('<ec startRef="2"/>three', "three", "neither closed nor isolated"),
    ('<ph id="1" dataRef="d1"/>', '<ph id="1" subFlows="u9"/>', "refers to no unit of the file"),
    ('<ph id="1" dataRef="d1"/>', '<ph id="1" copyOf="9"/>', "copyOf refers to no code"),
    ('<ph id="1" dataRef="d1"/>', FIXED.format(1, "no"), "does not follow one with canReorder=firstNo"),
    (
        'type="comment" value="x">x</mrk></source>',
        'type="comment" ref="#n1">x</mrk></source>',
        "than a note of its unit",
    ),
    ('type="comment" value="x">x</mrk></source>', 'type="a:b" ref="#u=u1/f=f1">x</mrk></source>', "is not a reference"),
    ('type="comment" value="x">x</mrk></source>', 'type="a:b" ref="#m9/x">x</mrk></source>', "is not a reference"),
    ('type="comment" value="x">x</mrk></source>', 'type="a:b" ref="#zz=1">x</mrk></source>', "is not a reference"),
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


def unit(source: str, target: str) -> bytes:
    body = f"<segment><source>{source}</source><target>{target}</target></segment>"
    head = '<xliff xmlns="urn:oasis:names:tc:xliff:document:2.0" version="2.0" srcLang="en" trgLang="es">'
    return f'{head}<file id="f"><unit id="u">{body}</unit></file></xliff>'.encode()


def test_codes_that_must_stay_together_may_move_together_only() -> None:
    one, two, free = FIXED.format(1, "firstNo"), FIXED.format(2, "no"), '<ph id="3"/>'
    read_document(unit(f"{one}{two} a {free}", f"{free} a {one}{two}"), "a.xlf")
    for moved in (f"{one}{free}{two} a", f"{two}{one} a {free}"):
        with pytest.raises(BadInputError, match="codes are moved that must not be"):
            read_document(unit(f"{one}{two} a {free}", moved), "a.xlf")


def test_the_end_of_a_pair_is_part_of_its_sequence() -> None:
    pair, two = FIXED.format(1, "firstNo").replace("ph", "pc").replace("/>", ">"), FIXED.format(2, "no")
    read_document(unit(f"{pair}a {two}</pc>", f"{pair}b {two}</pc>"), "a.xlf")
    with pytest.raises(BadInputError, match="codes are moved"):
        read_document(unit(f"{pair}a {two}</pc>", f"{pair}b </pc>{two}"), "a.xlf")


def test_a_code_that_must_not_be_deleted_is_in_the_target() -> None:
    fixed = '<ph id="1" canDelete="no"/>'
    read_document(unit(f"{fixed}a", f"b{fixed}"), "a.xlf")
    with pytest.raises(BadInputError, match="must not be deleted"):
        read_document(unit(f"{fixed}a", "b"), "a.xlf")


@pytest.mark.parametrize("reference", ["#n=n1", "#u=u1/n=n1", "#/f=f1/u=u1/n=n1"])
def test_a_comment_may_refer_to_a_note_of_its_unit(reference: str) -> None:
    read_document(GOOD.replace('type="comment" value="x"', f'type="comment" ref="{reference}"').encode(), "a.xlf")


def test_a_translation_that_moves_such_codes_is_not_written() -> None:
    one, two = FIXED.format(1, "firstNo"), FIXED.format(2, "no")
    document = read_document(unit(f"{one}{two} a", "").replace(b"<target></target>", b""), "a.xlf")
    [segment] = document.segments
    with pytest.raises(BadInputError, match="has moved codes that must stay together"):
        document.check(segment, f"{two} b {one}")
    assert f"b {one}{two}".encode() in document.fill({segment.id: f"b {one}{two}"})
