"""Find and replace in the targets of a document: first as a preview, then made, and taken back by one undo."""

from __future__ import annotations

import re
from collections.abc import Iterator
from time import monotonic
from typing import Any, Literal, NamedTuple

from dragoman.concurrency import checkpoint
from dragoman.editor import messages, segment_edits
from dragoman.editor.document_store import Segment
from dragoman.editor.edited_project import EditedProject
from dragoman.editor.messages import SegmentChange
from dragoman.editor.refusal import Refusal
from dragoman.editor.segment_batches import TOGETHER, NewText, put_texts
from dragoman.editor.segment_filter import Filter
from dragoman.errors import BadInputError
from dragoman.extras import load
from dragoman.project.guard import FlaggedError
from dragoman.quality import Finding

LISTED = 1000  # segments that are answered
LONGEST, TOTAL = 1.0, 20.0  # seconds that an expression may take in one text, and in all texts of a document
GROWN, GROWN_TOTAL = 20_000, 10_000_000  # characters that a text, and all of a document, may gain
DEEPEST = 20  # groups of an expression inside each other
RECURSIVE = r"\(\?(?:R|&|P>|[+-]?\d)"  # a part of an expression that calls itself, or another part
FEW = 20  # segments that are changed one by one, each known to the models at once
SPECIAL = frozenset("<>{}&%$\\|\n\r\t[]`*_#\"'")  # what may be markup, and is checked by the file


class FoundPlace(NamedTuple):
    """A segment in which something was found, and its target with that replaced."""

    segment: Segment
    after: str
    spans: list[tuple[int, int]]


def find(project: EditedProject, document: int, wanted: messages.ReplacementWanted) -> Iterator[FoundPlace]:
    """The segments of a document whose targets contain a text; locked ones are left alone."""
    replaced = _Replacer(wanted)
    only = None if wanted.segments is None else frozenset(wanted.segments)
    leave = frozenset(wanted.leave or ())
    for segment in _candidates(project, document, wanted):
        checkpoint()
        if segment.number in leave or (only is not None and segment.number not in only) or segment.state == "locked":
            continue
        after, spans = replaced(segment.target)
        if spans:
            yield FoundPlace(segment, after, spans)


def _candidates(project: EditedProject, document: int, wanted: messages.ReplacementWanted) -> Iterator[Segment]:
    """The segments to look at: those with the text, or all of them for an expression."""
    documents = project.documents
    if wanted.regex:
        documents.document(document)  # there is one, or an error
        yield from documents.each(document)
        return
    yield from documents.segments(document, Filter(search=wanted.find))


class _Replacer:
    """Replaces in the texts of a document, one after the other; empty matches of an expression do not count."""

    def __init__(self, wanted: messages.ReplacementWanted) -> None:
        self._library: Any = load("regex", "files")
        self._regex, self._new = wanted.regex, wanted.replace
        self._pattern = self._compiled(wanted)
        self._seconds, self._room = TOTAL, GROWN_TOTAL

    def _compiled(self, wanted: messages.ReplacementWanted) -> Any:
        library = self._library
        pattern = wanted.find if wanted.regex else library.escape(wanted.find)
        if wanted.regex and (_depth(wanted.find) > DEEPEST or re.search(RECURSIVE, wanted.find)):
            what = f"this expression calls a part of itself, or has groups more than {DEEPEST} deep"
            raise _bad(what, "use a simpler one")
        if wanted.words:
            pattern = rf"(?<!\w)(?:{pattern})(?!\w)"
        try:
            return library.compile(pattern, library.V0 | (0 if wanted.case else library.IGNORECASE))
        except (library.error, OverflowError, RecursionError) as error:
            what = f"this is not a regular expression ({error})"
            raise _bad(what, "correct it, or search for it as plain text") from None

    def __call__(self, text: str) -> tuple[str, list[tuple[int, int]]]:
        """A text with everything replaced, and where that was."""
        began = monotonic()
        try:
            seconds = min(LONGEST, self._seconds)
            hits = [hit for hit in self._pattern.finditer(text, timeout=seconds) if hit.end() > hit.start()]
        except TimeoutError:
            raise _bad("this expression takes too long", "use a simpler one, or replace in fewer segments") from None
        self._seconds = max(0.001, self._seconds - (monotonic() - began))
        parts, at, room = [], 0, min(GROWN, self._room)
        for hit in hits:
            new = self._expanded(hit, room)
            room -= len(new) - (hit.end() - hit.start())
            if room < 0:
                raise _too_long()
            parts += [text[at : hit.start()], new]
            at = hit.end()
        after = "".join([*parts, text[at:]])
        self._room -= max(0, len(after) - len(text))
        return after, [hit.span() for hit in hits]

    def _expanded(self, hit: Any, room: int) -> str:
        """What a match is replaced by; refused before it is made if it is certainly far too long."""
        if not self._regex:
            return self._new
        longest = max(map(len, filter(None, (hit[0], *hit.groups()))))
        if self._new.count("\\") * longest > 10 * (room + longest):
            raise _too_long()
        try:
            return str(hit.expand(self._new))
        except (self._library.error, IndexError) as error:
            raise _bad(f"the replacement cannot be used ({error})", r"write \1 for the first group") from None


def _depth(pattern: str) -> int:
    """How deep the groups of an expression are, or more."""
    depth = deepest = 0
    for each in re.findall(r"\\.|[()]", pattern, re.DOTALL):
        depth += (each == "(") - (each == ")")
        deepest = max(deepest, depth)
    return deepest


