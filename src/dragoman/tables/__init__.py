"""The one data structure of the models: integer-keyed tables over flat arrays, layered, exact, and mapped to disk."""

from dragoman.tables.table import PathTable, Table
from dragoman.tables.table_kernels import ABSENT, Index, Layered

__all__ = ["ABSENT", "Index", "Layered", "PathTable", "Table"]
