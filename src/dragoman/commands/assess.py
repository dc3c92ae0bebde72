"""The command that tells whether dragoman will pay off on somebody's texts."""

from __future__ import annotations

import json as json_format
import shlex
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from dragoman.commands.common import AsJson, Cluster
from dragoman.errors import BadInputError

if TYPE_CHECKING:
    from dragoman.assess.past_work import PastWork

commands = typer.Typer()
EXAMPLES = """Examples:

dragoman assess memory.tmx --upstream "command:apertium -u eng-spa"

dragoman assess checkout --git --source en --target es --create my-project"""


@commands.command(epilog=EXAMPLES)
def assess(
    files: Annotated[
        list[Path], typer.Argument(help="Finished translations: TMX, PO, XLIFF or TSV files, or a directory of them.")
    ],
    upstream: Annotated[
        list[str] | None, typer.Option(help="An engine you have, such as ct2:models/en-es; may be given several times.")
    ] = None,
    engines: Annotated[
        Path | None, typer.Option(help="A file with the names of several engines, one a line, to compare.")
    ] = None,
    source: Annotated[str | None, typer.Option(help="Source language, if the file does not state it.")] = None,
    target: Annotated[str | None, typer.Option(help="Target language, if the file does not state it.")] = None,
    git: Annotated[
        bool, typer.Option("--git", help="Replay the PO files of a git repository in the order of its commits.")
    ] = False,
    out: Annotated[
        Path | None, typer.Option(help="Directory for the report and for resuming; default: assess- and the name.")
    ] = None,
    sample: Annotated[int, typer.Option(min=2, help="Segments to translate and score; all are learned.")] = 2_000,
    typed: Annotated[int, typer.Option(min=0, help="Of these, segments that the simulated user types.")] = 200,
    words_a_day: Annotated[int, typer.Option(min=1, help="Source words that a person translates in a day.")] = 2_500,
    base: Annotated[Path | None, typer.Option(help="A trained base to start from, instead of from nothing.")] = None,
    settings: Annotated[
        bool, typer.Option("--settings/--no-settings", help="Try settings on the older part, check them on the newer.")
    ] = True,
    rivals: Annotated[
        bool, typer.Option("--rivals", help="Compare other ways to learn from corrections over an engine, too.")
    ] = False,
    create: Annotated[
        Path | None, typer.Option(help="Create a project here, with the settings found and the best engine.")
    ] = None,
    comet: Annotated[
        Path | None,
        typer.Option(help="Checkpoint of a COMET model, for a second opinion; needs the command comet-score."),
    ] = None,
    jobs: Annotated[int | None, typer.Option(min=1, help="Processes to use; default: one a core.")] = None,
    cluster: Cluster = None,
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

    work = _read(files, source, target, git=git)
    directory = out or Path(f"assess-{files[0].resolve().stem}")
    options = AssessmentOptions(
        engines=(*(upstream or ()), *(_names(engines) if engines else ())),
        sample=sample,
        typed=typed,
        words_a_day=words_a_day,
        base=str(base) if base else None,
        tries_settings=settings,
        rivals=rivals,
        comet=comet,
        jobs=jobs,
        cluster=cluster,
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
    """A project with what was found; it has learned nothing yet."""
    from dragoman.engine import Engine

    tried = found["settings"] or {"settings": {}}
    upstream = found["best engine"]
    with Engine.create(path, source=work.source, target=work.target, base=base, upstream=upstream) as engine:
        if tried["settings"]:
            engine.change_settings(tried["settings"])
    typer.echo(f"Created {path}. To teach it your translations: dragoman import {path} FILE", err=True)


def _read(files: list[Path], source: str | None, target: str | None, *, git: bool) -> PastWork:
    from dragoman.assess.commits import read_commits
    from dragoman.assess.past_work import read_past_work
    from dragoman.languages import refuse_unknown

    refuse_unknown(*filter(None, (source, target)))
    if not git:
        return read_past_work(files, source, target)
    if source is None or target is None or len(files) != 1:
        what = "--git takes one repository and both languages"
        raise BadInputError(what, remedy="dragoman assess repository --git --source en --target es")
    return read_commits(files[0], source, target)


def _names(file: Path) -> list[str]:
    from dragoman.text.text_files import lines

    found = [line.strip() for line in lines(file)]
    return [line for line in found if line and not line.startswith("#")]


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
        if each["predicted"]:
            expected, measured = each["predicted"], _score(each["gains over"]["engine alone"]["words to correct"])
            forecast = f"{expected['words']:.1f} ± {expected['margin']:.1f}"
            lines.append(f"words saved over the engine alone: {measured}; expected beforehand: {forecast}")
        lines += ["", each["verdict"]["sentence"], each["verdict"]["reason"]]
    if found["settings"]:
        lines += ["", found["settings"]["sentence"]]
    return "\n".join([*lines, "", f"Report: {page}"])


def _table(systems: dict[str, Any]) -> list[str]:
    columns = [
        "BLEU",
        "chrF",
        "TER",
        "words to correct",
        "editing",
        "typing",
        "R0",
        "R1",
        "R0+1",
    ]  # COMET is in the report
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
