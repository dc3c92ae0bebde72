"""Commands for projects: create, train, translate, learn, forget, revise, and inspect what was learned."""

from __future__ import annotations

import json as json_format
import os
import sys
from collections.abc import Callable, Iterable, Iterator
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from dragoman.commands.common import (
    AsJson,
    Cluster,
    ProjectPath,
    User,
    check_output,
    decode_line,
    file_pairs,
    input_lines,
    opened,
    split_pair,
)
from dragoman.commands.engine_use import EngineUse, RequireEngine
from dragoman.errors import BadInputError

if TYPE_CHECKING:
    from dragoman.cluster.batch_translation import BatchTranslation
    from dragoman.engine import Engine
    from dragoman.records import Translation

commands = typer.Typer()

WIDTH = 160  # characters of tables that go into a file
JournalUrl = Annotated[
    str | None,
    typer.Option("--journal", help="URL of a PostgreSQL database for the journal; default: a file."),
]


@commands.command(epilog="Example: dragoman create manual --source en --target es --upstream ct2:models/en-es")
def create(
    project: ProjectPath,
    source: Annotated[str, typer.Option(help="Source language code.")],
    target: Annotated[str, typer.Option(help="Target language code.")],
    preset: Annotated[str, typer.Option(help="Feature set: thot, moses, full or classes.")] = "classes",
    tokens: Annotated[str, typer.Option(help="`text`, or `words` for text that is already tokenised.")] = "text",
    order: Annotated[
        int | None, typer.Option(help="Order of the language model; default: that of the base, or 5.")
    ] = None,
    base: Annotated[
        str | None,
        typer.Option(help="A trained base to use: a directory, or a URL (https://…, s3://…), perhaps with #checksum."),
    ] = None,
    journal: JournalUrl = None,
    upstream: Annotated[
        str | None, typer.Option(help="An engine to build on, such as ct2:models/en-es; it is asked a test question.")
    ] = None,
) -> None:
    """Create a project, empty, over a trained base, or over another engine."""
    from dragoman.engine import Engine
    from dragoman.upstream.names import parse

    if tokens not in ("text", "words"):
        raise BadInputError(f"unknown kind of tokens {tokens!r}", remedy="choose text or words")
    mode: Any = tokens
    if upstream is not None:
        parse(upstream)  # refuses what names no engine, before anything is created
    found = None if base is None else _find_base(base, (source, target))
    options: dict[str, Any] = {"preset": preset, "tokens": mode, "order": order, "base": found, "journal": journal}
    with Engine.create(project, source=source, target=target, upstream=upstream, **options) as engine:
        typer.echo(f"created {project}")
        _tell_card(found)
        if upstream is not None:
            trial = engine.try_upstream()
            typer.echo(trial if trial.answer is not None else f"dragoman: {trial}", err=trial.answer is None)


@commands.command(epilog="Example: dragoman project copy manual manual-2 --base larger-base")
def copy(
    project: ProjectPath,
    new: Annotated[Path, typer.Argument(help="The directory of the new project.")],
    base: Annotated[str | None, typer.Option(help="A trained base to use instead of the project's.")] = None,
    journal: JournalUrl = None,
    json: AsJson = False,
) -> None:
    """Create a project that learns all corrections of another one again, with its settings.

    Use it to change the base or the journal, or to upgrade a project from another version of dragoman. It keeps who
    corrected and when, but not what was forgotten or flagged. Corrections that cannot be learned are listed; the exit
    code is 1 if there are any.
    """
    from dragoman.engine import Engine
    from dragoman.progress import bars

    found = None if base is None else _find_base(base)
    with bars() as progress:
        copied = Engine.copy(project, new, base=found, journal=journal, progress=progress)
    for reason in copied.refused:
        typer.echo(f"dragoman: left out: {reason}", err=True)
    if json:
        typer.echo(json_format.dumps({"learned": copied.learned, "refused": len(copied.refused)}))
    else:
        typer.echo(f"{new} has learned {copied.learned:,} corrections")
    if copied.refused:
        raise typer.Exit(1)


