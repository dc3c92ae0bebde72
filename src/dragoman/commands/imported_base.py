"""The command that makes a base of what another toolkit has trained: import-base."""

from __future__ import annotations

import json as json_format
from pathlib import Path
from typing import Annotated, Any

import typer

from dragoman.commands.common import AsJson
from dragoman.errors import BadInputError

commands = typer.Typer()


@commands.command(epilog="Example: dragoman import-base moses-base phrase-table.gz --language lm.arpa.gz")
def import_base(
    base: Annotated[Path, typer.Argument(help="The directory of the new base.")],
    phrase_table: Annotated[Path, typer.Argument(help="A phrase table of Moses, plain or .gz.")],
    language: Annotated[Path | None, typer.Option(help="A language model as an ARPA file, plain or .gz.")] = None,
    reordering: Annotated[
        Path | None, typer.Option(help="A reordering table of Moses (msd-bidirectional-fe), plain or .gz.")
    ] = None,
    tokens: Annotated[
        str, typer.Option(help="`words`: projects get text tokenised as the table is; `text`: as people write it.")
    ] = "words",
    json: AsJson = False,
) -> None:
    """Make a base from models that Moses has trained, so that a project learns corrections over them.

    For those who have a trained system but no longer, or not here, the texts it was trained on. With the texts, use
    `dragoman train`: it also learns how both languages are written. `dragoman create --base` makes a project over it.
    """
    from dragoman.models.imported import import_knowledge

    if tokens not in ("text", "words"):
        raise BadInputError(f"unknown kind of tokens {tokens!r}", remedy="choose text or words")
    if base.exists():
        raise BadInputError("already exists", where=base, remedy="choose a directory that does not exist yet")
    mode: Any = tokens
    knowledge = import_knowledge(phrase_table, language, reordering, tokens=mode)
    knowledge.save(base)
    sizes = knowledge.models.statistics()
    if json:
        typer.echo(json_format.dumps(sizes))
    else:
        typer.echo(f"{base}: {sizes['phrase pairs']:,} phrase pairs, {sizes['n-grams']:,} n-grams")
