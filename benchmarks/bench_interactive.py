"""Interactive translation: key strokes and mouse actions left to a simulated user, and the time from key to suggestion.

python benchmarks/bench_interactive.py desktop              desktop-en-es, 10,000 pairs, 200 segments, as Thot's figures
python benchmarks/bench_interactive.py corpora --plot x.svg pydocs-en-es and europarl-en-es, 500 segments
python benchmarks/bench_interactive.py keys                 key times over a base of 60,000 Europarl pairs, to 40 words
python benchmarks/bench_interactive.py peer                 beside sil-machine's interactive translator, in the same run
python benchmarks/bench_interactive.py prefixes             every prefix of 200 references stays as it is

Without an argument, all of them. Times are CPU time of the thread; KSMR is in percent, with the acceptance of each
segment as one more action in brackets.
"""

from __future__ import annotations

import argparse
import json
import os
import select
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from itertools import islice
from pathlib import Path
from typing import get_args

import numpy as np
from rapidfuzz.distance import Indel

from dragoman.engine import Engine
from dragoman.interactive.session import Mode
from dragoman.interactive.user import Effort, SimulatedSegment, interact
from dragoman.text import text_files
from dragoman.text.tokens import split

CORPORA = Path(os.environ.get("DRAGOMAN_CORPORA", Path(__file__).parents[2] / "shared" / "corpora"))
NAMES = ["pydocs-en-es", "europarl-en-es"]
MODES: tuple[Mode, ...] = get_args(Mode)
SHORT = 40  # source words
Pairs = list[tuple[str, str]]


def corpus(name: str, part: str, count: int | None = None, *, lower: bool = False) -> Pairs:
    """The first pairs of a corpus; tokenised by `split` and in lower case, if wanted."""
    one, other = (CORPORA / name / f"{part}.{side}.gz" for side in name.split("-")[-2:])
    pairs = list(islice(text_files.pairs(one, other), count))
    if not lower:
        return pairs
    return [(" ".join(split(f).words).lower(), " ".join(split(e).words).lower()) for f, e in pairs]


def trained(directory: Path, pairs: Pairs, *, lower: bool = False) -> Path:
    """The directory of a project with a base."""
    with Engine.create(directory, source="en", target="es", tokens="words" if lower else "text") as engine:
        engine.train(pairs)
    return directory


def measured(
    base: Path, pairs: Pairs, *, learn: bool, mode: Mode = "auto", lower: bool = False
) -> list[SimulatedSegment]:
    """What comes of translating the pairs over a base, in a project of its own."""
    with (
        tempfile.TemporaryDirectory() as directory,
        Engine.create(
            f"{directory}/p", source="en", target="es", base=base, tokens="words" if lower else "text"
        ) as engine,
    ):
        list(interact(engine, pairs[:1], learn=False, mode=mode))  # compiled and loaded
        return list(interact(engine, pairs, learn=learn, mode=mode, clock=time.thread_time))


def report(label: str, outcomes: Sequence[SimulatedSegment]) -> Effort:
    """Print a line on effort and times."""
    effort = sum((each.effort for each in outcomes), Effort())
    keys = 1e3 * np.concatenate([each.keys for each in outcomes])
    opening = 1e3 * np.array([each.opening for each in outcomes])
    post_editing = sum(Indel.distance(each.translation, each.reference) for each in outcomes)
    actions = effort.key_strokes + effort.mouse_actions
    k50, k95, k99 = np.percentile(keys, [50, 95, 99])
    first, slow = np.percentile(opening, [50, 95])
    print(
        f"{label:24} KSMR {effort.ksmr:5.1f} ({effort.ksmr_with_acceptance:5.1f})  WSR {effort.wsr:5.1f}"
        f"  saved: of typing {100 - effort.ksmr:4.1f} %, of post-editing {100 - 100 * actions / post_editing:5.1f} %"
        f"  key ms {k50:.2f} / {k95:.1f} / {k99:.1f}  first {first:.1f} / {slow:.1f}",
        flush=True,
    )
    return effort


def desktop(directory: Path, segments: int, modes: Sequence[Mode]) -> None:
    print("desktop-en-es, 10,000 pairs, tokenised and lower-cased; Thot: KSMR (50.4) static, (36.9) learning,")
    print("  key 3.4 ms median, 12.5 ms 95 %, first suggestion 41 ms. Key ms are 50 / 95 / 99 %, first 50 / 95 %.")
    base = trained(directory / "desktop", corpus("desktop-en-es", "train", 10_000, lower=True), lower=True)
    pairs = corpus("desktop-en-es", "test", min(segments, 200), lower=True)
    for mode in modes:
        for learn in (False, True):
            report(
                f"{mode}, {'learning' if learn else 'static'}",
                measured(base, pairs, learn=learn, mode=mode, lower=True),
            )


