"""All models together: one online update beside sil-thot's, its growth with what was learned, memory of batch training.

    python benchmarks/bench_models.py                      # europarl-en-es, about five minutes
    python benchmarks/bench_models.py --pairs 60000        # as many pairs as there are
    python benchmarks/bench_models.py --learning           # two minutes: segments translated, then learned

The update is everything that a correction changes: both alignment models, symmetrisation, phrase extraction, n-grams,
lengths; sil-thot's is `train_sentence_pair` of its incremental HMM system on the same pairs, both starting from nothing
(wall clock, one thread, pairs of 18 to 22 source words). The peer comes with `pip install sil-thot sil-machine`.

With --learning, BLEU and WER of 500 segments, each learned after it was translated (profile `fast`), from nothing, with
jumps never seen being equally likely or the likelier the nearer.
"""

from __future__ import annotations

import argparse
import os
import resource
import subprocess
import sys
import time
from collections import deque
from pathlib import Path

import numpy as np

from dragoman.measure import bleu, wer
from dragoman.models.loglinear import DEFAULT, Weights
from dragoman.models.modelset import NEARNESS, Contribution, ModelSet
from dragoman.search.decoder import Decoder
from dragoman.text.text_files import lines
from dragoman.text.tokens import split

Pair = tuple[list[str], list[str]]
LONGEST = 60
BUDGET = 120  # seconds that the peer may have
CORPORA = Path(os.environ.get("DRAGOMAN_CORPORA", Path(__file__).parents[2] / "shared" / "corpora"))


def read_pairs(folder: Path, count: int, part: str = "train") -> list[Pair]:
    pairs = []
    for source, target in zip(*(lines(folder / f"{part}.{language}.gz") for language in ("en", "es")), strict=True):
        f, e = ([word.lower() for word in split(text).words] for text in (source, target))
        if 1 <= len(f) <= LONGEST and 1 <= len(e) <= LONGEST:
            pairs.append((f, e))
        if len(pairs) == count:
            break
    return pairs


def median_ms(seconds: list[float], sizes: list[int]) -> float:
    """Median over the pairs of about 20 source words."""
    return float(np.median([s for s, size in zip(seconds, sizes, strict=True) if 18 <= size <= 22])) * 1e3


def online(pairs: list[Pair], peer_pairs: int) -> None:
    """One update after 1,000 pairs and after all of them, and the peer's after 1,000."""
    models, seconds, sizes = ModelSet(), [], []
    latest: deque[Contribution] = deque(maxlen=1000)
    models.remove(models.add(*pairs[0]))
    for source, target in pairs:
        began = time.perf_counter()
        contribution = models.add(source, target)
        seconds.append(time.perf_counter() - began)
        sizes.append(len(source))
        latest.append(contribution)
    window = min(1000, len(pairs) // 2)
    early, late = median_ms(seconds[:window], sizes[:window]), median_ms(seconds[-window:], sizes[-window:])
    print(f"one online update of everything, median at about 20 words, after {window:,} pairs: {early:.2f} ms")
    print(f"  after {len(pairs):,} pairs: {late:.2f} ms, {late / early:.2f}×")
    statistics = models.statistics()
    print(f"  {len(models.language):,} n-grams, {models.language.nbytes / len(models.language):.1f} bytes each")
    print(
        f"  {statistics['phrase pairs']:,} phrase pairs, {models.phrases.nbytes / statistics['phrase pairs']:.1f} each"
    )
    began = time.perf_counter()
    codes = [contribution.to_bytes() for contribution in latest]
    took = (time.perf_counter() - began) / len(codes)
    size = float(np.mean([len(code) for code in codes]))
    print(f"  a contribution takes {size / 1e3:.1f} kB, packed in {1e3 * took:.2f} ms")
    compare(pairs[:peer_pairs], seconds, sizes)


def compare(pairs: list[Pair], seconds: list[float], sizes: list[int]) -> None:
    """The peer on the same pairs, for as long as the budget lasts; the second half of what it reached counts."""
    os.environ["OMP_NUM_THREADS"] = "1"
    try:
        from thot.alignment import AlignmentModelType
        from thot.translation import SmtDecoder, SmtModel
    except ImportError:
        print("  no peer: pip install sil-thot sil-machine")
        return
    model = SmtModel(AlignmentModelType.INCR_HMM)
    peer = SmtDecoder(model)
    theirs: list[float] = []
    until = time.perf_counter() + BUDGET
    for source, target in pairs:
        began = time.perf_counter()
        if began > until:
            break
        peer.train_sentence_pair(" ".join(source), " ".join(target))
        theirs.append(time.perf_counter() - began)
    half, end = len(theirs) // 2, len(theirs)
    one, other = np.median(seconds[half:end]) * 1e3, np.median(theirs[half:]) * 1e3
    print(
        f"  pairs {half:,} to {end:,} of {np.mean(sizes[half:end]):.0f} words: {one:.2f} ms, sil-thot {other:.1f} ms,"
    )
    print(f"  that is {other / one:.0f}× as fast")


def batch(folder: Path, count: int) -> None:
    """Time and peak memory of batch training, in this process."""
    pairs = read_pairs(folder, count)
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    began = time.perf_counter()
    models = ModelSet()
    models.train(pairs)
    took = time.perf_counter() - began
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    print(f"batch training of {len(pairs):,} pairs: {took:.0f} s")
    print(f"  peak memory {peak / 2**20:.2f} GB, {before / 2**20:.2f} of it there before")
    count = models.phrases.phrase_count
    print(f"  {count:,} phrase pairs, {models.phrases.nbytes / count:.1f} bytes each")
    print(f"  {len(models.language):,} n-grams, {models.language.nbytes / len(models.language):.1f} bytes each")


def learning(corpora: Path) -> None:
    """What learning brings from nothing."""
    texts = {name: read_pairs(corpora / f"{name}-en-es", 500, "test") for name in ("desktop", "pydocs")}
    for name, pairs in texts.items():
        for nearness in (1.0, NEARNESS):
            models = ModelSet()
            models.inverse.nearness = models.direct.nearness = nearness
            report(f"{name} from nothing, nearness {nearness}", models, pairs)


def report(name: str, models: ModelSet, pairs: list[Pair]) -> None:
    """Translate each segment, then learn it."""
    decoder, found = Decoder(models, Weights(DEFAULT), "fast"), []
    for source, target in pairs:
        found.append(" ".join(decoder.search(source).best.words))
        models.add(source, target)
    wanted = [" ".join(target) for _, target in pairs]
    print(f"{name:40} BLEU {bleu(found, wanted, tokenize='none'):5.1f}  WER {wer(found, wanted):5.1f}", flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--corpora", type=Path, default=CORPORA)
    parser.add_argument("--pairs", type=int, default=20_000)
    parser.add_argument("--peer-pairs", type=int, default=1_000)
    parser.add_argument("--batch", action="store_true", help="only the batch training (in a process of its own)")
    parser.add_argument("--learning", action="store_true", help="only the quality of segments translated, then learned")
    arguments = parser.parse_args()
    folder = arguments.corpora / "europarl-en-es"
    if not folder.is_dir():
        print(f"no corpora at {arguments.corpora}; name their folder with --corpora")
    elif arguments.learning:
        learning(arguments.corpora)
    elif arguments.batch:
        batch(folder, arguments.pairs)
    else:
        online(read_pairs(folder, arguments.pairs), arguments.peer_pairs)
        options = ["--corpora", str(arguments.corpora), "--pairs", str(arguments.pairs), "--batch"]
        subprocess.run([sys.executable, __file__, *options], check=True)


if __name__ == "__main__":
    main()
