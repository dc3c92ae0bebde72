"""Reading the rows of a journal, wherever it is: one after another, or by their ids."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator

from dragoman.store.rows import LARGEST_ID, NO_ROW, Row, check_id, no_row

CHUNK = 256  # rows fetched at once


class RowReader(ABC):
    """Reads a journal; a subclass knows its database."""

    warnings: list[str]  # for people: what was damaged and has been repaired

    @abstractmethod
    def _between(self, after: int, last: int, most: int) -> list[Row]:
        """The first rows with ids greater than one and up to another, in the order of their ids."""

    @property
    @abstractmethod
    def last_id(self) -> int:
        """The id of the newest row, 0 if there is none."""

    def rows(self, after: int = 0) -> Iterator[Row]:
        """All rows with greater ids, in the order of their ids; rows appended meanwhile are included."""
        while chunk := self._between(after, LARGEST_ID, CHUNK):
            yield from chunk
            after = chunk[-1].id

    def get(self, row_id: int) -> Row:
        """The row with this id."""
        if found := self._between(check_id(row_id) - 1, row_id, 1):
            return found[0]
        raise no_row(row_id)

    def digest(self, row_id: int) -> str:
        """A digest of all rows up to this one; equal digests mean equal rows. Id 0 is before the first row."""
        return self.get(row_id).digest if row_id else NO_ROW.hex()