def corpora(
    directory: Path, names: Sequence[str], modes: Sequence[Mode], segments: int, count: int, plot: Path | None
) -> None:
    curves = {}
    for name in names:
        print(f"{name}, {count:,} pairs, {segments} segments, text as it is")
        base = trained(directory / name, corpus(name, "train", count))
        pairs = corpus(name, "test", segments)
        for mode in modes:
            for learn in (False, True):
                label = f"{mode}, {'online' if learn else 'conventional'}"
                outcomes = measured(base, pairs, learn=learn, mode=mode)
                report(label, outcomes)
                if mode == modes[-1]:
                    curves[f"{name}, {label}"] = outcomes
    if plot is not None:
        draw(curves, plot)


def draw(curves: dict[str, list[SimulatedSegment]], path: Path) -> None:
    """KSMR over all segments so far, a line for each system."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(7, 4), layout="constrained")
    axes = figure.subplots()
    for label, outcomes in curves.items():
        actions = np.cumsum([each.effort.key_strokes + each.effort.mouse_actions for each in outcomes])
        characters = np.cumsum([each.effort.characters for each in outcomes])
        axes.plot(np.arange(1, len(outcomes) + 1), 100 * actions / characters, label=label)
    axes.set(xlabel="segment", ylabel="KSMR, percent, all segments so far", ylim=(0, None))
    axes.legend()
    figure.savefig(path)


def keys(directory: Path, segments: int, count: int) -> None:
    print(f"key times, sentences of up to {SHORT} words over a base of {count:,} Europarl pairs")
    base = trained(directory / "europarl", corpus("europarl-en-es", "train", count))
    pairs = [pair for pair in corpus("europarl-en-es", "test", 4 * segments) if len(split(pair[0])) <= SHORT]
    for mode in ("graph", "auto"):
        report(mode, measured(base, pairs[:segments], learn=False, mode=mode))


def prefixes(directory: Path) -> None:
    """Every prefix of references; a failure stops the run."""
    count, typed = 0, 0
    base = trained(directory / "prefixes", corpus("pydocs-en-es", "train", 5_000))
    with Engine.open(base) as engine:
        for source, reference in corpus("pydocs-en-es", "test", 200):
            with engine.interact(source) as session:
                for size in range(len(reference) + 1):
                    if not session.suggest(reference[:size]).text.startswith(reference[:size]):
                        raise SystemExit(f"prefix changed: {reference[:size]!r}")
                    typed += 1
            count += 1
    print(f"prefixes: {typed:,} prefixes of {count} references stay as they are")


# ── The peer ─────────────────────────────────────────────────────────────────────────────────────────────────────────

# The same simulated user in front of sil-machine's interactive translator; it can hang, so it runs in a process of its
# own that is watched, and is started again behind a sentence on which it does.
PEER = """
import json, os, sys, time
from pathlib import Path
from machine.corpora import StandardParallelTextCorpus, MemoryText, DictionaryTextCorpus, TextRow
from machine.translation import InteractiveTranslatorFactory
from machine.translation.thot import ThotSmtModel, ThotSmtModelTrainer, ThotSmtParameters
from dragoman.interactive.user import type_characters
directory, first = Path(sys.argv[1]), int(sys.argv[2])
prefixes = [str(directory / "tm" / "t"), str(directory / "lm" / "l")]
stored = directory / "weights.json"
def parameters(weights):
    p = ThotSmtParameters(translation_model_filename_prefix=prefixes[0], language_model_filename_prefix=prefixes[1])
    if weights:
        from dataclasses import replace
        p = replace(p, model_weights=tuple(weights))
    return p
if not stored.exists():
    for name in ("tm", "lm"):
        (directory / name).mkdir()
    pairs = json.loads((directory / "train.json").read_text())
    rows = [[TextRow("a", n, [pair[k]]) for n, pair in enumerate(pairs)] for k in (0, 1)]
    texts = [DictionaryTextCorpus(MemoryText("a", each)) for each in rows]
    trainer = ThotSmtModelTrainer("hmm", StandardParallelTextCorpus(*texts), parameters(None))
    trainer._model_weight_tuner.max_function_evaluations = 5
    trainer.train()
    trainer.save()
    stored.write_text(json.dumps(list(trainer.parameters.model_weights)))
