"""The `dragoman` command: thin, every command a few lines over the package, which is imported only when it runs."""

from __future__ import annotations

import json as json_format
import sys
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from dragoman import __version__
from dragoman.errors import BadInputError, DragomanError

if TYPE_CHECKING:
    from dragoman.engine import Engine

app = typer.Typer(
    help="dragoman translates, you correct, and the next sentence is already better.",
    epilog='Example: dragoman translate my-project "Press the green button."',
    no_args_is_help=True,
    add_completion=False,
    context_settings={"help_option_names": ["-h", "--help"]},
    pretty_exceptions_enable=False,
)

ProjectPath = Annotated[Path, typer.Argument(help="The project's directory.")]
AsJson = Annotated[bool, typer.Option("--json", help="Print JSON, for programs.")]
User = Annotated[str | None, typer.Option("--user", help="Who corrected; kept in the journal.")]


def _show_version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"dragoman {__version__}")
        raise typer.Exit


@app.callback()
def _options(
    version: Annotated[
        bool, typer.Option("--version", callback=_show_version, is_eager=True, help="Show the version and stop.")
    ] = False,
) -> None:
    """Options that stand before any command."""


@app.command(epilog="Example: dragoman doctor --json")
def doctor(json: AsJson = False) -> None:
    """Check this machine: versions, kernel cache, memory, disk, and a tiny self-test."""
    from dragoman.doctor import examine, show

    findings = examine()
    show(findings, as_json=json)
    if any(finding.remedy for finding in findings):
        raise typer.Exit(1)


@app.command(epilog="Example: dragoman create manual --source en --target es")
def create(
    project: ProjectPath,
    source: Annotated[str, typer.Option(help="Code of the language to translate from.")],
    target: Annotated[str, typer.Option(help="Code of the language to translate into.")],
    preset: Annotated[str, typer.Option(help="Features of the model: thot, moses or full.")] = "moses",
    tokens: Annotated[str, typer.Option(help="`text`, or `words` for text that is tokenised already.")] = "text",
    order: Annotated[int, typer.Option(help="Order of the language model.")] = 5,
    base: Annotated[Path | None, typer.Option(help="Directory of a trained base to stand on.")] = None,
) -> None:
    """Make a new project, from nothing or over a trained base."""
    from dragoman.engine import Engine

    if tokens not in ("text", "words"):
        raise BadInputError(f"there are no tokens of the kind {tokens!r}", remedy="choose text or words")
    mode: Any = tokens
    Engine.create(project, source=source, target=target, preset=preset, tokens=mode, order=order, base=base).close()
    typer.echo(f"{project} is ready: translate with it, correct it, and it learns")


@app.command(epilog="Example: dragoman train manual train.en train.es")
def train(
    project: ProjectPath,
    source: Annotated[Path, typer.Argument(help="Source texts, one segment a line, plain or .gz.")],
    target: Annotated[Path, typer.Argument(help="Their translations, line by line.")],
) -> None:
    """Train a base for a new project from two files of segments."""
    from dragoman.text.reading import pairs

    with _opened(project) as engine:
        learned = engine.train(list(pairs(source, target)), progress=True)
    typer.echo(f"trained on {learned:,} pairs")


@app.command(epilog='Example: dragoman translate manual "Press the green button."')
def translate(
    project: ProjectPath,
    text: Annotated[list[str] | None, typer.Argument(help="Texts; without any, lines from standard input.")] = None,
    n: Annotated[int, typer.Option("--nbest", help="So many translations of each, the best first.")] = 1,
    memory: Annotated[bool, typer.Option(help="Let corrections of the same text come first.")] = True,
    json: AsJson = False,
) -> None:
    """Translate texts, or standard input line by line."""
    with _opened(project, write=False) as engine:
        for each in text or _input_lines():
            found = engine.translate(each, n=n, memory=memory)
            for translation in found.nbest or (found,):
                if json:
                    fields = {"text": translation.text, "score": translation.score, "features": translation.features}
                    typer.echo(json_format.dumps(fields | {"alignment": translation.alignment}, ensure_ascii=False))
                else:
                    typer.echo(translation.text)


@app.command(epilog='Example: dragoman learn manual "Press the button." "Pulse el botón."')
def learn(
    project: ProjectPath,
    texts: Annotated[
        list[str] | None, typer.Argument(help="A source and its translation; without, tab-separated lines from input.")
    ] = None,
    user: User = None,
    force: Annotated[bool, typer.Option("--force", help="Learn it even if it looks wrong.")] = False,
    json: AsJson = False,
) -> None:
    """Learn a correction, or many from standard input; an id is printed once it is safe on disk."""
    if texts and len(texts) != 2:
        raise BadInputError(f"a correction is a source and a translation, not {len(texts)} texts", remedy="quote them")
    with _opened(project) as engine:
        for source, target in [(texts[0], texts[1])] if texts else _input_pairs():
            number = engine.learn(source, target, user=user, force=force)
            typer.echo(json_format.dumps({"id": number}) if json else number)


@app.command(epilog="Example: dragoman forget manual 12")
def forget(project: ProjectPath, number: Annotated[int, typer.Argument(help="Id of the correction.")]) -> None:
    """Take back what a correction has taught."""
    with _opened(project) as engine:
        engine.forget(number)
    typer.echo(f"correction {number} is forgotten")


