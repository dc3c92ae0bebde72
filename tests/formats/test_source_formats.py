"""Messages in the source of programs, in settings and in captions: found, and written as the format wants them."""

from __future__ import annotations

import pytest

from dragoman.errors import BadInputError
from dragoman.formats import read_document

SCRIPT = """import x from './y'
// a comment: 'no'
export default {
  title: 'My page',
  menu: { "open it": "Open {name}", list: ['One thing', `Two ${n} things`], made: t('no no') },
  it: 'Don\\'t go',
} as const;
"""
PHP = """<?php
// Of the 'form'
return [
    'failed' => 'These do not match :name.',
    'nested' => ['a' => "It's \\"x\\" here", 'b' => array('c' => 'Some text')],
    'call' => __('no no'), 'made' => "Of $name here",
];
"""
LANG = "<?php\n$lang['a'] = 'Some text';\n$lang[\"b\"] = \"Other text\\n\";\n"
TOML = '# note\n[hello]\nother = "Hello {{.Name}}" # x\none = \'One thing\'\nlong = """\nTwo lines\nhere"""\nn = 5\n'
INI = '; note\n[main]\ntitle=My page\nquoted = "It is here"\nurl=http://x.org\n'
SBV = "0:00:01.000,0:00:02.000\nHello there\nmy friend\n\n0:00:03.000,0:00:04.000\nBye now\n"
ASS = (
    "[Events]\nFormat: Layer, Start, End, Style, Name, MarginL, MarginR, MarginV, Effect, Text\n"
    "Dialogue: 0,0:00:01.00,0:00:03.00,Default,,0,0,0,,{\\i1}Hello, there{\\i0}\\Nmy friend\n"
    "Dialogue: 0,0:00:01.00,0:00:03.00,Default,,0,0,0,,{\\p1}m 0 0 l 1 1{\\p0}\n"
)
RST = """====
Title
====

Sub title
---------

A paragraph with **bold** and *emphasis*, ``code``, :ref:`x` and
`a link <http://x.org>`_ here. See reference_::

    code, no text

- An item
  goes on.
- Another one

  More of it.

.. note:: Of the note.

   Second paragraph.

.. code-block:: python

   no text

:field: value

+---+---+
| a | b |
+---+---+

term
    Definition of it.

1. First
"""
TEX = r"""% a comment
\documentclass{article}
\title{My \emph{title}}
\newcommand{\me}{no text}
\begin{document}
\section[Short]{First part}\label{sec:a}
Some \textbf{bold} text, 100\% ``quoted'' --- see~\ref{sec:a},
$x^2$ and \href{http://x.org}{a link}\footnote{A note.}. % of it
More of it.

\begin{itemize}
  \item An item
  \item[Term] Caf\'e \& more
\end{itemize}
\begin{verbatim}
no text
\end{verbatim}
\begin{equation} a = b \end{equation}
\begin{tabular}{ll}
One cell & Two \\ \hline
Three & \(x\) \\
\end{tabular}
\begin{theorem}[Of somebody]
It holds.
\end{theorem}
\begin{figure}[ht]\caption{A boat}\end{figure}
\end{document}
no text
"""
RENPY = """define e = Character("Eileen", color="#c8ffc8")
image bg = "bg room.png"

init python:
    def f():
        \'\'\'No text here.\'\'\'
        return "no text here"

label start:
    play music "a song.ogg"
    scene bg room
    "It was a {b}dark{/b} night."
    e happy "Hello, [player]!" with dissolve
    e \"\"\"
    The first paragraph
    goes on.

    The second.
    \"\"\"
    show logo:
        "logo one.png"
    menu:
        "Where to?"
        "To the lake" if sun:
            jump lake
screen about():
    text "About us" style "a b"
    textbutton _("Go back") action Return()
"""
RENPY_TRANSLATED = """translate spanish start_a1:

    # e happy "Hello, [player]!" with dissolve
    e happy "" with dissolve

translate spanish strings:

    # script.rpy:5
    old "To the lake"
    new "Al lago"

translate spanish python:
    x = "no text here"
"""
ADOC = """= The title
A Writer <a@x.org>
:description: About it
:icons: font

First *bold* and _emphasis_ with `code`, {attr} and
link:x.html[a link] here. See <<ref>>. +
Broken line.

// a comment
.Title of the block
[source,ruby]
----
puts "no text"
----

[NOTE]
====
Inside the frame.
====

TIP: A tip for
you.

* An item
goes on
** Below it
+
Attached text.

term:: Definition
other::
  Its meaning

 indented code here

|===
|One cell |Two *cells*

a|
* In a list
|Last
|===

Second title
------------

image::boat.png[A boat, 100]
[verse, Somebody]
____
A line
Another one
____
include::x.adoc[]
"""
FILES = {
    "a.rpy": (
        RENPY,
        [
            *("Eileen", "It was a {b}dark{/b} night.", "Hello, [player]!", "The first paragraph\n    goes on."),
            *("The second.", "Where to?", "To the lake", "About us", "Go back"),
        ],
    ),
    "a.tex": (
        TEX,
        [
            *(
                "My <g1>title</g1>",
                "First part",
                "Some <g2>bold</g2> text, 100% “quoted” — see\xa0<x3/>, <x4/> and <g5>a link</g5><g6>A note.</g6>.",
            ),
            *(
                "More of it.",
                "An item",
                "Term",
                "Café & more",
                "One cell",
                "Two",
                "Three",
                "Of somebody",
                "It holds.",
                "A boat",
            ),
        ],
    ),
    "a.adoc": (
        ADOC,
        [
            *("The title", "About it"),
            'First <g1>bold</g1> and <g2>emphasis</g2> with <x3 text="`code`"/>, <x4 text="{attr}"/> '
            "and <g5>a link</g5> here.",
            *('See <x6 text="ref"/>.', "Broken line.", "Title of the block", "Inside the frame.", "A tip for you."),
            *("An item goes on", "Below it", "Attached text.", "term", "Definition", "other", "Its meaning"),
            *("One cell", "Two <g1>cells</g1>", "In a list", "Last", "Second title", "A boat", "A line", "Another one"),
        ],
    ),
    "a.rst": (
        RST,
        [
            *("Title", "Sub title"),
            'A paragraph with <g1>bold</g1> and <g2>emphasis</g2>, <x3 text="``code``"/>, <x4 text=":ref:`x`"/> and '
            "<g5>a link</g5> here.",
            'See <x6 text="reference_"/>',
            *("An item goes on.", "Another one", "More of it.", "Of the note.", "Second paragraph."),
            *("term", "Definition of it.", "First"),
        ],
    ),
    "en.ts": (SCRIPT, ["My page", "Open {name}", "One thing", "Two ${n} things", "Don't go"]),
    "en.js": (SCRIPT.replace("\n", "\r\n"), ["My page", "Open {name}", "One thing", "Two ${n} things", "Don't go"]),
    "en.php": (PHP, ["These do not match :name.", 'It\'s "x" here', "Some text"]),
    "lang.php": (LANG, ["Some text", "Other text"]),
    "en.toml": (TOML, ["Hello {{.Name}}", "One thing", "Two lines\nhere"]),
    "en.ini": (INI, ["My page", "It is here"]),
    "a.sbv": (SBV, ["Hello there my friend", "Bye now"]),
    "a.ass": (ASS, ["Hello, there<x2/><br3/>my friend"]),
}


