"""Training that was interrupted, at whatever moment, goes on where it was and ends in the same bits."""

from __future__ import annotations

import signal
import subprocess
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import pytest

from dragoman.cluster import corpus
from dragoman.cluster.runners import Local, Shared, Task
from dragoman.cluster.trainer import train
from dragoman.errors import BadInputError, StorageError
from dragoman.files import MANIFEST
from dragoman.sample import pairs

pytestmark = pytest.mark.kernels

PAIRS = pairs()[:120]
KILLED = """
import os, signal, sys
from pathlib import Path
from dragoman.cluster import shard_counts
from dragoman.cluster.runners import Local
from dragoman.cluster.trainer import train
from dragoman.sample import pairs

class Doomed(Local):
    def run(self, task, shared, items):
        for n, found in enumerate(super().run(task, shared, items)):
            if task is shard_counts.count_shard and n == 2:
                os.kill(os.getpid(), signal.SIGKILL)
            yield found

train(pairs()[:120], Path(sys.argv[1]), shards=4, runner=Doomed(1))
"""


class Interrupted(Local):
    """Runs so many tasks, and then is interrupted."""

    def __init__(self, tasks: int, error: type[BaseException] = KeyboardInterrupt) -> None:
        super().__init__(1)
        self.left, self.error, self.done = tasks, error, 0

    def run(self, task: Task, shared: Shared, items: Iterable[Any]) -> Iterator[Any]:
        """The results, until there are enough."""
        for found in super().run(task, shared, items):
            if self.left == 0:
                raise self.error
            self.left -= 1
            self.done += 1
            yield found


@pytest.fixture(autouse=True)
def _small(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(corpus, "BLOCK", 37)


@pytest.fixture(scope="module")
def wanted(tmp_path_factory: pytest.TempPathFactory) -> bytes:
    """What a training without interruptions saves."""
    directory = tmp_path_factory.mktemp("wanted") / "base"
    train(PAIRS, directory, shards=4)
    return (directory / MANIFEST).read_bytes()


def test_training_goes_on_after_any_number_of_interruptions(tmp_path: Path, wanted: bytes) -> None:
    base, done, interruptions = tmp_path / "base", 0, 0
    while True:
        runner = Interrupted(3)
        try:
            trained = train(PAIRS, base, shards=4, runner=runner)
        except KeyboardInterrupt:
            interruptions += 1
            done += runner.done
            assert not base.exists()
            continue
        break
    done += runner.done
    assert (base / MANIFEST).read_bytes() == wanted
    assert done == 4 + 4 + 2 + 4 * 4 + 4  # two readings of four blocks, two directions, four epochs, counting
    assert interruptions == 9  # nothing was done twice
    assert trained.resumed > 0
    assert list(tmp_path.iterdir()) == [base]


def test_a_process_that_was_killed_leaves_what_it_had_done(tmp_path: Path, wanted: bytes) -> None:
    base = tmp_path / "base"
    found = subprocess.run([sys.executable, "-c", KILLED, str(base)], check=False)
    assert found.returncode == -signal.SIGKILL
    assert not base.exists()
    runner = Interrupted(2)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(corpus, "BLOCK", 2000)  # as that process had it
        assert train(PAIRS, base, shards=4, runner=runner).resumed > 0
    assert runner.done == 2  # of the four parts in which phrases are counted, two had been kept
    assert (base / MANIFEST).read_bytes() == wanted
    assert list(tmp_path.iterdir()) == [base]


@pytest.mark.parametrize("changed", ["pairs", "shards", "order"])
def test_what_was_kept_for_another_training_is_not_used(tmp_path: Path, changed: str) -> None:
    with pytest.raises(KeyboardInterrupt):
        train(PAIRS, tmp_path / "base", shards=4, runner=Interrupted(6))
    texts = [*PAIRS[:-1], ("other", "otro")] if changed == "pairs" else PAIRS
    options = {"shards": 3 if changed == "shards" else 4, "order": 3 if changed == "order" else 5}
    assert train(texts, tmp_path / "base", **options).resumed == 0  # type: ignore[arg-type]
    train(texts, tmp_path / "wanted", **options)  # type: ignore[arg-type]
    assert (tmp_path / "base" / MANIFEST).read_bytes() == (tmp_path / "wanted" / MANIFEST).read_bytes()


def test_results_stay_if_the_disk_is_full_but_not_if_the_corpus_is_wrong(tmp_path: Path) -> None:
    with pytest.raises(StorageError):
        train(PAIRS, tmp_path / "base", shards=4, runner=Interrupted(6, OSError))
    (kept,) = tmp_path.iterdir()
    assert len(list(kept.glob("*.block"))) == 6
    assert not (kept / "scratch").exists()
    with pytest.raises(BadInputError):
        train([("", "")], tmp_path / "base")
    assert list(tmp_path.iterdir()) == []
