r"""Android's `strings.xml`: strings, arrays and plurals, with Android's own escapes inside XML.

`translatable="false"` and what is in an `<xliff:g>` are left alone; markup such as `<b>` becomes tags. A plural gets
the forms that the target language needs, made of the form `other`.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import cached_property

from dragoman.errors import BadInputError
from dragoman.formats.codes import pair_up, read_codes, words
from dragoman.formats.division import Parts, whole
from dragoman.formats.elements import Edit, Element, apply, escape
from dragoman.formats.inline import Inline, read_inline
from dragoman.formats.piece_document import Piece, Replacement
from dragoman.formats.plural_forms import PluralForm, PluralFormsDocument
from dragoman.formats.xml_pieces import XmlPieceDocument

_ESCAPE = re.compile(r"\\(?:u([0-9A-Fa-f]{4})|(.))|(\")|([^\S ]\s*| \s+)", re.DOTALL)  # a single space may stay
_PLAIN = re.compile(r"[^\\\"\s]*(?: [^\\\"\s]+)*")
_REFERENCE = re.compile(r"\A(\s*)([@?])")
_DOUBLE = re.compile(r"\s\s")
_BREAKS = re.compile(r"[\r\u2028\u2029]")
_STAND_INS = "\ufffc\ufdd0\ufdd1\ufdd2"  # for tags; one that no text has is taken
_QUANTITY = re.compile(r"""\squantity\s*=\s*["'](?=other["'])""")
_LETTERS = {"n": "\n", "t": "\t"}
_ELEMENTS = re.compile(rb"<(?:string|plurals|/resources)\b")
_MARKUP = words("a annotation b big div em font i li small span strike strong sub sup tt u")


class AndroidDocument(PluralFormsDocument, XmlPieceDocument):
    """Resources of an app, which their translations replace."""

    kind = "android"
    wanted = frozenset({"string", "plurals", "string-array"})
    gap = re.compile(r"<(?=string|plurals|/resources)")

    @cached_property
    def cuts(self) -> list[int]:
        """Where an element begins, in bytes."""
        return [0, *(found.start() for found in _ELEMENTS.finditer(self.raw_data)), len(self.raw_data)]

    def _frame(self, start: int, end: int) -> str:
        before = self._slice(0, self.cuts[1]) if start else ""
        after = "</resources>" if end < len(self.raw_data) else ""
        return f"{before}{self._slice(start, end)}{after}"

    def _visit(self, element: Element, around: list[Element]) -> Iterable[Piece]:
        if element.attributes.get("translatable") == "false" or (around and around[0].name != "resources"):
            return
        name = element.attributes.get("name", "")
        if element.name == "string":
            yield from self._piece(name, element)
            return
        items = [each for each in element.elements if each.name == "item"]
        if element.name == "plurals":
            self.plural_forms.extend(self._plural_form(items))
        for number, item in enumerate(items):
            yield from self._piece(f"{name}/{item.attributes.get('quantity', number)}", item)

    def _plural_form(self, items: list[Element]) -> Iterable[PluralForm]:
        """The form `other`, and what stands before it, which will stand before its copies."""
        forms = {each.attributes.get("quantity", ""): each for each in items}
        other = forms.get("other")
        if other is None or other.empty:
            return
        head = self._slice(other.start, other.inside)
        quantity = _QUANTITY.search(head)
        if quantity is not None:
            at = other.start + len(head[: quantity.end()].encode())
            before = self.raw_data[max(0, other.start - 200) : other.start]
            after = before[len(before.rstrip()) :].decode()
            yield PluralForm(other.start, other.end, (at, at + len("other")), tuple(forms), after=after)

    def _spliced(self, start: int, end: int, replacements: Iterable[Replacement]) -> str:
        edits = [Edit(each.start - start, each.end - start, each.new.encode()) for each in replacements]
        return apply(self.raw_data[start:end], edits).decode()

    def _length(self, text: str) -> int:
        return len(text.encode())

    def _piece(self, name: str, element: Element) -> Iterable[Piece]:
        if element.empty:
            return
        written = self.raw_data[element.inside : element.close]
        cdata = b"<![CDATA[" in written
        try:
            inline = _with_codes(read_inline(self.raw_data, element, frozenset() if cdata else _MARKUP))
        except ValueError as error:
            raise BadInputError(f"string {name!r}: {error}", where=self.contents.name, remedy="remove them") from None
        yield Piece(name, inline, element.inside, element.close, name, divide=whole, style=cdata)

    def _render(self, piece: Piece, parts: Parts, inner: list[Replacement]) -> str:
        written = []
        codes = {tag.shown for tag in piece.inline.tags if tag.raw == b""}
        for part in parts:
            if isinstance(part, str) or part.shown in codes:
                text = write_escapes(part if isinstance(part, str) else part.shown)
                written.append(text if piece.style else escape(text))
            else:
                written.append(self.raw(part, inner))
        text = "".join(written)
        text = _REFERENCE.sub(r"\1\\\2", text)
        if text != text.strip() or _DOUBLE.search(text):
            text = f'"{text}"'
        return f"<![CDATA[{text.replace(']]>', ']]]]><![CDATA[>')}]]>" if piece.style else text


def _with_codes(inline: Inline) -> Inline:
    """Escapes resolved, and what programs fill in as tags; those are written like text, so they have no raw form."""
    if inline.plain is not None:
        inline = read_codes(read_escapes(inline.plain))
        parts = [part if isinstance(part, str) else part._replace(raw=b"") for part in inline.parts]
        return Inline(parts)
    found = Inline()
    tags = iter(inline.tags)
    for number, run in enumerate(_runs(inline)):
        if number:
            found.parts.append(next(tags))
        for part in read_codes(run).parts:
            found.parts.append(part if isinstance(part, str) else part._replace(raw=b""))
    pair_up(found.parts)
    return found


def _runs(inline: Inline) -> list[str]:
    """The texts between tags, with escapes resolved; quotes may begin before a tag and end after it."""
    for mark in _STAND_INS:
        text = read_escapes("".join(part if isinstance(part, str) else mark for part in inline.parts))
        if text.count(mark) == len(inline.tags):
            return text.split(mark)
    raise ValueError("every stand-in for a tag occurs in the text")


def read_escapes(text: str) -> str:
    r"""The text that a resource stands for: white space is one space unless it is in quotes.

    >>> read_escapes(r"  It\'s\n  here ")
    "It's\n here"
    """
    quoted = False

    def character(found: re.Match[str]) -> str:
        nonlocal quoted
        if found[1]:
            return chr(int(found[1], 16))
        if found[2]:
            return _LETTERS.get(found[2], found[2])
        if found[3]:
            quoted = not quoted
            return ""
        return found[4] if quoted else " "

    stripped = text.strip()
    if _PLAIN.fullmatch(stripped):
        return stripped
    plain = _ESCAPE.sub(character, stripped)
    return plain.encode("utf-16", "surrogatepass").decode("utf-16", "replace")


def write_escapes(text: str) -> str:
    r"""A text as written in a resource.

    >>> write_escapes("It's\n\"new\"")
    'It\\\'s\\n\\"new\\"'
    """
    for character, written in (("\\", "\\\\"), ("'", "\\'"), ('"', '\\"'), ("\n", "\\n"), ("\t", "\\t")):
        text = text.replace(character, written)
    return _BREAKS.sub(lambda found: f"\\u{ord(found[0]):04x}", text)
