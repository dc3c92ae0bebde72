"""Commands for files of translation tools: import, export, fill."""

from __future__ import annotations

import json as json_format
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from functools import partial
from itertools import chain
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Annotated, Any, NamedTuple

import typer

from dragoman.commands.common import AsJson, ProjectPath, User, check_output, opened
from dragoman.commands.engine_use import BATCH, EngineUse, RequireEngine
from dragoman.errors import BadInputError

if TYPE_CHECKING:
    from dragoman.engine import Engine
    from dragoman.formats import Document
    from dragoman.formats.division import FindBoundaries
    from dragoman.formats.document import NewTarget
    from dragoman.formats.filled_document import Replace

commands = typer.Typer()
PDF = ".pdf"  # read, but not written
Sentences = Annotated[
    bool, typer.Option("--sentences/--paragraphs", help="Divide paragraphs into sentences, or leave them whole.")
]
Srx = Annotated[Path | None, typer.Option("--srx", help="Divide paragraphs by the rules in this SRX file instead.")]
IsGlossary = Annotated[bool, typer.Option("--glossary", help="The file holds terms of a glossary: .tbx or .csv.")]
Include = Annotated[list[str] | None, typer.Option("--include", help="In a directory, only files like this: *.md")]
Exclude = Annotated[list[str] | None, typer.Option("--exclude", help="In a directory, no files like this: drafts/*")]


@commands.command("import", epilog="Example: dragoman import manual memory.tmx")
def import_file(
    project: ProjectPath,
    file: Annotated[Path, typer.Argument(help="A file with translations, or a directory of such files.")],
    base: Annotated[bool, typer.Option("--base", help="Train a base from them, for a new project.")] = False,
    translated: Annotated[
        bool, typer.Option("--translated", help="Also learn translations that nobody has confirmed.")
    ] = False,
    glossary: IsGlossary = False,
    user: User = None,
    json: AsJson = False,
) -> None:
    """Learn the translations in a file; those that look wrong are flagged, not learned, and counted.

    What is known already is not learned again; what has changed since the file was last imported is revised.
    The terms of a glossary (.tbx, or --glossary) are added to the project's glossary.
    """
    from dragoman.formats.import_plan import learnable

    with opened(project) as engine:
        if glossary or file.suffix.lower() == ".tbx":
            _report(_import_glossary(engine, file), json)
            return
        found = _documents(engine, file)
        pairs = {path: learnable(each, translated=translated) for path, each in found.items()}
        total, learned = sum(len(each.segments) for each in found.values()), sum(map(len, pairs.values()))
        if not learned:
            typer.echo(f"dragoman: {file}: nothing to learn in {total:,} segments", err=True)
        waiting = sum(len(learnable(each, translated=True)) for each in found.values()) - learned
        if waiting:
            typer.echo(f"dragoman: {waiting:,} translated but not confirmed; --translated learns them, too", err=True)
        if base and learned:
            counts = {"learned": engine.train(chain.from_iterable(pairs.values()), progress=True), "flagged": 0}
            counts["refused"] = learned - counts["learned"]
        else:
            counts = _learn_files(engine, pairs, user)
    counts["left out"] = total - learned
    _report(counts, json)


def _import_glossary(engine: Engine, file: Path) -> dict[str, int]:
    """Add the terms of a file to the glossary, with their notes and with what is admitted or forbidden."""
    from dragoman.formats.glossaries import read_glossary
    from dragoman.formats.glossary_terms import plan_import

    terms = read_glossary(_bytes(file), file.name, engine.source, engine.target)
    plan = plan_import(engine, terms)
    if plan.terms or plan.rules:
        engine.change_terms(plan.terms, plan.rules)
    used = [term for term in terms if term.source not in plan.left_out]
    return {
        "terms": len({term.source for term in used if term.status == "preferred"}),
        "forbidden": sum(term.status == "forbidden" for term in used),
        "left out": len(terms) - len(used),
    }


def _export_glossary(project: Path, file: Path) -> dict[str, int]:
    from dragoman.files import storage_errors, write_durably
    from dragoman.formats.glossaries import write_glossary
    from dragoman.formats.glossary_terms import from_settings

    check_output(file)
    with opened(project, write=False) as engine:
        terms = from_settings(engine.glossary, engine.term_rules)
        data = write_glossary(terms, file.name, engine.source, engine.target)
    with storage_errors(file):
        write_durably(file, data)
    return {"written": len(terms), "left out": 0}


def _bytes(file: Path) -> bytes:
    try:
        return file.read_bytes()
    except OSError as error:
        raise BadInputError(f"cannot be read ({error.strerror or error})", where=file) from None


