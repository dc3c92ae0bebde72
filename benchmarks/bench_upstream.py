"""What dragoman adds to another engine: one translation from what that one says and what corrections taught.

    python benchmarks/bench_upstream.py                                  # four texts, two engines, all systems
    python benchmarks/bench_upstream.py desktop pydocs --part dev        # where settings are chosen
    python benchmarks/bench_upstream.py newstest --segments 3000 --tenths  # no harm where there is nothing to learn
    python benchmarks/bench_upstream.py desktop --systems engine fused --engines nmt
    python benchmarks/bench_upstream.py --identity                       # nothing learned: the engine's words
    python benchmarks/bench_upstream.py desktop pydocs --keys --segments 200      # interactive: KSMR and key times
    python benchmarks/bench_upstream.py desktop --adapters --part dev --segments 300  # adapting the weights as well
    python benchmarks/bench_upstream.py europarl --unseen --part dev     # over engines that nothing was tuned for

From nothing: every segment is translated, scored against its reference, and then the reference is learned. Cased text,
BLEU with sacrebleu's defaults; times are medians of the thread's CPU time. What the engines say is read from recordings
(`--recorded`), one line a segment. A star marks systems that are significantly better than the engine alone, two those
that are better than dragoman alone and the memory too (paired bootstrap, p < 0.05).

- engine: what the other engine says
- alone: dragoman without it
- memory: the correction of the same source if there is one, otherwise what the engine says
- crude: what the engine says is learned as if it were a correction, the source translated, that forgotten again; the
  reference is learned four times
- fused: `translate(source, upstream=…)` and `learn(source, reference, upstream=…)`

With `--unseen`, the engines are those of `made_engines.py`, or any other named by `--engines`, such as
`ct2:model#nbest=4`; they are set as the project's own, as their users would (`Engine.upstream`), so that answers are
checked, and "fused" is compared with the better of engine and dragoman alone.
"""

from __future__ import annotations

import argparse
import os
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from contextlib import closing, suppress
from functools import partial
from itertools import islice
from pathlib import Path
from typing import NamedTuple

import numpy as np

sys.path.append(str(Path(__file__).parents[1]))
from benchmarks.made_engines import MADE, Answers

from dragoman.adapt import Adapter, Bayes, PassiveAggressive, Perceptron, Ridge
from dragoman.engine import Engine
from dragoman.errors import DragomanError
from dragoman.interactive.user import Effort, interact
from dragoman.measure import Bleu, Ter, bootstrap, improvement, recall
from dragoman.text.text_files import lines
from dragoman.upstream import Upstream

SHARED = Path(os.environ.get("DRAGOMAN_CORPORA", Path(__file__).parents[2] / "shared" / "corpora")).parent
TEXTS = ("desktop", "pydocs", "tico19", "newstest")
ENGINES = ("nmt", "apertium")


HEADINGS = {
    "systems": "| text, engine | system | BLEU | TER | R0 / R1 / R0+1 | "
    "changes of the engine's words | translating, ms | learning, ms |\n|" + 8 * "---|",
    "keys": "| text, engine | system | keys | mouse | KSMR | WSR | key ms, median | p99 |\n|" + 8 * "---|",
    "unseen": "| text, engine | engine | alone | fused | fused − the better of both | p |\n|" + 6 * "---|",
    "adapters": "| text, engine | adapter | against none | translating, ms | learning, ms |\n|---|---|---|---|---|",
}
ADAPTERS: dict[str, Adapter | None] = {  # lists of 100 keep the cost of learning bearable
    "none": None,
    "PassiveAggressive": PassiveAggressive(nbest=100),
    "Perceptron": Perceptron(alpha=0.001, nbest=100),
    "Ridge": Ridge(nbest=100),
    "Bayes": Bayes(nbest=100),
}


class Segment(NamedTuple):
    """A source, what the other engine says, and the reference."""

    source: str
    upstream: str
    reference: str


class Run(NamedTuple):
    """What a system has said of all segments, and the milliseconds of CPU time it took."""

    texts: list[str]
    translating: list[float]
    learning: list[float]


