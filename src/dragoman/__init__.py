"""dragoman: an adaptive translation engine. It translates, you correct, it learns at once.

`Engine.create(directory, source="en", target="es")` makes a project, and `Engine.open(directory)` opens it again;
`help(dragoman.Engine)` lists what an engine can do. Every error is a `DragomanError`; one about what was given is a
`BadInputError`, which is a `ValueError` as well.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

__version__ = "0.2.0"

if TYPE_CHECKING:
    from dragoman.engine import Engine
    from dragoman.errors import (
        BadInputError,
        CancelledError,
        DamagedFileError,
        DragomanError,
        StorageError,
        UnlearnableError,
    )
    from dragoman.project.guard import FlaggedError
    from dragoman.records import Match, Translation
    from dragoman.store.journal_errors import BehindError, ReplicaError, RewoundError, SupersededError, UnfinishedError
    from dragoman.store.lock import TakenError

__all__ = [
    "BadInputError",
    "BehindError",
    "CancelledError",
    "DamagedFileError",
    "DragomanError",
    "Engine",
    "FlaggedError",
    "Match",
    "ReplicaError",
    "RewoundError",
    "StorageError",
    "SupersededError",
    "TakenError",
    "Translation",
    "UnfinishedError",
    "UnlearnableError",
    "__version__",
]
_PLACES = {
    "Engine": "engine",
    "FlaggedError": "project.guard",
    "Match": "records",
    "TakenError": "store.lock",
    "Translation": "records",
    **dict.fromkeys(
        ("BehindError", "ReplicaError", "RewoundError", "SupersededError", "UnfinishedError"), "store.journal_errors"
    ),
}


def __getattr__(name: str) -> Any:
    """Import what is asked for, the engine and Numba with it, only then."""
    if name not in __all__:
        raise AttributeError(f"module 'dragoman' has no attribute {name!r}")
    return getattr(import_module(f"dragoman.{_PLACES.get(name, 'errors')}"), name)


def __dir__() -> list[str]:
    """What there is, also what has not been imported yet; not what this file itself imports."""
    return sorted({*globals(), *__all__} - {"Any", "TYPE_CHECKING", "import_module"})
