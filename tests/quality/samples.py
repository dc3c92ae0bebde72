"""A small file of each format, bilingual ones included."""

from __future__ import annotations

from tests.formats.samples import ALL, REPLACED

BILINGUAL = {
    "page.xlf": """<xliff version="1.2" xmlns="urn:oasis:names:tc:xliff:document:1.2">
<file original="a" source-language="en" target-language="es" datatype="plaintext"><body>
<trans-unit id="1"><source>Press the <g id="1">green</g> button<x id="2"/>.</source></trans-unit>
<trans-unit id="2"><source>Close &amp; wait.</source><target state="translated">Cierre.</target></trans-unit>
<trans-unit id="3"><source><bpt id="1">[</bpt>Open<ept id="1">]</ept> it.</source></trans-unit>
</body></file></xliff>""",
    "two.xlf": """<xliff version="2.0" srcLang="en" trgLang="es" xmlns="urn:oasis:names:tc:xliff:document:2.0">
<file id="f"><unit id="u"><segment id="a"><source>Press <pc id="1">it</pc> now.</source></segment>
<segment id="b"><source>Then <sc id="2"/>wait<ec startRef="2"/>.</source></segment></unit></file></xliff>""",
    "memory.tmx": """<tmx version="1.4"><header creationtool="x" creationtoolversion="1" segtype="sentence" o-tmf="x"
adminlang="en" srclang="en" datatype="plaintext"/><body>
<tu><tuv xml:lang="en"><seg>Press <ph x="1">%s</ph>.</seg></tuv><tuv xml:lang="es"><seg>Pulse.</seg></tuv></tu>
<tu><tuv xml:lang="en"><seg>Close.</seg></tuv><tuv xml:lang="es"><seg>Cierre.</seg></tuv></tu></body></tmx>""",
    "app.po": """msgid ""
msgstr "Content-Type: text/plain; charset=UTF-8\\n"
"Plural-Forms: nplurals=2; plural=(n != 1);\\n"

#. a note
msgctxt "menu"
msgid "Open %s\\n"
msgstr ""

msgid "%d file"
msgid_plural "%d files"
msgstr[0] ""
msgstr[1] ""
""",
    "old.po": """msgid ""
msgstr "Content-Type: text/plain; charset=iso-8859-1\\n"

msgid "Close"
msgstr ""
""",
    "words.tsv": "Close the lid.\tCierre.\nOpen it.\n",
    "page.txt": "Close the lid.\r\n\r\nOpen it.",
}
EVERY = ALL | {name: text.encode() for name, text in BILINGUAL.items()}
SOURCE_REPLACED = {*REPLACED, "page.txt"}
