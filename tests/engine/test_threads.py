"""Many threads translate while one learns: each translation is that of some moment between two corrections."""

from __future__ import annotations

import threading
import time
from pathlib import Path

import pytest

from dragoman import concurrency
from dragoman.concurrency import ReadWriteLock
from dragoman.engine import Engine
from tests.engine.support import PAIRS, new

pytestmark = pytest.mark.kernels

LEARNED = PAIRS[:40]
PROBES = [source for source, _ in PAIRS[2:40:10]]


def test_every_translation_is_that_of_some_prefix_of_the_journal(tmp_path: Path) -> None:
    with new(tmp_path / "alone") as engine:
        expected = [[engine.translate(probe) for probe in PROBES]]
        for pair in LEARNED:
            engine.learn(*pair)
            expected.append([engine.translate(probe) for probe in PROBES])

    with new(tmp_path / "together") as engine:
        errors: list[BaseException] = []
        done = threading.Event()
        threads = [threading.Thread(target=_translate, args=(engine, n, expected, done, errors)) for n in range(8)]
        for thread in threads:
            thread.start()
        for pair in LEARNED:
            engine.learn(*pair)
            time.sleep(0.02)
        done.set()
        for thread in threads:
            thread.join()
        assert errors == []


def _translate(
    engine: Engine, n: int, expected: list[list[object]], done: threading.Event, errors: list[object]
) -> None:
    """Translate, and check that the answer is that of a moment between the asking and the answering."""
    try:
        while not done.is_set():
            n = (n + 1) % len(PROBES)
            first = engine.opened.state.revision
            found = engine.translate(PROBES[n])
            last = engine.opened.state.revision
            assert any(found == state[n] for state in expected[first : last + 1])
    except BaseException as error:
        errors.append(error)


@pytest.mark.parametrize("passing", [0.0, 60.0])
def test_a_writer_waits_for_readers_and_after_a_moment_goes_before_those_that_come_later(
    passing: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(concurrency, "PASSING", passing)
    lock, order = ReadWriteLock(), []

    def write() -> None:
        with lock.writing():
            order.append("writer")

    def read() -> None:
        with lock.reading():
            order.append("late reader")

    with lock.reading(), lock.reading():  # two at once
        writer = threading.Thread(target=write)
        writer.start()
        while not lock._writers_waiting:
            time.sleep(0.001)
        reader = threading.Thread(target=read)
        reader.start()
        if passing:  # the late reader passes the writer
            reader.join()
        else:
            time.sleep(0.02)
        order.append("early readers")
    writer.join()
    reader.join()
    assert order == (
        ["late reader", "early readers", "writer"] if passing else ["early readers", "writer", "late reader"]
    )


def test_a_writer_that_gives_up_keeps_nobody_waiting(monkeypatch: pytest.MonkeyPatch) -> None:
    lock = ReadWriteLock()

    def interrupted(_: object) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(lock._condition, "wait_for", interrupted)
        with pytest.raises(KeyboardInterrupt), lock.writing():
            pass
    with lock.reading():
        pass
    with lock.writing():
        pass
