"""The one data structure of the models: integer-keyed tables over flat arrays, layered, exact, and mapped to disk."""

from dragoman.tables.kernels import ABSENT, Index, Layered
from dragoman.tables.table import PathTable, Table

__all__ = ["ABSENT", "Index", "Layered", "PathTable", "Table"]