def _too_long() -> Refusal:
    return _bad(f"a text would grow by more than {GROWN:,} characters, or all by too many", "put less there")


def _bad(what: str, remedy: str) -> Refusal:
    return Refusal(400, what, remedy, code="bad-expression")


def preview(project: EditedProject, document: int, wanted: messages.ReplacementWanted) -> messages.ReplacementsGiven:
    """What would be replaced, and what is wrong with it."""
    found = list(find(project, document, wanted))
    listed = [_listed(place, _find_problem(project, place)) for place in found[:LISTED]]
    return messages.ReplacementsGiven(count=len(found), segments=listed)


def replace_all(
    project: EditedProject, document: int, wanted: messages.ReplacementWanted, user: str | None
) -> messages.ReplacementsGiven:
    """Replace; confirmed segments stay confirmed, and are learned anew; those that cannot be are left as they are."""
    places = list(find(project, document, wanted))
    if len(places) > FEW:
        work = Replacing(project, document, user)
        for at in range(0, len(places), TOGETHER):
            work.replace(places[at : at + TOGETHER])
        return messages.ReplacementsGiven(count=work.count, change=work.batch, segments=work.listed)
    return _replace_each(project, document, places, user)


def _replace_each(
    project: EditedProject, document: int, places: list[FoundPlace], user: str | None
) -> messages.ReplacementsGiven:
    """Replace in a few segments, so that the models know it at once."""
    batch: int | None = None
    count, listed = 0, list[messages.Replaced]()
    for place in places:
        old, problem = place.segment, _find_problem(project, place)
        change = SegmentChange(target=place.after, state=_state(old), version=old.version, fill=False)
        if problem is None:
            try:
                by = segment_edits.Author(user, "replacement", batch)
                batch = segment_edits.change_segment(project, document, old.number, change, by).batch or batch
                count += 1
            except (Refusal, FlaggedError, BadInputError) as error:
                problem = error.what
        listed.append(_listed(place, problem))
    return messages.ReplacementsGiven(count=count, change=batch, segments=listed)


class Replacing:
    """A replacement in many segments, some at a time; the models are taught later."""

    def __init__(self, project: EditedProject, document: int, user: str | None) -> None:
        self._project, self._document, self._user = project, document, user
        self._checker, self._off = project.checks.checker(), project.documents.document(document).off
        self._fitting = set("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789 ,.")
        self.count, self.batch = 0, 0
        self.listed: list[messages.Replaced] = []

    def replace(self, places: list[FoundPlace]) -> list[int]:
        """Replace in some segments; which were changed."""
        texts, problems = list[NewText](), dict[int, str]()
        for place in places:
            segment = place.segment
            problem, found = self._check(place) if segment.state == "confirmed" else (None, [])
            if problem is None:
                texts.append(
                    NewText(segment.number, segment.version, place.after, _state(segment), "replacement", found)
                )
            else:
                problems[segment.number] = problem
        changed, self.batch = put_texts(
            self._project, self._document, texts, "replacement", self._user, self.batch or None
        )
        self.count += len(changed)
        there = set(changed)
        for place in places[: max(0, LISTED - len(self.listed))]:
            number = place.segment.number
            problem = problems.get(number) or (None if number in there else "somebody has changed it meanwhile")
            self.listed.append(_listed(place, problem))
        return changed

    def _check(self, place: FoundPlace) -> tuple[str | None, list[Finding]]:
        """What is wrong with a new target that was not wrong before, and all that is found in it."""
        segment, after = place.segment, place.after
        if not after.strip():
            return "the target would be empty", []
        if not self._holds(place):
            return _find_problem(self._project, place), self._project.checks.check(segment, after)
        found = self._checker.check(segment.source, after, limit=segment.limit)
        serious = [each for each in found if each.severity != "warning" and each.check not in self._off]
        return (_find_problem(self._project, place) if serious else None), found

    def _holds(self, place: FoundPlace) -> bool:
        """Whether the file certainly holds a new target: it has the letters of the old one, and others that it holds.

        What was put in is asked of the file itself until it has held these letters once.
        """
        before, after = place.segment.target, place.after
        new = set(after) - set(before) - self._fitting
        if SPECIAL & (set(after) | set(before)):
            return False
        if new and _find_problem(self._project, place) is None:
            self._fitting |= new
            return True
        return not new


def _state(segment: Segment) -> Literal["translated", "confirmed"]:
    return "confirmed" if segment.state == "confirmed" else "translated"


def _find_problem(project: EditedProject, place: FoundPlace) -> str | None:
    """Why a segment cannot have its new target: drafts may have any, as when they are typed."""
    if place.segment.state != "confirmed":
        return None
    if not place.after.strip():
        return "the target would be empty"
    before = {each.what for each in project.checks.check(place.segment)}
    found = project.checks.check(place.segment, place.after)
    off = project.documents.document(place.segment.document).off
    serious = (each for each in found if each.severity != "warning" and each.check not in off)
    return next((each.what for each in serious if each.what not in before), None)


def _listed(place: FoundPlace, problem: str | None) -> messages.Replaced:
    segment = place.segment
    return messages.Replaced(
        number=segment.number,
        version=segment.version,
        state=segment.state,
        before=segment.target,
        after=place.after,
        spans=place.spans,
        problem=problem,
    )
