"""What a longer search, more translation options and other β would gain, before and after tuning.

    python benchmarks/bench_effort.py                                  # captions-en-fr
    python benchmarks/bench_effort.py --corpus pydocs-en-es --train 30000 --dev 1000

Development sets only: MIRA tunes on the set (seed 1), then the same set is translated with each setting. The
difference is that to the default setting with the same weights, with a 95 % interval by paired bootstrap; seconds are
processor time. Text as in bench_tuning.py, which keeps the trained models for both.
"""

from __future__ import annotations

import argparse
import sys
import time
from pathlib import Path
from typing import Any

from dragoman.kernels import warm
from dragoman.measure import bootstrap
from dragoman.models.loglinear import Weights
from dragoman.search.decoder import Beam, Decoder, Estimates
from dragoman.tune import METHODS, Development, decode, tune

sys.path.append(str(Path(__file__).parents[1]))

from benchmarks.bench_tuning import CORPORA, MEASURES, read, trained

SETTINGS: dict[str, dict[str, Any]] = {
    "default": {},
    "50 options": {"beam": Beam(options=50)},
    "twice the stack": {"beam": Beam(pops=600, stack=150)},
    "five times the stack, 50 options": {"beam": Beam(pops=1500, stack=400, options=50, threshold=20.0)},
    "jumps of 4": {"beam": Beam(distortion=4)},
    "jumps of 10": {"beam": Beam(distortion=10)},
    "β = 0.5": {"estimates": Estimates(beta=0.5)},
    "β = 0.75": {"estimates": Estimates(beta=0.75)},
    "β = 1": {"estimates": Estimates(beta=1.0)},
}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--corpora", type=Path, default=CORPORA)
    parser.add_argument("--corpus", default="captions-en-fr")
    parser.add_argument("--train", type=int, default=29_000, help="lines to train on (default 29000)")
    parser.add_argument("--dev", type=int, default=1014, help="development lines (default 1014)")
    arguments = parser.parse_args()
    folder = arguments.corpora / arguments.corpus
    if not folder.is_dir():
        print(f"no corpus at {folder}; name the directory of the corpora with --corpora")
        return
    models, development = trained(folder, arguments.train), Development.of(read(folder, "dev", arguments.dev))
    warm()
    start, bleu = Weights("classes"), MEASURES["bleu"]
    report = tune(models, start, development, METHODS["mira"], bleu, nbest=100, seed=1)
    print(f"{folder.name}\n\n| | before tuning | difference | seconds | tuned | difference | seconds |")
    print("|---|---:|---:|---:|---:|---:|---:|")
    both = [start, Weights(start.preset, report.weights)]
    default = [decode(Decoder(models, weights), development, bleu) for weights in both]
    for name, setting in SETTINGS.items():
        columns = []
        for weights, usual in zip(both, default, strict=True):
            began = time.process_time()
            found = decode(Decoder(models, weights, **setting), development, bleu)
            took = time.process_time() - began
            gain = bootstrap(bleu, usual.best, found.best).difference
            columns.append(f"{found.score:.2f} | {gain.score:+.2f} ± {gain.margin:.2f} | {took:.1f}")
        print(f"| {name} | {' | '.join(columns)} |", flush=True)


if __name__ == "__main__":
    main()
