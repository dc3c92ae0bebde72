"""The page finds the same tags in a text as the tokens have."""

from __future__ import annotations

import json
import random
import shutil
import subprocess

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dragoman.server.tag_pattern import _pattern, tag_pattern, to_javascript
from dragoman.text.patterns import compile_pattern
from dragoman.text.tokens import is_slot, split

TEXTS = [
    'Press <b>the</b> <g id="1">green</g> button.',
    "a <b and c> d, 1 < 2 > 0, <br/>, <!-- note --> and <x y='1' z=2/>",
    "%s files, %(name)s, %1$d of %2$s, 50%off%, %age, 100 %, %-5.2f, %user_name%",
    "{0} {name} {{ x }} ${home} #{id} {not a slot} {user.name!r:>10}",
    "$name costs $US 5, $HOME/bin/x, A$5, US$name, é$name",
    "[X12X] [X1X]_ [^note] [#a]_ [x]",
    "see https://example.org/%s?a={b} or write to ana@example.org, `printf %s`, ``a {b} c``",
    ":kbd:`Esc <x>` and `title <target>`_ &nbsp; &amp; \\n \\u00e9",
    "ж<b>ж</b>ж 漢字<b>{0}</b>漢字 😀<i>😀</i> \u00a0<a\u00a0b=c>",
    "``never closed " + "a" * 200,
    "<" * 300 + "b>" + "{" * 300 + "}" + "%(" * 300,
    "",
]
PIECES = [
    "<b>",
    "</b>",
    "<g id='1'>",
    "%s",
    "%(n)s",
    "{0}",
    "{",
    "}",
    "$name",
    "[X1X]",
    "`",
    "``",
    "%1",
    "%",
    "1",
    ":count",
    ":",
    "__name__",
    "__",
    "@:a.b",
    "@",
    "⟦1⟧",
    "⟦",
    "[[1]]",
    "[",
    "#x#",
    "#",
    "$u$",
    "$",
    "|",
    "{0:a|b}",
    "{n, plural, one {",
    "\\",
    "(x)",
    "$t(x)",
    "<0>",
    "&",
    "a",
    "É",
    " ",
    ".",
    "/",
]


def tags_by_tokens(text: str) -> list[str]:
    sentence = split(text)
    words = zip(sentence.words, sentence.placeable, strict=True)
    return [word for word, placeable in words if placeable and is_slot(word)]


def tags_by_pattern(text: str) -> list[str]:
    """What the pattern finds, before it is written in JavaScript."""
    return [found["tag"] for found in compile_pattern(_pattern()).finditer(text) if found["tag"] is not None]


@pytest.mark.parametrize("text", TEXTS)
def test_the_pattern_finds_the_tags_of_the_tokens(text: str) -> None:
    assert tags_by_pattern(text) == tags_by_tokens(text)


@given(st.lists(st.sampled_from(PIECES), max_size=12).map("".join))
def test_the_pattern_finds_the_tags_of_the_tokens_in_any_text(text: str) -> None:
    assert tags_by_pattern(text) == tags_by_tokens(text)


def test_javascript_finds_the_same_tags() -> None:
    if shutil.which("node") is None:
        pytest.skip("node is not installed")
    program = """
        const { pattern, texts } = JSON.parse(require("fs").readFileSync(0, "utf8"));
        const wanted = new RegExp(pattern, "gu");
        const tags = (text) => [...text.matchAll(wanted)].filter((m) => m.groups.tag !== undefined).map((m) => m[0]);
        console.log(JSON.stringify(texts.map(tags)));
    """
    chance = random.Random(1)
    texts = [*TEXTS, *("".join(chance.choices(PIECES, k=8)) for _ in range(2000))]
    sent = json.dumps({"pattern": tag_pattern("text"), "texts": texts})
    done = subprocess.run(["node", "-e", program], input=sent, capture_output=True, text=True, timeout=60, check=True)
    assert json.loads(done.stdout) == [tags_by_tokens(text) for text in texts]


def test_a_project_of_plain_words_has_no_tags() -> None:
    assert tag_pattern("words") is None


@pytest.mark.parametrize(
    ("pattern", "written"),
    [
        (r"a++b", r"(?=(?<p1>a+))\k<p1>b"),
        (r"(?:x|y){2,3}+", r"(?=(?<p1>(?:x|y){2,3}))\k<p1>"),
        (r"[^\s\"]*", r'[^\t-\r\x1c-\x20\x85\xa0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000"]*'),
        (r"\U0001f600", r"\u{1f600}"),
        (r"(?<!\d.)\$", r"(?<![\p{Nd}].)\$"),
    ],
)
def test_python_is_written_as_javascript(pattern: str, written: str) -> None:
    assert to_javascript(pattern) == written
