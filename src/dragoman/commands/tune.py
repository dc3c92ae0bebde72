"""Commands that tune a project on a development set: tune, tune-number."""

from __future__ import annotations

import json as json_format
from pathlib import Path
from typing import Annotated, Any

import typer

from dragoman.commands.common import AsJson, ProjectPath, SourceFile, TargetFile, check_output, opened
from dragoman.errors import BadInputError

commands = typer.Typer()

NUMBERS = ("beta", "delta", "share", "language_share")
METHODS = ("mert", "mira", "pro", "simplex", "powell")
MEASURES = ("bleu", "ter", "wer")


@commands.command(epilog="Example: dragoman lab tune manual dev.en dev.es --method mert --measure bleu")
def tune(
    project: ProjectPath,
    source: SourceFile,
    target: TargetFile,
    method: Annotated[str, typer.Option(help=f"Tuning method: {', '.join(METHODS)}.")] = "mira",
    measure: Annotated[str, typer.Option(help=f"Measure to improve: {', '.join(MEASURES)}.")] = "bleu",
    nbest: Annotated[int, typer.Option(min=1, help="Translations per segment that each round adds.")] = 300,
    rounds: Annotated[int, typer.Option(min=1, help="Maximum rounds of decoding and optimising.")] = 8,
    seed: Annotated[int, typer.Option(min=0, help="Random seed; the same seed gives the same weights.")] = 1,
    folds: Annotated[
        int,
        typer.Option(min=1, help="Parts that are held out in turn; 1 trusts the development set and holds out none."),
    ] = 2,
    plot: Annotated[Path | None, typer.Option(help="Draw the progress of the rounds to this file.")] = None,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Report, but do not change the weights.")] = False,
    json: AsJson = False,
) -> None:
    """Tune the weights of a project on a development set.

    Parts of the set are held out in turn. If text that the weights were not tuned on is not translated better with
    them, they stay as they are.
    """
    check_output(plot, figure=True)
    from dragoman.text.text_files import pairs
    from dragoman.tune.plot import plot as draw

    segments, sizes = list(pairs(source, target)), {"nbest": nbest, "rounds": rounds, "seed": seed}
    with opened(project, write=not dry_run) as engine:
        options: dict[str, Any] = {"method": method, "measure": measure, "folds": folds, "keep": not dry_run, **sizes}
        report = engine.tune(segments, progress=True, **options)
    if plot is not None:
        draw(report, plot)
    if json:
        typer.echo(json_format.dumps(report.as_json()))
        return
    outcome = "weights changed" if report.changed else "no better weights found; weights unchanged"
    typer.echo(f"{report}\n{'dry run: nothing changed' if dry_run else outcome}")


@commands.command(epilog="Example: dragoman lab tune-number share manual dev.en dev.es --measure ter")
def tune_number(
    name: Annotated[str, typer.Argument(metavar="{name}", help=f"Which number: {', '.join(NUMBERS)}.")],
    project: ProjectPath,
    source: SourceFile,
    target: TargetFile,
    measure: Annotated[str, typer.Option(help=f"Measure to improve: {', '.join(MEASURES)}.")] = "bleu",
    evaluations: Annotated[int, typer.Option(min=1, help="Number of values to try.")] = 10,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Report, but do not change the number.")] = False,
    json: AsJson = False,
) -> None:
    """Tune a number of a project other than its weights.

    beta and delta are parameters of the features of phrase pairs; share and language_share are the weight of
    corrections against the base, in the translation models and in the language model. Shares are tried by correcting
    the development set from beginning to end.
    """
    for value, known in ((name, NUMBERS), (measure, MEASURES)):
        if value not in known:
            raise BadInputError(f"cannot tune {value!r}", remedy=f"choose one of {', '.join(known)}")
    from dataclasses import replace

    from dragoman import tune as tuning
    from dragoman.measure.report import new_measure
    from dragoman.progress import bars
    from dragoman.text.text_files import pairs
    from dragoman.tune.numbers import BOUNDS

    segments = list(pairs(source, target))
    with opened(project, write=not dry_run) as engine, bars() as progress:
        with engine.models() as models:
            found = (tuning.tune_estimate if name in BOUNDS else tuning.tune_share)(
                name,
                models.knowledge.models,
                models.weights,
                tuning.Development.read(models.knowledge, segments),
                new_measure(measure, tokenize="none"),
                estimates=models.estimates,
                evaluations=evaluations,
                progress=progress,
            )
        if not dry_run and name in BOUNDS:
            engine.estimates = replace(engine.estimates, **{name: found.value})
        elif not dry_run:
            setattr(engine, name, found.value)
    if json:
        typer.echo(json_format.dumps(found.as_json()))
        return
    for tried, quality in sorted(found.tried):
        typer.echo(f"{name} {tried:.3f}  {measure} {abs(quality):.2f}{'  ←' if tried == found.value else ''}")
    typer.echo("dry run: nothing changed" if dry_run else f"{name} set to {found.value:.3f}")
