"""Commands of the laboratory, a package of its own: here they only say how to install it."""

from __future__ import annotations

import typer

from dragoman.errors import BadInputError

commands = typer.Typer()

NAMES = {
    "experiment": "Rerun a table or figure of the papers.",
    "adapt": "Rerank n-best lists of any decoder, learning weights from each reference.",
    "sweep": "Rerank a text with every learning rate and list size.",
}


def _refuse(context: typer.Context) -> None:
    what = f"`dragoman lab {context.info_name}` is a command of the laboratory, which is not installed"
    raise BadInputError(what, remedy="in a clone of dragoman's repository, run: pip install ./laboratory")


for _name, _help in NAMES.items():
    commands.command(
        _name,
        help=f"{_help} (Needs the laboratory: pip install ./laboratory in a clone of the repository.)",
        short_help=f"{_help} (Needs the laboratory.)",
        context_settings={"allow_extra_args": True, "ignore_unknown_options": True},
    )(_refuse)
