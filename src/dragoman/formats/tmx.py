"""TMX: translation memories, in which the units of a language pair are segments; and corrections as a memory."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from datetime import datetime
from typing import NamedTuple

from dragoman import __version__
from dragoman.errors import BadInputError
from dragoman.formats.contents import Contents
from dragoman.formats.document import NewTarget
from dragoman.formats.elements import UNWRITABLE, XML, Edit, Element, Scanner, escape, quote, tag_attributes, tag_name
from dragoman.formats.layout import Layout, UnitPart
from dragoman.languages import primary, same_language


def _subtags(code: str) -> list[str]:
    """The parts of a code; for Chinese, the country implies the script."""
    found = [primary(code), *code.lower().replace("_", "-").split("-")[1:]]
    return found + [_SCRIPTS[part] for part in found if found[0] == "zh" and part in _SCRIPTS]


_SCRIPTS = {"tw": "hant", "hk": "hant", "mo": "hant", "cn": "hans", "sg": "hans"}


class Tmx(Layout):
    """TMX 1.1 to 1.4."""

    format = "tmx"
    unit = "tu"
    marking = frozenset({"hi"})
    inline = frozenset({"bpt", "ept", "hi", "it", "ph", "sub", "ut"})

    def __init__(self, data: bytes, contents: Contents, source: str | None, target: str | None) -> None:
        super().__init__(data, contents, source, target)
        if source is None or target is None:
            self.source, self.target = self._find_languages()
        self.number = 0

    def languages(self) -> tuple[str | None, str | None]:
        """The requested ones, or the only ones there are."""
        return self.source, self.target

    def parts(self, unit: Element, _: list[Element]) -> list[UnitPart]:
        """One segment, if the unit has the source language; targets in a memory count as confirmed."""
        self.number += 1
        source, target = self._variant(unit, self.source), self._variant(unit, self.target)
        if source is None or source is target:
            return []
        name = unit.attributes.get("tuid", str(self.number))
        found = self.part(name, _segment(source), _segment(target) if target else None, "new")
        for part in found:
            part.state = "confirmed" if part.target else "new"
        return found

    def edits(self, unit: Element, parts: list[UnitPart], changes: Mapping[str, NewTarget]) -> list[Edit]:
        """The target replaced, or added after the source."""
        part = parts[0]
        change = changes[part.id]
        content = self.content(part, change.target)
        if part.place is not None:
            return [self.replace(part.place, content, {})] if change.target != part.target else []
        source = self._variant(unit, self.source)
        if source is None or self.target is None:
            what = f"the target language of segment {part.id!r} is unknown"
            raise BadInputError(what, where=self.contents.name, remedy="pass the languages when reading the file")
        name, seg = tag_name(self.data, source), tag_name(self.data, part.origin)
        language = next(key for key, _ in tag_attributes(self.data, source) if key in ("xml:lang", "lang"))
        start = f"<{name} {language}={quote(self.target)}><{seg}>".encode()
        new = self.indent(source) + start + content + f"</{seg}></{name}>".encode()
        return [Edit(source.end, source.end, new)]

    def _variant(self, unit: Element, language: str | None) -> Element | None:
        """The variant in a language: an exact match, or one with the same script or country, or any."""
        found = [each for each in unit.elements if each.name == "tuv" and each.child("seg") is not None]
        wanted = _subtags(language or "")

        def closeness(variant: Element) -> tuple[bool, int]:
            subtags = _subtags(_language(variant))
            return subtags == wanted, len({*subtags} & {*wanted})

        alike = [each for each in found if language and same_language(_language(each), language)]
        return max(alike, key=closeness, default=None)

    def _find_languages(self) -> tuple[str | None, str | None]:
        """The header's source language and the other one; if there are more, the caller has to choose."""
        there: dict[str, str] = {}

        def visit(unit: Element, _: list[Element]) -> None:
            for each in unit.elements:
                if each.name == "tuv":
                    there.setdefault(_language(each).lower(), _language(each))

        scanner = Scanner(self.data, self.contents, self.unit, visit)
        scanner.scan()
        header = scanner.outside.get("header")
        said = header.attributes.get("srclang", "*all*") if header else "*all*"
        source = self.source or (said if said != "*all*" else next(iter(there.values()), None))
        others = [language for language in there.values() if not (source and same_language(language, source))]
        if self.target is None and len(others) > 1:
            what = f"has the languages {', '.join(there.values())}"
            raise BadInputError(what, where=self.contents.name, remedy="say which two you want")
        return source, self.target or next(iter(others), None)


def _segment(variant: Element) -> Element:
    segment = variant.child("seg")
    assert segment is not None  # noqa: S101 (`_variant` finds no other)
    return segment


def _language(variant: Element) -> str:
    return variant.attributes.get(f"{XML} lang") or variant.attributes.get("lang", "")


class TmxEntry(NamedTuple):
    """A pair of texts for a memory."""

    id: str
    source: str
    target: str
    time: datetime | None = None
    user: str | None = None


def write_tmx(entries: Iterable[TmxEntry], source: str, target: str, left_out: list[str] | None = None) -> bytes:
    """A memory in TMX 1.4; tags in the texts are written as text and read back unchanged.

    Entries that XML cannot hold are left out, and the reasons added to `left_out`.
    """
    lines = [
        '<?xml version="1.0" encoding="UTF-8"?>',
        '<tmx version="1.4">',
        f'  <header creationtool="dragoman" creationtoolversion="{__version__}" segtype="sentence" o-tmf="dragoman"'
        f' adminlang="en" srclang={quote(source)} datatype="plaintext"/>',
        "  <body>",
    ]
    for entry in entries:
        fault = _find_fault(entry)
        if fault:
            if left_out is not None:
                left_out.append(fault)
            continue
        about = f"tuid={quote(entry.id)}"
        about += f' creationdate="{entry.time:%Y%m%dT%H%M%SZ}"' if entry.time else ""
        about += f" creationid={quote(entry.user)}" if entry.user else ""
        lines += [
            f"    <tu {about}>",
            f"      <tuv xml:lang={quote(source)}><seg>{escape(entry.source)}</seg></tuv>",
            f"      <tuv xml:lang={quote(target)}><seg>{escape(entry.target)}</seg></tuv>",
            "    </tu>",
        ]
    return "\n".join([*lines, "  </body>", "</tmx>", ""]).encode()


def _find_fault(entry: TmxEntry) -> str | None:
    found = UNWRITABLE.search(entry.source + entry.target + (entry.user or ""))
    return f"correction {entry.id} has the character U+{ord(found[0]):04X}, which XML cannot hold" if found else None
