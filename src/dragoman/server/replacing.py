"""Find and replace in the targets of a document: first as a preview, then made, and taken back by one undo."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, Literal, NamedTuple

from dragoman.cancelling import checkpoint
from dragoman.errors import BadInputError
from dragoman.extras import load
from dragoman.project.guard import FlaggedError
from dragoman.server import desk_schemas, edits
from dragoman.server.api_errors import ApiError
from dragoman.server.document_store import Segment
from dragoman.server.registry import ServedProject
from dragoman.server.schemas import SegmentChange
from dragoman.server.segment_filter import Filter

LISTED = 1000  # segments that are answered
LONGEST = 1.0  # seconds that an expression may take in one text
MOST = 10_000  # segments changed at once


class Place(NamedTuple):
    """A segment in which something was found, and its target with that replaced."""

    segment: Segment
    after: str
    spans: list[tuple[int, int]]


def find(project: ServedProject, document: int, wanted: desk_schemas.Replacement) -> Iterator[Place]:
    """The segments of a document whose targets contain a text; locked ones are left alone."""
    replaced = _replacer(wanted)
    only = None if wanted.segments is None else frozenset(wanted.segments)
    leave = frozenset(wanted.leave or ())
    for segment in _candidates(project, document, wanted):
        checkpoint()
        if segment.number in leave or (only is not None and segment.number not in only) or segment.state == "locked":
            continue
        after, spans = replaced(segment.target)
        if spans:
            yield Place(segment, after, spans)


def _candidates(project: ServedProject, document: int, wanted: desk_schemas.Replacement) -> Iterator[Segment]:
    """The segments to look at: those with the text, or all of them for an expression."""
    documents = project.documents
    if wanted.regex:
        documents.document(document)  # there is one, or an error
        yield from documents.each(document)
        return
    for number in documents.numbers(document, Filter(search=wanted.find)):
        yield documents.segment(document, number)


def _replacer(wanted: desk_schemas.Replacement) -> Callable[[str], tuple[str, list[tuple[int, int]]]]:
    """A function that replaces in a text, and says where; empty matches of an expression do not count."""
    library = load("regex", "files")
    pattern = wanted.find if wanted.regex else library.escape(wanted.find)
    if wanted.words:
        pattern = rf"(?<!\w)(?:{pattern})(?!\w)"
    try:
        looked = library.compile(pattern, library.V0 | (0 if wanted.case else library.IGNORECASE))
    except library.error as error:
        what = f"this is not a regular expression ({error})"
        raise ApiError(400, what, "correct it, or search for it as plain text", code="bad-expression") from None

    def new(found: Any) -> str:
        return str(found.expand(wanted.replace)) if wanted.regex else wanted.replace

    def replaced(text: str) -> tuple[str, list[tuple[int, int]]]:
        try:
            hits = [found for found in looked.finditer(text, timeout=LONGEST) if found.end() > found.start()]
            parts, at = [], 0
            for found in hits:
                parts += [text[at : found.start()], new(found)]
                at = found.end()
        except TimeoutError:
            what = "this regular expression takes too long"
            raise ApiError(400, what, "use a simpler one", code="bad-expression") from None
        except (library.error, IndexError) as error:
            what = f"the replacement cannot be used ({error})"
            raise ApiError(400, what, r"write \1 for the first group", code="bad-expression") from None
        return "".join([*parts, text[at:]]), [found.span() for found in hits]

    return replaced


def preview(project: ServedProject, document: int, wanted: desk_schemas.Replacement) -> desk_schemas.Replacements:
    """What would be replaced, and what is wrong with it."""
    found = list(find(project, document, wanted))
    listed = [_listed(place, _find_problem(project, place)) for place in found[:LISTED]]
    return desk_schemas.Replacements(count=len(found), segments=listed)


def replace_all(
    project: ServedProject, document: int, wanted: desk_schemas.Replacement, user: str | None
) -> desk_schemas.Replacements:
    """Replace; confirmed segments stay confirmed, and are learned anew; those that cannot be are left as they are."""
    batch: int | None = None
    count, listed = 0, list[desk_schemas.Replaced]()
    for place in list(find(project, document, wanted))[:MOST]:
        old, problem = place.segment, _find_problem(project, place)
        change = SegmentChange(target=place.after, state=_state(old), version=old.version, fill=False)
        if problem is None:
            try:
                by = edits.Author(user, "replacement", batch)
                batch = edits.change_segment(project, document, old.number, change, by).batch
                count += 1
            except (ApiError, FlaggedError, BadInputError) as error:
                problem = error.what
        if len(listed) < LISTED:
            listed.append(_listed(place, problem))
    return desk_schemas.Replacements(count=count, change=batch, segments=listed)


def _state(segment: Segment) -> Literal["translated", "confirmed"]:
    return "confirmed" if segment.state == "confirmed" else "translated"


def _find_problem(project: ServedProject, place: Place) -> str | None:
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


def _listed(place: Place, problem: str | None) -> desk_schemas.Replaced:
    segment = place.segment
    return desk_schemas.Replaced(
        number=segment.number,
        version=segment.version,
        state=segment.state,
        before=segment.target,
        after=place.after,
        spans=place.spans,
        problem=problem,
    )
