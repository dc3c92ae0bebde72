"""Commands for files of translation tools: import, export, fill."""

from __future__ import annotations

import json as json_format
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from dragoman.commands.common import AsJson, ProjectPath, User, check_output, opened
from dragoman.errors import BadInputError

if TYPE_CHECKING:
    from dragoman.engine import Engine
    from dragoman.formats import Document, State

commands = typer.Typer()


@commands.command("import", epilog="Example: dragoman import manual memory.tmx")
def import_file(
    project: ProjectPath,
    file: Annotated[Path, typer.Argument(help="XLIFF, TMX, PO or TSV.")],
    base: Annotated[bool, typer.Option("--base", help="Train a base from them, for a new project.")] = False,
    translated: Annotated[
        bool, typer.Option("--translated", help="Also learn translations that nobody has confirmed.")
    ] = False,
    user: User = None,
    json: AsJson = False,
) -> None:
    """Learn the translations in a file; those that look wrong are flagged, not learned, and counted."""
    with opened(project) as engine:
        segments = _read(engine, file).segments
        states = {"confirmed", "translated"} if translated else {"confirmed"}
        pairs = [(one.source, one.target) for one in segments if one.target and one.state in states]
        if not pairs:
            typer.echo(f"dragoman: {file}: nothing to learn in {len(segments):,} segments", err=True)
        if base and pairs:
            counts = {"learned": engine.train(pairs, progress=True), "flagged": 0}
            counts["refused"] = len(pairs) - counts["learned"]
        else:
            counts = _learn(engine, pairs, user)
    counts["left out"] = len(segments) - len(pairs)
    _report(counts, json)


@commands.command("export", epilog="Example: dragoman export manual corrections.tmx")
def export_file(
    project: ProjectPath,
    file: Annotated[Path, typer.Argument(help="The file to write, .tmx or .tsv.")],
    json: AsJson = False,
) -> None:
    """Write the corrections in force to a translation memory or a tab-separated file."""
    from dragoman.files import storage_errors, write_durably
    from dragoman.formats.lines import write_tsv
    from dragoman.formats.tmx import Entry, write_tmx

    if file.suffix not in (".tmx", ".tsv"):
        raise BadInputError("cannot export to this file type", where=file, remedy="use .tmx or .tsv")
    check_output(file)
    with opened(project, write=False) as engine:
        rows = engine.corrections()
        entries = [Entry(str(row.id), row.source or "", row.target or "", row.time, row.user) for row in rows]
        left_out: list[str] = []
        if file.suffix == ".tmx":
            data = write_tmx(entries, engine.source, engine.target, left_out)
        else:
            data = write_tsv((entry[:3] for entry in entries), left_out)
    with storage_errors(file):
        write_durably(file, data)
    for reason in left_out:
        typer.echo(f"left out: {reason}", err=True)
    _report({"written": len(entries) - len(left_out), "left out": len(left_out)}, json)


@commands.command(epilog="Example: dragoman fill manual in.xlf out.xlf --learn-confirmed")
def fill(
    project: ProjectPath,
    file: Annotated[Path, typer.Argument(help="XLIFF, TMX, PO, TSV or plain text.")],
    out: Annotated[Path, typer.Argument(help="The file to write, with translations.")],
    learn_confirmed: Annotated[
        bool, typer.Option("--learn-confirmed", help="First learn its confirmed segments.")
    ] = False,
    user: User = None,
    json: AsJson = False,
) -> None:
    """Translate the untranslated segments of a file and leave everything else in it unchanged."""
    from dragoman.files import storage_errors, write_durably
    from dragoman.formats import write_document
    from dragoman.formats.filling import translate_segment
    from dragoman.progress import bars

    check_output(out)
    with opened(project, write=learn_confirmed) as engine:
        document = _read(engine, file)
        counts = {}
        if learn_confirmed:
            confirmed = [(one.source, one.target) for one in document.segments if one.state == "confirmed"]
            counts = _learn(engine, confirmed, user)
        new = [segment for segment in document.segments if segment.state == "new"]
        targets: dict[str, tuple[str, State]] = {}
        with bars() as report:
            for done, segment in enumerate(new, start=1):
                targets[segment.id] = translate_segment(engine, document, segment), "translated"
                report("translating", done, len(new))
    data = write_document(document, targets)
    with storage_errors(out, unchanged=not learn_confirmed):
        write_durably(out, data)
    _report(counts | {"translated": len(new), "left as they were": len(document.segments) - len(new)}, json)


def _read(engine: Engine, file: Path) -> Document:
    """The document in a file, which must have the languages of the project."""
    from dragoman.formats import read_document
    from dragoman.languages import same_language

    try:
        data = file.read_bytes()
    except OSError as error:
        raise BadInputError(f"cannot read it ({error.strerror or error})", where=file) from None
    ours = engine.source, engine.target
    document = read_document(data, file.name, source=ours[0], target=ours[1])
    remedy = f"use a file from {ours[0]} to {ours[1]}"
    theirs = document.source_language, document.target_language
    if document.format == "tmx" and not any(one.target for one in document.segments):
        theirs = _languages_of_memory(data, file, remedy)
    if any(said and not same_language(said, wanted) for said, wanted in zip(theirs, ours, strict=True)):
        what = f"the file is from {theirs[0]} to {theirs[1]}, but the project is from {ours[0]} to {ours[1]}"
        raise BadInputError(what, where=file, remedy=remedy)
    return document


def _languages_of_memory(data: bytes, file: Path, remedy: str) -> tuple[str | None, str | None]:
    """The languages that a TMX file really has: when read with given languages, it reports those instead."""
    from dragoman.formats import read_document

    try:
        document = read_document(data, file.name)
    except BadInputError as error:  # it has more than two languages, and not the two of the project
        raise BadInputError(error.what, where=file, remedy=remedy) from None
    return document.source_language, document.target_language


def _learn(engine: Engine, pairs: list[tuple[str, str]], user: str | None) -> dict[str, int]:
    """Learn pairs one by one; return how many were learned, flagged, or refused."""
    from dragoman.progress import bars
    from dragoman.project.guard import FlaggedError

    counts = {"learned": 0, "flagged": 0, "refused": 0}
    with bars() as report:
        for done, (source, target) in enumerate(pairs, start=1):
            try:
                engine.learn(source, target, user=user)
                counts["learned"] += 1
            except FlaggedError:
                counts["flagged"] += 1
            except BadInputError:
                counts["refused"] += 1
            report("learning", done, len(pairs))
    return counts


def _report(counts: dict[str, int], json: bool) -> None:
    if json:
        typer.echo(json_format.dumps({name.replace(" ", "_"): count for name, count in counts.items()}))
    else:
        typer.echo(", ".join(f"{count:,} {name}" for name, count in counts.items()))