@app.command(epilog='Example: dragoman revise manual 12 "Pulse el botón verde."')
def revise(
    project: ProjectPath,
    number: Annotated[int, typer.Argument(help="Id of the correction.")],
    target: Annotated[str, typer.Argument(help="Its better translation.")],
) -> None:
    """Replace the translation of a correction."""
    with _opened(project) as engine:
        new = engine.revise(number, target)
    typer.echo(f"correction {number} is replaced by {new}")


@app.command(epilog="Example: dragoman history manual --search button")
def history(
    project: ProjectPath,
    limit: Annotated[int, typer.Option(help="At most so many, the newest first.")] = 20,
    search: Annotated[str | None, typer.Option(help="Only those with this text.")] = None,
    json: AsJson = False,
) -> None:
    """List the corrections, the newest first."""
    with _opened(project, write=False) as engine:
        for row in engine.history(limit, search=search):
            if json:
                fields = {"id": row.id, "source": row.source, "target": row.target, "forgotten": row.forgotten}
                typer.echo(json_format.dumps(fields | {"time": row.time.isoformat(), "user": row.user}))
            else:
                mark = " (forgotten)" if row.forgotten else ""
                typer.echo(f"{row.id:6}  {row.time:%Y-%m-%d %H:%M}  {row.source} → {row.target}{mark}")


@app.command(epilog="Example: dragoman stats manual --json")
def stats(project: ProjectPath, json: AsJson = False) -> None:
    """Tell what a project has learned, and how large it is."""
    with _opened(project, write=False) as engine:
        numbers = engine.statistics()
    if json:
        typer.echo(json_format.dumps(numbers))
    else:
        for name, value in numbers.items():
            typer.echo(f"{name:24} {value:>12,}")


@app.command(epilog='Example: dragoman explain manual "Press the green button." --html why.html')
def explain(
    project: ProjectPath,
    text: Annotated[str, typer.Argument(help="The text to translate.")],
    html: Annotated[Path | None, typer.Option(help="Write a picture of it to this file instead.")] = None,
) -> None:
    """Show why a text is translated the way it is: the options, the choice with its scores, the runners-up."""
    with _opened(project, write=False) as engine:
        told = engine.explain(text)
    if html is not None:
        from dragoman.files import storage_errors

        with storage_errors(html):
            html.write_text(told.html(), encoding="utf-8")
        typer.echo(f"see {html}")
        return
    from rich.console import Console

    Console().print(*told.tables(), sep="\n")


@app.command(epilog="Example: dragoman simulate manual test.en test.es --csv curve.csv")
def simulate(
    project: ProjectPath,
    source: Annotated[Path, typer.Argument(help="Source texts, one segment a line, plain or .gz.")],
    target: Annotated[Path, typer.Argument(help="Their reference translations, line by line.")],
    learn: Annotated[bool, typer.Option(help="Learn each reference after it was scored.")] = True,
    csv: Annotated[Path | None, typer.Option(help="Write one line a segment to this file.")] = None,
    json: AsJson = False,
) -> None:
    """Simulate post-editing as in the papers: translate, score against the reference, learn it."""
    from rich.progress import track

    from dragoman.experiments.post_editing import post_edit, summary, write_csv
    from dragoman.text.reading import pairs

    segments = list(pairs(source, target))
    with _opened(project) as engine:
        done = post_edit(engine, segments, learn=learn)
        outcomes = list(track(done, "post-editing", total=len(segments), disable=not sys.stderr.isatty()))
    if csv is not None:
        write_csv(outcomes, csv)
    found = summary(outcomes)
    typer.echo(json_format.dumps(found) if json else "\n".join(f"{name:28} {value}" for name, value in found.items()))


@app.command(epilog="Example: dragoman measure bleu output.es reference.es --baseline other.es")
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


@app.command(epilog="Example: dragoman demo")
def demo(
    segments: Annotated[int, typer.Option(help="So many segments of the manual; 0 for all.")] = 0,
) -> None:
    """Watch dragoman learn the manual of an espresso machine from nothing, segment by segment."""
    from dragoman.demo import show

    show(segments)


@contextmanager
def _opened(project: Path, *, write: bool = True) -> Iterator[Engine]:
    """The engine of a project, with what was found on opening said on standard error."""
    from dragoman.engine import Engine

    with Engine.open(project, write=write) as engine:
        for warning in engine.warnings:
            print(f"dragoman: {warning}", file=sys.stderr)
        yield engine


def _input_lines() -> Iterable[str]:
    for number, line in enumerate(sys.stdin.buffer, start=1):
        try:
            yield line.decode().removesuffix("\n")
        except UnicodeDecodeError as error:
            what = f"line {number}, byte {error.start + 1} is not valid UTF-8"
            raise BadInputError(
                what, where="standard input", remedy="convert it first, for instance with iconv"
            ) from None


def _input_pairs() -> Iterable[tuple[str, str]]:
    for number, line in enumerate(_input_lines(), start=1):
        fields = line.split("\t")
        if len(fields) != 2:
            what = f"line {number} has {len(fields)} fields"
            raise BadInputError(what, where="standard input", remedy="put one tab between source and translation")
        yield fields[0], fields[1]


def main() -> None:
    """Run a command; an error that we know of becomes one clear line and exit code 2."""
    try:
        app(prog_name="dragoman")
    except DragomanError as error:
        print(f"dragoman: {error}", file=sys.stderr)
        sys.exit(2)
    except BrokenPipeError:  # whoever read our output has seen enough
        sys.stderr.close()
        sys.exit(0)