def _documents(engine: Engine, file: Path) -> dict[Path, Document]:
    """The document in a file, or those in a directory; what cannot be read is named and left out."""
    from dragoman.formats.directories import find_documents

    if not file.is_dir():
        return {file: read_in_languages(engine, file)}
    found: dict[Path, Document] = {}
    for path in find_documents(file):
        try:
            found[path] = read_in_languages(engine, path)
        except BadInputError as error:
            typer.echo(f"left out: {error}", err=True)
    return found


@commands.command("export", epilog="Example: dragoman export manual corrections.tmx")
def export_file(
    project: ProjectPath,
    file: Annotated[Path, typer.Argument(help="The file to write, .tmx or .tsv; .tbx for the glossary.")],
    glossary: IsGlossary = False,
    json: AsJson = False,
) -> None:
    """Write the corrections in force to a translation memory or a tab-separated file.

    The project's glossary is written to a .tbx file, or with --glossary to a .csv file.
    """
    from dragoman.files import storage_errors, write_durably
    from dragoman.formats.lines import write_tsv
    from dragoman.formats.tmx import TmxEntry, write_tmx

    if glossary or file.suffix == ".tbx":
        _report(_export_glossary(project, file), json)
        return
    if file.suffix not in (".tmx", ".tsv"):
        raise BadInputError(
            "cannot export to this file type", where=file, remedy="use .tmx or .tsv, or .tbx for the glossary"
        )
    check_output(file)
    with opened(project, write=False) as engine:
        rows = engine.corrections()
        entries = [TmxEntry(str(row.id), row.source or "", row.target or "", row.time, row.user) for row in rows]
        left_out: list[str] = []
        if file.suffix == ".tmx":
            data = write_tmx(entries, engine.source, engine.target, left_out)
        else:
            data = write_tsv((entry[:3] for entry in entries), left_out)
    with storage_errors(file):
        write_durably(file, data)
    for reason in left_out:
        typer.echo(f"left out: {reason}", err=True)
    _report({"written": len(entries) - len(left_out), "left out": len(left_out)}, json)


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
    include: Include = None,
    exclude: Exclude = None,
    user: User = None,
    require_engine: RequireEngine = False,
    json: AsJson = False,
) -> None:
    """Translate the untranslated segments of a file and leave everything else in it unchanged.

    In a directory every document that dragoman can read is translated; what was left out, and why, goes to standard
    error. A language in the name of a file or directory is replaced: en.json becomes es.json. What nobody could
    translate is left as it was and not counted as translated. A PDF becomes a table of its sentences and their
    translations (.tsv). Filled again, only files that have changed are
    translated, and in them only new sentences: the others stay as they are in the translation, corrected or not.
    """
    from dragoman.formats.srx import read_srx

    if replace not in ("nothing", "untranslated", "unconfirmed"):
        remedy = "choose nothing, untranslated or unconfirmed"
        raise BadInputError(f"unknown choice {replace!r} of --replace", remedy=remedy)
    chosen: Any = replace
    how = _Filling(learn_confirmed, read_srx(_bytes(srx), srx.name) if srx else sentences, user, chosen)
    with opened(project, write=learn_confirmed) as engine:
        place, use = _output(engine, file, out, to), EngineUse(engine)
        if file.is_dir():
            counts = _fill_directory(engine, use, file, place, how, include, exclude)
        else:
            check_output(place)
            counts = _fill(engine, use, _read_to_fill(engine, file, how), place, how)
    if out is None:
        typer.echo(f"dragoman: wrote {place}", err=True)
    if use.silent:
        counts["without engine"] = use.silent
    _report(counts, json)
    use.report(required=require_engine)


def _output(engine: Engine, file: Path, out: Path | None, to: str | None) -> Path:
    """Where the translation of a file or directory goes: `site-es` for `site`, `es.json` or `page.es.md` for files."""
    from dragoman.formats.directories import catalogue_name, translated_path
    from dragoman.languages import same_language

    if to is not None and not same_language(to, engine.target):
        what = f"the project translates into {engine.target}, not into {to}"
        raise BadInputError(what, remedy="use a project with that target language")
    if file.suffix.lower() == PDF and file.is_file():
        place = out or file.with_name(f"{file.stem}.{engine.target}.tsv")
        if place.suffix.lower() != ".tsv":
            what = "the translation of a PDF is a table of sentences"
            raise BadInputError(what, where=place, remedy="name a file that ends in .tsv")
        return place
    if out is not None:
        return out
    if file.is_dir():
        return file.resolve().with_name(f"{file.resolve().name}-{engine.target}")
    if file.suffix.lower() == ".pot":
        return file.with_name(catalogue_name(file, engine.target))
    renamed = file.with_name(translated_path(Path(file.name), engine.source, engine.target).name)
    return renamed if renamed != file else file.with_name(f"{file.stem}.{engine.target}{file.suffix}")


