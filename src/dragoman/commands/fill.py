"""The command that translates files: `formats.fill_files` does it."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from dragoman.commands.common import AsJson, ProjectPath, User, check_output, opened, read_bytes, report
from dragoman.commands.engine_use import EngineUse, RequireEngine
from dragoman.errors import BadInputError

if TYPE_CHECKING:
    from dragoman.engine import Engine
    from dragoman.formats.division import FindBoundaries

commands = typer.Typer()

Sentences = Annotated[
    bool, typer.Option("--sentences/--paragraphs", help="Divide paragraphs into sentences, or leave them whole.")
]
Srx = Annotated[Path | None, typer.Option("--srx", help="Divide paragraphs by the rules in this SRX file instead.")]
Include = Annotated[list[str] | None, typer.Option("--include", help="In a directory, only files like this: *.md")]
Exclude = Annotated[list[str] | None, typer.Option("--exclude", help="In a directory, no files like this: drafts/*")]


@commands.command(epilog="Examples: dragoman fill manual in.xlf out.xlf --learn-confirmed; dragoman fill manual site/")
def fill(
    project: ProjectPath,
    file: Annotated[Path, typer.Argument(help="A document, or a directory of documents.")],
    out: Annotated[
        Path | None, typer.Argument(help="The file or directory to write [default: beside it, named by the language].")
    ] = None,
    to: Annotated[
        str | None, typer.Option("--to", help="The language to translate into, which is the project's.")
    ] = None,
    learn_confirmed: Annotated[
        bool, typer.Option("--learn-confirmed", help="First learn its confirmed segments.")
    ] = False,
    sentences: Sentences = True,
    srx: Srx = None,
    replace: Annotated[
        str,
        typer.Option(
            "--replace",
            help="Targets to replace: nothing, untranslated (blank, only tags, copies of the source) or unconfirmed.",
        ),
    ] = "untranslated",
    overwrite: Annotated[
        bool, typer.Option("--overwrite", help="Also write files that exist and were not written by this command.")
    ] = False,
    include: Include = None,
    exclude: Exclude = None,
    user: User = None,
    require_engine: RequireEngine = False,
    json: AsJson = False,
) -> None:
    """Translate the untranslated segments of a file and leave everything else in it unchanged.

    In a directory every document that dragoman can read is translated; what was left out, and why, goes to standard
    error. A language in the name of a file or directory is replaced: en.json becomes es.json. What nobody could
    translate is left as it was and not counted as translated. Filled again, what people have changed in a translation
    stays, and in a directory only new sentences are translated.
    """
    from dragoman.formats.fill_files import Filling, FillJob, fill_files

    if replace not in ("nothing", "untranslated", "unconfirmed"):
        remedy = "choose nothing, untranslated or unconfirmed"
        raise BadInputError(f"unknown choice {replace!r} of --replace", remedy=remedy)
    chosen: Any = replace
    rules: bool | FindBoundaries = sentences
    if srx:
        from dragoman.formats.srx import read_srx

        rules = read_srx(read_bytes(srx), srx.name)
    with opened(project, write=learn_confirmed) as engine:
        place, use = _output(engine, file, out, to), EngineUse(engine)
        how = Filling(engine, use.ask, _say, learn_confirmed, rules, user, chosen, overwrite)
        if is_directory := file.is_dir():
            from dragoman.formats.directories import left_alone, plan_directory

            jobs = plan_directory(engine, file, place, include or (), exclude or ())
            for reason, count in left_alone(file, include or (), exclude or ()).items():
                _say(f"dragoman: left alone: {count:,} files: {reason}")
        else:
            check_output(place)
            jobs = [FillJob(file, place, place.parent)]
        counts = dict(fill_files(how, jobs, is_directory=is_directory))
    if out is None:
        _say(f"dragoman: wrote {place}")
    if use.silent:
        counts["without engine"] = use.silent
    report(counts, json)
    use.report(required=require_engine)


def _say(line: str) -> None:
    typer.echo(line, err=True)


def _output(engine: Engine, file: Path, out: Path | None, to: str | None) -> Path:
    """Where the translation of a file or directory goes: `site-es` for `site`, `es.json` or `page.es.md` for files."""
    from dragoman.formats.directories import catalogue_name, translated_path
    from dragoman.languages import same_language

    if to is not None and not same_language(to, engine.target):
        what = f"the project translates into {engine.target}, not into {to}"
        raise BadInputError(what, remedy="use a project with that target language")
    if out is not None:
        return out
    if file.is_dir():
        return file.resolve().with_name(f"{file.resolve().name}-{engine.target}")
    if file.suffix.lower() == ".pot":
        return file.with_name(catalogue_name(file, engine.target))
    renamed = file.with_name(translated_path(Path(file.name), engine.source, engine.target).name)
    return renamed if renamed != file else file.with_name(f"{file.stem}.{engine.target}{file.suffix}")