print(json.dumps("ready"), flush=True)
model = ThotSmtModel("hmm", parameters(json.loads(stored.read_text())))
factory = InteractiveTranslatorFactory(model)
for source, reference in json.loads((directory / "test.json").read_text())[first:]:
    began = time.thread_time()
    translator, broken, seconds = factory.create(source), 0, []
    def suggest(prefix):
        global broken
        start = time.thread_time()
        translator.set_prefix(prefix)
        found = next(translator.get_current_results(), None)
        text = found.translation if found else prefix
        seconds.append(time.thread_time() - start)
        if not text.startswith(prefix):
            broken += 1
            return prefix
        return text
    keys, mouse = type_characters(suggest, reference)
    print(json.dumps([keys, mouse, len(reference), broken, seconds[1:], time.thread_time() - began]), flush=True)
"""


def watched(directory: Path, segments: int, patience: float, budget: float) -> tuple[list[list[object]], int]:
    """What the peer reports of each segment, and on how many it hung."""
    rows: list[list[object]] = []
    hung, until = 0, time.monotonic() + budget
    while len(rows) + hung < segments and time.monotonic() < until:
        command = [sys.executable, "-c", PEER, str(directory), str(len(rows) + hung)]
        with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, bufsize=0) as process:
            assert process.stdout is not None
            ready = False
            while time.monotonic() < until:
                wait = patience if ready else until - time.monotonic()
                if not select.select([process.stdout], [], [], wait)[0]:
                    hung += ready
                    break
                line = process.stdout.readline()
                if not line:
                    break
                if json.loads(line) == "ready":
                    ready = True
                else:
                    rows.append(json.loads(line))
            process.kill()
            if not ready:
                break
    return rows, hung


def peer(directory: Path, count: int, segments: int, budget: float) -> None:
    print(f"beside sil-machine, desktop-en-es, {count:,} pairs, {segments} segments, tokenised and lower-cased, static")
    train, test = (
        corpus("desktop-en-es", part, size, lower=True) for part, size in (("train", count), ("test", segments))
    )
    base = trained(directory / "ours", train, lower=True)
    (directory / "peer").mkdir()
    for name, pairs in (("train", train), ("test", test)):
        (directory / "peer" / f"{name}.json").write_text(json.dumps(pairs))
    rows, hung = watched(directory / "peer", segments, 20.0, budget)
    if not rows:
        print("  sil-machine gave nothing: pip install sil-thot sil-machine, or more --budget")
        return
    done = [n for n in range(len(test)) if n < len(rows) + hung]
    outcomes = measured(base, [test[n] for n in done], learn=False, lower=True)
    report("dragoman, auto", outcomes)
    keys_pressed, mouse, characters, broken = (sum(int(str(row[n])) for row in rows) for n in range(4))
    seconds = 1e3 * np.array([each for row in rows for each in row[4]])  # type: ignore[attr-defined]
    print(
        f"{'sil-machine':24} KSMR {100 * (keys_pressed + mouse) / characters:5.1f}"
        f" ({100 * (keys_pressed + mouse + len(rows)) / characters:5.1f})"
        f"  key ms {np.median(seconds):.2f} / {np.percentile(seconds, 95):.1f} / {np.percentile(seconds, 99):.1f};"
        f" {len(rows)} segments, hung on {hung}, typed prefix broken {broken} times in {seconds.size} keys"
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    choices = ["desktop", "corpora", "keys", "peer", "prefixes"]
    parser.add_argument("parts", nargs="*", help=", ".join(choices))
    parser.add_argument("--segments", type=int, default=500)
    parser.add_argument("--pairs", type=int, default=10_000, help="of training in `corpora`")
    parser.add_argument("--corpus", action="append", choices=NAMES, help="only this one in `corpora`")
    parser.add_argument("--mode", action="append", choices=MODES, help="only this one in `corpora` and `desktop`")
    parser.add_argument("--base", type=int, default=60_000, help="pairs of training in `keys`")
    parser.add_argument("--peer-pairs", type=int, default=1_000)
    parser.add_argument("--peer-segments", type=int, default=40)
    parser.add_argument("--budget", type=float, default=400.0, help="seconds for the peer")
    parser.add_argument("--plot", type=Path, help="write the curves of `corpora`, of the last mode, to this file")
    given = parser.parse_args()
    if not CORPORA.exists():
        print(f"no corpora at {CORPORA}: nothing is measured")
        return
    wanted = given.parts or choices
    with tempfile.TemporaryDirectory() as temporary:
        directory = Path(temporary)
        if "desktop" in wanted:
            desktop(directory, given.segments, given.mode or MODES)
        if "peer" in wanted:
            peer(directory, given.peer_pairs, given.peer_segments, given.budget)
        if "prefixes" in wanted:
            prefixes(directory)
        if "keys" in wanted:
            keys(directory, min(given.segments, 100), given.base)
        if "corpora" in wanted:
            corpora(directory, given.corpus or NAMES, given.mode or MODES, given.segments, given.pairs, given.plot)


if __name__ == "__main__":
    main()
