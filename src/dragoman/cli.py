"""The `dragoman` command. Each command is a few lines over the package, which is imported only when it runs."""

from __future__ import annotations

import errno
import gc
import os
import sys
from functools import cache
from pathlib import Path
from typing import Annotated, Any

import typer
from typer.core import TyperGroup

from dragoman import __version__
from dragoman.commands import (
    assess,
    documents,
    evaluation,
    interaction,
    laboratory,
    machine,
    projects,
    quality,
    serve,
    settings,
    tune,
    upkeep,
    upstream,
    watch,
    weblate_sync,
    workbench,
)
from dragoman.errors import DragomanError

# What `dragoman --help` lists, by what people do; tests/test_cli.py checks that no command is missing
GROUPS = {
    "Get started": ("workbench", "demo", "doctor"),
    "Translate": ("translate", "interact", "fill", "check", "explain"),
    "Teach and correct": ("learn", "revise", "forget", "history", "glossary", "import", "export"),
    "Set up projects": ("create", "train", "fetch", "publish", "copy", "merge", "settings", "stats"),
    "Keep safe": ("backup", "restore", "repair"),
    "Serve and connect": ("serve", "keys", "watch", "weblate-sync", "upstream"),
    "Measure and tune": ("assess", "measure", "simulate", "tune", "tune-number", "adapt", "sweep", "experiment"),
}
COLLECT_AFTER = 50_000  # new objects; by default 700, and loading makes hundreds of thousands that stay
PLUGINS = "dragoman.commands"
UNWRITABLE = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EIO)  # a full disk or device, or a broken one
PANELS = {name: group for group, names in GROUPS.items() for name in names}


class _Grouped(TyperGroup):
    """Commands in the order of GROUPS; those of other packages that are missing there come last.

    Another package adds commands by an entry point of the group PLUGINS, a Typer. They are only looked for when one of
    them may be meant, since that takes as long as ten milliseconds.
    """

    def list_commands(self, ctx: Any) -> list[str]:  # noqa: ARG002 (the signature is Click's)
        known = {**self.commands, **_added_commands()}
        return [name for name in PANELS if name in known] + [name for name in known if name not in PANELS]

    def get_command(self, ctx: Any, cmd_name: str) -> Any:
        command: Any = super().get_command(ctx, cmd_name)
        if command is None or cmd_name in laboratory.NAMES:
            command = _added_commands().get(cmd_name, command)
        if command is not None:
            command.rich_help_panel = PANELS.get(cmd_name)
        return command


@cache
def _added_commands() -> dict[str, Any]:
    """The commands of other packages."""
    from importlib.metadata import entry_points

    groups = [typer.main.get_group(each.load()) for each in entry_points(group=PLUGINS)]
    return {name: command for group in groups for name, command in group.commands.items()}


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
    assess,
    evaluation,
    laboratory,
    machine,
    quality,
    serve,
    settings,
    tune,
    upkeep,
    upstream,
    watch,
    weblate_sync,
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
        try:
            app(prog_name="dragoman")
        finally:
            sys.stdout.flush()  # here, where an error about it can be told
    except DragomanError as error:
        print(f"dragoman: {error}", file=sys.stderr)
        sys.exit(2)
    except BrokenPipeError:  # the reader of our output has closed it
        sys.stderr.close()
        sys.exit(0)
    except OSError as error:
        if error.errno not in UNWRITABLE:
            raise
        print(f"dragoman: cannot write the output: {(error.strerror or str(error)).lower()}", file=sys.stderr)
        _forget_output()
        sys.exit(1)


def _forget_output() -> None:
    """Let what is still to be written go nowhere, so that Python does not try again when it ends."""
    with Path(os.devnull).open("wb") as nowhere:
        os.dup2(nowhere.fileno(), 1)
