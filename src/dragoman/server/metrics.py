r"""Counters and histograms in the text format that Prometheus reads; so little is needed that a library is not.

>>> times = Histogram("seconds", "How long.", ("operation",), bounds=(0.1, 1.0))
>>> times.observe(0.05, "learn"); times.observe(0.5, "learn")
>>> print("\n".join(times.lines()))
# HELP seconds How long.
# TYPE seconds histogram
seconds_bucket{operation="learn",le="0.1"} 1
seconds_bucket{operation="learn",le="1.0"} 2
seconds_bucket{operation="learn",le="+Inf"} 2
seconds_sum{operation="learn"} 0.55
seconds_count{operation="learn"} 2
"""

from __future__ import annotations

import threading
from bisect import bisect_left
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from time import perf_counter

BOUNDS = (0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0)  # seconds


class Counter:
    """Numbers that only grow, one for each combination of labels."""

    def __init__(self, name: str, about: str, labels: tuple[str, ...]) -> None:
        self.name, self.about, self.labels = name, about, labels
        self._lock = threading.Lock()
        self._values: dict[tuple[str, ...], float] = {}

    def add(self, *labels: str, amount: float = 1) -> None:
        """Count something."""
        with self._lock:
            self._values[labels] = self._values.get(labels, 0) + amount

    def lines(self) -> Iterator[str]:
        """The text form."""
        yield from _head(self.name, self.about, "counter")
        for labels, value in sorted(self._values.items()):
            yield f"{self.name}{_labelled(self.labels, labels)} {value:g}"


class Histogram:
    """How long things took, counted by bounds, for each combination of labels."""

    def __init__(self, name: str, about: str, labels: tuple[str, ...], bounds: tuple[float, ...] = BOUNDS) -> None:
        self.name, self.about, self.labels, self.bounds = name, about, labels, bounds
        self._lock = threading.Lock()
        self._counts: dict[tuple[str, ...], list[int]] = {}
        self._sums: dict[tuple[str, ...], float] = {}

    def observe(self, seconds: float, *labels: str) -> None:
        """Enter a duration."""
        with self._lock:
            counts = self._counts.setdefault(labels, [0] * (len(self.bounds) + 1))
            counts[bisect_left(self.bounds, seconds)] += 1
            self._sums[labels] = self._sums.get(labels, 0.0) + seconds

    @contextmanager
    def timing(self, *labels: str) -> Iterator[None]:
        """Enter how long the inside takes."""
        started = perf_counter()
        try:
            yield
        finally:
            self.observe(perf_counter() - started, *labels)

    def lines(self) -> Iterator[str]:
        """The text form."""
        yield from _head(self.name, self.about, "histogram")
        for labels, counts in sorted(self._counts.items()):
            total = 0
            for bound, count in zip([*map(str, self.bounds), "+Inf"], counts, strict=True):
                total += count
                yield f"{self.name}_bucket{_labelled((*self.labels, 'le'), (*labels, bound))} {total}"
            yield f"{self.name}_sum{_labelled(self.labels, labels)} {self._sums[labels]:g}"
            yield f"{self.name}_count{_labelled(self.labels, labels)} {total}"


class Metrics:
    """All that the server counts; gauges are asked for when somebody looks."""

    def __init__(self) -> None:
        self.http = Histogram("dragoman_http_seconds", "Time to answer a request.", ("method", "route", "status"))
        self.work = Histogram(
            "dragoman_operation_seconds", "Time of an operation, waiting for a thread included.", ("operation",)
        )
        self.refused = Counter("dragoman_refused_total", "Requests refused, by reason.", ("reason",))
        self.stale = Counter("dragoman_stale_total", "Prefixes skipped because a newer one was there.", ())
        self.gauges: dict[str, Callable[[], Mapping[str, float]]] = {}  # by name: values by project

    def text(self) -> str:
        """Everything, as Prometheus reads it."""
        found = [line for each in (self.http, self.work, self.refused, self.stale) for line in each.lines()]
        for name, values in self.gauges.items():
            found.append(f"# TYPE {name} gauge")
            found += [f"{name}{_labelled(('project',), (key,)) if key else ''} {v:g}" for key, v in values().items()]
        return "\n".join(found) + "\n"


def _head(name: str, about: str, kind: str) -> tuple[str, str]:
    return f"# HELP {name} {about}", f"# TYPE {name} {kind}"


def _labelled(names: tuple[str, ...], values: tuple[str, ...]) -> str:
    if not names:
        return ""
    pairs = (f'{name}="{_escape(value)}"' for name, value in zip(names, values, strict=True))
    return "{" + ",".join(pairs) + "}"


def _escape(value: str) -> str:
    return value.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")
