"""The command for interactive translation: interact."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from dragoman.commands.common import ProjectPath, User, input_lines, opened
from dragoman.errors import BadInputError

if TYPE_CHECKING:
    from dragoman.engine import Engine

commands = typer.Typer()

HELP = (
    "Tab: next word · →: next character · Enter: accept and learn · Esc: next suggestion · ^K: no suggestion · ^C: quit"
)
PAUSE = 0.05  # seconds after which an Esc is an Esc, and not the beginning of an arrow key


@commands.command(epilog='Example: dragoman interact manual "Press the green button."')
def interact(
    project: ProjectPath,
    text: Annotated[
        list[str] | None, typer.Argument(help="Texts to translate; default: lines of standard input.")
    ] = None,
    file: Annotated[Path | None, typer.Option(help="Read the texts from this file, one per line.")] = None,
    threshold: Annotated[float, typer.Option(help="Suggest only words with at least this confidence, 0 to 1.")] = 0.0,
    user: User = None,
) -> None:
    """Translate interactively: every key updates the completion, and accepted translations are learned.

    Tab accepts the next word, Enter the whole translation; Esc asks for another suggestion. Accepted translations are
    also printed if the output goes to a file.
    """
    if not 0 <= threshold <= 1:
        raise BadInputError(f"the threshold must be from 0 to 1, not {threshold}")
    if text and file:
        raise BadInputError("texts given both as arguments and with --file", remedy="use only one of them")
    if not text and not file and sys.stdin.isatty():
        raise BadInputError("nothing to translate", remedy="give texts, --file, or lines on standard input")
    from dragoman.text.reading import lines

    sources = text or (lines(file) if file else input_lines())
    with opened(project) as engine, _terminal() as terminal:
        terminal.show(f"{HELP}\r\n")
        for source in sources:
            if source.strip() and not _translate(engine, source, terminal, threshold, user):
                break


def _translate(engine: Engine, source: str, terminal: Terminal, threshold: float, user: str | None) -> bool:
    """Translate one text in the terminal; false if the person quits."""
    from dragoman.interactive.editor import ACCEPT, Editor, shown
    from dragoman.project.guard import FlaggedError

    with engine.interact(source, threshold=threshold, user=user) as session:
        editor = Editor(lambda prefix: session.suggest(prefix).suffix, lambda: session.reject().suffix)
        terminal.show(f"\r\n\x1b[1m{shown(source)}\x1b[0m\r\n{editor.draw(terminal.width)}")
        doubted = None
        for key in terminal.keys:
            done = editor.press(key)
            terminal.show(editor.draw(terminal.width))
            if done is None:
                continue
            terminal.show(editor.finish(terminal.width))
            if done != ACCEPT:
                return False
            if not editor.typed.strip():
                return True  # nothing was typed, so nothing is learned
            try:
                session.accept(editor.typed, force=editor.typed == doubted)
            except FlaggedError as error:
                doubted = editor.typed
                terminal.show(f"{error}\r\nPress Enter again to learn it anyway.\r\n{editor.draw(terminal.width)}")
                continue
            if not sys.stdout.isatty():
                typer.echo(editor.typed)
            return True
    return False


class Terminal:
    """A terminal that reports every key as it is pressed."""

    def __init__(self, file: int) -> None:
        import select

        from dragoman.interactive.editor import keys

        self._file = file
        self.keys = keys(lambda: os.read(file, 1024), lambda: bool(select.select([file], [], [], PAUSE)[0]))

    @property
    def width(self) -> int:
        """Columns."""
        try:
            return max(os.get_terminal_size(self._file).columns, 2)
        except OSError:
            return 80

    def show(self, text: str) -> None:
        """Write characters and control sequences."""
        data = text.encode()
        while data:
            data = data[os.write(self._file, data) :]


@contextmanager
def _terminal() -> Iterator[Terminal]:
    """The user's terminal in raw mode, restored afterwards."""
    try:
        import termios
        import tty
    except ImportError:
        raise BadInputError("interactive mode is not supported on this system", remedy="use Linux or macOS") from None
    with ExitStack() as stack:
        file = sys.stdin.fileno()
        if not os.isatty(file):  # the texts come from there
            try:
                file = os.open("/dev/tty", os.O_RDWR)
            except OSError:
                raise BadInputError("no terminal to type in", remedy="run it in a terminal") from None
            stack.callback(os.close, file)
        before = termios.tcgetattr(file)
        stack.callback(termios.tcsetattr, file, termios.TCSADRAIN, before)
        tty.setraw(file)
        yield Terminal(file)
