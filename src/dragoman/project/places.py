"""The places that have a correction, such as files: it is known by each of them, and forgotten with the last."""

from __future__ import annotations

from collections.abc import Collection
from typing import TYPE_CHECKING

from dragoman.project.open_project import OpenProject
from dragoman.store import Delivered

if TYPE_CHECKING:
    from dragoman.store.journal import Journal


class Places:
    """Where the corrections of an open project are."""

    def __init__(self, opened: OpenProject) -> None:
        self._opened = opened

    @property
    def _journal(self) -> Journal:
        self._opened.check_open()
        return self._opened.store.journal

    def corrections_in(self, place: str) -> list[Delivered]:
        """The corrections that were made in a place, and those in force that it has as well."""
        from dragoman.store.journal_tables import find_delivered, find_noted

        with self._journal.reading() as connection:
            return [*find_delivered(connection, place), *find_noted(connection, place)]

    def is_elsewhere(self, number: int, place: str) -> bool:
        """Whether a correction is also in another place, or was made in none."""
        from dragoman.store.journal_tables import is_elsewhere

        with self._journal.reading() as connection:
            return is_elsewhere(connection, place, number)

    def note(self, place: str, numbers: Collection[int]) -> None:
        """Remember that a place has these corrections as well."""
        from dragoman.store.journal_tables import note_place

        if numbers:
            with self._journal.keeping() as connection:
                note_place(connection, place, numbers)

    def leave(self, place: str, number: int) -> None:
        """Remember that a place no longer has a correction, which others still have."""
        from dragoman.store.journal_tables import leave_place

        with self._journal.keeping() as connection:
            leave_place(connection, place, number)
