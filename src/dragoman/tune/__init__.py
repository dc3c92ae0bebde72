"""Tuning the weights of the log-linear model on a development set: MERT, k-best batch MIRA, PRO, simplex, Powell."""

from dragoman.tune.development import Development, decode
from dragoman.tune.direct import powell, simplex
from dragoman.tune.held_out import Validation, tune_held_out
from dragoman.tune.mert import mert
from dragoman.tune.mira import mira
from dragoman.tune.numbers import best_value, tune_estimate, tune_share
from dragoman.tune.pool import Pool, Tuner
from dragoman.tune.pro import pro
from dragoman.tune.rounds import TuningReport, tune

METHODS: dict[str, Tuner] = {"mert": mert, "mira": mira, "pro": pro, "simplex": simplex, "powell": powell}

__all__ = [
    "METHODS",
    "Development",
    "Pool",
    "Tuner",
    "TuningReport",
    "Validation",
    "best_value",
    "decode",
    "mert",
    "mira",
    "powell",
    "pro",
    "simplex",
    "tune",
    "tune_estimate",
    "tune_held_out",
    "tune_share",
]