@commands.command(epilog="Example: dragoman project merge both ana ben")
def merge(
    new: Annotated[Path, typer.Argument(help="The directory of the new project.")],
    projects: Annotated[list[Path], typer.Argument(help="Two or more projects of the same languages.")],
    json: AsJson = False,
) -> None:
    """Create a project from several: it learns all their corrections, each once, in the order of time.

    It is exactly the project that would be if all had worked in one, with who corrected and when. Settings are those
    of the first; terms that its glossary lacks come from the others, and those translated differently are listed. The
    documents of the workbench are not merged. Corrections that cannot be learned are listed; the exit code is 1 if
    there are any.
    """
    from dragoman.engine import Engine
    from dragoman.progress import bars
    from dragoman.project.project_merge import merge as merge_projects

    with bars() as progress:
        merged = merge_projects(Engine, projects, new, progress=progress)
    for conflict in merged.conflicts:
        typer.echo(f"dragoman: term kept: {conflict}", err=True)
    for reason in merged.refused:
        typer.echo(f"dragoman: left out: {reason}", err=True)
    if json:
        counts = {"learned": merged.learned, "shared": merged.shared, "refused": len(merged.refused)}
        typer.echo(json_format.dumps(counts | {"conflicts": merged.conflicts}))
    else:
        typer.echo(f"{new} has learned {merged.learned:,} corrections; {merged.shared:,} were in several projects")
    if merged.refused:
        raise typer.Exit(1)


def _find_base(location: str, languages: tuple[str, str] | None = None) -> Path:
    """The directory of a base, which is downloaded if it is remote and of these languages."""
    found = _fetched(location, languages)
    if not any((found / name).exists() for name in ("manifest.json", "project.json")):
        remedy = "give the directory of a trained base or of a trained project"
        raise BadInputError("no base found here", where=found, remedy=remedy)
    return found


def _fetched(location: str, languages: tuple[str, str] | None = None) -> Path:
    """The directory of a base, with a progress bar while it is downloaded."""
    from dragoman.progress import bars
    from dragoman.remote_base import fetch

    with bars() as progress:
        return fetch(location, languages=languages, progress=progress)


@commands.command(epilog="Example: dragoman base fetch s3://models/en-es")
def fetch(location: Annotated[str, typer.Argument(help="URL of a base, of any kind that fsspec supports.")]) -> None:
    """Download a base into the cache, verify it, and print where it is; its licence goes to standard error."""
    found = _find_base(location)
    typer.echo(found)
    _tell_card(found)


def _tell_card(base: Path | None) -> None:
    """Say which base it is and under which licence, if it was published with both."""
    from dragoman.base_card import read_card

    if base is not None and (card := read_card(base)):
        typer.echo(f"dragoman: base: {card}", err=True)


@commands.command(epilog="Example: dragoman base publish manual upload/en-es --licence CC-BY-4.0 --version 2026.1")
def publish(
    project: ProjectPath,
    directory: Annotated[Path, typer.Argument(help="A new directory to upload.")],
    licence: Annotated[str, typer.Option(help="SPDX identifier of the licence, such as CC-BY-4.0.")],
    version: Annotated[str, typer.Option(help="Version of the base, such as 2026.1.")],
    corpus: Annotated[str, typer.Option(help="What it was trained on, in a few words.")] = "",
    json: AsJson = False,
) -> None:
    """Write the base of a trained project, without its corrections, to a directory that others can use as --base.

    Its manifest says which languages it is for, its licence and version, and the checksums of all files.
    """
    from dragoman.base_card import BaseCard
    from dragoman.base_card import publish as write_published
    from dragoman.store import Project

    with Project.open(project) as found:
        base = found.find_base()
        card = BaseCard(found.source, found.target, licence=licence, version=version, corpus=corpus)
    if base is None:
        raise BadInputError("this project has no base", where=project, remedy="train it first")
    checksum = write_published(base, directory, card)
    if json:
        typer.echo(json_format.dumps({"directory": str(directory), "checksum": checksum, "card": str(card)}))
    else:
        typer.echo(f"published {directory}: {card}")
        typer.echo(f"once it is uploaded, it can be used with: --base URL#{checksum[:16]}")


@commands.command(epilog="Example: dragoman base train manual train.en train.es.zst --cluster local")
def train(
    project: ProjectPath,
    corpus: Annotated[
        list[str],
        typer.Argument(
            help="Two files, plain, .gz or .zst; two directories of files, or one with both; a .tsv file; or - for "
            "tab-separated pairs from standard input."
        ),
    ],
    cluster: Cluster = None,
    shards: Annotated[int | None, typer.Option(min=1, help="Number of parts; default: 10,000 pairs each.")] = None,
    least: Annotated[
        int, typer.Option(min=1, help="Leave out phrase pairs and longest n-grams seen less often than this.")
    ] = 1,
    size: Annotated[
        Literal["full", "small"],
        typer.Option(
            help="Leave nothing out, or what can be put together from the rest: about a quarter of the bytes."
        ),
    ] = "full",
    work: Annotated[Path | None, typer.Option(help="A directory with space for temporary files.")] = None,
    json: AsJson = False,
) -> None:
    """Train a base for a new project; the corpus need not fit in memory.

    The result is the same, bit for bit, for any number of shards and workers. If training is interrupted, the same
    command goes on where it was.
    """
    from dragoman.cluster.corpus_files import read_corpus
    from dragoman.cluster.runners import connected
    from dragoman.cluster.trainer import train_project
    from dragoman.progress import bars
    from dragoman.store import Project

    with Project.open(project, write=True) as opened, connected(cluster, processes=True) as runner, bars() as progress:
        pairs = read_corpus(corpus, (opened.source, opened.target))
        options = {"shards": shards, "least": least, "size": size, "work": work, "progress": progress}
        trained = train_project(opened, pairs, runner=runner, **options)
    if json:
        found = {"pairs": trained.pairs, "temporary_bytes": trained.bytes, "resumed": trained.resumed}
        typer.echo(json_format.dumps(found))
    else:
        again = ", going on where it had been interrupted" if trained.resumed else ""
        typer.echo(f"trained on {trained.pairs:,} pairs{again}")


