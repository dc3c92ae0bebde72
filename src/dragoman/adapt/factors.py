"""Factors u of phrase pairs: each multiplies the translation-model score of its pair, and is 1 until learned.

There may be millions of phrase pairs, few of them adapted: those are listed, and all others share one value.

>>> factors = Factors()
>>> factors.set(np.array([7, 3]), np.array([1.5, 0.5]))
>>> factors(np.array([3, 7, 8])).tolist()
[0.5, 1.5, 1.0]
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from dragoman.adapt.protocol import Vector
from dragoman.arrays import ArrayTree
from dragoman.errors import BadInputError
from dragoman.models.phrases import PhraseModel
from dragoman.tables import ABSENT, Ids

SMALLEST = 1e-100  # scale at which the numbers are made ordinary again


class Factors:
    """A sparse vector over the keys of phrase pairs; a function from keys to factors, as a decoder takes it."""

    def __init__(self) -> None:
        self._keys = np.zeros(0, np.int64)  # [n] in order
        self._values = np.zeros(0)  # [n] u / scale
        self._scale = 1.0  # u of all pairs that are not listed

    def __len__(self) -> int:
        return self._keys.size

    @property
    def keys(self) -> Ids:
        """[n] the adapted pairs."""
        return self._keys

    def __call__(self, keys: Ids) -> Vector:
        """The factor of each pair."""
        places = np.searchsorted(self._keys, keys)
        answer = np.ones(len(keys))
        known = places < self._keys.size
        known[known] = self._keys[places[known]] == keys[known]
        answer[known] = self._values[places[known]]
        return answer * self._scale

    def set(self, keys: Ids, values: Vector) -> None:
        """Set the factors of pairs, each given once."""
        if not np.isfinite(values).all():
            raise BadInputError("a factor of a phrase pair must be a finite number")
        order = np.argsort(keys)
        keys, values = keys[order], values[order] / self._scale
        places = np.searchsorted(self._keys, keys)
        known = places < self._keys.size
        known[known] = self._keys[places[known]] == keys[known]
        self._values[places[known]] = values[known]
        self._keys = np.insert(self._keys, places[~known], keys[~known])
        self._values = np.insert(self._values, places[~known], values[~known])

    def shrink(self, factor: float) -> None:
        """Multiply all factors, including those of unlisted pairs."""
        self._scale *= factor
        if self._scale < SMALLEST:
            self._values, self._scale = self._values * (self._scale / SMALLEST), SMALLEST

    def drop_vanished(self, phrases: PhraseModel) -> None:
        """Drop the factors of pairs that are no longer in the phrase model: their keys may be reused."""
        alive = phrases.pairs.find(self._keys) != ABSENT
        if phrases.pairs.base is not None:
            alive |= phrases.pairs.base.find(self._keys) != ABSENT
        self._keys, self._values = self._keys[alive], self._values[alive]

    def arrays(self) -> ArrayTree:
        """Everything needed to restore them."""
        return ArrayTree(keys=self._keys.copy(), values=self._values.copy(), scale=np.array([self._scale]))

    def restore(self, arrays: Mapping[str, np.ndarray]) -> None:
        """Restore from `arrays()`."""
        self._keys, self._values = np.array(arrays["keys"]), np.array(arrays["values"])
        self._scale = float(arrays["scale"][0])
