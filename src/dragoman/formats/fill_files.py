"""Files and directories that are filled: read, compared with what was written before, translated and written.

1. `directories.plan_directory` says which documents are translated, and where each translation goes.
2. `fill_files` reads each document, and what people have made of its translation (`fill_record`).
3. Another engine is asked for the texts of several documents at once; then each is translated (`filled_document`),
   entered in the record, and written.

A source is never written to. One that cannot be translated or written is left out and named; the others are done.
"""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from dragoman.errors import BadInputError, CancelledError, DamagedFileError, DragomanError, StorageError
from dragoman.files import reading_errors, storage_errors, write_durably
from dragoman.formats import read_document
from dragoman.formats.division import FindBoundaries
from dragoman.formats.document import Document
from dragoman.formats.file_types import by_ending
from dragoman.formats.fill_record import FilledFile, FillRecord, Kept, digest, find_kept, made_of, said_in, skeleton
from dragoman.formats.filled_document import Filled, Replace, fill_document, texts_of, wanted_segments
from dragoman.languages import same_language
from dragoman.progress import bars

if TYPE_CHECKING:
    from dragoman.engine import Engine

BATCH = 64  # texts that another engine is asked for at once


class FillJob(NamedTuple):
    """A source, and the file that its translation is written to."""

    source: Path
    place: Path
    out: Path  # the directory that has the record


@dataclass(frozen=True)
class Filling:
    """How files are filled."""

    engine: Engine
    ask: Callable[..., object]
    say: Callable[[str], None]
    learn_confirmed: bool = False
    sentences: bool | FindBoundaries = True
    user: str | None = None
    replace: Replace = "untranslated"
    overwrite: bool = False


class _Read(NamedTuple):
    """A source on its way."""

    job: FillJob
    data: bytes
    document: Document
    kept: Kept


def fill_files(how: Filling, jobs: Sequence[FillJob], *, is_directory: bool) -> Counter[str]:
    """Fill files; the counts that are reported.

    In a directory, what has not changed since the last time is left alone, and sentences that are still there stay as
    they are; and a file that cannot be filled is left out.
    """
    totals: Counter[str] = Counter({"files": 0, "files unchanged": 0, "files left out": 0} if is_directory else {})
    records = {job.out: FillRecord(job.out) for job in jobs}

    def leave_out(job: FillJob, error: Exception) -> None:
        if not is_directory:
            raise error
        named = isinstance(error, DragomanError)
        how.say(f"left out: {error if named else f'{job.source}: {type(error).__name__}: {error}'}")
        totals["files left out"] += 1

    def read() -> Iterator[_Read]:
        problems = _find_conflicts(jobs)
        for job in jobs:
            try:
                if job.source in problems:
                    raise problems[job.source]
                if found := _read(how, job, records[job.out], is_directory=is_directory):
                    yield found
                else:
                    totals["files unchanged"] += 1
            except Exception as error:  # one file must not end a whole directory
                leave_out(job, error)

    for some in _batches(read(), how):
        if not how.learn_confirmed:  # else what is learned from one file may be all that the next one needs
            how.ask([text for each in some for text in _texts(each, how)])
        for each in some:
            try:
                totals.update(_fill(how, each, records[each.job.out]))
                totals.update({"files": 1} if is_directory else {})
            except (StorageError, DamagedFileError, CancelledError):
                raise
            except Exception as error:
                leave_out(each.job, error)
    for record in records.values():
        record.close()
    if is_directory:
        for name in sorted({name for record in records.values() for name in record.gone()}):
            how.say(f"left alone: the translation of {name}, whose source is gone")
    return totals


def _find_conflicts(jobs: Sequence[FillJob]) -> dict[Path, BadInputError]:
    """Why some sources must not be filled: their translation would be written to a source, or where another one is."""
    found: dict[Path, BadInputError] = {}
    sources = {(status.st_dev, status.st_ino) for job in jobs if (status := _status(job.source))}
    claimed: dict[Path, Path] = {}
    for job in sorted(jobs, key=lambda job: job.source.name == job.place.name):  # those that are renamed first
        status = _status(job.place)
        place = job.place.parent.resolve() / job.place.name
        if status and (status.st_dev, status.st_ino) in sources:
            what, remedy = f"its translation would overwrite a source, {job.place}", "choose another place"
            found[job.source] = BadInputError(what, where=job.source, remedy=remedy)
        elif claimed.setdefault(place, job.source) != job.source:
            what = f"{job.place} is the translation of {claimed[place]}"
            found[job.source] = BadInputError(what, where=job.source)
    return found


def _status(path: Path) -> os.stat_result | None:
    try:
        return path.stat()
    except OSError:
        return None


def _read(how: Filling, job: FillJob, record: FillRecord, *, is_directory: bool) -> _Read | None:
    """A source, and what its translation keeps; None if that is what was written for just this source."""
    with reading_errors(job.source):
        data = job.source.read_bytes()
    entry, before = None, b""
    if is_file := job.place.is_file():
        with reading_errors(job.place):
            before = job.place.read_bytes()
    if before:
        entry = record.find(*_names(job), before)
        if is_directory and entry and record.is_last(entry) and entry.source == digest(data):
            return None
    document = read_in_languages(how.engine, job.source, data, sentences=how.sentences)
    for warning in document.warnings:
        how.say(f"dragoman: {job.source}: {warning}")
    if not before or not is_file:
        return _Read(job, data, document, Kept())
    try:
        now = _read_translated(how, job, before)
    except BadInputError as error:
        remedy = "remove it, or write to another place"
        raise BadInputError(f"exists, and cannot be read ({error.what})", where=job.place, remedy=remedy) from None
    kept = find_kept(document, now, entry, all_of_it=is_directory, overwrite=how.overwrite)
    if kept.lost:
        how.say(f"dragoman: {job.place}: {len(kept.lost):,} texts in it have no place any more: {kept.lost[0]!r} …")
    return _Read(job, data, document, kept)


