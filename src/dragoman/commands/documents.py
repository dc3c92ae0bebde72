"""Commands for files of translation tools: import and export."""

from __future__ import annotations

from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from dragoman.commands.common import AsJson, ProjectPath, User, check_output, opened, read_bytes, report
from dragoman.errors import BadInputError

if TYPE_CHECKING:
    from dragoman.engine import Engine
    from dragoman.formats import Document

commands = typer.Typer()
IsGlossary = Annotated[bool, typer.Option("--glossary", help="The file holds terms of a glossary: .tbx or .csv.")]


@commands.command("import", epilog="Example: dragoman import manual memory.tmx")
def import_file(
    project: ProjectPath,
    file: Annotated[Path, typer.Argument(help="A file with translations, or a directory of such files.")],
    base: Annotated[bool, typer.Option("--base", help="Train a base from them, for a new project.")] = False,
    translated: Annotated[
        bool, typer.Option("--translated", help="Also learn translations that nobody has confirmed.")
    ] = False,
    glossary: IsGlossary = False,
    user: User = None,
    json: AsJson = False,
) -> None:
    """Learn the translations in a file; those that look wrong are flagged, not learned, and counted.

    What is known already is not learned again; what has changed since the file was last imported is revised.
    The terms of a glossary (.tbx, or --glossary) are added to the project's glossary.
    """
    from dragoman.formats.import_plan import learn_files, learnable

    with opened(project) as engine:
        if glossary or file.suffix.lower() == ".tbx":
            report(_import_glossary(engine, file), json)
            return
        found = _documents(engine, file)
        pairs = {path: learnable(each, translated=translated) for path, each in found.items()}
        total, learned = sum(len(each.segments) for each in found.values()), sum(map(len, pairs.values()))
        if not learned:
            typer.echo(f"dragoman: {file}: nothing to learn in {total:,} segments", err=True)
        waiting = sum(len(learnable(each, translated=True)) for each in found.values()) - learned
        if waiting:
            typer.echo(f"dragoman: {waiting:,} translated but not confirmed; --translated learns them, too", err=True)
        if base and learned:
            counts = {"learned": engine.train(chain.from_iterable(pairs.values()), progress=True), "flagged": 0}
            counts["refused"] = learned - counts["learned"]
        else:
            counts = learn_files(engine, pairs, user)
    counts["left out"] = total - learned
    report(counts, json)


def _import_glossary(engine: Engine, file: Path) -> dict[str, int]:
    """Add the terms of a file to the glossary, with their notes and with what is admitted or forbidden."""
    from dragoman.formats.glossaries import read_glossary
    from dragoman.formats.glossary_terms import plan_import

    terms = read_glossary(read_bytes(file), file.name, engine.source, engine.target)
    plan = plan_import(engine, terms)
    if plan.terms or plan.rules:
        engine.change_terms(plan.terms, plan.rules)
    used = [term for term in terms if term.source not in plan.left_out]
    return {
        "terms": len({term.source for term in used if term.status == "preferred"}),
        "forbidden": sum(term.status == "forbidden" for term in used),
        "left out": len(terms) - len(used),
    }


def _export_glossary(project: Path, file: Path) -> dict[str, int]:
    from dragoman.files import storage_errors, write_durably
    from dragoman.formats.glossaries import write_glossary
    from dragoman.formats.glossary_terms import from_settings

    check_output(file)
    with opened(project, write=False) as engine:
        terms = from_settings(engine.glossary, engine.term_rules)
        data = write_glossary(terms, file.name, engine.source, engine.target)
    with storage_errors(file):
        write_durably(file, data)
    return {"written": len(terms), "left out": 0}


def _documents(engine: Engine, file: Path) -> dict[Path, Document]:
    """The document in a file, or those in a directory; what cannot be read is named and left out."""
    from dragoman.formats.directories import find_documents
    from dragoman.formats.fill_files import read_in_languages

    if not file.is_dir():
        return {file: read_in_languages(engine, file)}
    found: dict[Path, Document] = {}
    for path in find_documents(file):
        try:
            found[path] = read_in_languages(engine, path)
        except BadInputError as error:
            typer.echo(f"left out: {error}", err=True)
    return found


@commands.command("export", epilog="Example: dragoman export manual corrections.tmx")
def export_file(
    project: ProjectPath,
    file: Annotated[Path, typer.Argument(help="The file to write, .tmx or .tsv; .tbx for the glossary.")],
    glossary: IsGlossary = False,
    json: AsJson = False,
) -> None:
    """Write the corrections in force to a translation memory or a tab-separated file.

    The project's glossary is written to a .tbx file, or with --glossary to a .csv file.
    """
    from dragoman.files import storage_errors, write_durably
    from dragoman.formats.lines import write_tsv
    from dragoman.formats.tmx import TmxEntry, write_tmx

    if glossary or file.suffix == ".tbx":
        report(_export_glossary(project, file), json)
        return
    if file.suffix not in (".tmx", ".tsv"):
        raise BadInputError(
            "cannot export to this file type", where=file, remedy="use .tmx or .tsv, or .tbx for the glossary"
        )
    check_output(file)
    with opened(project, write=False) as engine:
        rows = engine.corrections()
        entries = [TmxEntry(str(row.id), row.source or "", row.target or "", row.time, row.user) for row in rows]
        left_out: list[str] = []
        if file.suffix == ".tmx":
            data = write_tmx(entries, engine.source, engine.target, left_out)
        else:
            data = write_tsv((entry[:3] for entry in entries), left_out)
    with storage_errors(file):
        write_durably(file, data)
    for reason in left_out:
        typer.echo(f"left out: {reason}", err=True)
    report({"written": len(entries) - len(left_out), "left out": len(left_out)}, json)
