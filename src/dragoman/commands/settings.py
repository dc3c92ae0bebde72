"""The command that shows and changes the settings of a project, all of them from one registry."""

from __future__ import annotations

import json as json_format
from typing import Annotated, Any

import typer

from dragoman.commands.common import AsJson, ProjectPath, opened
from dragoman.errors import BadInputError

commands = typer.Typer()


@commands.command(epilog="Example: dragoman project settings manual share 0.7")
def settings(
    project: ProjectPath,
    name: Annotated[str | None, typer.Argument(help="One setting; without it, all are listed.")] = None,
    value: Annotated[
        str | None, typer.Argument(help="Its new value, plain or in JSON; without it, the value is shown.")
    ] = None,
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
        trial = engine.try_upstream() if name == "upstream" and value is not None and engine.upstream else None
    if trial:
        typer.echo(f"dragoman: {trial}", err=True)
    if json:
        typer.echo(json_format.dumps(found, ensure_ascii=False))
        return
    for each, number in found.items():
        typer.echo(f"{each:16} {json_format.dumps(number, ensure_ascii=False)}\n{'':16} {SETTINGS[each].about}")


def _parsed(value: str) -> Any:
    """A value in JSON; what is no number, list or object, and not quoted, stands for itself.

    >>> _parsed("0.7"), _parsed("null"), _parsed("ct2:models/en-es"), _parsed("thot")
    (0.7, None, 'ct2:models/en-es', 'thot')
    """
    try:
        return json_format.loads(value)
    except ValueError:
        if value[:1].isalpha():
            return value
        raise BadInputError(
            f"{value!r} is not valid JSON", remedy="write for example 0.7, null or '{\"beta\": 1}'"
        ) from None
