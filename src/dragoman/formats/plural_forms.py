"""Plurals whose forms are entries of a file: the forms that the new language needs are added.

A format says where the form `other` of each plural is, with its name, and which forms there are. When that form is
translated, it is copied for each form that the target language needs and the file lacks, before itself:

    "files_one": "{{count}} file",            "files_one": "{{count}} plik",
    "files_other": "{{count}} files"          "files_few": "{{count}} pliku",
                                              "files_many": "{{count}} pliku",
                                              "files_other": "{{count}} pliku"
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator, Mapping
from functools import cached_property
from itertools import takewhile
from typing import NamedTuple

from dragoman.formats.document import NewTarget
from dragoman.formats.piece_document import Piece, PieceDocument, Replacement, ReplacementList, splice

_LANGUAGES = {
    "other": "bm bo dz id ig ii ja jbo jv jw kde kea km ko lkt lo ms my nqo osa sah ses sg su th to vi wo yo yue zh",
    "one two other": "iu naq sat se sma smi smj smn sms",
    "one few other": "bs hr mo ro sh shi sr",
    "one many other": "ca es fr ht it lld pt scn vec",
    "one few many other": "be cs lt pl ru sk uk",
    "one two few other": "dsb gd hsb sl",
    "one two few many other": "br ga gv mt",
    "zero one other": "blo ksh lag lv prg",
    "zero one two few many other": "ar ars cy kw",
    "one two many other": "he iw",
}
_CATEGORIES = {code: tuple(forms.split()) for forms, codes in _LANGUAGES.items() for code in codes.split()}
_LARGE = frozenset(
    {"ca", "es", "fr", "ht", "it", "lld", "pt", "scn", "vec"}
)  # "many" is for millions only: nobody misses it


def categories(language: str | None) -> tuple[str, ...]:
    """The categories of a language; one and other for those not listed."""
    return _CATEGORIES.get((language or "").replace("_", "-").split("-")[0].lower(), ("one", "other"))


def missing_categories(language: str | None, present: list[str]) -> list[str]:
    """The categories that a message in this language must have and lacks."""
    code = (language or "").replace("_", "-").split("-")[0].lower()
    wanted = [each for each in categories(language) if not (each == "many" and code in _LARGE)]
    return [each for each in wanted if each not in present and each != "other"]


CATEGORIES = ("zero", "one", "two", "few", "many", "other")


class PluralForm(NamedTuple):
    """The form that is copied where others are missing."""

    start: int  # of the form with its name
    end: int
    name: tuple[int, int]  # where it is called "other"
    present: tuple[str, ...]  # the forms that the file has
    before: str = ""  # what is written before the name of a copy
    after: str = ""  # what stands between a copy and the next form


def is_plural(names: Iterable[str]) -> bool:
    """Whether the names of some forms are those of a plural, not of a selection.

    >>> is_plural(["one", "other"]), is_plural(["male", "other"]), is_plural(["other"])
    (True, False, False)
    """
    found = set(names)
    return "other" in found and len(found) > 1 and found <= set(CATEGORIES)


class PluralFormsDocument(PieceDocument):
    """A document that gets the plural forms of its target language."""

    @cached_property
    def plural_forms(self) -> list[PluralForm]:
        """The form `other` of each plural, those inside another one first; `_find_pieces` adds them."""
        return []

    @cached_property
    def _added(self) -> list[tuple[int, int]]:
        """Where the forms are that were added when the file was last written."""
        return []

    def _replacements(self, changes: Mapping[str, NewTarget]) -> ReplacementList:
        done = super()._replacements(changes)
        forms = self._missing_forms(list(done.ordered())) if self.target_language and self.plural_forms else []
        self._added[:] = self._places(done, forms)
        done.extend(forms)
        return done

    def _missing_forms(self, done: list[Replacement]) -> list[Replacement]:
        """Copies of translated forms under the names that are missing."""
        found: list[Replacement] = []
        starts = [each.start for each in done]
        for form in self.plural_forms:
            within = done[bisect_left(starts, form.start) : bisect_left(starts, form.end)]
            missing = missing_categories(self.target_language, list(form.present)) if within else []
            if missing:
                nested = takewhile(lambda one: one.start > form.start, reversed(found))  # noqa: B023
                inside = [*within, *nested]
                copies = [self._copy(form, inside, name) for name in missing]
                found.append(Replacement(form.start, form.start, "".join(copies)))
        return found

    def _copy(self, form: PluralForm, inside: list[Replacement], name: str) -> str:
        """A form with its translation, under another name."""
        named = Replacement(*form.name, form.before + name)
        return self._spliced(form.start, form.end, [*inside, named]) + form.after

    def _spliced(self, start: int, end: int, replacements: Iterable[Replacement]) -> str:
        """Some of the file with replacements made."""
        moved = [Replacement(each.start - start, each.end - start, each.new) for each in replacements]
        return splice(self._slice(start, end), moved)

    def _places(self, done: Iterable[Replacement], forms: list[Replacement]) -> list[tuple[int, int]]:
        """Where the new forms are in the new file."""
        if not forms:
            return []
        found, shift = [], 0
        added = {id(each) for each in forms}
        for each in sorted([*done, *forms], key=lambda one: (one.start, one.end)):
            length = self._length(each.new)
            if id(each) in added:
                found.append((each.start + shift, each.start + shift + length))
            shift += length - (each.end - each.start)
        return found

    def _length(self, text: str) -> int:
        """How much of a file a text takes, in the units in which positions are counted."""
        return len(text)

    def _pieces_again(self, data: bytes) -> Iterator[Piece]:
        begins = [start for start, _ in self._added]
        return (piece for piece in super()._pieces_again(data) if not self._is_added(piece.start, begins))

    def _is_added(self, at: int, begins: list[int]) -> bool:
        number = bisect_right(begins, at) - 1
        return number >= 0 and at < self._added[number][1]
