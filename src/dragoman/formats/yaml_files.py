"""YAML with the strings of programs, as in Rails: nested mappings, where a top key may be the language.

PyYAML tells where scalars are; writing is ours. A string keeps its style (plain, quoted, block) if it can. Mappings of
plural forms (`one: …`, `other: …`) get those of their new language.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from functools import cached_property
from itertools import islice, pairwise
from typing import Any, NamedTuple

from dragoman.errors import BadInputError
from dragoman.extras import load
from dragoman.formats.compact_lists import RowList
from dragoman.formats.contents import Contents
from dragoman.formats.division import Parts
from dragoman.formats.document import NewTarget
from dragoman.formats.icu_messages import divide_message, finished_message
from dragoman.formats.inline import Inline
from dragoman.formats.piece_document import Piece, Replacement
from dragoman.formats.plural_forms import PluralForm, PluralFormsDocument, is_plural
from dragoman.languages import primary, same_language

NOT_STRINGS = re.compile(r"~|null|true|false|yes|no|on|off|y|n|\.inf|\.nan", re.IGNORECASE)
DEEPEST = 100
_PLAIN = re.compile(r"[^\W\d_][^:#\n\r\t{}\[\],&*!|>'\"%@`\\]*[^\s:#\n\r\t{}\[\],&*!|>'\"%@`\\]|[^\W\d_]")
_ESCAPES = {
    "\\": "\\\\",
    '"': '\\"',
    "\n": "\\n",
    "\r": "\\r",
    "\t": "\\t",
    "\0": "\\0",
    "\x85": "\\N",
    "\ufeff": "\\uFEFF",
}
_NEXT = re.compile(r"['\"]?\s*:\s+")  # between a key and its value, if there is no anchor
_UNPRINTABLE = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u2028\u2029\ufeff\ufffe\uffff]")


_PROPERTIES = re.compile(r"(?:[&!][^\s,{}\[\]]*+\s++)+")  # an anchor, or a tag, before a scalar
_STRINGS = (None, "!", "tag:yaml.org,2002:str")  # tags of strings


class Scalar(NamedTuple):
    """A scalar of the file; keys are scalars, too."""

    path: tuple[str, ...]
    text: str
    start: int
    end: int
    style: str | None  # the character that begins it, None if plain
    is_key: bool
    in_flow: bool


class CompactScalars:
    """The scalars of a file, to be gone through in order: of a path, only what differs from the last one is kept."""

    def __init__(self, text: str, items: Iterable[Scalar]) -> None:
        self._text = text
        self._rows = RowList()
        last: tuple[str, ...] = ()
        for item in items:
            both = zip(item.path, last, strict=False)
            shared = next((at for at, (one, two) in enumerate(both) if one != two), min(len(item.path), len(last)))
            is_written = item.text == text[item.start : item.end]
            self._rows.append((shared, *item.path[shared:], True if is_written else item.text, *item[2:]))
            last = item.path

    def __iter__(self) -> Iterator[Scalar]:
        path: tuple[str, ...] = ()
        for shared, *more, text, start, end, style, is_key, in_flow in self._rows:
            path = (*path[:shared], *more)
            yield Scalar(path, self._text[start:end] if text is True else text, start, end, style, is_key, in_flow)


class YamlDocument(PluralFormsDocument):
    """Strings in YAML, which their translations replace; a top key that is the source language becomes the target."""

    kind = "yaml"
    tags_are_text = True
    gap = re.compile(r"\n")

    @cached_property
    def _scalars(self) -> CompactScalars:
        text = self.contents.text
        return CompactScalars(text, read_scalars(text, self.contents.name))

    @cached_property
    def _root(self) -> Scalar | None:
        """The only top key, if it is a language."""
        keys = list(islice((each for each in self._scalars if each.is_key and len(each.path) == 1), 2))
        if len(keys) != 1 or not re.fullmatch(r"[a-z]{2,3}(?:[-_][A-Za-z0-9]{2,8})*", keys[0].text):
            return None
        nested = any(len(each.path) > 1 for each in self._scalars)
        known = self.source_language is None or primary(keys[0].text) == primary(self.source_language)
        return keys[0] if nested and (known or len(keys[0].text) != 3) else None

    def _find_pieces(self) -> Iterable[Piece]:
        root = self._root
        for each in self._scalars:
            if each.is_key or (each.style is None and NOT_STRINGS.fullmatch(each.text)):
                continue
            path = each.path[1:] if root else each.path
            inline = Inline([each.text] if each.text else [])
            name = ".".join(path)
            yield Piece(
                name, inline, each.start, each.end, name, divide=divide_message, style=(each.style, each.in_flow)
            )
        self.plural_forms.extend(self._plurals())
        del self.__dict__["_scalars"]

    def _plurals(self) -> Iterator[PluralForm]:
        """The mappings that are plurals, as Rails has them."""
        plural = {each.path[:-1] for each in self._scalars if each.is_key and each.text == "other"}
        if not plural:
            return
        forms: dict[tuple[str, ...], list[str]] = {path: [] for path in plural}  # the keys of each such mapping
        for each in self._scalars:
            if each.is_key and each.path[:-1] in plural:
                forms[each.path[:-1]].append(each.text)
        for key, value in pairwise(self._scalars):
            if key.is_key and key.text == "other" and not value.is_key and value.path == key.path:
                present = forms[key.path[:-1]]
                if is_plural(present) and _NEXT.fullmatch(self._slice(key.end, value.start)):
                    yield self._plural_form(key, value, present)

    def _plural_form(self, key: Scalar, value: Scalar, present: list[str]) -> PluralForm:
        column = key.start - self.contents.text.rfind("\n", 0, key.start) - 1
        is_block = self.contents.text[value.start : value.end].endswith("\n")
        after = ", " if key.in_flow else " " * column if is_block else self.contents.newline + " " * column
        name = key.start + (key.style is not None)
        return PluralForm(key.start, value.end, (name, name + len(key.text)), tuple(present), after=after)

    def _languages(self) -> tuple[str | None, str | None]:
        return (self._root.text.replace("_", "-") if self._root else None), None

    def _extra(self, _: Mapping[str, NewTarget]) -> list[Replacement]:
        root = self._root
        if root is None or not self.target_language or same_language(root.text, self.target_language):
            return []
        language = self.target_language
        written = language if root.style is None and language != "no" else f'"{language}"'
        return [Replacement(root.start, root.end, written)]

    def _render(self, piece: Piece, parts: Parts, _: list[Replacement]) -> str:
        old = Scalar((), "", piece.start, piece.end, piece.style[0], False, piece.style[1])
        return write_scalar(self._finished(piece, parts), old, self.contents)

    def _finished(self, piece: Piece, parts: Parts) -> str:
        return finished_message(piece.inline.text, Inline(parts).text, self.target_language)

    def _is_same(self, piece: Piece, parts: Parts | None, new: Piece) -> bool:
        if parts is not None and new.inline.text == self._finished(piece, parts):
            return True
        return super()._is_same(piece, parts, new)


def write_scalar(text: str, old: Scalar, contents: Contents) -> str:
    """A string in the style of the one that it replaces, if it can have that, else in double quotes."""
    if old.style in ("|", ">") and not _UNPRINTABLE.search(text) and text.strip("\n "):
        return _block(text, old, contents)
    if old.style is None and not old.in_flow and _PLAIN.fullmatch(text) and not NOT_STRINGS.fullmatch(text):
        return text
    if old.style == "'" and not re.search(r"[\n\r\t]", text) and not _UNPRINTABLE.search(text):
        return "'" + text.replace("'", "''") + "'"
    is_block = old.style in ("|", ">") and contents.text[old.start : old.end].endswith("\n")
    return quoted(text) + (contents.newline if is_block else "")


def _block(text: str, old: Scalar, contents: Contents) -> str:
    """A block scalar with the indentation of the old one; folded ones become literal, which keep every break."""
    written = contents.text[old.start : old.end]
    lines = [line for line in written.splitlines()[1:] if line.strip()]
    before = contents.text[contents.text.rfind("\n", 0, old.start) + 1 : old.start]
    parent = len(before) - len(before.lstrip(" "))
    indent = min((len(line) - len(line.lstrip(" ")) for line in lines), default=parent + 2)
    chomp = "" if text.endswith("\n") and not text.endswith("\n\n") else "+" if text.endswith("\n") else "-"
    explicit = str(indent - parent) if text[:1] in " \n\t" else ""
    body = text.removesuffix("\n").split("\n")
    end = contents.newline if written.endswith("\n") else ""
    head = f"|{explicit}{chomp}"
    return contents.newline.join([head, *(" " * indent + line if line else "" for line in body)]) + end


def quoted(text: str) -> str:
    r"""A string in double quotes.

    >>> quoted('say "hi"\n')
    '"say \\"hi\\"\\n"'
    """
    for character, written in _ESCAPES.items():
        text = text.replace(character, written)
    return '"' + _UNPRINTABLE.sub(lambda found: f"\\u{ord(found[0]):04X}", text) + '"'


def read_scalars(text: str, name: str, offset: int = 0) -> Iterator[Scalar]:
    """All scalars in some YAML, in order; anchors, aliases and tags remain what they are."""
    yaml: Any = load("yaml", "files")
    loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
    stack: list[list[Any]] = []  # of open collections: [is a mapping, its path, key or number to come, in flow]
    # libyaml takes a byte order mark inside the text for one, and shifts all positions.
    if "\ufeff" in text:
        raise BadInputError("has a byte order mark inside the text", where=name, remedy="take it out")
    try:
        for event in yaml.parse(text, Loader=loader):
            for each in _scalar(event, stack, yaml, offset):
                properties = _PROPERTIES.match(text, each.start - offset, each.end - offset)
                yield each._replace(start=properties.end() + offset) if properties else each
            if len(stack) > DEEPEST:
                raise BadInputError("is nested too deeply", where=name, remedy="simplify it")
    except yaml.YAMLError as error:
        mark = getattr(error, "problem_mark", None)
        what = f"line {mark.line + 1} is not YAML ({error.problem})" if mark else "is not YAML"
        raise BadInputError(what, where=name, remedy="check it with a YAML linter") from None


def _scalar(event: Any, stack: list[list[Any]], yaml: Any, offset: int) -> Iterator[Scalar]:
    """Follow one event; a scalar is given with its path."""
    if isinstance(event, yaml.MappingEndEvent | yaml.SequenceEndEvent):
        stack.pop()
        _advance(stack)
    elif isinstance(event, yaml.MappingStartEvent | yaml.SequenceStartEvent):
        path = _path(stack)
        mapping = isinstance(event, yaml.MappingStartEvent)
        in_flow = bool(event.flow_style) or bool(stack and stack[-1][3])
        stack.append([mapping, path, None if mapping else 0, in_flow])
    elif isinstance(event, yaml.AliasEvent):
        if stack and stack[-1][0] and stack[-1][2] is None:
            stack[-1][2] = f"*{event.anchor}"
        else:
            _advance(stack)
    elif isinstance(event, yaml.ScalarEvent):
        is_key = bool(stack) and stack[-1][0] and stack[-1][2] is None
        if is_key:
            stack[-1][2] = event.value
        start, end = event.start_mark.index + offset, event.end_mark.index + offset
        style = event.style if event.style in ("'", '"', "|", ">") else None
        in_flow = bool(stack and stack[-1][3])
        special = event.tag not in _STRINGS or (start == end and style is None)
        if not special or is_key:
            yield Scalar(_path(stack), event.value, start, end, style, is_key, in_flow)
        if not is_key:
            _advance(stack)


def _path(stack: list[list[Any]]) -> tuple[str, ...]:
    if not stack:
        return ()
    return (*stack[-1][1], str(stack[-1][2]))


def _advance(stack: list[list[Any]]) -> None:
    """The value of a key, or an item, has come to its end."""
    if stack and stack[-1][0]:
        stack[-1][2] = None
    elif stack:
        stack[-1][2] += 1
