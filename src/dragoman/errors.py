"""Named errors: what happened, where, and what to do about it."""

from __future__ import annotations

from pathlib import Path


class DragomanError(Exception):
    """Any error that dragoman raises on purpose; the command line prints it as one line and exits with 2.

    >>> str(DragomanError("the file is empty", where="notes.txt", remedy="write one sentence per line"))
    'notes.txt: the file is empty; write one sentence per line'
    """

    def __init__(self, what: str, *, where: str | Path | None = None, remedy: str | None = None) -> None:
        self.what = what
        self.where = where
        self.remedy = remedy
        place = "" if where is None else f"{where}: "
        advice = "" if remedy is None else f"; {remedy}"
        super().__init__(f"{place}{what}{advice}")


class BadInputError(DragomanError, ValueError):
    """The input cannot be used; nothing was changed. For callers who do not know us, it is also a `ValueError`."""


class UnlearnableError(BadInputError):
    """A pair of texts has no words or too many, so the models cannot learn it even if it is correct."""


class DamagedFileError(DragomanError):
    """A file that dragoman wrote has been damaged or changed since."""


class CancelledError(DragomanError):
    """The work was stopped before it was done, on request or because it took too long; nothing was changed."""


class StorageError(DragomanError):
    """The disk is full, the directory is read-only, or similar; existing data is unharmed."""
