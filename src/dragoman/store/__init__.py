"""What a project keeps on disk: the journal of corrections, snapshots of the models, the directory that holds both."""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from dragoman.store.deliveries import Delivered, Delivery
from dragoman.store.directory import Project
from dragoman.store.journal_errors import BehindError, ReplicaError, RewoundError, SupersededError, UnfinishedError
from dragoman.store.lock import TakenError
from dragoman.store.rows import Row
from dragoman.store.snapshot import Snapshot, SnapshotStore

if TYPE_CHECKING:
    from dragoman.store.answers import Answers
    from dragoman.store.follower import Follower
    from dragoman.store.journal import Journal

__all__ = [
    "Answers",
    "BehindError",
    "Delivered",
    "Delivery",
    "Follower",
    "Journal",
    "Project",
    "ReplicaError",
    "RewoundError",
    "Row",
    "Snapshot",
    "SnapshotStore",
    "SupersededError",
    "TakenError",
    "UnfinishedError",
]

_LOADED_LATER = {"Answers": "answers", "Follower": "follower", "Journal": "journal"}  # they load SQLAlchemy


def __getattr__(name: str) -> Any:
    """Import what needs SQLAlchemy only when it is asked for."""
    if name in _LOADED_LATER:
        return getattr(import_module(f"dragoman.store.{_LOADED_LATER[name]}"), name)
    raise AttributeError(f"module 'dragoman.store' has no attribute {name!r}")
