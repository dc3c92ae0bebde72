"""The `dragoman` command: thin, every command a few lines over the package, which is imported only when it runs."""

from __future__ import annotations

import sys
from typing import Annotated

import typer

from dragoman import __version__
from dragoman.errors import DragomanError

app = typer.Typer(
    help="dragoman translates, you correct, and the next sentence is already better.",
    epilog="Example: dragoman doctor",
    no_args_is_help=True,
    add_completion=False,
    context_settings={"help_option_names": ["-h", "--help"]},
    pretty_exceptions_enable=False,
)


def _show_version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"dragoman {__version__}")
        raise typer.Exit


@app.callback()
def _options(
    version: Annotated[
        bool, typer.Option("--version", callback=_show_version, is_eager=True, help="Show the version and stop.")
    ] = False,
) -> None:
    """Options that stand before any command."""


@app.command(epilog="Example: dragoman doctor --json")
def doctor(json: Annotated[bool, typer.Option("--json", help="Print the findings as JSON.")] = False) -> None:
    """Check this machine: versions, kernel cache, memory, disk, and a tiny self-test."""
    from dragoman.doctor import examine, show

    findings = examine()
    show(findings, as_json=json)
    if any(finding.remedy for finding in findings):
        raise typer.Exit(1)


def main() -> None:
    """Run a command; an error that we know of becomes one clear line and exit code 2."""
    try:
        app(prog_name="dragoman")
    except DragomanError as error:
        print(f"dragoman: {error}", file=sys.stderr)
        sys.exit(2)
    except BrokenPipeError:  # whoever read our output has seen enough
        sys.stderr.close()
        sys.exit(0)
