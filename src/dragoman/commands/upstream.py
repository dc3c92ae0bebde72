"""Commands for the engine that a project builds on: what it has said, whether it works, asking ahead, clearing."""

from __future__ import annotations

import json as json_format
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from dragoman.commands.common import AsJson, ProjectPath
from dragoman.errors import BadInputError

if TYPE_CHECKING:
    from dragoman.store import Project
    from dragoman.store.answers import Answers
    from dragoman.upstream import Upstream

commands = typer.Typer()
group = typer.Typer(
    help="The engine that a project builds on: list what it said, test it, ask ahead for a document, clear.",
    no_args_is_help=True,
)
commands.add_typer(group, name="upstream")

EngineName = Annotated[
    str | None,
    typer.Option("--engine", help="Such as ct2:models/nmt-en-es; by default the one that the project is set to."),
]
TEXT = "Open the file."


@group.command("list", epilog="Example: dragoman upstream list manual")
def list_answers(
    project: ProjectPath,
    answers: Annotated[
        bool, typer.Option("--answers", help="Print source and translation with a tab, as `recorded:` reads them.")
    ] = False,
    engine: EngineName = None,
    json: AsJson = False,
) -> None:
    """Show how many answers of which engine are kept, and what was sent today."""
    from dragoman.store.answers import Answers
    from dragoman.upstream.names import parse

    with _opened(project, write=False) as opened:
        kept = Answers(opened.journal, opened.source, opened.target)
        if answers:
            _print_answers(kept, None if engine is None else parse(engine).name)
            return
        found = kept.summaries()
        spent = {each.engine: kept.spent(each.engine) for each in found}
    if json:
        rows = [each._asdict() | {"today": spent[each.engine]._asdict()} for each in found]
        typer.echo(json_format.dumps(rows, ensure_ascii=False))
        return
    for each in found:
        version = f" (version {each.version})" if each.version else ""
        today = spent[each.engine]
        sent = f"; today {today.requests:,} requests, {today.characters:,} characters" if today.requests else ""
        typer.echo(f"{each.engine}{version}: {each.number:,} answers, {each.source} to {each.target}{sent}")
    if not found:
        typer.echo("no answers are kept")


@group.command("test", epilog="Example: dragoman upstream test manual --engine ct2:models/nmt-en-es")
def test_engine(
    project: ProjectPath,
    engine: EngineName = None,
    text: Annotated[str, typer.Option(help="What to translate.")] = TEXT,
    json: AsJson = False,
) -> None:
    """Ask the engine for one translation, without looking at what is kept; exit code 1 if there is none."""
    from dragoman.upstream import Upstream, from_name

    with _opened(project, write=False) as opened:
        made = from_name(_name(opened, engine), source=opened.source, target=opened.target)
        upstream = Upstream(made, source=opened.source, target=opened.target)
    began = time.perf_counter()
    reply = upstream.reply(text, seconds=None)
    took = time.perf_counter() - began
    upstream.close()
    found = {
        "engine": upstream.name,
        "version": upstream.version,
        "text": reply.answer.text if reply.answer else None,
        "silence": reply.silence,
        "problem": upstream.problem,
        "seconds": round(took, 3),
    }
    if json:
        typer.echo(json_format.dumps(found, ensure_ascii=False))
    elif reply.answer:
        typer.echo(f"{text}\t{reply.answer.text}\t({took:.2f} s)")
    else:
        typer.echo(f"no answer ({reply.silence}): {upstream.problem or upstream.name}", err=True)
    if reply.answer is None:
        raise typer.Exit(1)


