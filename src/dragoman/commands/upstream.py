"""Commands for the engine that a project builds on: which one, whether it works, what it said, asking ahead."""

from __future__ import annotations

import json as json_format
from collections.abc import Iterator
from contextlib import ExitStack, closing, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from dragoman.commands.common import AsJson, ProjectPath
from dragoman.errors import BadInputError

if TYPE_CHECKING:
    from dragoman.store import Project
    from dragoman.store.project_answers import ProjectAnswers
    from dragoman.upstream import Upstream
    from dragoman.upstream.calls import Trial
    from dragoman.upstream.contract import Hints

commands = typer.Typer()
group = typer.Typer(
    help="The engine that a project builds on: name it, test it, list what it said, ask ahead for a document, clear.",
    no_args_is_help=True,
)
commands.add_typer(group, name="upstream")

EngineName = Annotated[
    str | None,
    typer.Option("--engine", help="Such as ct2:models/nmt-en-es; by default the one that the project is set to."),
]


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
    from dragoman.upstream.names import parse

    with _opened(project, write=False) as opened:
        kept = opened.answers
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


@group.command("set", epilog="Example: dragoman upstream set manual ct2:models/nmt-en-es")
def set_engine(
    project: ProjectPath,
    name: Annotated[str, typer.Argument(help="Such as ct2:models/nmt-en-es or deepl:; none to use no engine.")],
    json: AsJson = False,
) -> None:
    """Name the engine that a project builds on, and ask it a test question; exit code 1 if it gives no answer.

    It is set in any case: an engine that is down now may be up later.
    """
    from dragoman.commands.common import opened

    with opened(project) as engine:
        engine.upstream = None if name == "none" else name
        if engine.upstream is None:
            typer.echo(json_format.dumps({"engine": None}) if json else f"{project} builds on no engine now")
            return
        show_trial(engine.try_upstream(), json)


@group.command("test", epilog="Example: dragoman upstream test manual --engine ct2:models/nmt-en-es")
def test_engine(
    project: ProjectPath,
    engine: EngineName = None,
    text: Annotated[
        str | None, typer.Option(help="What to translate [default: a short text in the source language].")
    ] = None,
    json: AsJson = False,
) -> None:
    """Ask the engine for one translation, without looking at what is kept; exit code 1 if there is none.

    A language model is told the terms and corrections that fit the text, and what it is told is shown.
    """
    from dragoman.engine import Engine
    from dragoman.project.consultant import LEARNS
    from dragoman.upstream import Upstream, from_name
    from dragoman.upstream.calls import question_for
    from dragoman.upstream.contract import NO_HINTS, PromptedEngine

    with _opened(project, write=False) as opened:
        if engine is None and LEARNS in _name(opened, engine):
            with Engine.open(project, write=False) as learning:
                learning.wait_for_learning()
                show_trial(learning.try_upstream(text), json)
            return
        made = from_name(_name(opened, engine), source=opened.source, target=opened.target)
        upstream = Upstream(made, source=opened.source, target=opened.target)
        asked = text or question_for(opened.source)
    hints = _hints(project, asked) if isinstance(made, PromptedEngine) else NO_HINTS
    trial = upstream.try_out(text, hints)
    upstream.close()
    for message in trial.prompt or [] if not json else []:
        typer.echo(f"[{message['role']}]\n{message['content']}\n")
    show_trial(trial, json)


def _hints(path: Path, text: str) -> Hints:
    """What a project tells an engine with a text."""
    from dragoman.engine import Engine
    from dragoman.project.consultant import hints_for
    from dragoman.project.request import Request

    with Engine.open(path, write=False) as engine, engine.opened.reading() as state:
        return hints_for(Request(state, state.knowledge.source.read(text)))


