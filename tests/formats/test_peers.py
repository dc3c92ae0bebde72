"""Other libraries read what we have written, and see the same."""

from __future__ import annotations

import warnings
from pathlib import Path
from typing import Any

import polib
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dragoman.formats import Targets, read_document, write_document

DATA = Path(__file__).parent / "data"
# What the peers treat in ways of their own: white space at the ends and control characters.
TEXTS = st.text(st.characters(exclude_categories=["C", "Z"]) | st.sampled_from(' <>&"\\'), min_size=1).map(
    lambda text: f"({text})"
)


def toolkit(module: str) -> Any:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return pytest.importorskip(f"translate.storage.{module}")


def reading(module: str, kind: str, data: bytes) -> Any:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return getattr(toolkit(module), kind).parsestring(data)


@given(TEXTS, TEXTS)
@settings(deadline=None, max_examples=30)
def test_translate_toolkit_reads_our_xliff(first: str, second: str) -> None:
    document = read_document((DATA / "manual.xlf").read_bytes(), "manual.xlf")
    targets: Targets = {"free": first, "done": (second, "confirmed"), "fill": f'{first} <x id="2"/>'}
    units = reading("xliff", "xlifffile", write_document(document, targets)).units
    by_source = {unit.source: unit for unit in units}
    assert by_source["Free again"].target == first
    assert not by_source["Free again"].isapproved()
    assert by_source["Done."].target == second
    assert by_source["Done."].isapproved()
    assert by_source["Care of the boiler"].target is None
    assert by_source["Fill the tank <slowly> & wait."].target.startswith(first)


@given(TEXTS)
@settings(deadline=None, max_examples=30)
def test_translate_toolkit_reads_our_second_xliff(text: str) -> None:
    document = read_document((DATA / "manual2.xlf").read_bytes(), "manual2.xlf", target="es")
    targets: Targets = {"u3": text, "u4": f'{text}<x:sc id="1"/>!<x:ec startRef="1"/>'}
    store = reading("xliff2", "Xliff2File", write_document(document, targets))
    by_source = {unit.source: unit.target for unit in store.units}
    assert by_source["Ready & safe"] == text
    assert by_source["Turn left"] == f"{text}!"
    assert store.gettargetlanguage() == "es"


@given(TEXTS)
@settings(deadline=None, max_examples=30)
def test_translate_toolkit_reads_our_tmx(text: str) -> None:
    document = read_document((DATA / "memory.tmx").read_bytes(), "memory.tmx", source="en", target="es")
    written = write_document(document, {"a3": text, "a1": text + "!"})
    units = reading("tmx", "tmxfile", written.replace(b'<!DOCTYPE tmx SYSTEM "tmx14.dtd">', b"")).units
    found = {unit.source: [str(node.findtext(".//seg")) for node in unit.xmlelement.iter("tuv")] for unit in units}
    assert text in found["Not translated yet"]
    assert text + "!" in found["The lamp is on."]


@given(st.lists(TEXTS, min_size=4, max_size=4), st.booleans())
@settings(deadline=None, max_examples=30)
def test_polib_and_translate_toolkit_read_our_catalogues(texts: list[str], confirmed: bool) -> None:
    document = read_document((DATA / "es.po").read_bytes(), "es.po")
    longer = "\n".join([*texts * 5, "\t"])
    values = {"1": texts[0], "4[1]": texts[1], "4[2]": texts[2], "5": longer}
    written = write_document(
        document, {n: (text, "confirmed" if confirmed else "translated") for n, text in values.items()}
    )
    peer = polib.pofile(written.decode())
    entries = {entry.msgid[:10]: entry for entry in peer}
    assert entries["Care of th"].msgstr == texts[0]
    assert entries["Care of th"].fuzzy is not confirmed
    assert entries["one cup"].msgstr_plural == {0: "una taza", 1: texts[1], 2: texts[2]}
    assert entries["A long tex"].msgstr == longer
    assert entries["Fill the %"].msgstr == "Llene el depósito %s"
    assert len(peer.obsolete_entries()) == 2
    units = {str(unit.source)[:10]: unit for unit in reading("pypo", "pofile", written).units}
    assert units["Care of th"].target == texts[0]
    assert units["Care of th"].isfuzzy() is not confirmed
    assert units["one cup"].target.strings == ["una taza", texts[1], texts[2]]
