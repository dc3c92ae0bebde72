"""Estimators of [O] that keep the contributions of samples and estimate them again: incremental EM and interlaced."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable

from dragoman.errors import BadInputError
from dragoman.models.alignment import AlignmentContribution, AlignmentModel, check_pair
from dragoman.tables import Ids

Progress = Callable[[int, int], None]  # samples done, samples of the epoch


def renew(model: AlignmentModel, source: Ids, target: Ids, old: AlignmentContribution | None) -> AlignmentContribution:
    """Re-estimate a sample, replacing its contribution so far: s ← s − s_m(old) + s_m(new) ([O] Eq. 21)."""
    new = model.add_ids(source, target)
    if old is not None:
        model.apply(source, target, old, -1)
    return new


class IncrementalEM:
    """Incremental EM in the batch setting: every sample's contribution is kept and re-estimated once per epoch.

    [O] Eq. 21–23. The first epoch is the online rule.
    """

    def __init__(self, model: AlignmentModel, pairs: Iterable[tuple[Ids, Ids]]) -> None:
        self.model = model
        self.samples: list[tuple[Ids, Ids, AlignmentContribution | None]] = [
            (source, target, None) for source, target in pairs
        ]

    def epoch(self, progress: Progress | None = None) -> None:
        """Re-estimate the contribution of each sample in turn."""
        for number, (source, target, old) in enumerate(self.samples):
            self.samples[number] = (source, target, renew(self.model, source, target, old))
            if progress is not None:
                progress(number + 1, len(self.samples))


class Interlaced:
    """Online learning that keeps the last R samples and re-estimates E of them at each trial ([O] App. A).

    With R = E = 1 it is the online rule.
    """

    def __init__(self, model: AlignmentModel, R: int, E: int) -> None:
        if not 1 <= E <= R:
            raise BadInputError(f"cannot re-estimate E = {E} of the last R = {R} samples", remedy="choose 1 ≤ E ≤ R")
        self.model, self.R, self.E = model, R, E
        self.trial = 0
        self.samples: deque[tuple[Ids, Ids, AlignmentContribution | None]] = deque(maxlen=R)

    def add_ids(self, source: Ids, target: Ids) -> None:
        """Learn a sample, then re-estimate E − 1 earlier ones, one after another."""
        check_pair(source, target)
        self.trial += 1
        self.samples.append((source, target, None))
        for trial in interlaced(self.trial, self.R, self.E):
            place = len(self.samples) - 1 - (self.trial - trial)
            source, target, old = self.samples[place]
            self.samples[place] = (source, target, renew(self.model, source, target, old))


def interlaced(trial: int, R: int, E: int) -> list[int]:
    """The trials whose samples are re-estimated at a trial: ⌊t − (e − 1) · R / E⌋ for e = 1…E ([O] Eq. A.1).

    >>> interlaced(10, R=5, E=3)
    [10, 8, 6]
    """
    return [trial + (-e * R // E) for e in range(E) if trial + (-e * R // E) >= 1]
