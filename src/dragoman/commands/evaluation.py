"""Commands that measure: simulate, measure."""

from __future__ import annotations

import json as json_format
import sys
from pathlib import Path
from typing import Annotated

import typer

from dragoman.commands.common import AsJson, ProjectPath, SourceFile, TargetFile, opened
from dragoman.errors import BadInputError

commands = typer.Typer()


@commands.command(epilog="Example: dragoman simulate manual test.en test.es --csv curve.csv")
def simulate(
    project: ProjectPath,
    source: SourceFile,
    target: TargetFile,
    learn: Annotated[bool, typer.Option(help="Learn each reference after it was scored.")] = True,
    csv: Annotated[Path | None, typer.Option(help="Write one line a segment to this file.")] = None,
    json: AsJson = False,
) -> None:
    """Simulate post-editing as in the papers: translate, score against the reference, learn it."""
    from rich.progress import track

    from dragoman.experiments.post_editing import post_edit, summary, write_csv
    from dragoman.text.reading import pairs

    segments = list(pairs(source, target))
    with opened(project) as engine:
        done = post_edit(engine, segments, learn=learn)
        outcomes = list(track(done, "post-editing", total=len(segments), disable=not sys.stderr.isatty()))
    if csv is not None:
        write_csv(outcomes, csv)
    found = summary(outcomes)
    typer.echo(json_format.dumps(found) if json else "\n".join(f"{name:28} {value}" for name, value in found.items()))


@commands.command(epilog="Example: dragoman measure bleu output.es reference.es --baseline other.es")
def measure(
    name: Annotated[str, typer.Argument(help="wer, bleu, ter, chrf; or repetition of one text.")],
    text: Annotated[Path, typer.Argument(help="Translations, one segment a line; of repetition, any text.")],
    reference: Annotated[Path | None, typer.Argument(help="References; of repetition, the training text.")] = None,
    baseline: Annotated[Path | None, typer.Option(help="Translations of another system to compare with.")] = None,
    tokenize: Annotated[str, typer.Option(help="Tokenisation of BLEU, as sacrebleu names it.")] = "13a",
    json: AsJson = False,
) -> None:
    """Measure translations, with 95 % intervals; or tell whether online learning will pay off on a text."""
    from dataclasses import asdict

    from dragoman.measure import advice
    from dragoman.measure.report import measure_files, new_measure, repetition_of_files

    if name == "repetition":
        found = repetition_of_files(text, reference)
        typer.echo(json_format.dumps(asdict(found)) if json else advice(found))
        return
    if reference is None:
        raise BadInputError(f"{name} needs references", remedy="name the file with the references after the first")
    report = measure_files(new_measure(name, tokenize), text, reference, baseline)
    typer.echo(json_format.dumps(report.as_json()) if json else str(report))
