r"""A line in the terminal in which a translation is typed, with the rest of it suggested in grey after the cursor.

Tab takes the next word of the suggestion, the right arrow a character, Enter all of it. Esc asks for another one, ^K
removes it. Backspace deletes a character, ^W a word, ^U everything before the cursor. ^C and ^D leave. Everything else,
such as moving the cursor, pasting and wrapping, is left to prompt_toolkit.

>>> from prompt_toolkit.input import create_pipe_input
>>> from prompt_toolkit.output import DummyOutput
>>> with create_pipe_input() as keys:
...     keys.send_text("P\t\t\r")
...     Editor(lambda prefix: "Pulse el botón"[len(prefix):], lambda: "", keys, DummyOutput()).run()
'Pulse el botón'
"""

from __future__ import annotations

import unicodedata
from collections.abc import Callable
from itertools import pairwise

from prompt_toolkit import PromptSession
from prompt_toolkit.auto_suggest import Suggestion
from prompt_toolkit.buffer import Buffer
from prompt_toolkit.document import Document
from prompt_toolkit.history import DummyHistory
from prompt_toolkit.input import Input
from prompt_toolkit.key_binding import KeyBindings, KeyPressEvent
from prompt_toolkit.keys import Keys
from prompt_toolkit.output import Output

from dragoman.text.spacing import FULL_WIDTH, UNSPACED, look_of
from dragoman.text.tokens import split

PAUSE = 0.05  # seconds after which an Esc is an Esc, and not the beginning of an arrow key


class Editor:
    """Edits one line: `suggest` completes a prefix at every change, `reject` gives another completion of the same."""

    def __init__(
        self,
        suggest: Callable[[str], str],
        reject: Callable[[], str],
        input: Input | None = None,  # noqa: A002 (prompt_toolkit's name)
        output: Output | None = None,
    ) -> None:
        self._suggest, self._reject = suggest, reject
        self._prompt: PromptSession[str | None] = PromptSession(
            history=DummyHistory(), key_bindings=self._keys(), input=input, output=output, reserve_space_for_menu=0
        )
        self._prompt.app.ttimeoutlen = PAUSE
        self._buffer = self._prompt.default_buffer
        self._buffer.on_text_changed += self._text_changed

    def run(self, text: str = "") -> str | None:
        """Let a person type, and return the text they accept, or None if they leave.

        The line begins with `text`; if there is any, nothing is suggested until it is changed.
        """
        return self._prompt.prompt(default=text, pre_run=None if text else self._ask)

    # ── Suggestions ──────────────────────────────────────────────────────────────────────────────────────────────────

    def _text_changed(self, _: Buffer) -> None:
        if not self._prompt.app.is_done:
            self._ask()

    def _ask(self) -> None:
        self._show(lambda: self._suggest(self._buffer.text))

    def _show(self, suggestion: Callable[[], str]) -> None:
        """Show a suggestion; an error ends the editing, and comes out of `run`."""
        try:
            self._buffer.suggestion = Suggestion(suggestion())
        except Exception as error:
            self._prompt.app.exit(exception=error)

    @property
    def _suffix(self) -> str:
        """The suggestion, as far as it can be seen: it is shown only while the cursor is at the end of the line."""
        buffer = self._buffer
        return buffer.suggestion.text if buffer.suggestion and buffer.document.is_cursor_at_the_end else ""

    # ── Keys ─────────────────────────────────────────────────────────────────────────────────────────────────────────

    def _keys(self) -> KeyBindings:
        keys = KeyBindings()
        keys.add(Keys.Tab)(lambda _: self._buffer.insert_text(first_word(self._suffix)))
        keys.add(Keys.Right)(self._go_right)
        keys.add(Keys.ControlF)(self._go_right)
        keys.add(Keys.Enter)(self._accept)
        keys.add(Keys.ControlJ)(self._accept)
        keys.add(Keys.Escape, eager=True)(lambda _: self._show(self._reject))
        keys.add(Keys.ControlK)(self._cut_rest)
        keys.add(Keys.Backspace)(lambda _: self._keep(without_last_character))
        keys.add(Keys.ControlW)(lambda _: self._keep(without_last_word))
        keys.add(Keys.BracketedPaste)(self._paste)
        for key in (Keys.ControlC, Keys.ControlD):
            keys.add(key)(lambda event: event.app.exit(result=None))
        return keys

    def _go_right(self, _: KeyPressEvent) -> None:
        if self._suffix:
            self._buffer.insert_text(first_character(self._suffix))
        else:
            self._buffer.cursor_right()

    def _accept(self, event: KeyPressEvent) -> None:
        text = self._buffer.text + self._suffix
        event.app.exit(result=text)
        self._buffer.document = Document(text)

    def _cut_rest(self, _: KeyPressEvent) -> None:
        if self._buffer.document.is_cursor_at_the_end:
            self._buffer.suggestion = None
        else:
            self._buffer.delete(len(self._buffer.document.text_after_cursor))

    def _keep(self, kept: Callable[[str], str]) -> None:
        """Delete before the cursor what a function does not keep of it."""
        before = self._buffer.document.text_before_cursor
        self._buffer.delete_before_cursor(len(before) - len(kept(before)))

    def _paste(self, event: KeyPressEvent) -> None:
        self._buffer.insert_text(" ".join(event.data.splitlines()))


def shown(text: str) -> str:
    """A text in which control characters, which a terminal would obey, are dots."""
    return "".join("·" if unicodedata.category(c) == "Cc" else c for c in text)


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
    """Where the words of a text without spaces end: in scripts that have none, at every token."""
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
