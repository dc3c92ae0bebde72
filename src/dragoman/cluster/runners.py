"""Task runners: threads of this process, processes of this machine, or the workers of a Ray cluster.

A task is a plain function of a mapping of arrays that all tasks share (models) and one item (a shard). It returns a
mapping of arrays and depends on nothing else, so it can run anywhere, and again if a worker is lost.

>>> def total(shared, item):
...     return {"sum": shared["numbers"][item].sum()}
>>> found = Local(threads=2).run(total, {"numbers": np.arange(10)}, [slice(0, 5), slice(5, 10)])
>>> [int(each["sum"]) for each in found]
[10, 35]
"""

from __future__ import annotations

import multiprocessing
import os
import socket
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping
from concurrent.futures import Future, ProcessPoolExecutor, ThreadPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
from typing import Any, Protocol

import numpy as np

from dragoman.errors import BadInputError, DragomanError
from dragoman.extras import load
from dragoman.parallel import end_with

LOCAL = "local"  # the address that starts Ray on this machine for as long as it is needed
RETRIES = 5  # of a task whose worker was lost
WAIT = 10.0  # seconds for a cluster to answer at all
AHEAD = 2  # tasks per worker that are submitted ahead
WORTH_IT = 4  # tasks per worker, at least, for which processes are started

Shared = Mapping[str, Any]
Task = Callable[[Shared, Any], Any]


class Runner(Protocol):
    """Runs tasks; their results come in the order of the items."""

    workers: int

    def run(self, task: Task, shared: Shared, items: Iterable[Any]) -> Iterator[Any]:
        """The result of each item, a few in progress at a time."""
        ...


class Local:
    """Runs tasks on threads of this process, which suits kernels, since they release the GIL."""

    def __init__(self, threads: int | None = None) -> None:
        self.workers = threads or os.cpu_count() or 1

    def run(self, task: Task, shared: Shared, items: Iterable[Any]) -> Iterator[Any]:
        """The result of each item, in order."""
        with ThreadPoolExecutor(self.workers) as pool:
            waiting: deque[Future[Any]] = deque()
            for item in items:
                waiting.append(pool.submit(task, shared, item))
                if len(waiting) > self.workers:
                    yield waiting.popleft().result()
            while waiting:
                yield waiting.popleft().result()


class LocalProcesses(Local):
    """The same, but tasks that are written in Python, and so hold the GIL, run in processes of this machine.

    Each is a new interpreter that imports the main module: scripts need `if __name__ == "__main__":`.
    """

    def run(self, task: Task, shared: Shared, items: Iterable[Any]) -> Iterator[Any]:
        """The result of each item, in order."""
        waiting = list(items)
        if self.workers == 1 or not is_python(task) or len(waiting) < WORTH_IT * self.workers:
            yield from super().run(task, shared, waiting)
            return
        context = multiprocessing.get_context("spawn")
        with ProcessPoolExecutor(self.workers, context, _begin, (task, dict(shared), os.getpid())) as pool:
            try:
                for result, error in pool.map(_do, waiting):
                    yield _result(result, error)
            except BrokenProcessPool:
                what = "a process that reads the corpus was killed, perhaps because memory ran out"
                raise DragomanError(what, remedy="run the same command again to resume") from None
            finally:
                pool.shutdown(cancel_futures=True)


def python_task(task: Task) -> Task:
    """Mark a task as written in Python rather than in kernels."""
    task.is_python = True  # type: ignore[attr-defined]
    return task


def is_python(task: Task) -> bool:
    """Whether a task was marked."""
    return getattr(task, "is_python", False)


_work: tuple[Task, Shared] | None = None  # of a process that `LocalProcesses` started


def _begin(task: Task, shared: Shared, parent: int) -> None:
    global _work
    _work = task, shared
    end_with(parent)


def _do(item: Any) -> tuple[Any, Any]:
    if _work is None:
        raise RuntimeError("no task was given to this process")
    return _guarded(*_work, item)


