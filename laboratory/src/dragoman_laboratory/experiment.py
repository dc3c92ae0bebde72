"""What an experiment is: cells to run, their results, and their interpretation.

1. `cells` lists what to run, on the papers' scale or a quick one. A cell is a function with parameters.
2. Each cell returns rows; all rows of all cells, with their parameters, are the tidy table of the results.
3. `table`, `findings` and `draw` use the results and nothing else: the paper's numbers beside ours, whether the
   paper's findings are confirmed, and the figure.

>>> cell = Cell(len, {"corpus": Text("pydocs-en-es", "test", 100), "rate": 0.01})
>>> results = Results([(cell, Measured([{"TER": 50.0}]))])
>>> results.value("TER", rate=0.01), results.rows[0]["corpus"]
(50.0, 'pydocs-en-es/test/100')
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple, TypeVar

import numpy as np
from numpy.typing import NDArray

from dragoman.measure import Measure, bootstrap
from dragoman.measure.significance import Interval

Row = dict[str, Any]  # numbers and names
Counts = Mapping[str, NDArray[np.int64]]  # for each measure [segments, k], what a comparison in pairs needs
T = TypeVar("T")


@dataclass(frozen=True)
class Text:
    """The first lines of a part of a corpus."""

    corpus: str  # named as its folder, the two languages last
    part: str  # train, dev or test
    size: int  # segments
    engine: str | None = None  # whose recorded translations belong to it

    def __str__(self) -> str:
        name = f"{self.corpus}/{self.part}/{self.size}"
        return f"{name}/{self.engine}" if self.engine else name

    @property
    def languages(self) -> tuple[str, str]:
        """Source and target."""
        source, target = self.corpus.split("-")[-2:]
        return source, target


@dataclass(frozen=True)
class Scale:
    """The size of an experiment: as in the papers, or just large enough to show a direction."""

    quick: bool = False
    most: int | None = None  # segments to translate, at most

    def __call__(self, full: T, quick: T) -> T:
        """One of two values."""
        return quick if self.quick else full

    def text(self, corpus: str, part: str, full: int, quick: int) -> Text:
        """The first lines of a corpus."""
        size = self(full, quick)
        return self.translated(corpus, part, size) if part == "test" else Text(corpus, part, size)

    def translated(self, corpus: str, part: str, size: int) -> Text:
        """Lines to translate, of whichever part of a corpus."""
        return Text(corpus, part, size if self.most is None else min(size, self.most))


@dataclass(frozen=True)
class Measured:
    """The result of a cell: rows, which are the same in each run, and seconds, which are not."""

    rows: list[Row]
    seconds: dict[str, float] = field(default_factory=dict)
    counts: Sequence[Counts] = ()  # of the segments behind the last rows, one for each of them


@dataclass(frozen=True)
class Cell:
    """One thing to run: a function of a workspace, called with the parameters."""

    work: Callable[..., Any]
    parameters: Mapping[str, Any]  # numbers, names, and texts

    @property
    def texts(self) -> list[Text]:
        """The texts among the parameters."""
        return [value for value in self.parameters.values() if isinstance(value, Text)]

    @property
    def shown(self) -> Row:
        """The parameters in the form of the tables."""
        return {name: str(value) if isinstance(value, Text) else value for name, value in self.parameters.items()}


class Results:
    """The results of all cells of an experiment."""

    def __init__(self, cells: Sequence[tuple[Cell, Measured]]) -> None:
        self.cells = list(cells)
        self.rows = [cell.shown | row for cell, measured in self.cells for row in measured.rows]
        self.times = [cell.shown | measured.seconds for cell, measured in self.cells]
        self._counts = [counts for _, measured in self.cells for counts in _aligned(measured)]

    def select(self, **where: Any) -> list[Row]:
        """The rows whose columns have these values."""
        return [row for row in self.rows if all(row.get(name) == value for name, value in where.items())]

    def value(self, column: str, **where: Any) -> float:
        """A number from the matching row, the last if there are several."""
        return float(self.select(**where)[-1][column] or 0.0)

    def counts(self, **where: Any) -> Counts:
        """The counts of the segments behind the matching row, the last if there are several."""
        fitting = [n for n, row in enumerate(self.rows) if all(row.get(name) == value for name, value in where.items())]
        return self._counts[fitting[-1]]

    def difference(self, measure: Measure, name: str, system: Mapping[str, Any], other: Mapping[str, Any]) -> Interval:
        """How much better one system is than another on the same segments, with its interval by paired bootstrap."""
        rows = (self.counts(**where)[name] for where in (other, system))
        found = bootstrap(measure, *rows).difference
        return found if measure.higher_is_better else Interval(-found.score, -found.high, -found.low)

    def seconds(self, name: str, **where: Any) -> float:
        """A time from the matching cell."""
        found = [row for row in self.times if all(row.get(key) == value for key, value in where.items())]
        return float(found[-1][name] or 0.0)

    def distinct(self, column: str, **where: Any) -> list[Any]:
        """The different values of a column, in order."""
        return list(dict.fromkeys(row[column] for row in self.select(**where) if column in row))


def _aligned(measured: Measured) -> list[Counts]:
    """Counts for each row, of the first none where there are fewer."""
    return [{}] * (len(measured.rows) - len(measured.counts)) + list(measured.counts)


class Table(NamedTuple):
    """A table of a report."""

    columns: tuple[str, ...]
    rows: Sequence[tuple[str, ...]]


class Finding(NamedTuple):
    """Something that a paper found, and whether it is confirmed here."""

    name: str  # short, the same in every run
    claim: str  # of the paper
    ours: str  # in numbers
    holds: bool | None  # None: undecided, the differences are within their intervals


@dataclass(frozen=True)
class Experiment:
    """A table or figure of a paper, or a question that the papers leave open."""

    id: str  # as in the catalogue
    title: str
    paper: str  # what it found; nothing, if it is a question beyond the papers
    cells: Callable[[Scale], list[Cell]]
    table: Callable[[Results], Table]
    findings: Callable[[Results], list[Finding]]
    draw: Callable[[Any, Results], None]  # into a figure of matplotlib

    @property
    def beyond(self) -> bool:
        """Whether it is a question that the papers leave open."""
        return self.id.startswith(("X-", "U-"))