def show_trial(trial: Trial, json: bool = False) -> None:
    """Print what came of a test question; exit with 1 if there is no answer."""
    if json:
        typer.echo(json_format.dumps(trial._asdict(), ensure_ascii=False))
    else:
        typer.echo(trial if trial.answer is not None else f"dragoman: {trial}", err=trial.answer is None)
    if trial.answer is None:
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
            outcomes = upstream.outcomes(texts, progress=progress)
            problem, tally = upstream.problem, upstream.counts
    silent = sum(outcome.answer is None for outcome in outcomes)
    counts = {"segments": len(texts), "asked": tally["asked"], "kept": tally["kept"], "without answer": silent}
    if json:
        reasons = {outcome.silence.value for outcome in outcomes if outcome.silence}
        typer.echo(json_format.dumps(counts | {"reasons": sorted(reasons), "problem": problem}))
    else:
        typer.echo(", ".join(f"{count:,} {name}" for name, count in counts.items()))
    if silent:
        if not json:
            reason = next(outcome.silence for outcome in reversed(outcomes) if outcome.answer is None)
            typer.echo(f"dragoman: the last problem was: {problem or reason}", err=True)
        raise typer.Exit(1)


@group.command(epilog="Example: dragoman upstream clear manual --engine ct2:models/nmt-en-es")
def clear(
    project: ProjectPath,
    engine: Annotated[str | None, typer.Option("--engine", help="Only the answers of this one.")] = None,
    json: AsJson = False,
) -> None:
    """Delete the answers that are kept; corrections, and what was learned from them, stay."""
    from dragoman.upstream.names import parse

    with _opened(project, write=True) as opened:
        name = None if engine is None else parse(engine).name
        deleted = opened.answers.clear(name)
    typer.echo(json_format.dumps({"deleted": deleted}) if json else f"{deleted:,} answers deleted")


@contextmanager
def _opened(path: Path, *, write: bool) -> Iterator[Project]:
    from dragoman.store import Project

    with Project.open(path, write=write) as project:
        yield project


@contextmanager
def _upstream(project: Project, engine: str | None) -> Iterator[Upstream]:
    """The engine of a project; one that cannot be made is an error here, since nothing else was asked for."""
    from dragoman.engine import LEARNING_SECONDS, Engine
    from dragoman.project.consultant import LEARNS
    from dragoman.project.correction_feed import CorrectionFeed
    from dragoman.upstream import Upstream, from_name

    name = _name(project, engine)
    with ExitStack() as stack:
        feed = None
        if engine is None and LEARNS in name:
            feed = CorrectionFeed(stack.enter_context(Engine.open(project.path, write=False)).opened)
        made = from_name(name, source=project.source, target=project.target)
        asked = Upstream(made, project.answers, source=project.source, target=project.target)
        upstream = stack.enter_context(closing(asked))
        if feed is not None and (learner := upstream.learner()):
            learner.follow(feed)
            learner.catch_up(LEARNING_SECONDS)
        yield upstream


def _name(project: Project, given: str | None) -> str:
    """The name of the engine that was given, or that the settings in force name."""
    if given:
        return given
    name = _last_setting(project, "upstream")
    if not isinstance(name, str):
        remedy = "name one, for instance: dragoman upstream set PROJECT ct2:models/nmt-en-es"
        raise BadInputError("builds on no engine", where=project.path, remedy=remedy)
    return name


def _last_setting(project: Project, name: str) -> object:
    """The value of a setting: rows have only what was changed, and lead to the change before."""
    journal = project.journal
    last = journal.get(journal.last_id) if journal.last_id else None
    revision = 0 if last is None else last.id if last.kind == "settings" else last.revision
    while revision:
        row = journal.get(revision)
        if name in (row.settings or {}):
            return row.settings[name] if row.settings else None
        revision = row.revision
    return project.settings.get(name)


def _print_answers(kept: ProjectAnswers, engine: str | None) -> None:
    """Answers as `recorded:` reads them; those with tabs or line breaks have no such form and are left out."""
    from dragoman.upstream import Answer, Scored

    for entry in kept.entries(engine):
        answer = Answer.from_json(entry.answer)
        for text, score in answer.nbest or [Scored(answer.text)]:
            fields = [entry.text, text, *([] if score is None else [str(score)])]
            if not any(character in field for field in fields for character in "\t\n\r"):
                typer.echo("\t".join(fields))


def _segments(project: Project, file: Path) -> list[str]:
    """The texts of a file as `dragoman fill` asks for them."""
    from dragoman.formats import read_document
    from dragoman.formats.filled_document import texts_of

    try:
        data = file.read_bytes()
    except OSError as error:
        raise BadInputError(f"cannot be read ({error.strerror or error})", where=file) from None
    document = read_document(data, file.name, source=project.source, target=project.target)
    return [text for segment in document.segments for text in map(str.strip, texts_of(segment)) if text]
