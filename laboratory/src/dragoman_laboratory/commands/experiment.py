"""The command that reruns the experiments of the papers."""

from __future__ import annotations

import json as json_format
from contextlib import nullcontext
from pathlib import Path
from typing import Annotated, Any

import typer

from dragoman.commands.common import AsJson, Cluster, check_output
from dragoman.errors import BadInputError

commands = typer.Typer()


@commands.command(epilog="Example: dragoman lab experiment O-tab7 --data corpora --quick")
def experiment(
    name: Annotated[
        str | None, typer.Argument(help="An id or family from --list, the first letter of ids, or all.")
    ] = None,
    data: Annotated[Path | None, typer.Option(help="The directory of corpora.")] = None,
    quick: Annotated[bool, typer.Option("--quick", help="Run on a small scale, in a few minutes.")] = False,
    most: Annotated[int | None, typer.Option(min=1, help="Maximum number of segments to translate.")] = None,
    seed: Annotated[int, typer.Option(min=0, help="Random seed; the same seed gives the same CSV files.")] = 1,
    out: Annotated[Path, typer.Option(help="Directory for results and finished parts.")] = Path("experiments-out"),
    report: Annotated[Path | None, typer.Option(help="Also write the pages of the report to this directory.")] = None,
    reuse: Annotated[bool, typer.Option("--reuse", help="Also use results of other versions of the program.")] = False,
    against: Annotated[Path | None, typer.Option(help="Show which findings differ from this report.")] = None,
    cluster: Cluster = None,
    listing: Annotated[bool, typer.Option("--list", help="List the experiments.")] = False,
    json: AsJson = False,
) -> None:
    """Rerun a table or figure of the papers: results as CSV and JSON, a figure, and whether the finding holds.

    Finished parts are kept and not run again.
    """
    if listing:
        _list(json)
        return
    if name is None or data is None:
        what = "no experiment or no corpora given"
        raise BadInputError(what, remedy="choose an experiment from --list and a directory with --data")
    from dragoman.cluster.runners import connected
    from dragoman.progress import bars
    from dragoman_laboratory.catalogue import find
    from dragoman_laboratory.cells import available, run, run_ahead
    from dragoman_laboratory.corpora import Corpora
    from dragoman_laboratory.experiment import Scale
    from dragoman_laboratory.publishing import compared, publish, write_pages
    from dragoman_laboratory.workspace import Workspace

    scale, named, corpora, known = Scale(quick, most), find(name), Corpora(data), []
    wanted = [each for each in named if available(each, scale, corpora)] or named[:1]
    _check_places(out, report, against)
    with connected(cluster) if cluster else nullcontext() as runner, bars() as progress:
        workspace = Workspace(corpora, out, seed, progress, reuse=reuse)
        for number, each in enumerate(wanted):
            progress("experiments", number, len(wanted))
            if runner is not None:
                run_ahead(each, scale, workspace, runner, progress)
            known.append(publish(each, *run(each, scale, workspace, progress), scale, workspace))
        progress("experiments", len(wanted), len(wanted))
    comparison = None if against is None else compared(known, against)  # before that report may be overwritten
    write_pages(out, report or out)
    typer.echo(json_format.dumps(known) if json else "\n".join(map(_shown, known)))
    if comparison is not None:
        typer.echo(comparison, err=json)
    if left_out := [each.id for each in named if each not in wanted]:
        typer.echo(f"left out because corpora are missing: {', '.join(left_out)}", err=True)
    typer.echo(f"results are in {report or out}", err=True)


def _check_places(out: Path, report: Path | None, against: Path | None) -> None:
    """Refuse directories that results cannot be written to or compared with, before any work is done."""
    from dragoman.files import storage_errors
    from dragoman_laboratory.publishing import compared

    if against is not None:
        compared([], against)
    for directory in (out, report or out):
        with storage_errors(directory):
            directory.mkdir(parents=True, exist_ok=True)
        check_output(directory / "figure.svg", figure=True)


def _list(json: bool) -> None:
    from dragoman_laboratory.catalogue import FAMILIES

    known = {family: {each.id: each.title for each in listed} for family, (_, listed) in FAMILIES.items()}
    if json:
        typer.echo(json_format.dumps(known))
        return
    for family, listed in known.items():
        typer.echo(family)
        for identity, title in listed.items():
            typer.echo(f"  {identity:14} {title}")


def _shown(known: dict[str, Any]) -> str:
    from dragoman_laboratory.publishing import VERDICTS

    lines = [f"{known['signature']['experiment']}: {known['title']}"]
    lines += [f"  {VERDICTS[each['holds']]:9} {each['claim']} ({each['ours']})" for each in known["findings"]]
    return "\n".join(lines)
