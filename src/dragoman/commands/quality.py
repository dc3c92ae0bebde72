"""The command that checks the translations in a file, or the files of a project."""

from __future__ import annotations

import json as json_format
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from dragoman.commands.common import AsJson, opened
from dragoman.commands.upkeep import check_project
from dragoman.errors import BadInputError

if TYPE_CHECKING:
    from dragoman.formats import Document
    from dragoman.quality import Checker, Finding

commands = typer.Typer()
Found = list[tuple[str, "Finding"]]


@commands.command("check", epilog="Example: dragoman project check page.xlf --project manual --off spaces")
def check(
    file: Annotated[Path, typer.Argument(help="A file with translations (XLIFF, PO, TMX, TSV …), or a project.")],
    project: Annotated[
        Path | None, typer.Option("--project", help="A project whose glossary and words are used.")
    ] = None,
    source: Annotated[str, typer.Option("--source", help="Source language, if the file does not say.")] = "en",
    target: Annotated[str, typer.Option("--target", help="Target language, if the file does not say.")] = "es",
    off: Annotated[list[str] | None, typer.Option("--off", help="A check to leave out; may be repeated.")] = None,
    json: AsJson = False,
) -> None:
    """Check translations: tags, placeholders, numbers, terms, punctuation, spaces, lengths, contradictions.

    Of a project, check instead that all its files are what was written: journal, documents, answers, snapshots, base.

    The exit code is 1 if something was found, 0 if not.
    """
    from dragoman.languages import refuse_unknown
    from dragoman.quality import CHECKS, Checker

    refuse_unknown(source, target)
    if file.is_dir():
        raise typer.Exit(1 if check_project(file, json) else 0)
    unknown = [each for each in off or () if each not in CHECKS]
    if unknown:
        raise BadInputError(f"there is no check {unknown[0]!r}", remedy=f"choose from {', '.join(CHECKS)}")
    if project is None:
        document = _read(file, source, target)
        checker = Checker(document.source_language or source, document.target_language or target, off=off or ())
        found = _find(document, checker)
    else:
        with opened(project, write=False) as engine:
            document = _read(file, engine.source, engine.target)
            known = engine.is_target_word
            checker = Checker(engine.source, engine.target, engine.find_terms, known, off or (), engine.find_rules)
            found = _find(document, checker)
    _print(found, json)
    raise typer.Exit(1 if found else 0)


def _read(file: Path, source: str, target: str) -> Document:
    from dragoman.files import reading_errors
    from dragoman.formats import read_document

    with reading_errors(file):
        data = file.read_bytes()
    return read_document(data, file.name, source=source, target=target)


def _find(document: Document, checker: Checker) -> Found:
    from dragoman.quality import find_inconsistencies

    pairs = [one for one in document.segments if one.target and one.state != "locked"]
    found: Found = []
    for one in pairs:
        found += [(one.id, each) for each in checker.check(one.source, one.target, limit=one.limit, inline=one.tags)]
    compared = find_inconsistencies((one.id, one.source, one.target) for one in pairs)
    return found + [each for each in compared if each[1].check not in checker.off]


def _print(found: Found, json: bool) -> None:
    for segment, finding in found:
        if json:
            row = {"segment": segment, "check": finding.check, "severity": finding.severity, "what": finding.what}
            typer.echo(json_format.dumps(row, ensure_ascii=False))
        else:
            typer.echo(f"{segment}\t{finding.check}\t{finding.what}")
    if not json:
        typer.echo(f"{len(found):,} found" if found else "nothing found", err=True)
