"""The states of translation tools in XLIFF: read, and written in their own words."""

from __future__ import annotations

import pytest

from dragoman.formats import read_document, write_document

SDL = """<xliff xmlns:sdl="http://sdl.com/FileTypes/SdlXliff/1.0" xmlns="urn:oasis:names:tc:xliff:document:1.2" version="1.2">
<file source-language="en-US" target-language="es-ES" original="x"><body><trans-unit id="u">
<source>One. Two. Three. Four.</source>
<seg-source><mrk mtype="seg" mid="1">One.</mrk> <mrk mtype="seg" mid="2">Two.</mrk> <mrk mtype="seg" mid="3">Three.</mrk> <mrk mtype="seg" mid="4">Four.</mrk></seg-source>
<target><mrk mtype="seg" mid="1">Uno.</mrk> <mrk mtype="seg" mid="2">Dos.</mrk> <mrk mtype="seg" mid="3"/> <mrk mtype="seg" mid="4">Cuatro.</mrk></target>
<sdl:seg-defs><sdl:seg id="1" conf="ApprovedSignOff"/><sdl:seg id="2" conf="Draft"/><sdl:seg id="3"/><sdl:seg id="4" locked="true" conf="Translated"/></sdl:seg-defs>
</trans-unit></body></file></xliff>"""  # noqa: E501
TOOL = """<xliff version="1.2" xmlns="urn:oasis:names:tc:xliff:document:1.2" xmlns:{0}><file source-language="en" target-language="es"><body>
{1}</body></file></xliff>"""  # noqa: E501
UNIT = '<trans-unit id="{0}" {1}><source>Source</source><target>{2}</target></trans-unit>\n'


def states(data: str, name: str) -> dict[str, str]:
    return {one.id: one.state for one in read_document(data.encode(), name).segments}


def test_trados_has_a_state_for_each_segment() -> None:
    assert states(SDL, "a.sdlxliff") == {"u/1": "confirmed", "u/2": "translated", "u/3": "new", "u/4": "locked"}
    document = read_document(SDL.encode(), "a.sdlxliff")
    written = write_document(document, {"u/2": ("Dos.", "confirmed"), "u/3": "Tres."}).decode()
    expected = SDL.replace('conf="Draft"', 'conf="Translated"').replace('seg id="3"/>', 'seg id="3" conf="Draft"/>')
    assert written == expected.replace('<mrk mtype="seg" mid="3"/>', '<mrk mtype="seg" mid="3">Tres.</mrk>')


@pytest.mark.parametrize(
    ("namespace", "attributes", "done"),
    [
        (
            'mq="MQXliff.memoq"',
            ['mq:status="NotStarted"', 'mq:status="PartiallyEdited"', 'mq:status="Proofread"',
             'mq:status="ManuallyConfirmed" mq:locked="locked"'],
            ['mq:status="Pretranslated"', 'mq:status="ManuallyConfirmed"'],
        ),
        (
            'm="http://www.memsource.com/mxlf/2.0"',
            ['m:confirmed="0"', 'm:confirmed="0" m:locked="false"', 'm:confirmed="1"',
             'm:confirmed="1" m:locked="true"'],
            ['m:confirmed="0"', 'm:confirmed="1" m:locked="false"'],
        ),
    ],
)  # fmt: skip
def test_memoq_and_phrase_have_states_in_the_unit(namespace: str, attributes: list[str], done: list[str]) -> None:
    texts = ["", "Dos", "Tres", "Cuatro"]
    units = [UNIT.format(n, *each) for n, each in enumerate(zip(attributes, texts, strict=True))]
    data = TOOL.format(namespace, "".join(units))
    assert list(states(data, "a.xlf").values()) == ["new", "translated", "confirmed", "locked"]
    document = read_document(data.encode(), "a.xlf")
    written = write_document(document, {"0": "Uno", "1": ("Dos", "confirmed")}).decode()
    units[:2] = [UNIT.format(n, *each) for n, each in enumerate(zip(done, ["Uno", "Dos"], strict=True))]
    assert written == TOOL.format(namespace, "".join(units))
