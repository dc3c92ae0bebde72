"""The command for translating by typing: interact."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from dragoman.commands.common import ProjectPath, User, input_lines, opened
from dragoman.errors import BadInputError

if TYPE_CHECKING:
    from prompt_toolkit.input import Input
    from prompt_toolkit.output import Output

    from dragoman.engine import Engine

    Terminal = tuple[Input, Output]

commands = typer.Typer()

HELP = "Tab: next word · →: next character · Enter: accept and learn · Esc: another · ^K: none · ^C: quit"


@commands.command(epilog='Example: dragoman project interact manual "Press the green button."')
def interact(
    project: ProjectPath,
    text: Annotated[
        list[str] | None, typer.Argument(help="Texts to translate; if omitted, lines from standard input.")
    ] = None,
    file: Annotated[Path | None, typer.Option(help="Read the texts from this file, one per line.")] = None,
    threshold: Annotated[
        float, typer.Option(help="Stop suggesting before the first word with less confidence than this, 0 to 1.")
    ] = 0.0,
    user: User = None,
) -> None:
    """Translate by typing: every key completes what you type, and what you accept is learned.

    Tab takes the next word, Enter all of it; Esc asks for another suggestion. If the output goes to a file or a pipe,
    accepted translations are written to it.
    """
    if not 0 <= threshold <= 1:
        raise BadInputError(f"the threshold must be from 0 to 1, not {threshold}")
    if text and file:
        raise BadInputError("give texts or --file, not both")
    if not text and not file and sys.stdin.isatty():
        raise BadInputError("nothing to translate", remedy="give texts, --file, or lines on standard input")
    from dragoman.text.text_files import lines

    sources = text or (lines(file) if file else input_lines())
    terminal = _terminal()
    with opened(project) as engine:
        _print(HELP, terminal)
        for source in sources:
            if source.strip() and not _translate(engine, source, terminal, threshold, user):
                break


def _translate(engine: Engine, source: str, terminal: Terminal, threshold: float, user: str | None) -> bool:
    """Translate one text in the terminal; false if the person leaves."""
    from dragoman.interactive.editor import Editor, shown
    from dragoman.project.guard import FlaggedError

    with engine.interact(source, threshold=threshold, user=user) as session:
        if session.silence:
            reason = f"Without the engine: {engine.upstream_problem or session.silence}"
            flaw = f"The engine's answer looks wrong: {session.silence}"
            _print(reason if session.upstream is None else flaw, terminal)
        editor = Editor(lambda prefix: session.suggest(prefix).suffix, lambda: session.reject().suffix, *terminal)
        _print("", terminal)
        _print(shown(source), terminal, "bold")
        flagged: str | None = None
        while (target := editor.run(flagged or "")) is not None:
            if not target.strip():
                return True  # nothing was typed, so nothing is learned
            try:
                session.accept(target, force=target == flagged)
            except FlaggedError as error:
                flagged = target
                _print(f"{error.what}\nPress Enter to learn it anyway.", terminal)
                continue
            if not sys.stdout.isatty():
                typer.echo(target)
            return True
    return False


def _terminal() -> Terminal:
    """The terminal of whoever runs the command, even if texts come from a file or results go to one."""
    from prompt_toolkit.input import create_input
    from prompt_toolkit.output import create_output

    if not (sys.stdout.isatty() or sys.stderr.isatty()):
        raise BadInputError("there is no terminal to type in", remedy="run it in a terminal")
    return create_input(always_prefer_tty=True), create_output(always_prefer_tty=True)


def _print(text: str, terminal: Terminal, style: str = "") -> None:
    from prompt_toolkit import print_formatted_text
    from prompt_toolkit.formatted_text import FormattedText

    print_formatted_text(FormattedText([(style, text)]), output=terminal[1])