def read(text: str, part: str, engine: str, count: int, recorded: Path) -> list[Segment]:
    """The first segments of a text; those with an empty side are left out."""
    name = f"{text}-en-es"
    corpus = SHARED / "corpora" / name
    paths = corpus / f"{part}.en.gz", recorded / f"{name}.{part}.{engine}.es.gz", corpus / f"{part}.es.gz"
    texts = (islice(lines(path), count) for path in paths)
    rows = (Segment(*row) for row in zip(*texts, strict=False))
    return [row for row in rows if row.source.strip() and row.reference.strip()]


def read_unseen(text: str, part: str, engine: str, count: int, recorded: Path) -> list[Segment]:
    """The first segments of a text with what an engine says that is made, or asked for now."""
    if engine in ENGINES:
        return read(text, part, engine, count, recorded)
    neural, apertium = (read(text, part, each, count, recorded) for each in ENGINES)
    if engine in MADE:
        answers = [Answers(*one[:2], *other[1:]) for one, other in zip(neural, apertium, strict=True)]
        return [Segment(each.source, MADE[engine](each), each.reference) for each in answers]
    with closing(Upstream(engine, source="en", target="es")) as upstream:
        replies = upstream.outcomes([each.source for each in neural])
    said = [reply.answer or reply.refused for reply in replies]
    return [each._replace(upstream=answer.text if answer else "") for each, answer in zip(neural, said, strict=True)]


def engine_alone(_: Engine, segment: Segment) -> str:
    """What the other engine says."""
    return segment.upstream


def alone(engine: Engine, segment: Segment) -> str:
    """What dragoman says."""
    return engine.translate(segment.source).text


def memory(engine: Engine, segment: Segment) -> str:
    """The correction of the same source, or what the other engine says."""
    known = engine.exact_match(segment.source)
    return known.target if known else segment.upstream


def crude(engine: Engine, segment: Segment) -> str:
    """Learned as if it were a correction, for this translation only."""
    number = engine.learn(segment.source, segment.upstream, force=True)
    try:
        return engine.translate(segment.source, memory=False).text
    finally:
        engine.forget(number)


def fused(engine: Engine, segment: Segment) -> str:
    """One translation from both."""
    return engine.translate(segment.source, upstream=segment.upstream).text


def asked(engine: Engine, segment: Segment) -> str:
    """One translation from both, the engine being the project's own."""
    return engine.translate(segment.source).text


def learn(engine: Engine, segment: Segment) -> None:
    """Learn the reference."""
    engine.learn(segment.source, segment.reference, force=True)


def learn_often(engine: Engine, segment: Segment) -> None:
    """Learn the reference four times."""
    for _ in range(4):
        learn(engine, segment)


def learn_both(engine: Engine, segment: Segment) -> None:
    """Learn the reference, and what it says of the other engine."""
    engine.learn(segment.source, segment.reference, upstream=segment.upstream, force=True)


def nothing(_: Engine, __: Segment) -> None:
    """Learn nothing."""


SYSTEMS: dict[str, tuple[Callable[[Engine, Segment], str], Callable[[Engine, Segment], None]]] = {
    "engine": (engine_alone, nothing),
    "alone": (alone, learn),
    "memory": (memory, learn),
    "crude": (crude, learn_often),
    "fused": (fused, learn_both),
    "asked": (asked, learn),
}


def work(system: str, segments: list[Segment], prepare: Callable[[Engine], object] = id) -> Run:
    """Translate and learn segment by segment, from nothing."""
    translate, then = SYSTEMS[system]
    run = Run([], [], [])
    with (
        tempfile.TemporaryDirectory() as directory,
        Engine.create(Path(directory) / "project", source="en", target="es") as engine,
    ):
        prepare(engine)
        for segment in segments:
            began = time.thread_time()
            run.texts.append(translate(engine, segment))
            translated = time.thread_time()
            with suppress(DragomanError):
                then(engine, segment)
            run.translating.append(1e3 * (translated - began))
            run.learning.append(1e3 * (time.thread_time() - translated))
    return run


