"""Commands for measuring quality: simulate, measure."""

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
    mode: Annotated[str, typer.Option(help="How the simulated person works: post-edit or interactive.")] = "post-edit",
    learn: Annotated[bool, typer.Option(help="Learn each reference after scoring it.")] = True,
    memory: Annotated[bool, typer.Option(help="Use earlier corrections of the same text.")] = False,
    csv: Annotated[Path | None, typer.Option(help="Write one line per segment to this file.")] = None,
    plot: Annotated[Path | None, typer.Option(help="Draw the learning curves to this file (.svg, .png, .pdf).")] = None,
    adapter: Annotated[str | None, typer.Option(help="Adapt weights: pa, perceptron, ridge or bayes.")] = None,
    alpha: Annotated[float | None, typer.Option(help="Learning rate of the adapter; for bayes, 1/δ.")] = None,
    nbest: Annotated[int, typer.Option(min=1, help="Length of the n-best lists that the adapter learns from.")] = 500,
    json: AsJson = False,
) -> None:
    """Simulate a person translating, as in the papers: translate, score against the reference, learn it.

    Post-editing counts wrong words; interactive translation counts key strokes and mouse actions. The project keeps the
    references it learns: to leave it unchanged, simulate on a copy or use --no-learn. An adapter is used for the
    simulation only; afterwards the previous one, if any, is restored and starts again.
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
    """Use another adapter, if one is given, and restore the previous one afterwards."""
    if adapter is None:
        yield
        return
    before, engine.adapter = engine.adapter, adapter
    try:
        yield
    finally:
        engine.adapter = before


def _way_of_working(mode: str) -> tuple[Callable[..., Any], Any]:
    """The function that simulates a person, and the module that reports the results."""
    from dragoman.experiments import interactive_use, post_editing
    from dragoman.interactive.user import interact

    ways: dict[str, tuple[Callable[..., Any], Any]]
    ways = {"post-edit": (post_editing.post_edit, post_editing), "interactive": (interact, interactive_use)}
    if mode not in ways:
        raise BadInputError(f"unknown mode {mode!r}", remedy=f"choose one of {', '.join(ways)}")
    return ways[mode]


@commands.command(epilog="Example: dragoman measure bleu output.es reference.es --baseline other.es")
def measure(
    name: Annotated[str, typer.Argument(help="wer, bleu, ter, chrf, or repetition.")],
    text: Annotated[Path, typer.Argument(help="Translations, one segment per line; for repetition, any text.")],
    reference: Annotated[Path | None, typer.Argument(help="References; for repetition, the training text.")] = None,
    baseline: Annotated[Path | None, typer.Option(help="Translations of another system, for comparison.")] = None,
    tokenize: Annotated[str, typer.Option(help="Tokenisation for BLEU, by its name in sacrebleu.")] = "13a",
    project: Annotated[
        Path | None, typer.Option(help="For repetition of target text: what this project knows is not new.")
    ] = None,
    json: AsJson = False,
) -> None:
    """Measure translations, with 95 % intervals, or estimate how much a text will gain from online learning."""
    from dataclasses import asdict

    from dragoman.measure import advice
    from dragoman.measure.report import measure_files, new_measure, repetition_in_project, repetition_of_files

    if project is not None and (name != "repetition" or reference is not None):
        what = "--project is only for repetition, instead of a training text"
        raise BadInputError(what, remedy="leave one of them out")
    if name == "repetition":
        if project is None:
            found = repetition_of_files(text, reference)
        else:
            with opened(project, write=False) as engine, engine.models() as models:
                found = repetition_in_project(text, models.knowledge)
        typer.echo(json_format.dumps(asdict(found)) if json else advice(found))
        return
    if reference is None:
        raise BadInputError(f"{name} needs references", remedy="give the file of references as second argument")
    report = measure_files(new_measure(name, tokenize), text, reference, baseline)
    typer.echo(json_format.dumps(report.as_json()) if json else str(report))
