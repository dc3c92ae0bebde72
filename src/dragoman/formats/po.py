r"""PO, the catalogues of gettext: each entry is a segment, or each of its plural forms.

A `fuzzy` entry is "translated", others with a target are "confirmed"; the state belongs to the entry, so all its
forms are confirmed or none. Unchanged entries keep every byte; in changed ones, only `msgstr` and the line of
flags are rewritten. Obsolete entries (`#~`) are comments here. A template gets the header of its new language.
"""

from __future__ import annotations

import gettext
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Self

from dragoman.errors import BadInputError
from dragoman.formats.contents import CHARSET, Contents, decode
from dragoman.formats.document import CompactSegments, Document, DocumentSegment, NewTarget
from dragoman.formats.file_lines import FileLines
from dragoman.formats.gettext_header import filled_header, is_template, plural_forms

CONVERT = "convert the file to UTF-8 first"
WIDTH = 79  # columns of a line, where lines are wrapped: as gettext has it
_STRINGS = r'"(?:[^"\\]++|\\.)*+"'
_LINE = re.compile(rf"\s*+(?:(msgctxt|msgid_plural|msgid|msgstr(?:\[\d{{1,2}}\])?)\s*+)?((?:{_STRINGS}\s*+)++)")
# Nearly every line: a keyword and a string, or a string.
_USUAL = re.compile(rf"(msgctxt|msgid_plural|msgid|msgstr(?:\[\d{{1,2}}\])?)?[ \t]*({_STRINGS})\r?")
_DOMAIN = re.compile(rf"\s*domain\s*{_STRINGS}\s*")
_STRING = re.compile(rf"(?<!\\){_STRINGS}")
_ESCAPE = re.compile(r"((?:\\(?:x[0-9A-Fa-f]{1,2}|[0-7]{1,3}))+)|\\(.)")
_LETTERS = {"a": "\a", "b": "\b", "f": "\f", "n": "\n", "r": "\r", "t": "\t", "v": "\v", '"': '"', "\\": "\\"}
_LETTER_OF = {character: letter for letter, character in _LETTERS.items()}
_SPECIAL = re.compile(f"[{re.escape(''.join(_LETTER_OF))}]")


@dataclass(slots=True)
class Field:
    """A keyword with its strings: the lines of the file from first to one before last."""

    first: int
    last: int
    strings: list[str]
    text: str | None = None

    @property
    def value(self) -> str:
        """The text that the strings are; not to be asked for before all of them are there."""
        if self.text is None:
            self.text = "".join(map(unescape, self.strings))
        return self.text


@dataclass(slots=True)
class PoEntry:
    """An entry, with the comments before it that matter."""

    flags: tuple[int, ...] = ()  # lines of flags: `#, fuzzy`
    notes: tuple[int, ...] = ()  # lines for the translator: `#. …`
    previous: int | None = None  # first line that tells of an older source: `#| msgid "…"`
    fields: dict[str, Field] = field(default_factory=dict)
    translated: bool = False  # whether it has reached the targets, so that the next comment belongs to another entry

    @property
    def begin(self) -> int:
        """The line before which flags go."""
        return self.previous if self.previous is not None else next(iter(self.fields.values())).first


