"""Glossaries in TBX and CSV: read, written, and put into force."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

from dragoman.cli import app
from dragoman.engine import Engine
from dragoman.errors import BadInputError
from dragoman.formats.glossaries import GlossaryTerm, read_glossary, write_glossary
from dragoman.formats.glossary_terms import plan_import
from dragoman.project.glossary import TermRule

TERMS = [
    GlossaryTerm("lid", "tapa", "of a kettle"),
    GlossaryTerm('drip "tray", big', "bandeja & más", case="same"),
    GlossaryTerm('drip "tray", big', "charola", "", "admitted", "same"),
    GlossaryTerm('drip "tray", big', "plato", "", "forbidden", "same"),
    GlossaryTerm("web", "red", case="any"),
]
TBX3 = """<?xml version="1.0"?>
<tbx xmlns="urn:iso:std:iso:30042:ed-2" type="TBX-Basic" style="dca"><text><body><conceptEntry id="c1">
<langSec xml:lang="en-US"><termSec><term>lid</term></termSec></langSec>
<langSec xml:lang="es"><termSec><term>cubierta</term>
<termNote type="administrativeStatus">deprecatedTerm-admn-sts</termNote></termSec>
<termSec><term>tapa</term></termSec></langSec><langSec xml:lang="de"><termSec><term>Deckel</term></termSec></langSec>
</conceptEntry></body></text></tbx>"""


@pytest.mark.parametrize("name", ["a.tbx", "a.csv"])
def test_what_is_written_is_read(name: str) -> None:
    assert read_glossary(write_glossary(TERMS, name, "en", "es"), name, "en", "es") == TERMS


def test_the_newer_tbx_is_read_and_preferred_terms_come_first() -> None:
    found = read_glossary(TBX3.encode(), "a.tbx", "en", "es")
    assert found == [GlossaryTerm("lid", "tapa"), GlossaryTerm("lid", "cubierta", status="forbidden")]


def test_columns_may_be_named_by_their_languages() -> None:
    data = b"es;en-GB;comment\ntapa;lid;x\n;empty;\n"
    assert read_glossary(data, "a.csv", "en", "es") == [GlossaryTerm("lid", "tapa", "x")]
    with pytest.raises(BadInputError, match="names no column 'source' or 'fr'"):
        read_glossary(data, "a.csv", "fr", "es")


@pytest.mark.parametrize(
    ("said", "status"),
    [
        ("preferredTerm-admn-sts", "preferred"),
        ("admittedTerm-admn-sts", "admitted"),
        ("deprecatedTerm-admn-sts", "forbidden"),
        ("supersededTerm-admn-sts", "forbidden"),
        ("forbidden", "forbidden"),
        ("admitted", "admitted"),
    ],
)
def test_the_statuses_of_tbx_are_known(said: str, status: str) -> None:
    data = TBX3.replace("deprecatedTerm-admn-sts", said)
    assert {term.target: term.status for term in read_glossary(data.encode(), "a.tbx", "en", "es")} == {
        "tapa": "preferred",
        "cubierta": status,
    }


def test_a_column_says_which_translations_are_forbidden_or_admitted() -> None:
    data = b"source,target,status,case\nlid,tapa,,yes\nlid,cierre,admitted,\nlid,tapadera,forbidden,\n"
    found = read_glossary(data, "a.csv", "en", "es")
    assert [(term.status, term.case) for term in found] == [("preferred", "same"), ("admitted", ""), ("forbidden", "")]
    assert [term.status for term in read_glossary(b"en,es,forbidden\na,b,yes\na,c,no\n", "a.csv", "en", "es")] == [
        "forbidden",
        "preferred",
    ]


def test_importing_adds_to_what_is_said_of_a_term(tmp_path: Path) -> None:
    with Engine.create(tmp_path / "p", source="en", target="es") as engine:
        engine.change_terms({"lid": "cierre"}, {"lid": TermRule("old", forbidden=("tapa", "plato"))})
        terms = [GlossaryTerm("lid", "tapa"), GlossaryTerm("lid", "tapadera", status="forbidden")]
        plan = plan_import(engine, [*terms, GlossaryTerm("", "x")])
        assert (plan.terms, [*plan.left_out]) == ({"lid": "tapa"}, [""])
        assert plan.rules == {"lid": TermRule("old", forbidden=("tapadera", "plato"))}
        engine.change_terms(plan.terms, plan.rules)
        again = plan_import(engine, terms)
        assert (again.terms, again.rules, again.known) == ({}, {}, 1)


def run(*arguments: str | Path) -> dict[str, int]:
    done = CliRunner().invoke(app, [*map(str, arguments), "--json"])
    assert done.exception is None, done.exception
    found: dict[str, int] = json.loads(done.stdout.splitlines()[-1])
    return found


def test_a_glossary_is_put_into_force_and_written_again(tmp_path: Path) -> None:
    with Engine.create(tmp_path / "p", source="en", target="es"):
        pass
    (tmp_path / "a.tbx").write_text(TBX3)
    (tmp_path / "b.csv").write_text("source,target\ndrip tray,bandeja\n")
    assert run("import", tmp_path / "p", tmp_path / "a.tbx") == {"terms": 1, "forbidden": 1, "left_out": 0}
    assert run("import", tmp_path / "p", tmp_path / "b.csv", "--glossary") == {
        "terms": 1,
        "forbidden": 0,
        "left_out": 0,
    }
    with Engine.open(tmp_path / "p", write=False) as engine:
        assert engine.glossary == {"drip tray": "bandeja", "lid": "tapa"}
        assert engine.term_rules == {"lid": TermRule(forbidden=("cubierta",))}
    assert run("export", tmp_path / "p", tmp_path / "c.tbx") == {"written": 3, "left_out": 0}
    assert run("export", tmp_path / "p", tmp_path / "c.csv", "--glossary") == {"written": 3, "left_out": 0}
    forbidden = GlossaryTerm("lid", "cubierta", status="forbidden")
    expected = [GlossaryTerm("drip tray", "bandeja"), GlossaryTerm("lid", "tapa"), forbidden]
    for name in ("c.tbx", "c.csv"):
        assert read_glossary((tmp_path / name).read_bytes(), name, "en", "es") == expected
