"""The command that shows and changes the settings of a project, all of them from one registry."""

from __future__ import annotations

import json as json_format
from typing import Annotated, Any

import typer

from dragoman.commands.common import AsJson, ProjectPath, opened
from dragoman.errors import BadInputError

commands = typer.Typer()


@commands.command(epilog="Example: dragoman settings manual share 0.7")
def settings(
    project: ProjectPath,
    name: Annotated[str | None, typer.Argument(help="One setting; without it, all are listed.")] = None,
    value: Annotated[str | None, typer.Argument(help="Its new value, in JSON; without it, the value is shown.")] = None,
    json: AsJson = False,
) -> None:
    """Show the settings of a project, or change one; a change is kept in the journal and takes effect at once."""
    from dragoman.project.settings import SETTINGS

    if name is not None and name not in SETTINGS:
        raise BadInputError(f"there is no setting {name!r}", remedy=f"choose one of {', '.join(SETTINGS)}")
    with opened(project, write=value is not None) as engine:
        if name is not None and value is not None:
            engine.change_settings({name: _parsed(value)})
        found = engine.settings if name is None else {name: engine.settings[name]}
    if json:
        typer.echo(json_format.dumps(found, ensure_ascii=False))
        return
    for each, number in found.items():
        typer.echo(f"{each:16} {json_format.dumps(number, ensure_ascii=False)}\n{'':16} {SETTINGS[each].about}")


def _parsed(value: str) -> Any:
    """A value in JSON; a bare word stands for itself."""
    try:
        return json_format.loads(value)
    except ValueError:
        if value.isidentifier():
            return value
        raise BadInputError(
            f"{value!r} is not valid JSON", remedy="write for example 0.7, null or '{\"beta\": 1}'"
        ) from None
