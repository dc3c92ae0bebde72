"""Commands that measure: simulate, measure."""

from __future__ import annotations

import json as json_format
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from dragoman.commands.common import AsJson, ProjectPath, SourceFile, TargetFile, check_output, opened
from dragoman.errors import BadInputError

if TYPE_CHECKING:
    from dragoman.adapt.protocol import Adapter
    from dragoman.engine import Engine

commands = typer.Typer()


@commands.command(epilog="Example: dragoman simulate manual test.en test.es --plot curve.svg")
def simulate(
    project: ProjectPath,
    source: SourceFile,
    target: TargetFile,
    mode: Annotated[str, typer.Option(help="How a person would work: post-edit or interactive.")] = "post-edit",
    learn: Annotated[bool, typer.Option(help="Learn each reference after it was scored.")] = True,
    memory: Annotated[bool, typer.Option(help="Let corrections of the same text come first.")] = False,
    csv: Annotated[Path | None, typer.Option(help="Write one line a segment to this file.")] = None,
    plot: Annotated[
        Path | None, typer.Option(help="Draw the learning curves into this file (.svg, .png, .pdf).")
    ] = None,
    adapter: Annotated[str | None, typer.Option(help="Adapt weights: pa, perceptron, ridge or bayes.")] = None,
    alpha: Annotated[float | None, typer.Option(help="Its learning rate; of bayes, 1/δ.")] = None,
    nbest: Annotated[int, typer.Option(min=1, help="Entries of the n-best lists that it learns from.")] = 500,
    json: AsJson = False,
) -> None:
    """Simulate a person at work as in the papers: translate, score against the reference, learn it.

    Post-editing counts the words that are wrong, interactive translation key strokes and mouse actions. What stays in
    the project are the references, which it learns; simulate with a copy of it, or --no-learn, if it is to stay as it
    is. An adapter is for the simulation only: the one before, if any, is put back, and starts anew.
    """
    from rich.progress import track

    from dragoman.commands.adaptation import new_adapter
    from dragoman.text.reading import pairs

    check_output(csv)
    check_output(plot, figure=True)
    work, report = _way_of_working(mode)
    segments = list(pairs(source, target))
    wanted = None if adapter is None else new_adapter(adapter, alpha=alpha, nbest=nbest)
    with opened(project) as engine, _adapting(engine, wanted):
        done = work(engine, segments, learn=learn, memory=memory)
        outcomes = list(track(done, mode, total=len(segments), disable=not sys.stderr.isatty()))
    found = report.summary(outcomes)
    if csv is not None:
        report.write_csv(outcomes, csv)
    if plot is not None:
        report.plot(outcomes, plot, title=f"{project.name}: {source.name}")
    typer.echo(json_format.dumps(found) if json else "\n".join(f"{name:28} {value}" for name, value in found.items()))


@contextmanager
def _adapting(engine: Engine, adapter: Adapter | None) -> Iterator[None]:
    """With another adapter, if there is one; afterwards with that of before."""
    if adapter is None:
        yield
        return
    before, engine.adapter = engine.adapter, adapter
    try:
        yield
    finally:
        engine.adapter = before


def _way_of_working(mode: str) -> tuple[Callable[..., Any], Any]:
    """What simulates a person at work, and the module that reports what came of it."""
    from dragoman.experiments import interactive_use, post_editing
    from dragoman.interactive.user import interact

    ways: dict[str, tuple[Callable[..., Any], Any]]
    ways = {"post-edit": (post_editing.post_edit, post_editing), "interactive": (interact, interactive_use)}
    if mode not in ways:
        raise BadInputError(f"there is no mode {mode!r}", remedy=f"choose one of {', '.join(ways)}")
    return ways[mode]


@commands.command(epilog="Example: dragoman measure bleu output.es reference.es --baseline other.es")
def measure(
    name: Annotated[str, typer.Argument(help="wer, bleu, ter, chrf; or repetition of one text.")],
    text: Annotated[Path, typer.Argument(help="Translations, one segment a line; of repetition, any text.")],
    reference: Annotated[Path | None, typer.Argument(help="References; of repetition, the training text.")] = None,
    baseline: Annotated[Path | None, typer.Option(help="Translations of another system to compare with.")] = None,
    tokenize: Annotated[str, typer.Option(help="Tokenisation of BLEU, as sacrebleu names it.")] = "13a",
    project: Annotated[
        Path | None, typer.Option(help="Of repetition, in the target language: what this project knows is not new.")
    ] = None,
    json: AsJson = False,
) -> None:
    """Measure translations, with 95 % intervals; or tell whether online learning will pay off on a text."""
    from dataclasses import asdict

    from dragoman.measure import advice
    from dragoman.measure.report import measure_files, new_measure, repetition_in_project, repetition_of_files

    if project is not None and (name != "repetition" or reference is not None):
        raise BadInputError("--project is for repetition, in place of a training text", remedy="leave one of them out")
    if name == "repetition":
        if project is None:
            found = repetition_of_files(text, reference)
        else:
            with opened(project, write=False) as engine, engine.models() as models:
                found = repetition_in_project(text, models.knowledge)
        typer.echo(json_format.dumps(asdict(found)) if json else advice(found))
        return
    if reference is None:
        raise BadInputError(f"{name} needs references", remedy="name the file with the references after the first")
    report = measure_files(new_measure(name, tokenize), text, reference, baseline)
    typer.echo(json_format.dumps(report.as_json()) if json else str(report))
