"""The one data structure of the models: integer-keyed tables over flat arrays, layered, exact, and mapped to disk."""

from dragoman.tables.table import Ids, PathTable, Table
from dragoman.tables.table_kernels import ABSENT, Index, Layered

__all__ = ["ABSENT", "Ids", "Index", "Layered", "PathTable", "Table"]
