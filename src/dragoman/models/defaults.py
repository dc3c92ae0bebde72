"""What a project is given when it is created, by the version of these defaults.

A project records the version it was created with (`project.json`, 1 if it says nothing) and keeps it: what its journal
holds was estimated with these choices, so better defaults are for new projects, and for copies
(`dragoman project copy`).

>>> defaults_of({"order": 5}).symmetrisation
'grow-diag-final-and'
>>> defaults_of({"order": 5, "defaults": CURRENT}).symmetrisation
'posterior'
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from dragoman.models import symmetry
from dragoman.models.language import MODIFIED
from dragoman.models.loglinear import EARLIER_MOSES, MOSES, Weights
from dragoman.text import tokens


@dataclass(frozen=True)
class Defaults:
    """Choices that are made when a project is created."""

    symmetrisation: str  # how links are made from both alignment models
    smoothing: str  # of the language model, unless there is a base, whose smoothing it has


VERSIONS = {
    1: Defaults(symmetrisation=symmetry.HEURISTIC, smoothing="kneser-ney"),
    2: Defaults(symmetrisation=symmetry.DEFAULT, smoothing=MODIFIED),
    3: Defaults(symmetrisation=symmetry.DEFAULT, smoothing=MODIFIED),
}
SECOND_TOKENS = 3  # from this version on, texts are split as today
CURRENT = max(VERSIONS)
EARLIER_WEIGHTS = {(1, "moses"): EARLIER_MOSES}  # by version and preset, where they were others than today


def defaults_of(settings: Mapping[str, Any]) -> Defaults:
    """The defaults of a project with these initial settings."""
    return VERSIONS[settings.get("defaults", 1)]


def token_version(settings: Mapping[str, Any]) -> int:
    """The version of the tokens of a project with these initial settings."""
    return tokens.CURRENT if settings.get("defaults", 1) >= SECOND_TOKENS else 1


def starting_weights(settings: Mapping[str, Any], *, classes: bool = True) -> Weights:
    """The weights that a project with these initial settings starts from; `classes` tells whether its base has any."""
    preset = settings["preset"]
    if preset == "classes" and not classes:
        return Weights(preset, MOSES)
    return Weights(preset, EARLIER_WEIGHTS.get((settings.get("defaults", 1), preset)))