class OnRay:
    """Runs tasks on the workers of a Ray cluster; shared arrays go into the object store once, one copy per node."""

    def __init__(self, ray: Any) -> None:
        self._ray = ray
        self.workers = max(1, int(ray.cluster_resources().get("CPU", 1)))

    def run(self, task: Task, shared: Shared, items: Iterable[Any]) -> Iterator[Any]:
        """The result of each item, in order; a task whose worker is lost is run again elsewhere."""
        remote = self._ray.remote(max_retries=RETRIES, num_cpus=1)(_guarded).remote
        stored = self._ray.put(dict(shared))
        waiting: deque[Any] = deque()
        for item in items:
            waiting.append(remote(task, stored, item))
            if len(waiting) > AHEAD * self.workers:
                yield self._result(waiting.popleft())
        while waiting:
            yield self._result(waiting.popleft())

    def _result(self, reference: Any) -> Any:
        try:
            result, error = self._ray.get(reference)
        except self._ray.exceptions.RayTaskError:
            raise
        except self._ray.exceptions.RayError as lost:
            what = f"the cluster lost a task {RETRIES + 1} times ({type(lost).__name__})"
            raise DragomanError(what, remedy="check the nodes with `ray status` and try again") from lost
        return _result(result, error)


def _result(result: Any, error: Any) -> Any:
    """What a task returned; what it raised is raised here."""
    if error is not None:
        kind, what, where, remedy = error
        raise kind(what, where=where, remedy=remedy)
    return result


def _guarded(task: Task, shared: Shared, item: Any) -> tuple[Any, Any]:
    """Run a task elsewhere; our own errors are returned as their parts, since they could not be sent as they are."""
    try:
        return task(writable(shared), writable(item)), None
    except DragomanError as error:
        return None, (type(error), error.what, error.where, error.remedy)


class _Memory:
    """The memory of an array, exposed as writable."""

    def __init__(self, array: np.ndarray) -> None:
        self.array = array  # kept alive
        interface = array.__array_interface__
        self.__array_interface__ = interface | {"data": (interface["data"][0], False)}


def writable(value: Any) -> Any:
    """The same arrays as writable ones, without copying.

    Arrays from Ray's object store are read-only, which is another type for Numba: all kernels would be compiled again.
    Nothing may write to them, or a task would depend on those that ran before it.
    """
    if isinstance(value, Mapping):
        return {name: writable(each) for name, each in value.items()}
    if isinstance(value, np.ndarray) and not value.flags.writeable:
        return np.asarray(_Memory(value)) if value.size else value.copy()
    return value


@contextmanager
def connected(address: str | None, *, workers: int | None = None, processes: bool = False) -> Iterator[Runner]:
    """A runner: this machine without an address, a Ray started here for `local`, or a cluster (ray://…).

    With `processes`, this machine runs in processes of their own what is written in Python (`LocalProcesses`).
    A Ray that was already running is left running; one that was started here is stopped afterwards.
    """
    if address is None:
        yield LocalProcesses(workers) if processes else Local(workers)
        return
    ray = load("ray", "cluster")
    started = not ray.is_initialized()
    if started:
        _start(ray, address, workers)
    try:
        yield OnRay(ray)
    finally:
        if started:
            ray.shutdown()


def _start(ray: Any, address: str, workers: int | None) -> None:
    options: dict[str, Any] = {"log_to_driver": False, "logging_level": "error"}
    if address == LOCAL:
        options |= {"include_dashboard": False, "num_cpus": workers, "_node_ip_address": "127.0.0.1"}
    try:
        _check_reachable(address)
        ray.init(address=address, **options)
    except (ImportError, OSError, ValueError, RuntimeError) as error:
        reason = str(error).strip().splitlines()[0]
        remedy = "check that it is running and the address is right; `local` starts one on this machine"
        if "timeout" in reason and "RAY_AUTH_MODE" not in os.environ:  # Ray reports a missing token only in its own log
            remedy = (
                "check that it is running; if it needs a token, put it in ~/.ray/auth_token and set RAY_AUTH_MODE=token"
            )
        if "ray[client]" in reason:
            reason, remedy = "ray[client] is not installed", "install it with: pip install 'dragoman[cluster]'"
        raise BadInputError(f"cannot connect to a Ray cluster ({reason})", where=address, remedy=remedy) from None


def _check_reachable(address: str) -> None:
    """Check that something answers: Ray itself would keep trying for more than a minute."""
    host, _, port = address.removeprefix("ray://").rpartition(":")
    if host and port.isdigit():
        socket.create_connection((host, int(port)), WAIT).close()
