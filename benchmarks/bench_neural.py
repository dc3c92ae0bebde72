"""An engine that learns itself: what it gains, what it costs, and what it harms elsewhere.

    python benchmarks/bench_neural.py desktop pydocs --segments 300          # engine, dragoman, learning engine, both
    python benchmarks/bench_neural.py desktop --segments 1000 --then newstest 300    # news, after that was learned
    python benchmarks/bench_neural.py --steps 20 [--torch PYTHON]             # milliseconds of a step, and of PyTorch's

From nothing: every segment is translated, scored against its reference, and then the reference is learned; the engine
has learned it before the next one is translated, as it has when a person needs some seconds. BLEU with sacrebleu's
defaults; better : worse are the segments with fewer and with more edits of words than the engine's; times are of the
processor. PyTorch makes the same step with a Transformer of the same sizes, `torch_step.py`, in another environment.
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from itertools import islice
from pathlib import Path

from rapidfuzz.distance import Levenshtein

from dragoman import Engine
from dragoman.measure import bleu
from dragoman.neural import Network
from dragoman.neural.learner import Learner, PiecePair
from dragoman.neural.quantise import ModelImage
from dragoman.text.text_files import lines

SHARED = Path(os.environ.get("DRAGOMAN_CORPORA", Path(__file__).parents[2] / "shared" / "corpora")).parent
SYSTEMS = ("engine", "dragoman over it", "engine that learns", "dragoman over that")
PIECES = 15  # of the source of a step, and three more of the target
Segments = list[tuple[str, str]]


def read(text: str, part: str, count: int) -> Segments:
    """The first segments of a text."""
    sides = (islice(lines(SHARED / "corpora" / f"{text}-en-es" / f"{part}.{side}.gz"), count) for side in ("en", "es"))
    return [(source, target) for source, target in zip(*sides, strict=True) if source.strip() and target.strip()]


def run(folder: Path, upstream: str, segments: Segments, after: Segments) -> tuple[list[list[str]], str]:
    """What the engine and dragoman over it say of each segment, those `after` without learning them; and the cost."""
    said: list[list[str]] = [[], []]
    spent, waits = 0.0, []
    with Engine.create(folder, source="en", target="es", upstream=upstream) as engine:
        for n, (source, target) in enumerate([*segments, *after]):
            found = engine.translate(source)
            asked = engine._consultant.upstream(upstream)  # the memory may have answered alone
            answer = found.upstream if found.upstream is not None else asked and asked.ask(source, seconds=None)
            said[0].append(answer if isinstance(answer, str) else answer.text if answer else "")
            said[1].append(found.text)
            if n >= len(segments):
                continue
            began = time.perf_counter()
            engine.learn(source, target, force=True)
            waits.append(time.perf_counter() - began)
            spent -= time.process_time()
            while (state := engine.upstream_learning) and state.due and not state.problem:
                time.sleep(0.002)
            spent += time.process_time()
        state = engine.upstream_learning
    size = sum(each.stat().st_size for each in folder.glob("weights/*")) / 1e6
    cost = (
        f"learn {1e3 * sorted(waits)[len(waits) // 2]:.1f} ms median; step {1e3 * spent / len(segments):.0f} ms CPU; "
    )
    cost += f"snapshots {size:.0f} MB; {resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e6:.2f} GB; {state}"
    return said, cost


def edits(said: str, target: str) -> int:
    """Edits of words."""
    return Levenshtein.distance(said.split(), target.split())


def show(title: str, segments: Segments, systems: Sequence[Sequence[str]]) -> None:
    """One row a system."""
    targets = [target for _, target in segments]
    for name, said in zip(SYSTEMS, systems, strict=True):
        saved = [edits(one, t) - edits(other, t) for one, other, t in zip(systems[0], said, targets, strict=True)]
        ratio = f"{sum(each > 0 for each in saved)} : {sum(each < 0 for each in saved)}"
        print(f"| {title} | {name} | {bleu(said, targets):.2f} | {ratio} |", flush=True)


def measure_steps(model: Path, count: int, torch: str | None) -> None:
    """Milliseconds of the parts of a step."""
    import ctranslate2

    network = Network.load(model)
    learner, image = Learner(network), ModelImage(network.file)
    pair = PiecePair("", tuple(range(10, 10 + PIECES)), tuple(range(40, 43 + PIECES)))
    parts = [0.0, 0.0, 0.0]
    for n in range(count + 2):
        times = [time.process_time()]
        learner.learn(pair)
        times.append(time.process_time())
        for name, w in learner.weights.items():
            image.write(name, w)
        times.append(time.process_time())
        ctranslate2.Translator(str(model), files=image.files(), intra_threads=1)
        times.append(time.process_time())
        if n >= 2:  # the first ones compile
            parts = [total + end - begin for total, begin, end in zip(parts, times, times[1:], strict=False)]
    names = ("step (and what W₀ says)", "quantise", "load")
    print("ours:", ", ".join(f"{name} {1e3 * each / count:.0f} ms" for name, each in zip(names, parts, strict=True)))
    if torch:
        a, inner = network.architecture, network.parameters["encoder/layer_0/ffn/linear_0/weight"].shape[0]
        sizes = [a.width, a.encoder.heads, inner, a.encoder.layers, a.decoder.layers, a.target_pieces, PIECES, count]
        command = [torch, str(Path(__file__).with_name("torch_step.py")), json.dumps(sizes)]
        subprocess.run(command, check=True, env={**os.environ, "OMP_NUM_THREADS": "1"})


def main() -> None:
    """Run what was asked for."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("texts", nargs="*")
    parser.add_argument("--part", default="test")
    parser.add_argument("--segments", type=int, default=300)
    parser.add_argument("--then", nargs=2, metavar=("TEXT", "SEGMENTS"))
    parser.add_argument("--model", type=Path, default=SHARED / "engines" / "nmt-en-es")
    parser.add_argument("--steps", type=int, default=0)
    parser.add_argument("--torch", help="a Python that has PyTorch")
    chosen = parser.parse_args()
    if chosen.steps:
        measure_steps(chosen.model, chosen.steps, chosen.torch)
    for text in chosen.texts:
        segments = read(text, chosen.part, chosen.segments)
        after = read(chosen.then[0], "test", int(chosen.then[1])) if chosen.then else []
        said: list[list[str]] = []
        for learns in ("no", "yes"):
            with tempfile.TemporaryDirectory() as folder:
                upstream = f"ct2:{chosen.model}#threads=1&learns={learns}"
                both, cost = run(Path(folder, "project"), upstream, segments, after)
            said += both
            print(f"{text}, learns={learns}: {cost}", file=sys.stderr, flush=True)
        show(text, segments, [each[: len(segments)] for each in said])
        if after:
            show(f"{chosen.then[0]} after {text}", after, [each[len(segments) :] for each in said])


if __name__ == "__main__":
    main()
