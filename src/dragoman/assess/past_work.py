r"""Translations that somebody has made, in the order in which they were made: what `dragoman assess` replays.

Files are read with `dragoman.formats`. The units of a TMX file are sorted by their creation date, if all have one;
other files, and the files of a directory, are taken as they come. For a git repository see `dragoman.assess.commits`.

>>> import tempfile
>>> with tempfile.TemporaryDirectory() as directory:
...     file = Path(directory, "memory.tsv")
...     _ = file.write_text("one\tuno\ntwo\tdos\n", encoding="utf-8")
...     work = read_past_work([file], "en", "es")
>>> work.pairs[1], work.order
(PastPair(source='two', target='dos', document='memory.tsv'), 'order of the file')
"""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import NamedTuple

from dragoman.errors import BadInputError
from dragoman.formats import DocumentSegment, read_document
from dragoman.formats.contents import DECLARED, decode
from dragoman.formats.directories import find_documents
from dragoman.formats.elements import Element
from dragoman.formats.layout import UnitPart
from dragoman.formats.tmx import Tmx
from dragoman.languages import same_language
from dragoman.measure.repetition import Repetition, repetition
from dragoman.text.tokens import has_words, split

FINISHED = ("confirmed", "translated")  # states of segments whose target a person may have written
LEAST = 2  # pairs that can be replayed
_FEW = ("no finished translations", "only 1 finished translation")


class PastPair(NamedTuple):
    """A source, what a person made of it, and the document in which it stands."""

    source: str
    target: str
    document: str


@dataclass(frozen=True)
class PastWork:
    """All pairs in order, and what is known of them."""

    pairs: list[PastPair]
    source: str  # language
    target: str
    order: str  # what the order goes by, for people
    left_out: dict[str, int]  # reasons, and how many segments

    @cached_property
    def repetition(self) -> Repetition:
        """How much the sources repeat; takes seconds for a hundred thousand."""
        return repetition([split(pair.source).words for pair in self.pairs])

    @property
    def digest(self) -> str:
        """A digest of languages and texts."""
        found = hashlib.sha256(f"{self.source}\t{self.target}\n".encode())
        for pair in self.pairs:
            found.update("\0".join(pair).encode() + b"\n")
        return found.hexdigest()


def read_past_work(paths: Sequence[Path], source: str | None = None, target: str | None = None) -> PastWork:
    """The translations in some files, or in the files of a directory, one after the other."""
    found = [_read(path, source, target) for path in _files(paths)]
    known = source or _agreed(each.source for each in found), target or _agreed(each.target for each in found)
    for language, option in zip(known, ("--source", "--target"), strict=True):
        if language is None:
            what = f"the file does not state its {option.removeprefix('--')} language"
            raise BadInputError(what, where=paths[0], remedy=f"name it with {option}")
    order = "creation date" if found and all(each.is_dated for each in found) else "order of the file"
    pairs = [pair for each in found for pair in each.pairs]
    left_out = sum((each.left_out for each in found), Counter[str]())
    return past_work(pairs, str(known[0]), str(known[1]), order, left_out, where=paths[0])


def past_work(
    pairs: Iterable[PastPair], source: str, target: str, order: str, left_out: Counter[str], *, where: Path
) -> PastWork:
    """Leave out pairs without words on one side; refused if there is nothing to replay."""
    kept = []
    for pair in pairs:
        if has_words(pair.source) and has_words(pair.target):
            kept.append(pair)
        else:
            left_out["no words"] += 1
    if len(kept) < LEAST:
        reasons = ", ".join(f"{number:,} {reason}" for reason, number in sorted(left_out.items()))
        what = f"{_FEW[len(kept)]} to replay{f' ({reasons})' if reasons else ''}"
        remedy = f"give files with finished translations from {source} to {target}"
        raise BadInputError(what, where=where, remedy=remedy)
    return PastWork(kept, source, target, order, dict(sorted(left_out.items())))


class _File(NamedTuple):
    pairs: list[PastPair]
    source: str | None
    target: str | None
    is_dated: bool
    left_out: Counter[str]


def _files(paths: Sequence[Path]) -> list[Path]:
    found = [each for path in paths for each in (find_documents(path) if path.is_dir() else [path])]
    if not found:
        raise BadInputError(
            "no files with translations here", where=paths[0], remedy="give TMX, PO, XLIFF or TSV files"
        )
    return found


def _read(path: Path, source: str | None, target: str | None) -> _File:
    try:
        data = path.read_bytes()
    except OSError as error:
        raise BadInputError(f"cannot be read ({error.strerror or error})", where=path) from None
    if path.suffix.lower() == ".tmx":
        return _read_tmx(data, path.name, source, target)
    document = read_document(data, path.name, source=source, target=target)
    pairs, left_out = finished(document.segments, path.name)
    return _File(pairs, document.source_language, document.target_language, False, left_out)


def finished(segments: Iterable[DocumentSegment], document: str) -> tuple[list[PastPair], Counter[str]]:
    """The translated segments of a document, and how many were left out for which reason.

    Drafts of a PO file are fuzzy entries, which are often a machine's guess; if a file has confirmed segments,
    its drafts are left out.
    """
    listed = list(segments)
    states = FINISHED[:1] if any(each.state == "confirmed" for each in listed) else FINISHED
    pairs, left_out = [], Counter[str]()
    for each in listed:
        if not each.target:
            left_out["not translated"] += 1
        elif each.state not in states:
            left_out["not confirmed"] += 1
        else:
            pairs.append(PastPair(each.source, each.target, document))
    return pairs, left_out


class _DatedTmx(Tmx):
    """A translation memory that also notes when each unit was created."""

    def __init__(self, *arguments: object) -> None:
        super().__init__(*arguments)  # type: ignore[arg-type]  # those of `Tmx`
        self.dates: dict[str, str] = {}

    def parts(self, unit: Element, around: list[Element]) -> list[UnitPart]:
        """The segment of a unit."""
        found = super().parts(unit, around)
        dates = [each.attributes.get("creationdate", "") for each in (unit, *unit.elements)]
        self.dates.update({part.id: max(dates) for part in found})
        return found


def _read_tmx(data: bytes, name: str, source: str | None, target: str | None) -> _File:
    layout = _DatedTmx(data, decode(data, name, hint=DECLARED), source, target)
    segments: Sequence[DocumentSegment] = layout.segments()
    dated = [each for each in segments if each.target]
    is_dated = bool(dated) and all(layout.dates[each.id] for each in dated)
    if is_dated:
        segments = sorted(dated, key=lambda each: layout.dates[each.id])
    pairs, left_out = finished(segments, name)
    return _File(pairs, *layout.languages(), is_dated, left_out)


def _agreed(languages: Iterable[str | None]) -> str | None:
    """The language that all files state; refused if they state different ones."""
    stated = [each for each in languages if each]
    for other in stated[1:]:
        if not same_language(stated[0], other):
            what = f"the files are in different languages, {stated[0]} and {other}"
            raise BadInputError(what, remedy="assess one language pair at a time")
    return stated[0] if stated else None
