"""XML by rules: what is text in DITA, DocBook, TTML and documents with ITS rules of their own."""

from __future__ import annotations

import pytest

from dragoman.errors import BadInputError
from dragoman.formats import read_document

DITA = """<?xml version="1.0" encoding="UTF-8"?>
<!DOCTYPE concept PUBLIC "-//OASIS//DTD DITA Concept//EN" "concept.dtd">
<concept id="a"><title>The lid</title><conbody>
<p>Press <uicontrol>OK</uicontrol> in <filepath>a.txt</filepath> of &product;.</p>
<codeblock>the code</codeblock><p translate="no">the name</p>
<image href="a.png"><alt>Of the lid</alt></image></conbody></concept>
"""
DOCBOOK = """<?xml version="1.0"?>
<article xmlns="http://docbook.org/ns/docbook" version="5.0"><title>The lid</title>
<para>Open <emphasis>the lid</emphasis> with <command>open</command>.</para>
<programlisting>the code</programlisting></article>
"""
TTML = """<tt xmlns="http://www.w3.org/ns/ttml"><head><metadata><x>no</x></metadata></head><body><div>
<p begin="0s" end="1s">Open<br/>the <span>lid</span>.</p></div></body></tt>
"""
ITS = """<?xml version="1.0"?>
<doc xmlns:its="http://www.w3.org/2005/11/its"><its:rules version="2.0">
<its:translateRule selector="//secret" translate="no"/><its:translateRule selector="//item/@label" translate="yes"/>
<its:withinTextRule selector="//b | //i" withinText="yes"/></its:rules>
<item label="The label">Open <b>the</b> lid.</item><secret>the word</secret></doc>
"""
FILES = {
    "a.dita": (
        DITA,
        [
            "The lid",
            'Press <uicontrol>OK</uicontrol> in <filepath id="3" text="a.txt"/> of <entity id="4" text="product;"/>.',
            "Of the lid",
        ],
    ),
    "a.xml": (DOCBOOK, ["The lid", 'Open <emphasis>the lid</emphasis> with <command id="3" text="open"/>.']),
    "a.ttml": (TTML, ["Open<br/>the <span>lid</span>."]),
    "rules.xml": (ITS, ["The label", "Open <b>the</b> lid."]),
}


@pytest.mark.parametrize("name", FILES)
def test_text_is_found_by_the_rules_and_written_back(name: str) -> None:
    text, found = FILES[name]
    document = read_document(text.encode(), name)
    assert [one.source for one in document.segments] == found
    assert document.fill({}) == text.encode()
    targets = {one.id: one.source.replace("lid", "TAPA & más") for one in document.segments}
    written = document.fill(targets).decode()
    assert written == text.replace("lid", "TAPA &amp; más")


def test_other_xml_is_still_refused() -> None:
    with pytest.raises(BadInputError, match="the root is <doc>"):
        read_document(b"<doc><a>the text</a></doc>", "a.xml")