@commands.command(epilog='Example: dragoman translate manual "Press the green button."')
def translate(
    project: ProjectPath,
    text: Annotated[list[str] | None, typer.Argument(help="Texts; default: lines of standard input.")] = None,
    n: Annotated[int, typer.Option("--nbest", help="Number of translations for each text, best first.")] = 1,
    memory: Annotated[bool, typer.Option(help="Use earlier corrections of the same text.")] = True,
    cluster: Cluster = None,
    require_engine: RequireEngine = False,
    json: AsJson = False,
) -> None:
    """Translate texts, or standard input line by line.

    If the project names another engine, that is asked too; standard error says how many texts it had no answer for.
    """
    with opened(project, write=False) as engine:
        use = EngineUse(engine)
        _print_translations(_translations(engine, use.asked_ahead(text or input_lines()), n, memory, cluster), json)
        use.report(required=require_engine)


def _print_translations(translations: Iterable[Translation | BatchTranslation], json: bool) -> None:
    for translation in translations:
        if json:
            fields = {"text": translation.text, "score": translation.score, "features": translation.features}
            typer.echo(json_format.dumps(fields | {"alignment": translation.alignment}, ensure_ascii=False))
        else:
            typer.echo(translation.text)


def _translations(
    engine: Engine, texts: Iterable[str], n: int, memory: bool, cluster: str | None
) -> Iterator[Translation | BatchTranslation]:
    """The translations of all texts, found here or on a cluster."""
    if cluster is None:
        for each in texts:
            found = engine.translate(each, n=n, memory=memory)
            yield from found.nbest or (found,)
        return
    from dragoman.cluster.batch_translation import translate_all
    from dragoman.cluster.runners import connected

    with connected(cluster) as runner:
        for block in translate_all(engine.path, texts, runner, n=n, memory=memory):
            yield from block


@commands.command(epilog='Example: dragoman learn manual "Press the button." "Pulse el botón."')
def learn(
    project: ProjectPath,
    texts: Annotated[
        list[str] | None,
        typer.Argument(help="A source and its translation; default: tab-separated lines of standard input."),
    ] = None,
    user: User = None,
    force: Annotated[bool, typer.Option("--force", help="Learn it even if it looks wrong.")] = False,
    json: AsJson = False,
) -> None:
    """Learn one correction, or many from standard input; prints the id once it is safe on disk.

    Input lines that look wrong or cannot be learned are skipped and listed; the exit code is 1 if there are any.
    """
    if texts and len(texts) != 2:
        what = f"expected a source and a translation, found {len(texts)} texts"
        raise BadInputError(what, remedy="quote each of them")

    def learn_pair(engine: Engine, source: str, target: str) -> None:
        number = engine.learn(source, target, user=user, force=force)
        typer.echo(json_format.dumps({"id": number}) if json else number)

    with opened(project) as engine:
        if texts:
            learn_pair(engine, texts[0], texts[1])
            return
        counts = _learn_input(partial(learn_pair, engine))
    typer.echo(", ".join(f"{count:,} {name}" for name, count in counts.items()), err=True)
    if counts["flagged"] or counts["refused"]:
        raise typer.Exit(1)


def _learn_input(learn_pair: Callable[[str, str], None]) -> dict[str, int]:
    """Learn the lines of standard input and list those that are skipped; return how many of each there were."""
    from dragoman.project.guard import FlaggedError

    counts = {"learned": 0, "flagged": 0, "refused": 0}
    for number, line in enumerate(sys.stdin.buffer, start=1):
        if not line.strip():
            continue
        try:
            learn_pair(*split_pair(decode_line(line, number), f"line {number}"))
            counts["learned"] += 1
        except BadInputError as error:
            outcome = "flagged" if isinstance(error, FlaggedError) else "refused"
            counts[outcome] += 1
            typer.echo(f"dragoman: line {number} {outcome}: {error.what}", err=True)
    return counts


