"""Glossaries: TBX, and CSV with named columns, in and out.

>>> data = write_tbx([GlossaryTerm("lid", "tapa", note="of the kettle")], "en", "es")
>>> read_glossary(data, "terms.tbx", "en", "es")
[GlossaryTerm(source='lid', target='tapa', note='of the kettle', status='preferred', case='')]
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from itertools import groupby
from pathlib import PurePath
from typing import Literal, NamedTuple, get_args

from dragoman.errors import BadInputError
from dragoman.formats.contents import DECLARED, NOTHING, check_size, decode
from dragoman.formats.csv_files import NOTES, read_rows, write_cell
from dragoman.formats.elements import XML, Element, Scanner, escape, quote
from dragoman.languages import same_language
from dragoman.project.glossary import Case

Status = Literal["preferred", "admitted", "forbidden"]
_STATUSES: dict[Status, re.Pattern[str]] = {
    "forbidden": re.compile(r"deprecated|forbidden|superseded|notRecommended|obsolete|prohibited", re.IGNORECASE),
    "admitted": re.compile(r"admitted|allowed|acceptable", re.IGNORECASE),
}
_YES = frozenset({"yes", "true", "1", "x", "forbidden"})
_CASES: dict[str, Case] = {**dict.fromkeys([*_YES, "same", "sensitive"], "same"), "no": "any", "any": "any"}
_ORDER = get_args(Status)


class GlossaryTerm(NamedTuple):
    """A term and its translation: the one to be used, another that may be, or one that must not be."""

    source: str
    target: str
    note: str = ""
    status: Status = "preferred"
    case: Case = ""  # see `TermRule`


def read_glossary(data: bytes, name: str, source: str, target: str) -> list[GlossaryTerm]:
    """The terms of a glossary in two languages; of several translations the first that is not forbidden comes first."""
    ending = PurePath(name).suffix.lower()
    if ending == ".tbx":
        return list(_read_tbx(data, name, source, target))
    if ending in (".csv", ".tsv"):
        return list(_read_table(data, name, source, target))
    raise BadInputError("is not a glossary by its name", where=name, remedy="use .tbx, .csv or .tsv")


def _read_tbx(data: bytes, name: str, source: str, target: str) -> Iterator[GlossaryTerm]:
    check_size(data, name)
    contents = decode(data, name, hint=DECLARED)
    found: list[GlossaryTerm] = []

    def visit(entry: Element, _: list[Element]) -> None:
        ours, theirs = ([*_terms(entry, language)] for language in (source, target))
        note = next((_text(each) for each in entry.descendants() if each.name in ("note", "descrip")), "")
        for term, _status, case in ours:
            for translation, status, _case in sorted(theirs, key=lambda each: _ORDER.index(each[1])):
                found.append(GlossaryTerm(term, translation, note, status, case))

    wanted = frozenset({"termEntry", "conceptEntry"})
    Scanner(contents.text.encode(), contents, wanted, visit).scan()
    yield from found


def _terms(entry: Element, language: str) -> Iterator[tuple[str, Status, Case]]:
    """The terms of an entry in a language, their status, and which capitals matter."""
    for section in entry.elements:
        code = section.attributes.get(f"{XML} lang", section.attributes.get("lang", ""))
        if section.name not in ("langSet", "langSec") or not (code and same_language(code, language)):
            continue
        for group in section.descendants():
            term = group.child("term")
            if term is None:
                continue
            notes = [each for each in group.descendants() if each.name == "termNote"]
            told = [(each.attributes.get("type", "").lower(), _text(each)) for each in notes]
            case: Case = next((_CASES.get(said.lower(), "") for kind, said in told if "case" in kind), "")
            if _text(term):
                yield _text(term), _status(said for kind, said in told if "case" not in kind), case


def _status(said: Iterable[str]) -> Status:
    words = [*said]
    return next((status for status, look in _STATUSES.items() if any(map(look.search, words))), "preferred")


def _text(element: Element) -> str:
    parts = (each if isinstance(each, str) else _text(each) for each in element.content)
    return " ".join("".join(parts).split())


def _read_table(data: bytes, name: str, source: str, target: str) -> Iterator[GlossaryTerm]:
    check_size(data, name)
    text = decode(data, name, hint=NOTHING).text
    separator = max(",;\t", key=text.partition("\n")[0].count)
    rows = read_rows(text, separator, name)
    names = [cell.text.strip().lower() for cell in next(rows, [])]
    columns = [_column(names, role, code, name) for role, code in (("source", source), ("target", target))]
    others = {name: names.index(name) for name in ("forbidden", "status", "case") if name in names}
    note = next((names.index(each) for each in NOTES if each in names), None)
    for row in rows:
        cells = [cell.text.strip() for cell in row] + [""] * (len(names) - len(row))
        if all(cells[column] for column in columns):
            said = {name: cells[column].lower() for name, column in others.items()}
            status = "forbidden" if said.get("forbidden", "") in _YES else _status([said.get("status", "")])
            yield GlossaryTerm(
                cells[columns[0]],
                cells[columns[1]],
                cells[note] if note is not None else "",
                status,
                _CASES.get(said.get("case", ""), ""),
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
    rows = [("source", "target", "note", "status", "case")]
    rows += [(term.source, term.target, term.note, term.status, term.case) for term in terms]
    return "".join(",".join(write_cell(cell, ",", quoted=False) for cell in row) + "\n" for row in rows).encode()


def write_tbx(terms: Iterable[GlossaryTerm], source: str, target: str) -> bytes:
    """Terms in TBX, the dialect TBX-Basic in its older and most widely read form; translations of a term together."""
    lines = [
        '<?xml version="1.0" encoding="UTF-8"?>',
        f'<martif type="TBX-Basic" xml:lang={quote(source)}>',
        "  <martifHeader><fileDesc><sourceDesc><p>dragoman</p></sourceDesc></fileDesc></martifHeader>",
        "  <text><body>",
    ]
    alike = groupby(terms, key=lambda term: (term.source, term.note, term.case))
    for number, ((text, note, case), some) in enumerate(alike, start=1):
        kept = f'<termNote type="caseSensitive">{"yes" if case == "same" else "no"}</termNote>' if case else ""
        lines += [
            f'    <termEntry id="t{number}">',
            *([f"      <note>{escape(note)}</note>"] if note else []),
            f"      <langSet xml:lang={quote(source)}><tig><term>{escape(text)}</term>{kept}</tig></langSet>",
            f"      <langSet xml:lang={quote(target)}>{''.join(map(_written, some))}</langSet>",
            "    </termEntry>",
        ]
    return "\n".join([*lines, "  </body></text>", "</martif>", ""]).encode()


def _written(term: GlossaryTerm) -> str:
    """A translation as TBX has it; one to be used needs no status."""
    name = {"preferred": "", "admitted": "admittedTerm", "forbidden": "deprecatedTerm"}[term.status]
    status = f'<termNote type="administrativeStatus">{name}-admn-sts</termNote>' if name else ""
    return f"<tig><term>{escape(term.target)}</term>{status}</tig>"
