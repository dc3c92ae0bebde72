"""Is any kind of text translated worse than by the defaults of an earlier version? Test sets, nothing tuned.

    python benchmarks/bench_versions.py
    python benchmarks/bench_versions.py --tasks europarl desktop     # only tasks whose names begin so

Version 1 has the links, the smoothing and the starting weights of 0.1.0 with preset `moses`; against it today's, with
preset `classes`. Tasks and texts are those of choose_defaults.py, but on test sets; difference with a 95 % interval by
paired bootstrap. Models stay in benchmarks/out for the next run.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from dragoman.kernels import warm
from dragoman.measure import bootstrap
from dragoman.models.defaults import CURRENT, VERSIONS, starting_weights
from dragoman.search.decoder import Decoder
from dragoman.tune import Development, decode
from dragoman.tune.development import Decoded

sys.path.append(str(Path(__file__).parents[1]))

from benchmarks.choose_defaults import CORPORA, MEASURE, TASKS, Setting, Task, read, trained

PRESETS = {1: "moses", CURRENT: "classes"}
TRANSLATED, LEARNED = 1000, 600  # test segments; those that are learned take longer


def translated(task: Task, version: int) -> Decoded:
    """The test set of a task by the defaults of a version."""
    defaults = VERSIONS[version]
    setting = Setting(symmetrisation=defaults.symmetrisation, smoothing=defaults.smoothing)
    pairs = read(task.corpus, "test", LEARNED if task.learns else TRANSLATED)
    base = trained(task.base, task.lines, setting) if task.base else None
    settings = {"preset": PRESETS[version], "defaults": version}
    if base and not task.learns:
        return decode(Decoder(base, starting_weights(settings)), Development.of(pairs), MEASURE, threads=1)
    models, found = setting.models(base), []
    for pair in pairs:
        weights = starting_weights(settings, classes=bool(models.classes))
        found.append(decode(Decoder(models, weights), Development.of([pair]), MEASURE, threads=1))
        models.add(*pair)
    return Decoded(MEASURE, [each.features[0] for each in found], [each.statistics[0] for each in found])


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--tasks", nargs="*", default=[""], help="only tasks whose names begin with one of these")
    arguments = parser.parse_args()
    if not CORPORA.is_dir():
        print(f"no corpora at {CORPORA}")
        return
    warm()
    print("| | version 1 | today | difference |\n|---|---:|---:|---:|")
    for task in TASKS:
        if task.name.startswith(tuple(arguments.tasks)):
            before, after = translated(task, 1), translated(task, CURRENT)
            found = bootstrap(MEASURE, before.best, after.best).difference
            row = f"{before.score:.2f} | {after.score:.2f} | {found.score:+.2f} ± {found.margin:.2f}"
            print(f"| {task.name} | {row} |", flush=True)


if __name__ == "__main__":
    main()