@dataclass(frozen=True)
class PoDocument(Document):
    """A catalogue."""

    lines: FileLines = field(repr=False)
    plurals: int
    singular: int  # which of the plural forms is for one
    header: PoEntry | None = None  # if it is that of a template, which is to be filled in
    wraps: bool = False  # whether long strings are wrapped, not only after line breaks in them

    @classmethod
    def read(cls, data: bytes, name: str, source: str | None = None, target: str | None = None) -> Self:
        """Read a catalogue."""
        document = cls._read_header(data, name, source, target)
        object.__setattr__(document, "segments", CompactSegments(document._segments()))
        return document

    @classmethod
    def _read_header(cls, data: bytes, name: str, source: str | None, target: str | None) -> Self:
        """A catalogue without its segments."""
        contents = decode(data, name, hint=CHARSET)
        _check_charset(contents, data)
        lines = FileLines(contents.text)
        first = next(
            (entry for entry in _entries(lines, name) if not _source(entry) and "msgstr" in entry.fields), None
        )
        header = first.fields["msgstr"].value if first else ""
        plurals = re.search(r"^Plural-Forms:.*?nplurals\s*=\s*([1-9])", header, re.MULTILINE)
        language = _language(header) or target
        is_new = first is not None and language is not None and is_template(header, name)
        usual = plural_forms(language)[0] if is_new and language else 2
        return cls(
            "po",
            source,
            language,
            (),
            data,
            contents,
            lines,
            int(plurals[1]) if plurals else usual,
            _singular(filled_header(header, language) if is_new and language else header),
            first if is_new else None,
        )

    def _entries(self) -> Iterator[tuple[int, PoEntry]]:
        """The entries with their numbers; those without a source, such as the header, have none."""
        number = 0
        for entry in _entries(self.lines, self.contents.name):
            number += bool(_source(entry))
            yield number if _source(entry) else 0, entry

    def _each_target(self, data: bytes, visit: Callable[[str, str], None]) -> None:
        again = self._read_header(data, self.contents.name, self.source_language, self.target_language)
        for number, entry in again._entries():
            for name, key, _ in again._forms(number, entry) if number else ():
                visit(name, entry.fields[key].value if key in entry.fields else "")

    def _segments(self) -> Iterator[DocumentSegment]:
        wraps = False
        for number, entry in self._entries():
            wraps = wraps or _is_wrapped(entry)
            if not number:
                continue
            context = entry.fields["msgctxt"].value if "msgctxt" in entry.fields else ""
            note = " ".join(self.lines[line].strip()[2:].strip() for line in entry.notes) if entry.notes else ""
            for name, key, source in self._forms(number, entry):
                target, state = self._target(entry, key)
                yield DocumentSegment(name, source, target, state, context=context, note=note)
        object.__setattr__(self, "wraps", wraps)

    def _target(self, entry: PoEntry, key: str) -> NewTarget:
        """The target of a form and its state."""
        target = entry.fields[key].value if key in entry.fields else ""
        return NewTarget(target, "new" if not target else "translated" if self._is_fuzzy(entry) else "confirmed")

    def _forms(self, number: int, entry: PoEntry) -> Iterator[tuple[str, str, str]]:
        """Id, keyword of the target and source of each segment of an entry."""
        one, many = entry.fields["msgid"].value, entry.fields.get("msgid_plural")
        if many is None:
            yield str(number), "msgstr", one
            return
        used = [int(key[7:-1]) for key, each in entry.fields.items() if "[" in key and (each.value or not self.header)]
        forms = max(self.plurals, *(form + 1 for form in used), 1)
        for form in range(forms):
            yield f"{number}[{form}]", f"msgstr[{form}]", one if form == self.singular and forms > 1 else many.value

    def _is_fuzzy(self, entry: PoEntry) -> bool:
        return bool(entry.flags) and any("fuzzy" in _flags(self.lines[line]) for line in entry.flags)

    def _find_fault(self, _: DocumentSegment, target: str) -> tuple[str, str] | None:
        if "\0" in target:
            return "has the character U+0000, which PO cannot hold", "take it out"
        try:
            target.encode(self.contents.encoding)
        except UnicodeEncodeError as error:
            lacking = target[error.start]
            return f"does not fit: {lacking!r} is not in {self.contents.encoding}, the encoding of this file", CONVERT
        return None

    def _write(self, changes: Mapping[str, NewTarget]) -> bytes:
        return self.contents.encode_all(_joined(self._with(changes)))

    def _with(self, changes: Mapping[str, NewTarget]) -> Iterator[str]:
        """The file with changes, in pieces of whole lines."""
        header = self.header if any(change.target for change in changes.values()) else None
        done = 0
        for number, entry in self._entries():
            lines: dict[int, list[str]] = {}  # what becomes of a line that changes: others, or none
            if number:
                self._change(lines, number, entry, changes, is_new=header is not None)
            elif header and self.target_language and entry.begin == header.begin:
                filled = filled_header(header.fields["msgstr"].value, self.target_language)
                self._set(lines, entry, "msgstr", filled)
                self._set_fuzzy(lines, entry, False)  # gettext takes no account of a header that is fuzzy
            for line in sorted(lines):
                yield from self.lines.between(done, line)
                yield from lines[line]
                done = line + 1
        yield from self.lines.between(done, len(self.lines))

    def _change(
        self,
        lines: dict[int, list[str]],
        number: int,
        entry: PoEntry,
        changes: Mapping[str, NewTarget],
        *,
        is_new: bool,
    ) -> None:
        """The lines of an entry with its changes."""
        if "msgid_plural" not in entry.fields:  # nearly all have one form
            alone = changes.get(str(number))
            if alone is not None:
                self._set(lines, entry, "msgstr", alone.target)
                self._set_fuzzy(lines, entry, bool(alone.target) and alone.state != "confirmed")
            return
        forms = {name: key for name, key, _ in self._forms(number, entry)}
        if not is_new and not any(name in changes for name in forms):
            return
        wanted = {key: changes.get(name) or self._target(entry, key) for name, key in forms.items()}
        for key, change in wanted.items():
            self._set(lines, entry, key, change.target, add=is_new)
        for key, old in entry.fields.items() if is_new else ():
            if "[" in key and key not in wanted:  # a form that this language lacks
                lines.update({line: [] for line in range(old.first, old.last)})
        doubtful = any(change.target and change.state != "confirmed" for change in wanted.values())
        self._set_fuzzy(lines, entry, doubtful)

    def _set(self, lines: dict[int, list[str]], entry: PoEntry, key: str, target: str, *, add: bool = False) -> None:
        """Replace the old target, or add it after all others; an empty one is only added if you say so."""
        old = entry.fields.get(key)
        if (old or not add) and target == (old.value if old else ""):
            return
        new = [line + self._end for line in written(key, target, wrap=self.wraps)]
        if old is None:
            last = max(each.last for each in entry.fields.values()) - 1
            lines[last] = [*lines.get(last, [self.lines[last]]), *new]
            return
        if not self.lines[old.last - 1].endswith("\r"):
            new[-1] = new[-1].removesuffix("\r")
        for line in range(old.first + 1, old.last):
            lines[line] = []
        lines[old.first] = new

    def _set_fuzzy(self, lines: dict[int, list[str]], entry: PoEntry, fuzzy: bool) -> None:
        if fuzzy == self._is_fuzzy(entry):
            return
        for line in entry.flags:
            flags = [flag for flag in _flags(self.lines[line]) if flag != "fuzzy"]
            if fuzzy and line == entry.flags[0]:
                flags.insert(0, "fuzzy")
            lines[line] = [f"#, {', '.join(flags)}{self._end}"] if flags else []
        if fuzzy and not entry.flags:
            begin = entry.begin
            lines[begin] = [f"#, fuzzy{self._end}", *lines.get(begin, [self.lines[begin]])]

    @property
    def _end(self) -> str:
        return self.contents.newline.removesuffix("\n")


