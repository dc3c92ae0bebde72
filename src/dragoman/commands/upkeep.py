"""Commands that look after a project: repair, backup, restore; `check` on a project is in `quality`."""

from __future__ import annotations

import json as json_format
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from dragoman.commands.common import AsJson, ProjectPath, check_output
from dragoman.errors import BadInputError

if TYPE_CHECKING:
    from dragoman.project.repair import Repaired

commands = typer.Typer()
SHOWN = 20  # lines on what is lost; all are counted


def check_project(project: Path, json: bool) -> int:
    """Print what is damaged in a project; how much there is."""
    from dragoman.editor.document_repair import check_documents
    from dragoman.progress import bars
    from dragoman.store.integrity import check_store

    with bars() as progress:
        found = [*check_store(project, progress), *check_documents(project)]
    for each in found:
        typer.echo(json_format.dumps({"where": each.where, "what": each.what}) if json else str(each))
    if not json:
        remedy = f"save what is whole with `dragoman project repair {project} NEW`"
        typer.echo(f"{len(found):,} damaged; {remedy}" if found else "everything is what was written", err=True)
    return len(found)


@commands.command(epilog="Example: dragoman project repair manual manual-2")
def repair(
    project: ProjectPath,
    new: Annotated[Path, typer.Argument(help="The directory of the new project.")],
    base: Annotated[
        Path | None, typer.Option(help="A base to use instead of the project's, if that is damaged.")
    ] = None,
    json: AsJson = False,
) -> None:
    """Save all that is whole of a damaged project as a new one, and name what is not.

    Corrections in force are learned again, with who made them and when; documents refer to them as before. The exit
    code is 1 if something was lost. The old project is not changed.
    """
    from dragoman.editor.document_repair import repair_documents
    from dragoman.engine import Engine
    from dragoman.progress import bars
    from dragoman.project.repair import repair as save

    def also(place: Path, repaired: Repaired) -> None:
        repaired.lost += map(str, repair_documents(project, place, repaired.learned))

    with bars() as progress:
        repaired = save(Engine, project, new, base=base, also=also, progress=progress)
    for reason in repaired.lost[:SHOWN]:
        typer.echo(f"dragoman: lost: {reason}", err=True)
    if len(repaired.lost) > SHOWN:
        typer.echo(f"dragoman: and {len(repaired.lost) - SHOWN:,} more", err=True)
    for reason in repaired.unchecked[:SHOWN]:
        typer.echo(f"dragoman: saved as it stands: {reason}", err=True)
    if json:
        about = {
            "learned": len(repaired.learned),
            "settings": repaired.settings,
            "lost": repaired.lost,
            "unchecked": repaired.unchecked,
        }
        typer.echo(json_format.dumps(about, ensure_ascii=False))
    else:
        typer.echo(f"{new} has {len(repaired.learned):,} corrections; lost: {len(repaired.lost):,}")
    if repaired.lost:
        raise typer.Exit(1)


@commands.command(epilog="Example: dragoman project backup manual manual-2026-05-01.zip")
def backup(
    project: ProjectPath,
    file: Annotated[Path, typer.Argument(help="The file to write; it replaces one of that name.")],
    json: AsJson = False,
) -> None:
    """Back up a project into one file, also while it is being served: corrections, documents, settings, answers."""
    from dragoman.progress import bars
    from dragoman.store.backup import make_backup, sweep

    check_output(file)
    sweep(file.absolute().parent)
    with bars() as progress:
        made = make_backup(project, file, progress)
    if json:
        typer.echo(json_format.dumps({"revision": made.revision, "time": made.time, "files": len(made.files)}))
    else:
        typer.echo(f"{file} has {project} up to row {made.revision:,}")


@commands.command(epilog="Example: dragoman project restore manual.zip manual-2 --at 2026-05-01T12:00")
def restore(
    file: Annotated[Path, typer.Argument(help="A backup made with `dragoman project backup`.")],
    new: Annotated[Path, typer.Argument(help="The directory of the new project.")],
    at: Annotated[
        str | None, typer.Option(help="Restore it as it was at this time (ISO, local if it says no zone) or row.")
    ] = None,
) -> None:
    """Make a project from a backup, as it was when that was made or at an earlier time; every byte is checked."""
    from dragoman.progress import bars
    from dragoman.store.backup import restore as unpack

    point = _point(at)
    with bars() as progress:
        revision = unpack(file, new, point, progress=progress)
    typer.echo(f"{new} is restored up to row {revision:,}")


def _point(at: str | None) -> datetime | int | None:
    if at is None or at.isdigit():
        return None if at is None else int(at)
    try:
        return datetime.fromisoformat(at).astimezone(UTC)
    except ValueError:
        remedy = "write it as 2026-05-01T12:00, or give the number of a row"
        raise BadInputError(f"{at!r} is not a time", remedy=remedy) from None
