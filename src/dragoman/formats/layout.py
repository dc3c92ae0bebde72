"""Documents in XML: read unit by unit, and written by replacing the contents of some targets."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from io import BytesIO
from typing import ClassVar

from dragoman.formats.codes import words
from dragoman.formats.compact_lists import PlacedList, Row
from dragoman.formats.contents import Contents, in_utf8
from dragoman.formats.document import CompactSegments, DocumentSegment, Names, NewTarget, State
from dragoman.formats.elements import Edit, Element, Scanner, start_tag, tag_name
from dragoman.formats.inline import Inline, read_inline, write_inline

LONGEST_INDENT = 200  # bytes
# Elements of HTML, which tools write into XLIFF although it has none: there is text in them.
_MARKUP = words("a b big code div em font h1 h2 h3 i li ol p s small span strike strong sub sup td tr tt u ul")
ENCLOSING = _MARKUP | {f"http://www.w3.org/1999/xhtml {name}" for name in _MARKUP}
NOTES = frozenset({"note", "extracomment", "translatorcomment", "comment"})


@dataclass(slots=True)
class UnitPart:
    """A segment in a unit, and its position."""

    id: str
    source: Inline
    target: str
    state: State
    origin: Element  # what the source is in
    place: Element | None  # what the target is in, if there is such an element
    note: str = ""  # of the author
    limit: int | None = None  # characters of a target


class Edits(PlacedList[Edit]):
    """All edits of a file."""

    def _item(self, row: Row | None, _: int) -> Edit:
        return Edit(*row or ())

    def apply(self, data: bytes) -> bytes:
        """The data with all edits made; they must not overlap."""
        out, done = BytesIO(), 0
        for edit in self.ordered():
            out.write(data[done : edit.start])
            out.write(edit.new)
            done = edit.end
        out.write(data[done:])
        return out.getvalue()


class Layout(ABC):
    """How a format arranges segments in elements; an object is one pass over a file."""

    format: ClassVar[str]
    unit: ClassVar[str]  # name of the elements that hold segments
    marking: ClassVar[frozenset[str]]  # inline elements that mark a stretch of text
    inline: ClassVar[frozenset[str]]  # names of all inline elements

    def __init__(self, data: bytes, contents: Contents, source: str | None, target: str | None) -> None:
        self.contents = contents
        self.data = in_utf8(contents, data)
        self.source = source
        self.target = target
        self.names = Names()
        self.scanner = Scanner(self.data, contents, self.unit, lambda *_: None)

    @abstractmethod
    def parts(self, unit: Element, around: list[Element]) -> list[UnitPart]:
        """The segments of a unit; `around` are its ancestors, outermost first."""

    @abstractmethod
    def edits(self, unit: Element, parts: list[UnitPart], changes: Mapping[str, NewTarget]) -> list[Edit]:
        """The edits of a unit for one or more changes."""

    @abstractmethod
    def languages(self) -> tuple[str | None, str | None]:
        """The source and target language the file states; known after a pass."""

    def segments(self) -> CompactSegments:
        """Read the whole file."""
        found = CompactSegments()

        def visit(unit: Element, around: list[Element]) -> None:
            for part in self.parts(unit, around):
                text = part.source.plain
                if text is None:
                    text = part.source.text
                state: State = "locked" if part.source.ambiguous else _state_of(part)
                found.append(DocumentSegment(part.id, text, part.target, state, part.source, "", part.note, part.limit))

        self.scanner.visit = visit
        self.scanner.scan()
        return found

    def each_target(self, take: Callable[[str, str], None]) -> None:
        """Go through the targets of the whole file, each with the id of its segment."""

        def visit(unit: Element, around: list[Element]) -> None:
            for part in self.parts(unit, around):
                take(part.id, part.target)

        self.scanner.visit = visit
        self.scanner.scan()

    def write(self, changes: Mapping[str, NewTarget]) -> bytes:
        """The whole file with changes made."""
        edits = Edits()

        def visit(unit: Element, around: list[Element]) -> None:
            parts = self.parts(unit, around)
            for part in parts:
                if part.id in changes:
                    edits.extend(self.edits(unit, parts, changes))
                    return

        self.scanner.visit = visit
        self.scanner.scan()
        edits.extend(self.name_language())
        return edits.apply(self.data)

    def name_language(self) -> list[Edit]:
        """The edits that add the target language if it is known and the file does not state it."""
        return []

    def part(self, name: str, source: Element, target: Element | None, state: State) -> list[UnitPart]:
        """A segment in a list, or none if its source is empty."""
        inline = read_inline(self.data, source, self.marking)
        if not inline.parts:
            return []
        text = ""
        if target is not None and target.content:
            plain = target.only_text
            text = plain if plain is not None else read_inline(self.data, target, self.marking).text
        return [UnitPart(self.names.unique(name), inline, text, state, source, target)]

    def content(self, part: UnitPart, target: str) -> bytes:
        """A target as the contents of an element."""
        return write_inline(part.source, target, self.contents.newline)

    def replace(self, element: Element, content: bytes | None, attributes: dict[str, str | None]) -> Edit:
        """An element with new contents, unless None, and with some attributes set."""
        if content is None:
            tag = start_tag(self.data, element, attributes, empty=element.empty)
            return Edit(element.start, element.inside, tag)
        tag = start_tag(self.data, element, attributes, empty=False)
        end = f"</{tag_name(self.data, element)}>".encode() if element.empty else self.data[element.close : element.end]
        return Edit(element.start, element.end, tag + content + end)

    def indent(self, element: Element) -> bytes:
        """The white space before an element, to be put before another."""
        before = self.data[max(0, element.start - LONGEST_INDENT) : element.start]
        return before[len(before.rstrip()) :]


def _state_of(part: UnitPart) -> State:
    """The state of a segment: a target without a word is no translation, whatever a tool has put there."""
    if part.state != "translated" or part.target[:1].isalnum():
        return part.state
    return "new" if _has_words(part.source.runs) and not _has_words([_bare(part)]) else part.state


def _bare(part: UnitPart) -> str:
    """The target without the tags of the source."""
    text = part.target
    for tag in part.source.tags:
        text = text.replace(tag.shown, "")
    return text


def _has_words(texts: Iterable[str]) -> bool:
    return any(map(str.isalnum, "".join(texts)))


def note_of(element: Element) -> str:
    """What the notes in an element say."""
    notes = [each for each in element.descendants() if each.name in NOTES]
    if not notes:
        return ""
    return " ".join(" ".join("".join(part for part in each.content if isinstance(part, str)).split()) for each in notes)