class _Filling(NamedTuple):
    """How files are filled."""

    learn_confirmed: bool
    sentences: bool | FindBoundaries
    user: str | None
    replace: Replace


class _Unfilled(NamedTuple):
    """A document on its way, and the file that it was read from."""

    file: Path
    document: Document
    kept: Mapping[str, str] = MappingProxyType({})  # translations of the last time, with what people made of them


def _read_to_fill(engine: Engine, file: Path, how: _Filling) -> _Unfilled:
    document = read_in_languages(engine, file, sentences=how.sentences)
    for warning in document.warnings:
        typer.echo(f"dragoman: {file}: {warning}", err=True)
    return _Unfilled(file, document)


def _texts(each: _Unfilled, how: _Filling) -> list[str]:
    """What the other engine is asked for."""
    from dragoman.formats.filled_document import texts_of, wanted_segments

    wanted = wanted_segments(each.document, how.replace)
    return [text for segment in wanted if segment.source not in each.kept for text in texts_of(segment)]


def _fill(
    engine: Engine,
    use: EngineUse,
    read: _Unfilled,
    out: Path,
    how: _Filling,
    remember: Callable[[Document, Mapping[str, NewTarget]], None] | None = None,
) -> dict[str, int]:
    """Fill one file; the counts that are reported."""
    from dragoman.files import storage_errors, write_durably
    from dragoman.formats.filled_document import fill_document
    from dragoman.formats.import_plan import learnable
    from dragoman.progress import bars

    file, document, kept = read
    counts: dict[str, int] = {}
    if how.learn_confirmed:
        counts = _learn_files(engine, {file: learnable(document)}, how.user)
    with bars() as report:
        filled = fill_document(engine, document, report, how.replace, use.ask, kept)
    if why := _why_left(document, how.replace):
        typer.echo(f"dragoman: {file}: left as they were: {why}", err=True)
    if filled.untranslated:
        typer.echo(f"dragoman: {file}: {filled.untranslated:,} left in {engine.source}: not known", err=True)
    for name, reason in filled.left_out.items():
        typer.echo(f"left as it was: {file}: segment {name}: {reason}", err=True)
    with storage_errors(out, unchanged=not how.learn_confirmed):
        write_durably(out, filled.data)
    if remember:
        remember(document, filled.targets)
    unchanged = len(document.segments) - filled.translated
    return counts | {"translated": filled.translated, "left as they were": unchanged}


def _why_left(document: Document, replace: Replace) -> str:
    """How many segments have a target that is not replaced, and why."""
    states: Counter[str] = Counter(one.state for one in document.segments if one.target or one.state == "locked")
    why = {"confirmed": "confirmed", "locked": "locked"}
    if replace != "unconfirmed":
        why["translated"] = "translated (--replace unconfirmed translates them again)"
    if replace == "nothing":
        why["new"] = "with a target that is no translation"
    return ", ".join(f"{states[state]:,} {text}" for state, text in why.items() if states[state])


def _fill_directory(
    engine: Engine,
    use: EngineUse,
    root: Path,
    out: Path,
    how: _Filling,
    include: list[str] | None,
    exclude: list[str] | None,
) -> dict[str, int]:
    """Fill all documents in a directory; one that cannot be read is left out, and the others are filled.

    What has not changed since the last time is left alone, and sentences that are still there stay as they are now.
    """
    from dragoman.files import storage_errors
    from dragoman.formats.directories import catalogue_name, find_documents, left_alone, translated_path
    from dragoman.formats.filled_tree import FilledTree

    totals: Counter[str] = Counter({"files": 0, "files unchanged": 0, "files left out": 0})
    inside_out, tree = out.resolve(), FilledTree(out)

    def read() -> Iterator[tuple[_Unfilled, Path]]:
        for path in find_documents(root, include or (), exclude or ()):
            place = out / translated_path(path.relative_to(root), engine.source, engine.target)
            if path.suffix.lower() == ".pot":
                place = place.with_name(catalogue_name(path, engine.target))
            mine = inside_out != root.resolve() and inside_out in path.resolve().parents
            if place.resolve() == path.resolve() or mine:
                continue
            name = path.relative_to(root).as_posix()
            try:
                if tree.is_unchanged(name, path.read_bytes(), place):
                    totals["files unchanged"] += 1
                    continue
                found = _read_to_fill(engine, path, how)
                kept = tree.kept(name, place, partial(_read_written, engine, how))
                yield found._replace(kept=kept), place
            except BadInputError as error:
                leave_out(error)

    def leave_out(error: BadInputError) -> None:
        typer.echo(f"left out: {error}", err=True)
        totals["files left out"] += 1

    for some in _together(read(), how):
        if not how.learn_confirmed:  # else what is learned from one file may be all that the next one needs
            use.ask([text for each, _ in some for text in _texts(each, how)])
        for each, place in some:
            try:
                with storage_errors(place):
                    place.parent.mkdir(parents=True, exist_ok=True)
                name, data = each.file.relative_to(root).as_posix(), each.file.read_bytes()
                totals.update(_fill(engine, use, each, place, how, partial(tree.remember, name, data)))
                totals["files"] += 1
            except BadInputError as error:
                leave_out(error)
    tree.save()
    for name in tree.gone(root):
        typer.echo(f"dragoman: left alone: the translation of {name}, whose source is gone", err=True)
    for reason, count in left_alone(root, include or (), exclude or ()).items():
        typer.echo(f"dragoman: left alone: {count:,} files: {reason}", err=True)
    return dict(totals)


