"""On a real Ray, on this machine: the same bits, also if a worker dies; errors as clear; and Ray is stopped again."""

from __future__ import annotations

import contextlib
import json
import os
import signal
import subprocess
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from dragoman import Engine
from dragoman.cluster import corpus
from dragoman.cluster.batch_translation import translate_all
from dragoman.cluster.runners import LOCAL, OnRay, Runner, Shared, Task, connected, writable
from dragoman.cluster.trainer import train
from dragoman.errors import BadInputError
from dragoman.files import MANIFEST
from dragoman.models.knowledge import Knowledge
from dragoman.sample import pairs

ray = pytest.importorskip("ray")
pytestmark = [
    pytest.mark.outside,
    pytest.mark.skipif(sys.platform != "linux", reason="looks for processes in /proc"),
    pytest.mark.filterwarnings("ignore::ResourceWarning"),  # sockets and files of Ray's own
    pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning"),
]

PAIRS = pairs()[:250]


@pytest.fixture(scope="module")
def runner() -> Iterator[Runner]:
    with connected(LOCAL, workers=2) as started:
        assert any("raylet" in command for command in commands_below(os.getpid()))
        yield started
    assert not ray.is_initialized()
    assert not [command for command in commands_below(os.getpid()) if "ray" in command]


def commands_below(process: int) -> list[str]:
    """The command lines of all descendants of a process."""
    found = []
    for task in Path(f"/proc/{process}/task").iterdir():
        for child in (task / "children").read_text().split():
            with contextlib.suppress(OSError):  # it has just ended
                found += [Path(f"/proc/{child}/cmdline").read_text(), *commands_below(int(child))]
    return found


@pytest.fixture(scope="module")
def wanted(tmp_path_factory: pytest.TempPathFactory) -> bytes:
    directory = tmp_path_factory.mktemp("whole")
    knowledge = Knowledge()
    knowledge.train(PAIRS)
    knowledge.save(directory)
    return (directory / MANIFEST).read_bytes()


def manifest(directory: Path) -> bytes:
    return (directory / MANIFEST).read_bytes()


@pytest.mark.parametrize("shards", [1, 2, 7])
def test_a_cluster_ends_in_the_same_bits(
    tmp_path: Path, runner: Runner, wanted: bytes, shards: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(corpus, "BLOCK", 60)
    assert train(iter(PAIRS), tmp_path / "base", runner=runner, shards=shards).pairs == len(PAIRS)
    assert manifest(tmp_path / "base") == wanted


class Deadly(OnRay):
    """Kills the worker that does the second task of each step, once."""

    def __init__(self, marks: Path) -> None:
        super().__init__(ray)
        self.marks = marks

    def run(self, task: Task, shared: Shared, items: Iterable[Any]) -> Iterator[Any]:
        marks = self.marks

        def deadly(shared: Shared, item: Any) -> Any:
            mark = marks / task.__name__
            if item.pop("number") == 1 and not mark.exists():
                mark.write_text(str(os.getpid()))
                os.kill(os.getpid(), signal.SIGKILL)
            return task(shared, item)

        return super().run(deadly, shared, ({**item, "number": n} for n, item in enumerate(items)))


def test_workers_that_are_lost_leave_no_trace(
    tmp_path: Path, runner: Runner, wanted: bytes, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert runner.workers == 2
    monkeypatch.setattr(corpus, "BLOCK", 60)
    (tmp_path / "marks").mkdir()
    train(PAIRS, tmp_path / "base", runner=Deadly(tmp_path / "marks"), shards=3)
    killed = {mark.name: int(mark.read_text()) for mark in (tmp_path / "marks").iterdir()}
    assert killed.keys() == {"count_writing", "number_words", "online", "expect", "count_shard"}
    for process in killed.values():
        assert not Path(f"/proc/{process}").exists()
    assert manifest(tmp_path / "base") == wanted


def test_an_error_of_a_task_is_as_clear_as_here(tmp_path: Path, runner: Runner) -> None:
    with pytest.raises(BadInputError, match=r"pair 3: the text has half a surrogate pair .*; decode the text"):
        train([("a", "b"), ("a", "b"), ("a", "\ud800")], tmp_path / "base", runner=runner)


def test_shared_arrays_are_of_the_type_that_kernels_know(runner: Runner) -> None:
    def look(shared: Shared, item: Any) -> Any:
        return {"writable": shared["a"].flags.writeable and item["b"].flags.writeable, "sum": shared["a"].sum()}

    items = [{"b": np.arange(100_000)}] * 3
    for found in runner.run(look, {"a": np.arange(1_000_000)}, items):
        assert found == {"writable": True, "sum": 499999500000}
    frozen = np.arange(6).reshape(2, 3)[:, ::2]
    frozen.flags.writeable = False
    assert writable({"x": frozen, "y": "text"})["x"].tolist() == [[0, 2], [3, 5]]


def test_translating_on_a_cluster_is_translating(tmp_path: Path, runner: Runner) -> None:
    with Engine.create(tmp_path / "project", source="en", target="es") as engine:
        engine.train(PAIRS)
        engine.learn("Press the green knob.", "Pulse el mando verde.")
    texts = [source for source, _ in pairs()[240:300]] + ["", "Press the green knob."]
    with Engine.open(tmp_path / "project", write=False) as engine:
        for n in (1, 5):
            here = [engine.translate(text, n=n) for text in texts]
            listed = [[(each.text, each.score) for each in best.nbest or (best,)] for best in here]
            there = translate_all(tmp_path / "project", texts, runner, n=n)
            assert [[(each.text, each.score) for each in best] for best in there] == listed


def test_a_cluster_that_is_not_there() -> None:
    for address in ("127.0.0.1:1", "ray://127.0.0.1:1"):
        program = f"from dragoman.cluster.runners import connected\nwith connected({address!r}): pass"
        done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
        assert f"BadInputError: {address}: cannot connect to a Ray cluster" in done.stderr


def test_without_ray_the_extra_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "ray", None)
    wanted = r"this needs ray; install it with: pip install 'dragoman\[cluster\]'"
    with pytest.raises(BadInputError, match=wanted), connected(LOCAL):
        pass


@pytest.mark.long
@pytest.mark.usefixtures("runner")
def test_commands_on_a_cluster_that_is_there(tmp_path: Path) -> None:
    address = ray.get_runtime_context().gcs_address
    project, stream = str(tmp_path / "project"), "".join(f"{source}\t{target}\n" for source, target in PAIRS[:40])

    def dragoman(*arguments: str, given: str = "") -> subprocess.CompletedProcess[str]:
        command = [sys.executable, "-m", "dragoman", *arguments]
        return subprocess.run(command, input=given, capture_output=True, text=True)

    assert dragoman("create", project, "--source", "en", "--target", "es").returncode == 0
    done = dragoman("base", "train", project, "-", "--cluster", address, "--shards", "2", "--json", given=stream)
    assert json.loads(done.stdout)["pairs"] == 40, done.stderr
    texts = "".join(f"{source}\n" for source, _ in PAIRS[:3])
    there = dragoman("translate", project, "--cluster", address, given=texts)
    assert there.stdout == dragoman("translate", project, given=texts).stdout != "", there.stderr
