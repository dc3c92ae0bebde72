"""Subtitles, SRT and WebVTT: a sentence may go over several cues, and times are never touched.

Cues are joined until a sentence ends; where one cue ends and the next begins is a tag, `<cue1/>`. Lines inside a cue
are joined, too, and broken again when the cue is written. The limit of a segment is what can be read in its time.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from itertools import zip_longest
from typing import NamedTuple

from dragoman.errors import BadInputError
from dragoman.formats.codes import pair_up
from dragoman.formats.contents import Contents
from dragoman.formats.division import Parts, whole
from dragoman.formats.document import DocumentSegment, NewTarget
from dragoman.formats.encoding_guess import GuessedContents, decode_guessing
from dragoman.formats.inline import Inline, Tag
from dragoman.formats.piece_document import Piece, PieceDocument, Replacement
from dragoman.text.markup import Kind

READING_SPEED = 20  # characters a second
LINE = 42  # characters, the usual width
MOST_CUES = 8  # joined to one segment
_TIME = r"(?:(\d{1,4}):)?(\d{1,2}):(\d{2})[.,](\d{1,3})"
TIMES = re.compile(rf"{_TIME}[ \t]{{0,20}}-->[ \t]{{0,20}}{_TIME}[^\n]*")
_BLANK = re.compile(r"\n[ \t]*\r?\n")
_MARKUP = re.compile(r"</?[A-Za-z][^<>\n]{0,200}>|<\d[\d:.]{0,20}>|\{\\[^{}\n]{0,200}\}")
_ENDS = re.compile(r"[.!?…。！？؟।♪\])\"”»:]\s*\Z")
_DASH = re.compile(r"\s*(?:<[^<>]*>)*[-–—‐]\s?\S")
_DASHES = re.compile("[-–—‐]")
_SPEAKER = re.compile(r"\s*(?:[-–—‐]\s?\S|[♪#\[(])")


class Cue(NamedTuple):
    """The lines of text of a cue and how long they are shown."""

    start: int
    end: int
    seconds: float


class SubtitlesDocument(PieceDocument):
    """Cues; what is before the first blank line after `WEBVTT`, notes and styles are left alone."""

    kind = "srt"
    gap = re.compile(r"\n[ \t]*\r?\n")

    @classmethod
    def _decode(cls, data: bytes, name: str) -> Contents:
        return decode_guessing(data, name)

    @property
    def warnings(self) -> list[str]:
        """The encoding, if it had to be guessed."""
        if not isinstance(self.contents, GuessedContents):
            return []
        return [f"the file does not state its encoding; it was read as {self.contents.encoding}"]

    def _cues(self) -> Iterator[Cue]:
        text, at = self.contents.text, 0
        while True:
            times = TIMES.search(text, at)
            if times is None:
                return
            begins = text.rfind("\n", 0, times.start()) + 1
            start = text.find("\n", times.start()) + 1
            if start == 0:
                return
            blank = _BLANK.search(text, start - 1)
            end = blank.start() + 1 if blank else len(text)
            at = max(end, start)
            if text[begins : times.start()].strip() or not text[start:end].strip():
                continue
            bare = text[start:end].rstrip()
            yield Cue(start, start + len(bare), _seconds(times))

    def _find_pieces(self) -> Iterable[Piece]:
        if (
            next(self._cues(), None) is None
            and self.contents.text.strip()
            and not self.contents.text.startswith("WEBVTT")
        ):
            raise BadInputError("has no cues", where=self.contents.name, remedy="check that it is SRT or WebVTT")
        number = 0
        group: list[Cue] = []
        for cue in self._cues():
            text = self._slice(cue.start, cue.end)
            if group and (_SPEAKER.match(text) or len(group) == MOST_CUES):
                number += 1
                yield self._piece(number, group)
                group = []
            group.append(cue)
            if _ENDS.search(_bare(text)) or _speakers(text) > 1:
                number += 1
                yield self._piece(number, group)
                group = []
        if group:
            yield self._piece(number + 1, group)

    def _piece(self, number: int, cues: list[Cue]) -> Piece:
        parts: Parts = []
        for count, cue in enumerate(cues):
            if count:
                span = cues[count - 1].end, cue.start
                parts += [" ", Tag(f"<cue{count}/>", b"", "alone", "cue", None, span), " "]
            parts += _parts(self._slice(cue.start, cue.end), cue.start)
        pair_up(parts)
        limit = int(READING_SPEED * sum(cue.seconds for cue in cues)) or None
        wide = max(len(line) for cue in cues for line in self._slice(cue.start, cue.end).split("\n"))
        speakers = _speakers(self._slice(cues[0].start, cues[0].end)) > 1
        return Piece(
            str(number),
            Inline(parts),
            cues[0].start,
            cues[-1].end,
            "",
            "",
            limit,
            whole,
            style=None if speakers else wide,
        )

    def _render(self, piece: Piece, parts: Parts, inner: list[Replacement]) -> str:
        cues: list[Parts] = [[]]
        for part in parts:
            if isinstance(part, Tag) and part.name == "cue":
                cues += [[part], []]
            else:
                cues[-1].append(part)
        written = []
        for cue in cues:
            text = "".join(part if isinstance(part, str) else self.raw(part, inner) for part in cue)
            is_gap = len(cue) == 1 and isinstance(cue[0], Tag) and cue[0].name == "cue"
            written.append(text if is_gap else self._wrap(text.strip(), piece.style))
        return "".join(written)

    def _wrap(self, text: str, wide: int | None) -> str:
        """A cue in one or two lines; a dialogue keeps its lines."""
        if wide is None or len(_bare(text)) <= max(LINE, wide) or "\n" in text:
            return text.replace("\n", self.contents.newline)
        middle = len(text) // 2
        spaces = [found.start() for found in re.finditer(r"<[^<>]*>| ", text) if found[0] == " "]
        if not spaces:
            return text
        at = min(spaces, key=lambda space: abs(space - middle))
        return text[:at] + self.contents.newline + text[at + 1 :]

    def _verify(self, data: bytes, changes: Mapping[str, NewTarget]) -> None:
        """Compare cue by cue: which cues make a sentence may differ in a translation."""
        wanted = (piece.inline.parts if new is None else new for piece, _, new in self._planned(changes))
        written = (piece.inline.parts for piece in self._pieces_again(data))
        if any(one != other for one, other in zip_longest(_cues(wanted), _cues(written))):
            what = "a target cannot be written into this file as it is"
            raise BadInputError(what, where=self.contents.name, remedy="look for blank lines and markup in the targets")

    def _find_unwritable(self, segment: DocumentSegment, target: str) -> tuple[str, str] | None:
        if "-->" in target or ("\n" in target and re.search(r"\n\s*\n|\A\s*\n", target)):
            return "has a blank line or an arrow, which would end its cue", "take it out"
        cues = re.split(r"<cue\d+/>", target) if "<cue" in target else [target]
        if any(not _bare(cue).strip() for cue in cues):
            return "leaves a cue without text", "put some of the words into each cue"
        return super()._find_unwritable(segment, target)


class VttDocument(SubtitlesDocument):
    """WebVTT."""

    kind = "vtt"

    def _find_pieces(self) -> Iterable[Piece]:
        if not self.contents.text.startswith("WEBVTT"):
            raise BadInputError(
                "does not begin with WEBVTT", where=self.contents.name, remedy="name it .srt if it is SRT"
            )
        return super()._find_pieces()

    def _frame(self, start: int, end: int) -> str:
        return self._slice(start, end) if start == 0 else f"WEBVTT\n\n{self._slice(start, end)}"


def _cues(pieces: Iterable[Parts]) -> Iterator[str]:
    """The text of each cue, with markup in it as such, and without white space."""
    return ("".join(cue.split()) for parts in pieces for cue in _shown(parts).split("\n"))


def _shown(parts: Parts) -> str:
    """The parts on one line, but for the ends of cues."""
    if len(parts) == 1 and isinstance(parts[0], str):  # most are
        return parts[0].replace("\n", " ")
    return "".join(
        part.replace("\n", " ") if isinstance(part, str) else "\n" if part.name == "cue" else "\ufffc" for part in parts
    )


def _bare(text: str) -> str:
    """The text without markup."""
    return _MARKUP.sub("", text) if "<" in text or "{" in text else text


def _parts(text: str, offset: int) -> Parts:
    """Text and markup of a cue; a line break is a space, except before the next speaker."""
    parts: Parts = []
    at = 0
    for found in _MARKUP.finditer(text):
        if found.start() > at:
            parts.append(_joined(text[at : found.start()]))
        name = re.sub(r"[^a-z]", "", found[0].lower().split()[0].split(".")[0]) or "x"
        timed = found[0][1:2] in "\\" or found[0][1:2].isdigit()
        kind: Kind = "alone" if timed else "end" if found[0].startswith("</") else "start"
        span = offset + found.start(), offset + found.end()
        parts.append(Tag(found[0], b"", kind, "x" if timed else name, None, span))
        at = found.end()
    if at < len(text):
        parts.append(_joined(text[at:]))
    return parts


def _joined(text: str) -> str:
    if "\n" not in text:
        return text
    return re.sub(r"(?:(?<![ \t])[ \t]++)?\r?\n[ \t]*(?![-–—‐]\s?\S)", " ", text).replace("\r\n", "\n")


def _speakers(text: str) -> int:
    return sum(_DASH.match(line) is not None for line in text.split("\n")) if _DASHES.search(text) else 0


def _seconds(times: re.Match[str]) -> float:
    numbers = [int(each or 0) for each in times.groups()]
    begin, end = (h * 3600 + m * 60 + s + f / 1000 for h, m, s, f in (numbers[:4], numbers[4:]))
    return max(0.0, end - begin)
