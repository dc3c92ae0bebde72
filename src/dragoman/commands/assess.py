"""The command that tells whether dragoman will pay off on somebody's texts."""

from __future__ import annotations

import json as json_format
import shlex
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from dragoman.commands.common import AsJson
from dragoman.errors import BadInputError

if TYPE_CHECKING:
    from dragoman.assess.past_work import PastWork

commands = typer.Typer()
EXAMPLES = """Examples:

dragoman assess memory.tmx --upstream "command:apertium -u eng-spa"

dragoman assess texts/ --source en --target es --create my-project"""


@commands.command(epilog=EXAMPLES)
def assess(
    files: Annotated[
        list[Path], typer.Argument(help="Finished translations: TMX, PO, XLIFF or TSV files, or a directory of them.")
    ],
    upstream: Annotated[
        list[str] | None, typer.Option(help="An engine you have, such as ct2:models/en-es; may be given several times.")
    ] = None,
    source: Annotated[str | None, typer.Option(help="Source language, if the file does not state it.")] = None,
    target: Annotated[str | None, typer.Option(help="Target language, if the file does not state it.")] = None,
    out: Annotated[
        Path | None, typer.Option(help="Directory for the report and for resuming; default: assess- and the name.")
    ] = None,
    sample: Annotated[int, typer.Option(min=2, help="Segments to translate and score; all are learned.")] = 2_000,
    typed: Annotated[int, typer.Option(min=0, help="Of these, segments that the simulated user types.")] = 200,
    words_a_day: Annotated[int, typer.Option(min=1, help="Source words that a person translates in a day.")] = 2_500,
    base: Annotated[Path | None, typer.Option(help="A trained base to start from, instead of from nothing.")] = None,
    create: Annotated[Path | None, typer.Option(help="Create a project here, over the best engine.")] = None,
    jobs: Annotated[int | None, typer.Option(min=1, help="Processes to use; default: one a core.")] = None,
    json: AsJson = False,
) -> None:
    """Will dragoman pay off on your texts? Replay your own translations and find out.

    Each translation is scored before it is learned, for the memory, your engine, both, dragoman alone, and dragoman
    over your engine. The report is one HTML file. Run the same command again to resume after an interruption.
    """
    from dragoman.assess.assessment import AssessmentOptions
    from dragoman.assess.assessment import assess as run
    from dragoman.assess.report_page import write_report
    from dragoman.progress import bars

    work = _read(files, source, target)
    directory = out or Path(f"assess-{files[0].resolve().stem}")
    options = AssessmentOptions(
        engines=tuple(upstream or ()),
        sample=sample,
        typed=typed,
        words_a_day=words_a_day,
        base=str(base) if base else None,
        jobs=jobs,
    )
    check_new(create)
    with bars() as progress:
        found = run(work, directory, options, progress) | _about(files)
    page = write_report(found, directory)
    typer.echo(json_format.dumps(found, ensure_ascii=False) if json else _shown(found, page))
    if create is not None:
        _create(create, work, found, base)


def _about(files: list[Path]) -> dict[str, str]:
    """What was assessed, and by which command."""
    name = ", ".join(path.resolve().name for path in files)
    return {"name": name, "command": shlex.join(["dragoman", *sys.argv[1:]])}


def check_new(create: Path | None) -> None:
    """Refuse a place for a project that is taken, before any work is done."""
    if create is not None and create.exists():
        raise BadInputError("already exists", where=create, remedy="choose another place for the project")


def _create(path: Path, work: PastWork, found: dict[str, Any], base: Path | None) -> None:
    """A project over the best engine; it has learned nothing yet."""
    from dragoman.engine import Engine

    Engine.create(path, source=work.source, target=work.target, base=base, upstream=found["best engine"]).close()
    typer.echo(f"Created {path}. To teach it your translations: dragoman import {path} FILE", err=True)


def _read(files: list[Path], source: str | None, target: str | None) -> PastWork:
    from dragoman.assess.past_work import read_past_work
    from dragoman.languages import refuse_unknown

    refuse_unknown(*filter(None, (source, target)))
    return read_past_work(files, source, target)


def _shown(found: dict[str, Any], page: Path) -> str:
    """The verdict and the table of systems, for a terminal."""
    text = found["text"]
    part = "" if text["sampled"] == text["segments"] else f", {text['sampled']:,} of them sampled"
    lines = [
        f"{text['segments']:,} segments, {text['words']:,} words{part}; {text['repeated']:.0f} % repeat earlier ones"
    ]
    for each in found["parts"]:
        lines += ["", each["engine"] or "without an engine", *_table(each["systems"])]
        lines += [f"{name}: {_changed(found)}" for name, found in (each["changes"] or {}).items()]
        lines += ["", each["verdict"]["sentence"], each["verdict"]["reason"]]
    return "\n".join([*lines, "", f"Report: {page}"])


def _table(systems: dict[str, Any]) -> list[str]:
    columns = ["BLEU", "chrF", "TER", "words to correct", "editing", "typing", "R0", "R1", "R0+1"]
    widths = [max(len(name) + 2, 13) for name in columns]
    rows = [f"{'':28}" + "".join(f"{name:>{width}}" for name, width in zip(columns, widths, strict=True))]
    for name, scores in systems.items():
        cells = (f"{_score(scores[each])}" if each in scores else "" for each in columns)
        rows.append(f"{name:28}" + "".join(f"{cell:>{width}}" for cell, width in zip(cells, widths, strict=True)))
    return rows


def _changed(found: dict[str, Any]) -> str:
    """What a system has changed in the engine's words."""
    saved, share = found["saved"], found["better, percent"]
    half = (saved["high"] - saved["low"]) / 2
    return (
        f"{found['changed']:,} changed, {found['better']:,} better, {found['worse']:,} worse "
        f"({share['low']:.0f}–{share['high']:.0f} % better), {saved['score']:+.2f} ± {half:.2f} edits saved each"
    )


def _score(found: dict[str, float]) -> str:
    return f"{found['score']:.1f} ± {(found['high'] - found['low']) / 2:.1f}"
