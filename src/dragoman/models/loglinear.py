"""The log-linear model: which features there are, which of them each preset uses, and their weights ([O] Eq. 3).

A translation is scored by Σ_r λ_r h_r. Every feature that any preset knows has a fixed place in the arrays of the
search; a preset is nothing but the names it uses with the weights it starts from. A weight of 0 switches a feature off.

>>> weights = Weights("thot")
>>> weights["language"] = 0.8
>>> sorted(weights) == sorted(PRESETS["thot"])
True
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, MutableMapping

import numpy as np
from numpy.typing import NDArray

from dragoman.errors import BadInputError
from dragoman.models import loglinear_kernels as kernels

FEATURES = (
    "language",  # h1, log p(e) of the n-gram model
    "source_length",  # h2, log p(J | I)
    "phrase_inverse",  # h3, Σ log p(f̃|ẽ)
    "phrase_direct",  # h4, Σ log p(ẽ|f̃)
    "target_phrase_length",  # h5, geometric in |ẽ|
    "source_phrase_length",  # h6, geometric in ||f̃| − |ẽ||
    "distortion",  # h7, geometric in the jump between phrases
    "word_penalty",  # minus the number of target words
    "phrase_penalty",  # the number of phrases
    "linear_distortion",  # minus the number of source words jumped over
    "lexical_inverse",  # Σ log lex(f̃|ẽ)
    "lexical_direct",  # Σ log lex(ẽ|f̃)
    "previous_monotone",  # Σ log p(orientation to the phrase before), by orientation
    "previous_swap",
    "previous_discontinuous",
    "next_monotone",  # Σ log p(orientation of the phrase after)
    "next_swap",
    "next_discontinuous",
)
# Of translations over another engine's (docs/understand/fusion.md); all 0 where there is none
UPSTREAM = (
    "upstream_words",  # the number of target words taken from the other engine's answer
    "upstream_left",  # minus the number of its words that were replaced or left out
    "upstream_breaks",  # minus the number of phrases that do not go on where the one before stopped
    "upstream_evidence",  # Σ log p(ẽ | f̃, m̃), what corrections made of what it says
)
CLASS_LANGUAGE = "class_language"  # log probability of the word classes; 0 where a base has none
PLACES = {name: place for place, name in enumerate((*FEATURES, *UPSTREAM, CLASS_LANGUAGE))}

# Starting weights. Those of `moses` were chosen on the development sets of several kinds of text together, those of the
# other presets fitted once by k-best MIRA on that of a technical manual (docs/understand/models.md)
THOT = {
    "language": 0.3,
    "source_length": 0.22,
    "phrase_inverse": 0.29,
    "phrase_direct": 0.37,
    "target_phrase_length": -0.8,
    "source_phrase_length": -0.4,
    "distortion": 0.7,
}
MOSES = {
    "language": 0.35,
    "word_penalty": -0.6,
    "phrase_penalty": 0.35,
    "linear_distortion": 0.26,
    "phrase_inverse": 0.24,
    "lexical_inverse": 0.18,
    "phrase_direct": 0.15,
    "lexical_direct": 0.2,
    "previous_monotone": 0.28,
    "previous_swap": 0.1,
    "previous_discontinuous": 0.19,
    "next_monotone": 0.43,
    "next_swap": 0.0,
    "next_discontinuous": 0.2,
}
FULL = {
    "language": 0.44,
    "source_length": 0.41,
    "phrase_inverse": 0.0,
    "phrase_direct": 0.3,
    "target_phrase_length": -0.1,
    "source_phrase_length": -0.08,
    "distortion": 0.22,
    "word_penalty": -1.2,
    "phrase_penalty": 0.24,
    "linear_distortion": 0.05,
    "lexical_inverse": 0.4,
    "lexical_direct": 0.35,
    "previous_monotone": 0.33,
    "previous_swap": 0.03,
    "previous_discontinuous": 0.17,
    "next_monotone": 0.34,
    "next_swap": 0.12,
    "next_discontinuous": 0.28,
}
# What projects started with that were created with the first version of the defaults (defaults.py)
EARLIER_MOSES = {
    "language": 0.3,
    "word_penalty": -0.85,
    "phrase_penalty": 0.65,
    "linear_distortion": 0.22,
    "phrase_inverse": 0.18,
    "lexical_inverse": 0.13,
    "phrase_direct": 0.3,
    "lexical_direct": 0.22,
    "previous_monotone": 0.5,
    "previous_swap": 0.03,
    "previous_discontinuous": 0.17,
    "next_monotone": 0.35,
    "next_swap": 0.0,
    "next_discontinuous": 0.1,
}
CLASSES = {  # where there are word classes, otherwise those of `moses`
    "language": 0.26,
    "word_penalty": -0.75,
    "phrase_penalty": 0.45,
    "linear_distortion": 0.22,
    "phrase_inverse": 0.25,
    "lexical_inverse": 0.14,
    "phrase_direct": 0.16,
    "lexical_direct": 0.21,
    "previous_monotone": 0.24,
    "previous_swap": 0.12,
    "previous_discontinuous": 0.14,
    "next_monotone": 0.36,
    "next_swap": -0.02,
    "next_discontinuous": 0.18,
    CLASS_LANGUAGE: 0.12,
}
PRESETS: dict[str, dict[str, float]] = {"thot": THOT, "moses": MOSES, "full": FULL, "classes": CLASSES}
DEFAULT = "classes"  # the one that measures best
PAPER_PRESET = "moses"  # that of [M], for experiments that repeat those of the papers
# Starting weights over another engine, the same for all engines: fitted on development sets of three texts, each with a
# neural and a rule-based engine, learning from nothing (docs/understand/fusion.md). TRUST is added to any preset.
TRUST = {"upstream_words": -0.1, "upstream_left": 0.0, "upstream_breaks": 0.1, "upstream_evidence": 0.65}
FUSED = {
    "language": 0.32,
    "word_penalty": -1.4,
    "phrase_penalty": 0.7,
    "linear_distortion": 0.06,
    "phrase_inverse": 0.05,
    "lexical_inverse": 0.02,
    "phrase_direct": 0.28,
    "lexical_direct": 0.15,
    "previous_monotone": 0.5,
    "previous_swap": 0.03,
    "previous_discontinuous": 0.1,
    "next_monotone": 0.12,
    "next_swap": 0.0,
    "next_discontinuous": 0.08,
}
FUSED_BY_PRESET = {"moses": FUSED, "classes": FUSED | {CLASS_LANGUAGE: 0.0}}


class Weights(MutableMapping[str, float]):
    """The weights λ of one preset, by name; no name can be added or taken away.

    With `upstream`, those of translations over another engine.
    """

    def __init__(self, preset: str, values: Mapping[str, float] | None = None, *, upstream: bool = False) -> None:
        if preset not in PRESETS:
            raise BadInputError(f"there is no preset {preset!r}", remedy=f"choose one of {', '.join(PRESETS)}")
        self.preset = preset
        self.upstream = upstream
        self._values = dict(PRESETS[preset])
        if upstream:
            self._values |= FUSED_BY_PRESET.get(preset, {}) | TRUST
        self.update(values or {})

    def __getitem__(self, name: str) -> float:
        return self._values[name]

    def __setitem__(self, name: str, value: float) -> None:
        if name not in self._values:
            known = ", ".join(self._values)
            raise BadInputError(f"preset {self.preset!r} has no feature {name!r}", remedy=f"it has {known}")
        if not math.isfinite(value):
            raise BadInputError(f"the weight of {name!r} must be a finite number, not {value}")
        self._values[name] = float(value)

    def __delitem__(self, name: str) -> None:
        raise BadInputError(f"a feature cannot be taken out of preset {self.preset!r}", remedy="set its weight to 0")

    def __iter__(self) -> Iterator[str]:
        return iter(self._values)

    def __len__(self) -> int:
        return len(self._values)

    def vector(self) -> NDArray[np.float64]:
        """[FEATURES] the weights at the places of all features, 0 where the preset has none."""
        vector = np.zeros(len(PLACES))
        for name, value in self._values.items():
            vector[PLACES[name]] = value
        return vector

    @property
    def places(self) -> NDArray[np.int64]:
        """[M] the places of this preset's features, in its own order."""
        return np.array([PLACES[name] for name in self._values])


assert len(PLACES) == kernels.FEATURES  # noqa: S101 (two lists that must agree, checked when first imported)
