"""XLIFF: states, inline tags, divided units, and what exactly is written."""

from __future__ import annotations

from pathlib import Path

import pytest

from dragoman.errors import BadInputError
from dragoman.formats import Document, State, Targets, read_document, write_document
from dragoman.text.tokens import split

DATA = Path(__file__).parent / "data"
UNIT = (
    '<xliff version="1.2"><file source-language="en"><body><trans-unit id="1"{}>{}</trans-unit></body></file></xliff>'
)
UNIT2 = (
    '<xliff version="2.1" srcLang="en" trgLang="es"><file id="f"><unit id="1"><segment{}>{}</segment></unit>'
    "</file></xliff>"
)


def read(name: str) -> Document:
    return read_document((DATA / name).read_bytes(), name)


def one(frame: str, attributes: str, content: str) -> Document:
    return read_document(frame.format(attributes, content).encode(), "x.xlf")


def filled(document: Document, target: str | tuple[str, State]) -> str:
    """What becomes of the unit of a document with one."""
    written = write_document(document, {"1": target}).decode()
    return written[written.index('id="1"') : written.rindex("</file")]


def test_states_of_the_first_version() -> None:
    states = {segment.id: segment.state for segment in read("manual.xlf").segments}
    assert states == {
        "title": "new",
        "code": "locked",
        "free": "new",
        "fill": "translated",
        "done": "confirmed",
        "copy": "new",
        "native": "new",
        "long/1": "new",
        "long/2": "new",
        "half/a": "translated",
        "half/b": "new",
        "done#2": "new",
        "doubtful": "locked",  # text that looks like its own tag: nobody could tell which is which
    }
    for said, state in (("signed-off", "confirmed"), ("needs-adaptation", "translated"), ("x-ours", "translated")):
        document = one(UNIT, "", f'<source>a</source><target state="{said}">b</target>')
        assert document.segments[0].state == state


def test_states_of_the_second_version() -> None:
    states = {segment.id: segment.state for segment in read("manual2.xlf").segments}
    assert states == {"u1/s1": "new", "u1/s2": "translated", "u2": "locked", "u3": "confirmed", "u4": "new"}
    assert one(UNIT2, ' state="reviewed"', "<source>a</source><target>b</target>").segments[0].state == "confirmed"
    assert one(UNIT2, "", "<source>a</source><target>b</target>").segments[0].state == "translated"


@pytest.mark.parametrize("frame", [UNIT, UNIT2], ids=["1.2", "2.1"])
@pytest.mark.parametrize("before", ["", "<target/>", "<target>old</target>"])
@pytest.mark.parametrize("state", ["new", "translated", "confirmed"])
def test_every_state_that_is_written_is_read(frame: str, before: str, state: State) -> None:
    document = one(frame, "", f"<source>a</source>{before}")
    again = read_document(write_document(document, {"1": ("b", state)}), "x.xlf")
    assert [(each.target, each.state) for each in again.segments] == [("b", state)]
    back = read_document(write_document(again, {"1": ("b", "translated")}), "x.xlf")
    assert back.segments[0].state == "translated"
    assert read_document(write_document(again, {"1": ""}), "x.xlf").segments[0].state == "new"


def test_what_is_written() -> None:
    new = one(UNIT, "", "\n  <source>a</source>\n  <note>n</note>")
    assert filled(new, "b & c").startswith(
        'id="1">\n  <source>a</source>\n  <target state="translated">b &amp; c</target>\n  <note>n</note>'
    )
    approved = one(UNIT, " approved='yes'", "<source>a</source><target  state='final'  >b</target>")
    assert filled(approved, "c").startswith(
        "id=\"1\" approved='no'><source>a</source><target  state='translated'  >c</target>"
    )
    assert filled(approved, ("c", "confirmed")).startswith(
        "id=\"1\" approved='yes'><source>a</source><target  state='final'  >c</target>"
    )
    second = one(UNIT2, ' state="translated" subState="x:y"', "<source>a</source><target>b</target>")
    assert '<segment state="final"><source>a</source><target>b</target>' in filled(second, ("b", "confirmed"))
    assert '<segment state="translated" subState="x:y"><source>a</source><target>c</target>' in filled(second, "c")


def test_divided_units() -> None:
    document = read("manual.xlf")
    written = write_document(document, {"long/2": 'Ciérrelo <x id="1"/>.', "half/b": ("Dos.", "confirmed")}).decode()
    mark = '<mrk mtype="seg" mid="{}">{}</mrk>'
    expected = mark.format(1, "") + " " + mark.format(2, 'Ciérrelo <x id="1"/>.')
    assert f'<target state="needs-translation">{expected}</target>' in written
    assert f'<target state="translated">{mark.format("a", "Uno.")} {mark.format("b", "Dos.")}</target>' in written
    again = {each.id: each for each in read_document(written.encode(), "m.xlf").segments}
    assert again["long/1"].state == "new"
    assert again["long/2"].state == "translated"


def test_a_divided_unit_whose_target_is_not_divided_is_one_segment() -> None:
    marks = '<mrk mtype="seg" mid="1">A.</mrk> <mrk mtype="seg" mid="2">B.</mrk>'
    content = f"<source>A. B.</source><seg-source>{marks}</seg-source><target>C.</target>"
    document = one(UNIT, "", content)
    assert [(each.id, each.source, each.target) for each in document.segments] == [("1", "A. B.", "C.")]
    assert "<target>D.</target>" in filled(document, "D.")