def report(label: str, runs: dict[str, Run], segments: list[Segment]) -> None:
    """One line for each system."""
    references, said = [segment.reference for segment in segments], [segment.upstream for segment in segments]
    bleu = {name: Bleu().statistics(run.texts, references) for name, run in runs.items()}
    ter = {name: Ter().statistics(run.texts, references) for name, run in runs.items()}
    for name, run in runs.items():
        better = {other: _better(bleu[other], bleu[name]) for other in ("engine", "alone", "memory") if other in bleu}
        stars = "*" * (better.get("engine", False) + (len(better) > 1 and all(better.values())))
        scores = Bleu().score(bleu[name].sum(0)), Ter().score(ter[name].sum(0))
        times = f"{np.median(run.translating):.1f} | {np.median(run.learning):.1f}"
        words = " / ".join(f"{each:.1f}" for each in recall(run.texts, references))
        changes = improvement(said, run.texts, references)
        cells = f"{scores[0]:.2f}{stars} | {scores[1]:.1f} | {words} | {changes} | {times}"
        print(f"| {label} | {name} | {cells} |", flush=True)


def _better(baseline: np.ndarray, system: np.ndarray) -> bool:
    comparison = bootstrap(Bleu(), baseline, system)
    return comparison.p_value < 0.05 and comparison.difference.score > 0


def tenths(label: str, runs: dict[str, Run], segments: list[Segment]) -> None:
    """How each tenth of the segments compares with the engine alone."""
    references = [segment.reference for segment in segments]
    engine = Bleu().statistics([segment.upstream for segment in segments], references)
    for name in runs.keys() - {"engine"}:
        system = Bleu().statistics(runs[name].texts, references)
        for place, part in enumerate(np.array_split(np.arange(len(segments)), 10), start=1):
            print(f"| {label} | {name}, tenth {place} | {bootstrap(Bleu(), engine[part], system[part])} |", flush=True)


def unseen(label: str, engine: str, segments: list[Segment], without: dict[str, Run]) -> None:
    """How the engine set as a project's own compares with the better of itself and dragoman alone."""
    with tempfile.TemporaryDirectory() as directory:
        answers = Path(directory) / "answers.tsv"
        answers.write_text("".join(f"{each.source}\t{each.upstream}\n" for each in segments), encoding="utf-8")
        name = engine if ":" in engine else f"recorded:{answers}"
        without |= {"alone": without.get("alone") or work("alone", segments)}
        runs = without | {
            "engine": Run([each.upstream for each in segments], [0.0], [0.0]),
            "fused": work("asked", segments, partial(Engine.change_settings, values={"upstream": name})),
        }
    references = [segment.reference for segment in segments]
    bleu = {name: Bleu().statistics(run.texts, references) for name, run in runs.items()}
    scores = {name: Bleu().score(each.sum(0)) for name, each in bleu.items()}
    better = max(("engine", "alone"), key=scores.__getitem__)
    found = bootstrap(Bleu(), bleu[better], bleu["fused"])
    cells = (f"{scores[name]:.2f}" for name in ("engine", "alone", "fused"))
    print(f"| {label} | {' | '.join(cells)} | {found.difference} | {found.p_value:.3f} |", flush=True)


def identity(texts: Sequence[str], engines: Sequence[str], count: int, part: str, recorded: Path) -> None:
    """How many translations are what the engine says, to the byte, when nothing was learned."""
    with (
        tempfile.TemporaryDirectory() as directory,
        Engine.create(Path(directory) / "project", source="en", target="es") as project,
    ):
        for engine in engines:
            found = [each for text in texts for each in read(text, part, engine, count, recorded) if each.upstream]
            same = sum(fused(project, each) == each.upstream for each in found)
            print(f"{engine}: {same:,} of {len(found):,} translations are the engine's, to the byte", flush=True)