@pytest.mark.parametrize("name", FILES)
def test_all_text_is_found_and_an_untouched_file_is_the_same(name: str) -> None:
    text, found = FILES[name]
    document = read_document(text.encode(), name)
    assert [one.source for one in document.segments] == found
    assert document.fill({}) == text.encode()


def test_the_lines_of_a_heading_are_as_long_as_the_heading() -> None:
    document = read_document(RST.encode(), "a.rst")
    written = document.fill({"1": "Un título largo", "2": "Sí"}).decode()
    assert written.startswith("===============\nUn título largo\n===============\n\nSí\n----\n")


@pytest.mark.parametrize("name", [name for name in FILES if name not in ("a.rst", "a.adoc", "a.tex")])
@pytest.mark.parametrize("more", ["", " it's", ' "so"', " \\ $x é", " `"])
def test_what_is_written_is_read_back(name: str, more: str) -> None:
    text, found = FILES[name]
    document = read_document(text.encode(), name)
    targets = {one.id: one.source.replace("here", "HERE").replace("there", "THERE") + more for one in document.segments}
    again = read_document(document.fill(targets), name)
    kept = [one.source.replace("’", "'").replace("”", '"') for one in again.segments]
    assert len(kept) == len(found)
    assert kept == [" ".join(each.split(" ")) for each in targets.values()]


@pytest.mark.parametrize(
    ("name", "text"), [("a.js", "function f() { return 'My page' }\n"), ("a.php", "<?php\necho 'My page';\n")]
)
def test_a_program_is_no_file_of_messages(name: str, text: str) -> None:
    with pytest.raises(BadInputError, match="is a program"):
        read_document(text.encode(), name)


