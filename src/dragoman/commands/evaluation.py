"""Commands for measuring quality: simulate, measure."""

from __future__ import annotations

import json as json_format
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from dragoman.commands.common import AsJson, ProjectPath, SourceFile, TargetFile, check_output, opened
from dragoman.commands.engine_use import EngineUse, RequireEngine
from dragoman.errors import BadInputError

if TYPE_CHECKING:
    from dragoman.adapt.protocol import Adapter
    from dragoman.engine import Engine

commands = typer.Typer()

ADAPTERS = {"pa": "PassiveAggressive", "perceptron": "Perceptron", "ridge": "Ridge", "bayes": "Bayes"}


@commands.command(epilog="Example: dragoman lab simulate manual test.en test.es --plot curve.svg")
def simulate(
    project: ProjectPath,
    source: SourceFile,
    target: TargetFile,
    mode: Annotated[str, typer.Option(help="How the simulated person works: post-edit or interactive.")] = "post-edit",
    learn: Annotated[bool, typer.Option(help="Learn each reference after scoring it.")] = True,
    memory: Annotated[bool, typer.Option(help="Use earlier corrections of the same text.")] = False,
    csv: Annotated[Path | None, typer.Option(help="Write one line per segment to this file.")] = None,
    out: Annotated[Path | None, typer.Option(help="Write the translations to this file, one per line.")] = None,
    plot: Annotated[Path | None, typer.Option(help="Draw the learning curves to this file (.svg, .png, .pdf).")] = None,
    adapter: Annotated[
        str | None,
        typer.Option(help="Adapt weights: pa, perceptron, ridge, bayes, or a class of yours as module:Class."),
    ] = None,
    alpha: Annotated[float | None, typer.Option(help="Learning rate of the adapter; for bayes, 1/δ.")] = None,
    nbest: Annotated[int, typer.Option(min=1, help="Length of the n-best lists that the adapter learns from.")] = 500,
    require_engine: RequireEngine = False,
    json: AsJson = False,
) -> None:
    """Simulate a person translating, as in the papers: translate, score against the reference, learn it.

    Post-editing counts wrong words; interactive translation counts key strokes and mouse actions. The project keeps the
    references it learns: to leave it unchanged, simulate on a copy or use --no-learn. An adapter is used for the
    simulation only; afterwards the previous one, if any, is restored and starts again.
    """
    from dragoman.interactive.simulation import WAYS
    from dragoman.text.text_files import pairs

    if mode not in WAYS:
        raise BadInputError(f"unknown mode {mode!r}", remedy=f"choose one of {', '.join(WAYS)}")
    for path in (csv, out):
        check_output(path)
    check_output(plot, figure=True)
    segments = list(pairs(source, target))
    wanted = None if adapter is None else new_adapter(adapter, alpha=alpha, nbest=nbest)
    with opened(project) as engine, _adapting(engine, wanted):
        use = EngineUse(engine)
        use.ask([source for source, _ in segments])
        use.report(required=require_engine)
        found = engine.simulate(segments, mode=mode, learn=learn, memory=memory, progress=True)
    if csv is not None:
        found.write_csv(csv)
    if out is not None:
        found.write_translations(out)
    if plot is not None:
        found.plot(plot, title=f"{project.name}: {source.name}")
    typer.echo(json_format.dumps(found.summary) if json else str(found))


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


def new_adapter(method: str, *, alpha: float | None = None, **options: Any) -> Adapter:
    """An adapter by its short name; `alpha` is the learning rate, for bayes 1/δ ([M] Eq. 31)."""
    from dragoman.adapt.protocol import Adapter

    if ":" in method:
        return _own_adapter(method, options | _rate(alpha))
    if method not in ADAPTERS:
        remedy = f"choose one of {', '.join(ADAPTERS)}, or name a class of yours as module:Class"
        raise BadInputError(f"unknown method {method!r}", remedy=remedy)
    if method == "bayes" and alpha is not None:
        if not alpha > 0:
            raise BadInputError(f"alpha must be above 0, not {alpha}")
        options["delta"] = 1 / alpha
    else:
        options |= _rate(alpha)
    return Adapter.from_settings({"name": ADAPTERS[method], **options})


def _rate(alpha: float | None) -> dict[str, float]:
    return {} if alpha is None else {"alpha": alpha}


def _own_adapter(place: str, options: dict[str, Any]) -> Adapter:
    """An adapter of a class of the user's; it must have the options that were asked for."""
    from dataclasses import fields

    kind = _imported_adapter(place)
    missing = [name for name in options if name not in {each.name for each in fields(kind) if each.init}]
    if missing:
        raise BadInputError(f"{place} has no option {missing[0]!r}", remedy=f"add a field {missing[0]} to the class")
    return kind(**options)


def _imported_adapter(place: str) -> type[Adapter]:
    """The class of an adapter in a module of the user's, in this directory or on Python's path."""
    from importlib import import_module
    from inspect import isabstract

    from dragoman.adapt.protocol import Adapter

    module, _, name = place.partition(":")
    if not module or not name:
        raise BadInputError(f"{place!r} names no class", remedy="name a class of yours as module:Class")
    sys.path.insert(0, str(Path.cwd()))
    try:
        found = getattr(import_module(module), name, None)
    except ImportError as error:
        raise BadInputError(f"cannot import {module}: {error}", remedy="run the command where the module is") from None
    finally:
        sys.path.pop(0)
    if not (isinstance(found, type) and issubclass(found, Adapter)):
        raise BadInputError(f"{place} is not an adapter", remedy="name a subclass of dragoman.adapt.Adapter")
    if isabstract(found):
        lacking = ", ".join(sorted(found.__abstractmethods__))
        raise BadInputError(f"{place} is not complete", remedy=f"define {lacking} in the class")
    return found


@commands.command(epilog="Example: dragoman lab measure bleu output.es reference.es --baseline other.es")
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