def _names(job: FillJob) -> tuple[str, str]:
    """How the record calls a translation, and its source."""
    try:
        origin = os.path.relpath(job.source, job.out)
    except ValueError:  # on another drive
        origin = str(job.source.resolve())
    return job.place.relative_to(job.out).as_posix(), Path(origin).as_posix()


def _read_translated(how: Filling, job: FillJob, data: bytes) -> Document:
    """A translated file: its sentences are those of the target language."""
    name = job.place.name if job.place.suffix.lower() in by_ending() else job.source.name
    return read_document(data, name, source=how.engine.source, target=how.engine.target, sentences=how.sentences)


def _texts(each: _Read, how: Filling) -> list[str]:
    """What the other engine is asked for."""
    wanted = wanted_segments(each.document, how.replace)
    return [text for segment in wanted if segment.id not in each.kept.targets for text in texts_of(segment)]


def _batches(found: Iterable[_Read], how: Filling) -> Iterator[list[_Read]]:
    """Documents with enough texts for a batch of the other engine."""
    some: list[_Read] = []
    texts = 0
    for each in found:
        some.append(each)
        texts += len(_texts(each, how))
        if texts >= BATCH:
            yield some
            some, texts = [], 0
    if some:
        yield some


def _fill(how: Filling, read: _Read, record: FillRecord) -> dict[str, int]:
    """Fill one file; the counts that are reported."""
    job, document, kept = read.job, read.document, read.kept
    counts: dict[str, int] = {}
    if how.learn_confirmed:
        from dragoman.formats.import_plan import learn_files, learnable

        counts = learn_files(how.engine, {job.source: learnable(document), job.place: kept.pairs}, how.user)
    with bars() as report:
        filled = fill_document(how.engine, document, report, how.replace, how.ask, kept.targets)
    if unwritable := [name for name in kept.people if name in filled.left_out]:
        what = f"cannot keep what people wrote for segment {unwritable[0]}: {filled.left_out[unwritable[0]]}"
        raise BadInputError(what, where=job.place, remedy="correct it there, or remove it")
    _say_what_was_left(how, job, document, filled)
    _write(how, read, filled, record)
    known = {(one.source, one.target) for pair in kept.pairs if (one := how.engine.exact_match(pair[0]))}
    if new := [pair for pair in kept.pairs if pair not in known]:
        learn = "" if how.learn_confirmed else "; --learn-confirmed learns them"
        how.say(f"dragoman: {job.place}: kept {len(new):,} translations by people{learn}")
    unchanged = len(document.segments) - filled.translated
    return counts | {"translated": filled.translated, "left as they were": unchanged}


def _write(how: Filling, read: _Read, filled: Filled, record: FillRecord) -> None:
    """Write a translation, and before that what it was made of."""
    job, kept = read.job, read.kept
    with storage_errors(job.place, unchanged=not how.learn_confirmed):
        if job.place.exists() and not job.place.is_file():  # a device or a pipe
            write_durably(job.place, filled.data)
            return
        segments = made_of(read.document, filled.targets)
        written = _read_translated(how, job, filled.data)
        said = [list(one) for one in said_in(written)]
        rows = None if said == [[name, target, "new"] for name, _, target in segments] else said
        digests = digest(read.data), digest(filled.data)
        entry = FilledFile(*_names(job), *digests, segments, rows, skeleton(written), kept.people, kept.homeless)
        job.place.parent.mkdir(parents=True, exist_ok=True)
        record.add(entry)
        write_durably(job.place, filled.data)
        record.settle(entry)


def _say_what_was_left(how: Filling, job: FillJob, document: Document, filled: Filled) -> None:
    if why := _why_left(document, how.replace):
        how.say(f"dragoman: {job.source}: left as they were: {why}")
    if filled.untranslated:
        how.say(f"dragoman: {job.source}: {filled.untranslated:,} left in {how.engine.source}: not known")
    for name, reason in filled.left_out.items():
        how.say(f"left as it was: {job.source}: segment {name}: {reason}")


def _why_left(document: Document, replace: Replace) -> str:
    """How many segments have a target that is not replaced, and why."""
    states: Counter[str] = Counter(one.state for one in document.segments if one.target or one.state == "locked")
    why = {"confirmed": "confirmed", "locked": "locked"}
    if replace != "unconfirmed":
        why["translated"] = "translated (--replace unconfirmed translates them again)"
    if replace == "nothing":
        why["new"] = "with a target that is no translation"
    return ", ".join(f"{states[state]:,} {text}" for state, text in why.items() if states[state])


def read_in_languages(
    engine: Engine, file: Path, data: bytes | None = None, *, sentences: bool | FindBoundaries = True
) -> Document:
    """The document in a file, which must have the languages of the project."""
    try:
        data = file.read_bytes() if data is None else data
    except OSError as error:
        raise BadInputError(f"cannot read it ({error.strerror or error})", where=file) from None
    ours = engine.source, engine.target
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
    try:
        document = read_document(data, file.name)
    except BadInputError as error:  # it has more than two languages, and not the two of the project
        raise BadInputError(error.what, where=file, remedy=remedy) from None
    return document.source_language, document.target_language
