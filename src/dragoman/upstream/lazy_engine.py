"""An engine that is loaded when it is first asked: opening a project must not wait for a large model."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from concurrent.futures import Future, wait

from dragoman.upstream.contract import CorrectionsInForce, LearningEngine, UpstreamEngine
from dragoman.upstream.names import from_name, parse


class LazyEngine:
    """An engine, or the name of one; safe to use from threads.

    >>> lazy = LazyEngine("command:cat", "en", "es", print)
    >>> lazy.name, lazy.engine
    ('command:cat', None)
    >>> lazy.load() is lazy.engine is not None
    True
    """

    def __init__(
        self,
        engine: UpstreamEngine | str,
        source: str,
        target: str,
        note: Callable[[Exception], None],
        corrections: CorrectionsInForce | None = None,
    ) -> None:
        self.name = parse(engine).name if isinstance(engine, str) else engine.name
        self.engine = None if isinstance(engine, str) else engine  # None until it is loaded, or if that failed
        self._named = engine if isinstance(engine, str) else ""
        self._languages, self._note, self._corrections = (source, target), note, corrections
        self._lock = threading.Lock()
        self._loading: Future[None] | None = None

    @property
    def has_failed(self) -> bool:
        """Whether loading was tried, and there is no engine."""
        return self.engine is None and self._loading is not None and self._loading.done()

    def load(self, until: float | None = None, *, again: bool = False) -> UpstreamEngine | None:
        """The engine, if it is loaded before that time of the monotonic clock; loading goes on in any case.

        What could not be loaded is only tried `again` if that is asked for.
        """
        if self.engine is None:
            with self._lock:
                if self._loading is None or (again and self.has_failed):
                    self._loading = Future()
                    threading.Thread(target=self._make, daemon=True, name="loading upstream").start()
            wait([self._loading], timeout=None if until is None else max(until - time.monotonic(), 0.0))
        return self.engine

    def _make(self) -> None:
        source, target = self._languages
        try:
            engine = from_name(self._named, source=source, target=target)
            if self._corrections is not None and isinstance(engine, LearningEngine):
                engine.follow(self._corrections)
            self.engine = engine
        except Exception as error:
            self._note(error)
        finally:
            if self._loading:
                self._loading.set_result(None)