def test_the_language_is_added_if_the_file_does_not_say_it() -> None:
    for frame, added in ((UNIT, 'source-language="en" target-language="es"'), (UNIT2, 'srcLang="en" trgLang="es"')):
        data = frame.format("", "<source>a</source>").replace(' trgLang="es"', "").encode()
        assert read_document(data, "x.xlf").target_language is None
        assert added.encode() in write_document(read_document(data, "x.xlf", target="es"), {"1": "b"})


@pytest.mark.parametrize("name", ["manual.xlf", "manual2.xlf"])
def test_tags_are_placeables(name: str) -> None:
    for segment in read(name).segments:
        sentence = split(segment.source)
        tags = [
            word for word, fixed in zip(sentence.words, sentence.placeable, strict=True) if fixed and word[0] == "<"
        ]
        assert set(segment.tags) <= set(tags)


def test_tags_in_another_spelling_are_shown_in_the_usual_one_and_kept_as_they_are() -> None:
    raw = "<x\n  id = '1'\tequiv-text=\"a>b\" />"
    document = one(UNIT, "", f"<source>go {raw} on</source>")
    assert document.segments[0].source == 'go <x id="1" equiv-text="a&gt;b"/> on'
    assert split(document.segments[0].source).placeable == (False, True, False)
    written = write_document(document, {"1": document.segments[0].source})
    assert written.decode().count(raw) == 2


def test_protected_text_is_one_tag() -> None:
    document = one(UNIT, "", '<source>Run <mrk mtype="protected">rm -rf</mrk> now</source>')
    assert document.segments[0].source == 'Run <mrk mtype="protected"/> now'
    assert '<mrk mtype="protected">rm -rf</mrk> ya' in filled(document, '<mrk mtype="protected"/> ya')


@pytest.mark.parametrize(
    ("target", "said"),
    [
        ("Nothing", 'lacks </g>, <g id="1">, <x id="2"/>'),
        ('<g id="1">a</g><x id="2"/><x id="2"/>', 'has too many of <x id="2"/>'),
        ('</g><g id="1"><x id="2"/>', "</g> in the wrong place"),
        ('<g id="1">a</g><x id="2"/><x id="3"/>', 'has <x id="3"/>, which the source lacks'),
        ('<g id="1">a<x id="2"/>', "lacks </g>"),
    ],
)
def test_broken_tags_are_refused(target: str, said: str) -> None:
    document = one(UNIT, "", '<source>a <g id="1">b</g> <x id="2"/></source>')
    with pytest.raises(BadInputError) as refused:
        write_document(document, {"1": target})
    assert said in str(refused.value)
    assert "segment '1'" in str(refused.value)
    assert "put the tags of the source into it" in str(refused.value)


def test_pairs_of_single_tags_keep_their_order() -> None:
    document = read("manual2.xlf")
    with pytest.raises(BadInputError, match=r'u4.*has <x:ec startRef="1"/> before what it closes'):
        write_document(document, {"u4": '<x:ec startRef="1"/>a<x:sc id="1"/>'})
    document = read("manual.xlf")
    with pytest.raises(BadInputError, match="before what it closes"):
        write_document(document, {"native": '<ept id="1"/><bpt id="1"/><ph id="3"/>'})


def test_nesting_of_different_elements() -> None:
    document = one(UNIT, "", '<source><g id="1"><mrk mtype="term">a</mrk></g></source>')
    with pytest.raises(BadInputError, match="wrong place"):
        write_document(document, {"1": '<g id="1"><mrk mtype="term">a</g></mrk>'})


def test_text_that_looks_like_a_tag_stays_text() -> None:
    document = one(UNIT, "", '<source>Write &lt;g id="7"&gt;, not <x id="1"/></source>')
    target = '<b>Escriba</b> <g id="7">, no <x id="1"/>'
    assert '&lt;b&gt;Escriba&lt;/b&gt; &lt;g id="7"&gt;, no <x id="1"/></target>' in filled(document, target)


@pytest.mark.parametrize(
    ("targets", "said"),
    [
        ({"code": "otro"}, "segment 'code' is locked"),
        ({"doubtful": "otro"}, "segment 'doubtful' is locked"),
        ({"nothing": "x"}, "there is no segment 'nothing'"),
        ({"free": ("x", "locked")}, "there is no state 'locked'"),
        ({"free": "a\x00b"}, "segment 'free' has the character U+0000, which XML cannot hold"),
        ({"free": "\ud800"}, "U+D800"),
    ],
)
def test_targets_that_cannot_be(targets: Targets, said: str) -> None:
    with pytest.raises(BadInputError) as refused:
        write_document(read("manual.xlf"), targets)
    assert said in str(refused.value)


def test_a_prefix_that_only_the_source_declares_is_noticed() -> None:
    document = one(UNIT, "", '<source xmlns:q="urn:q">a<q:x/></source>')
    with pytest.raises(BadInputError, match="unbound prefix"):
        write_document(document, {"1": "b<q:x/>"})
