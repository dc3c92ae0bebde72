"""Character entities: `&amp;` is read as the character it stands for, and written again as its author wrote it.

An entity in the middle of a sentence is a word like any other; only if the models see `&` can they translate it, and
space it, as they have learned. Entities for spaces and for what cannot be seen are left alone: they are markup.

>>> entities = Entities("Salt &amp; pepper, &quot;fine&quot;")
>>> entities.plain
'Salt & pepper, "fine"'
>>> entities.encode('Sal & pimienta "fina" <aquí>')
'Sal &amp; pimienta &quot;fina&quot; &lt;aquí>'
"""

from __future__ import annotations

import re
from html import unescape

ENTITY = re.compile(r"&(?:[A-Za-z][A-Za-z0-9]{1,31}|#\d{1,7}|#[xX][0-9A-Fa-f]{1,6});")
TAG = re.compile(r"""</?[A-Za-z](?:[^<>"']|"[^"<>]*"|'[^'<>]*')*>""")
COMMENT, END = r"<!--.*?-->", "-->"


class Entities:
    """The entities of a text, which has to be written with the same ones when it is translated."""

    def __init__(self, text: str) -> None:
        parts = _parts(text, TAG.pattern)
        self._tags = {each for part, pattern in parts for each in re.findall(pattern, part, re.DOTALL)}
        self._written = {shown: found for found in ENTITY.findall(text) if _is_visible(shown := unescape(found))}
        if self._written and "&" not in ENTITY.sub("", text):  # the whole text is escaped, so everything has to be
            self._written = {"&": "&amp;", "<": "&lt;"} | self._written
        self.plain = ENTITY.sub(_shown, text) if self._written else text

    def encode(self, text: str) -> str:
        """A translation with entities where the source would have had them; the tags of the source stay tags."""
        if not self._written:
            return text
        pieces = (
            piece
            for part, pattern in _parts(text, f"{TAG.pattern}|{ENTITY.pattern}")
            for piece in re.split(f"({pattern})", part, flags=re.DOTALL)
        )
        return "".join(piece if self._is_markup(piece) else self._escape(piece) for piece in pieces)

    def _is_markup(self, part: str) -> bool:
        return part in self._tags or (ENTITY.fullmatch(part) is not None and not _is_visible(unescape(part)))

    def _escape(self, text: str) -> str:
        return "".join(self._written.get(character, character) for character in text)


def _parts(text: str, pattern: str) -> list[tuple[str, str]]:
    """A text in two parts, each with what to look for in it: comments only as far as one of them can end.

    Otherwise a text of nothing but beginnings of comments would be searched to its end for each of them.
    """
    last = text.rfind(END) + len(END) if END in text else 0
    return [(text[:last], f"{COMMENT}|{pattern}"), (text[last:], pattern)]


def _shown(found: re.Match[str]) -> str:
    character = unescape(found[0])
    return character if _is_visible(character) else found[0]


def _is_visible(shown: str) -> bool:
    return len(shown) == 1 and shown.isprintable() and not shown.isspace() and shown != "\ufffd"
