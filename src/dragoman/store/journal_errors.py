"""What can be wrong with a journal, for those who use one: raised by journals, and known without loading SQLAlchemy."""

from __future__ import annotations

from dragoman.errors import BadInputError, DamagedFileError, StorageError


class UnfinishedError(BadInputError):
    """The journal belongs to a copy that was interrupted; it has only a part of the corrections."""


class ReplicaError(BadInputError):
    """Only the process that writes the journal can do this."""


class BehindError(StorageError):
    """The requested revision has not arrived here yet."""


class RewoundError(StorageError):
    """The journal does not continue from the rows we know; for example, it was restored from a copy."""


class SupersededError(StorageError):
    """Another process has taken over writing; nothing was changed."""


def no_journal(name: str, *, file: bool) -> DamagedFileError:
    """The error for a database without a journal."""
    remedy = "restore it from a copy" if file else "check the database and the schema"
    return DamagedFileError("there is no journal here", where=name, remedy=remedy)


def interrupted(name: str) -> UnfinishedError:
    """The error for a journal that is not finished."""
    remedy = "make the copy again, which replaces this one"
    return UnfinishedError("is a copy that was interrupted", where=name, remedy=remedy)