@commands.command(epilog="Example: dragoman project forget manual 12")
def forget(project: ProjectPath, number: Annotated[int, typer.Argument(help="Id of the correction.")]) -> None:
    """Forget a correction: subtract exactly what it added."""
    with opened(project) as engine:
        engine.forget(number)
    typer.echo(f"forgot correction {number}")


@commands.command(epilog='Example: dragoman project revise manual 12 "Pulse el botón verde."')
def revise(
    project: ProjectPath,
    number: Annotated[int, typer.Argument(help="Id of the correction.")],
    target: Annotated[str, typer.Argument(help="The new translation.")],
) -> None:
    """Replace the translation of a correction."""
    with opened(project) as engine:
        new = engine.revise(number, target)
    typer.echo(f"replaced correction {number} by {new}")


@commands.command(epilog="Example: dragoman project history manual --search button")
def history(
    project: ProjectPath,
    limit: Annotated[int, typer.Option(help="Maximum number to list.")] = 20,
    search: Annotated[str | None, typer.Option(help="Only corrections that contain this text.")] = None,
    json: AsJson = False,
) -> None:
    """List corrections, newest first; flagged ones looked wrong and were not learned."""
    with opened(project, write=False) as engine:
        for row in engine.history(limit, search=search):
            if json:
                fields = {"id": row.id, "kind": row.kind, "source": row.source, "target": row.target}
                about = {"time": row.time.isoformat(), "user": row.user, "reason": row.reason}
                typer.echo(json_format.dumps(fields | {"forgotten": row.forgotten} | about))
            else:
                flag = f" (flagged: {row.reason})" if row.kind == "flagged" else ""
                mark = " (forgotten)" if row.forgotten else flag
                typer.echo(f"{row.id:6}  {row.time:%Y-%m-%d %H:%M}  {row.source} → {row.target}{mark}")


@commands.command(epilog='Example: dragoman project glossary manual "drip tray" "bandeja de goteo"')
def glossary(
    project: ProjectPath,
    term: Annotated[
        list[str] | None, typer.Argument(help="A term and its translation; default: list all terms.")
    ] = None,
    file: Annotated[Path | None, typer.Option(help="Add the terms of this tab-separated file.")] = None,
    remove: Annotated[str | None, typer.Option(help="Remove this term.")] = None,
    json: AsJson = False,
) -> None:
    """List, add or remove glossary terms; changes take effect at once."""
    if term and len(term) != 2:
        what = f"expected a term and its translation, found {len(term)} texts"
        raise BadInputError(what, remedy="quote each of them")
    changing = bool(term or file or remove)
    with opened(project, write=changing) as engine:
        if remove is not None and remove not in engine.glossary:
            remedy = f"list its terms with `dragoman project glossary {project}`"
            raise BadInputError(f"{remove!r} is not in the glossary", remedy=remedy)
        if file is not None:
            engine.glossary = engine.glossary | dict(file_pairs(file))
        if term:
            engine.set_term(*term)
        if remove is not None:
            engine.remove_term(remove)
        terms = engine.glossary
    if json:
        typer.echo(json_format.dumps(terms, ensure_ascii=False))
    elif changing:
        typer.echo(f"the glossary has {len(terms):,} terms")
    else:
        for source, target in terms.items():
            typer.echo(f"{source}\t{target}")


@commands.command(epilog="Example: dragoman project stats manual --json")
def stats(project: ProjectPath, json: AsJson = False) -> None:
    """Show what a project has learned and how large it is."""
    with opened(project, write=False) as engine:
        numbers = engine.statistics()
    if json:
        typer.echo(json_format.dumps(numbers))
    else:
        for name, value in numbers.items():
            typer.echo(f"{name:24} {value:>12,}")


@commands.command(epilog='Example: dragoman project explain manual "Press the green button." --html why.html')
def explain(
    project: ProjectPath,
    text: Annotated[str, typer.Argument(help="The text to translate.")],
    html: Annotated[Path | None, typer.Option(help="Write an HTML page to this file instead.")] = None,
    json: AsJson = False,
) -> None:
    """Show why a text is translated as it is: the options, the choice with its scores, the runners-up."""
    check_output(html)
    with opened(project, write=False) as engine:
        engine.wait_for_learning()
        told = engine.explain(text)
    if html is not None:
        from dragoman.files import storage_errors

        with storage_errors(html, unchanged=False):
            html.write_text(told.html(), encoding="utf-8")
        typer.echo(json_format.dumps({"html": str(html)}) if json else f"see {html}")
        return
    if json:
        typer.echo(json_format.dumps(told.as_dict(), ensure_ascii=False))
        return
    from rich.console import Console

    there = Console()
    wide = there if there.is_terminal or "COLUMNS" in os.environ else Console(width=WIDTH)
    wide.print(*told.tables(), sep="\n")
