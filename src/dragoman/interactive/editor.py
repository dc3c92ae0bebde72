r"""A line in which a translation is typed, with the rest of it suggested in grey; keys in, what to draw out.

Tab takes over a word of the suggestion, the right arrow a character, Enter all of it. Esc asks for another suggestion,
^K for none. Backspace deletes a character, ^W a word, ^U everything. ^C and ^D leave.

>>> editor = Editor(lambda prefix: "Pulse el botón"[len(prefix):], lambda: "")
>>> for key in ["P", "\t", "\t"]:
...     _ = editor.press(key)
>>> editor.typed, editor.suffix
('Pulse el', ' botón')
"""

from __future__ import annotations

import codecs
import re
import unicodedata
from collections.abc import Callable, Iterator
from itertools import pairwise

from rich.cells import cell_len

from dragoman.text.spacing import FULL_WIDTH, UNSPACED, look_of
from dragoman.text.tokens import split

GREY, PLAIN = "\x1b[90m", "\x1b[0m"
ACCEPT, LEAVE = "accept", "leave"

RIGHT = "\x1b[C"
ESCAPE = re.compile(r"\x1b(?:\[[0-?]*[ -/]*[@-~]|O.)")  # the sequences of arrow keys and the like


class Editor:
    """What was typed, and what is suggested after it; `suggest` completes a prefix, `reject` in another way."""

    def __init__(self, suggest: Callable[[str], str], reject: Callable[[], str]) -> None:
        self._suggest, self._reject = suggest, reject
        self.typed = ""
        self.suffix = suggest("")
        self._row = 0  # of the cursor, counted from the first row of the text

    def press(self, key: str) -> str | None:
        """Do what a key says: ACCEPT, LEAVE, or go on."""
        if key in ("\x03", "\x04"):
            return LEAVE
        if key in ("\r", "\n"):
            self.typed, self.suffix = self.typed + self.suffix, ""
            return ACCEPT
        if key == "\x1b":
            self.suffix = self._reject()
        elif key == "\x0b":
            self.suffix = ""
        elif key in ("\t", RIGHT):
            taken = first_word(self.suffix) if key == "\t" else first_character(self.suffix)
            self._type(self.typed + taken)
        elif key in ("\x7f", "\b"):
            self._type(without_last_character(self.typed))
        elif key == "\x17":
            self._type(without_last_word(self.typed))
        elif key == "\x15":
            self._type("")
        elif not key.startswith("\x1b") and unicodedata.category(key[0]) != "Cc":
            self._type(self.typed + key)
        return None

    def _type(self, text: str) -> None:
        if text != self.typed:
            self.typed = text
            self.suffix = self._suggest(text)

    def draw(self, width: int) -> str:
        """The characters and control sequences that show the line on a terminal, in place of what was drawn before."""
        typed, suffix = shown(self.typed), shown(self.suffix)
        erase = f"\x1b[{self._row}A\r\x1b[J" if self._row else "\r\x1b[J"
        row, column = place(typed, width)
        last, end = place(typed + suffix, width)
        wrap = "\r\n" if end == 0 and last else ""  # a full row leaves the cursor in it, on all terminals alike
        back = (f"\x1b[{last - row}A" if last > row else "") + "\r" + (f"\x1b[{column}C" if column else "")
        self._row = row
        return f"{erase}{typed}{GREY}{suffix}{PLAIN}{wrap}{back}"

    def finish(self, width: int) -> str:
        """What brings the cursor to a new row below the line."""
        below = place(shown(self.typed + self.suffix), width)[0] - self._row
        self._row = 0
        return (f"\x1b[{below}B" if below else "") + "\r\n"


def shown(text: str) -> str:
    """A text in which control characters, which a terminal would obey, are visible instead."""
    return "".join("·" if unicodedata.category(c) == "Cc" else c for c in text)


def place(text: str, width: int) -> tuple[int, int]:
    """Row and column of the cursor after a text, on a terminal of this width."""
    row = column = 0
    for character in text:
        cells = cell_len(character)
        if column + cells > width:
            row, column = row + 1, 0
        column += cells
        if column == width:
            row, column = row + 1, 0
    return row, column


def first_word(text: str) -> str:
    """The first word of a text, with the gap before it; if nothing but a gap is left, that.

    >>> first_word(" el botón")
    ' el'
    """
    rest = text.lstrip()
    gap = text[: len(text) - len(rest)]
    return gap + rest[: _word_ends(rest.split()[0])[0]] if rest else gap


def without_last_word(text: str) -> str:
    """A text without its last word and the gap after it.

    >>> without_last_word("Pulse el "), without_last_word("ボタンを押")
    ('Pulse ', 'ボタンを')
    """
    text = text.rstrip()
    last = text.split()[-1] if text else ""
    return text[: len(text) - len(last) + [0, *_word_ends(last)][-2]]


def _word_ends(text: str) -> list[int]:
    """Where the words of a text without spaces end: beside all tokens of scripts that have none, and at its end."""
    sentence = split(text)
    unspaced = pairwise(look_of(word, False).kind in (UNSPACED, FULL_WIDTH) for word in sentence.words)
    ends = [end for (_, end), pair in zip(sentence.spans, unspaced, strict=False) if any(pair)]
    return [*ends, len(text)]


def first_character(text: str) -> str:
    """The first character of a text, with the marks that combine with it."""
    size = 1
    while size < len(text) and _combines(text[size]):
        size += 1
    return text[:size]


def without_last_character(text: str) -> str:
    """A text without its last character and the marks that combine with it."""
    size = max(len(text) - 1, 0)
    while size and _combines(text[size]):
        size -= 1
    return text[:size]


def _combines(character: str) -> bool:
    return unicodedata.category(character).startswith("M")


def keys(read: Callable[[], bytes], more: Callable[[], bool]) -> Iterator[str]:
    """The keys that bytes from a terminal stand for: characters, and sequences that begin with Esc.

    `read` gives some bytes, none at the end; `more` tells whether others follow at once, as they do within a sequence.
    """
    decoder, waiting = codecs.getincrementaldecoder("utf-8")(errors="ignore"), ""
    while chunk := read():
        waiting += decoder.decode(chunk)
        while waiting:
            while waiting[0] == "\x1b" and not ESCAPE.match(waiting) and more() and (chunk := read()):
                waiting += decoder.decode(chunk)
            sequence = ESCAPE.match(waiting)
            size = sequence.end() if sequence else 1
            yield waiting[:size]
            waiting = waiting[size:]
