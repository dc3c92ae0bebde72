"""Punctuation at the end, in the script of each language, and spaces."""

from __future__ import annotations

import re
from collections.abc import Iterator

from dragoman.languages import primary
from dragoman.quality.finding import Finding

_KINDS = {
    "full stop": ".。．。।॥۔։።။។᙮",
    "question mark": "?？؟፧⁇\u037e",
    "exclamation mark": "!！߹",
    "colon": ":：፡",
    "ellipsis": "…⋯",
    "comma": ",，、،፣",
    "semicolon": ";；؛፤",
}
_KIND_OF = {character: kind for kind, characters in _KINDS.items() for character in characters}
# What closes a text that is read backwards: so one match finds it, however long it is.
_CLOSING = re.compile(r"""(?:[\s"'”’»«“„)\]}）」』】*_`\u200e\u200f]|>[^<>]*[A-Za-z]/?<)*+""")
_UNMARKED = frozenset({"th", "lo", "km", "my", "hy"})  # written without full stops, or with marks inside words
_DOUBLE = re.compile(r"(?<=\S)  ++(?=\S)")


def find_end(source: str, target: str, language: str) -> Iterator[Finding]:
    """Punctuation at the end that differs in kind from that of the source; `language` is that of the target.

    >>> [finding.what for finding in find_end("Is it on?", "点いていますか。", "ja")]
    ['ends with a full stop, but the source ends with a question mark']
    >>> list(find_end("Is it on?", "هل هو مضاء؟", "ar"))
    []
    """
    if not target.strip() or primary(language) in _UNMARKED:
        return
    wanted, _ = _end(source)
    found, at = _end(target)
    if primary(language) == "el" and found == "semicolon" and wanted == "question mark":
        return
    if wanted != found:
        what = f"ends with {_named(found)}, but the source ends with {_named(wanted)}"
        yield Finding("punctuation", what, at - 1 if found else None, at if found else None)


def _end(text: str) -> tuple[str, int]:
    """The kind of punctuation at the end of a text, behind which only quotes and brackets close; and where it ends."""
    closing = _CLOSING.match(text[::-1])
    bare = text[: len(text) - (closing.end() if closing else 0)]
    if bare.endswith("..."):
        return "ellipsis", len(bare)
    return _KIND_OF.get(bare[-1:], ""), len(bare)


def _named(kind: str) -> str:
    if not kind:
        return "no punctuation"
    return f"{'an' if kind[0] in 'aeiou' else 'a'} {kind}"


def find_spaces(source: str, target: str) -> Iterator[Finding]:
    """Double spaces that the source lacks, and spaces around the text that differ.

    >>> [finding.what for finding in find_spaces("Press it. ", "Pulse  aquí.")]
    ['has two spaces in a row', 'lacks the space at the end']
    """
    if not _DOUBLE.search(source):
        yield from (Finding("spaces", "has two spaces in a row", *found.span()) for found in _DOUBLE.finditer(target))
    if not target.strip() or not source.strip():
        return
    for where, of_source, of_target in (
        ("beginning", source[0].isspace(), target[0].isspace()),
        ("end", source[-1].isspace(), target[-1].isspace()),
    ):
        if of_source != of_target:
            verb = "lacks the" if of_source else "has a"
            place = (None, None) if of_source else (0, 1) if where == "beginning" else (len(target) - 1, len(target))
            yield Finding("spaces", f"{verb} space at the {where}", *place)
