"""The `dragoman` command. Each command is a few lines over the package, which is imported only when it runs."""

from __future__ import annotations

import errno
import gc
import os
import sys
from collections.abc import Callable
from functools import cache, partial
from pathlib import Path
from typing import Annotated, Any

import typer
from typer.core import TyperGroup

from dragoman import __version__
from dragoman.commands import (
    assess,
    documents,
    engines,
    evaluation,
    fill,
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

# What `dragoman --help` lists; the rest stands in families, which tests/test_cli.py checks to be complete
SHOWN = (
    "create",
    "translate",
    "learn",
    "fill",
    "import",
    "export",
    "workbench",
    "serve",
    "upstream",
    "engine",
    "watch",
    "assess",
    "doctor",
)
FAMILIES = {
    "project": (
        "Look after a project: its corrections, terms, settings, copies and backups.",
        [
            "history",
            "revise",
            "forget",
            "glossary",
            "settings",
            "stats",
            "explain",
            "check",
            "interact",
            "copy",
            "merge",
            "backup",
            "restore",
            "repair",
            "keys",
            "weblate-sync",
        ],
    ),
    "base": ("Train a base from a corpus, publish it, download one.", ["train", "publish", "fetch"]),
    "lab": (
        "Measure, tune and try out, as the papers do.",
        ["demo", "measure", "simulate", "tune", "tune-number", "adapt", "sweep", "experiment"],
    ),
}
COLLECT_AFTER = 50_000  # new objects; by default 700, and loading makes hundreds of thousands that stay
PLUGINS = "dragoman.commands"
METAVARS = {"str": "TEXT", "list[str]": "TEXT", "int": "NUMBER", "float": "NUMBER", "Path": "PATH"}
UNWRITABLE = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EIO)  # a full disk or device, or a broken one
FAMILY_OF = {name: family for family, (_, names) in FAMILIES.items() for name in names}


class _Root(TyperGroup):
    """The commands of SHOWN, then the families, then what other packages add.

    A command of a family is also found by its name alone, as before there were families, with a notice. Another package
    adds commands by an entry point of the group PLUGINS, a Typer. They are only looked for when one of them may be
    meant, since that takes as long as ten milliseconds.
    """

    def list_commands(self, ctx: Any) -> list[str]:  # noqa: ARG002 (the signature is Click's)
        added = [name for name in _added_commands() if name not in FAMILY_OF]
        return [*SHOWN, *FAMILIES, *added]

    def get_command(self, ctx: Any, cmd_name: str) -> Any:
        if cmd_name in FAMILIES:
            return _family(self, cmd_name)
        command = self.find(ctx, cmd_name)
        if command is not None and cmd_name in FAMILY_OF:
            now = f"dragoman {FAMILY_OF[cmd_name]} {cmd_name}"
            print(f"`dragoman {cmd_name}` is `{now}` now; the old name will go", file=sys.stderr)
        return command

    def get_params(self, ctx: Any) -> Any:
        return _in_plain_words(super().get_params(ctx))

    def find(self, ctx: Any, name: str) -> Any:
        """A command that is not a family, of this package or of another one."""
        command: Any = super().get_command(ctx, name)
        if command is None or name in laboratory.NAMES:
            command = _added_commands().get(name, command)
        for each in () if command is None else (command, *getattr(command, "commands", {}).values()):
            each.get_params = partial(_plain_params, each.get_params)
        return command


class _Family(TyperGroup):
    """Commands that belong together, which are found when they are needed."""

    root: _Root

    def get_params(self, ctx: Any) -> Any:
        return _in_plain_words(super().get_params(ctx))

    def list_commands(self, ctx: Any) -> list[str]:  # noqa: ARG002
        return FAMILIES[str(self.name)][1]

    def get_command(self, ctx: Any, cmd_name: str) -> Any:
        return self.root.find(ctx, cmd_name) if cmd_name in FAMILIES[str(self.name)][1] else None


def _family(root: _Root, name: str) -> _Family:
    family = _Family(name=name, help=FAMILIES[name][0], no_args_is_help=True, epilog=f"Example: dragoman {name} --help")
    family.root = root
    return family


def _plain_params(get_params: Callable[[Any], list[Any]], ctx: Any) -> list[Any]:
    return _in_plain_words(get_params(ctx))


def _in_plain_words(params: list[Any]) -> list[Any]:
    """Parameters whose help says TEXT or NUMBER instead of Python's types, and nothing where no value follows."""
    for option in params:
        if option.param_type_name == "option" and option.metavar is None and hasattr(option, "bare_type"):
            option.metavar = "" if option.is_flag else METAVARS.get(option.bare_type())
    return params


@cache
def _added_commands() -> dict[str, Any]:
    """The commands of other packages."""
    from importlib.metadata import entry_points

    groups = [typer.main.get_group(each.load()) for each in entry_points(group=PLUGINS)]
    return {name: command for group in groups for name, command in group.commands.items()}


app = typer.Typer(
    cls=_Root,
    help="Adaptive machine translation: dragoman translates, you correct, and it learns from every correction.",
    epilog='Example: dragoman translate my-project "Press the green button."',
    no_args_is_help=True,
    context_settings={"help_option_names": ["-h", "--help"]},
    pretty_exceptions_enable=False,
)

for each in (
    projects,
    documents,
    engines,
    interaction,
    assess,
    evaluation,
    fill,
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
