"""What a project keeps on disk: the journal of corrections, snapshots of the models, the directory that holds both."""

from dragoman.store.answers import Answers
from dragoman.store.deliveries import Delivered, Delivery
from dragoman.store.directory import Project
from dragoman.store.fencing import SupersededError
from dragoman.store.following import BehindError, Follower, ReplicaError, RewoundError
from dragoman.store.journal import Journal, UnfinishedError
from dragoman.store.lock import TakenError
from dragoman.store.rows import Row
from dragoman.store.snapshot import Snapshot, SnapshotStore

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
