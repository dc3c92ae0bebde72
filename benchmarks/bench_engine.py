"""The engine: durable learning against bare models, replay, near matches, shared memory, threads, the guard's mistakes.

python benchmarks/bench_engine.py --seconds 60
"""

from __future__ import annotations

import argparse
import gzip
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from itertools import islice
from pathlib import Path

from dragoman import kernels
from dragoman.engine import Engine
from dragoman.models.knowledge import Knowledge
from dragoman.project.guard import Guard
from dragoman.project.memory import Memory
from dragoman.project.state import State
from dragoman.records import Translation
from dragoman.text.tokens import split

CORPORA = Path(os.environ.get("DRAGOMAN_CORPORA", Path(__file__).parents[2] / "shared" / "corpora"))
Pairs = list[tuple[str, str]]


def corpus(name: str, part: str, count: int | None = None) -> Pairs:
    """The first pairs of a corpus in which neither side is empty or too long to be learned."""
    files = [CORPORA / name / f"{part}.{side}.gz" for side in name.split("-")[-2:]]
    with gzip.open(files[0], "rt", encoding="utf-8") as one, gzip.open(files[1], "rt", encoding="utf-8") as other:
        pairs = ((f.rstrip("\n"), e.rstrip("\n")) for f, e in zip(one, other, strict=True))
        return list(islice(((f, e) for f, e in pairs if f.strip() and e.strip() and len(f.split()) < 200), count))


def timed(action: object, *given: object) -> float:
    """Milliseconds that a call takes."""
    begin = time.perf_counter()
    action(*given)  # type: ignore[operator]
    return 1e3 * (time.perf_counter() - begin)


def learning(directory: Path, pairs: Pairs) -> None:
    """Engine and bare models take turns, so that the moods of the machine fall on both alike."""
    models = Knowledge()
    durable, bare = [], []
    with Engine.create(directory / "project", source="en", target="es") as engine:
        for source, target in pairs:
            bare.append(timed(lambda s, t: models.learn(models.read_pair(s, t)), source, target))
            durable.append(timed(lambda s, t: engine.learn(s, t, force=True), source, target))
    one, other = statistics.median(bare), statistics.median(durable)
    print(f"learn, models only       median {one:6.2f} ms")
    print(
        f"learn, durable on disk   median {other:6.2f} ms, {other - one:.2f} ms more, {other / one:.2f} times as long"
    )


def replaying(path: Path) -> None:
    shutil.rmtree(path / "snapshots")
    begin = time.perf_counter()
    with Engine.open(path, write=False) as engine:
        rows = engine.opened.store.journal.last_id
    elapsed = time.perf_counter() - begin
    print(f"replay                   {60 * rows / elapsed:8.0f} corrections a minute")


CHILD = """
import sys
from dragoman.engine import Engine
def smaps(path, *fields):
    wanted, kilobytes = False, 0
    for line in open("/proc/self/smaps"):
        name, *rest = line.split()
        if not name.endswith(":"):
            wanted = len(rest) > 4 and rest[4].startswith(path)
        elif wanted and name.rstrip(":") in fields:
            kilobytes += int(rest[0])
    return kilobytes
def pss():
    return next(int(line.split()[1]) for line in open("/proc/self/smaps_rollup") if line.startswith("Pss:"))
with Engine.open(sys.argv[1], memory=False) as engine:
    for line in open(sys.argv[3], encoding="utf-8"):
        engine.translate(line)
        engine.learn(line, line, force=True)
    base = sys.argv[2]
    layer = sum(array.nbytes for array in engine.opened.state.arrays().values()) // 1024
    print("ready", flush=True)
    sys.stdin.readline()  # until all have read what they need
    private = smaps(base, "Private_Clean", "Private_Dirty")
    print(smaps(base, "Rss"), private, smaps(base, "Pss"), layer, pss(), flush=True)
    sys.stdin.readline()
"""


def sharing(directory: Path, train: Pairs, test: Pairs) -> None:
    """Two processes, each with a project over the same base, translate and learn; then each looks at its memory."""
    base = directory / "trained"
    with Engine.create(base, source="en", target="es") as engine:
        begin = time.perf_counter()
        engine.train(train)
        print(f"training a base          {len(train):8,} pairs in {time.perf_counter() - begin:.0f} s")
    size = sum(file.stat().st_size for file in (base / "base").iterdir()) // 1024
    texts = directory / "texts"
    texts.write_text("".join(f"{source}\n" for source, _ in test), encoding="utf-8")
    processes = []
    for name in ("one", "two"):
        Engine.create(directory / name, source="en", target="es", base=base).close()
        command = [sys.executable, "-c", CHILD, str(directory / name), str(base / "base"), str(texts)]
        processes.append(subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True))
        processes[-1].stdout.readline()  # type: ignore[union-attr]
    print(f"base on disk             {size:8,} kB")
    print("                           base mapped, of it private, its share, layer, whole process (kB)")
    for process in processes:
        process.stdin.write("look\n")  # type: ignore[union-attr]
        process.stdin.flush()  # type: ignore[union-attr]
        figures = process.stdout.readline().split()  # type: ignore[union-attr]
        print("  a process              " + " ".join(f"{int(each):12,}" for each in figures))
    for process in processes:
        process.communicate("done\n")


