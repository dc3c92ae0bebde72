"""What commands have in common: their usual arguments, opening a project, reading standard input."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from dragoman.errors import BadInputError

if TYPE_CHECKING:
    from dragoman.engine import Engine

ProjectPath = Annotated[Path, typer.Argument(help="The project's directory.")]
SourceFile = Annotated[Path, typer.Argument(help="Source texts, one segment a line, plain or .gz.")]
TargetFile = Annotated[Path, typer.Argument(help="Their translations, line by line.")]
AsJson = Annotated[bool, typer.Option("--json", help="Print JSON, for programs.")]
Cluster = Annotated[
    str | None,
    typer.Option("--cluster", help="A Ray cluster to work on, ray://…; `local` starts one on this machine."),
]
User = Annotated[str | None, typer.Option("--user", help="Who corrected; kept in the journal.")]


@contextmanager
def opened(project: Path, *, write: bool = True) -> Iterator[Engine]:
    """The engine of a project, with what was found on opening said on standard error."""
    from dragoman.engine import Engine

    with Engine.open(project, write=write) as engine:
        for warning in engine.warnings:
            print(f"dragoman: {warning}", file=sys.stderr)
        yield engine


def input_lines() -> Iterable[str]:
    """The lines of standard input."""
    return decoded(sys.stdin.buffer, "standard input")


def input_pairs() -> Iterable[tuple[str, str]]:
    """The pairs of texts on standard input, tab-separated."""
    return split_pairs(input_lines(), "standard input")


def file_pairs(path: Path) -> Iterator[tuple[str, str]]:
    """The pairs of texts in a file, tab-separated."""
    from dragoman.files import storage_errors

    with storage_errors(path), path.open("rb") as file:
        yield from split_pairs(decoded(file, str(path)), str(path))


def decoded(lines: Iterable[bytes], where: str) -> Iterator[str]:
    """Lines as text, without their ends."""
    for number, line in enumerate(lines, start=1):
        try:
            yield line.decode().removesuffix("\n")
        except UnicodeDecodeError as error:
            what = f"line {number}, byte {error.start + 1} is not valid UTF-8"
            raise BadInputError(what, where=where, remedy="convert it first, for instance with iconv") from None


def split_pairs(lines: Iterable[str], where: str) -> Iterator[tuple[str, str]]:
    """Source and translation of each line."""
    for number, line in enumerate(lines, start=1):
        fields = line.split("\t")
        if len(fields) != 2:
            what = f"line {number} has {len(fields)} fields"
            raise BadInputError(what, where=where, remedy="put one tab between source and translation")
        yield fields[0], fields[1]
