"""A neural engine in the open: a Transformer in CTranslate2's format that learns from every correction."""

from dragoman.neural.model_file import CannotLearnError
from dragoman.neural.network import Loss, Network

__all__ = ["CannotLearnError", "Loss", "Network"]