def together(directory: Path, pairs: Pairs, seconds: float) -> None:
    """8 threads translate while one learns; then each answer is compared with those of the journal's prefixes."""
    probes = [source for source, _ in pairs[:3]]
    answers: list[tuple[int, int, int, Translation]] = []
    done = threading.Event()
    with Engine.create(directory / "together", source="en", target="es", memory=False) as engine:

        def translate(n: int) -> None:
            while not done.is_set():
                n = (n + 1) % len(probes)
                first = engine.opened.state.revision
                found = engine.translate(probes[n])
                answers.append((n, first, engine.opened.state.revision, found))

        threads = [threading.Thread(target=translate, args=(n,)) for n in range(8)]
        for thread in threads:
            thread.start()
        end = time.perf_counter() + seconds
        learned = 0
        for source, target in pairs:
            if time.perf_counter() > end:
                break
            engine.learn(source, target, force=True)
            learned += 1
            time.sleep(0.1)
        done.set()
        for thread in threads:
            thread.join()
    expected = prefixes(directory / "together", probes)
    torn = sum(all(found != state[n] for state in expected[first : last + 1]) for n, first, last, found in answers)
    print(f"8 threads and a learner  {len(answers):8,} translations, {learned} corrections, {torn} torn reads")


def prefixes(path: Path, probes: list[str]) -> list[list[Translation]]:
    """The translations of some texts after each row of a journal."""
    with Engine.open(path, write=False, memory=False) as engine:
        journal = engine.opened.store.journal
        engine.opened.state = State(Knowledge(), engine.opened.state.weights)
        states = [[engine.translate(probe) for probe in probes]]
        for row in journal.rows():
            engine.opened.state.fold(row, journal.get)
            states.append([engine.translate(probe) for probe in probes])
    return states


def remembering(pairs: Pairs, queries: list[str]) -> None:
    memory = Memory()
    for number, pair in enumerate(pairs, 1):
        memory.add(number, *pair)
    times = [timed(memory.similar, query) for query in queries]
    p95 = statistics.quantiles(times, n=20)[-1]
    print(
        f"near matches             median {statistics.median(times):6.2f} ms, 95 % within {p95:.2f} ms"
        f" among {len(pairs):,} corrections"
    )


def guarding() -> None:
    guard = Guard()
    for name in (
        "desktop-en-es",
        "europarl-en-es",
        "europarl-en-fr",
        "newstest-en-es",
        "newstest-en-fr",
        "pydocs-en-es",
        "pydocs-en-fr",
    ):
        pairs = corpus(name, "train", 20_000)
        sentences = [(split(source), split(target)) for source, target in pairs]
        language = name.split("-")[-1]
        flagged = sum(guard.check(one, other, language) is not None for one, other in sentences)
        copies = sum(guard.check(one, one, language) is not None for one, _ in sentences)
        strangers = sum(
            guard.check(one, other, language) is not None
            for (one, _), (_, other) in zip(sentences, sentences[1:] + sentences[:1], strict=True)
        )
        shares = " ".join(f"{100 * count / len(pairs):9.3f}" for count in (flagged, copies, strangers))
        print(f"  {name:22} {shares} % of {len(pairs):,}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--corrections", type=int, default=500, help="learned and replayed")
    parser.add_argument("--pairs", type=int, default=5_000, help="of the base that is shared")
    parser.add_argument("--seconds", type=float, default=60, help="of translating while learning")
    options = parser.parse_args()
    if not CORPORA.exists():
        print(f"{CORPORA} is not there: nothing to measure with")
        return
    kernels.warm()
    test = corpus("pydocs-en-es", "test", options.corrections)
    train = corpus("pydocs-en-es", "train", 10_100)
    with tempfile.TemporaryDirectory() as place:
        directory = Path(place)
        learning(directory, test)
        replaying(directory / "project")
        remembering(train[:10_000], [source for source, _ in train[10_000:]])
        sharing(directory, train[: options.pairs], test[:100])
        together(directory, test, options.seconds)
    print("flagged                  correct  copies of the source  the next segment's target")
    guarding()


if __name__ == "__main__":
    main()
