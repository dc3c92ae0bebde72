"""Rules for sentences from a file of the user's."""

from __future__ import annotations

import subprocess
import sys
from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dragoman.engine import Engine
from dragoman.errors import BadInputError
from dragoman.formats import read_document
from dragoman.formats.srx import BreakRule, SentenceRules, read_srx
from tests.oracles.srx import slow_boundaries

RULES = rb"""<?xml version="1.0"?>
<srx xmlns="http://www.lisa.org/srx20" version="2.0"><header segmentsubflows="yes" cascade="yes"/><body><languagerules>
<languagerule languagerulename="English">
 <rule break="no"><beforebreak>\b[Ff]ig\.</beforebreak><afterbreak>\s</afterbreak></rule>
 <rule break="no"><beforebreak>\Qe.g.\E</beforebreak><afterbreak>\h</afterbreak></rule>
</languagerule>
<languagerule languagerulename="Default">
 <rule break="yes"><beforebreak>[\p{Pe}.;?!]+</beforebreak><afterbreak>\s+\p{Lu}</afterbreak></rule>
 <rule break="yes"><beforebreak>\n</beforebreak></rule>
</languagerule></languagerules>
<maprules><languagemap languagepattern="[Ee][Nn].*" languagerulename="English"/>
<languagemap languagepattern=".*" languagerulename="Default"/></maprules></body></srx>"""


def divided(text: str, language: str = "en", data: bytes = RULES) -> list[str]:
    places = [0, *read_srx(data, "rules.srx")(text, language), len(text)]
    return [text[begin:end] for begin, end in pairwise(places)]


def test_the_first_rule_that_fits_decides() -> None:
    assert divided("See Fig. One (here). Then; Stop, e.g. Now.") == [
        "See Fig. One (here). ",
        "Then; ",
        "Stop, e.g. Now.",
    ]


def test_rules_of_other_languages_are_not_used() -> None:
    assert divided("Ver Fig. Uno.", "es") == ["Ver Fig. ", "Uno."]


def test_without_cascade_only_the_first_map_counts() -> None:
    data = RULES.replace(b'cascade="yes"', b'cascade="no"')
    assert divided("One. Two.", "en", data) == ["One. Two."]


words = st.text(st.sampled_from("ab AB.;) \n"), max_size=30)
parts = st.sampled_from(["a", r"\.", r"[.;]+", r"\s", r"\s+[A-Z]", "", "B?"])


@given(words, st.lists(st.builds(BreakRule, st.booleans(), parts, parts), max_size=5))
@settings(deadline=None)
def test_boundaries_are_those_of_trying_every_rule_at_every_place(text: str, rules: list[BreakRule]) -> None:
    fast = SentenceRules("rules.srx", False, ((".*", "all"),), {"all": tuple(rules)})
    assert fast(text, "en") == slow_boundaries(text, rules)


@pytest.mark.parametrize(
    ("data", "what"),
    [
        (RULES.replace(rb"\b[Ff]ig\.", rb"[Ff"), "has the expression '[Ff'"),
        (b"<srx/>", "has no rules"),
        (b"<srx>", "not well-formed"),
        (b'<!DOCTYPE srx [<!ENTITY a "b">]>' + RULES[21:], "declarations"),
    ],
)
def test_a_file_that_cannot_be_used_is_refused_at_once(data: bytes, what: str) -> None:
    with pytest.raises(BadInputError, match=r".") as refused:
        read_srx(data, "rules.srx")
    assert what in str(refused.value)


def test_a_rule_that_takes_too_long_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("dragoman.formats.srx.SECONDS", 0.05)
    data = RULES.replace(rb"\Qe.g.\E</beforebreak><afterbreak>\h", rb"x</beforebreak><afterbreak>(a+)+[bd]")
    with pytest.raises(BadInputError, match="takes more than"):
        divided("x" + "a" * 5000 + "c. Stop.", data=data)


def test_paragraphs_are_divided_by_these_rules() -> None:
    page = b"<p>One; Two. three</p>"
    ours = read_document(page, "page.html", source="en")
    theirs = read_document(page, "page.html", source="en", sentences=read_srx(RULES, "rules.srx"))
    assert [one.source for one in ours.segments] == ["One; Two. three"]
    assert [one.source for one in theirs.segments] == ["One;", "Two. three"]
    assert theirs.fill({theirs.segments[1].id: "Dos. tres"}) == b"<p>One; Dos. tres</p>"


def test_the_command_takes_rules_and_names_what_it_writes(tmp_path: Path) -> None:
    with Engine.create(tmp_path / "manual", source="en", target="es") as engine:
        engine.learn("One;", "Uno;")
        engine.learn("Two.", "Dos.")
    (tmp_path / "rules.srx").write_bytes(RULES)
    (tmp_path / "page.html").write_bytes(b"<p>One; Two.</p>")
    command = [sys.executable, "-m", "dragoman", "fill", "manual", "page.html", "--to", "es", "--srx", "rules.srx"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=True)
    assert "2 translated" in done.stdout
    assert (tmp_path / "page.es.html").read_bytes() == b"<p>Uno; Dos.</p>"
    wrong = subprocess.run([*command[:6], "--to", "fr"], cwd=tmp_path, capture_output=True, text=True, check=False)
    assert wrong.returncode == 2
    assert "translates into es, not into fr" in wrong.stderr