VUE = """<template>
  <i18n path="x" tag="p"/>
</template>
<i18n>
{
  "en": {
    "a": "Hello {name}", // note
    n: { b: 'It\\'s', c: ["One thing ", "Two @:n.b"], },
  },
  'fr': {"a": "Bonjour {name}"}
}
</i18n>
"""
VUE_YAML = """<i18n lang="yaml">
fr:
  a: Bonjour
en:
  a: Hello you
  b: {c: More text}
</i18n>

<template><p>no</p></template>
"""
VUE_BLOCKS = """<i18n locale="en">
{"a": "Hello you"}
</i18n>
<i18n locale="de" lang="yaml">
a: Hallo
</i18n>
"""


def upper(name: str, text: str, target: str) -> tuple[dict[str, str], str]:
    """What a component has as targets, and the component with others."""
    document = read_document(text.encode(), name, source="en", target=target)
    assert document.fill({}) == text.encode()
    targets = {
        one.id: "".join(part.upper() if isinstance(part, str) else part.shown for part in one.inline.parts)
        for one in document.segments
    }
    return {one.source: one.target for one in document.segments}, document.fill(targets).decode()


def test_a_component_gets_a_part_for_its_new_language() -> None:
    found, written = upper("a.vue", VUE, "pt-BR")
    assert found == dict.fromkeys(["Hello {name}", "It's", "One thing", "Two @:n.b"], "")
    part = VUE[VUE.index('  "en"') : VUE.index("  'fr'")]
    new = part.replace('"en"', '"pt-BR"').replace("Hello", "HELLO").replace("It\\'s", "IT\\'S")
    new = new.replace("One thing", "ONE THING").replace("Two", "TWO")
    assert written == VUE.replace(part, part + new)
    again, _ = upper("a.vue", written, "pt-BR")
    assert again == {"Hello {name}": "HELLO {name}", "It's": "IT'S", "One thing": "ONE THING", "Two @:n.b": "TWO @:n.b"}


def test_a_language_that_a_component_has_is_filled_where_it_stands() -> None:
    found, written = upper("a.vue", VUE, "fr")
    assert found == {"Hello {name}": "Bonjour {name}"}
    assert written == VUE.replace("Bonjour", "HELLO")


def test_languages_of_a_component_in_yaml_and_in_blocks_of_their_own() -> None:
    _, written = upper("a.vue", VUE_YAML, "es")
    assert written == VUE_YAML.replace("</i18n>", 'es:\n  a: HELLO YOU\n  b: {c: "MORE TEXT"}\n</i18n>')
    _, written = upper("a.vue", VUE_BLOCKS, "es")
    first, rest = VUE_BLOCKS.split('\n<i18n locale="de"')
    copy = first.replace('"en"', '"es"').replace("Hello you", "HELLO YOU")
    assert written == f'{first}\n\n{copy}\n<i18n locale="de"{rest}'
    found, _ = upper("a.vue", VUE_BLOCKS, "de")
    assert found == {"Hello you": "Hallo"}


def test_a_page_in_asciidoc_keeps_its_blocks() -> None:
    document = read_document(ADOC.encode(), "a.adoc")
    shouted = {
        one.id: "".join(part.upper() if isinstance(part, str) else part.shown for part in one.inline.parts)
        for one in document.segments
    }
    written = document.fill(shouted).decode()
    assert "\nSECOND TITLE\n------------\n" in written
    assert [len(one.tags) for one in read_document(written.encode(), "a.adoc").segments] == [
        len(one.tags) for one in document.segments
    ]
    assert written.count('----\nputs "no text"\n----') == 1


def test_a_text_in_latex_is_written_so_that_it_means_itself() -> None:
    document = read_document(TEX.encode(), "a.tex")
    wanted = next(one.id for one in document.segments if one.source == "An item")
    written = document.fill({wanted: r"50 % of {a_b} & “c” – $5 #1 ~ ^ \ …"}).decode()
    new = r"\item 50 \% of \{a\_b\} \& ``c'' -- \$5 \#1 \textasciitilde{} \textasciicircum{} \textbackslash{} \ldots{}"
    assert written == TEX.replace(r"\item An item", new)


def test_translations_of_a_script_are_targets() -> None:
    document = read_document(RENPY_TRANSLATED.encode(), "a.rpy")
    found = [(one.source, one.target, one.state) for one in document.segments]
    assert found == [("Hello, [player]!", "", "new"), ("To the lake", "Al lago", "confirmed")]
    written = document.fill({document.segments[0].id: '¡"Hola", [player]!'}).decode()
    assert written == RENPY_TRANSLATED.replace('e happy ""', 'e happy "¡\\"Hola\\", [player]!"')
    assert document.fill({}) == RENPY_TRANSLATED.encode()
