"""The `dragoman` command. Each command is a few lines over the package, which is imported only when it runs."""

from __future__ import annotations

import sys
from typing import Annotated

import typer

from dragoman import __version__
from dragoman.commands import (
    adaptation,
    documents,
    evaluation,
    experimenting,
    interaction,
    machine,
    projects,
    serving,
    settings,
    tuning,
    upstream,
    workbench,
)
from dragoman.errors import DragomanError

app = typer.Typer(
    help="Adaptive machine translation: dragoman translates, you correct, and it learns from every correction.",
    epilog='Example: dragoman translate my-project "Press the green button."',
    no_args_is_help=True,
    add_completion=False,
    context_settings={"help_option_names": ["-h", "--help"]},
    pretty_exceptions_enable=False,
)

for each in (
    projects,
    documents,
    interaction,
    adaptation,
    evaluation,
    experimenting,
    machine,
    serving,
    settings,
    tuning,
    upstream,
    workbench,
):
    app.add_typer(each.commands)


def _show_version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"dragoman {__version__}")
        raise typer.Exit


@app.callback()
def _options(
    version: Annotated[
        bool, typer.Option("--version", callback=_show_version, is_eager=True, help="Show the version and exit.")
    ] = False,
) -> None:
    """Options before the command."""


def main() -> None:
    """Run a command; a `DragomanError` becomes one clear line and exit code 2."""
    try:
        app(prog_name="dragoman")
    except DragomanError as error:
        print(f"dragoman: {error}", file=sys.stderr)
        sys.exit(2)
    except BrokenPipeError:  # the reader of our output has closed it
        sys.stderr.close()
        sys.exit(0)
