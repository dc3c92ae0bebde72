"""Tuning the weights of the log-linear model on a development set: MERT, k-best batch MIRA, PRO, simplex, Powell."""

from dragoman.tune.mert import mert
from dragoman.tune.mira import mira
from dragoman.tune.pool import Pool
from dragoman.tune.pro import pro

__all__ = ["Pool", "mert", "mira", "pro"]
