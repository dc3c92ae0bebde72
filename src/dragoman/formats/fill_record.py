"""What files were filled with, so that what people have made of them since is kept.

The directory that is written has a record: a line of JSON for each file, with digests of its source and of what was
written, the segments with their translations, and what is read from the translated file. A line is forced to disk
before its file is written: whenever the work is interrupted, each file has the line that it was written with.

`find_kept` compares a translated file as it is now with its line, and says what a newer source takes over from it:
what people wrote, always; what we wrote, where only new sentences are translated.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import re
from collections import defaultdict, deque
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from difflib import SequenceMatcher
from pathlib import Path
from typing import Any, NamedTuple

from dragoman.errors import BadInputError
from dragoman.files import storage_errors, write_durably
from dragoman.formats.document import WRITABLE, Document, DocumentSegment, NewTarget, State, UnwritableError

RECORD = ".dragoman-fill.json"
REMEDY = "--overwrite takes over the translations that still have their place, and writes the rest anew"


class Said(NamedTuple):
    """What is read from a translated file."""

    id: str
    text: str
    state: State


class Took(NamedTuple):
    """A translation that a newer file takes over."""

    id: str
    source: str
    new: NewTarget
    by_people: bool


@dataclass
class FilledFile:
    """A line of the record."""

    to: str  # where it was written, below the directory of the record
    origin: str  # its source, likewise
    source: str  # digests: of its source,
    written: str | None  # and of what was written
    segments: list[list[str]]  # id, source, translation
    said: list[list[str]] | None = None  # what is read from what was written, unless that is the segments in order
    skeleton: str | None = None  # a digest of what was written, without its words
    people: list[str] = field(default_factory=list)  # ids of segments whose translation is by people
    homeless: list[list[str]] = field(default_factory=list)  # what people wrote for sources that are gone: both texts

    @property
    def read_back(self) -> list[Said]:
        """What is read from the file as it was written."""
        rows = self.said if self.said is not None else [[name, target, "new"] for name, _, target in self.segments]
        return [Said(name, text, state) for name, text, state in rows]  # type: ignore[arg-type]


@dataclass
class Kept:
    """What a newer translation takes over."""

    targets: dict[str, NewTarget] = field(default_factory=dict)  # by segment of the new source
    people: list[str] = field(default_factory=list)  # those of them that people wrote
    pairs: list[tuple[str, str]] = field(default_factory=list)  # what people wrote, with its source
    homeless: list[list[str]] = field(default_factory=list)  # likewise, where the source is gone
    lost: list[str] = field(default_factory=list)  # texts that have no place


class FillRecord:
    """The record of a directory."""

    def __init__(self, out: Path) -> None:
        self._out, self._place = out, out / RECORD
        self._files: dict[str, list[FilledFile]] = defaultdict(list)
        try:
            data = self._place.read_bytes()
        except (FileNotFoundError, NotADirectoryError):
            data = b""
        except OSError as error:
            what = f"the record of what was filled cannot be read ({error.strerror or error})"
            raise BadInputError(what, where=self._place, remedy="check its permissions") from None
        self._lines = data.splitlines()
        for line in self._lines:  # a damaged line is none: what has no line is not overwritten
            with contextlib.suppress(ValueError, TypeError, AttributeError, KeyError, RecursionError):
                for entry in _entries(json.loads(line)):
                    self._files[entry.to].append(entry)
        self._is_torn = bool(data) and not data.endswith(b"\n")

    def find(self, to: str, origin: str, written: bytes) -> FilledFile | None:
        """The line that a file was written with, or else the last one; None if it was not written by us."""
        entries = self._files.get(to) or self._files.get(origin) or []
        now = digest(written)
        return next((each for each in reversed(entries) if each.written == now), entries[-1] if entries else None)

    def is_last(self, entry: FilledFile) -> bool:
        """Whether a line is the last one of its file: a later one means that writing it was interrupted."""
        return self._files[entry.to][-1] is entry

    def add(self, entry: FilledFile) -> None:
        """Force a line to disk, beside the one before."""
        line = json.dumps(vars(entry), ensure_ascii=False).encode("utf-8", "surrogatepass")
        with storage_errors(self._place):
            self._out.mkdir(parents=True, exist_ok=True)
            with self._place.open("ab") as file:
                file.write(b"\n" * self._is_torn + line + b"\n")
                file.flush()
                os.fsync(file.fileno())
        self._lines.append(line)
        self._files[entry.to].append(entry)

    def settle(self, entry: FilledFile) -> None:
        """Its file was written: lines before this one are not needed any more."""
        self._files[entry.to] = [entry]

    def close(self) -> None:
        """Write the record without lines that are not needed any more, if there are any."""
        entries = [entry for some in self._files.values() for entry in some]
        if len(entries) < len(self._lines):
            lines = (json.dumps(vars(entry), ensure_ascii=False) + "\n" for entry in entries)
            with storage_errors(self._place):
                write_durably(self._place, "".join(lines).encode("utf-8", "surrogatepass"))

    def gone(self) -> list[str]:
        """The sources that are not there any more; their translations are left as they are."""
        every = (os.path.normpath(self._out / some[-1].origin) for some in self._files.values() if some)
        return [origin for origin in every if not Path(origin).is_file()]


def digest(data: bytes) -> str:
    """A digest of a file."""
    return hashlib.sha256(data).hexdigest()


def _entries(line: dict[str, Any]) -> Iterator[FilledFile]:
    """What a line of the record says; earlier versions wrote one line for all files, by their sources."""
    if "files" not in line:
        yield FilledFile(**line)
        return
    for name, each in line["files"].items():
        yield FilledFile(name, name, each["source"], None, each["segments"])


def made_of(document: Document, targets: Mapping[str, NewTarget]) -> list[list[str]]:
    """The segments of a document with their translations."""
    rows = []
    for one in document.segments:
        new = targets.get(one.id)
        rows.append([one.id, one.source, (new.target if new else one.target) or one.source])
    return rows


def said_in(document: Document) -> list[Said]:
    """What is read from a translated file: its targets, or its texts where it has no other."""
    return [Said(one.id, one.target or one.source, one.state) for one in document.segments]


def find_kept(new: Document, now: Document, entry: FilledFile | None, *, all_of_it: bool, overwrite: bool) -> Kept:
    """What a newer source takes over from its translation as it is `now`.

    If the translation was changed beyond its sentences, or nobody knows what it was made of, that is refused.
    """
    where = now.contents.name
    if entry is None:
        if not overwrite:
            raise BadInputError("exists, and `fill` did not write it", where=where, remedy=REMEDY)
        took, lost = _translated_in(new, now)
    elif entry.written == digest(now.data):
        took, lost = _changed_in(entry, entry.read_back)
    elif _is_alike(entry, now):
        took, lost = _changed_in(entry, said_in(now))
        if lost and not overwrite:
            raise BadInputError("was changed beyond its sentences", where=where, remedy=REMEDY)
    elif overwrite:
        took, lost = _changed_in(entry, _matched(entry.read_back, said_in(now)))
        known = "\n".join([one.new.target for one in took] + [text for _, text, _ in entry.read_back])
        lost += [text for _, text, _ in said_in(now) if text not in known]
    else:
        raise BadInputError("was changed beyond its sentences", where=where, remedy=REMEDY)
    is_bilingual = any(one.target for one in now.segments)
    took = [
        one
        for one in took
        if one.new.target != one.source or (one.by_people and not (is_bilingual and one.new.state == "new"))
    ]
    homeless = entry.homeless if entry else []
    took += [Took("", source, NewTarget(target, "translated"), True) for source, target in homeless]
    kept = _settled(new.segments, took, is_bilingual=is_bilingual)
    if not all_of_it:
        people = set(kept.people)
        kept.targets = {name: target for name, target in kept.targets.items() if name in people}
    kept.lost = lost
    return kept


def _translated_in(new: Document, now: Document) -> tuple[list[Took], list[str]]:
    """All translations of a file that we know nothing about; and the texts that have no place."""
    if any(one.target for one in now.segments):
        rows = [one for one in now.segments if one.target]
        return [Took(one.id, one.source, NewTarget(one.target, one.state), True) for one in rows], []
    sources = {one.id: one.source for one in new.segments}
    is_alike = list(sources) == [one.id for one in now.segments]
    took, lost = list[Took](), list[str]()
    for name, text, state in said_in(now):
        if name in sources and (is_alike or not name[:1].isdigit()):  # numbers only say which is first
            took += [Took(name, sources[name], NewTarget(text, state), True)] if text != sources[name] else []
        else:
            lost.append(text)
    return took, lost


def _changed_in(entry: FilledFile, now: Sequence[Said]) -> tuple[list[Took], list[str]]:
    """All translations of a file that we wrote, with what people made of them; and texts that have no place."""
    took, lost, people, before = list[Took](), list[str](), set(entry.people), entry.read_back
    for segments, places in _together(entry.segments, before):
        changed = [place for place in places if _words(before[place]) != _words(now[place])]
        if len(segments) != 1:
            lost += [now[place].text for place in changed]
        else:
            name, source, target = segments[0]
            state = now[places[0]].state if len(places) == 1 else "translated"
            if len(places) == 1 and changed:
                target = now[places[0]].text
            for place in changed if len(places) > 1 else ():
                target = target.replace(before[place].text, now[place].text, 1)
            took.append(Took(name, source, NewTarget(target, state), bool(changed) or name in people))
    return took, lost


def _words(said: Said) -> tuple[str, str]:
    """What people change: not what stands inside a tag, which may be a text of its own."""
    return re.sub("<[^<>]*>", "<>", said.text), said.state


def _together(segments: list[list[str]], said: Sequence[Said]) -> Iterator[tuple[list[list[str]], list[int]]]:
    """Segments and what is read of their translations, as few together as possible: sentences may end elsewhere."""
    if [name for name, *_ in segments] == [one.id for one in said]:
        yield from (([segment], [at]) for at, segment in enumerate(segments))
        return
    ours, theirs, at = list[list[str]](), list[int](), 0
    lengths = [0, 0]
    for segment in segments:
        ours.append(segment)
        lengths[0] += _size(segment[2])
        while at < len(said) and lengths[1] < lengths[0]:
            theirs.append(at)
            lengths[1] += _size(said[at].text)
            at += 1
        if lengths[0] == lengths[1]:
            yield ours, theirs
            ours, theirs = [], []
    if ours or at < len(said):
        yield ours, [*theirs, *range(at, len(said))]


def _size(text: str) -> int:
    return sum(map(len, text.split())) or 1


def _is_alike(entry: FilledFile, now: Document) -> bool:
    """Whether a file is what we wrote but for its sentences."""
    if entry.written is None:  # by an earlier version
        return [one.id for one in entry.read_back] == [one.id for one in now.segments]
    is_alike = entry.skeleton is not None and entry.skeleton == skeleton(now)
    return is_alike and len(entry.read_back) == len(now.segments)


def skeleton(document: Document) -> str | None:
    """A digest of a translated file without words, spaces and quotes; None if that cannot be had."""
    segments = [one for one in document.segments if one.state != "locked"]
    texts = {one.id: "".join(["X", *(f"{tag}X" for tag in one.tags), "."]) for one in segments}  # sentences stay such
    targets = {name: NewTarget(text, "translated") for name, text in texts.items()}
    while True:
        try:
            return digest(re.sub(rb"[\s\"']+", b"", document.fill(targets)))
        except UnwritableError as error:
            if targets.pop(error.segment, None) is None:
                return None
        except BadInputError:
            return None


def _matched(before: Sequence[Said], now: Sequence[Said]) -> list[Said]:
    """What is said now for each of the texts before, found by what is around it; the same where nothing is."""
    found = list(before)
    matcher = SequenceMatcher(None, [one.text for one in before], [one.text for one in now], autojunk=False)
    for kind, a, b, c, d in matcher.get_opcodes():
        if kind == "equal" or (kind == "replace" and b - a == d - c):
            found[a:b] = now[c:d]
        elif kind == "replace" and b - a == 1:
            found[a] = Said(before[a].id, " ".join(one.text for one in now[c:d]), now[c].state)
    return found


def _settled(segments: Iterable[DocumentSegment], took: Sequence[Took], *, is_bilingual: bool) -> Kept:
    """Each translation at a segment with its source: the one with the same id, or else the next of them."""
    waiting: dict[str, deque[Took]] = defaultdict(deque)
    exact: dict[tuple[str, str], Took] = {}
    for one in took:
        waiting[one.source].append(one)
        exact.setdefault((one.id, one.source), one)
    wanted = [one for one in segments if one.source in waiting and one.state != "locked"]
    used = {id(exact[key]) for one in wanted if (key := (one.id, one.source)) in exact}
    kept = Kept()
    for segment in wanted:
        some = waiting[segment.source]
        while len(some) > 1 and id(some[0]) in used:
            some.popleft()
        chosen = exact.get((segment.id, segment.source)) or some[0]
        used.add(id(chosen))
        target, state = chosen.new
        state = state if is_bilingual and state in WRITABLE else "translated"
        kept.targets[segment.id] = NewTarget(target, state)
        if chosen.by_people:
            kept.people.append(segment.id)
    people = [one for one in took if one.by_people]
    kept.pairs = list(dict.fromkeys((one.source, one.new.target) for one in people))
    kept.homeless = [[one.source, one.new.target] for one in people if id(one) not in used]
    return kept
