"""What a project has adapted: the method, the weights λ and the factors u as they are now.

1. `choose` picks from the n-best list of a sentence.
2. `learn` moves weights and factors by a correction, and returns in bytes what has become of them, for the journal.
3. `replay` does the same to another adaptation in the same state, from these bytes: no search, the same bits.
4. `retract` is for a correction that is forgotten. The path that the weights have gone is not gone back, because later
   steps have started from it; what the method can take back exactly, it takes back. `drop_vanished` follows each
   change of the phrase model.
"""

from __future__ import annotations

import json
import struct
from collections.abc import Mapping
from typing import Any

import numpy as np

from dragoman.adapt.factors import Factors
from dragoman.adapt.lists import Candidates, Ids
from dragoman.adapt.protocol import Adapter, Matrix, Vector
from dragoman.errors import BadInputError, DamagedFileError
from dragoman.files import Arrays

SMALLEST = 1e-12  # change of a factor that is one; less is rounding
MARK = struct.pack("<i", -1)  # no contribution begins with it, since that is a number of words


class Adaptation:
    """An adapter at work: begun with some weights, moving on with each correction."""

    def __init__(self, settings: Mapping[str, Any], weights: Mapping[str, float]) -> None:
        self.adapter = Adapter.from_settings(settings)
        self._learners = {"own": self.adapter}  # by what their arrays are called
        if self.adapter.parameters == "both":  # then what it remembers of weights and of factors is not the same
            self._learners["factors' own"] = Adapter.from_settings(settings)
        self.weights: Vector = np.array(list(weights.values()))  # [M] λ, in the order of the preset
        self.factors = Factors()

    @property
    def live(self) -> bool:
        """Whether weights and factors go into the search."""
        return self.adapter.mode == "live"

    @property
    def reranks(self) -> bool:
        """Whether n-best lists are chosen from."""
        return not self.live or self.adapter.reranks_live

    @property
    def wants_factors(self) -> bool:
        """Whether factors of phrase pairs are adapted."""
        return self.adapter.parameters != "weights"

    def choose(self, candidates: Candidates) -> int:
        """The entry that is preferred now."""
        if not self.reranks:
            return 0
        if self.live or not candidates.pairs.size:
            return self.adapter.rerank(self.weights, candidates.features)
        # The list was made with all u = 1: the score of an entry is λ·h + Σ (u − 1) g ([M] Eq. 9)
        theta = np.concatenate([self.weights, self.factors(candidates.pairs) - 1])
        return self.adapter.rerank(theta, np.hstack([candidates.features, candidates.scores]))

    def learn(self, candidates: Candidates, losses: Vector, chosen: int | None = None) -> bytes:
        """Move on, given the losses of the list; what has become of weights, factors and the method's own state.

        `chosen` is what `choose` says of the list, if that is known.
        """
        chosen = self.choose(candidates) if chosen is None else chosen
        order: slice | Ids = slice(None)
        if chosen > 0:  # the choice before all others
            order = np.r_[chosen, :chosen, chosen + 1 : len(candidates)]
        added: Arrays = {}
        if self.adapter.parameters != "factors":
            added["weights"] = self.adapter.update(self.weights, candidates.features[order], losses[order])
        if self.wants_factors and candidates.pairs.size:
            added |= self._moved_factors(candidates.pairs, candidates.scores[order], losses[order])
        for place, learner in self._learners.items():
            added |= {f"{place}.{name}": array for name, array in learner.addition().items()}
        self._keep(added)
        return encode(added, by=self.adapter.settings()["name"])

    def _moved_factors(self, pairs: Ids, scores: Matrix, losses: Vector) -> Arrays:
        before = self.factors(pairs)
        learner = list(self._learners.values())[-1]
        after = learner.update_factors(before, scores, losses)
        changed = np.abs(after - before) > SMALLEST
        if not changed.any():
            return {}
        remains = np.array([self.adapter.remains])
        return {"pairs": pairs[changed], "factors": after[changed], "remains": remains}

    def _keep(self, added: Mapping[str, np.ndarray]) -> None:
        if "weights" in added:
            self.weights = np.array(added["weights"])
        if "pairs" in added:
            self.factors.shrink(float(added["remains"][0]))
            self.factors.set(added["pairs"], added["factors"])

    def replay(self, data: bytes) -> None:
        """Do again what `learn` did when it returned this."""
        added, _ = decode(data)
        if "weights" in added and added["weights"].shape != self.weights.shape:
            raise DamagedFileError("an adaptation in the journal is of other weights", remedy="restore it from a copy")
        self._keep(added)
        for place, learner in self._learners.items():
            learner.replay(_of(added, place))

    def retract(self, data: bytes) -> None:
        """Take back what can be taken back of what `learn` did when it returned this; nothing of another method."""
        added, by = decode(data)
        if by != self.adapter.settings()["name"]:
            return
        for place, learner in self._learners.items():
            learner.retract(_of(added, place))

    def arrays(self) -> Arrays:
        """Everything but the settings."""
        factors = {f"factors.{name}": array for name, array in self.factors.arrays().items()}
        learners = self._learners.items()
        own = {f"{place}.{name}": array for place, learner in learners for name, array in learner.state().items()}
        return {"weights": self.weights.copy()} | factors | own

    def restore(self, arrays: Mapping[str, np.ndarray]) -> None:
        """Become the one whose `arrays()` these are."""
        self.weights = np.array(arrays["weights"])
        self.factors.restore(_of(arrays, "factors"))
        for place, learner in self._learners.items():
            learner.restore(_of(arrays, place))


