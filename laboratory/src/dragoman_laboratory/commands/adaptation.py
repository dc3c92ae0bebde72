"""Commands for trying out adapters: adapt, sweep."""

from __future__ import annotations

import json as json_format
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, TypeVar

import typer

from dragoman.commands.common import AsJson, ProjectPath, SourceFile, TargetFile, check_output, opened
from dragoman.commands.evaluation import ADAPTERS, new_adapter
from dragoman.errors import BadInputError

if TYPE_CHECKING:
    from dragoman.engine import Engine
    from dragoman.progress import Progress
    from dragoman_laboratory.reranking import Lists

commands = typer.Typer()
T = TypeVar("T")


@commands.command(epilog="Example: dragoman lab adapt nbest.txt references.es --method bayes --measure ter")
def adapt(
    nbest: Annotated[Path, typer.Argument(help="N-best lists in the format of Moses, plain or .gz.")],
    references: Annotated[
        Path, typer.Argument(help="References, one per line; line n is sentence n − 1 of the lists.")
    ],
    method: Annotated[str, typer.Option(help=f"One of {', '.join(ADAPTERS)}, or module:Class.")] = "ridge",
    measure: Annotated[str, typer.Option(help="What to optimise: ter, wer or bleu.")] = "ter",
    alpha: Annotated[
        float | None, typer.Option(help="Learning rate; for bayes, 1/δ.", show_default="0.01; 0.1")
    ] = None,
    out: Annotated[Path | None, typer.Option(help="Write the chosen translations to this file, one per line.")] = None,
    json: AsJson = False,
) -> None:
    """Rerank n-best lists of any decoder, learning weights from each reference after choosing a translation."""
    from dragoman.files import storage_errors
    from dragoman.progress import bars
    from dragoman.text.text_files import lines
    from dragoman_laboratory.moses_nbest import Reranker, aligned, read

    check_output(out)
    adapter = new_adapter(method, alpha=alpha, measure=measure)
    known = dict(enumerate(lines(references)))
    with bars() as report:
        lists = aligned(_told(read(nbest), "reading", len(known), report))
        reranker = Reranker(adapter, lists)
        told = _told(lists, "reranking", len(lists), report)
        outcomes = [reranker.next(each, known.get(each.number)) for each in told]
    if out is not None:
        with storage_errors(out, unchanged=False):
            out.write_text("".join(f"{each.text}\n" for each in outcomes), encoding="utf-8")
    found = reranker.report(outcomes, known)
    typer.echo(json_format.dumps(found) if json else _shown(found))


def _told(items: Iterable[T], what: str, total: int, report: Progress) -> Iterator[T]:
    """The same items, with a report on how many there were."""
    for done, item in enumerate(items, start=1):
        report(what, done, total)
        yield item


Numbers = Annotated[str, typer.Option(help="One or more numbers, separated by commas.")]


@commands.command(epilog="Example: dragoman lab sweep manual test.en test.es --alpha 0.003,0.01 --nbest 100,500")
def sweep(
    project: ProjectPath,
    source: SourceFile,
    target: TargetFile,
    method: Annotated[str, typer.Option(help=f"One of {', '.join(ADAPTERS)}, or module:Class.")] = "ridge",
    alpha: Numbers = "0.001,0.003,0.01,0.03,0.1",
    nbest: Numbers = "500",
    parameters: Annotated[str, typer.Option(help="What to adapt: weights, factors or both.")] = "weights",
    measure: Annotated[str, typer.Option(help="What to optimise: ter, wer or bleu.")] = "ter",
    lists: Annotated[Path | None, typer.Option(help="Save the n-best lists in this directory, or reuse them.")] = None,
    json: AsJson = False,
) -> None:
    """Rerank a text, decoded once, with every learning rate and list size. Does not change the project."""
    from dragoman.progress import bars
    from dragoman.text.text_files import pairs
    from dragoman_laboratory.reranking import rerank, table

    rates, sizes = _numbers(alpha, float), _numbers(nbest, int)
    segments, make = list(pairs(source, target)), {"measure": measure, "parameters": parameters}
    adapters = {rate: new_adapter(method, alpha=rate, **make) for rate in rates}
    with opened(project, write=False) as engine, bars() as report:
        found = _lists(engine, segments, max(sizes), lists, report)
        runs = {"none": rerank(found, None, max(sizes))}
        for n in sizes:
            for rate, adapter in adapters.items():
                runs[f"{method}, alpha {rate:g}, {n}-best"] = rerank(found, adapter, n)
                report("reranking", len(runs) - 1, len(rates) * len(sizes))
    rows = table(runs)
    if json:
        typer.echo(json_format.dumps(rows))
        return
    typer.echo(f"{'':32} {'TER':>13} {'BLEU':>13} {'ms':>7}")
    for row in rows:
        ter, bleu = (f"{row[name]:.2f} ± {row[f'{name} margin']:.1f}" for name in ("ter", "bleu"))
        typer.echo(f"{row['run']:32} {ter:>13} {bleu:>13} {1e3 * row['seconds']:7.1f}")


def _numbers(text: str, kind: type[Any]) -> list[Any]:
    try:
        return [kind(each) for each in text.split(",")]
    except ValueError:
        raise BadInputError(f"{text!r} is not a list of numbers", remedy="separate them by commas: 0.01,0.1") from None


def _lists(
    engine: Engine, segments: list[tuple[str, str]], n: int, directory: Path | None, progress: Progress
) -> Lists:
    """The n-best lists of a text, from a directory if they were saved there."""
    from dragoman_laboratory.reranking import Lists, decode

    with engine.models() as models:
        system = f"{engine.path.resolve()} after row {models.revision}"
        if directory is not None and directory.is_dir():
            return Lists.open(directory).suited_to(segments, dict(models.weights), n, system)
        found = decode(models.knowledge, models.weights, segments, n, system=system, progress=progress)
    if directory is not None:
        found.save(directory)
    return found


def _shown(found: dict[str, Any]) -> str:
    rows = [f"{name:12} {value}" for name, value in found.items() if name != "weights"]
    return "\n".join([*rows, "weights", *(f"  {name:28} {value:.4f}" for name, value in found["weights"].items())])