def _read_written(engine: Engine, how: _Filling, data: bytes, name: str) -> Document:
    """A document that was written before: its sentences are those of the target language."""
    from dragoman.formats import read_document

    return read_document(data, name, source=engine.source, target=engine.target, sentences=how.sentences)


def _together(found: Iterator[tuple[_Unfilled, Path]], how: _Filling) -> Iterator[list[tuple[_Unfilled, Path]]]:
    """Documents with enough texts for a batch of the other engine."""
    some: list[tuple[_Unfilled, Path]] = []
    texts = 0
    for each in found:
        some.append(each)
        texts += len(_texts(each[0], how))
        if texts >= BATCH:
            yield some
            some, texts = [], 0
    if some:
        yield some


def read_in_languages(engine: Engine, file: Path, *, sentences: bool | FindBoundaries = True) -> Document:
    """The document in a file, which must have the languages of the project."""
    from dragoman.formats import read_document
    from dragoman.languages import same_language

    try:
        data = file.read_bytes()
    except OSError as error:
        raise BadInputError(f"cannot read it ({error.strerror or error})", where=file) from None
    ours = engine.source, engine.target
    if file.suffix.lower() == PDF:
        from dragoman.formats.pdf import read_pdf

        return read_pdf(data, file.name, source=ours[0], target=ours[1], sentences=sentences)
    document = read_document(data, file.name, source=ours[0], target=ours[1], sentences=sentences)
    remedy = f"use a file from {ours[0]} to {ours[1]}"
    theirs = document.source_language, document.target_language
    if document.format == "tmx" and not any(one.target for one in document.segments):
        theirs = _languages_of_memory(data, file, remedy)
    if any(said and not same_language(said, wanted) for said, wanted in zip(theirs, ours, strict=True)):
        what = f"the file is from {theirs[0]} to {theirs[1]}, but the project is from {ours[0]} to {ours[1]}"
        raise BadInputError(what, where=file, remedy=remedy)
    return document


def _languages_of_memory(data: bytes, file: Path, remedy: str) -> tuple[str | None, str | None]:
    """The languages that a TMX file really has: when read with given languages, it reports those instead."""
    from dragoman.formats import read_document

    try:
        document = read_document(data, file.name)
    except BadInputError as error:  # it has more than two languages, and not the two of the project
        raise BadInputError(error.what, where=file, remedy=remedy) from None
    return document.source_language, document.target_language


def _learn_files(engine: Engine, pairs: Mapping[Path, list[tuple[str, str]]], user: str | None) -> dict[str, int]:
    """Learn the pairs of some files; how many were learned, known, flagged and refused."""
    from dragoman.formats.import_plan import import_pairs
    from dragoman.progress import bars

    counts: Counter[str] = Counter()
    with bars() as report:
        for path, found in pairs.items():
            counts += import_pairs(engine, found, str(path.resolve()), user=user, progress=report)
    learned = counts["new"] + counts["changed"]
    return {"learned": learned} | {name: counts[name] for name in ("new", "changed", "known", "flagged", "refused")}


def _report(counts: dict[str, int], json: bool) -> None:
    if json:
        typer.echo(json_format.dumps({name.replace(" ", "_"): count for name, count in counts.items()}))
    else:
        typer.echo(", ".join(f"{count:,} {name}" for name, count in counts.items()))