def _of(arrays: Mapping[str, np.ndarray], place: str) -> Arrays:
    return {name.removeprefix(f"{place}."): array for name, array in arrays.items() if name.startswith(f"{place}.")}


def encode(arrays: Mapping[str, np.ndarray], by: str) -> bytes:
    """Arrays as bytes: a line of JSON that says who they are by and what they are, then one after the other.

    >>> decode(encode({"weights": np.array([0.5, 1.0])}, by="Ridge"))
    ({'weights': array([0.5, 1. ])}, 'Ridge')
    """
    ordered = {name: np.asarray(array) for name, array in arrays.items()}
    for name, array in ordered.items():
        if array.dtype.kind not in "biuf":
            raise BadInputError(f"the state {name!r} of an adapter is an array of {array.dtype}", remedy="keep numbers")
    little = {name: array.astype(array.dtype.newbyteorder("<")) for name, array in ordered.items()}
    about = [[name, array.dtype.str, list(array.shape)] for name, array in little.items()]
    line = json.dumps([by, about], separators=(",", ":")).encode()
    return b"\n".join([line, b"".join(array.tobytes() for array in little.values())])


def decode(data: bytes) -> tuple[Arrays, str]:
    """The arrays whose `encode` this is, copies, and who they are by."""
    line, _, body = data.partition(b"\n")
    by, about = json.loads(line)
    arrays, at = {}, 0
    for name, kind, shape in about:
        dtype = np.dtype(kind)
        size = dtype.itemsize * int(np.prod(shape))
        arrays[name] = np.frombuffer(body[at : at + size], dtype).reshape(shape).astype(dtype.newbyteorder("="))
        at += size
    return arrays, by


def beside(contribution: bytes, adaptation: bytes) -> bytes:
    """What a row of the journal holds: a contribution, and before it what was adapted, if anything was.

    >>> apart(beside(b"contribution", b"adapted"))
    (b'contribution', b'adapted')
    """
    return MARK + struct.pack("<i", len(adaptation)) + adaptation + contribution if adaptation else contribution


def apart(data: bytes) -> tuple[bytes, bytes]:
    """The contribution and the adaptation in a row of the journal."""
    if not data.startswith(MARK):
        return data, b""
    (size,) = struct.unpack_from("<i", data, 4)
    return data[8 + size :], data[8 : 8 + size]