def _is_wrapped(entry: PoEntry) -> bool:
    return any(
        string and not string.endswith(r"\n")
        for each in entry.fields.values()
        if len(each.strings) > 1
        for string in each.strings[:-1]
    )


def _joined(pieces: Iterable[str]) -> Iterator[str]:
    """Pieces of whole lines, with the line feeds between them."""
    for number, piece in enumerate(pieces):
        yield f"\n{piece}" if number else piece


def _check_charset(contents: Contents, data: bytes) -> None:
    """Refuse a file whose header names another encoding than its bytes are in: it would be garbled."""
    if contents.encoding.startswith(("utf", "ascii")) or data.isascii():
        return
    with suppress(UnicodeDecodeError):
        data.decode()
        what = f"its header says {contents.encoding}, but its bytes are UTF-8"
        raise BadInputError(what, where=contents.name, remedy="write charset=UTF-8 into the header")


def _entries(lines: FileLines, name: str) -> Iterator[PoEntry]:
    entry, last = PoEntry(), ""
    for number, line in enumerate(lines):
        usual = _USUAL.fullmatch(line)
        text = "" if usual else line.strip()
        if not usual and (not text or text[0] == "#"):
            if entry.translated:
                yield entry
                entry = PoEntry()
            if text.startswith("#~"):  # what was said before it, was said of it
                entry = PoEntry()
            elif text.startswith("#,"):
                entry.flags += (number,)
            elif text.startswith("#."):
                entry.notes += (number,)
            elif text.startswith("#|") and entry.previous is None:
                entry.previous = number
            continue
        if text.startswith("domain") and _DOMAIN.fullmatch(line):  # the entries after it go into another catalogue
            if entry.translated:
                yield entry
            entry, last = PoEntry(), ""
            continue
        found = usual or _LINE.fullmatch(line)
        if found is None or not (found[1] or last in entry.fields):
            what = f"line {number + 1} is neither a comment nor a keyword with a string: {line.strip()[:40]}"
            raise BadInputError(what, where=name, remedy="check the file with msgfmt -c")
        strings = [found[2][1:-1]] if usual else [string[1:-1] for string in _STRING.findall(found[2])]
        if found[1] is None:
            entry.fields[last].strings += strings
            entry.fields[last].last = number + 1
            continue
        if entry.translated and found[1] in ("msgctxt", "msgid"):
            yield entry
            entry = PoEntry()
        last = _place(found[1], entry, number, name)
        entry.fields[last] = Field(number, number + 1, strings)
        entry.translated = entry.translated or last.startswith("msgstr")
    if entry.translated:
        yield entry
    elif entry.fields:
        raise BadInputError("the last entry has no msgstr", where=name, remedy="check that the file is complete")


