"""The `dragoman` command. Each command is a few lines over the package, which is imported only when it runs."""

from __future__ import annotations

import gc
import sys
from typing import Annotated, Any

import typer
from typer.core import TyperGroup

from dragoman import __version__
from dragoman.commands import (
    adaptation,
    assess,
    documents,
    evaluation,
    experimenting,
    interaction,
    machine,
    projects,
    quality,
    serving,
    settings,
    tuning,
    upstream,
    watching,
    workbench,
)
from dragoman.errors import DragomanError

# What `dragoman --help` lists, by what people do; tests/test_cli.py checks that no command is missing
GROUPS = {
    "Get started": ("workbench", "demo", "doctor"),
    "Translate": ("translate", "interact", "fill", "check", "explain"),
    "Teach and correct": ("learn", "revise", "forget", "history", "glossary", "import", "export"),
    "Set up projects": ("create", "train", "fetch", "copy", "settings", "stats"),
    "Serve and connect": ("serve", "keys", "watch", "upstream"),
    "Measure and tune": ("assess", "measure", "simulate", "adapt", "sweep", "tune", "tune-number", "experiment"),
}
COLLECT_AFTER = 50_000  # new objects; by default 700, and loading makes hundreds of thousands that stay
PANELS = {name: group for group, names in GROUPS.items() for name in names}


class _Grouped(TyperGroup):
    """Commands in the order of GROUPS; names that are missing there come last."""

    def list_commands(self, ctx: Any) -> list[str]:  # noqa: ARG002 (the signature is Click's)
        order = [name for name in PANELS if name in self.commands]
        return order + [name for name in self.commands if name not in PANELS]

    def get_command(self, ctx: Any, cmd_name: str) -> Any:
        command: Any = super().get_command(ctx, cmd_name)
        if command is not None:
            command.rich_help_panel = PANELS.get(cmd_name)
        return command


app = typer.Typer(
    cls=_Grouped,
    help="Adaptive machine translation: dragoman translates, you correct, and it learns from every correction.",
    epilog='Example: dragoman translate my-project "Press the green button."',
    no_args_is_help=True,
    context_settings={"help_option_names": ["-h", "--help"]},
    pretty_exceptions_enable=False,
)

for each in (
    projects,
    documents,
    interaction,
    adaptation,
    assess,
    evaluation,
    experimenting,
    machine,
    quality,
    serving,
    settings,
    tuning,
    upstream,
    watching,
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
    gc.set_threshold(COLLECT_AFTER)
    try:
        app(prog_name="dragoman")
    except DragomanError as error:
        print(f"dragoman: {error}", file=sys.stderr)
        sys.exit(2)
    except BrokenPipeError:  # the reader of our output has closed it
        sys.stderr.close()
        sys.exit(0)