@group.command(epilog="Example: dragoman upstream fill manual chapter-1.xlf")
def fill(
    project: ProjectPath,
    file: Annotated[Path, typer.Argument(help="XLIFF, TMX, PO, TSV, or text with one segment a line.")],
    engine: EngineName = None,
    json: AsJson = False,
) -> None:
    """Ask the engine for every segment of a document, in batches, and keep what it says.

    Segments that are kept already are not asked for again, so that a run that was interrupted goes on where it stopped.
    The exit code is 1 if any have no answer.
    """
    from dragoman.progress import bars

    with _opened(project, write=True) as opened:
        texts = list(dict.fromkeys(_segments(opened, file)))
        with _upstream(opened, engine) as upstream, bars() as progress:
            replies = upstream.reply_all(texts, progress=progress)
            problem, asked = upstream.problem, upstream.counts["asked"]
    silent = sum(reply.answer is None for reply in replies)
    counts = {"segments": len(texts), "asked": asked, "kept": len(texts) - silent - asked, "without answer": silent}
    if json:
        reasons = {reply.silence.value for reply in replies if reply.silence}
        typer.echo(json_format.dumps(counts | {"reasons": sorted(reasons), "problem": problem}))
    else:
        typer.echo(", ".join(f"{count:,} {name}" for name, count in counts.items()))
    if silent:
        if not json:
            typer.echo(f"dragoman: the last problem was: {problem or replies[-1].silence}", err=True)
        raise typer.Exit(1)


@group.command(epilog="Example: dragoman upstream clear manual --engine ct2:models/nmt-en-es")
def clear(
    project: ProjectPath,
    engine: Annotated[str | None, typer.Option("--engine", help="Only the answers of this one.")] = None,
    json: AsJson = False,
) -> None:
    """Delete the answers that are kept; corrections, and what was learned from them, stay."""
    from dragoman.store.answers import Answers
    from dragoman.upstream.names import parse

    with _opened(project, write=True) as opened:
        name = None if engine is None else parse(engine).name
        deleted = Answers(opened.journal, opened.source, opened.target).clear(name)
    typer.echo(json_format.dumps({"deleted": deleted}) if json else f"{deleted:,} answers deleted")


@contextmanager
def _opened(path: Path, *, write: bool) -> Iterator[Project]:
    from dragoman.store import Project

    with Project.open(path, write=write) as project:
        yield project


@contextmanager
def _upstream(project: Project, engine: str | None) -> Iterator[Upstream]:
    """The engine of a project; one that cannot be made is an error here, since nothing else was asked for."""
    from dragoman.store.answers import Answers
    from dragoman.upstream import Upstream, from_name

    made = from_name(_name(project, engine), source=project.source, target=project.target)
    answers = Answers(project.journal, project.source, project.target)
    upstream = Upstream(made, answers, source=project.source, target=project.target)
    try:
        yield upstream
    finally:
        upstream.close()


def _name(project: Project, given: str | None) -> str:
    """The name of the engine that was given, or that the settings in force name."""
    if given:
        return given
    journal = project.journal
    last = journal.get(journal.last_id) if journal.last_id else None
    revision = 0 if last is None else last.id if last.kind == "settings" else last.revision
    settings = project.settings | ((journal.get(revision).settings or {}) if revision else {})
    name = settings.get("upstream")
    if not isinstance(name, str):
        remedy = "name one with --engine, for instance --engine ct2:models/nmt-en-es"
        raise BadInputError("builds on no engine", where=project.path, remedy=remedy)
    return name


def _print_answers(kept: Answers, engine: str | None) -> None:
    """Answers as `recorded:` reads them; those with tabs or line breaks have no such form and are left out."""
    from dragoman.upstream import Answer, Scored

    for entry in kept.entries(engine):
        answer = Answer.from_json(entry.answer)
        for text, score in answer.nbest or [Scored(answer.text)]:
            fields = [entry.text, text, *([] if score is None else [str(score)])]
            if not any(character in field for field in fields for character in "\t\n\r"):
                typer.echo("\t".join(fields))


def _segments(project: Project, file: Path) -> list[str]:
    from dragoman.formats import read_document

    try:
        data = file.read_bytes()
    except OSError as error:
        raise BadInputError(f"cannot be read ({error.strerror or error})", where=file) from None
    document = read_document(data, file.name, source=project.source, target=project.target)
    return [segment.source for segment in document.segments]