def _place(keyword: str, entry: PoEntry, number: int, name: str) -> str:
    """The keyword, if it may stand here."""
    fields = entry.fields
    if (keyword == "msgstr" and len(fields) == 1 and "msgid" in fields) or (keyword == "msgid" and not fields):
        return keyword  # nearly all are so
    lacks_source = keyword not in ("msgctxt", "msgid") and "msgid" not in entry.fields
    wrong_form = keyword.startswith("msgstr") and ("[" in keyword) != ("msgid_plural" in entry.fields)
    late = keyword == "msgid_plural" and entry.translated
    if keyword in entry.fields or lacks_source or wrong_form or late:
        what = f"line {number + 1} has {keyword} in the wrong place"
        raise BadInputError(what, where=name, remedy="check the file with msgfmt -c")
    return keyword


def _language(header: str) -> str | None:
    """The language code, where gettext writes scripts its own way: sr@latin."""
    found = re.search(r"^Language:[ \t]*([\w-]+)(?:@(\w+))?", header, re.MULTILINE)
    if found is None:
        return None
    return f"{found[1]}-{_SCRIPTS[found[2]]}" if found[2] in _SCRIPTS else found[1]


_SCRIPTS = {"latin": "Latn", "cyrillic": "Cyrl", "arabic": "Arab", "devanagari": "Deva", "hebrew": "Hebr"}


def _singular(header: str) -> int:
    """The plural form for one by the header's formula; the first, except in some languages (Arabic, Welsh)."""
    formula = re.search(r"^Plural-Forms:.*?\bplural\s*=([^;\n]+)", header, re.MULTILINE)
    try:
        return int(gettext.c2py(formula[1].strip())(1)) if formula else 0
    except (ValueError, RecursionError, ZeroDivisionError, OverflowError):
        return 0


def _source(entry: PoEntry) -> str:
    """The text to translate; the header entry has none."""
    return entry.fields["msgid"].value


def _flags(line: str) -> list[str]:
    return [flag.strip() for flag in line.strip().removeprefix("#,").split(",") if flag.strip()]


def unescape(string: str) -> str:
    r"""The text that a string literal stands for.

    >>> unescape(r"a \"b\"\n")
    'a "b"\n'
    >>> unescape(r"caf\303\251")
    'café'
    """
    if "\\" not in string:
        return string
    return _ESCAPE.sub(lambda found: _bytes(found[1]) if found[1] else _LETTERS.get(found[2], found[0]), string)


def _bytes(codes: str) -> str:
    """The meaning of bytes written as octal or hexadecimal numbers: UTF-8, or else Latin-1."""
    numbers = [int(code[1:], 16) if code[0] == "x" else int(code, 8) & 0xFF for code in codes.split("\\")[1:]]
    try:
        return bytes(numbers).decode()
    except UnicodeDecodeError:
        return bytes(numbers).decode("latin-1")


def written(key: str, text: str, *, wrap: bool) -> list[str]:
    r"""The lines of a keyword with a text: one, or an empty string and then a line for each line of the text.

    >>> written("msgstr", "one\ntwo", wrap=False)
    ['msgstr ""', '"one\\n"', '"two"']
    """
    lines = re.findall(r"[^\n]*\n|[^\n]+", text) if "\n" in text else [text]
    pieces = [_SPECIAL.sub(lambda found: "\\" + _LETTER_OF[found[0]], line) for line in lines]
    if len(pieces) < 2 and not (wrap and len(key) + 3 + sum(map(len, pieces)) > WIDTH):
        return [f'{key} "{"".join(pieces)}"']
    return [f'{key} ""', *(f'"{line}"' for piece in pieces for line in (_wrapped(piece) if wrap else [piece]))]


def _wrapped(piece: str) -> Iterator[str]:
    """A long string in lines, each ending in a space."""
    line = ""
    for word in re.findall(r"[^ ]* +|[^ ]+", piece):
        if line and len(line) + len(word) > WIDTH - 2:
            yield line
            line = ""
        line += word
    yield line
