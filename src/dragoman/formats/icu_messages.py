"""ICU messages: the forms of plurals and selections are segments of their own.

A message that is translated gets the plural forms that its new language needs, made of the form `other`. An apostrophe
before a brace would begin a quotation, in which the brace means nothing, so a typographic one is written there: that
one is an apostrophe for every program, whether it reads the message as ICU does or not.

>>> text = "{n, plural, one {# file} other {# files, {size}}}"
>>> [(chunk.name, chunk.inline.text) for chunk in divide_message([text]) if chunk.is_segment]
[('one', '# file'), ('other', '# files, {size}')]
"""

from __future__ import annotations

import re

from dragoman.formats.codes import read_codes
from dragoman.formats.division import Chunk, Parts, whole
from dragoman.formats.plural_forms import missing_categories

_CHOICE = re.compile(r"\{\s*[\w.]+\s*,\s*(?:plural|select|selectordinal)\s*,\s*(?:offset:\s*\d+\s*)?")
_FORM = re.compile(r"\s*(=\d+|[\w-]+)\s*\{")
_IS_PLURAL = re.compile(r",\s*plural\s*,")
_HIDING = re.compile(r"(?<!')'(?=\{[^{}'])|(?<=\w)'(?=\}[^'{}]*\Z)")
DEEPEST = 20  # choices inside each other


def divide_message(parts: Parts, codes: tuple[str, ...] = ()) -> list[Chunk]:
    """The forms of a message, each a segment; all of it, if it has no forms or cannot be understood.

    `codes` are the syntaxes of placeholders that its format has.
    """
    text = "".join(part if isinstance(part, str) else part.shown for part in parts)
    if _CHOICE.search(text):
        try:
            return _message(text, 0, len(text), (), 0)
        except ValueError:
            pass
    return whole(read_codes(text, codes).parts)


def complete(text: str, language: str | None) -> str:
    """A message with all the plural forms of a language.

    >>> complete("{n, plural, one {# plik} other {# pliku}}", "pl")
    '{n, plural, one {# plik} few {# pliku} many {# pliku} other {# pliku}}'
    """
    try:
        return _completed(text, language, 0)
    except ValueError:
        return text


def finished_message(source: str, text: str, language: str | None) -> str:
    """A translation with the plural forms of its language, and with no apostrophe that hides a placeholder."""
    text = complete(text, language)
    return text if find_hidden(source, text) is None else with_apostrophes(text)


def _completed(text: str, language: str | None, depth: int) -> str:
    if depth > DEEPEST or _CHOICE.search(text) is None:
        return text
    done, at = "", 0
    while choice := _CHOICE.search(text, at):
        done, at = done + text[at : choice.end()], choice.end()
        forms: dict[str, str] = {}
        while form := _FORM.match(text, at):
            close = _closing(text, form.end(), len(text))
            forms[form[1]] = text[at : form.end()] + _completed(text[form.end() : close], language, depth + 1) + "}"
            at = close + 1
        _closing(text, at, len(text))
        if _IS_PLURAL.search(choice[0]) and "other" in forms:
            other = forms.pop("other")
            for name in missing_categories(language, list(forms)):
                forms[name] = re.sub(r"\bother(?=\s*\{)", name, other, count=1)
            forms["other"] = other
        done += "".join(forms.values())
    return done + text[at:]


def with_apostrophes(text: str) -> str:
    """A message with typographic apostrophes where others would hide a brace.

    >>> with_apostrophes("Le nom d'{name}")
    'Le nom d’{name}'
    """
    return _HIDING.sub("’", text)


def find_hidden(source: str, target: str) -> int | None:
    """Where a target has an apostrophe that hides the brace after it, though the source has none such."""
    if _HIDING.search(source):
        return None
    found = _HIDING.search(target)
    return found.start() if found else None


def _message(text: str, begin: int, end: int, names: tuple[str, ...], depth: int) -> list[Chunk]:
    """The chunks of text[begin:end], which is a message."""
    if depth > DEEPEST:
        raise ValueError("nested too deeply")
    found: list[Chunk] = []
    at = begin
    while True:
        choice = _CHOICE.search(text, at, end)
        found += _plain(text[at : choice.start() if choice else end], names)
        if choice is None:
            return found
        at = choice.end()
        found.append(Chunk([text[choice.start() : at]], False))
        while True:
            form = _FORM.match(text, at, end)
            if form is None:
                break
            close = _closing(text, form.end(), end)
            found.append(Chunk([text[at : form.end()]], False))
            found += _message(text, form.end(), close, (*names, form[1]), depth + 1)
            at = close
            found.append(Chunk([text[at : at + 1]], False))
            at += 1
        stop = _closing(text, at, end)
        found.append(Chunk([text[at : stop + 1]], False))
        at = stop + 1


def _closing(text: str, at: int, end: int) -> int:
    """Where the brace is that closes the one before `at`."""
    depth = 0
    while at < end:
        character = text[at]
        if character == "'" and text[at + 1 : at + 2] in ("{", "}"):  # quoted, up to the next apostrophe
            at = text.find("'", at + 1, end)
            if at < 0:
                break
        elif character == "{":
            depth += 1
        elif character == "}":
            if depth == 0:
                return at
            depth -= 1
        at += 1
    raise ValueError("a brace is not closed")


def _plain(text: str, names: tuple[str, ...]) -> list[Chunk]:
    chunks = whole(read_codes(text).parts) if text else []
    return [Chunk(chunk.parts, chunk.is_segment, "/".join(names)) for chunk in chunks]
