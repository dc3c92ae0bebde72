"""The adaptation of a project: the method, its policy, and the current weights λ and factors u.

1. `choose` picks from the n-best list of a sentence.
2. `learn` moves weights and factors by a correction, and returns the result as bytes, for the journal.
3. `replay` does the same to another adaptation in the same state, from these bytes: no search, the same bits.
4. `retract` is for a correction that is forgotten. The weights do not move back, because later
   steps started from them; what the method can take back exactly, it takes back. `drop_vanished` follows each
   change of the phrase model.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from dragoman.adapt.factors import Factors
from dragoman.adapt.lists import Candidates
from dragoman.adapt.protocol import Adapter, Matrix, Vector
from dragoman.arrays import ArrayTree
from dragoman.errors import DamagedFileError
from dragoman.tables import Ids

SMALLEST = 1e-12  # change of a factor that is one; less is rounding


class Adaptation:
    """An adapter at work: starts with some weights and moves them with each correction."""

    def __init__(self, settings: Mapping[str, Any], weights: Mapping[str, float]) -> None:
        self.adapter = Adapter.from_settings(settings)
        self.policy = self.adapter.policy
        self._learners = {"own": self.adapter}  # by the prefix of their arrays
        if self.policy.parameters == "both":  # then its state for the weights is not its state for the factors
            self._learners["factors' own"] = Adapter.from_settings(settings)
        self.weights: Vector = np.array(list(weights.values()))  # [M] λ, in the order of the preset
        self.factors = Factors()

    @property
    def live(self) -> bool:
        """Whether the search uses the adapted weights and factors."""
        return self.policy.live

    @property
    def reranks(self) -> bool:
        """Whether translations are chosen from n-best lists."""
        return not self.live or self.adapter.reranks_live

    @property
    def wants_factors(self) -> bool:
        """Whether the factors of phrase pairs are adapted."""
        return self.policy.adapts_factors

    def choose(self, candidates: Candidates) -> int:
        """The entry that is currently preferred."""
        if not self.reranks:
            return 0
        if self.live or not candidates.pairs.size:
            return self.adapter.rerank(self.weights, candidates.features)
        # The list was made with all u = 1: the score of an entry is λ·h + Σ (u − 1) g ([M] Eq. 9)
        theta = np.concatenate([self.weights, self.factors(candidates.pairs) - 1])
        return self.adapter.rerank(theta, np.hstack([candidates.features, candidates.scores]))

    def learn(self, candidates: Candidates, losses: Vector, chosen: int | None = None) -> bytes:
        """Update from the losses of the list; the new weights, factors and state of the method, as bytes.

        `chosen` is the result of `choose` for the list, if known.
        """
        chosen = self.choose(candidates) if chosen is None else chosen
        order: slice | Ids = slice(None)
        if chosen > 0:  # the choice before all others
            order = np.r_[chosen, :chosen, chosen + 1 : len(candidates)]
        added = ArrayTree()
        if self.policy.adapts_weights:
            added["weights"] = self.adapter.update(self.weights, candidates.features[order], losses[order])
        if self.wants_factors and candidates.pairs.size:
            added |= self._moved_factors(candidates.pairs, candidates.scores[order], losses[order])
        for place, learner in self._learners.items():
            added.put(place, learner.addition())
        self._keep(added)
        return added.to_bytes(self.adapter.settings()["name"])

    def _moved_factors(self, pairs: Ids, scores: Matrix, losses: Vector) -> dict[str, np.ndarray]:
        before = self.factors(pairs)
        learner = list(self._learners.values())[-1]
        everywhere = self.policy.decay == "all"
        after = (learner.update if everywhere else learner.update_touched)(before, scores, losses)
        changed = np.abs(after - before) > SMALLEST
        if not changed.any():
            return {}
        remains = np.array([self.adapter.remains if everywhere else 1.0])
        return {"pairs": pairs[changed], "factors": after[changed], "remains": remains}

    def _keep(self, added: Mapping[str, np.ndarray]) -> None:
        if "weights" in added:
            self.weights = np.array(added["weights"])
        if "pairs" in added:
            self.factors.shrink(float(added["remains"][0]))
            self.factors.set(added["pairs"], added["factors"])

    def replay(self, data: bytes) -> None:
        """Repeat the update for which `learn` returned this."""
        added, _ = ArrayTree.from_bytes(data)
        if "weights" in added and added["weights"].shape != self.weights.shape:
            raise DamagedFileError(
                "an adaptation in the journal belongs to other weights", remedy="restore it from a copy"
            )
        self._keep(added)
        for place, learner in self._learners.items():
            learner.replay(added.under(place))

    def retract(self, data: bytes) -> None:
        """Take back as much as possible of the update for which `learn` returned this; nothing if by another method."""
        added, by = ArrayTree.from_bytes(data)
        if by != self.adapter.settings()["name"]:
            return
        for place, learner in self._learners.items():
            learner.retract(added.under(place))

    def arrays(self) -> ArrayTree:
        """Everything but the settings."""
        tree = ArrayTree(weights=self.weights.copy())
        tree.put("factors", self.factors.arrays())
        for place, learner in self._learners.items():
            tree.put(place, learner.state())
        return tree

    def restore(self, arrays: Mapping[str, np.ndarray]) -> None:
        """Restore from `arrays()`."""
        tree = ArrayTree(arrays)
        self.weights = np.array(tree["weights"])
        self.factors.restore(tree.under("factors"))
        for place, learner in self._learners.items():
            learner.restore(tree.under(place))
