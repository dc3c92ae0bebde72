"""Tuning the weights of the log-linear model on a development set: MERT, k-best batch MIRA, PRO, simplex, Powell."""

from dragoman.tune.development import Development, decode
from dragoman.tune.direct import powell, simplex
from dragoman.tune.mert import mert
from dragoman.tune.mert200 import Mert200
from dragoman.tune.mert_plus import mert_plus
from dragoman.tune.mira import mira
from dragoman.tune.numbers import best_value, tune_estimate, tune_share
from dragoman.tune.pool import Pool, Tuner
from dragoman.tune.pro import pro
from dragoman.tune.rounds import Report, tune

METHODS: dict[str, Tuner] = {"mert": mert, "mira": mira, "pro": pro, "simplex": simplex, "powell": powell}

__all__ = [
    "METHODS",
    "Development",
    "Mert200",
    "Pool",
    "Report",
    "Tuner",
    "best_value",
    "decode",
    "mert",
    "mert_plus",
    "mira",
    "powell",
    "pro",
    "simplex",
    "tune",
    "tune_estimate",
    "tune_share",
]
