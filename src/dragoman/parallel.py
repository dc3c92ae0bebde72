"""The same function for many items on several threads: results in order, and as lazily as they are wanted.

>>> list(map_in_order(str.upper, ["a", "b", "c"], threads=2))
['A', 'B', 'C']
"""

from __future__ import annotations

import os
import threading
import time
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from itertools import islice
from typing import TypeVar

AHEAD = 16  # items, for each thread, that may be taken before the first of them is wanted

POLL = 0.5  # seconds between two looks at a process

T = TypeVar("T")
R = TypeVar("R")


def map_in_order(function: Callable[[T], R], items: Iterable[T], threads: int | None = None) -> Iterator[R]:
    """The results of a function that releases the GIL, for each item in turn; by default one thread a core."""
    workers = threads or os.cpu_count() or 1
    remaining = iter(items)
    with ThreadPoolExecutor(workers) as pool:
        waiting: deque[Future[R]] = deque()
        try:
            while True:
                for item in islice(remaining, AHEAD * workers - len(waiting)):
                    waiting.append(pool.submit(function, item))
                if not waiting:
                    return
                yield waiting.popleft().result()
        finally:  # whoever stops early does not wait for the rest
            for future in waiting:
                future.cancel()


def end_with(parent: int) -> None:
    """From now on, end this process when the one that started it was killed, and so could not tell it to end."""

    def watch() -> None:
        while os.getppid() == parent:
            time.sleep(POLL)
        os._exit(1)

    threading.Thread(target=watch, daemon=True).start()
