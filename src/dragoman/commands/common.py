"""Shared by the commands: common arguments, opening a project, reading input, checking output files."""

from __future__ import annotations

import json as json_format
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from dragoman.errors import BadInputError

if TYPE_CHECKING:
    from dragoman.engine import Engine

ProjectPath = Annotated[Path, typer.Argument(help="The project's directory.")]
SourceFile = Annotated[Path, typer.Argument(help="Source texts, one segment per line, plain or .gz.")]
TargetFile = Annotated[Path, typer.Argument(help="Their translations, line by line.")]
AsJson = Annotated[bool, typer.Option("--json", help="Print JSON.")]
Cluster = Annotated[
    str | None,
    typer.Option("--cluster", help="A Ray cluster to run on, ray://…; `local` starts one on this machine."),
]
User = Annotated[str | None, typer.Option("--user", help="Who made the correction; recorded in the journal.")]


@contextmanager
def opened(project: Path, *, write: bool = True) -> Iterator[Engine]:
    """The engine of a project; warnings from opening it are printed to standard error."""
    from dragoman.engine import Engine

    with Engine.open(project, write=write) as engine:
        for warning in engine.warnings:
            print(f"dragoman: {warning}", file=sys.stderr)
        yield engine


def input_lines() -> Iterator[str]:
    """The lines of standard input."""
    for number, line in enumerate(sys.stdin.buffer, start=1):
        yield decode_line(line, number)


def decode_line(line: bytes, number: int) -> str:
    """A line of standard input as text, without the line end, and without a byte order mark in the first."""
    try:
        text = line.decode()
    except UnicodeDecodeError as error:
        what, where = f"byte {error.start + 1} is not valid UTF-8", f"standard input, line {number}"
        raise BadInputError(what, where=where, remedy="convert it first, for example with iconv") from None
    return (text.removeprefix("\ufeff") if number == 1 else text).removesuffix("\n")


def file_pairs(path: Path) -> Iterator[tuple[str, str]]:
    """The pairs of texts in a tab-separated file."""
    from dragoman.text.text_files import lines

    for number, line in enumerate(lines(path), start=1):
        yield split_pair(line, f"{path}, line {number}")


def split_pair(line: str, where: str) -> tuple[str, str]:
    """The two texts of a line, without the carriage return of Windows line ends."""
    fields = line.removesuffix("\r").split("\t")
    if len(fields) != 2:
        what = f"expected 2 fields, found {len(fields)}"
        raise BadInputError(what, where=where, remedy="put one tab between source and translation")
    return fields[0], fields[1]


def check_output(file: Path | None, *, figure: bool = False) -> None:
    """Refuse an output file that cannot be written, before any work is done."""
    if file is None:
        return
    if not file.parent.is_dir():
        raise BadInputError("no such directory", where=file.parent, remedy="create it, or choose another")
    if file.is_dir():
        raise BadInputError("is a directory", where=file, remedy="give the name of a file")
    for place in (file.parent, file) if file.is_file() or not file.exists() else (file,):  # else it is a device
        if place.exists() and not os.access(place, os.W_OK):
            raise BadInputError("not writable", where=place, remedy="choose a place that you can write to")
    if figure:
        _check_figure(file)


def _check_figure(file: Path) -> None:
    from dragoman.extras import load

    known = load("matplotlib.figure", extra="plots").Figure().canvas.get_supported_filetypes()
    if file.suffix.lower().removeprefix(".") not in known:
        remedy = f"use one of {', '.join(f'.{each}' for each in sorted(known))}"
        raise BadInputError("cannot write a figure in this format", where=file, remedy=remedy)


def read_bytes(file: Path) -> bytes:
    """The bytes of a file."""
    try:
        return file.read_bytes()
    except OSError as error:
        raise BadInputError(f"cannot be read ({error.strerror or error})", where=file) from None


def report(counts: dict[str, int], json: bool) -> None:
    """Print what was done, how many times."""
    if json:
        typer.echo(json_format.dumps({name.replace(" ", "_"): count for name, count in counts.items()}))
    else:
        typer.echo(", ".join(f"{count:,} {name}" for name, count in counts.items()))
