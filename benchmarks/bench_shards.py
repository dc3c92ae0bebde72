"""Training in shards: time, memory and disk as the corpus grows, and with Ray; what a million pairs cost.

The corpus is generated: Zipf words of a vocabulary that does not grow, so that what grows is the corpus alone. Each
size is trained in a process of its own, and the memory that is reported is the most that the process and its children
have had for themselves at any moment (RssAnon: files that are mapped do not count, the system takes them back at need).
"""

from __future__ import annotations

import argparse
import contextlib
import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterable, Iterator
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from dragoman.cluster.runners import Runner, Shared, Task

WORDS = 5_000  # of each language
LONGEST = 40  # words of a sentence
SEED = 7


def generate(pairs: int) -> Iterator[tuple[str, str]]:
    """Sentence pairs: Zipf words, translated word by word through a fixed dictionary with some reordering."""
    random = np.random.default_rng(SEED)
    source = np.array([f"s{n}" for n in range(WORDS)])
    target = np.array([f"t{n}" for n in range(WORDS)])
    meaning = random.permutation(WORDS)
    share = 1.0 / np.arange(1, WORDS + 1)
    share /= share.sum()
    for _ in range(0, pairs, 1000):
        lengths = random.integers(3, LONGEST + 1, 1000)
        words = random.choice(WORDS, int(lengths.sum()), p=share)
        for sentence in np.split(words, np.cumsum(lengths)[:-1]):
            translated = meaning[sentence]
            swap = random.integers(0, sentence.size, 2)
            translated[swap] = translated[swap[::-1]]
            kept = random.random(sentence.size) < 0.9
            kept[0] = True
            yield " ".join(source[sentence]), " ".join(target[translated[kept]])


def anonymous(process: int) -> int:
    """Bytes that a process and all its descendants have for themselves."""
    total = 0
    with contextlib.suppress(OSError, IndexError):
        status = Path(f"/proc/{process}/status").read_text()
        total += int(status.split("RssAnon:")[1].split()[0]) * 1024
        for task in Path(f"/proc/{process}/task").iterdir():
            total += sum(anonymous(int(child)) for child in (task / "children").read_text().split())
    return total


def watched(process: subprocess.Popen[str]) -> int:
    """The most memory that a process has had, looked at ten times a second."""
    most = 0
    while process.poll() is None:
        most = max(most, anonymous(process.pid))
        time.sleep(0.1)
    return most


class Timed:
    """Runs tasks in this process and adds up the processor time they take: what more workers would share."""

    def __init__(self, runner: Runner) -> None:
        self.runner, self.workers, self.seconds = runner, runner.workers, 0.0

    def run(self, task: Task, shared: Shared, items: Iterable[Any]) -> Iterator[Any]:
        """The result of each item, in order."""

        def timed(shared: Shared, item: Any) -> Any:
            began = time.thread_time()
            result = task(shared, item)
            self.seconds += time.thread_time() - began
            return result

        return self.runner.run(timed, shared, items)


def measure(arguments: argparse.Namespace, pairs: int) -> None:
    """Train once, in this process, and print what was measured."""
    from dragoman.cluster.runners import connected
    from dragoman.cluster.trainer import train
    from dragoman.models.knowledge import Knowledge

    stages: dict[str, float] = {}
    with tempfile.TemporaryDirectory() as directory, connected(arguments.cluster, workers=arguments.workers) as runner:
        train(generate(100), Path(directory) / "warm", runner=runner)
        timed, processor = Timed(runner), time.process_time()
        began = last = time.perf_counter()

        def progress(what: str, *_: int) -> None:
            nonlocal last
            stages[what] = stages.get(what, 0.0) - last + (last := time.perf_counter())

        base = Path(directory) / "base"
        texts = islice(texts_of(arguments), pairs)
        options = {"shards": arguments.shards, "least": arguments.least, "progress": progress}
        trained = train(texts, base, runner=runner if arguments.cluster else timed, **options)
        seconds, processor = time.perf_counter() - began, time.process_time() - processor
        size = sum(file.stat().st_size for file in base.iterdir())
        models = Knowledge.open(base).models
        counted = models.phrases.statistics()
        entries = {name: counted[name] for name in ("source phrases", "target phrases")}
        entries |= {"phrase pairs": counted["pairs"], "n-grams": len(models.language)}
        entries |= {"of the highest order": len(models.language.outer)}
        entries["links"] = len(models.inverse.tables["links"]) + len(models.direct.tables["links"])
    found = {"seconds": seconds, "processor": processor, "tasks": timed.seconds, "stages": stages}
    print(json.dumps(found | {"base": size, "work": trained.bytes, "entries": entries}))