def keys(label: str, segments: list[Segment], systems: Sequence[str]) -> None:
    """Key strokes and mouse actions of a simulated user: the engine alone, dragoman alone, both."""
    said = {each.source: each.upstream for each in segments}
    pairs = [(each.source, each.reference) for each in segments]
    known = {"engine": (said, False), "alone": (None, True), "fused": (said, True)}
    for name in (each for each in systems if each in known):
        upstream, learning = known[name]
        with (
            tempfile.TemporaryDirectory() as directory,
            Engine.create(Path(directory) / "project", source="en", target="es") as engine,
        ):
            ask = upstream.__getitem__ if upstream else None
            outcomes = list(interact(engine, pairs, learning, clock=time.thread_time, upstream=ask))
        effort = sum((each.effort for each in outcomes), Effort())
        times = 1e3 * np.concatenate([each.keys for each in outcomes])
        p50, p99 = np.percentile(times, [50, 99])
        counts = f"{effort.key_strokes:,} | {effort.mouse_actions:,} | {effort.ksmr:.1f} | {effort.wsr:.1f}"
        print(f"| {label} | {name} | {counts} | {p50:.2f} | {p99:.1f} |", flush=True)


def adapters(label: str, segments: list[Segment]) -> None:
    """The weights over the engine adapted by each method, beside not adapting them."""
    references = [segment.reference for segment in segments]
    base = None
    for name, adapter in ADAPTERS.items():
        run = work("fused", segments, partial(Engine.change_settings, values={"adapter": adapter}))
        statistics = Bleu().statistics(run.texts, references)
        base = statistics if base is None else base
        times = f"{np.median(run.translating):.1f} | {np.median(run.learning):.1f}"
        print(f"| {label} | {name} | {bootstrap(Bleu(), base, statistics)} | {times} |", flush=True)


def main() -> None:
    """Measure."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("texts", nargs="*", default=TEXTS, help=f"of {', '.join(TEXTS)}, europarl")
    parser.add_argument(
        "--engines",
        nargs="+",
        help="recorded, or with --unseen made ones; any name of an engine",
    )
    parser.add_argument("--systems", nargs="+", default=list(SYSTEMS)[:-1], choices=list(SYSTEMS))
    parser.add_argument("--part", default="test", choices=("dev", "test"))
    parser.add_argument("--segments", type=int, default=1000)
    parser.add_argument("--recorded", type=Path, default=SHARED / "engines" / "recorded")
    parser.add_argument("--tenths", action="store_true", help="compare each tenth of the segments with the engine")
    parser.add_argument("--identity", action="store_true", help="compare with the engine's words, nothing learned")
    parser.add_argument("--keys", action="store_true", help="the work of a person who types with completions")
    parser.add_argument("--adapters", action="store_true", help="methods that adapt the weights over the engine")
    parser.add_argument("--unseen", action="store_true", help="over engines that nothing was tuned for")
    parser.add_argument("--live", action="store_true", help="ask the engines of these names now, with dragoman's masks")
    given = parser.parse_args()
    given.engines = given.engines or (list(MADE) if given.unseen else ENGINES)
    if given.identity:
        identity([*TEXTS, "europarl"], given.engines, 2 * given.segments, given.part, given.recorded)
        return
    kind = next((each for each in ("keys", "adapters", "unseen") if getattr(given, each)), "systems")
    print(HEADINGS[kind], flush=True)
    for text in given.texts:
        without = dict[str, Run]()  # dragoman alone says the same beside any engine
        for engine in given.engines:
            label, reading = f"{text}, {engine}", read_unseen if given.unseen or given.live else read
            segments = reading(text, given.part, engine, given.segments, given.recorded)
            if given.unseen:
                unseen(label, engine, segments, without)
                continue
            if given.keys:
                keys(label, segments, given.systems)
                continue
            if given.adapters:
                adapters(label, segments)
                continue
            runs = without | {name: work(name, segments) for name in given.systems if name not in without}
            without = {name: run for name, run in runs.items() if name == "alone"}
            report(label, runs, segments)
            if given.tenths:
                tenths(label, runs, segments)


if __name__ == "__main__":
    main()
