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
    base: Annotated[bool, typer.Option("--base", help="Train them as the base of a project that is new.")] = False,
    translated: Annotated[
        bool, typer.Option("--translated", help="Also those that are translated, but that nobody confirmed.")
    ] = False,
    user: User = None,
    json: AsJson = False,
) -> None:
    """Learn the translations in a file; those that look wrong are kept aside, and counted."""
    with opened(project) as engine:
        segments = _read(engine, file).segments
        states = {"confirmed", "translated"} if translated else {"confirmed"}
        pairs = [(one.source, one.target) for one in segments if one.target and one.state in states]
        if not pairs:
            typer.echo(f"dragoman: {file}: there is nothing to learn in {len(segments):,} segments", err=True)
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
    file: Annotated[Path, typer.Argument(help="What to write: a .tmx or a .tsv file.")],
    json: AsJson = False,
) -> None:
    """Write the corrections in force to a translation memory, or to tab-separated pairs."""
    from dragoman.files import storage_errors, write_durably
    from dragoman.formats.lines import write_tsv
    from dragoman.formats.tmx import Entry, write_tmx

    if file.suffix not in (".tmx", ".tsv"):
        raise BadInputError("corrections are not written to such a file", where=file, remedy="name it .tmx or .tsv")
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
    file: Annotated[Path, typer.Argument(help="XLIFF, TMX, PO, TSV or text.")],
    out: Annotated[Path, typer.Argument(help="The same file, with targets.")],
    learn_confirmed: Annotated[
        bool, typer.Option("--learn-confirmed", help="First learn what is confirmed in it.")
    ] = False,
    user: User = None,
    json: AsJson = False,
) -> None:
    """Translate what is not translated in a file; all else in it stays as it is."""
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
    """The document in a file, which must be in the languages of the project."""
    from dragoman.formats import read_document
    from dragoman.languages import same_language

    try:
        data = file.read_bytes()
    except OSError as error:
        raise BadInputError(f"cannot be read ({error.strerror or error})", where=file) from None
    ours = engine.source, engine.target
    document = read_document(data, file.name, source=ours[0], target=ours[1])
    remedy = f"give a file from {ours[0]} into {ours[1]}"
    theirs = document.source_language, document.target_language
    if document.format == "tmx" and not any(one.target for one in document.segments):
        theirs = _languages_of_memory(data, file, remedy)
    if any(said and not same_language(said, wanted) for said, wanted in zip(theirs, ours, strict=True)):
        what = f"is from {theirs[0]} into {theirs[1]}, the project is not"
        raise BadInputError(what, where=file, remedy=remedy)
    return document


def _languages_of_memory(data: bytes, file: Path, remedy: str) -> tuple[str | None, str | None]:
    """Those that it has, where it was read in others: asked for languages, a memory says them back."""
    from dragoman.formats import read_document

    try:
        document = read_document(data, file.name)
    except BadInputError as error:  # there are more than two, and not the pair that is wanted
        raise BadInputError(error.what, where=file, remedy=remedy) from None
    return document.source_language, document.target_language


def _learn(engine: Engine, pairs: list[tuple[str, str]], user: str | None) -> dict[str, int]:
    """Learn pairs one by one; how many were learned, looked wrong, or could not be learned at all."""
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
