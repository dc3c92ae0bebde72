"""What one correction takes, by stages: the processor time of `learn`, over another engine's answers and without them.

    python benchmarks/bench_correction.py                     # a table of both, desktop-en-es
    python benchmarks/bench_correction.py --segments 1000 --corpus pydocs-en-es
    python benchmarks/bench_correction.py --total             # no stages, so no cost of taking their times

Every segment is translated, as a person would see it, and then its reference is learned, durably. The times are of the
thread that learns (`time.thread_time`), without waiting for the disk; medians over the segments after the first 20. On
a busy machine other programs empty the processor's caches, and the quickest tenth says more than the median. A stage
does not count what the stages within it take. The checksum is that of all arrays and of the journal's rows: two
versions of the program with the same checksum learn the same, bit for bit.
"""

from __future__ import annotations

import argparse
import statistics
import sys
import tempfile
import time
from collections import defaultdict
from collections.abc import Callable
from contextlib import suppress
from functools import wraps
from hashlib import blake2b
from pathlib import Path
from typing import Any

sys.path.append(str(Path(__file__).parents[1]))
from benchmarks.bench_upstream import SHARED, Segment, read

from dragoman import engine as engines
from dragoman.engine import Engine
from dragoman.errors import DragomanError
from dragoman.models import alignment, language, modelset, phrases
from dragoman.project import correction_record, corrector, guard, memory, state, translation
from dragoman.project.correction_record import CorrectionRecord
from dragoman.project.request import Request
from dragoman.project.translator import Translator
from dragoman.store.journal import Journal
from dragoman.text.language_side import LanguageSide

WARM = 20  # segments whose times are not counted
STAGES: list[tuple[str, Any, str]] = [  # name, where the function is, its name
    ("all that is not below: locks, records, calls", engines.Engine, "learn"),
    ("the other engine's answer is checked", Translator, "usable"),
    ("text is read: tokens, letter case", corrector, "_prepare"),
    ("proposed changes are weighed", translation, "weigh"),
    ("searched, if that was not just done", Request, "search_once"),
    ("letter case of the answer", corrector, "_cases"),
    ("what each level of trust would have cost", corrector, "_costs"),
    ("the guard", guard.Guard, "check"),
    ("alignment models: expected counts", alignment.AlignmentModel, "estimate"),
    ("alignment models: added", alignment.AlignmentModel, "apply"),
    ("links between the words", modelset.ModelSet, "align"),
    ("links of the answer", correction_record, "link"),
    ("phrase pairs", phrases.PhraseModel, "add"),
    ("n-grams", language.LanguageModel, "add_ids"),
    ("letter case and spaces", LanguageSide, "add"),
    ("changes and trust are counted", state.State, "count_answer"),
    ("bytes of the row", CorrectionRecord, "to_bytes"),
    ("journal", Journal, "append_learn"),
    ("translation memory", memory.Memory, "add"),
]


class Clock:
    """The time that each stage took in the present correction, without that of the stages within it."""

    def __init__(self) -> None:
        self.spent: defaultdict[str, float] = defaultdict(float)
        self._inside = [0.0]  # for each stage that is running, what the stages within it have taken

    def timed(self, name: str, function: Callable[..., Any]) -> Callable[..., Any]:
        """The function, its time counted under a name."""

        @wraps(function)
        def call(*given: Any, **named: Any) -> Any:
            self._inside.append(0.0)
            began = time.thread_time()
            try:
                return function(*given, **named)
            finally:
                took = time.thread_time() - began
                self.spent[name] += took - self._inside.pop()
                self._inside[-1] += took

        return call

    def take(self) -> dict[str, float]:
        """What was spent since the last time."""
        spent = dict(self.spent)
        self.spent.clear()
        return spent


def watch(clock: Clock) -> None:
    """Count the times of all stages from now on."""
    for name, place, function in STAGES:
        setattr(place, function, clock.timed(name, getattr(place, function)))


def checksum(engine: Engine) -> str:
    """Of everything that was learned, and of the rows of the journal."""
    found = blake2b(digest_size=8)
    with engine.opened.reading() as now:
        for name, array in sorted(now.arrays().items()):
            found.update(name.encode() + array.tobytes())
    for row in engine.opened.store.journal.rows():
        found.update(repr((row.id, row.kind, row.source, row.target, row.contribution)).encode())
    return found.hexdigest()


def learn(segments: list[Segment], clock: Clock, *, fused: bool) -> tuple[list[dict[str, float]], list[float], str]:
    """Translate and learn; what each correction took by stages and as a whole, in seconds, and the checksum."""
    stages, wholes = [], []
    with (
        tempfile.TemporaryDirectory() as directory,
        Engine.create(Path(directory) / "project", source="en", target="es") as engine,
    ):
        for source, upstream, reference in segments:
            answer = upstream if fused else None
            engine.translate(source, upstream=answer)
            clock.take()
            began = time.thread_time()
            with suppress(DragomanError):
                engine.learn(source, reference, upstream=answer, force=True)
                wholes.append(time.thread_time() - began)
                stages.append(clock.take())
        return stages[WARM:], wholes[WARM:], checksum(engine)


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--corpus", default="desktop-en-es")
    parser.add_argument("--segments", type=int, default=400)
    parser.add_argument("--engine", default="nmt", help="whose recorded answers are used")
    parser.add_argument("--recorded", type=Path, default=SHARED / "engines" / "recorded")
    parser.add_argument("--total", action="store_true", help="only the whole of each correction")
    options = parser.parse_args()
    text = options.corpus.removesuffix("-en-es")
    segments = read(text, "test", options.engine, options.segments, options.recorded)
    clock = Clock()
    if not options.total:
        watch(clock)
    over, without = (learn(segments, clock, fused=fused) for fused in (True, False))
    if not options.total:
        print(f"| {'stage, ms (median of the processor time)':45} | over an engine | without |")
        print(f"|{47 * '-'}|---------------:|--------:|")
        for name in dict.fromkeys(name for name, _, _ in STAGES):
            each = [1e3 * statistics.median(row.get(name, 0.0) for row in rows) for rows in (over[0], without[0])]
            print(f"| {name:45} | {each[0]:14.3f} | {each[1]:7.3f} |")
    for name, tenth in (("all of it", 5), ("all of it, nine of ten take longer", 1)):
        whole = [1e3 * statistics.quantiles(rows, n=10)[tenth - 1] for rows in (over[1], without[1])]
        print(f"| {name:45} | {whole[0]:14.3f} | {whole[1]:7.3f} |")
    print(f"checksums {over[2]} {without[2]}")


if __name__ == "__main__":
    main()
