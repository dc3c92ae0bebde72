"""Messages in the source of programs, in settings and in captions: found, and written as the format wants them."""

from __future__ import annotations

import pytest

from dragoman.errors import BadInputError
from dragoman.formats import read_document

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
    "en.php": (PHP, ["These do not match :name.", 'It\'s "x" here', "Some text"]),
    "lang.php": (LANG, ["Some text", "Other text"]),
    "en.toml": (TOML, ["Hello {{.Name}}", "One thing", "Two lines\nhere"]),
    "en.ini": (INI, ["My page", "It is here"]),
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


def test_a_program_is_no_file_of_messages() -> None:
    with pytest.raises(BadInputError, match="is a program"):
        read_document(b"<?php\necho 'My page';\n", "a.php")


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
