"""Glossaries: TBX, and CSV with named columns, in and out.

>>> data = write_tbx([GlossaryTerm("lid", "tapa", note="of the kettle")], "en", "es")
>>> read_glossary(data, "terms.tbx", "en", "es")
[GlossaryTerm(source='lid', target='tapa', note='of the kettle', forbidden=False)]
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from pathlib import PurePath
from typing import NamedTuple

from dragoman.errors import BadInputError
from dragoman.formats.contents import DECLARED, NOTHING, decode
from dragoman.formats.csv_files import NOTES, read_rows, write_cell
from dragoman.formats.elements import XML, Element, Scanner, escape, quote
from dragoman.languages import same_language

_FORBIDDEN = re.compile(r"deprecated|forbidden|superseded|notRecommended|obsolete", re.IGNORECASE)
_YES = frozenset({"yes", "true", "1", "x", "forbidden"})


class GlossaryTerm(NamedTuple):
    """A term and its translation; a forbidden one is what must not be written."""

    source: str
    target: str
    note: str = ""
    forbidden: bool = False


def read_glossary(data: bytes, name: str, source: str, target: str) -> list[GlossaryTerm]:
    """The terms of a glossary in two languages; of several translations the first that is not forbidden comes first."""
    ending = PurePath(name).suffix.lower()
    if ending == ".tbx":
        return list(_read_tbx(data, name, source, target))
    if ending in (".csv", ".tsv"):
        return list(_read_table(data, name, source, target))
    raise BadInputError("is not a glossary by its name", where=name, remedy="use .tbx, .csv or .tsv")


def _read_tbx(data: bytes, name: str, source: str, target: str) -> Iterator[GlossaryTerm]:
    contents = decode(data, name, hint=DECLARED)
    found: list[GlossaryTerm] = []

    def visit(entry: Element, _: list[Element]) -> None:
        ours, theirs = ([*_terms(entry, language)] for language in (source, target))
        note = next((_text(each) for each in entry.descendants() if each.name in ("note", "descrip")), "")
        for term, _forbidden in ours:
            for translation, forbidden in sorted(theirs, key=lambda each: each[1]):
                found.append(GlossaryTerm(term, translation, note, forbidden))

    wanted = frozenset({"termEntry", "conceptEntry"})
    Scanner(contents.text.encode(), contents, wanted, visit).scan()
    yield from found


def _terms(entry: Element, language: str) -> Iterator[tuple[str, bool]]:
    """The terms of an entry in a language, and whether they are forbidden."""
    for section in entry.elements:
        code = section.attributes.get(f"{XML} lang", section.attributes.get("lang", ""))
        if section.name not in ("langSet", "langSec") or not (code and same_language(code, language)):
            continue
        for group in section.descendants():
            term = group.child("term")
            if term is None:
                continue
            notes = [_text(each) for each in group.descendants() if each.name == "termNote"]
            if _text(term):
                yield _text(term), any(map(_FORBIDDEN.search, notes))


def _text(element: Element) -> str:
    parts = (each if isinstance(each, str) else _text(each) for each in element.content)
    return " ".join("".join(parts).split())


def _read_table(data: bytes, name: str, source: str, target: str) -> Iterator[GlossaryTerm]:
    text = decode(data, name, hint=NOTHING).text
    separator = max(",;\t", key=text.partition("\n")[0].count)
    rows = read_rows(text, separator, name)
    names = [cell.text.strip().lower() for cell in next(rows, [])]
    columns = [_column(names, role, code, name) for role, code in (("source", source), ("target", target))]
    note = next((names.index(each) for each in NOTES if each in names), None)
    forbidden = names.index("forbidden") if "forbidden" in names else None
    for row in rows:
        cells = [cell.text.strip() for cell in row] + [""] * (len(names) - len(row))
        if all(cells[column] for column in columns):
            yield GlossaryTerm(
                cells[columns[0]],
                cells[columns[1]],
                cells[note] if note is not None else "",
                forbidden is not None and cells[forbidden].lower() in _YES,
            )


def _column(names: list[str], role: str, language: str, file: str) -> int:
    codes = {name: re.fullmatch(r"[a-z]{2,3}(?:[-_]\w+)?", name) for name in names}
    for number, name in enumerate(names):
        if name in (role, f"{role} term") or (codes[name] and same_language(name.replace("_", "-"), language)):
            return number
    what = f"the first row names no column {role!r} or {language!r}"
    raise BadInputError(what, where=file, remedy="name the columns in the first row")


def write_glossary(terms: Iterable[GlossaryTerm], name: str, source: str, target: str) -> bytes:
    """A glossary as TBX or CSV, as the name says."""
    ending = PurePath(name).suffix.lower()
    if ending == ".tbx":
        return write_tbx(terms, source, target)
    if ending != ".csv":
        raise BadInputError("cannot write a glossary to this file type", where=name, remedy="use .tbx or .csv")
    rows = [("source", "target", "note", "forbidden")]
    rows += [(term.source, term.target, term.note, "yes" if term.forbidden else "") for term in terms]
    return "".join(",".join(write_cell(cell, ",", quoted=False) for cell in row) + "\n" for row in rows).encode()


def write_tbx(terms: Iterable[GlossaryTerm], source: str, target: str) -> bytes:
    """Terms in TBX, the dialect TBX-Basic in its older and most widely read form."""
    lines = [
        '<?xml version="1.0" encoding="UTF-8"?>',
        f'<martif type="TBX-Basic" xml:lang={quote(source)}>',
        "  <martifHeader><fileDesc><sourceDesc><p>dragoman</p></sourceDesc></fileDesc></martifHeader>",
        "  <text><body>",
    ]
    for number, term in enumerate(terms, start=1):
        status = '<termNote type="administrativeStatus">deprecatedTerm-admn-sts</termNote>' if term.forbidden else ""
        lines += [
            f'    <termEntry id="t{number}">',
            *([f"      <note>{escape(term.note)}</note>"] if term.note else []),
            f"      <langSet xml:lang={quote(source)}><tig><term>{escape(term.source)}</term></tig></langSet>",
            f"      <langSet xml:lang={quote(target)}><tig><term>{escape(term.target)}</term>{status}</tig></langSet>",
            "    </termEntry>",
        ]
    return "\n".join([*lines, "  </body></text>", "</martif>", ""]).encode()