def hold(arguments: argparse.Namespace) -> None:
    """What a project without a base takes for its corrections, in memory and on disk."""
    from dragoman import Engine

    pairs = list(islice(texts_of(arguments), arguments.corrections))
    with tempfile.TemporaryDirectory() as directory:
        path = Path(directory) / "project"
        with Engine.create(path, source="en", target="es") as engine:
            for source, target in pairs:
                engine.learn(source, target, force=True)
            sizes = {"layer": engine.statistics()["bytes"]}
        sizes["journal"] = sum(file.stat().st_size for file in path.glob("journal*"))
        sizes["a snapshot"] = sum(file.stat().st_size for file in (path / "snapshots" / str(len(pairs))).iterdir())
        began = anonymous(os.getpid())
        engines = [Engine.open(path, write=False) for _ in range(5)]
        for each in engines:
            each.translate(pairs[0][0])
        sizes["memory, once open"] = (anonymous(os.getpid()) - began) // len(engines)
        for each in engines:
            each.close()
    print(
        f"{len(pairs):,} corrections, kB each:",
        {name: round(size / 1e3 / len(pairs), 1) for name, size in sizes.items()},
    )


def texts_of(arguments: argparse.Namespace) -> Iterator[tuple[str, str]]:
    """The corpus that was asked for."""
    from dragoman.cluster.corpus_files import read_corpus

    if arguments.corpus:
        return read_corpus(arguments.corpus, ("en", "es"))
    return generate(max(arguments.corrections or 0, *arguments.pairs))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--pairs", type=int, nargs="+", default=[20_000, 200_000], help="sizes of the corpus")
    parser.add_argument("--cluster", help="a Ray cluster; local starts one; without, threads of one process")
    parser.add_argument("--workers", type=int, default=1, help="threads, or processes of a Ray started here")
    parser.add_argument("--corpus", nargs=2, help="take the first pairs of two files instead of generating them")
    parser.add_argument("--shards", type=int, help="by default one for every 10,000 pairs")
    parser.add_argument("--least", type=int, default=1, help="leave out what was seen less often")
    parser.add_argument("--corrections", type=int, help="instead: what a project takes for so many corrections")
    parser.add_argument("--one", action="store_true", help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.corrections:
        hold(arguments)
        return
    if arguments.one:
        measure(arguments, arguments.pairs[0])
        return
    print("processor time is that of this process: with a cluster, without its workers")
    names = ("pairs", "seconds", "processor", "in tasks", "ms/pair", "memory MB", "work MB", "base MB")
    print(*(f"{name:>9}" for name in names), " seconds by step")
    for pairs in arguments.pairs:
        command = [sys.executable, __file__, "--one", *sys.argv[1:], "--pairs", str(pairs)]
        with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as child:
            most = watched(child)
            found = json.loads(child.communicate()[0])
        sizes = [f"{size / 1e6:9,.0f}" for size in (most, found["work"], found["base"])]
        times = [f"{found[name]:9,.0f}" for name in ("seconds", "processor", "tasks")]
        steps = ", ".join(f"{what} {seconds:.0f}" for what, seconds in found["stages"].items())
        print(f"{pairs:9,}", *times, f"{1000 * found['seconds'] / pairs:9.2f}", *sizes, f" {steps}", flush=True)
        print(f"{'':9} in the base:", ", ".join(f"{n:,} {what}" for what, n in found["entries"].items()), flush=True)


if __name__ == "__main__":
    main()
